//! `gemm` of a batch of matrices that lie anywhere.

use super::arguments;
use crate::element::GemmElement;
use crate::error::{Error, Result};
use crate::matrix::{MatrixView, MatrixViewMut};
use crate::operation::{Op, Operation, OperationKind};
use crate::runtime::{Access, Checked};
use crate::stream::Stream;
use crate::view::AsView;

const KIND: OperationKind = OperationKind::GemmBatched;

pub(super) fn gemm<S: Stream, T: GemmElement>(
    stream: &S,
    ops: (Op, Op),
    scalars: (T::Compute, T::Compute),
    a: &[MatrixView<'_, T, S::Device>],
    b: &[MatrixView<'_, T, S::Device>],
    c: &mut [MatrixViewMut<'_, T, S::Device>],
) -> Result<()> {
    let c: Vec<MatrixView<'_, T, S::Device>> = c.iter().map(MatrixViewMut::as_matrix).collect();
    for (name, list) in [("a", a), ("b", b), ("c", &c)] {
        if list.len() != c.len() {
            let (expected, got) = (format!("{} matrices, as in c", c.len()), format!("{} matrices", list.len()));
            return Err(Error::invalid(name, expected, got).in_operation(KIND));
        }
        if let Some((i, other)) = list.iter().enumerate().find(|(_, matrix)| matrix.shape != list[0].shape) {
            let (expected, got) = (format!("every matrix as {:?}", list[0]), format!("{other:?} at {i}"));
            return Err(Error::invalid(name, expected, got).in_operation(KIND));
        }
    }
    let (Some(&first_a), Some(&first_b), Some(&first_c)) = (a.first(), b.first(), c.first()) else { return Ok(()) };
    let precision = stream.precision();
    let gemm = arguments(KIND.name(), ops, scalars, [first_a, first_b, first_c], (c.len(), [0; 3]), precision)?;
    let addresses: Vec<u64> =
        [a, b, &c].iter().flat_map(|list| list.iter().map(|x| x.operand().ptr.expose() as u64)).collect();
    let pointers = stream.constant(Checked::TYPED, &addresses)?;
    let pointers = pointers.view();
    let reads = a.iter().map(|x| x.reads("a")).chain(b.iter().map(|x| x.reads("b")));
    let accesses: Vec<Access<'_>> =
        reads.chain(c.iter().map(|x| x.writes("c"))).chain([pointers.reads("pointers")]).collect();
    stream.submit(Checked::TYPED, Operation::GemmBatched { gemm, pointers: pointers.span() }, &accesses)
}
