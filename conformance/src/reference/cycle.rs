//! Long sequences that repeat: made and compared by whole periods, at the speed of memory.

use super::random::{Data, Random};
use super::sample::Sample;
use crate::case::Case;
use crate::failure::Verdict;
use std::fmt::Display;
use warpwave_core::{Device, Element};

/// Elements in a period: a prime, so that a piece which is moved by whole tiles, blocks or chunks does not land on its like.
pub(crate) const PERIOD: usize = 4093;

/// From one run of a matrix to the next the sequence goes on by so many elements. A multiple of neither the period nor, but
/// for large multiples, anything that tiles are as large as.
const STEP: usize = 1000;

/// A sequence that repeats its first [`PERIOD`] elements.
#[derive(Clone, Debug)]
pub(crate) struct Cycle<T>(Vec<T>);

impl<T: Element> Cycle<T> {
    /// The sequence whose element `i` of the period is `element(i)`.
    pub(crate) fn new(element: impl FnMut(usize) -> T) -> Self {
        Cycle((0..PERIOD).map(element).collect())
    }

    /// The sequence of these elements; not of [`PERIOD`] of them.
    pub(crate) fn of(elements: Vec<T>) -> Self {
        Cycle(elements)
    }

    /// The period.
    pub(crate) fn period(&self) -> &[T] {
        &self.0
    }

    /// The pieces of `len` elements from element `start` on.
    fn pieces(&self, start: usize, len: usize) -> impl Iterator<Item = &[T]> {
        let period = self.0.as_slice();
        let (mut at, mut left) = (if period.is_empty() { 0 } else { start % period.len() }, len);
        std::iter::from_fn(move || {
            let piece = period.get(at..)?;
            let piece = &piece[..piece.len().min(left)];
            (at, left) = (0, left - piece.len());
            (!piece.is_empty()).then_some(piece)
        })
    }

    /// Writes elements `start..` into all of `out`.
    pub(crate) fn write(&self, start: usize, mut out: &mut [T]) {
        for piece in self.pieces(start, out.len()) {
            let (head, rest) = out.split_at_mut(piece.len());
            head.copy_from_slice(piece);
            out = rest;
        }
    }

    /// Elements `0..len`.
    pub(crate) fn elements(&self, len: usize) -> Vec<T> {
        let mut elements = Vec::with_capacity(len);
        self.pieces(0, len).for_each(|piece| elements.extend_from_slice(piece));
        elements
    }

    /// Compares with elements `start..` bit for bit.
    pub(crate) fn compare<D: Device>(
        &self,
        case: &mut Case<'_, D>,
        what: impl Display + Copy,
        start: usize,
        got: &[T],
    ) -> Verdict {
        let mut at = 0;
        for piece in self.pieces(start, got.len()) {
            case.bits_at(what, at, &got[at..at + piece.len()], piece)?;
            at += piece.len();
        }
        case.ensure(at == got.len(), format_args!("{what}: {} elements instead of {at}", got.len()))
    }

    /// The cycle that has every [`STEP`]th element of this one.
    fn strided(&self) -> Self {
        Cycle((0..self.0.len()).map(|i| self.0[i * STEP % self.0.len()]).collect())
    }
}

impl<T: Sample> Cycle<T> {
    /// Elements at random.
    pub(crate) fn random(seed: u64, data: Data) -> Self {
        let mut random = Random::new(seed);
        Cycle::new(|_| random.element(data))
    }
}

/// A matrix by its contiguous runs: element `i` of run `j` is element `i + j · STEP` of a cycle of [`PERIOD`] elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Runs {
    /// Elements in a run.
    pub(crate) len: usize,
    /// How many.
    pub(crate) runs: usize,
    /// From one to the next.
    pub(crate) ld: usize,
    /// Elements of poison in front, and behind.
    pub(crate) front: usize,
}

impl Runs {
    /// Elements from the first to the last, with what lies between the runs.
    pub(crate) fn extent(&self) -> usize {
        self.runs.saturating_sub(1) * self.ld + self.len
    }

    /// The elements of the image that the matrix occupies.
    pub(crate) fn range(&self) -> std::ops::Range<usize> {
        self.front..self.front + self.extent()
    }

    /// An image of nothing but poison.
    pub(crate) fn poison<T: Sample>(&self) -> Vec<T> {
        vec![T::poison(); self.extent() + 2 * self.front]
    }

