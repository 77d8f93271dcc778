//! Programs: lists of actions that any caller could make, run against the device and against a sequential model.

mod action;
mod buffers;
mod graphs;
mod model;
mod pinned;
mod run;

pub(crate) use action::{Action, STREAMS, action};
pub(crate) use run::Run;

use super::sim::{Sim, World};
use crate::buffer::ManagedBuffer;
use crate::device::{Device, ManagedDevice};
use crate::graph::Graph;
use crate::runtime::{Shared, Step};
use crate::stream::Stream;
use crate::sync::Arc;

pub(crate) type SimDevice = ManagedDevice<Sim>;
pub(crate) type SimBuffer = ManagedBuffer<u8, Sim>;
/// With the value of every byte.
pub(crate) type SharedBuffers = Arc<Vec<(SimBuffer, u8)>>;

pub(crate) fn device(world: &Arc<World>, knocked: Option<Step>) -> SimDevice {
    ManagedDevice::from_shared(Shared::new(Sim::open(world), knocked)).unwrap()
}

/// A device on another physical device of the same world.
pub(crate) fn peer(world: &Arc<World>, knocked: Option<Step>) -> SimDevice {
    ManagedDevice::from_shared(Shared::new(Sim::open_card(world, 1), knocked)).unwrap()
}

/// A graph that changes the first of the shared buffers, and changes it back.
pub(crate) fn shared_graph(device: &SimDevice, shared: &mut SharedBuffers) -> Graph<SimDevice> {
    let (buffer, value) = &mut Arc::get_mut(shared).unwrap()[0];
    let record = device.default_stream().record_graph(|r| {
        r.fill(buffer, *value + 100)?;
        r.fill(buffer, *value)
    });
    record.unwrap()
}

/// Two buffers with known contents, for threads to read.
pub(crate) fn shared_buffers(device: &SimDevice) -> SharedBuffers {
    let stream = device.default_stream();
    let filled = [5, 6].map(|value| {
        let mut buffer = stream.alloc(200).unwrap();
        stream.fill(&mut buffer, value).unwrap();
        (buffer, value)
    });
    Arc::new(filled.into())
}

/// Writes shared buffers once the threads are done with them: on a stream that has to wait for all that read them.
pub(crate) fn write_shared(device: &SimDevice, shared: SharedBuffers) {
    let stream = device.new_stream().unwrap();
    for (mut buffer, _) in Arc::into_inner(shared).unwrap() {
        stream.fill(&mut buffer, 7).unwrap();
        assert_eq!(stream.to_vec(&buffer).unwrap(), [7; 200]);
    }
}
