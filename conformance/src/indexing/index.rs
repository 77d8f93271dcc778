//! Indices, some of them out of range.

use crate::case::Case;
use crate::failure::{Failure, Verdict};
use crate::reference::{Random, Sample};
use warpwave_core::{Device, ErrorKind, Stream};

/// A random index below `len`, and where it points.
pub(super) fn inside<I: Sample>(random: &mut Random, len: usize) -> (I, Option<usize>) {
    let place = random.below(len);
    (I::from_integer(place as i64), Some(place))
}

/// An index that is just not below `len`, or far from it, or negative.
pub(super) fn outside<I: Sample>(random: &mut Random, len: usize) -> (I, Option<usize>) {
    let wide = 1_u64 << (8 * I::DTYPE.size() - 1);
    let candidates = [len as u64, len as u64 + 1, u64::MAX, wide, wide - 1, wide | 1, wide + len as u64];
    loop {
        let index = I::from_patterns([candidates[random.below(candidates.len())], 0]);
        if !(0..len as i128).contains(&index.integer()) {
            return (index, None);
        }
    }
}

/// `count` indices into `len` places; with `faults`, or if there is no place, some are out of range.
pub(super) fn indices<I: Sample>(
    random: &mut Random,
    count: usize,
    len: usize,
    faults: bool,
) -> (Vec<I>, Vec<Option<usize>>) {
    let one = |_| -> (I, Option<usize>) {
        if len == 0 || faults && random.below(8) == 0 { outside(random, len) } else { inside(random, len) }
    };
    (0..count).map(one).unzip()
}

/// Waits for the stream: the error of an index out of range if there was one, and only once.
pub(super) fn waited<D: Device>(case: &mut Case<'_, D>, faults: bool) -> Verdict {
    match case.stream().synchronize() {
        Ok(()) => case.ensure(!faults, "an index out of range was not reported")?,
        Err(error) if matches!(error.kind(), ErrorKind::DeviceFault { .. }) => {
            case.ensure(faults, format_args!("all indices are in range, and yet: {error}"))?;
        }
        Err(error) => return Err(Failure::new(format_args!("expected a fault of the device, got: {error}"))),
    }
    case.stream().synchronize().map_err(|error| Failure::new(format_args!("reported twice: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_where_they_say() {
        fn check<I: Sample>() {
            let mut random = Random::new(1);
            for len in [0, 1, 2, 300] {
                let (index, places) = indices::<I>(&mut random, 1000, len, true);
                assert!(places.iter().any(Option::is_none));
                for (index, place) in index.iter().zip(places) {
                    let inside = usize::try_from(index.integer()).ok().filter(|&place| place < len);
                    assert_eq!(inside, place, "{index:?} of {len}");
                }
            }
            assert!(indices::<I>(&mut random, 1000, 5, false).1.iter().all(Option::is_some));
        }
        check::<i32>();
        check::<u32>();
        check::<i64>();
        check::<u64>();
    }
}
