//! What a vendor's BLAS is asked for is what the operation means, for every layout, side, triangle and transposition: calls are carried out by the
//! definition of column-major BLAS, and compared with the operation's own definition by rows and columns.
#![allow(clippy::unwrap_used)]

use warpwave_core::operation::{
    Gemm, Gemv, Layout, MatrixOperand, Ptr, RankUpdate, Strided, Symm, TriangularMatrix, TriangularProduct,
};
use warpwave_core::{Complex64, DType, Diag, Op, Operation, Precision, ScalarValue, Side, Uplo};
use warpwave_kernels::blas::{Batch, Call, Matrix, call};

const LAYOUTS: [Layout; 2] = [Layout::ColumnMajor, Layout::RowMajor];
const OPS: [Op; 3] = [Op::N, Op::T, Op::C];
const UPLOS: [Uplo; 2] = [Uplo::Lower, Uplo::Upper];
const SIDES: [Side; 2] = [Side::Left, Side::Right];

type C = Complex64;

fn c(re: f64, im: f64) -> C {
    C::new(re, im)
}

/// Memory of complex numbers, small integers, so that all arithmetic is exact.
fn memory(len: usize, seed: i64) -> Vec<C> {
    let number = |i: usize, k: i64| ((i as i64 * 7 + k * 13 + seed * 29) % 11 - 5) as f64;
    (0..len).map(|i| c(number(i, 1), number(i, 2))).collect()
}

fn operand(data: &mut [C], rows: usize, cols: usize, layout: Layout) -> MatrixOperand {
    let run = if layout == Layout::ColumnMajor { rows } else { cols };
    MatrixOperand { ptr: Ptr::new(data.as_mut_ptr().cast()), dtype: DType::C64, rows, cols, ld: run + 2, layout }
}

/// Room for a matrix of up to 6 × 6 in either layout.
const ROOM: usize = 6 * 8;

/// Element (i, j) by the definition of a matrix of the operation.
fn index(m: &MatrixOperand, i: usize, j: usize) -> usize {
    i * m.row_stride() + j * m.col_stride()
}

fn conj_if(x: C, conj: bool) -> C {
    if conj { x.conj() } else { x }
}

/// A matrix as a function of row and column.
type Entries<'a> = Box<dyn Fn(usize, usize) -> C + 'a>;

fn of<'a>(data: &'a [C], m: MatrixOperand) -> Entries<'a> {
    Box::new(move |i, j| data[index(&m, i, j)])
}

/// Column-major, as a call has it.
fn at<'a>(data: &'a [C], m: Matrix) -> Entries<'a> {
    Box::new(move |i, j| data[i + j * m.ld as usize])
}

fn with_op<'a>(a: Entries<'a>, op: Op) -> Entries<'a> {
    match op {
        Op::N => a,
        _ => Box::new(move |i, j| conj_if(a(j, i), op == Op::C)),
    }
}

/// The whole of a matrix of which one triangle is stored.
fn symmetric<'a>(a: Entries<'a>, uplo: Uplo, hermitian: bool) -> Entries<'a> {
    Box::new(move |i, j| {
        let stored = if uplo == Uplo::Lower { i >= j } else { i <= j };
        match (i == j, stored) {
            (true, _) if hermitian => c(a(i, i).re, 0.0),
            (_, true) => a(i, j),
            _ => conj_if(a(j, i), hermitian),
        }
    })
}

fn triangle<'a>(a: Entries<'a>, uplo: Uplo, diag: Diag) -> Entries<'a> {
    Box::new(move |i, j| match (i == j, if uplo == Uplo::Lower { i > j } else { i < j }) {
        (true, _) if diag == Diag::Unit => c(1.0, 0.0),
        (true, _) | (_, true) => a(i, j),
        _ => c(0.0, 0.0),
    })
}

