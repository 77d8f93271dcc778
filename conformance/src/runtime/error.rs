//! Failed calls.

use super::{another, check, pattern};
use crate::{Check, Counts, Failure, Session, Verdict};
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{AsView, Buffer, Device, ErrorKind, Layout, Stream};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("error.recovery", recovery));
    checks.push(check("error.other_device", other_device));
    checks.push(check("error.no_device", no_device));
}

/// A call that fails.
#[derive(Clone, Copy, Debug)]
enum Mistake {
    ShortWrite,
    LongRead,
    Copy,
    Slice,
    LeadingDimension,
    TooMuchMemory,
    TooManyElements,
    Panic,
}

/// A call that fails leaves the next one working, whatever came before.
fn recovery<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    use Mistake::*;
    let mistake = prop::sample::select(vec![
        ShortWrite,
        LongRead,
        Copy,
        Slice,
        LeadingDimension,
        TooMuchMemory,
        TooManyElements,
        Panic,
    ]);
    session.cases(Lane::Exact, Counts::of(30), prop::collection::vec(mistake, 1..12), |case, mistakes| {
        let stream = case.device().new_stream()?;
        let data = pattern::<u64>(mistakes.len() as u64, 20);
        let x = stream.from_slice(&data)?;
        let mut y = stream.zeros::<u64>(20)?;
        for (i, mistake) in mistakes.into_iter().enumerate() {
            let result = match mistake {
                ShortWrite => stream.write(&mut y, &data[1..]),
                LongRead => stream.read(&x, &mut [0; 21]),
                Copy => stream.copy(&x.slice(1..)?, &mut y),
                Slice => x.slice(..21).map(drop),
                LeadingDimension => x.view().matrix_with(3, 4, 3, Layout::RowMajor).map(drop),
                TooMuchMemory => stream.alloc::<u8>(1 << 60).map(drop),
                TooManyElements => stream.alloc::<u64>(usize::MAX).map(drop),
                Panic => stream
                    .host_fn(|| std::panic::resume_unwind(Box::new("planted")))
                    .and_then(|()| stream.synchronize()),
            };
            let right = match (&mistake, result.map_err(|error| error.kind().clone())) {
                (TooMuchMemory, Err(ErrorKind::OutOfMemory { .. })) => true,
                (Panic, Err(ErrorKind::DeviceFault { .. })) => true,
                (TooMuchMemory | Panic, _) => false,
                (_, result) => matches!(result, Err(ErrorKind::InvalidArgument { .. })),
            };
            case.ensure(right, format_args!("{mistake:?} was not refused as it should be"))?;
            let value = i as u64;
            stream.fill(&mut y.slice_mut(3..7)?, value)?;
            stream.copy(&x.slice(..3)?, &mut y.slice_mut(..3)?)?;
            let got = stream
                .to_vec(&y.slice(..7)?)
                .map_err(|error| Failure::new(format_args!("after {mistake:?}: {error}")))?;
            case.bits("the next calls", &got, &[data[0], data[1], data[2], value, value, value, value])?;
        }
        Ok(())
    })
}

/// Memory of one device is refused by another of the same kind, and so are its events.
fn other_device<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(4), 1..100_usize, |case, len| {
        let device = another(case)?;
        let (mine, theirs) = (case.stream(), device.default_stream());
        let data = pattern::<u32>(len as u64, len);
        let mut x = mine.from_slice(&data)?;
        let mut y = theirs.from_slice(&data)?;
        let mut pinned = theirs.pinned::<u32>(len)?;
        pinned.write()?.fill(0);
        case.refused(mine.fill(&mut y, 1), "x")?;
        case.refused(mine.copy(&y, &mut x), "x")?;
        case.refused(theirs.copy(&y, &mut x), "y")?;
        case.refused(mine.read(&y, &mut vec![0; len]), "x")?;
        case.refused(mine.write(&mut y, &vec![1; len]), "x")?;
        case.refused(mine.upload(&mut x, &pinned), "data")?;
        case.refused(mine.download(&x, &mut pinned), "data")?;
        let (x, y) = (case.read(&x)?, theirs.to_vec(&y)?);
        case.bits("x", &x, &data)?;
        case.bits("y", &y, &data)
    })
}

/// A device that is not there is an error that says so.
fn no_device<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.each(Lane::Exact, [0, 1, 1000, usize::MAX], |case, beyond| {
        let count = case.origin.count(case.device())?;
        let index = count.saturating_add(beyond);
        match case.origin.open(case.device(), index) {
            Ok(device) => case.ensure(false, format_args!("opened device {index} of {count}: {device:?}")),
            Err(error) => case.ensure(
                matches!(error.kind(), ErrorKind::NoDevice { .. }),
                format_args!("expected NoDevice, got: {error}"),
            ),
        }
    })
}
