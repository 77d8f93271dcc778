//! What a vendor's BLAS is asked for: operations as calls of column-major BLAS, as cuBLAS and rocBLAS have it.
//!
//! [`call`] is where the semantics of [`warpwave_core::Blas`] meet a library's. A row-major matrix is the transpose of a column-major one, which
//! changes sides, triangles and transpositions; what no call can express is left to the kernels: a matrix that would have to be conjugated but not
//! transposed, operands whose layouts do not go together, batches of solves. So is what a library may do in its own way: `alpha` = 0, which must not
//! read the matrices, and empty sums.

use crate::launch::is_zero;
use warpwave_core::operation::{Gemm, Gemv, Layout, MatrixOperand, Ptr, RankUpdate, Strided, Symm, TriangularProduct};
use warpwave_core::{DType, Diag, Op, Operation, Precision, ScalarValue, Side, Uplo};

/// A column-major matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix {
    /// Element (0, 0); of a batch by pointers, the address of the list of such addresses.
    pub ptr: Ptr,
    /// The distance from one column to the next, in elements: at least the number of rows.
    pub ld: i64,
    /// The distance from one matrix of a batch to the next, in elements.
    pub stride: i64,
}

/// How many matrices a product is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// One.
    One,
    /// So many, at equal distances.
    Strided(i64),
    /// So many, at addresses that lie in the device's memory.
    Pointers(i64),
}

/// A call of a library. Sizes are not 0, `alpha` is not 0, and sums are not empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Call {
    /// `c = alpha · op(a) · op(b) + beta · c`; `c` is `m × n`.
    Gemm {
        /// How `a` enters.
        op_a: Op,
        /// How `b` enters.
        op_b: Op,
        /// `m`, `n`, `k`.
        size: [i64; 3],
        /// In the type of [`warpwave_core::GemmElement::Compute`].
        alpha: ScalarValue,
        /// `m × k` or `k × m`.
        a: Matrix,
        /// `k × n` or `n × k`.
        b: Matrix,
        /// Of the type of `alpha`.
        beta: ScalarValue,
        /// `m × n`.
        c: Matrix,
        /// The elements' type.
        dtype: DType,
        /// How many.
        batch: Batch,
        /// [`Precision::Strict`] or [`Precision::Fast`].
        precision: Precision,
    },
    /// `y = alpha · op(a) · x + beta · y`; `a` is `m × n`.
    Gemv {
        /// How `a` enters.
        op: Op,
        /// `m`, `n`.
        size: [i64; 2],
        /// Of the elements' type.
        alpha: ScalarValue,
        /// The matrix.
        a: Matrix,
        /// The lowest address, and the distance of elements, as reference BLAS has them.
        x: (Ptr, i64),
        /// Of the elements' type.
        beta: ScalarValue,
        /// As `x`.
        y: (Ptr, i64),
    },
    /// `c = alpha · a · b + beta · c`, or `alpha · b · a + beta · c`; `c` is `m × n`.
    Symm {
        /// Whether `a` is Hermitian rather than symmetric.
        hermitian: bool,
        /// Where `a` stands.
        side: Side,
        /// The triangle that is stored.
        uplo: Uplo,
        /// `m`, `n`.
        size: [i64; 2],
        /// Of the elements' type.
        alpha: ScalarValue,
        /// The symmetric matrix.
        a: Matrix,
        /// The other.
        b: Matrix,
        /// Of the elements' type.
        beta: ScalarValue,
        /// Updated.
        c: Matrix,
    },
    /// `c = alpha · op(a) · op(a)ᵀ + beta · c` on one triangle, or with the conjugate transpose.
    Syrk {
        /// Whether the second factor is the conjugate transpose; `alpha` and `beta` are then real.
        hermitian: bool,
        /// The triangle that is updated.
        uplo: Uplo,
        /// How `a` enters as the left factor.
        op: Op,
        /// `n`, `k`.
        size: [i64; 2],
        /// Of the elements' type, or of the magnitude's.
        alpha: ScalarValue,
        /// `n × k` or `k × n`.
        a: Matrix,
        /// Of the type of `alpha`.
        beta: ScalarValue,
        /// `n × n`.
        c: Matrix,
        /// The elements' type.
        dtype: DType,
    },
    /// `b = alpha · op(a) · b`, or `alpha · b · op(a)`, in place; or the solution `x` of the same with `op(a) · x = alpha · b`.
    Triangular {
        /// Whether it is a solve.
        solve: bool,
        /// Where `a` stands.
        side: Side,
        /// The triangle that is stored.
        uplo: Uplo,
        /// How `a` enters.
        op: Op,
        /// Whether the diagonal is read.
        diag: Diag,
        /// `m`, `n` of `b`.
        size: [i64; 2],
        /// Of the elements' type.
        alpha: ScalarValue,
        /// The triangular matrix.
        a: Matrix,
        /// Read and written.
        b: Matrix,
    },
}

