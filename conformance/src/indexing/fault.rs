//! What becomes of the error of an index out of range.

use crate::case::Case;
use crate::failure::{Failure, Verdict};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, Device, ErrorKind, Indexing, Stream};

pub(super) fn check<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.once(Lane::Exact, reported_once)?;
    session.once(Lane::Exact, work_goes_on)
}

/// The error of a call that synchronizes: a fault of the device, which names the operation.
fn fault<R>(case: &mut Case<'_, impl Device>, result: warpwave_core::Result<R>, operation: &str) -> Verdict {
    let error = result.err().ok_or_else(|| Failure::new("an index out of range was not reported"))?;
    let right = matches!(error.kind(), ErrorKind::DeviceFault { .. });
    case.ensure(
        right && error.to_string().contains(operation),
        format_args!("expected a fault of {operation}, got: {error}"),
    )
}

/// Each operation's own call succeeds. A download, a wait and a call that returns a count report it, each once.
fn reported_once<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.device().new_stream()?;
    let x = stream.from_slice(&[1.5_f32, 2.5])?;
    let index = stream.from_slice(&[0_i32, -1])?;
    let mut out = stream.from_slice(&[9.0_f32; 2])?;
    stream.gather(&x, &index, &mut out)?;
    fault(case, stream.to_vec(&out), "gather")?;
    case.bits("gathered", &stream.to_vec(&out)?, &[1.5, 0.0])?;
    stream.scatter(&x, &index, &mut out)?;
    fault(case, stream.synchronize(), "scatter")?;
    case.bits("scattered", &stream.to_vec(&out)?, &[1.5, 0.0])?;
    let mut counts = stream.from_slice(&[7_u64])?;
    stream.histogram(&index, &mut counts)?;
    let mask = stream.from_slice(&[0_u8, 1])?;
    fault(case, stream.compact(&x, &mask, &mut out), "histogram")?;
    case.bits("counts", &stream.to_vec(&counts)?, &[1])?;
    stream.synchronize()?;
    Ok(())
}

/// Neither an event nor another stream is told; later work is done; of two faults the first is.
fn work_goes_on<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let (stream, other) = (case.device().new_stream()?, case.device().new_stream()?);
    let index = stream.from_slice(&[5_u32, 1])?;
    let x = stream.from_slice(&[10_u8, 20])?;
    let mut out = stream.from_slice(&[1_u8; 6])?;
    stream.gather(&x, &index, &mut out.slice_mut(..2)?)?;
    stream.scatter(&x, &index, &mut out.slice_mut(2..4)?)?;
    stream.fill(&mut out.slice_mut(4..)?, 7)?;
    stream.record()?.synchronize()?;
    other.synchronize()?;
    fault(case, stream.synchronize(), "gather")?;
    stream.synchronize()?;
    case.bits("out", &stream.to_vec(&out)?, &[0, 20, 1, 20, 7, 7])
}
