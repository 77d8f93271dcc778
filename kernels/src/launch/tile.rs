//! Launches of the tile of `gemm.hip`, which serves all products of level 3.

use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::operation::{Layout, MatrixOperand, Ptr};
use warpwave_core::{DType, Op, ScalarValue, Uplo};

/// The flags of the kernels, as their text names them.
pub(super) mod flag {
    pub(in crate::launch) const CONJ_A: u32 = 1;
    pub(in crate::launch) const CONJ_B: u32 = 2;
    pub(in crate::launch) const LOWER: u32 = 4;
    pub(in crate::launch) const UPPER: u32 = 8;
    pub(in crate::launch) const A_UPPER: u32 = 16;
    pub(in crate::launch) const A_UNIT: u32 = 32;
    pub(in crate::launch) const DESCENDING: u32 = 128;
    pub(in crate::launch) const A_BY_DEPTH: u32 = 256;
    pub(in crate::launch) const B_BY_DEPTH: u32 = 512;
    pub(in crate::launch) const C_BY_ROW: u32 = 1024;
}

/// Which kernels make a product: for large tiles, and for small ones.
pub(super) type Family = [&'static str; 2];
pub(super) const GEMM: Family = ["gemm", "gemm_small"];
pub(super) const HERK: Family = ["herk", "herk_small"];
pub(super) const TRMM: Family = ["trmm", "trmm_small"];
pub(super) const TRMM_SWAPPED: Family = ["trmm_swapped", "trmm_swapped_small"];
pub(super) const TRSM_UPDATE: Family = ["trsm_update", "trsm_update_small"];

/// A matrix of a product: rows are along a side of the result, or sums run along them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub ptr: Arg,
    /// The distance between what is contiguous, in elements.
    pub ld: usize,
    /// Whether rows are contiguous.
    pub by_row: bool,
    /// Whether it enters as its conjugate.
    pub conj: bool,
    /// The distance to the next matrix of a batch, in elements.
    pub stride: usize,
}

impl Part {
    /// `op` of a matrix.
    pub(super) fn new(matrix: &MatrixOperand, op: Op, stride: usize) -> Self {
        let by_row = (matrix.layout == Layout::RowMajor) != (op != Op::N);
        let conj = op == Op::C && matrix.dtype.is_complex();
        Part { ptr: Arg::Ptr(matrix.ptr), ld: matrix.ld, by_row, conj, stride }
    }

    /// The transpose.
    #[must_use]
    pub(super) fn transposed(self) -> Self {
        Part { by_row: !self.by_row, ..self }
    }

    /// The conjugate, of a complex matrix.
    #[must_use]
    pub(super) fn conjugated(self, dtype: DType) -> Self {
        Part { conj: self.conj != dtype.is_complex(), ..self }
    }

    /// From element (`row`, `col`) on.
    #[must_use]
    pub(super) fn from(self, dtype: DType, row: usize, col: usize) -> Self {
        let (outer, inner) = if self.by_row { (row, col) } else { (col, row) };
        let bytes = (outer * self.ld + inner) * dtype.size();
        let ptr = match self.ptr {
            Arg::Ptr(ptr) => Arg::Ptr(ptr.byte_add(bytes)),
            Arg::Scratch(start) => Arg::Scratch(start + bytes),
            other => other,
        };
        Part { ptr, ..self }
    }
}

/// `c = alpha · a · b + beta · c`, or what a [`Family`] makes of that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub family: Family,
    pub dtype: DType,
    /// Rows and columns of the result, and what is summed over.
    pub size: [usize; 3],
    pub alpha: ScalarValue,
    pub a: Part,
    pub b: Part,
    pub beta: ScalarValue,
    pub c: Part,
    /// The addresses of the matrices of a batch, if they are not at equal distances.
    pub pointers: Ptr,
    pub batch: usize,
    /// Those of [`flag`] that the parts do not say.
    pub flags: u32,
}