fn product(a: &Entries<'_>, b: &Entries<'_>, i: usize, j: usize, k: usize) -> C {
    (0..k).map(|l| a(i, l) * b(l, j)).sum()
}

fn get(value: &ScalarValue) -> C {
    value.get::<C>().or_else(|| Some(c(value.get::<f64>()?, 0.0))).unwrap()
}

/// Carries a gemm, symm or syrk out by its column-major definition: what `c` becomes, whole or in one triangle.
fn carry_out(call: &Call, [a, b, before]: [&[C]; 3]) -> Vec<C> {
    let mut out = before.to_vec();
    let mut update = |c: &Matrix, [m, n]: [i64; 2], only: Option<Uplo>, beta: C, new: &dyn Fn(usize, usize) -> C| {
        for (i, j) in (0..m as usize).flat_map(|i| (0..n as usize).map(move |j| (i, j))) {
            if only.is_none_or(|uplo| if uplo == Uplo::Lower { i >= j } else { i <= j }) {
                let at = i + j * c.ld as usize;
                out[at] = new(i, j) + beta * before[at];
            }
        }
    };
    match *call {
        Call::Gemm { op_a, op_b, size: [m, n, k], alpha, a: ma, b: mb, beta, c, batch: Batch::One, .. } => {
            // The call may have them in the other order.
            let data = |m: Matrix| if m.ptr == Ptr::new(a.as_ptr().cast_mut().cast()) { a } else { b };
            let (left, right) = (with_op(at(data(ma), ma), op_a), with_op(at(data(mb), mb), op_b));
            update(&c, [m, n], None, get(&beta), &|i, j| get(&alpha) * product(&left, &right, i, j, k as usize));
        }
        Call::Symm { hermitian, side, uplo, size: [m, n], alpha, a: ma, b: mb, beta, c } => {
            let (whole, other) = (symmetric(at(a, ma), uplo, hermitian), at(b, mb));
            update(&c, [m, n], None, get(&beta), &|i, j| {
                get(&alpha)
                    * match side {
                        Side::Left => product(&whole, &other, i, j, m as usize),
                        _ => product(&other, &whole, i, j, n as usize),
                    }
            });
        }
        Call::Syrk { hermitian, uplo, op, size: [n, k], alpha, a: ma, beta, c, .. } => {
            let left = with_op(at(a, ma), op);
            update(&c, [n, n], Some(uplo), get(&beta), &|i, j| {
                get(&alpha) * (0..k as usize).map(|l| left(i, l) * conj_if(left(j, l), hermitian)).sum::<C>()
            });
        }
        Call::Triangular { solve: false, side, uplo, op, diag, size: [m, n], alpha, a: ma, b: mb } => {
            let (factor, other) = (with_op(triangle(at(a, ma), uplo, diag), op), at(b, mb));
            update(&mb, [m, n], None, C::new(0.0, 0.0), &|i, j| {
                get(&alpha)
                    * match side {
                        Side::Left => product(&factor, &other, i, j, m as usize),
                        _ => product(&other, &factor, i, j, n as usize),
                    }
            });
        }
        ref other => panic!("{other:?}"),
    }
    out
}

/// Whether all of a matrix, or one triangle, is what the definition says; and whatever else lies there is as it was.
fn assert_is(
    got: &[C],
    before: &[C],
    m: MatrixOperand,
    only: Option<Uplo>,
    what: &str,
    new: &dyn Fn(usize, usize) -> C,
) {
    let mut expected = before.to_vec();
    for (i, j) in (0..m.rows).flat_map(|i| (0..m.cols).map(move |j| (i, j))) {
        if only.is_none_or(|uplo| if uplo == Uplo::Lower { i >= j } else { i <= j }) {
            expected[index(&m, i, j)] = new(i, j);
        }
    }
    assert!(got == expected, "{what}");
}

fn scalar(re: f64, im: f64) -> ScalarValue {
    ScalarValue::new(c(re, im))
}

