//! `dot`, `dotc`, `nrm2` and `asum`.

use super::{LONG, Scalars, complex_factor, device_vector, seen, written};
use crate::case::Case;
use crate::check::Check;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reduction::many_chunks;
use crate::reference::{
    Data, Double, Image, Pair, Random, Sample, Vector, equal_numbers, fronts, lengths, read_increments, seeds, vectors,
    within,
};
use crate::session::Session;
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::{blas, tree};
use warpwave_core::{Blas, Complex32, DType, Device, OperationKind, Stream};

/// Lengths of vectors, and some that take the tree to its second level.
fn sizes(level: Level) -> impl Strategy<Value = usize> {
    let long: &[usize] = if level == Level::Smoke { &[2049, 8193] } else { &[8191, 8192, 3 * 8192 + 5, 100_003] };
    prop_oneof![6 => lengths(level), 1 => select(long)]
}

/// Long vectors: without gaps, and from the end with some.
fn long() -> [Vector; 2] {
    [Vector::dense(1, LONG), Vector { front: 1, len: LONG, inc: -2 }]
}

/// Runs a reduction into an image, twice; compares the two results, and what lies around the output with what was
/// there.
fn reduced<R: Sample, D: Device>(
    case: &mut Case<'_, D>,
    front: usize,
    run: impl Fn(&D::Stream, &mut D::Buffer<R>, &Vector) -> Verdict,
) -> Verdict<R> {
    let at = Vector::dense(front, 1);
    let mut results = [R::default(); 2];
    for result in &mut results {
        let image = Image::<R>::around(&at);
        let mut out = case.stream().from_slice(&image.elements)?;
        run(case.stream(), &mut out, &at)?;
        *result = written(case, &out, &image, &at)?[0];
    }
    case.bits("a second time: out", &results[1..], &results[..1])?;
    Ok(results[0])
}

/// Numbers that cancel in pairs, up to some of their digits.
fn cancelling<T: Sample>(random: &mut Random, len: usize) -> Vec<T> {
    let mut x: Vec<T> = random.vector(Data::Numbers, len);
    for pair in x.chunks_exact_mut(2) {
        let factor = 1.0 + random.number() / 4096.0;
        pair[1] = T::from_values(pair[0].values().map(|x| -x * factor));
    }
    x
}

pub(super) fn dot<T: Scalars, D: Device>(session: &mut Session<'_, D>, conj: bool) -> Verdict {
    let level = session.level();
    type Input = (Vector, usize, isize, u64);
    /// Makes the data and runs the case; gives what it made and got.
    fn run<T: Scalars, D: Device>(
        case: &mut Case<'_, D>,
        (x_at, front, inc, seed): Input,
        conj: bool,
        make: impl Fn(&mut Random, usize) -> [Vec<T>; 2],
    ) -> Verdict<([Vec<T>; 2], T)> {
        let y_at = Vector { front, len: x_at.len, inc };
        let [x, y] = make(&mut Random::new(seed), x_at.len);
        let (x, y) = (seen(&x_at, x), seen(&y_at, y));
        let x_buffer = case.stream().from_slice(&Image::of_vector(&x_at, &x).elements)?;
        let y_buffer = case.stream().from_slice(&Image::of_vector(&y_at, &y).elements)?;
        let got: T = reduced::<T, D>(case, front, |stream, out, at| {
            let mut out = warpwave_core::Buffer::slice_mut(out, at.front..)?;
            device_vector!(x = x_buffer, x_at);
            device_vector!(y = y_buffer, y_at);
            let result = if conj { stream.dotc_into(&x, &y, &mut out) } else { stream.dot_into(&x, &y, &mut out) };
            Ok(result?)
        })?;
        let first = |i: usize| if conj { x[i].conj() } else { x[i] };
        case.bits("out", &[got], &[blas::dot(x.len(), first, |i| y[i])])?;
        Ok(([x, y], got))
    }
    let inputs = || (vectors(sizes(level), read_increments()), fronts(), read_increments(), seeds());
    let of = |data: Data| move |random: &mut Random, len: usize| [random.vector(data, len), random.vector(data, len)];
    let factor = move |x: &T| {
        let pair = Pair::new(x.values());
        if conj { pair.conj() } else { pair }
    };
    let integers = |case: &mut Case<'_, D>, input: Input| {
        let ([x, y], got) = run::<T, D>(case, input, conj, of(Data::Integers(8)))?;
        let sum = x.iter().zip(&y).fold([0_i64; 2], |[re, im], (x, y)| {
            let ([a, b], [c, d]) = (x.values().map(|x| x as i64), y.values().map(|y| y as i64));
            let b = if conj { -b } else { b };
            [re + a * c - b * d, im + a * d + b * c]
        });
        equal_numbers(case, "out", &[got], &[T::from_integers(sum)])
    };
    session.cases(Lane::Exact, Counts::of(16), inputs(), integers)?;
    session.each(Lane::Exact, long(), |case, at| integers(case, (at, 2, 1, 3)))?;
    session.cases(Lane::Poison, Counts::of(12), inputs(), |case, input| {
        let make = |random: &mut Random, len: usize| [random.specials_with_nan(len), random.rare_specials(len)];
        run::<T, D>(case, input, conj, make).map(drop)
    })?;
    session.cases(Lane::Bounded, Counts::of(12), inputs(), |case, input| {
        let ([x, y], got) = run::<T, D>(case, input, conj, of(Data::Numbers))?;
        if !T::DTYPE.is_complex() {
            let real = |x: &[T]| x.iter().map(|x| x.values()[0]).collect::<Vec<f64>>();
            if let Some(want) = crate::reference::dot(&real(&x), &real(&y), T::UNIT >= f32::UNIT) {
                case.bits("in the order of the tree: out", &[got], &[T::from_values([want, 0.0])])?;
            }
        }
        let products = || x.iter().zip(&y).map(|(x, y)| factor(x) * Pair::new(y.values()));
        let exact = products().fold(Pair::ZERO, |a, b| a + b);
        let size: f64 = products().map(Pair::modulus).sum();
        let steps = (tree::depth(x.len()) + 1) as f64;
        within(case, "out", 0, got, exact, complex_factor::<T>() * steps * T::UNIT * size * (1.0 + 1e-9) + T::TINY)
    })?;
    session.each(Lane::Exact, many_chunks(level, T::DTYPE).iter().copied(), |case, len| {
        // The same factor for both of a pair that cancels.
        let make = |random: &mut Random, len: usize| {
            let mut y: Vec<T> = random.vector(Data::Numbers, len);
            y.chunks_exact_mut(2).for_each(|pair| pair[1] = pair[0]);
            [cancelling(random, len), y]
        };
        run::<T, D>(case, (Vector::dense(1, len), 2, 1, len as u64), conj, make).map(drop)
    })
}

