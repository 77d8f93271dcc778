//! Level 1 against its definitions.
#![allow(clippy::unwrap_used)]

mod common;
mod operands;

use common::{Array, Host};
use operands::{Numbers, Vector, assert_bits, from_bytes, run, scalars};
use warpwave_core::numerics::Numeric;
use warpwave_core::numerics::blas::{self, GemmArithmetic, ScalarArithmetic, rotation};
use warpwave_core::operation::{RotmFlag, Strided};
use warpwave_core::{Complex32, Complex64, Element, Operation, Scalar, ScalarValue, bf16};

const LENGTHS: [usize; 19] = [0, 1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 65, 127, 129, 1023, 1025, 4099, 8191, 8193];

trait Tested: ScalarArithmetic<Magnitude: ScalarArithmetic> + GemmArithmetic {}
impl<T: ScalarArithmetic<Magnitude: ScalarArithmetic> + GemmArithmetic> Tested for T {}

fn vectors<T: Tested>(numbers: &mut Numbers, len: usize) -> [Vector<T>; 2] {
    // Mostly contiguous; lying alike with regard to 16 bytes, or not.
    let increments = [1, 1, 1, -1, 2, -2, 3];
    let (inc, first) = (numbers.choose(&increments), numbers.below(4));
    let x = Vector::new(numbers, len, inc, first);
    let (inc, first) = match numbers.below(3) {
        0 => (inc, first),
        1 => (1, first),
        _ => (numbers.choose(&increments), numbers.below(4)),
    };
    [x, Vector::new(numbers, len, inc, first)]
}

/// Runs an operation that is not empty on both hosts, and compares both vectors with what `f` makes of their elements.
fn compare<T: Tested>(x: &Vector<T>, y: &Vector<T>, operation: &Operation, f: impl Fn(T, T) -> (T, T)) {
    let (mut new_x, mut new_y) = (x.old.clone(), y.old.clone());
    for i in 0..x.len {
        (new_x[x.at(i)], new_y[y.at(i)]) = f(x.get(i), y.get(i));
    }
    for host in Host::both() {
        x.reset();
        y.reset();
        run(&host, operation, x.len as u64);
        assert_bits(&x.array.to_vec(), &new_x, format!("x of {operation:?}"));
        assert_bits(&y.array.to_vec(), &new_y, format!("y of {operation:?}"));
    }
}

fn elementwise<T: Tested>() {
    let mut numbers = Numbers::new(5);
    for len in LENGTHS.into_iter().chain(LENGTHS).chain(LENGTHS).filter(|&len| len > 0) {
        let [mut x, y] = vectors::<T>(&mut numbers, len);
        x.set(
            len / 2,
            from_bytes(
                Array::<T>::poisoned(1).to_vec().as_slice().first().map(|x| ScalarValue::new(*x)).unwrap().bytes(),
            ),
        );
        let (a, b) = (x.operand(), y.operand());
        compare(&x, &y, &Operation::Copy { x: a, y: b }, |x, _| (x, x));
        compare(&x, &y, &Operation::Swap { x: a, y: b }, |x, y| (y, x));
        for alpha in scalars::<T>() {
            let value = ScalarValue::new(alpha);
            compare(&x, &y, &Operation::Scal { alpha: value, x: a }, |x, y| (blas::scal(alpha, x), y));
            compare(&x, &y, &Operation::Axpy { alpha: value, x: a, y: b }, |x, y| (x, blas::axpy(alpha, x, y)));
        }
        let (c, s) = (T::Magnitude::from_f64(0.6), scalars::<T>()[3]);
        let operation = Operation::Rot { c: ScalarValue::new(c), s: ScalarValue::new(s), x: a, y: b };
        compare(&x, &y, &operation, |x, y| rotation::rot(c, s, x, y));
        let h: [T; 4] = [numbers.scalar(), numbers.scalar(), numbers.scalar(), numbers.scalar()];
        for &flag in RotmFlag::ALL {
            let operation = Operation::Rotm { flag, h: h.map(ScalarValue::new), x: a, y: b };
            compare(&x, &y, &operation, |x, y| rotation::rotm(flag, h, x, y));
        }
        // An increment of 0: the same element each time.
        let mut one = Vector::<T>::new(&mut numbers, 1, 1, 0);
        one.inc = 0;
        let zero = Strided { len, inc: 0, ..one.operand() };
        let alpha = scalars::<T>()[3];
        let operation = Operation::Axpy { alpha: ScalarValue::new(alpha), x: zero, y: b };
        compare(&x, &y, &operation, |x, y| (x, blas::axpy(alpha, one.old[0], y)));
    }
}

