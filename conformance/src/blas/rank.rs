//! `syr`, `her`, `syrk` and `herk`: updates of one triangle.

use super::problem::{Problem, conjugate, magnitude, stored, stored_shape};
use super::triangles::{CASES, Call, Diagonal, calls, inside, large, mirrored, source, triangle};
use super::{Scalars, complex_factor, device_vector, seen, unchanged, written_places};
use crate::case::Case;
use crate::failure::Verdict;
use crate::reference::{Data, Image, Pair, Random, Sample, Scale, equal_numbers, scales, within, zero_scales};
use crate::session::Session;
use warpwave_core::numerics::blas::{self, triangular};
use warpwave_core::numerics::contract::{Class, Lane, Row};
use warpwave_core::{BlasTriangle, Buffer, Device, Op, OperationKind, Precision, Side, Stream};

/// The elements of the triangle of `values`, which are a square row by row.
fn of_triangle<T: Copy>(call: &Call, values: &[T]) -> Vec<T> {
    let places = (0..call.n * call.n).filter(|place| inside(call.uplo, place / call.n, place % call.n));
    places.map(|place| values[place]).collect()
}

/// The real number with the value of the real part of `x`.
fn real<T: Scalars>(x: T) -> T::Magnitude {
    Sample::from_values([x.values()[0], 0.0])
}

/// A real factor as a scalar.
fn real_factor<T: Scalars>(scale: Scale, data: Data, random: &mut Random) -> T {
    let value: T = scale.value(random, data);
    T::from_patterns([value.patterns()[0], 0])
}

/// `alpha · op(a) · op(a)ᵀ + beta · c`, or with the conjugate transpose.
#[derive(Clone, Copy, Debug)]
struct Update {
    hermitian: bool,
    precision: Precision,
}

impl Update {
    /// How `a` enters: the routines take one transposition each, and real types the other as well.
    fn op<T: Scalars>(&self, call: &Call) -> Op {
        match call.op {
            Op::N => Op::N,
            _ if self.hermitian => Op::C,
            Op::C if T::DTYPE.is_complex() => Op::T,
            op => op,
        }
    }

    /// The product, all of the square.
    fn problem<T: Scalars>(&self, call: &Call, data: Data) -> Problem<T> {
        let (n, k) = (call.n, call.m);
        let mut random = Random::new(call.seed);
        let factors = match self.hermitian {
            true => call.scales.map(|scale| real_factor(scale, data, &mut random)),
            false => Problem::<T>::factors(call.scales, data, &mut random),
        };
        let mut problem = Problem::<T>::new([n, n, k], factors, Data::Numbers, &mut random);
        let mut element = source::<T>(&mut random, data);
        if problem.alpha != T::ZERO {
            problem.a.iter_mut().for_each(|x| *x = element());
            let turned = |place: usize| problem.a[place % n * k + place / n];
            let of = |x: T| if self.hermitian { conjugate(x) } else { x };
            problem.b = (0..k * n).map(|place| of(turned(place))).collect();
        }
        if problem.beta != T::ZERO {
            problem.c = mirrored(n, self.hermitian, call.uplo, element);
        }
        problem
    }

    fn run<T: Scalars, D: Device>(&self, case: &mut Case<'_, D>, call: &Call, problem: &Problem<T>) -> Verdict<Vec<T>> {
        let (n, k, op, uplo) = (call.n, call.m, self.op::<T>(call), call.uplo);
        let (rows, cols) = stored_shape(op, n, k);
        let (a_at, c_at) = (call.place(0, rows, cols), call.place(1, n, n));
        let a_image = Image::of_matrix(&a_at, &stored(op, &problem.a, n, k));
        let c_image = triangle(&c_at, uplo, Diagonal::hermitian(self.hermitian), &problem.c);
        let stream = case.stream().with_precision(self.precision);
        let a_buffer = stream.from_slice(&a_image.elements)?;
        let mut c_buffer = stream.from_slice(&c_image.elements)?;
        {
            let a = a_buffer.slice(a_at.range())?.matrix_with(rows, cols, a_at.ld, a_at.layout)?;
            let c = c_buffer.slice_mut(c_at.range())?;
            let mut c = c.matrix_mut_with(n, n, c_at.ld, c_at.layout)?;
            let (alpha, beta) = (problem.alpha, problem.beta);
            match self.hermitian {
                true => stream.herk::<T>(uplo, op, real(alpha), &a, real(beta), &mut c)?,
                false => stream.syrk(uplo, op, alpha, &a, beta, &mut c)?,
            }
        }
        unchanged(case, "a", &a_buffer, &a_image)?;
        let places = (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|&(i, j)| inside(uplo, i, j));
        written_places(case, "c", &c_buffer, &c_image, places.map(|(i, j)| c_at.index(i, j)))
    }

