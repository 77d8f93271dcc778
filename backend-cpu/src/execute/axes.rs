//! The axes of an array that is moved from one place to another, and a walk through its elements.

/// As many axes as a [`Permute`](warpwave_core::Operation::Permute) has at most.
pub(super) const RANK: usize = warpwave_core::operation::PermuteShape::MAX_RANK;

/// One axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) size: usize,
    /// From one element to the next in what is read, in elements.
    pub(super) from: usize,
    /// From one element to the next in what is written, in elements.
    pub(super) to: usize,
}

/// Some axes, the slowest first; none of them is empty. Without an axis there is one element.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Axes {
    axes: [Axis; RANK],
    rank: usize,
}

impl Axes {
    /// Adds a faster axis. There are no more than [`RANK`] in any operation; one more would be left out.
    pub(super) fn push(&mut self, axis: Axis) {
        if let Some(free) = self.axes.get_mut(self.rank) {
            *free = axis;
            self.rank += 1;
        }
    }

    /// Takes an axis out.
    pub(super) fn remove(&mut self, index: usize) -> Axis {
        let axis = self.axes[index];
        self.axes.copy_within(index + 1..self.rank, index);
        self.rank -= 1;
        axis
    }

    pub(super) fn as_slice(&self) -> &[Axis] {
        &self.axes[..self.rank]
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [Axis] {
        &mut self.axes[..self.rank]
    }

    /// Elements.
    pub(super) fn count(&self) -> usize {
        self.as_slice().iter().map(|axis| axis.size).product()
    }

    /// The walk from element `index` on, the last axis fastest.
    pub(super) fn at(&self, mut index: usize) -> Walk<'_> {
        let mut walk = Walk { axes: self.as_slice(), done: [0; RANK], from: 0, to: 0 };
        for (axis, done) in self.as_slice().iter().zip(&mut walk.done).rev() {
            *done = index % axis.size;
            index /= axis.size;
            walk.from += *done * axis.from;
            walk.to += *done * axis.to;
        }
        walk
    }
}

/// A place among the elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walk<'a> {
    axes: &'a [Axis],
    done: [usize; RANK],
    /// Elements from the first in what is read.
    pub(super) from: usize,
    /// Elements from the first in what is written.
    pub(super) to: usize,
}

impl Walk<'_> {
    /// The place along one axis.
    pub(super) fn index(&self, axis: usize) -> usize {
        self.done[axis]
    }

    /// Goes on to the next element; from the last to the first.
    #[inline]
    pub(super) fn step(&mut self) {
        for (axis, done) in self.axes.iter().zip(&mut self.done).rev() {
            *done += 1;
            self.from += axis.from;
            self.to += axis.to;
            if *done < axis.size {
                return;
            }
            *done = 0;
            self.from -= axis.size * axis.from;
            self.to -= axis.size * axis.to;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps and jumps agree, and go through all elements with the last axis fastest.
    #[test]
    fn every_element_in_order() {
        let mut axes = Axes::default();
        assert_eq!((axes.count(), axes.at(0).from), (1, 0));
        let all = [(2, 1, 100), (1, 7, 9), (3, 10, 1), (4, 1000, 30)];
        all.iter().for_each(|&(size, from, to)| axes.push(Axis { size, from, to }));
        let mut walk = axes.at(0);
        for index in 0..axes.count() {
            let (i, k, l) = (index / 12, index / 4 % 3, index % 4);
            let want = (i + 10 * k + 1000 * l, 100 * i + k + 30 * l);
            assert_eq!((walk.from, walk.to), want);
            assert_eq!((axes.at(index).from, axes.at(index).to), want);
            assert_eq!([0, 1, 2, 3].map(|axis| walk.index(axis)), [i, 0, k, l]);
            walk.step();
        }
        assert_eq!((walk.from, walk.to), (0, 0));
        assert_eq!(axes.remove(1), Axis { size: 1, from: 7, to: 9 });
        assert_eq!(axes.as_slice().iter().map(|axis| axis.size).collect::<Vec<_>>(), [2, 3, 4]);
    }
}
