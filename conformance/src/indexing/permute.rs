//! Permutations of axes.

use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{Data, Random, Sample, seeds};
use crate::session::Session;
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Device, Indexing};

/// One call.
#[derive(Clone, Debug)]
struct Call {
    sizes: Vec<usize>,
    axes: Vec<usize>,
    seed: u64,
}

/// Elements of an array of random shape, at most.
const LARGEST: usize = 4096;

fn calls() -> impl Strategy<Value = Call> {
    let sizes = prop_oneof![8 => 1..6_usize, 4 => select(&[7, 15, 16, 17, 31, 33, 64, 65][..]), 1 => Just(0)];
    let shapes = prop::collection::vec(sizes, 0..=8).prop_map(|mut sizes| {
        let mut elements = 1;
        for size in &mut sizes {
            if elements * *size > LARGEST {
                *size = 1;
            }
            elements *= (*size).max(1);
        }
        sizes
    });
    let with_axes = |sizes: Vec<usize>| {
        let axes: Vec<usize> = (0..sizes.len()).collect();
        (Just(sizes), Just(axes).prop_shuffle(), seeds())
    };
    shapes.prop_flat_map(with_axes).prop_map(|(sizes, axes, seed)| Call { sizes, axes, seed })
}

pub(super) fn check<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(12), calls(), |case, call| run::<T, D>(case, &call))?;
    session.cases(Lane::Poison, Counts::of(12), calls(), |case, call| run::<T, D>(case, &call))?;
    // A transposition, batches of them with the batch in front and in the middle, runs that stay together, pairs that
    // do, and every axis of many in the reverse order.
    let mut named: Vec<(&[usize], &[usize])> = vec![
        (&[70, 131], &[1, 0]),
        (&[3, 40, 65], &[0, 2, 1]),
        (&[40, 3, 65], &[2, 1, 0]),
        (&[33, 5, 64], &[1, 0, 2]),
        (&[33, 65, 2], &[1, 0, 2]),
        (&[65, 67, 3], &[2, 0, 1]),
        (&[2; 8], &[7, 6, 5, 4, 3, 2, 1, 0]),
        (&[1, 1, 1], &[2, 0, 1]),
    ];
    if session.level() != Level::Smoke {
        named.push((&[515, 600], &[1, 0]));
        named.push((&[64, 65, 66], &[2, 1, 0]));
        named.push((&[9, 11, 13, 7, 5], &[4, 2, 0, 3, 1]));
    }
    let call = |(sizes, axes): (&[usize], &[usize])| Call { sizes: sizes.to_vec(), axes: axes.to_vec(), seed: 1 };
    session.each(Lane::Exact, named.into_iter().map(call), |case, call| run::<T, D>(case, &call))
}

fn run<T: Sample, D: Device>(case: &mut Case<'_, D>, call: &Call) -> Verdict {
    let Call { sizes, axes, seed } = call;
    let len = sizes.iter().product();
    let values: Vec<T> = Random::new(*seed).vector(Data::Bits, len);
    let x = case.guarded(&values)?;
    let mut out = case.guarded(&vec![T::poison(); len])?;
    case.stream().permute(&x.view()?, sizes, axes, &mut out.view_mut()?)?;
    let got = out.read(case)?;
    case.bits("out", &got, &permuted(&values, sizes, axes))?;
    case.bits("x, which is only read,", &x.read(case)?, &values)
}

/// Axis `k` of the result is axis `axes[k]` of `x`.
fn permuted<T: Copy>(x: &[T], sizes: &[usize], axes: &[usize]) -> Vec<T> {
    let place = |mut i: usize| {
        let mut index = vec![0; sizes.len()];
        for &axis in axes.iter().rev() {
            index[axis] = i % sizes[axis];
            i /= sizes[axis];
        }
        index.iter().zip(sizes).fold(0, |place, (&index, &size)| place * size + index)
    };
    (0..x.len()).map(|i| x[place(i)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Images of 1 × 2 pixels of 3 colours become planes; and a transposition.
    #[test]
    fn axes_are_those_of_the_input() {
        assert_eq!(permuted(&[1, 2, 3, 4, 5, 6], &[1, 2, 3], &[2, 0, 1]), [1, 4, 2, 5, 3, 6]);
        assert_eq!(permuted(&[1, 2, 3, 4, 5, 6], &[2, 3], &[1, 0]), [1, 4, 2, 5, 3, 6]);
        assert_eq!(permuted(&[7], &[], &[]), [7]);
    }
}
