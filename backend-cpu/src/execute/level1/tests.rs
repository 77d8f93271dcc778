//! Level 1 against the definitions, bit for bit: every type, sizes around everything that is treated as a unit,
//! increments of both signs, one thread and several.

use super::fixture::{Guarded, Random, SIZES, Sample, assert_bits, on_each_device};
use warpwave_core::numerics::blas::{self, ScalarArithmetic};
use warpwave_core::operation::{Ptr, RotmFlag, Span, Strided};
use warpwave_core::{Complex32, Complex64, Element, Operation, Scalar, ScalarValue, bf16, f16};

const INCREMENTS: [(isize, isize); 7] = [(1, 1), (1, -1), (-1, 1), (2, -3), (-2, 3), (3, 2), (-3, -2)];

/// Calls `check::<T>()` for the four scalar types.
macro_rules! for_scalars {
    ($check:ident) => {
        $check::<f32>();
        $check::<f64>();
        $check::<Complex32>();
        $check::<Complex64>();
    };
}

/// Calls `check` with vectors of every size and increment.
fn vectors<T: Sample>(make: fn(&mut Random) -> T, check: impl Fn(&[T], isize, &[T], isize, &str)) {
    let mut random = Random(1);
    for len in SIZES {
        let (x, y) = (random.vector(len, make), random.vector(len, make));
        for (inc_x, inc_y) in INCREMENTS {
            check(&x, inc_x, &y, inc_y, &format!("{len} elements, increments {inc_x} and {inc_y}"));
        }
    }
}

fn copies<T: Sample>() {
    vectors(T::any, |x, inc_x, y, inc_y, what| {
        on_each_device(|run| {
            let (mut a, mut b) = (Guarded::vector(x, inc_x), Guarded::vector(y, inc_y));
            run(Operation::Copy { x: a.strided(inc_x), y: b.strided(inc_y) });
            assert_bits(&b.values(), x, format!("copy, {what}"));
            assert_bits(&a.values(), x, format!("source of copy, {what}"));
        });
    });
}

fn updates<T: Sample + ScalarArithmetic>() {
    vectors(T::any, |x, inc_x, y, inc_y, what| {
        on_each_device(|run| {
            let (mut a, mut b) = (Guarded::vector(x, inc_x), Guarded::vector(y, inc_y));
            run(Operation::Swap { x: a.strided(inc_x), y: b.strided(inc_y) });
            assert_bits(&a.values(), y, format!("swap, {what}"));
            assert_bits(&b.values(), x, format!("swap, {what}"));
        });
        for alpha in [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.7, -0.3), (f64::NAN, 1.0)] {
            let alpha = T::of(alpha.0, alpha.1);
            on_each_device(|run| {
                let mut a = Guarded::vector(x, inc_x);
                run(Operation::Scal { alpha: ScalarValue::new(alpha), x: a.strided(inc_x) });
                let expected: Vec<T> = x.iter().map(|&x| blas::scal(alpha, x)).collect();
                assert_bits(&a.values(), &expected, format!("scal by {alpha}, {what}"));

                let (mut a, mut b) = (Guarded::vector(x, inc_x), Guarded::vector(y, inc_y));
                let alpha = ScalarValue::new(alpha);
                run(Operation::Axpy { alpha, x: a.strided(inc_x), y: b.strided(inc_y) });
                let alpha = alpha.get().unwrap_or_default();
                let expected: Vec<T> = x.iter().zip(y).map(|(&x, &y)| blas::axpy(alpha, x, y)).collect();
                assert_bits(&b.values(), &expected, format!("axpy with {alpha}, {what}"));
            });
        }
    });
}

fn rotations<T: Sample + ScalarArithmetic<Magnitude: Sample>>() {
    let (c, s) = (<T::Magnitude as Sample>::of(0.6, 0.0), T::of(0.64, -0.48));
    vectors(T::any, |x, inc_x, y, inc_y, what| {
        let (new_x, new_y): (Vec<T>, Vec<T>) = x.iter().zip(y).map(|(&x, &y)| blas::rotation::rot(c, s, x, y)).unzip();
        on_each_device(|run| {
            let (mut a, mut b) = (Guarded::vector(x, inc_x), Guarded::vector(y, inc_y));
            let (c, s) = (ScalarValue::new(c), ScalarValue::new(s));
            run(Operation::Rot { c, s, x: a.strided(inc_x), y: b.strided(inc_y) });
            assert_bits(&a.values(), &new_x, format!("x of rot, {what}"));
            assert_bits(&b.values(), &new_y, format!("y of rot, {what}"));
        });
    });
}

