//! Operands that do not fit are refused, by name.

use crate::failure::Verdict;
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, Device, Indexing, Stream};

pub(super) fn check<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.once(Lane::Exact, |case| {
        let stream = case.stream();
        let x = stream.from_slice(&[1_i16, 2, 3, 4, 5, 6])?;
        let index = stream.from_slice(&[0_u32; 5])?;
        let mask = stream.from_slice(&[1_u8; 5])?;
        let mut out = stream.from_slice(&[9_i16; 6])?;
        let (mut count, mut none) = (stream.zeros::<u64>(1)?, stream.zeros::<u64>(0)?);
        case.refused(stream.gather(&x, &index, &mut out), "index")?;
        case.refused(stream.scatter(&x, &index, &mut out), "index")?;
        case.refused(stream.compact_into(&x, &mask, &mut out, &mut count), "mask")?;
        case.refused(stream.compact_into(&x.slice(..5)?, &mask, &mut out, &mut count), "out")?;
        case.refused(stream.compact_into(&x.slice(..5)?, &mask, &mut out.slice_mut(..5)?, &mut none), "count")?;
        case.refused(stream.permute(&x, &[2, 3], &[0, 0], &mut out), "axes")?;
        case.refused(stream.permute(&x, &[2, 3], &[0, 2], &mut out), "axes")?;
        case.refused(stream.permute(&x, &[2, 3], &[0], &mut out), "axes")?;
        case.refused(stream.permute(&x, &[2, 2], &[1, 0], &mut out), "sizes")?;
        case.refused(stream.permute(&x, &[usize::MAX, 2, 3], &[1, 0, 2], &mut out), "sizes")?;
        case.refused(stream.permute(&x, &[1; 9], &[0, 1, 2, 3, 4, 5, 6, 7, 8], &mut out), "sizes")?;
        case.refused(stream.permute(&x, &[2, 3], &[1, 0], &mut out.slice_mut(..5)?), "out")?;
        case.bits("what refused calls must leave alone", &case.read(&out)?, &[9; 6])
    })
}