#[test]
fn products() {
    let (m, n, k) = (3, 4, 5);
    let (mut calls, mut left) = (0, 0);
    for (la, lb, lc, op_a, op_b) in combinations() {
        let (mut a, mut b, mut out) = (memory(ROOM, 1), memory(ROOM, 2), memory(ROOM, 3));
        let shape = |op: Op, rows, cols| if op == Op::N { (rows, cols) } else { (cols, rows) };
        let ((ar, ac), (br, bc)) = (shape(op_a, m, k), shape(op_b, k, n));
        let (ma, mb, mc) = (operand(&mut a, ar, ac, la), operand(&mut b, br, bc, lb), operand(&mut out, m, n, lc));
        let (alpha, beta) = (scalar(2.0, 1.0), scalar(-1.0, 3.0));
        let gemm = Gemm {
            op_a,
            op_b,
            alpha,
            a: ma,
            b: mb,
            beta,
            c: mc,
            batch: 1,
            strides: [0; 3],
            precision: Precision::Strict,
        };
        let Some(call) = call(&Operation::Gemm(gemm)) else {
            left += 1;
            // A conjugate that is not transposed, in what is stored.
            assert!(op_a == Op::C && la != lc || op_b == Op::C && lb != lc, "{op_a:?} {op_b:?} {la:?} {lb:?} {lc:?}");
            continue;
        };
        calls += 1;
        let got = carry_out(&call, [&a, &b, &out]);
        let (x, y) = (with_op(of(&a, ma), op_a), with_op(of(&b, mb), op_b));
        let what = format!("gemm {la:?} {lb:?} {lc:?} {op_a:?} {op_b:?}");
        assert_is(&got, &out, mc, None, &what, &|i, j| {
            get(&alpha) * product(&x, &y, i, j, k) + get(&beta) * out[index(&mc, i, j)]
        });
    }
    // Of the 72, those in which neither factor is conjugated in place.
    assert_eq!((calls, left), (50, 22));
}

fn combinations() -> impl Iterator<Item = (Layout, Layout, Layout, Op, Op)> {
    LAYOUTS.into_iter().flat_map(|a| {
        LAYOUTS.into_iter().flat_map(move |b| {
            LAYOUTS
                .into_iter()
                .flat_map(move |c| OPS.into_iter().flat_map(move |x| OPS.into_iter().map(move |y| (a, b, c, x, y))))
        })
    })
}

#[test]
fn symmetric_products() {
    let (m, n, mut calls) = (3, 4, 0);
    for (la, lb, lc, _, _) in combinations().step_by(9) {
        for (side, uplo, hermitian) in
            SIDES.into_iter().flat_map(|s| UPLOS.into_iter().flat_map(move |u| [false, true].map(|h| (s, u, h))))
        {
            let order = if side == Side::Left { m } else { n };
            let (mut a, mut b, mut out) = (memory(ROOM, 1), memory(ROOM, 2), memory(ROOM, 3));
            let (ma, mb, mc) =
                (operand(&mut a, order, order, la), operand(&mut b, m, n, lb), operand(&mut out, m, n, lc));
            let (alpha, beta) = (scalar(2.0, 1.0), scalar(-1.0, 3.0));
            let precision = Precision::Strict;
            let symm = Symm { hermitian, side, uplo, alpha, a: ma, b: mb, beta, c: mc, precision };
            let Some(call) = call(&Operation::Symm(symm)) else {
                assert!(lb != lc || hermitian && la != lc);
                continue;
            };
            calls += 1;
            let got = carry_out(&call, [&a, &b, &out]);
            let (whole, other) = (symmetric(of(&a, ma), uplo, hermitian), of(&b, mb));
            let what = format!("symm {la:?} {lb:?} {lc:?} {side:?} {uplo:?} {hermitian}");
            assert_is(&got, &out, mc, None, &what, &|i, j| {
                let product = match side {
                    Side::Left => product(&whole, &other, i, j, m),
                    _ => product(&other, &whole, i, j, n),
                };
                get(&alpha) * product + get(&beta) * out[index(&mc, i, j)]
            });
        }
    }
    assert_eq!(calls, 4 * 4 + 2 * 4);
}