/// The call that an operation is; `None` if the kernels are to do it.
pub fn call(operation: &Operation) -> Option<Call> {
    match operation {
        Operation::Gemm(arguments) => {
            let batch = if arguments.batch == 1 { Batch::One } else { Batch::Strided(size(arguments.batch)?) };
            gemm(arguments, batch, None)
        }
        Operation::GemmBatched { gemm: arguments, pointers } => {
            gemm(arguments, Batch::Pointers(size(arguments.batch)?), Some(pointers.ptr))
        }
        Operation::Gemv(arguments) => gemv(arguments),
        Operation::Symm(arguments) => symm(arguments),
        Operation::Syrk(arguments) => syrk(arguments),
        Operation::Trmm(arguments) => triangular(false, arguments),
        Operation::Trsm(arguments) => triangular(true, arguments),
        _ => None,
    }
}

/// A size as libraries take it.
fn size(n: usize) -> Option<i64> {
    i64::try_from(n).ok()
}

/// The column-major matrix that lies where this one does: itself, or its transpose.
fn stored(matrix: &MatrixOperand) -> Option<Matrix> {
    let (run, runs) = matrix.runs();
    // Of a single run the leading dimension may be anything.
    let ld = if runs > 1 { matrix.ld } else { run };
    Some(Matrix { ptr: matrix.ptr, ld: size(ld.max(1))?, stride: 0 })
}

fn is_row_major(matrix: &MatrixOperand) -> bool {
    matrix.layout == Layout::RowMajor
}

/// How what is stored enters, if the matrix or its transpose enters by `op`, and what is stored is the matrix or its transpose.
fn enters(op: Op, transposed: bool) -> Option<Op> {
    match (op, transposed) {
        (op, false) => Some(op),
        (Op::N, true) => Some(Op::T),
        (Op::T, true) => Some(Op::N),
        // The conjugate, not transposed.
        (_, true) => None,
    }
}

/// [`Op::C`] of real numbers is [`Op::T`].
fn plain(op: Op, dtype: DType) -> Op {
    if op == Op::C && !dtype.is_complex() { Op::T } else { op }
}

fn other(uplo: Uplo) -> Uplo {
    match uplo {
        Uplo::Lower => Uplo::Upper,
        _ => Uplo::Lower,
    }
}

fn other_side(side: Side) -> Side {
    match side {
        Side::Left => Side::Right,
        _ => Side::Left,
    }
}

fn gemm(g: &Gemm, batch: Batch, pointers: Option<Ptr>) -> Option<Call> {
    let dtype = g.c.dtype;
    if g.precision == Precision::Reproducible || is_zero(&g.alpha) || g.k() == 0 {
        return None;
    }
    // What is stored of a row-major `c` is its transpose: the product of the transposes in the other order.
    let turned = is_row_major(&g.c);
    let factor = |matrix: &MatrixOperand, op: Op, which: usize| {
        let op = plain(op, dtype);
        let op = enters(op, is_row_major(matrix) != turned)?;
        let mut found = Matrix { stride: size(g.strides[which])?, ..stored(matrix)? };
        if let Some(list) = pointers {
            found.ptr = list.byte_add(which * g.batch * size_of::<u64>());
        }
        Some((op, found))
    };
    let (first, second) = (factor(&g.a, g.op_a, 0)?, factor(&g.b, g.op_b, 1)?);
    let (_, c) = factor(&g.c, Op::N, 2)?;
    let ((op_a, a), (op_b, b)) = if turned { (second, first) } else { (first, second) };
    let (m, n) = if turned { (g.c.cols, g.c.rows) } else { (g.c.rows, g.c.cols) };
    let size = [size(m)?, size(n)?, size(g.k())?];
    Some(Call::Gemm { op_a, op_b, size, alpha: g.alpha, a, b, beta: g.beta, c, dtype, batch, precision: g.precision })
}

