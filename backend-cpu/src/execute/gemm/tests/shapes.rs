//! Dimensions, layouts, transpositions and batches.

use super::fixture::{Case, LAYOUTS, OPS, PLAIN};
use super::{check, for_gemm_types};
use crate::execute::level1::fixture::Random;
use warpwave_core::{Complex32, Complex64, Layout, Op, bf16, f16};

#[test]
fn every_op_and_layout() {
    let mut random = Random(1);
    for (m, n, k) in [(5, 7, 3), (17, 18, 33)] {
        for op_a in OPS {
            for op_b in OPS {
                for layouts in 0..8 {
                    let layouts = [LAYOUTS[layouts & 1], LAYOUTS[layouts >> 1 & 1], LAYOUTS[layouts >> 2]];
                    let case = Case { m, n, k, ops: [op_a, op_b], layouts, pad: 2, ..PLAIN };
                    for_gemm_types!(check(case, &mut random));
                }
            }
        }
    }
}

#[test]
fn sizes_around_every_unit() {
    let sizes = [0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129];
    let mut random = Random(2);
    for size in sizes {
        let mut other = || sizes[random.below(sizes.len())];
        let (a, b) = (other(), other());
        for (m, n, k) in [(size, a, b), (b, size, a), (a, b, size), (size, size, 1), (size, 1, size), (1, size, size)] {
            let layouts = [0; 3].map(|_| LAYOUTS[random.below(2)]);
            let ops = [0; 2].map(|_| OPS[random.below(3)]);
            let case = Case { m, n, k, ops, layouts, pad: random.below(3), ..PLAIN };
            for_gemm_types!(check(case, &mut random));
        }
    }
}

#[test]
fn several_blocks_and_threads() {
    let mut random = Random(3);
    for (m, n, k) in [(140, 250, 300), (1030, 3, 70), (5, 1100, 30), (20, 9, 1100), (300, 40, 1)] {
        for layout in LAYOUTS {
            let layouts = [Layout::RowMajor, layout, layout];
            let case = Case { m, n, k, layouts, ops: [Op::N, Op::C], pad: 1, ..PLAIN };
            for_gemm_types!(check(case, &mut random));
        }
    }
}

#[test]
fn batches() {
    let mut random = Random(5);
    for (m, n, k, batch) in [(3, 4, 5, 0), (3, 4, 5, 1), (3, 4, 5, 200), (20, 30, 40, 7), (70, 90, 80, 3)] {
        for shared in [[false, false], [true, false], [false, true], [true, true]] {
            let case = Case { m, n, k, batch, shared, pad: 1, ..PLAIN };
            for_gemm_types!(check(case, &mut random));
        }
    }
}