#[test]
fn rank_updates() {
    let (n, k, mut calls) = (4, 3, 0);
    for (la, lc, uplo, hermitian, plain) in LAYOUTS.into_iter().flat_map(|a| {
        LAYOUTS.into_iter().flat_map(move |c| {
            UPLOS.into_iter().flat_map(move |u| {
                [false, true].into_iter().flat_map(move |h| [false, true].map(move |p| (a, c, u, h, p)))
            })
        })
    }) {
        let op = match (plain, hermitian) {
            (true, _) => Op::N,
            (false, true) => Op::C,
            (false, false) => Op::T,
        };
        let (mut a, mut out) = (memory(ROOM, 1), memory(ROOM, 3));
        let (rows, cols) = if plain { (n, k) } else { (k, n) };
        let (ma, mc) = (operand(&mut a, rows, cols, la), operand(&mut out, n, n, lc));
        let number = |re, im| if hermitian { ScalarValue::new(re) } else { scalar(re, im) };
        let (alpha, beta) = (number(2.0, 1.0), number(-1.0, 3.0));
        let update = RankUpdate { hermitian, uplo, op, alpha, a: ma, beta, c: mc, precision: Precision::Strict };
        let Some(call) = call(&Operation::Syrk(update)) else {
            assert!(hermitian && la != lc);
            continue;
        };
        calls += 1;
        let got = carry_out(&call, [&a, &[], &out]);
        let left = with_op(of(&a, ma), op);
        let what = format!("syrk {la:?} {lc:?} {uplo:?} {hermitian} {op:?}");
        assert_is(&got, &out, mc, Some(uplo), &what, &|i, j| {
            let sum = (0..k).map(|l| left(i, l) * conj_if(left(j, l), hermitian)).sum::<C>();
            get(&alpha) * sum + get(&beta) * out[index(&mc, i, j)]
        });
    }
    assert_eq!(calls, 16 + 8);
}

/// Products with triangles, and solves: a solve is the same call, and the right one if the product is.
#[test]
fn triangular_products() {
    let (m, n, mut calls) = (3, 4, 0);
    for (la, lb, side, uplo, op, diag) in LAYOUTS.into_iter().flat_map(|a| {
        LAYOUTS.into_iter().flat_map(move |b| {
            SIDES.into_iter().flat_map(move |s| {
                UPLOS.into_iter().flat_map(move |u| {
                    OPS.into_iter().flat_map(move |o| [Diag::Unit, Diag::NonUnit].map(move |d| (a, b, s, u, o, d)))
                })
            })
        })
    }) {
        let order = if side == Side::Left { m } else { n };
        let (mut a, mut b) = (memory(ROOM, 1), memory(ROOM, 2));
        let (ma, mb) = (operand(&mut a, order, order, la), operand(&mut b, m, n, lb));
        let alpha = scalar(2.0, 1.0);
        let matrix = TriangularMatrix { uplo, op, diag, matrix: ma };
        let arguments = TriangularProduct {
            side,
            alpha,
            a: matrix,
            b: mb,
            batch: 1,
            strides: [0; 2],
            precision: Precision::Strict,
        };
        let (Some(found), solve) = (call(&Operation::Trmm(arguments)), call(&Operation::Trsm(arguments))) else {
            assert!(op == Op::C && la != lb);
            continue;
        };
        calls += 1;
        let Call::Triangular { solve: false, side: s, uplo: u, op: o, diag: d, size, alpha: f, a: ca, b: cb } = found
        else {
            panic!("{found:?}");
        };
        let same = Call::Triangular { solve: true, side: s, uplo: u, op: o, diag: d, size, alpha: f, a: ca, b: cb };
        assert_eq!(solve, Some(same));
        let got = carry_out(&found, [&a, &b, &b]);
        let (factor, other) = (with_op(triangle(of(&a, ma), uplo, diag), op), of(&b, mb));
        let what = format!("trmm {la:?} {lb:?} {side:?} {uplo:?} {op:?} {diag:?}");
        assert_is(&got, &b, mb, None, &what, &|i, j| {
            get(&alpha)
                * match side {
                    Side::Left => product(&factor, &other, i, j, m),
                    _ => product(&other, &factor, i, j, n),
                }
        });
    }
    assert_eq!(calls, 2 * 2 * 2 * 2 * 3 * 2 - 2 * 2 * 2 * 2);
}

