//! Elementary functions beside those of the standard library: one value at a time, and arrays.

use crate::table::{Goal, Row};
use crate::timing::{Pair, pair, time};
use rayon::prelude::*;
use std::hint::black_box;
use warpwave::numerics::math::Math;
use warpwave::prelude::*;
use warpwave::{BinaryOp, Result, UnaryOp};

/// Elements of an array.
const LEN: usize = 1 << 20;
/// Values taken one at a time: they stay in the cache.
const VALUES: usize = 1 << 12;
const ROUNDS: usize = 9;

/// A function that the standard library has as well.
struct Function<T> {
    name: &'static str,
    operation: Operation,
    /// Both, one value after the other.
    singly: fn(&[T]) -> Result<Pair>,
    /// The standard library's, of an array.
    peer: fn(&[T], &mut [T]),
    low: f64,
    high: f64,
}

#[derive(Clone, Copy)]
enum Operation {
    Unary(UnaryOp),
    /// To the power of a number.
    Power(f64),
}

/// The exponent of the powers; looked at for each, lest the optimiser know it.
const EXPONENT: f64 = 3.7;

macro_rules! functions {
    ($t:ident: $($name:ident $operation:expr, $ours:expr, $peer:expr, $low:literal..$high:literal;)*) => {
        vec![$(Function::<$t> {
            name: stringify!($name),
            operation: $operation,
            singly: |values| singly(values, #[inline(always)] $ours, #[inline(always)] $peer),
            peer: |x, out| array(x, out, $peer),
            low: $low,
            high: $high,
        }),*]
    };
    ($t:ident) => {
        functions! { $t:
            exp Operation::Unary(UnaryOp::Exp), |x| $t::exponential(x), |x| x.exp(), -10.0..10.0;
            exp2 Operation::Unary(UnaryOp::Exp2), |x| $t::exponential2(x), |x| x.exp2(), -10.0..10.0;
            expm1 Operation::Unary(UnaryOp::Expm1), |x| $t::exponential_minus1(x), |x| x.exp_m1(), -10.0..10.0;
            log Operation::Unary(UnaryOp::Log), |x| $t::logarithm(x), |x| x.ln(), 0.1..20.0;
            log2 Operation::Unary(UnaryOp::Log2), |x| $t::logarithm2(x), |x| x.log2(), 0.1..20.0;
            log1p Operation::Unary(UnaryOp::Log1p), |x| $t::logarithm_plus1(x), |x| x.ln_1p(), -0.9..20.0;
            sin Operation::Unary(UnaryOp::Sin), |x| $t::sine(x), |x| x.sin(), -20.0..20.0;
            cos Operation::Unary(UnaryOp::Cos), |x| $t::cosine(x), |x| x.cos(), -20.0..20.0;
            tanh Operation::Unary(UnaryOp::Tanh), |x| $t::hyperbolic_tangent(x), |x| x.tanh(), -5.0..5.0;
            cbrt Operation::Unary(UnaryOp::Cbrt), |x| $t::cube_root(x), |x| x.cbrt(), -20.0..20.0;
            pow Operation::Power(EXPONENT), |x| $t::power(x, black_box(EXPONENT as $t)), |x| x.powf(black_box(EXPONENT as $t)),
                0.1..20.0;
        }
    };
}

/// Numbers of both types.
trait Number: Math {
    const NAME: &'static str;
    fn functions() -> Vec<Function<Self>>;
    fn of(x: f64) -> Self;
}

macro_rules! numbers {
    ($($t:ident)*) => { $(
        impl Number for $t {
            const NAME: &'static str = stringify!($t);
            fn functions() -> Vec<Function<Self>> { functions!($t) }
            fn of(x: f64) -> Self { x as $t }
        }
    )* };
}
numbers!(f32 f64);

/// Reports a row for each function, type and manner whose name is wanted.
///
/// # Errors
/// Those of the stream.
pub fn rows<S: Stream + Ops>(stream: &S, wanted: &dyn Fn(&str) -> bool, report: &mut dyn FnMut(Row)) -> Result<()> {
    rows_of::<f32, S>(stream, wanted, report)?;
    rows_of::<f64, S>(stream, wanted, report)
}

fn rows_of<T: Number, S: Stream + Ops>(
    stream: &S,
    wanted: &dyn Fn(&str) -> bool,
    report: &mut dyn FnMut(Row),
) -> Result<()> {
    for function in T::functions() {
        let numbers = |len: usize| -> Vec<T> {
            let unit = |i: usize| f64::from((i as u32).wrapping_mul(2_654_435_761)) / f64::from(u32::MAX);
            (0..len).map(|i| T::of(function.low + (function.high - function.low) * unit(i))).collect()
        };
        let name = format!("{} {}", function.name, T::NAME);
        let one = format!("{name}, one value");
        if wanted(&one) {
            let Pair { ours, peer } = (function.singly)(&numbers(VALUES))?;
            let nanoseconds = |seconds: f64| seconds * 1e9 / VALUES as f64;
            report(Row {
                name: one,
                detail: format!("{:.2} ns, std {:.2} ns", nanoseconds(ours), nanoseconds(peer)),
                figure: Ok(ours / peer),
                goal: Goal::TimesAtMost { target: 1.5 },
            });
        }
        let array = format!("{name}, 2^20");
        if wanted(&array) {
            let Pair { ours, peer } = arrays(stream, &function, &numbers(LEN))?;
            let nanoseconds = |seconds: f64| seconds * 1e9 / LEN as f64;
            report(Row {
                name: array,
                detail: format!("{:.3} ns an element, std {:.3} ns", nanoseconds(ours), nanoseconds(peer)),
                figure: Ok(peer / ours),
                goal: Goal::AtLeast { target: 3.0, floor: 2.0 },
            });
        }
    }
    Ok(())
}

/// The device's operation, and a plain loop on as many threads.
fn arrays<T: Number, S: Stream + Ops>(stream: &S, function: &Function<T>, host: &[T]) -> Result<Pair> {
    let (x, mut out) = (stream.from_slice(host)?, stream.zeros::<T>(LEN)?);
    let ours = || {
        time(|| match function.operation {
            Operation::Unary(op) => stream.unary(op, &x, &mut out),
            Operation::Power(exponent) => stream.binary(BinaryOp::Pow, &x, &T::of(exponent), &mut out),
        })
    };
    let mut host_out = vec![T::of(0.0); LEN];
    let part = LEN.div_ceil(rayon::current_num_threads());
    let peer = || {
        time(|| {
            host.par_chunks(part).zip(host_out.par_chunks_mut(part)).for_each(|(x, out)| (function.peer)(x, out));
            black_box(&mut host_out);
            Ok(())
        })
    };
    pair(ROUNDS, ours, peer)
}

/// Both functions, of one value at a time, which is none of a vector.
#[inline(always)]
fn singly<T: Number>(values: &[T], ours: impl Fn(T) -> T + Copy, peer: impl Fn(T) -> T + Copy) -> Result<Pair> {
    #[inline(always)]
    fn each<T: Number>(values: &[T], f: impl Fn(T) -> T) {
        for &x in values {
            black_box(f(black_box(x)));
        }
    }
    let run = |work: &dyn Fn()| {
        time(|| {
            work();
            Ok(())
        })
    };
    let ours = || {
        run(&|| {
            with_fma(
                #[inline(always)]
                || each(values, ours),
            )
        })
    };
    let peer = || run(&|| each(values, peer));
    pair(ROUNDS, ours, peer)
}

/// The standard library's function, of an array.
fn array<T: Number>(x: &[T], out: &mut [T], peer: impl Fn(T) -> T) {
    for (out, &x) in out.iter_mut().zip(x) {
        *out = peer(x);
    }
}

/// Runs code compiled with fused multiply-add, where the processor has it: as the device runs its loops, and the C library its functions.
fn with_fma(work: impl FnOnce()) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt")]
        fn v3(work: impl FnOnce()) {
            work();
        }
        use std::arch::is_x86_feature_detected as has;
        if has!("avx2") && has!("fma") && has!("bmi1") && has!("bmi2") && has!("lzcnt") {
            // SAFETY: the processor has what `v3` enables.
            return unsafe { v3(work) };
        }
    }
    work();
}
