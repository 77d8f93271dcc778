//! Guard bytes: data with a margin on both sides that nothing may write.

use crate::case::Case;
use crate::failure::{Failure, Verdict};
use crate::seed::Words;
use warpwave_core::{Buffer, Device, Element, Stream, View, ViewMut};

/// Elements in front of the data: an odd number, so that the data is aligned to its type and to nothing more.
const FRONT: usize = 33;
/// Elements behind the data: more than a vector or a warp goes too far.
const BACK: usize = 67;

/// Elements on the device, in the middle of a larger buffer whose other bytes must not change.
#[derive(Debug)]
pub struct Guarded<T: Element, D: Device> {
    buffer: D::Buffer<T>,
    len: usize,
}

impl<T: Element, D: Device> Guarded<T, D> {
    pub(crate) fn new(stream: &D::Stream, data: &[T]) -> Verdict<Self> {
        let mut all = guard::<T>(FRONT + data.len() + BACK);
        all[FRONT..FRONT + data.len()].copy_from_slice(data);
        Ok(Guarded { buffer: stream.from_slice(&all)?, len: data.len() })
    }

    /// Elements between the guards.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements, to be read.
    ///
    /// # Errors
    /// None, on a device that slices correctly.
    pub fn view(&self) -> Verdict<View<'_, T, D>> {
        Ok(self.buffer.slice(FRONT..FRONT + self.len)?)
    }

    /// The elements, to be written.
    ///
    /// # Errors
    /// None, on a device that slices correctly.
    pub fn view_mut(&mut self) -> Verdict<ViewMut<'_, T, D>> {
        Ok(self.buffer.slice_mut(FRONT..FRONT + self.len)?)
    }

    /// The elements, from the device.
    ///
    /// # Errors
    /// If a guard has changed, and those of the device.
    pub fn read(&self, case: &Case<'_, D>) -> Verdict<Vec<T>> {
        let mut all = case.read(&self.buffer)?;
        let want = guard::<T>(all.len());
        let outside = (0..FRONT).chain(FRONT + self.len..all.len());
        for i in outside {
            if bytemuck::bytes_of(&all[i]) != bytemuck::bytes_of(&want[i]) {
                let place = match i.checked_sub(FRONT + self.len) {
                    Some(behind) => format!("{} behind the end", behind + 1),
                    None => format!("{} in front of the start", FRONT - i),
                };
                let (got, want) = (all[i], want[i]);
                return Err(Failure::new(format_args!("wrote {got:?} over the guard {want:?}, {place}")));
            }
        }
        all.truncate(FRONT + self.len);
        all.drain(..FRONT);
        Ok(all)
    }
}

/// What a guard holds: bytes that depend on the place, so that a shifted copy is seen as well.
fn guard<T: Element>(len: usize) -> Vec<T> {
    let mut data: Vec<T> = bytemuck::allocation::zeroed_vec(len);
    let mut words = Words::new(len as u64);
    let outside = |i: usize| i < FRONT || i >= len - BACK;
    for (i, value) in data.iter_mut().enumerate().filter(|&(i, _)| outside(i)) {
        let word = (words.word() ^ i as u64).to_le_bytes();
        for (byte, random) in bytemuck::bytes_of_mut(value).iter_mut().zip(word.iter().cycle()) {
            *byte = random | 1;
        }
    }
    data
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
    fn one_element_beside_the_data_is_seen_and_none_inside() {
        let device = CpuDevice::open(0).unwrap();
        let stream = device.default_stream();
        let case = Case {
            device: &device,
            stream: &stream,
            origin: &crate::origin::Opened,
            level: Level::Smoke,
            lane: Lane::Poison,
            hashed: true,
            tally: Tally::default(),
        };
        for len in [0, 1, 10] {
            let data = vec![7_u8; len];
            let mut guarded = Guarded::<u8, CpuDevice>::new(&stream, &data).unwrap();
            assert_eq!(guarded.read(&case).unwrap(), data);
            let all = FRONT + len + BACK;
            for at in 0..all {
                let mut element = guarded.buffer.slice_mut(at..=at).unwrap();
                let mut old = [0];
                stream.read(&element, &mut old).unwrap();
                stream.write(&mut element, &[old[0] ^ 0x80]).unwrap();
                let inside = (FRONT..FRONT + len).contains(&at);
                assert_eq!(guarded.read(&case).is_ok(), inside, "{at} of {all}");
                stream.write(&mut guarded.buffer.slice_mut(at..=at).unwrap(), &old).unwrap();
            }
            let before = stream.to_vec(&guarded.buffer).unwrap();
            stream.write(&mut guarded.buffer.slice_mut(..FRONT).unwrap(), &before[1..=FRONT]).unwrap();
            let message = guarded.read(&case).unwrap_err().to_string();
            assert!(message.contains("33 in front of the start"), "{message}");
        }
    }
}