fn reductions<T: Tested>() {
    let mut numbers = Numbers::new(9);
    let lengths = [5000, 8192, 16384, 16385, 40000];
    for (case, len) in LENGTHS.into_iter().chain(LENGTHS).chain(lengths).chain(lengths).enumerate() {
        let [mut x, y] = vectors::<T>(&mut numbers, len);
        match case % 5 {
            // Squares that overflow and vanish, ties, and a NaN.
            1 => (0..len).for_each(|i| {
                let at = x.at(i);
                x.old[at] = Numeric::mul(x.old[at], T::from_f64([1e-170, 1e-30, 1.0, 1e30, 1e200][i % 5]));
            }),
            2 => (0..len).for_each(|i| {
                let at = x.at(i);
                x.old[at] = T::from_f64(if i % 3 == 0 { -2.0 } else { 2.0 });
            }),
            3 if len > 20 => (0..2).for_each(|i| {
                let at = x.at(len / 2 + 3 * i);
                x.old[at] = T::from_f64(f64::NAN);
            }),
            _ => {}
        }
        x.reset();
        for host in Host::both() {
            let what = format!("warp {} len {len} inc {} first {}", host.warp, x.inc, x.first);
            let out = Array::<T>::poisoned(1);
            for conj in [false, true] {
                run(&host, &Operation::Dot { conj, x: x.operand(), y: y.operand(), out: out.span() }, 1);
                let expected = blas::dot(len, |i| if conj { x.get(i).conj() } else { x.get(i) }, |i| y.get(i));
                assert_bits(&out.to_vec(), &[expected], format!("dot {what}"));
            }
            let out = Array::<T::Magnitude>::poisoned(1);
            run(&host, &Operation::Asum { x: x.operand(), out: out.span() }, 2);
            assert_bits(&out.to_vec(), &[blas::asum(len, |i| x.get(i))], format!("asum {what}"));
            run(&host, &Operation::Nrm2 { x: x.operand(), out: out.span() }, 3);
            assert_bits(&out.to_vec(), &[blas::nrm2(len, |i| x.get(i))], format!("nrm2 {what}"));
            let out = Array::<u64>::poisoned(1);
            run(&host, &Operation::Iamax { x: x.operand(), out: out.span() }, 4);
            let expected = blas::iamax(len, |i| x.get(i)).map_or(u64::MAX, |i| i as u64);
            assert_bits(&out.to_vec(), &[expected], format!("iamax {what}"));
            run(&host, &Operation::Iamin { x: x.operand(), out: out.span() }, 5);
            let expected = blas::iamin(len, |i| x.get(i)).map_or(u64::MAX, |i| i as u64);
            assert_bits(&out.to_vec(), &[expected], format!("iamin {what}"));
        }
    }
}

macro_rules! tests {
    ($($name:ident $t:ty),*) => { $(
        mod $name {
            #[allow(unused_imports)]
            use super::{Complex32, Complex64};

            #[test]
            #[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
            fn elementwise() {
                super::elementwise::<$t>();
            }

            #[test]
            #[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
            fn reductions() {
                super::reductions::<$t>();
            }
        }
    )* };
}
tests!(of_f32 f32, of_f64 f64, of_c32 Complex32, of_c64 Complex64);

/// Copies are there for every type.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn copies() {
    fn check<T: Element>(from: impl Fn(usize) -> T) {
        for (len, incx, incy) in [(1, 1, 1), (5, 1, 1), (15, 1, 1), (100, 1, 1), (5000, 1, 1), (33, 2, -1), (40, 0, 3)]
        {
            let reach = |inc: isize| (len - 1) * inc.unsigned_abs() + 1;
            for start in 0..4 {
                let x = Array::from(&(0..reach(incx) + start).map(&from).collect::<Vec<T>>());
                let y = Array::<T>::poisoned(reach(incy) + start);
                let vector = |array: &Array<T>, inc| Strided {
                    base: array.ptr().byte_add(start * size_of::<T>()),
                    dtype: T::DTYPE,
                    len,
                    inc,
                };
                let mut expected = y.to_vec();
                for i in 0..len {
                    expected[start + blas::offset(i, len, incy)] = x.to_vec()[start + blas::offset(i, len, incx)];
                }
                for host in Host::both() {
                    run(&host, &Operation::Copy { x: vector(&x, incx), y: vector(&y, incy) }, 3);
                    assert_bits(&y.to_vec(), &expected, format!("{} {len} {incx} {incy} {start}", T::DTYPE));
                }
            }
        }
    }
    check(|i| i as u8);
    check(|i| i as i16 - 50);
    check(|i| bf16::from_bits(i as u16));
    check(|i| i as i32);
    check(|i| i as u64);
    check(|i| Complex32::new(i as f32, 1.0));
    check(|i| Complex64::new(i as f64, -1.0));
}

/// More chunks than a chunk has elements: partial results are reduced twice. By an increment of 0, of one element.
#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn three_levels() {
    let len = 8192 * 8192 + 8193;
    let plan =
        |x, out| warpwave_kernels::launch::plan(&Operation::Asum { x, out }, &Host::new(32).properties()).unwrap();
    let (x, out) = (Array::from(&[1.0_f32]), Array::<f32>::poisoned(1));
    let x = Strided { len, inc: 0, ..x.strided(1, 1) };
    assert_eq!(plan(x, out.span()).steps.len(), 3);
}
