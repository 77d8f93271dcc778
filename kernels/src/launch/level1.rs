//! BLAS level 1, element by element.

use super::scalar::is_zero;
use super::{Arg, Entry, Plan, Step};
use warpwave_core::operation::{RotmFlag, Strided};
use warpwave_core::{DType, ScalarValue};

/// Element 0 and the increment.
fn vector(x: &Strided) -> [Arg; 2] {
    [Arg::Ptr(x.first()), Arg::I64(x.inc as i64)]
}

/// Each thread does 16 bytes at a time.
fn step(name: &'static str, dtype: DType, len: usize, args: Vec<Arg>) -> Plan {
    let blocks = len.div_ceil(256 * 16 / dtype.size()).clamp(1, 1 << 20);
    Plan::one(Step::new(Entry::of("level1", name, dtype), blocks as u32, 256, args))
}

fn pair(name: &'static str, scalars: impl IntoIterator<Item = Arg>, x: &Strided, y: &Strided) -> Plan {
    let mut args = vec![Arg::U64(x.len as u64)];
    args.extend(scalars);
    args.extend(vector(x).into_iter().chain(vector(y)));
    step(name, x.dtype, x.len, args)
}

/// `y = x`, for every type: the kernels go by size.
pub(super) fn copy(x: &Strided, y: &Strided) -> Plan {
    let args = vec![Arg::U64(x.len as u64)].into_iter().chain(vector(x)).chain(vector(y)).collect();
    step("copy", of_size(x.dtype), x.len, args)
}

/// A type of the same size that there is a kernel for.
pub(super) fn of_size(dtype: DType) -> DType {
    match dtype.size() {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        8 => DType::U64,
        _ => DType::C64,
    }
}

/// `x ↔ y`.
pub(super) fn swap(x: &Strided, y: &Strided) -> Plan {
    pair("swap", None, x, y)
}

/// `x = alpha · x`.
pub(super) fn scal(alpha: ScalarValue, x: &Strided) -> Plan {
    let [first, inc] = vector(x);
    step("scal", x.dtype, x.len, vec![Arg::U64(x.len as u64), Arg::Scalar(alpha), first, inc])
}

/// `y = alpha · x + y`; nothing with `alpha = 0`.
pub(super) fn axpy(alpha: ScalarValue, x: &Strided, y: &Strided) -> Plan {
    if is_zero(&alpha) { Plan::default() } else { pair("axpy", [Arg::Scalar(alpha)], x, y) }
}

/// A plane rotation.
pub(super) fn rot(c: ScalarValue, s: ScalarValue, x: &Strided, y: &Strided) -> Plan {
    pair("rot", [c, s].map(Arg::Scalar), x, y)
}

/// A modified plane rotation.
pub(super) fn rotm(flag: RotmFlag, h: [ScalarValue; 4], x: &Strided, y: &Strided) -> Plan {
    let flag = match flag {
        RotmFlag::Full => 0,
        RotmFlag::UnitDiagonal => 1,
        RotmFlag::UnitOffDiagonal => 2,
        _ => return Plan::default(),
    };
    pair("rotm", [Arg::U32(flag)].into_iter().chain(h.map(Arg::Scalar)), x, y)
}
