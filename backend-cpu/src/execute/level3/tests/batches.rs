//! Batches whose stride leads nowhere.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use crate::CpuBackend;
use crate::CpuDevice;
use warpwave_core::{AsView, AsViewMut, Blas, BlasTriangle, Device, Diag, Layout, Op, Side, Stream, Uplo};

/// Matrices without elements, and a single one, may be any number of elements apart: nothing is multiplied by that.
#[test]
fn any_stride_between_matrices_that_are_not_there() {
    const COLUMNS: Layout = Layout::ColumnMajor;
    let device = CpuDevice::new(CpuBackend::inline()).unwrap();
    let stream = device.default_stream();
    let (none, one) = (stream.zeros::<f32>(0).unwrap(), stream.from_slice(&[3_f32]).unwrap());
    for stride in [usize::MAX, usize::MAX / 2, 1 << 62] {
        let mut c = stream.from_slice(&[1_f32; 12]).unwrap();
        let flat = none.view().batch(2, 0, 2, COLUMNS, stride, 3).unwrap();
        let tall = none.view().batch(0, 2, 1, COLUMNS, stride, 3).unwrap();
        let mut sums = c.view_mut().batch_mut(2, 2, 2, COLUMNS, 4, 3).unwrap();
        stream.gemm_strided_batched(Op::N, Op::N, 1.0, &flat, &tall, 2.0, &mut sums).unwrap();
        assert_eq!(stream.to_vec(&c).unwrap(), [2.0; 12]);

        let empty = none.view().batch(0, 0, 1, COLUMNS, stride, stride).unwrap();
        let mut other = stream.zeros::<f32>(0).unwrap();
        let mut nothing = other.view_mut().batch_mut(0, 5, 1, COLUMNS, stride, stride).unwrap();
        let call = (Side::Left, Uplo::Lower, Op::N, Diag::NonUnit);
        stream.trsm_strided_batched(call.0, call.1, call.2, call.3, 1.0, &empty, &mut nothing).unwrap();
        let single = one.view().batch(1, 1, 1, COLUMNS, stride, 1).unwrap();
        let mut b = stream.from_slice(&[6_f32]).unwrap();
        let mut right = b.view_mut().batch_mut(1, 1, 1, COLUMNS, stride, 1).unwrap();
        stream.trsm_strided_batched(call.0, call.1, call.2, call.3, 1.0, &single, &mut right).unwrap();
        assert_eq!(stream.to_vec(&b).unwrap(), [2.0]);
    }
}