/// A vector keeps its lowest address and its increment, as reference BLAS has them; the matrix is that which is stored.
#[test]
fn products_with_vectors() {
    let (mut a, mut x, mut y) = (memory(ROOM, 1), memory(20, 2), memory(20, 3));
    for (layout, op) in LAYOUTS.into_iter().flat_map(|layout| OPS.map(|op| (layout, op))) {
        let ma = operand(&mut a, 3, 4, layout);
        let vector = |data: &mut Vec<C>, len, inc| Strided {
            base: Ptr::new(data.as_mut_ptr().cast()),
            dtype: DType::C64,
            len,
            inc,
        };
        let (nx, ny) = if op == Op::N { (4, 3) } else { (3, 4) };
        let (vx, vy) = (vector(&mut x, nx, -2), vector(&mut y, ny, 3));
        let (alpha, beta) = (scalar(1.0, 0.0), scalar(0.0, 0.0));
        let gemv = Gemv { op, alpha, a: ma, x: vx, beta, y: vy, precision: Precision::Strict };
        let Some(call) = call(&Operation::Gemv(gemv)) else {
            assert!(op == Op::C && layout == Layout::RowMajor);
            continue;
        };
        let Call::Gemv { op: o, size, a: stored, x: cx, y: cy, .. } = call else { panic!("{call:?}") };
        assert_eq!((cx, cy), ((vx.base, -2), (vy.base, 3)));
        let got = with_op(at(&a, stored), o);
        let (expected, rows, cols) = (with_op(of(&a, ma), op), ny, nx);
        for (i, j) in (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j))) {
            assert_eq!(got(i, j), expected(i, j), "{layout:?} {op:?}");
        }
        let (m, n) = ma.runs();
        assert_eq!(size, [m as i64, n as i64]);
    }
}

/// What a library may do in its own way is not asked of it.
#[test]
fn what_is_left_to_the_kernels() {
    let mut a = memory(ROOM, 1);
    let m = operand(&mut a, 4, 4, Layout::ColumnMajor);
    let (one, zero) = (scalar(1.0, 0.0), scalar(0.0, -0.0));
    let gemm = Gemm {
        op_a: Op::N,
        op_b: Op::N,
        alpha: one,
        a: m,
        b: m,
        beta: one,
        c: m,
        batch: 1,
        strides: [0; 3],
        precision: Precision::Strict,
    };
    assert!(call(&Operation::Gemm(gemm)).is_some());
    let empty = MatrixOperand { cols: 0, ..m };
    for left in [
        Gemm { alpha: zero, ..gemm },
        Gemm { precision: Precision::Reproducible, ..gemm },
        Gemm { a: empty, b: MatrixOperand { rows: 0, ..m }, ..gemm },
    ] {
        assert_eq!(call(&Operation::Gemm(left)), None);
    }
    // The leading dimension of a single run may be anything.
    let column = MatrixOperand { cols: 1, ld: usize::MAX, ..m };
    let Some(Call::Gemm { b, c, .. }) = call(&Operation::Gemm(Gemm { b: column, c: column, ..gemm })) else { panic!() };
    assert_eq!((b.ld, c.ld), (4, 4));
}
