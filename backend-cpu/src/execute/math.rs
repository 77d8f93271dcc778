//! Elementary functions of arrays.
//!
//! There is one loop for each function of `f32` and of `f64`. The 16-bit floats are converted to `f32` in blocks and go through its
//! loops, which is how they are defined.

use super::elementwise::{map_pieces, map_slice, map2_pieces, map2_slice};
use crate::simd::vectorize;
use crate::workers::Workers;
use warpwave_core::numerics::math::Math;
use warpwave_core::numerics::{CastFrom, cast};
use warpwave_core::operation::{Source, Span};
use warpwave_core::{BinaryOp, DType, Element, UnaryOp, bf16, f16};

/// Elements that are converted, or looked at for large ones, at a time.
const BLOCK: usize = 256;

/// `out[i] = f(x[i])`.
type Loop<T> = fn(&[T], &mut [T]);
/// `out[i] = f(a[i], b[i])`.
type Loop2<T> = fn(&[T], &[T], &mut [T]);

macro_rules! loops {
    ($name:ident, $name2:ident, $t:ident: $($op:ident $function:ident),* $(,)?) => {
        fn $name(op: UnaryOp) -> Option<Loop<$t>> {
            Some(match op {
                UnaryOp::Sin => |x, out| of_angles(x, out, $t::sine_small, $t::sine),
                UnaryOp::Cos => |x, out| of_angles(x, out, $t::cosine_small, $t::cosine),
                $(UnaryOp::$op => |x, out| map_slice(x, out, $t::$function),)*
                _ => return None,
            })
        }

        fn $name2(op: BinaryOp) -> Option<Loop2<$t>> {
            match op {
                // A closure, because a function by its name is inlined only if it is small.
                BinaryOp::Pow => Some(|a, b, out| map2_slice(a, b, out, #[inline(always)] |a, b| $t::power_straight(a, b))),
                _ => None,
            }
        }
    };
    ($($name:ident $name2:ident $t:ident),*) => { $(
        loops! { $name, $name2, $t:
            Exp exponential_straight, Exp2 exponential2, Expm1 exponential_minus1,
            Log logarithm_straight, Log2 logarithm2_straight, Log1p logarithm_plus1,
            Sinpi sine_pi, Cospi cosine_pi,
            Tanh hyperbolic_tangent, Sigmoid logistic, Erf error_function, Rsqrt reciprocal_root, Cbrt cube_root_straight,
        }
    )* };
}
loops!(single single2 f32, double double2 f64);

/// The sine or cosine: `small` up to [`Math::SMALL`], which is a loop without branches, and then `any` of those beyond, if there are
/// some in a block.
fn of_angles<T: Math>(x: &[T], out: &mut [T], small: impl Fn(T) -> T, any: impl Fn(T) -> T) {
    #[inline(always)]
    fn is_large<T: Math>(x: T) -> bool {
        T::less(T::SMALL, T::absolute(x))
    }
    vectorize(
        #[inline(always)]
        || {
            for (x, out) in x.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
                let mut some_are_large = false;
                for &x in x {
                    some_are_large |= is_large(x);
                }
                for (out, &x) in out.iter_mut().zip(x) {
                    *out = small(x);
                }
                if some_are_large {
                    for (out, &x) in out.iter_mut().zip(x) {
                        if is_large(x) {
                            *out = any(x);
                        }
                    }
                }
            }
        },
    );
}

/// [`Operation::Unary`](warpwave_core::Operation::Unary), if it is an elementary function.
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn unary(workers: &Workers, op: UnaryOp, x: Span, out: Span) -> Option<()> {
    // SAFETY: the caller's promise.
    unsafe {
        match x.dtype {
            DType::F32 => map_pieces(workers, x, out, &single(op)?),
            DType::F64 => map_pieces(workers, x, out, &double(op)?),
            DType::F16 => narrow_unary::<f16>(workers, single(op)?, x, out),
            DType::Bf16 => narrow_unary::<bf16>(workers, single(op)?, x, out),
            _ => None,
        }
    }
}

/// [`Operation::Binary`](warpwave_core::Operation::Binary), if it is an elementary function.
///
/// # Safety
/// The operands are as the operation says.
pub(super) unsafe fn binary(workers: &Workers, op: BinaryOp, a: Source, b: Source, out: Span) -> Option<()> {
    // SAFETY: the caller's promise.
    unsafe {
        match out.dtype {
            DType::F32 => map2_pieces(workers, a, b, out, &single2(op)?),
            DType::F64 => map2_pieces(workers, a, b, out, &double2(op)?),
            DType::F16 => narrow_binary::<f16>(workers, single2(op)?, a, b, out),
            DType::Bf16 => narrow_binary::<bf16>(workers, single2(op)?, a, b, out),
            _ => None,
        }
    }
}

/// # Safety
/// As for [`unary`].
unsafe fn narrow_unary<T: Element + CastFrom<f32>>(workers: &Workers, f: Loop<f32>, x: Span, out: Span) -> Option<()>
where
    f32: CastFrom<T>,
{
    let blocks = |x: &[T], out: &mut [T]| {
        let (mut wide, mut result) = ([0.0; BLOCK], [0.0; BLOCK]);
        for (x, out) in x.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            let (wide, result) = (&mut wide[..x.len()], &mut result[..x.len()]);
            map_slice(x, wide, cast::<T, f32>);
            f(wide, result);
            map_slice(result, out, cast::<f32, T>);
        }
    };
    // SAFETY: the caller's promise.
    unsafe { map_pieces(workers, x, out, &blocks) }
}

/// # Safety
/// As for [`binary`].
unsafe fn narrow_binary<T: Element + CastFrom<f32>>(
    workers: &Workers,
    f: Loop2<f32>,
    a: Source,
    b: Source,
    out: Span,
) -> Option<()>
where
    f32: CastFrom<T>,
{
    let blocks = |a: &[T], b: &[T], out: &mut [T]| {
        let (mut wide_a, mut wide_b, mut result) = ([0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
        for ((a, b), out) in a.chunks(BLOCK).zip(b.chunks(BLOCK)).zip(out.chunks_mut(BLOCK)) {
            let len = a.len();
            let (wide_a, wide_b, result) = (&mut wide_a[..len], &mut wide_b[..len], &mut result[..len]);
            map_slice(a, wide_a, cast::<T, f32>);
            map_slice(b, wide_b, cast::<T, f32>);
            f(wide_a, wide_b, result);
            map_slice(result, out, cast::<f32, T>);
        }
    };
    // SAFETY: the caller's promise.
    unsafe { map2_pieces(workers, a, b, out, &blocks) }
}