    /// The definition in class R, all of the square.
    fn define<T: Scalars>(&self, problem: &Problem<T>) -> Vec<T> {
        if !self.hermitian {
            return problem.gemm();
        }
        let Problem { n, k, .. } = *problem;
        let (alpha, beta) = (real(problem.alpha), real(problem.beta));
        let one = |place: usize| {
            let (i, j) = (place / n, place % n);
            let (left, right) = (|l: usize| problem.a[i * k + l], |l: usize| problem.b[l * n + j]);
            triangular::herk(k, alpha, left, right, beta, problem.c[place], i == j)
        };
        (0..n * n).map(one).collect()
    }
}

pub(super) fn products<T: Scalars, D: Device>(session: &mut Session<'_, D>, row: &Row) -> Verdict {
    let level = session.level();
    let update =
        Update { hermitian: row.kind == OperationKind::Herk, precision: row.precision.unwrap_or(Precision::Strict) };
    let reproducible = row.class == Class::Reproducible;
    let defined = |case: &mut Case<'_, D>, call: &Call, problem: &Problem<T>, got: &[T]| {
        if update.hermitian {
            // Whatever the precision: not even one of −0.
            let diagonal = |(place, x): (usize, &T)| (place / call.n == place % call.n).then(|| x.patterns()[1]);
            let places = (0..call.n * call.n).filter(|place| inside(call.uplo, place / call.n, place % call.n));
            let bits: Vec<u64> = places.zip(got).filter_map(diagonal).collect();
            case.bits("the imaginary parts of the diagonal", &bits, &vec![0; call.n])?;
        }
        match reproducible {
            true => case.bits("c", got, &of_triangle(call, &update.define(problem))),
            false => Ok(()),
        }
    };
    session.cases(Lane::Exact, CASES, calls(level, [scales(), scales()]), |case, call| {
        let problem = update.problem::<T>(&call, Data::Integers(magnitude(row)));
        let got = update.run(case, &call, &problem)?;
        defined(case, &call, &problem, &got)?;
        equal_numbers(case, "c", &got, &of_triangle(&call, &problem.integers()))
    })?;
    if reproducible {
        session.cases(Lane::Exact, CASES, calls(level, [scales(), scales()]), |case, call| {
            let problem = update.problem::<T>(&call, Data::Special);
            let got = update.run(case, &call, &problem)?;
            defined(case, &call, &problem, &got)
        })?;
    }
    let bounded = |case: &mut Case<'_, D>, call: &Call, problem: &Problem<T>, got: &[T]| {
        let places = (0..call.n * call.n).filter(|place| inside(call.uplo, place / call.n, place % call.n));
        problem.compare_bounded_at(case, row, places.zip(got.iter().copied()))
    };
    session.cases(Lane::Poison, CASES, calls(level, zero_scales()), |case, call| {
        let problem = update.problem::<T>(&call, Data::Numbers);
        let got = update.run(case, &call, &problem)?;
        defined(case, &call, &problem, &got)?;
        if problem.alpha == T::ZERO && call.scales[1] != Scale::Generic {
            // +0, or `c`, or its negative: the same for every precision.
            case.bits("c, with alpha = 0,", &got, &of_triangle(&call, &update.define(&problem)))?;
        }
        bounded(case, &call, &problem, &got)
    })?;
    session.cases(Lane::Bounded, CASES, calls(level, [scales(), scales()]), |case, call| {
        let problem = update.problem::<T>(&call, Data::Numbers);
        let got = update.run(case, &call, &problem)?;
        defined(case, &call, &problem, &got)?;
        bounded(case, &call, &problem, &got)
    })?;
    // More than one block on the diagonal, and squares beside it.
    session.each(Lane::Bounded, [(201, Side::Left), (139, Side::Right)], |case, (n, side)| {
        let call = large(n, 2, side);
        let problem = update.problem::<T>(&call, Data::Numbers);
        let got = update.run(case, &call, &problem)?;
        defined(case, &call, &problem, &got)?;
        bounded(case, &call, &problem, &got)
    })
}

/// What a case of `syr` or `her` was made of, and what it gave, in the triangle alone.
struct Outcome<T> {
    alpha: T,
    /// The two factors of each element, the second conjugated already, and the element that was there.
    factors: Vec<[T; 2]>,
    old: Vec<T>,
    got: Vec<T>,
}