pub(super) fn asum<T: Scalars, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    let run = |case: &mut Case<'_, D>, at: &Vector, x: &[T]| -> Verdict<T::Magnitude> {
        let buffer = case.stream().from_slice(&Image::of_vector(at, x).elements)?;
        let got = reduced::<T::Magnitude, D>(case, at.front, |stream, out, out_at| {
            let mut out = warpwave_core::Buffer::slice_mut(out, out_at.front..)?;
            device_vector!(x = buffer, at);
            Ok(stream.asum_into::<T>(&x, &mut out)?)
        })?;
        case.bits("out", &[got], &[blas::asum(x.len(), |i| x[i])])?;
        Ok(got)
    };
    let inputs = || (vectors(sizes(level), read_increments()), seeds());
    let integers = |case: &mut Case<'_, D>, (at, seed): (Vector, u64)| {
        let x = seen(&at, Random::new(seed).vector::<T>(Data::Integers(50), at.len));
        let got = run(case, &at, &x)?;
        let sum: i64 = x.iter().flat_map(|x| x.values()).map(|x| x.abs() as i64).sum();
        equal_numbers(case, "out", &[got], &[T::Magnitude::from_integer(sum)])
    };
    session.cases(Lane::Exact, Counts::of(16), inputs(), integers)?;
    session.each(Lane::Exact, long(), |case, at| integers(case, (at, 3)))?;
    session.cases(Lane::Poison, Counts::of(12), inputs(), |case, (at, seed)| {
        let x = seen(&at, Random::new(seed).specials_with_nan::<T>(at.len));
        run(case, &at, &x).map(drop)
    })?;
    session.cases(Lane::Bounded, Counts::of(12), inputs(), |case, (at, seed)| {
        let x = seen(&at, Random::new(seed).vector::<T>(Data::Numbers, at.len));
        let got = run(case, &at, &x)?;
        let exact = x.iter().flat_map(|x| x.values()).fold(Double::ZERO, |sum, x| sum + Double::from(x.abs()));
        // A complex element is two.
        let steps = (2 * tree::depth(x.len()) + 2) as f64;
        let bound = steps * T::UNIT * exact.value() + T::TINY;
        within(case, "out", 0, got, Pair { re: exact, im: Double::ZERO }, bound)
    })?;
    session.each(Lane::Exact, many_chunks(level, T::DTYPE).iter().copied(), |case, len| {
        run(case, &Vector::dense(1, len), &cancelling(&mut Random::new(len as u64), len)).map(drop)
    })
}

