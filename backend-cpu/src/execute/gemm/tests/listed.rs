//! Batches of matrices that a table lists.

use super::fixture::{Case, Data, LAYOUTS, PLAIN};
use super::for_gemm_types;
use crate::execute::gemm::microkernel::Microkernel;
use crate::execute::level1::fixture::{Guarded, Random, Sample, Shape, assert_bits, on_each_device};
use warpwave_core::numerics::blas::GemmArithmetic;
use warpwave_core::operation::{Gemm, Ptr, Span};
use warpwave_core::{Complex32, Complex64, DType, Operation, Precision, ScalarValue, bf16, f16};

/// A table of addresses gives what equal distances do, in any order and from different allocations.
fn listed<T: Sample + GemmArithmetic<Compute: Sample + Microkernel>>(precision: Precision) {
    let mut random = Random(17);
    for (m, n, k) in [(1, 1, 1), (5, 7, 3), (40, 33, 20), (3, 2, 0)] {
        let case = Case { m, n, k, pad: 2, layouts: [LAYOUTS[0], LAYOUTS[1], LAYOUTS[0]], batch: 3, ..PLAIN };
        let data = Data::<T>::new(&case, &mut random, T::ordinary);
        let (alpha, beta) = case.scalars::<T>();
        let shapes = case.shapes();
        let strided = std::cell::RefCell::new(Vec::new());
        data.results(&case, precision, |c| *strided.borrow_mut() = c.to_vec());
        on_each_device(|run| {
            let parts = |values: &[T], shape: Shape| -> Vec<Guarded<T>> {
                let size = shape.rows * shape.cols;
                (0..3).map(|i| Guarded::matrices(&values[i * size..(i + 1) * size], shape, 0)).collect()
            };
            let (mut a, mut b, mut c) =
                (parts(&data.a, shapes[0]), parts(&data.b, shapes[1]), parts(&data.c, shapes[2]));
            let mut table: Vec<u64> =
                [&mut a, &mut b, &mut c].into_iter().flatten().map(|matrix| matrix.ptr().expose() as u64).collect();
            let pointers = Span { ptr: Ptr::new(table.as_mut_ptr().cast()), dtype: DType::U64, len: 9 };
            run(Operation::GemmBatched {
                gemm: Gemm {
                    op_a: case.ops[0],
                    op_b: case.ops[1],
                    alpha: ScalarValue::new(alpha),
                    a: a[0].operand(shapes[0]),
                    b: b[0].operand(shapes[1]),
                    beta: ScalarValue::new(beta),
                    c: c[0].operand(shapes[2]),
                    batch: 3,
                    strides: [0; 3],
                    precision,
                },
                pointers,
            });
            let got: Vec<T> = c.iter().flat_map(Guarded::values).collect();
            assert_bits(&got, &strided.borrow(), format!("{case:?} {precision}"));
        });
    }
}

#[test]
fn a_table_of_addresses_is_followed() {
    for precision in [Precision::Strict, Precision::Reproducible] {
        for_gemm_types!(listed(precision));
    }
}
