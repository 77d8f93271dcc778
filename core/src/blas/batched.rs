//! `gemm` of a batch of matrices that lie anywhere.

use super::arguments;
use crate::element::{DType, GemmElement, ScalarValue};
use crate::error::{Error, Result};
use crate::matrix::{MatrixView, MatrixViewMut};
use crate::operation::{Gemm, Layout, MatrixOperand, Op, Operation, OperationKind, Precision, Ptr, Span};
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
    let precision = stream.precision();
    let gemm = match (a.first(), b.first(), c.first()) {
        (Some(&a), Some(&b), Some(&first_c)) => {
            arguments(KIND.name(), ops, scalars, [a, b, first_c], (c.len(), [0; 3]), precision)?
        }
        _ => of_nothing::<T>(ops, scalars, precision),
    };
    let reads = a.iter().map(|x| x.reads("a")).chain(b.iter().map(|x| x.reads("b")));
    let mut accesses: Vec<Access<'_>> = reads.chain(c.iter().map(|x| x.writes("c"))).collect();
    if gemm.c.is_empty() || gemm.batch == 0 {
        // Nothing to do: it only has to be refused where any other call is, and needs no addresses for that.
        let pointers = Span { ptr: Ptr::NULL, dtype: DType::U64, len: 0 };
        return stream.submit(Checked::TYPED, Operation::GemmBatched { gemm, pointers }, &accesses);
    }
    let addresses: Vec<u64> =
        [a, b, &c].iter().flat_map(|list| list.iter().map(|x| x.operand().ptr.expose() as u64)).collect();
    let pointers = stream.constant(Checked::TYPED, &addresses)?;
    let pointers = pointers.view();
    accesses.push(pointers.reads("pointers"));
    stream.submit(Checked::TYPED, Operation::GemmBatched { gemm, pointers: pointers.span() }, &accesses)
}

/// The arguments of a product of no matrices.
fn of_nothing<T: GemmElement>(
    (op_a, op_b): (Op, Op),
    (alpha, beta): (T::Compute, T::Compute),
    precision: Precision,
) -> Gemm {
    let none = MatrixOperand { ptr: Ptr::NULL, dtype: T::DTYPE, rows: 0, cols: 0, ld: 1, layout: Layout::ColumnMajor };
    Gemm {
        op_a,
        op_b,
        alpha: ScalarValue::new(alpha),
        a: none,
        b: none,
        beta: ScalarValue::new(beta),
        c: none,
        batch: 0,
        strides: [0; 3],
        precision,
    }
}
