//! Actions on pinned memory.

use super::action::{Action, BUFFERS, PINNED};
use super::model::Holds;
use super::run::Run;
use crate::buffer::Buffer;
use crate::error::Result;
use crate::stream::Stream;
use crate::view::AsView;
use std::mem;

impl Run {
    pub(super) fn pinned_step(&mut self, action: &Action) -> Result<()> {
        match *action {
            Action::Pinned(slot, on, len) => {
                let Some(stream) = self.stream(on) else { return Ok(()) };
                self.pinned[slot % PINNED] = None;
                let model = self.model(len, &stream);
                self.pinned[slot % PINNED] = Some((stream.pinned(len)?, model));
            }
            Action::PinnedWrite(slot, value) => {
                let Some((pinned, model)) = &mut self.pinned[slot % PINNED] else { return Ok(()) };
                let (len, model) = (pinned.len(), &mut self.models[*model]);
                let mut holds = Holds::new();
                model.touch(0, len, true, &mut holds);
                holds.iter().for_each(|&hold| self.world.open(hold));
                let mut guard = pinned.write()?;
                self.world.host_touch(guard.as_ptr().addr(), len, true);
                guard.fill(value);
                model.bytes = vec![Some(value); len];
            }
            Action::PinnedRead(slot) => {
                let Some((pinned, model)) = mem::take(&mut self.pinned[slot % PINNED]) else { return Ok(()) };
                let len = pinned.len();
                let mut holds = Holds::new();
                self.models[model].touch(0, len, false, &mut holds);
                self.open(&holds);
                let result = pinned.read().map(|guard| {
                    self.world.host_touch(guard.as_ptr().addr(), len, false);
                    self.compare(&guard, &self.models[model].bytes, "pinned memory");
                });
                self.pinned[slot % PINNED] = Some((pinned, model));
                result?;
            }
            Action::Upload(buffer, slot, on) => {
                let Some((pinned, read)) = mem::take(&mut self.pinned[slot % PINNED]) else { return Ok(()) };
                let result = match (self.stream(on), mem::take(&mut self.buffers[buffer % BUFFERS])) {
                    (Some(stream), Some((mut target, written))) if target.len() == pinned.len() => {
                        self.touch_both(read, written, &stream, pinned.len());
                        let result = stream.upload(&mut target, &pinned);
                        let bytes = &self.models[read].bytes;
                        self.models[written].bytes = bytes.iter().map(|byte| byte.filter(|_| result.is_ok())).collect();
                        self.buffers[buffer % BUFFERS] = Some((target, written));
                        result
                    }
                    (_, other) => {
                        self.buffers[buffer % BUFFERS] = other;
                        Ok(())
                    }
                };
                self.pinned[slot % PINNED] = Some((pinned, read));
                result?;
            }
            Action::Download(buffer, slot, on) => {
                let Some((mut pinned, written)) = mem::take(&mut self.pinned[slot % PINNED]) else { return Ok(()) };
                let result = match (self.stream(on), mem::take(&mut self.buffers[buffer % BUFFERS])) {
                    (Some(stream), Some((source, read))) if source.len() == pinned.len() => {
                        self.touch_both(read, written, &stream, pinned.len());
                        let result = stream.download(&source.view(), &mut pinned);
                        let bytes = &self.models[read].bytes;
                        self.models[written].bytes = bytes.iter().map(|byte| byte.filter(|_| result.is_ok())).collect();
                        self.buffers[buffer % BUFFERS] = Some((source, read));
                        result
                    }
                    (_, other) => {
                        self.buffers[buffer % BUFFERS] = other;
                        Ok(())
                    }
                };
                self.pinned[slot % PINNED] = Some((pinned, written));
                result?;
            }
            Action::DropPinned(slot) => self.pinned[slot % PINNED] = None,
            _ => {}
        }
        Ok(())
    }
}
