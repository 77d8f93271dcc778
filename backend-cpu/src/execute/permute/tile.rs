//! Arrays whose fastest axes are short: by tiles of several axes.
//!
//! A tile has parts of the fastest axes of both sides, so that it consists of long runs of the input and of long runs
//! of the output, whatever the axes are. It is read run by run into a room in the first-level cache, each element to
//! its place in the order of the output, and written from there run by run.

use crate::execute::axes::{Axes, Axis, RANK, Walk};
use crate::execute::memory::{GRAIN_BYTES, elements, elements_mut};
use crate::workers::Workers;
use bytemuck::Pod;
use warpwave_core::operation::Ptr;

/// Elements of a tile, at most. A power of 2: what is taken modulo it costs nothing.
const ROOM: usize = 4096;
/// Elements of a tile that are worth what every tile costs.
const ENOUGH: usize = 512;

/// Moves every element of `axes`, which are those of a whole array, the slowest of the output first. `None` if there
/// are no elements of `size` bytes.
///
/// # Safety
/// Both arrays are inside live memory of the device and do not overlap, and nothing else touches what is written.
/// Elements are aligned as the types of [`Operation`](warpwave_core::Operation) of their size are.
pub(super) unsafe fn permute(workers: &Workers, x: Ptr, out: Ptr, size: usize, axes: &Axes) -> Option<()> {
    let tile = Tile::new(axes.as_slice(), size);
    // SAFETY: the caller's promise; each type is as large as an element and no more aligned.
    unsafe {
        match size {
            1 => tile.each::<u8>(workers, x, out),
            2 => tile.each::<u16>(workers, x, out),
            4 => tile.each::<u32>(workers, x, out),
            8 => tile.each::<[u32; 2]>(workers, x, out),
            16 => tile.each::<[u64; 2]>(workers, x, out),
            _ => return None,
        }
    }
    Some(())
}

/// How an array is cut.
struct Tile<'a> {
    axes: &'a [Axis],
    /// The axes, the fastest of the input first.
    order: [usize; RANK],
    /// How much of each axis is in a tile.
    parts: [usize; RANK],
    /// From one element of each axis to the next in the room.
    steps: [usize; RANK],
    /// So many axes of `order` make up a run of the input.
    read: usize,
    /// From this axis on they make up a run of the output.
    written: usize,
    /// Where the elements of a run of the input go in the room, from the place of its first.
    places: [u16; ROOM],
}

impl<'a> Tile<'a> {
    fn new(axes: &'a [Axis], size: usize) -> Self {
        let rank = axes.len();
        let mut order: [usize; RANK] = std::array::from_fn(|axis| axis);
        order[..rank].sort_unstable_by_key(|&axis| axes[axis].from);
        // A few lines of memory on each side; more where the fastest axes are the same, and these few are the whole
        // tile.
        let mut room = (256 / size).min(64);
        let mut parts = joint(axes, &order, room);
        while parts[..rank].iter().product::<usize>() < ENOUGH && room < ROOM {
            room *= 2;
            let larger = joint(axes, &order, room);
            if larger[..rank].iter().product::<usize>() > ROOM {
                break;
            }
            parts = larger;
        }
        let mut steps = [0; RANK];
        let mut step = 1;
        for axis in (0..rank).rev() {
            steps[axis] = step;
            step *= parts[axis];
        }
        // A run ends with the first axis of which there is only a part.
        let cut = |axis: usize| parts[axis] < axes[axis].size;
        let read = order[..rank].iter().position(|&axis| cut(axis)).map_or(rank, |last| last + 1);
        let written = (0..rank).rev().find(|&axis| cut(axis)).unwrap_or(0);
        let mut run = Axes::default();
        for &axis in order[..read].iter().rev() {
            run.push(Axis { size: parts[axis], from: axes[axis].from, to: steps[axis] });
        }
        let mut places = [0; ROOM];
        let mut walk = run.at(0);
        for place in &mut places[..run.count()] {
            *place = walk.to as u16;
            walk.step();
        }
        Tile { axes, order, parts, steps, read, written, places }
    }

