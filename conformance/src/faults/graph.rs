//! Faults of graphs and of memory that they use.

use super::Fault;
use std::collections::BTreeMap;
use warpwave_core::operation::Ptr;
use warpwave_core::{Backend, Node};

/// A graph of a backend with a fault. What is wrong with operations elsewhere is right in a graph.
#[derive(Debug)]
pub struct FaultyGraph<B: Backend> {
    pub(super) inner: B::Graph,
    /// For each node of the inner graph the one that it was made of.
    order: Vec<usize>,
}

/// Which nodes a graph is made of, and in which order.
pub(super) fn order(fault: Option<Fault>, nodes: usize) -> Vec<usize> {
    match fault {
        Some(Fault::DroppedNode) if nodes > 1 => (0..nodes - 1).collect(),
        Some(Fault::ReversedNodes) => (0..nodes).rev().collect(),
        _ => (0..nodes).collect(),
    }
}

impl<B: Backend> FaultyGraph<B> {
    pub(super) fn new(inner: B::Graph, order: Vec<usize>) -> Self {
        FaultyGraph { inner, order }
    }

    /// Those of `nodes` that the inner graph has, and the indices there of those that have changed.
    pub(super) fn of_inner(&self, nodes: &[Node], changed: &[usize]) -> (Vec<Node>, Vec<usize>) {
        let is_changed = |at: &usize| changed.contains(&self.order[*at]);
        (self.order.iter().map(|&at| nodes[at].clone()).collect(), (0..self.order.len()).filter(is_changed).collect())
    }
}

/// Memory that [`Fault::GraphMemoryReused`] hands out twice.
#[derive(Debug, Default)]
pub(super) struct Reused {
    /// What graphs copy to, by address.
    targets: BTreeMap<usize, Ptr>,
    /// Allocations, with their sizes and how often they were handed out.
    allocated: BTreeMap<usize, (usize, usize)>,
}

impl Reused {
    /// Notes what a graph copies to.
    pub(super) fn instantiated(&mut self, nodes: &[Node]) {
        self.targets.extend(nodes.iter().filter_map(|node| match node {
            Node::Copy(transfer) => Some((transfer.dst.addr(), transfer.dst)),
            _ => None,
        }));
    }

    /// An allocation of this size that a graph copies to the start of, once.
    pub(super) fn again(&mut self, bytes: usize) -> Option<Ptr> {
        let fits =
            |address: &&usize| self.allocated.get(*address).is_some_and(|&(size, times)| (size, times) == (bytes, 1));
        let address = *self.targets.keys().find(fits)?;
        self.allocated.insert(address, (bytes, 2));
        self.targets.remove(&address)
    }

    pub(super) fn allocated(&mut self, ptr: Ptr, bytes: usize) {
        self.allocated.insert(ptr.addr(), (bytes, 1));
    }

    /// Whether nobody has the memory any more.
    pub(super) fn freed(&mut self, ptr: Ptr) -> bool {
        match self.allocated.get_mut(&ptr.addr()) {
            Some((_, times)) if *times > 1 => {
                *times -= 1;
                false
            }
            _ => {
                self.allocated.remove(&ptr.addr());
                true
            }
        }
    }
}
