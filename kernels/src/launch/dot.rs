//! `dot`, `asum` and `nrm2`: the reduction tree over vectors.

use super::scalar::magnitude;
use super::{Arg, Entry, Plan, Step};
use warpwave_core::DType;
use warpwave_core::numerics::tree::CHUNK;
use warpwave_core::operation::{Span, Strided};

/// `out = Σ x · y`, with `x` conjugated or not.
pub(super) fn dot(conj: bool, x: &Strided, y: &Strided, out: &Span) -> Plan {
    let args = [Arg::Ptr(y.first()), Arg::I64(y.inc as i64), Arg::U32(u32::from(conj))];
    tree(["dot", "dot_level"], x.dtype.size(), x, &args, out)
}

/// `out = Σ |re x| + |im x|`.
pub(super) fn asum(x: &Strided, out: &Span) -> Plan {
    tree(["asum", "asum_level"], magnitude(x.dtype).size(), x, &[], out)
}

/// `out = √Σ|x|²`.
pub(super) fn nrm2(x: &Strided, out: &Span) -> Plan {
    // One sum in double precision, or three.
    let partial = if magnitude(x.dtype) == DType::F32 { 8 } else { 24 };
    tree(["nrm2", "nrm2_level"], partial, x, &[], out)
}

/// `kernels` are those for the elements and for partial results, which have `partial` bytes each; `more` are the arguments of the first
/// behind `x`.
fn tree(kernels: [&'static str; 2], partial: usize, x: &Strided, more: &[Arg], out: &Span) -> Plan {
    let mut plan = Plan::default();
    let out = Arg::Ptr(out.ptr);
    let mut count = x.len.div_ceil(CHUNK).max(1);
    // Of one chunk there is no partial result.
    let room = |plan: &mut Plan, count: usize| plan.reserve(if count > 1 { count * partial } else { 0 });
    let mut from = room(&mut plan, count);
    let mut args = vec![Arg::U64(x.len as u64), Arg::Ptr(x.first()), Arg::I64(x.inc as i64)];
    args.extend(more);
    args.extend([Arg::Scratch(from), out]);
    // The 1,024 lanes of a chunk, with 16 bytes of each vector to a thread.
    let threads = 64 * x.dtype.size() as u32;
    let entry = Entry::of("dot", kernels[0], x.dtype);
    plan.steps.push(Step::new(entry, count.min(1 << 20) as u32, threads, args));
    while count > 1 {
        let chunks = count.div_ceil(CHUNK);
        let to = room(&mut plan, chunks);
        let args = vec![Arg::U64(count as u64), Arg::Scratch(from), Arg::Scratch(to), out];
        let entry = Entry::of("dot", kernels[1], x.dtype);
        plan.steps.push(Step::new(entry, chunks.min(1 << 20) as u32, 256, args));
        (count, from) = (chunks, to);
    }
    plan
}
