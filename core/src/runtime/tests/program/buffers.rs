//! Actions on buffers.

use super::SimDevice;
use super::action::{Action, BUFFERS, Part};
use super::run::Run;
use crate::buffer::Buffer;
use crate::error::Result;
use crate::runtime::tests::sim::Sim;
use crate::stream::{ManagedStream, Stream};
use crate::view::{VectorMut, ViewMut};
use std::mem;

impl Run {
    pub(super) fn buffer_step(&mut self, action: &Action) -> Result<()> {
        match *action {
            Action::Alloc(slot, stream, len) => {
                let Some(stream) = self.stream(stream) else { return Ok(()) };
                self.buffers[slot % BUFFERS] = None;
                let model = self.model(len, &stream);
                self.buffers[slot % BUFFERS] = Some((stream.alloc(len)?, model));
            }
            Action::FromSlice(slot, stream, len, value) => {
                self.buffer_step(&Action::Alloc(slot, stream, len))?;
                self.buffer_step(&Action::Write(slot, stream, Part::ALL, value))?;
            }
            Action::DropBuffer(slot) => self.buffers[slot % BUFFERS] = None,
            Action::DropBufferInHostFn(slot, stream) => {
                let Some(stream) = self.stream(stream) else { return Ok(()) };
                let dropped = mem::take(&mut self.buffers[slot % BUFFERS]);
                self.host_fn(&stream, move || drop(dropped))?;
            }
            Action::Write(slot, on, part, value) => self.written(
                slot,
                on,
                |len| part.of(len),
                value,
                1,
                |stream, mut view, len| {
                    let data: Vec<u8> = (0..len).map(|i| value.wrapping_add(i as u8)).collect();
                    stream.write(&mut view, &data)
                },
            )?,
            Action::Fill(slot, on, part, value) => {
                self.written(
                    slot,
                    on,
                    |len| part.of(len),
                    value,
                    0,
                    |stream, mut view, _| stream.fill(&mut view, value),
                )?;
            }
            Action::FillEven(slot, on, part, value) => {
                self.fill_even(slot, on, part, value)?;
            }
            Action::Read(slot, on, part) => {
                let Some(stream) = self.stream(on) else { return Ok(()) };
                let Some((buffer, model)) = mem::take(&mut self.buffers[slot % BUFFERS]) else { return Ok(()) };
                let (start, end) = part.of(buffer.len());
                self.touch(model, &stream, start, end, false);
                self.open_behind(&stream);
                let mut data = vec![0; end - start];
                let result = stream.read(&buffer.slice(start..end)?, &mut data);
                let read = result.is_ok();
                let result = self.reports(&stream, result);
                if read {
                    self.compare(&data, &self.models[model].bytes[start..end], "buffer");
                }
                self.buffers[slot % BUFFERS] = Some((buffer, model));
                result?;
            }
            Action::Copy(from, to, on, part, at) => self.copy(from, to, on, part, at)?,
            Action::CopyWithin(slot, on) => {
                let Some(stream) = self.stream(on) else { return Ok(()) };
                let Some((mut buffer, model)) = mem::take(&mut self.buffers[slot % BUFFERS]) else { return Ok(()) };
                let half = buffer.len() / 2;
                self.touch(model, &stream, 0, half, false);
                self.touch(model, &stream, half, 2 * half, true);
                // The read comes after what the write comes after, too.
                self.touch(model, &stream, 0, half, false);
                let (low, high) = buffer.split_at_mut(half)?;
                let result = { high }.slice_mut(..half).and_then(|mut high| stream.copy(&low, &mut high));
                let bytes = &mut self.models[model].bytes;
                for i in 0..half {
                    bytes[half + i] = bytes[i].filter(|_| result.is_ok());
                }
                self.buffers[slot % BUFFERS] = Some((buffer, model));
                result?;
            }
            Action::ReadShared(from, on) => {
                let Some(stream) = self.stream(on) else { return Ok(()) };
                let shared = self.shared.clone();
                if let Some((buffer, value)) = shared.get(from % shared.len().max(1)) {
                    let data = stream.to_vec(buffer)?;
                    self.compare(&data, &vec![Some(*value); data.len()], "shared buffer");
                }
            }
            Action::CopyShared(from, to, on) => {
                let shared = self.shared.clone();
                let Some((source, value)) = shared.get(from % shared.len().max(1)) else { return Ok(()) };
                let len = |target: usize| (0, target.min(source.len()));
                self.written(to, on, len, *value, 0, |stream, mut view, len| {
                    stream.copy(&source.slice(..len)?, &mut view)
                })?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes a part of a buffer: element `i` of it becomes `value + slope · i`.
    fn written(
        &mut self,
        slot: usize,
        on: usize,
        range: impl Fn(usize) -> (usize, usize),
        value: u8,
        slope: usize,
        write: impl FnOnce(&ManagedStream<Sim>, ViewMut<'_, u8, SimDevice>, usize) -> Result<()>,
    ) -> Result<()> {
        let Some(stream) = self.stream(on) else { return Ok(()) };
        let Some((mut buffer, model)) = mem::take(&mut self.buffers[slot % BUFFERS]) else { return Ok(()) };
        let (start, end) = range(buffer.len());
        self.touch(model, &stream, start, end, true);
        let result = buffer.slice_mut(start..end).and_then(|view| write(&stream, view, end - start));
        for (i, byte) in self.models[model].bytes[start..end].iter_mut().enumerate() {
            *byte = result.is_ok().then(|| value.wrapping_add((slope * i) as u8));
        }
        self.buffers[slot % BUFFERS] = Some((buffer, model));
        result
    }

    fn fill_even(&mut self, slot: usize, on: usize, part: Part, value: u8) -> Result<()> {
        let Some(stream) = self.stream(on) else { return Ok(()) };
        let Some((mut buffer, model)) = mem::take(&mut self.buffers[slot % BUFFERS]) else { return Ok(()) };
        let (start, end) = part.of(buffer.len());
        let half = (end - start) / 2;
        let result = match stream.alloc::<u8>(half) {
            Ok(mut source) if half > 0 => {
                let temporary = self.model(half, &stream);
                self.touch(temporary, &stream, 0, half, true);
                self.touch(model, &stream, start, end, true);
                let filled = stream.fill(&mut source, value);
                let mut view = buffer.slice_mut(start..end)?;
                let mut even = VectorMut::new(&mut view, half, 2)?;
                filled.and(stream.copy(&source, &mut even))
            }
            other => other.map(drop),
        };
        for i in 0..half {
            self.models[model].bytes[start + 2 * i] = result.is_ok().then_some(value);
        }
        self.buffers[slot % BUFFERS] = Some((buffer, model));
        result
    }

    fn copy(&mut self, from: usize, to: usize, on: usize, part: Part, at: usize) -> Result<()> {
        let (from, to) = (from % BUFFERS, to % BUFFERS);
        let Some(stream) = self.stream(on).filter(|_| from != to) else { return Ok(()) };
        let Some((source, read)) = mem::take(&mut self.buffers[from]) else { return Ok(()) };
        let Some((mut target, written)) = mem::take(&mut self.buffers[to]) else {
            self.buffers[from] = Some((source, read));
            return Ok(());
        };
        let (start, end) = part.of(source.len());
        let len = (end - start).min(target.len());
        let at = at % (target.len() - len + 1);
        self.touch(read, &stream, start, start + len, false);
        self.touch(written, &stream, at, at + len, true);
        // The read comes after what the write comes after, too.
        self.touch(read, &stream, start, start + len, false);
        let copy = || stream.copy(&source.slice(start..start + len)?, &mut target.slice_mut(at..at + len)?);
        let result = { copy }();
        for i in 0..len {
            self.models[written].bytes[at + i] = self.models[read].bytes[start + i].filter(|_| result.is_ok());
        }
        self.buffers[from] = Some((source, read));
        self.buffers[to] = Some((target, written));
        result
    }
}
