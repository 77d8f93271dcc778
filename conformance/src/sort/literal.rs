//! Orders that are written out: a device may run the definition itself, and the order of NaNs and zeros is easy to get
//! wrong in both.

use crate::case::Case;
use crate::check::Check;
use crate::failure::Verdict;
use crate::reference::Sample;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::order::SortKey;
use warpwave_core::{DType, Device, OperationKind, Sort, SortOptions, Stream, bf16, f16};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    let of = |dtype: DType, body: fn(&mut Case<'_, D>) -> Verdict| {
        Check::new(format!("sort.order.{dtype}"), move |session| session.once(Lane::Exact, body))
            .covering(OperationKind::Sort, dtype, None)
            .covering(OperationKind::SortPairs, dtype, None)
    };
    checks.push(of(DType::F16, |case| {
        let numbers = [0xfc00, 0xfbff, 0xbc00, 0x8400, 0x8001, 0x8000, 0x0000, 0x0001, 0x3c00, 0x7bff, 0x7c00];
        floats::<f16, D>(case, &numbers, &[0x7e00, 0xfe00, 0x7c01, 0xffff])
    }));
    checks.push(of(DType::Bf16, |case| {
        let numbers = [0xff80, 0xff7f, 0xbf80, 0x8080, 0x8001, 0x8000, 0x0000, 0x0001, 0x3f80, 0x7f7f, 0x7f80];
        floats::<bf16, D>(case, &numbers, &[0x7fc0, 0xffc0, 0x7f81, 0xffff])
    }));
    checks.push(of(DType::F32, |case| {
        let numbers = [
            0xff80_0000,
            0xff7f_ffff,
            0xbf80_0000,
            0x8000_0001,
            0x8000_0000,
            0x0000_0000,
            0x0000_0001,
            0x3f80_0000,
            0x7f7f_ffff,
            0x7f80_0000,
        ];
        floats::<f32, D>(case, &numbers, &[0x7fc0_0000, 0xffc0_0000, 0x7f80_0001, 0xffff_ffff])
    }));
    checks.push(of(DType::F64, |case| {
        let numbers = [
            0xfff0_0000_0000_0000,
            0xffef_ffff_ffff_ffff,
            0xbff0_0000_0000_0000,
            0x8000_0000_0000_0001,
            0x8000_0000_0000_0000,
            0x0000_0000_0000_0000,
            0x0000_0000_0000_0001,
            0x3ff0_0000_0000_0000,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
        ];
        let nans = [0x7ff8_0000_0000_0000, 0xfff8_0000_0000_0000, 0x7ff0_0000_0000_0001, u64::MAX];
        floats::<f64, D>(case, &numbers, &nans)
    }));
    checks.push(of(DType::I8, |case| integers::<i8, D>(case, &[0x80, 0x81, 0xff, 0, 1, 0x7f])));
    checks.push(of(DType::U8, |case| integers::<u8, D>(case, &[0, 1, 0x7f, 0x80, 0x81, 0xff])));
    checks.push(of(DType::I64, |case| {
        integers::<i64, D>(case, &[1 << 63, (1 << 63) + 1, u64::MAX, 0, 1, (1 << 63) - 1])
    }));
    checks.push(of(DType::U64, |case| {
        integers::<u64, D>(case, &[0, 1, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, u64::MAX])
    }));
}

/// Numbers in their order, and NaNs, which are all the same key behind the numbers.
fn floats<T: Sample + SortKey, D: Device>(case: &mut Case<'_, D>, numbers: &[u64], nans: &[u64]) -> Verdict {
    // NaNs among the numbers, in an order that is neither that of their bits nor its reverse.
    let mut mixed: Vec<u64> = Vec::new();
    for (i, &number) in numbers.iter().rev().enumerate() {
        mixed.extend(nans.get(i / 2).filter(|_| i % 2 == 1));
        mixed.push(number);
    }
    let ascending = [numbers, nans].concat();
    let descending: Vec<u64> = nans.iter().chain(numbers.iter().rev()).copied().collect();
    both::<T, D>(case, &mixed, &ascending, &descending)
}

/// Integers in their order.
fn integers<T: Sample + SortKey, D: Device>(case: &mut Case<'_, D>, numbers: &[u64]) -> Verdict {
    let mixed: Vec<u64> = numbers.iter().skip(1).step_by(2).chain(numbers.iter().step_by(2)).copied().collect();
    let descending: Vec<u64> = numbers.iter().rev().copied().collect();
    both::<T, D>(case, &mixed, numbers, &descending)
}

fn both<T: Sample + SortKey, D: Device>(
    case: &mut Case<'_, D>,
    mixed: &[u64],
    ascending: &[u64],
    descending: &[u64],
) -> Verdict {
    let of = |patterns: &[u64]| patterns.iter().map(|&bits| T::from_patterns([bits, 0])).collect::<Vec<T>>();
    let stream = case.stream();
    let mut keys = stream.from_slice(&of(mixed))?;
    stream.sort(&mut keys)?;
    case.bits("ascending", &case.read(&keys)?, &of(ascending))?;
    let (mut keys, mut values) = (stream.from_slice(&of(mixed))?, stream.from_slice(&of(mixed))?);
    stream.sort_pairs_with(SortOptions::new().descending(), &mut keys, &mut values)?;
    case.bits("descending", &case.read(&keys)?, &of(descending))?;
    case.bits("descending, values", &case.read(&values)?, &of(descending))
}