/// How large the numbers of a norm are.
#[derive(Clone, Copy, Debug)]
enum Magnitude {
    /// Squares are in range.
    Ordinary,
    /// Squares overflow, the norm does not.
    Large,
    /// Squares underflow.
    Small,
    /// Denormal.
    Tiny,
    /// All of these.
    Mixed,
    /// Around the threshold above which Blue's algorithm scales the numbers of `f64` down.
    Upper,
    /// Around the threshold below which it scales them up.
    Lower,
    /// Around both, and between them.
    Thresholds,
}

impl Magnitude {
    /// A factor for a number of magnitude up to 2⁵, by the exponents of the type's largest and smallest number.
    fn exponent(self, random: &mut Random, largest: i32, smallest: i32) -> i32 {
        match self {
            Magnitude::Ordinary | Magnitude::Upper | Magnitude::Lower | Magnitude::Thresholds => 0,
            Magnitude::Large => largest - 20,
            Magnitude::Small => smallest / 2 - 5,
            Magnitude::Tiny => smallest + 4,
            Magnitude::Mixed => [0, largest - 20, largest / 2, smallest / 2, smallest + 4][random.below(5)],
        }
    }

    /// A number of this magnitude.
    fn number(self, random: &mut Random, largest: i32, smallest: i32) -> f64 {
        match self {
            Magnitude::Upper => threshold(random, 486, [480, 510]),
            Magnitude::Lower => threshold(random, -511, [-530, -505]),
            Magnitude::Thresholds => {
                let part = [Magnitude::Upper, Magnitude::Lower, Magnitude::Ordinary][random.below(3)];
                part.number(random, largest, smallest)
            }
            _ => {
                let exponent = self.exponent(random, largest, smallest);
                power(random.number(), exponent)
            }
        }
    }
}

/// 2 to `exponent` or a neighbour of it, or a number with an exponent in a range around it.
fn threshold(random: &mut Random, exponent: i32, [first, end]: [i32; 2]) -> f64 {
    if random.below(2) == 0 {
        let neighbour = f64::from_bits(power(1.0, exponent).to_bits() - 1 + random.below(3) as u64);
        return if random.below(2) == 0 { neighbour } else { -neighbour };
    }
    let exponent = first + random.below((end - first) as usize) as i32;
    power(random.number(), exponent)
}