/// Makes the data and runs the case, and compares with the definition.
fn run_vector<T: Scalars, D: Device>(
    case: &mut Case<'_, D>,
    call: &Call,
    data: Data,
    hermitian: bool,
) -> Verdict<Outcome<T>> {
    let n = call.n;
    let mut random = Random::new(call.seed);
    let alpha: T = match hermitian {
        true => real_factor(call.scales[0], data, &mut random),
        false => call.scales[0].value(&mut random, data),
    };
    let (x_at, a_at) = (call.vector(0, call.incs.0), call.place(1, n, n));
    let mut element = source::<T>(&mut random, data);
    let x = match alpha == T::ZERO {
        true => vec![T::poison(); n],
        false => seen(&x_at, (0..n).map(|_| element()).collect()),
    };
    let a = mirrored(n, hermitian, call.uplo, element);
    // With alpha = 0 the diagonal is left as it is, whatever its imaginary part.
    let (x_image, a_image) =
        (Image::of_vector(&x_at, &x), triangle(&a_at, call.uplo, Diagonal::hermitian(hermitian), &a));
    let stream = case.stream();
    let x_buffer = stream.from_slice(&x_image.elements)?;
    let mut a_buffer = stream.from_slice(&a_image.elements)?;
    {
        device_vector!(x = x_buffer, x_at);
        let a = a_buffer.slice_mut(a_at.range())?;
        let mut a = a.matrix_mut_with(n, n, a_at.ld, a_at.layout)?;
        match hermitian {
            true => stream.her(call.uplo, real(alpha), &x, &mut a)?,
            false => stream.syr(call.uplo, alpha, &x, &mut a)?,
        }
    }
    unchanged(case, "x", &x_buffer, &x_image)?;
    let mut want = a_image.elements;
    let (mut factors, mut old, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|&(i, j)| inside(call.uplo, i, j)) {
        let place = a_at.index(i, j);
        want[place] = match hermitian {
            true => triangular::her(real(alpha), x[i], x[j], want[place], i == j),
            false => blas::ger(alpha, x[i], x[j], want[place]),
        };
        factors.push([x[i], if hermitian { conjugate(x[j]) } else { x[j] }]);
        old.push(a[i * n + j]);
        places.push(place);
    }
    let got = case.read(&a_buffer)?;
    case.bits("a with what lies around it", &got, &want)?;
    Ok(Outcome { alpha, factors, old, got: places.into_iter().map(|place| got[place]).collect() })
}

pub(super) fn vectors<T: Scalars, D: Device>(session: &mut Session<'_, D>, hermitian: bool) -> Verdict {
    let level = session.level();
    session.cases(Lane::Exact, CASES, calls(level, [scales(), scales()]), |case, call| {
        let Outcome { alpha, factors, old, got } = run_vector::<T, D>(case, &call, Data::Integers(30), hermitian)?;
        if alpha == T::ZERO {
            return Ok(());
        }
        let parts = |x: T| x.values().map(|x| x as i64);
        let product = |[a, b]: [i64; 2], [c, d]: [i64; 2]| [a * c - b * d, a * d + b * c];
        let one = |(&[x, y], &old): (&[T; 2], &T)| {
            let [re, im] = product(parts(alpha), product(parts(x), parts(y)));
            T::from_integers([re + parts(old)[0], im + parts(old)[1]])
        };
        let want: Vec<T> = factors.iter().zip(&old).map(one).collect();
        equal_numbers(case, "a", &got, &want)
    })?;
    session.cases(Lane::Poison, CASES, calls(level, [scales(), scales()]), |case, call| {
        run_vector::<T, D>(case, &call, Data::Special, hermitian).map(drop)
    })?;
    session.each(Lane::Poison, [0, 1, 17, 65], |case, n| {
        let call = Call { scales: [Scale::Zero; 2], ..large(n, 1, Side::Left) };
        run_vector::<T, D>(case, &call, Data::Special, hermitian).map(drop)
    })?;
    session.cases(Lane::Bounded, CASES, calls(level, [scales(), scales()]), |case, call| {
        let Outcome { alpha, factors, old, got } = run_vector::<T, D>(case, &call, Data::Numbers, hermitian)?;
        if alpha == T::ZERO {
            return Ok(());
        }
        for (i, &got) in got.iter().enumerate() {
            let [x, y] = factors[i].map(|x| Pair::new(x.values()));
            let (product, old) = (Pair::new(alpha.values()) * x * y, Pair::new(old[i].values()));
            // alpha · y is rounded, and then the rest.
            let size = product.modulus() + old.modulus();
            within(case, "a", i, got, product + old, complex_factor::<T>() * 3.0 * T::UNIT * size + T::TINY)?;
        }
        Ok(())
    })?;
    // More than one block of rows or columns.
    session.each(Lane::Exact, [(259, Side::Left), (300, Side::Right)], |case, (n, side)| {
        run_vector::<T, D>(case, &large(n, 1, side), Data::Numbers, hermitian).map(drop)
    })
}
