//! Actions on graphs.

use super::SimDevice;
use super::action::{Action, BUFFERS, Call, GRAPHS, PINNED};
use super::run::Run;
use crate::buffer::Buffer;
use crate::error::Result;
use crate::graph::{Argument, Graph, NodeId, Recorder};
use crate::runtime::tests::sim::Sim;
use crate::stream::{ManagedStream, Stream};
use std::mem;

/// A graph, and what it does to the models.
pub(super) struct ModelledGraph {
    graph: Graph<SimDevice>,
    effects: Vec<Effect>,
}

enum Effect {
    Fill { node: NodeId, model: usize, start: usize, end: usize, value: u8 },
    Copy { from: usize, start: usize, to: usize, at: usize, len: usize },
}

impl Effect {
    /// (model, start, end, write)
    fn touches(&self) -> Vec<(usize, usize, usize, bool)> {
        match *self {
            Effect::Fill { model, start, end, .. } => vec![(model, start, end, true)],
            Effect::Copy { from, start, to, at, len } => {
                vec![(from, start, start + len, false), (to, at, at + len, true)]
            }
        }
    }
}

impl Run {
    pub(super) fn graph_step(&mut self, action: &Action) -> Result<()> {
        match action {
            Action::RecordGraph(slot, on, calls) => {
                let Some(stream) = self.stream(*on) else { return Ok(()) };
                self.graphs[slot % GRAPHS] = None;
                let mut effects = Vec::new();
                let graph = stream.record_graph(|recorder| {
                    calls.iter().try_for_each(|call| self.record(recorder, &stream, call, &mut effects))
                });
                self.graphs[slot % GRAPHS] = Some(ModelledGraph { graph: graph?, effects });
            }
            Action::SetScalar(slot, new) => {
                let Some(ModelledGraph { graph, effects }) = &mut self.graphs[slot % GRAPHS] else { return Ok(()) };
                let fill = effects.iter_mut().find_map(|effect| match effect {
                    Effect::Fill { node, value, .. } => Some((*node, value)),
                    Effect::Copy { .. } => None,
                });
                if let Some((node, value)) = fill {
                    graph.set_scalar(node, Argument::Value, *new)?;
                    *value = *new;
                }
            }
            Action::Launch(slot, on) => self.launch(slot % GRAPHS, *on)?,
            Action::LaunchShared(on) => {
                let Some(stream) = self.stream(*on) else { return Ok(()) };
                if let Some(graph) = &mut self.shared_graph {
                    graph.launch(&stream)?;
                }
            }
            Action::DropGraph(slot) => self.graphs[slot % GRAPHS] = None,
            Action::DropGraphInHostFn(slot, on) => {
                let Some(stream) = self.stream(*on) else { return Ok(()) };
                let dropped = mem::take(&mut self.graphs[slot % GRAPHS]);
                self.host_fn(&stream, move || drop(dropped))?;
            }
            _ => {}
        }
        Ok(())
    }

    fn launch(&mut self, slot: usize, on: usize) -> Result<()> {
        let Some(stream) = self.stream(on) else { return Ok(()) };
        let Some(mut modelled) = mem::take(&mut self.graphs[slot]) else { return Ok(()) };
        let touches: Vec<_> = modelled.effects.iter().flat_map(Effect::touches).collect();
        // Twice: every part of a launch comes after whatever any part has to come after.
        for _ in 0..2 {
            for &(model, start, end, write) in &touches {
                self.touch(model, &stream, start, end, write);
            }
        }
        let result = modelled.graph.launch(&stream);
        for effect in &modelled.effects {
            match *effect {
                Effect::Fill { model, start, end, value, .. } => {
                    self.models[model].bytes[start..end].fill(result.is_ok().then_some(value));
                }
                Effect::Copy { from, start, to, at, len } => {
                    for i in 0..len {
                        let byte = self.models[from].bytes[start + i].filter(|_| result.is_ok());
                        self.models[to].bytes[at + i] = byte;
                    }
                }
            }
        }
        self.graphs[slot] = Some(modelled);
        result
    }

    /// Records a call; `base` is the stream that the graph is recorded on.
    fn record(
        &mut self,
        recorder: &Recorder<SimDevice>,
        base: &ManagedStream<Sim>,
        call: &Call,
        effects: &mut Vec<Effect>,
    ) -> Result<()> {
        match *call {
            Call::Fill(slot, part, value) => {
                let Some((buffer, model)) = &mut self.buffers[slot % BUFFERS] else { return Ok(()) };
                let (start, end) = part.of(buffer.len());
                recorder.fill(&mut buffer.slice_mut(start..end)?, value)?;
                let Some(node) = recorder.last() else {
                    self.world.violation("a call was recorded, and there is no last one");
                    return Ok(());
                };
                effects.push(Effect::Fill { node, model: *model, start, end, value });
            }
            Call::Copy(from, to, part, at) => {
                let (from, to) = (from % BUFFERS, to % BUFFERS);
                if from == to {
                    return Ok(());
                }
                let [from, to] = self.buffers.get_disjoint_mut([from, to]).unwrap();
                let (Some((source, from)), Some((target, to))) = (from, to) else { return Ok(()) };
                let (start, end) = part.of(source.len());
                let len = (end - start).min(target.len());
                let at = at % (target.len() - len + 1);
                recorder.copy(&source.slice(start..start + len)?, &mut target.slice_mut(at..at + len)?)?;
                effects.push(Effect::Copy { from: *from, start, to: *to, at, len });
            }
            Call::CopyByTemporary(from, to) => {
                let (from, to) = (from % BUFFERS, to % BUFFERS);
                if self.buffers[from].is_none() || self.buffers[to].is_none() {
                    return Ok(());
                }
                let mut temporary = recorder.alloc::<u8>(200)?;
                let held = self.model(200, base);
                if let Some((source, from)) = &self.buffers[from] {
                    let len = source.len().min(200);
                    recorder.copy(&source.slice(..len)?, &mut temporary.slice_mut(..len)?)?;
                    effects.push(Effect::Copy { from: *from, start: 0, to: held, at: 0, len });
                }
                if let Some((target, to)) = &mut self.buffers[to] {
                    let len = target.len().min(200);
                    recorder.copy(&temporary.slice(..len)?, &mut target.slice_mut(..len)?)?;
                    effects.push(Effect::Copy { from: held, start: 0, to: *to, at: 0, len });
                }
            }
            Call::Upload(buffer, slot) => {
                let (Some((target, to)), Some((pinned, from))) =
                    (&mut self.buffers[buffer % BUFFERS], &self.pinned[slot % PINNED])
                else {
                    return Ok(());
                };
                if target.len() == pinned.len() {
                    recorder.upload(target, pinned)?;
                    effects.push(Effect::Copy { from: *from, start: 0, to: *to, at: 0, len: pinned.len() });
                }
            }
            Call::Download(buffer, slot) => {
                let (Some((source, from)), Some((pinned, to))) =
                    (&self.buffers[buffer % BUFFERS], &mut self.pinned[slot % PINNED])
                else {
                    return Ok(());
                };
                if source.len() == pinned.len() {
                    recorder.download(source, pinned)?;
                    effects.push(Effect::Copy { from: *from, start: 0, to: *to, at: 0, len: pinned.len() });
                }
            }
        }
        Ok(())
    }
}