    /// # Safety
    /// As for [`permute`], for elements of type `T`.
    unsafe fn each<T: Pod>(&self, workers: &Workers, x: Ptr, out: Ptr) {
        let mut tiles = Axes::default();
        // The axes whose last part is shorter, with their place in `tiles`: there is one cut on each side.
        let mut uneven: [Option<(usize, usize)>; 2] = [None; 2];
        for (axis, (&Axis { size, from, to }, &part)) in self.axes.iter().zip(&self.parts).enumerate() {
            if part < size {
                if !size.is_multiple_of(part)
                    && let Some(free) = uneven.iter_mut().find(|free| free.is_none())
                {
                    *free = Some((axis, tiles.as_slice().len()));
                }
                tiles.push(Axis { size: size.div_ceil(part), from: from * part, to: to * part });
            }
        }
        let parts_at = |place: &Walk<'_>| {
            let mut parts = self.parts;
            for (axis, tile) in uneven.into_iter().flatten() {
                parts[axis] = parts[axis].min(self.axes[axis].size - place.index(tile) * parts[axis]);
            }
            parts
        };
        let bytes = self.parts[..self.axes.len()].iter().product::<usize>() * size_of::<T>();
        workers.split(tiles.count(), GRAIN_BYTES.div_ceil(bytes), |range| {
            let mut room = [T::zeroed(); ROOM];
            let mut place = tiles.at(range.start);
            let mut runs = self.runs(parts_at(&place));
            for _ in range {
                let parts = parts_at(&place);
                if parts != runs.parts {
                    runs = self.runs(parts);
                }
                // SAFETY: the caller's promise; the tile is inside both arrays, and no other part has it.
                unsafe { self.one(x, out, (place.from, place.to), &runs, &mut room) };
                place.step();
            }
        });
    }

    /// The runs of a tile that has these parts.
    fn runs(&self, parts: [usize; RANK]) -> Runs {
        let rank = self.axes.len();
        let (inside, outside) = self.order[..rank].split_at(self.read);
        let mut runs = Runs {
            parts,
            read: Axes::default(),
            read_len: inside.iter().map(|&axis| parts[axis]).product(),
            written: Axes::default(),
            written_len: parts[self.written..rank].iter().product(),
        };
        for &axis in outside.iter().rev().filter(|&&axis| parts[axis] > 1) {
            runs.read.push(Axis { size: parts[axis], from: self.axes[axis].from, to: self.steps[axis] });
        }
        for axis in (0..self.written).filter(|&axis| parts[axis] > 1) {
            runs.written.push(Axis { size: parts[axis], from: self.steps[axis], to: self.axes[axis].to });
        }
        runs
    }

    /// # Safety
    /// The tile at `from` and `to` is inside both arrays, of elements of type `T`, and nobody else touches that of the
    /// output.
    unsafe fn one<T: Pod>(&self, x: Ptr, out: Ptr, (from, to): (usize, usize), runs: &Runs, room: &mut [T; ROOM]) {
        let mut run = runs.read.at(0);
        for _ in 0..runs.read.count() {
            // SAFETY: the caller's promise: a run of the tile.
            let x = unsafe { elements::<T>(x, from + run.from, runs.read_len) };
            for (&x, &place) in x.iter().zip(&self.places) {
                room[(run.to + usize::from(place)) % ROOM] = x;
            }
            run.step();
        }
        let mut run = runs.written.at(0);
        for _ in 0..runs.written.count() {
            // SAFETY: the caller's promise: a run of the tile.
            let out = unsafe { elements_mut::<T>(out, to + run.to, runs.written_len) };
            out.copy_from_slice(&room[run.from..run.from + runs.written_len]);
            run.step();
        }
    }
}

/// The runs of a tile.
struct Runs {
    parts: [usize; RANK],
    /// From the input to the room.
    read: Axes,
    read_len: usize,
    /// From the room to the output.
    written: Axes,
    written_len: usize,
}

/// The parts of the axes that make runs of about `room` elements on both sides.
fn joint(axes: &[Axis], order: &[usize; RANK], room: usize) -> [usize; RANK] {
    let (read, written) = (order[..axes.len()].iter().copied(), (0..axes.len()).rev());
    let (read, written) = (run(axes, read, room), run(axes, written, room));
    std::array::from_fn(|axis| read[axis].max(written[axis]))
}

/// The parts of the axes that make a run of up to `room` elements, given the fastest axis first.
fn run(axes: &[Axis], fastest_first: impl Iterator<Item = usize>, mut room: usize) -> [usize; RANK] {
    let mut parts = [1; RANK];
    for axis in fastest_first {
        let size = axes[axis].size;
        // Cut evenly.
        parts[axis] = size.div_ceil(size.div_ceil(room));
        if parts[axis] < size {
            break;
        }
        room /= size;
    }
    parts
}
