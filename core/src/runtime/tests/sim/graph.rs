//! Graphs of the simulated device, and what operations and copies touch.

use super::memory::Touch;
use super::schedule::{Work, rows};
use crate::backend::{Node, Space, Transfer};
use crate::error::{Error, Result};
use crate::operation::{Operation, Ptr, Strided};

#[derive(Debug)]
pub(crate) struct SimGraph(pub(super) usize);

pub(crate) struct GraphState {
    pub(super) nodes: Vec<Node>,
    /// The ends of its launches: (stream, step).
    pub(super) launches: Vec<(usize, u64)>,
    pub(crate) alive: bool,
}

/// A step of a stream, with what it touches.
pub(super) type Step = (Work, Vec<Touch>);

pub(super) fn touch(ptr: Ptr, bytes: usize, write: bool) -> Touch {
    Touch { addr: ptr.addr(), bytes, write }
}

fn touch_strided(x: &Strided, write: bool) -> Touch {
    touch(x.base, ((x.len - 1) * x.inc.unsigned_abs() + 1) * x.dtype.size(), write)
}

pub(super) fn of_operation(operation: &Operation) -> Result<Step> {
    match operation {
        Operation::Fill { value, out } => {
            let pattern = value.bytes().to_vec();
            let out = out.contiguous().expect("only contiguous elements are filled in the simulation");
            let touches = vec![touch(out.ptr, out.len * pattern.len(), true)];
            Ok((Work::Fill { out: out.ptr, pattern, len: out.len }, touches))
        }
        Operation::Copy { x, y } => {
            let size = x.dtype.size();
            // One row for each element; a negative increment is beyond what the simulation needs.
            assert!(x.inc > 0 && y.inc > 0, "increments of the simulated copy are positive");
            let transfer = Transfer {
                src: x.base,
                src_space: Space::Device,
                dst: y.base,
                dst_space: Space::Device,
                row_bytes: size,
                rows: x.len,
                src_pitch: x.inc.unsigned_abs() * size,
                dst_pitch: y.inc.unsigned_abs() * size,
            };
            Ok((Work::Copy(transfer), vec![touch_strided(x, false), touch_strided(y, true)]))
        }
        other => Err(Error::unsupported(other.kind())),
    }
}

pub(super) fn of_copy(transfer: &Transfer) -> Step {
    let bytes = transfer.row_bytes;
    let touches = rows(transfer).flat_map(|(src, dst)| [touch(src, bytes, false), touch(dst, bytes, true)]).collect();
    (Work::Copy(*transfer), touches)
}

pub(super) fn of_nodes(nodes: &[Node]) -> Result<Vec<Step>> {
    let step = |node: &Node| match node {
        Node::Operation(operation) => of_operation(operation),
        Node::Copy(transfer) => Ok(of_copy(transfer)),
        Node::Launch(_) => Err(Error::unsupported("kernels of one's own")),
    };
    nodes.iter().map(step).collect()
}
