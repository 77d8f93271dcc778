//! What has to be refused, and what every way to say "all bits" means.

use crate::case::Case;
use crate::check::Check;
use crate::failure::Verdict;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{DType, Device, OperationKind, Sort, SortOptions, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    let arguments = Check::new("sort.arguments", |session| {
        session.once(Lane::Exact, refused)?;
        session.once(Lane::Exact, ranges)
    });
    checks.push(arguments.needing(DType::U16, [OperationKind::Sort, OperationKind::SortPairs]));
}

fn refused<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let (mut keys, mut values) = (stream.from_slice(&[3_u16, 1, 2])?, stream.from_slice(&[7_i8, 8])?);
    let options = SortOptions::new();
    let (start, end) = (9, 8);
    case.refused(stream.sort_pairs(&mut keys, &mut values), "values")?;
    case.refused(stream.sort_with(options.bits(0..17), &mut keys), "bits")?;
    case.refused(stream.sort_with(options.bits(start..end), &mut keys), "bits")?;
    case.refused(stream.sort_with(options.bits(17..), &mut keys), "bits")?;
    case.refused(stream.sort_with(options.bits(0..=u32::MAX), &mut keys), "bits")?;
    case.bits("what refused calls must leave alone", &case.read(&keys)?, &[3, 1, 2])?;
    case.bits("what refused calls must leave alone", &case.read(&values)?, &[7, 8])
}

fn ranges<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let sorted = |options: SortOptions| -> Verdict<Vec<u16>> {
        let mut keys = stream.from_slice(&[0x0102_u16, 0x0201, 0x0100, 0x8000])?;
        stream.sort_with(options, &mut keys)?;
        Ok(stream.to_vec(&keys)?)
    };
    let all = [0x0100, 0x0102, 0x0201, 0x8000];
    for options in [
        SortOptions::new(),
        SortOptions::new().bits(..),
        SortOptions::new().bits(0..16),
        SortOptions::new().bits(..=15),
    ] {
        case.bits("by all bits", &sorted(options)?, &all)?;
    }
    case.bits("by the lower byte", &sorted(SortOptions::new().bits(..8))?, &[0x0100, 0x8000, 0x0201, 0x0102])?;
    case.bits("by the upper byte", &sorted(SortOptions::new().bits(8..))?, &[0x0102, 0x0100, 0x0201, 0x8000])?;
    case.bits("by no bit", &sorted(SortOptions::new().bits(5..5))?, &[0x0102, 0x0201, 0x0100, 0x8000])
}