impl Product {
    /// Appends its launches.
    pub(super) fn push(&self, plan: &mut Plan, properties: &Properties) {
        let [m, n, k] = self.size;
        let (rows, cols) = large_tile(self.dtype);
        let tiles = m.div_ceil(rows).saturating_mul(n.div_ceil(cols)).saturating_mul(self.batch);
        // A small tile costs less than a large one that is filled to a half, or that leaves most processors without work.
        let large = (m > rows / 2 || n > cols / 2) && m.min(n) > 16 && 2 * tiles >= properties.processors as usize;
        let (name, threads, tiles) = match large {
            true => (self.family[0], 256, tiles),
            false => (self.family[1], 64, m.div_ceil(32).saturating_mul(n.div_ceil(32)).saturating_mul(self.batch)),
        };
        let entry = Entry::of("gemm", name, self.dtype);
        // A grid has fewer than 2³² threads.
        let most = (1_usize << 31) / threads as usize;
        for first in (0..tiles).step_by(most) {
            let blocks = u32::try_from(most.min(tiles - first)).unwrap_or(u32::MAX);
            let args = vec![
                Arg::U64(m as u64),
                Arg::U64(n as u64),
                Arg::U64(k as u64),
                Arg::Scalar(self.alpha),
                self.a.ptr,
                Arg::I64(self.a.ld as i64),
                Arg::I64(self.a.stride as i64),
                self.b.ptr,
                Arg::I64(self.b.ld as i64),
                Arg::I64(self.b.stride as i64),
                Arg::Scalar(self.beta),
                self.c.ptr,
                Arg::I64(self.c.ld as i64),
                Arg::I64(self.c.stride as i64),
                Arg::Ptr(self.pointers),
                Arg::U64(self.batch as u64),
                Arg::U64(first as u64),
                Arg::U32(self.flags()),
            ];
            plan.steps.push(Step::new(entry, blocks, threads, args));
        }
    }

    fn flags(&self) -> u32 {
        let mut flags = self.flags;
        for (condition, bit) in [
            (self.a.conj, flag::CONJ_A),
            (self.b.conj, flag::CONJ_B),
            (self.a.by_row, flag::A_BY_DEPTH),
            (!self.b.by_row, flag::B_BY_DEPTH),
            (self.c.by_row, flag::C_BY_ROW),
        ] {
            if condition {
                flags |= bit;
            }
        }
        flags
    }
}

/// Rows and columns of a large tile.
fn large_tile(dtype: DType) -> (usize, usize) {
    match dtype {
        DType::F64 | DType::C32 => (128, 64),
        DType::C64 => (64, 64),
        _ => (128, 128),
    }
}

/// The flag for one triangle of the result.
pub(super) fn triangle(uplo: Uplo) -> u32 {
    if uplo == Uplo::Lower { flag::LOWER } else { flag::UPPER }
}

/// `c = beta · c` of a batch, on one triangle if any is named.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// `gemm_scale`, or `herk_scale` where the diagonal is real.
    pub name: &'static str,
    pub dtype: DType,
    /// Rows and columns.
    pub size: [usize; 2],
    pub beta: ScalarValue,
    pub c: Part,
    pub pointers: Ptr,
    pub batch: usize,
    pub uplo: Option<Uplo>,
}

impl Scale {
    /// Appends the launch.
    pub(super) fn push(&self, plan: &mut Plan, properties: &Properties) {
        let [rows, cols] = self.size;
        let (run, runs) = if self.c.by_row { (cols, rows) } else { (rows, cols) };
        // Below the diagonal the number of the row is the larger one.
        let triangle = match self.uplo {
            None => 0,
            Some(uplo) => {
                if (uplo == Uplo::Lower) != self.c.by_row {
                    1
                } else {
                    2
                }
            }
        };
        let items = run.saturating_mul(runs).saturating_mul(self.batch);
        let args = vec![
            Arg::U64(run as u64),
            Arg::U64(runs as u64),
            Arg::Scalar(self.beta),
            self.c.ptr,
            Arg::I64(self.c.ld as i64),
            Arg::I64(self.c.stride as i64),
            Arg::Ptr(self.pointers),
            Arg::U64(self.batch as u64),
            Arg::U32(triangle),
        ];
        let blocks = properties.blocks(items, 256, 4, 8);
        plan.steps.push(Step::new(Entry::of("gemm", self.name, self.dtype), blocks, 256, args));
    }
}