fn modified_rotations<T: Sample + ScalarArithmetic>() {
    // What a flag does not give is not looked at.
    let h = [0.7, -0.3, 1.9, 0.4].map(|h| T::of(h, 0.0));
    let nan = T::of(f64::NAN, 0.0);
    let given = [
        (RotmFlag::Full, h),
        (RotmFlag::UnitDiagonal, [nan, h[1], h[2], nan]),
        (RotmFlag::UnitOffDiagonal, [h[0], nan, nan, h[3]]),
        (RotmFlag::Identity, [nan; 4]),
    ];
    for (flag, h) in given {
        vectors(T::any, |x, inc_x, y, inc_y, what| {
            let points = x.iter().zip(y).map(|(&x, &y)| blas::rotation::rotm(flag, h, x, y));
            let (new_x, new_y): (Vec<T>, Vec<T>) = points.unzip();
            on_each_device(|run| {
                let (mut a, mut b) = (Guarded::vector(x, inc_x), Guarded::vector(y, inc_y));
                run(Operation::Rotm { flag, h: h.map(ScalarValue::new), x: a.strided(inc_x), y: b.strided(inc_y) });
                assert_bits(&a.values(), &new_x, format!("x of rotm {flag}, {what}"));
                assert_bits(&b.values(), &new_y, format!("y of rotm {flag}, {what}"));
            });
        });
    }
}

#[test]
fn rot_and_rotm_are_the_definitions() {
    for_scalars!(rotations);
    modified_rotations::<f32>();
    modified_rotations::<f64>();
}

/// `out` after an operation that reduces to one element.
fn reduced<R: Sample>(run: &dyn Fn(Operation), make: impl FnOnce(&mut Guarded<R>) -> Operation) -> Vec<R> {
    let mut out = Guarded::vector(&[R::poison()], 1);
    run(make(&mut out));
    out.values()
}

fn sums<T: Sample + ScalarArithmetic<Magnitude: Sample + ScalarArithmetic>>(
    x: &[T],
    inc_x: isize,
    y: &[T],
    inc_y: isize,
    what: &str,
) {
    for conj in [false, true] {
        let expected = blas::dot(x.len(), |i| if conj { x[i].conj() } else { x[i] }, |i| y[i]);
        on_each_device(|run| {
            let (mut a, mut b) = (Guarded::vector(x, inc_x), Guarded::vector(y, inc_y));
            let dot = |out: &mut Guarded<T>| Operation::Dot {
                conj,
                x: a.strided(inc_x),
                y: b.strided(inc_y),
                out: out.span(),
            };
            assert_bits(&reduced(run, dot), &[expected], format!("dot, conj {conj}, {what}"));
        });
    }
    let (sum, norm) = (blas::asum(x.len(), |i| x[i]), blas::nrm2(x.len(), |i| x[i]));
    on_each_device(|run| {
        let mut a = Guarded::vector(x, inc_x);
        let asum = |out: &mut Guarded<T::Magnitude>| Operation::Asum { x: a.strided(inc_x), out: out.span() };
        assert_bits(&reduced(run, asum), &[sum], format!("asum, {what}"));
        let nrm2 = |out: &mut Guarded<T::Magnitude>| Operation::Nrm2 { x: a.strided(inc_x), out: out.span() };
        assert_bits(&reduced(run, nrm2), &[norm], format!("nrm2, {what}"));
    });
}

fn reductions<T: Sample + ScalarArithmetic<Magnitude: Sample + ScalarArithmetic>>() {
    vectors(T::ordinary, sums);
}

/// Exponents over the whole range: every chunk has components of all three kinds, and sums may overflow.
fn wide_reductions<T: Sample + ScalarArithmetic<Magnitude: Sample + ScalarArithmetic>>() {
    let make = |random: &mut Random| {
        let mut part = || random.unit() * 2f64.powi(random.below(2000) as i32 - 1000);
        T::of(part(), part())
    };
    vectors(make, sums);
}

/// The results of more than 64 and of more than 1,024 chunks combine by the tree as well.
#[test]
fn reductions_of_many_chunks_keep_the_order_of_the_tree() {
    let mut random = Random(5);
    for chunks in [65, 1025] {
        let len = chunks * 8192 + 5;
        let (x, y) = (random.vector(len, f32::ordinary), random.vector(len, f32::ordinary));
        sums(&x, 1, &y, 1, &format!("{chunks} chunks"));
        let plain = x.iter().zip(&y).fold(0.0, |sum: f32, (x, y)| x.mul_add(*y, sum));
        assert_ne!(plain, blas::dot(len, |i| x[i], |i| y[i]), "{chunks} chunks do not tell orders apart");
    }
}