    fn place(&self, run: usize) -> std::ops::Range<usize> {
        let start = self.front + run * self.ld;
        start..start + self.len
    }

    /// The matrix amid poison.
    pub(crate) fn image<T: Sample>(&self, cycle: &Cycle<T>) -> Vec<T> {
        let mut image = self.poison();
        (0..self.runs).for_each(|run| cycle.write(run * STEP, &mut image[self.place(run)]));
        image
    }

    /// Compares an image with the matrix amid poison.
    pub(crate) fn compare<T: Sample, D: Device>(
        &self,
        case: &mut Case<'_, D>,
        what: &str,
        cycle: &Cycle<T>,
        got: &[T],
    ) -> Verdict {
        self.compare_runs(case, what, cycle, STEP, got)
    }

    /// Compares an image with the transpose of the matrix of which `cycle` is, amid poison: element `i` of run `j` is
    /// element `j + i · STEP`.
    pub(crate) fn compare_transposed<T: Sample, D: Device>(
        &self,
        case: &mut Case<'_, D>,
        what: &str,
        cycle: &Cycle<T>,
        got: &[T],
    ) -> Verdict {
        // The number that STEP times is 1, modulo the prime: element 1 of a run is so many elements of the strided cycle on.
        let inverse = (1..PERIOD).find(|&x| x * STEP % PERIOD == 1).unwrap_or(1);
        self.compare_runs(case, what, &cycle.strided(), inverse, got)
    }

    fn compare_runs<T: Sample, D: Device>(
        &self,
        case: &mut Case<'_, D>,
        what: &str,
        cycle: &Cycle<T>,
        step: usize,
        got: &[T],
    ) -> Verdict {
        let around = vec![T::poison(); self.front.max(self.ld - self.len)];
        let mut end = 0;
        for run in 0..self.runs {
            let place = self.place(run);
            case.bits_at(
                format_args!("what lies in front of run {run} of {what},"),
                end,
                &got[end..place.start],
                &around[..place.start - end],
            )?;
            end = place.end;
            cycle.compare(case, format_args!("run {run} of {what}"), run * step, &got[place])?;
        }
        case.bits_at(format_args!("what lies behind {what},"), end, &got[end..], &around[..self.front])
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::case::Tally;
    use crate::level::Level;
    use warpwave_core::numerics::contract::Lane;
    use warpwave_cpu::CpuDevice;

    #[test]
    fn a_matrix_and_its_transpose_are_told_from_every_other() {
        let device = CpuDevice::open(0).unwrap();
        let stream = device.default_stream();
        let mut case = Case {
            device: &device,
            stream: &stream,
            origin: &crate::origin::Opened,
            level: Level::Smoke,
            lane: Lane::Exact,
            hashed: true,
            tally: Tally::default(),
        };
        let cycle = Cycle::new(|i| i as u32);
        let x = Runs { len: 40, runs: 30, ld: 41, front: 3 };
        let turned = Runs { len: 30, runs: 40, ld: 32, front: 2 };
        let image = x.image(&cycle);
        x.compare(&mut case, "x", &cycle, &image).unwrap();
        let mut transposed = turned.poison::<u32>();
        for run in 0..x.runs {
            for i in 0..x.len {
                transposed[turned.front + i * turned.ld + run] = image[x.front + run * x.ld + i];
            }
        }
        turned.compare_transposed(&mut case, "out", &cycle, &transposed).unwrap();
        for at in 0..transposed.len() {
            transposed[at] ^= 1;
            turned.compare_transposed(&mut case, "out", &cycle, &transposed).unwrap_err();
            transposed[at] ^= 1;
        }
        for at in 0..image.len() {
            let mut other = image.clone();
            other[at] ^= 1;
            x.compare(&mut case, "x", &cycle, &other).unwrap_err();
        }
    }

    #[test]
    fn sequences_repeat_from_any_start() {
        let cycle = Cycle::of(vec![1_u8, 2, 3]);
        let mut out = [0; 7];
        cycle.write(4, &mut out);
        assert_eq!(out, [2, 3, 1, 2, 3, 1, 2]);
        assert_eq!(cycle.elements(5), [1, 2, 3, 1, 2]);
        assert_eq!(Cycle::of(Vec::<u8>::new()).elements(0), []);
    }
}
