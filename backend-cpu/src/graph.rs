//! Graphs: a list of work that is done as one piece.

use crate::fault::{Fault, catch};
#[cfg(unix)]
use crate::kernels::run_launch;
use crate::stream::run_operation;
use crate::transfer::transfer;
use crate::workers::Workers;
use std::sync::Arc;
use warpwave_core::{Error, Node, Result};

/// A list of work. Launches that are queued share it; a change makes a list of its own for those to come.
#[derive(Debug)]
pub struct CpuGraph(Arc<Vec<Node>>);

impl CpuGraph {
    pub(crate) fn new(nodes: &[Node]) -> Self {
        CpuGraph(Arc::new(nodes.to_vec()))
    }

    /// Takes over those of `nodes` that have changed.
    pub(crate) fn update(&mut self, nodes: &[Node], changed: &[usize]) {
        let own = Arc::make_mut(&mut self.0);
        for &index in changed {
            own[index] = nodes[index].clone();
        }
    }

    pub(crate) fn nodes(&self) -> &Arc<Vec<Node>> {
        &self.0
    }
}

/// Does the work of a list, in its order, up to the first piece that fails.
///
/// # Safety
/// As for [`run_operation`], for each piece.
pub(crate) unsafe fn run_nodes(workers: &Workers, nodes: &[Node], fault: &Fault) -> Result<()> {
    for node in nodes {
        match node {
            // SAFETY: the caller's.
            Node::Operation(operation) => unsafe { run_operation(workers, operation, fault)? },
            Node::Copy(copy) => catch("a copy", || {
                // SAFETY: the caller's.
                unsafe { transfer(workers, copy) };
                Ok(())
            })?,
            #[cfg(unix)]
            // SAFETY: the caller's.
            Node::Launch(launch) => unsafe { run_launch(workers, launch, fault)? },
            _ => return Err(Error::unsupported(format_args!("{node:?} in a graph"))),
        }
    }
    Ok(())
}