/// A NaN or an infinity somewhere in ordinary data.
fn special_reductions<T: Sample + ScalarArithmetic<Magnitude: Sample + ScalarArithmetic>>() {
    let mut random = Random(2);
    for len in [1, 2, 17, 1025, 100_003] {
        for special in [T::poison(), T::of(f64::INFINITY, 0.0), T::of(1.0, f64::NEG_INFINITY), T::of(f64::NAN, 1e300)] {
            let (mut x, y) = (random.vector(len, T::ordinary), random.vector(len, T::ordinary));
            x[random.below(len)] = special;
            sums(&x, 1, &y, 1, &format!("{special} among {len}"));
            sums(&x, -2, &y, 3, &format!("{special} among {len}, strided"));
        }
    }
}

fn index<T: Sample + Scalar>(run: &dyn Fn(Operation), smallest: bool, x: &[T], inc: isize) -> u64 {
    let (mut a, mut out) = (Guarded::vector(x, inc), [0u64]);
    let span = Span { ptr: Ptr::new(out.as_mut_ptr().cast()), dtype: u64::DTYPE, len: 1 };
    let x = a.strided(inc);
    run(if smallest { Operation::Iamin { x, out: span } } else { Operation::Iamax { x, out: span } });
    let [index] = out;
    index
}

fn extremes<T: Sample + ScalarArithmetic<Magnitude: ScalarArithmetic>>() {
    // Small integers: many elements tie for the largest, and for the smallest.
    let make = |random: &mut Random| T::of(random.below(9) as f64 - 4.0, random.below(9) as f64 - 4.0);
    let mut random = Random(3);
    for len in SIZES {
        let ties = random.vector(len, make);
        let ordinary = random.vector(len, T::ordinary);
        let any = random.vector(len, T::any);
        let mut nan = ordinary.clone();
        if len > 0 {
            nan[random.below(len)] = T::poison();
            nan[random.below(len)] = T::of(f64::NAN, 0.0);
        }
        for x in [&ties, &ordinary, &any, &nan, &vec![T::of(0.0, -0.0); len]] {
            let expected = [blas::iamax(len, |i| x[i]), blas::iamin(len, |i| x[i])];
            for inc in [1, -1, 2, -3] {
                on_each_device(|run| {
                    for (smallest, expected) in [false, true].into_iter().zip(expected) {
                        let expected = expected.map_or(u64::MAX, |i| i as u64);
                        let what = format!("{len} of {}, increment {inc}, smallest {smallest}", T::DTYPE);
                        assert_eq!(index(run, smallest, x, inc), expected, "{what}");
                    }
                });
            }
        }
    }
}

#[test]
fn copy_moves_the_bits_of_every_type() {
    for_scalars!(copies);
    copies::<f16>();
    copies::<bf16>();
    // Types without NaN, by size alone.
    let x: Vec<u8> = (0..1000u32).map(|i| (i * 7 % 251) as u8).collect();
    on_each_device(|run| {
        let at = |p: *const u8| Ptr::new(p.cast_mut());
        let operand = |base, inc| Strided { base, dtype: u8::DTYPE, len: 333, inc };
        let mut target = vec![0u8; 999];
        run(Operation::Copy { x: operand(at(x.as_ptr()), 3), y: operand(at(target.as_mut_ptr()), -3) });
        for i in 0..333 {
            assert_eq!(target[3 * (332 - i)], x[3 * i]);
        }
        // An increment of 0 spreads one element.
        run(Operation::Copy { x: operand(at(&x[5]), 0), y: operand(at(target.as_mut_ptr()), 1) });
        assert!(target[..333].iter().all(|&v| v == x[5]));
    });
}

#[test]
fn swap_scal_and_axpy_are_the_definitions() {
    for_scalars!(updates);
}

#[test]
fn dot_asum_and_nrm2_are_the_definitions() {
    for_scalars!(reductions);
}

#[test]
fn reductions_over_the_whole_range_are_the_definitions() {
    for_scalars!(wide_reductions);
}

#[test]
fn reductions_of_nan_and_infinity_are_the_definitions() {
    for_scalars!(special_reductions);
}

#[test]
fn iamax_and_iamin_are_the_definitions() {
    for_scalars!(extremes);
}

#[test]
fn alpha_zero_does_not_read_x() {
    let poison = vec![f64::poison(); 40];
    on_each_device(|run| {
        let (mut x, mut y) = (Guarded::vector(&poison, 1), Guarded::vector(&poison, 2));
        run(Operation::Axpy { alpha: ScalarValue::new(-0.0f64), x: x.strided(1), y: y.strided(2) });
        assert_bits(&y.values(), &poison, "axpy with alpha = 0");
    });
}