pub(super) fn nrm2<T: Scalars, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    let run = |case: &mut Case<'_, D>, at: &Vector, x: &[T]| -> Verdict<T::Magnitude> {
        let buffer = case.stream().from_slice(&Image::of_vector(at, x).elements)?;
        let got = reduced::<T::Magnitude, D>(case, at.front, |stream, out, out_at| {
            let mut out = warpwave_core::Buffer::slice_mut(out, out_at.front..)?;
            device_vector!(x = buffer, at);
            Ok(stream.nrm2_into::<T>(&x, &mut out)?)
        })?;
        case.bits("out", &[got], &[blas::nrm2(x.len(), |i| x[i])])?;
        Ok(got)
    };
    // Multiples of (3, 4, 12, 84): their norms are multiples of 85, near the ends of the range too, where the squares
    // are not.
    let double = T::UNIT < f32::UNIT;
    let (largest, smallest) = if double { (1023, -1074) } else { (127, -149) };
    let exponents = select(vec![0, 3, largest - 12, largest / 2, smallest / 2, smallest]);
    session.cases(
        Lane::Exact,
        Counts::of(16),
        (vectors(4..40_usize, read_increments()), exponents, seeds()),
        |case, input| {
            let (mut at, exponent, seed) = input;
            at.inc = if at.inc == 0 { 1 } else { at.inc };
            let mut random = Random::new(seed);
            let mut integers = vec![0.0; at.len];
            let start = random.below(at.len - 3);
            for (i, x) in [3.0, 4.0, 12.0, 84.0].into_iter().enumerate() {
                integers[start + i] = if random.below(2) == 0 { x } else { -x };
            }
            let component = random.below(2);
            let scaled = |x: f64| power(x, exponent);
            let x: Vec<T> = integers
                .iter()
                .map(|&x| match component == 1 && T::DTYPE.is_complex() {
                    true => T::from_values([0.0, scaled(x)]),
                    false => T::from_values([scaled(x), 0.0]),
                })
                .collect();
            let got = run(case, &at, &x)?;
            case.bits("out", &[got], &[T::Magnitude::from_values([scaled(85.0), 0.0])])
        },
    )?;
    session.cases(
        Lane::Poison,
        Counts::of(12),
        (vectors(sizes(level), read_increments()), seeds()),
        |case, (at, seed)| {
            let x = seen(&at, Random::new(seed).specials_with_nan::<T>(at.len));
            run(case, &at, &x).map(drop)
        },
    )?;
    session.each(Lane::Exact, long(), |case, at| {
        run(case, &at, &Random::new(3).vector(Data::Numbers, at.len)).map(drop)
    })?;
    use Magnitude::{Large, Lower, Mixed, Ordinary, Small, Thresholds, Tiny, Upper};
    let mut magnitudes = vec![Ordinary, Large, Small, Tiny, Mixed];
    if double {
        magnitudes.extend([Upper, Lower, Thresholds]);
    }
    let magnitudes = select(magnitudes);
    session.cases(
        Lane::Bounded,
        Counts::of(32),
        (vectors(sizes(level), read_increments()), magnitudes, seeds()),
        |case, input| {
            let (at, magnitude, seed) = input;
            let mut random = Random::new(seed);
            let mut component = || magnitude.number(&mut random, largest, smallest);
            let x = seen(&at, (0..at.len).map(|_| T::from_values([component(), component()])).collect());
            let got = run(case, &at, &x)?;
            let components: Vec<f64> = x.iter().flat_map(|x| x.values()).collect();
            let (norm, exponent) = norm(&components);
            // The result, scaled as the norm was: exact, except where it ends among the denormals, and there within
            // half of one.
            let scaled = power(got.values()[0], -exponent);
            let roundings = tree::depth(x.len()) as f64 + 6.0;
            // `f32` is summed in `f64`, and rounded once.
            let relative = if double { roundings * T::UNIT } else { T::UNIT + roundings * f64::UNIT };
            let bound = relative * norm.value() + power(T::TINY, -exponent);
            let error = (Double::from(scaled) - norm).abs().value();
            case.error("out", 0, error, bound)
        },
    )?;
    session.each(Lane::Exact, many_chunks(level, T::DTYPE).iter().copied(), |case, len| {
        run(case, &Vector::dense(1, len), &cancelling(&mut Random::new(len as u64), len)).map(drop)
    })
}

/// `x · 2^exponent`, by two factors, since one might not be a number.
fn power(x: f64, exponent: i32) -> f64 {
    x * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

/// The norm in twice the precision as `(norm, exponent)`, to be multiplied by 2 to the exponent: the largest component
/// is scaled to around 1, and what the scaling loses of others is far below the last place.
fn norm(x: &[f64]) -> (Double, i32) {
    let largest = x.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    let exponent = if largest > 0.0 { largest.log2().floor() as i32 } else { 0 };
    let squares = x.iter().map(|&x| power(x, -exponent)).map(|x| Double::product(x, x));
    (squares.fold(Double::ZERO, |sum, x| sum + x).sqrt(), exponent)
}

/// The methods that wait and return the result: the same as those with an output.
pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    use OperationKind::{Asum, Dot, Dotc, Iamax, Nrm2};
    let names = Check::new("blas.names", |session: &mut Session<'_, D>| {
        session.once(Lane::Exact, |case| {
            let z = |re, im| Complex32 { re, im };
            let stream = case.stream();
            let x = stream.from_slice(&[z(3.0, 4.0), z(0.0, -12.0)])?;
            let y = stream.from_slice(&[z(1.0, 2.0), z(2.0, 0.0)])?;
            // (3 + 4i)(1 + 2i) − 24i and (3 − 4i)(1 + 2i) + 24i.
            let sums = [stream.dot(&x, &y)?, stream.dotu(&x, &y)?, stream.dotc(&x, &y)?];
            case.bits("dot, dotu, dotc", &sums, &[z(-5.0, -14.0), z(-5.0, -14.0), z(11.0, 26.0)])?;
            case.bits("nrm2, asum", &[stream.nrm2(&x)?, stream.asum(&x)?], &[13.0, 19.0])?;
            let none = stream.zeros::<f64>(0)?;
            let empty = [stream.dot(&none, &none)?, stream.nrm2(&none)?, stream.asum(&none)?];
            case.bits("dot, nrm2, asum of nothing", &empty, &[0.0; 3])?;
            case.ensure(stream.iamax(&x)? == Some(1) && stream.iamax(&none)?.is_none(), "iamax, or iamax of nothing")
        })
    });
    checks
        .push(names.needing(DType::C32, [Dot, Dotc, Nrm2, Asum, Iamax]).needing(DType::F64, [Dot, Nrm2, Asum, Iamax]));
}