fn gemv(g: &Gemv) -> Option<Call> {
    if g.precision == Precision::Reproducible || is_zero(&g.alpha) || g.a.is_empty() || g.x.inc == 0 && g.x.len > 1 {
        return None;
    }
    let op = enters(plain(g.op, g.a.dtype), is_row_major(&g.a))?;
    let (m, n) = g.a.runs();
    // Libraries refuse 0, which a vector of one element may have.
    let vector = |v: &Strided| Some((v.base, if v.len <= 1 { 1 } else { i64::try_from(v.inc).ok()? }));
    Some(Call::Gemv {
        op,
        size: [size(m)?, size(n)?],
        alpha: g.alpha,
        a: stored(&g.a)?,
        x: vector(&g.x)?,
        beta: g.beta,
        y: vector(&g.y)?,
    })
}

fn symm(s: &Symm) -> Option<Call> {
    if s.precision == Precision::Reproducible || is_zero(&s.alpha) || s.b.layout != s.c.layout {
        return None;
    }
    let turned = is_row_major(&s.c);
    let across = is_row_major(&s.a);
    // The transpose of a Hermitian matrix is its conjugate, which no call has.
    if s.hermitian && s.c.dtype.is_complex() && across != turned {
        return None;
    }
    let (m, n) = s.c.runs();
    Some(Call::Symm {
        hermitian: s.hermitian && s.c.dtype.is_complex(),
        side: if turned { other_side(s.side) } else { s.side },
        uplo: if across { other(s.uplo) } else { s.uplo },
        size: [size(m)?, size(n)?],
        alpha: s.alpha,
        a: stored(&s.a)?,
        b: stored(&s.b)?,
        beta: s.beta,
        c: stored(&s.c)?,
    })
}

fn syrk(s: &RankUpdate) -> Option<Call> {
    if s.precision == Precision::Reproducible || is_zero(&s.alpha) || s.k() == 0 {
        return None;
    }
    let dtype = s.c.dtype;
    let hermitian = s.hermitian && dtype.is_complex();
    let (turned, across) = (is_row_major(&s.c), is_row_major(&s.a));
    if hermitian && turned != across {
        return None;
    }
    // Of what is stored: by itself first, or its transpose.
    let first = (s.op == Op::N) != across;
    let op = match (first, hermitian) {
        (true, _) => Op::N,
        (false, true) => Op::C,
        (false, false) => Op::T,
    };
    Some(Call::Syrk {
        hermitian,
        uplo: if turned { other(s.uplo) } else { s.uplo },
        op,
        size: [size(s.c.rows)?, size(s.k())?],
        alpha: s.alpha,
        a: stored(&s.a)?,
        beta: s.beta,
        c: stored(&s.c)?,
        dtype,
    })
}

fn triangular(solve: bool, t: &TriangularProduct) -> Option<Call> {
    if t.precision == Precision::Reproducible || is_zero(&t.alpha) || t.batch != 1 {
        return None;
    }
    let (turned, across) = (is_row_major(&t.b), is_row_major(&t.a.matrix));
    let op = enters(plain(t.a.op, t.b.dtype), turned != across)?;
    let (m, n) = t.b.runs();
    Some(Call::Triangular {
        solve,
        side: if turned { other_side(t.side) } else { t.side },
        uplo: if across { other(t.a.uplo) } else { t.a.uplo },
        op,
        diag: t.a.diag,
        size: [size(m)?, size(n)?],
        alpha: t.alpha,
        a: stored(&t.a.matrix)?,
        b: stored(&t.b)?,
    })
}
