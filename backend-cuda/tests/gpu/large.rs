//! Buffers past 2^32 bytes, and 2-D copies whose rows are far apart.

use crate::{Outcome, check, device};
use warpwave_core::{AsView, AsViewMut, Blas, Buffer, Device, Layout, Op, Reduce, Scan, Stream};

/// More than 2^32 bytes, and more than 2^32 elements of one byte.
const LEN: usize = (1 << 32) + 4099;

/// Elements past 2^32 are where they should be, in copies, sums, prefix sums and products.
pub(crate) fn copied_reduced_scanned_multiplied() -> Outcome {
    let device = device()?;
    let stream = device.default_stream();
    // Ones, and a 2 at either end: what is lost or counted twice is seen.
    let mut x = stream.alloc::<u8>(LEN)?;
    stream.fill(&mut x, 1)?;
    stream.write(&mut x.slice_mut(..1)?, &[2])?;
    stream.write(&mut x.slice_mut(LEN - 1..)?, &[2])?;
    let mut y = stream.alloc::<u8>(LEN)?;
    stream.copy(&x, &mut y)?;
    let ends = |y: &_, at: usize| -> Result<Vec<u8>, warpwave_core::Error> {
        let y: &warpwave_core::ManagedBuffer<u8, _> = y;
        stream.to_vec(&y.slice(at..at + 4)?)
    };
    check(ends(&y, 0)? == [2, 1, 1, 1] && ends(&y, LEN - 4)? == [1, 1, 1, 2], "a copy past 2^32 bytes")?;
    check(ends(&y, (1 << 32) - 2)? == [1; 4], "a copy across 2^32 bytes")?;
    let sum = stream.sum(&y)?;
    check(sum == (LEN + 2) as u8, format_args!("the sum of {LEN} bytes is {sum}"))?;
    let count = stream.count(&y)?;
    check(count == LEN as u64, format_args!("{count} of {LEN} bytes are not 0"))?;
    let mut z = stream.alloc::<u8>(LEN)?;
    stream.inclusive_sum(&y, &mut z)?;
    check(ends(&z, (1 << 32) - 1)?.as_slice() == [1, 2, 3, 4], "a prefix sum across 2^32")?;
    check(ends(&z, LEN - 2 - 2)?[3] == (LEN + 2) as u8, "the last prefix sum")?;
    drop((x, y, z));
    // A matrix of more than 2^32 bytes, whose last column is the only one that counts.
    let (rows, cols) = (1 << 15, (1 << 15) + 3);
    let mut a = stream.zeros::<f32>(rows * cols)?;
    stream.fill(&mut a.slice_mut(rows * (cols - 1)..)?, 2.0)?;
    let mut b = stream.zeros::<f32>(cols)?;
    stream.fill(&mut b.slice_mut(cols - 1..)?, 3.0)?;
    for precision in [warpwave_core::Precision::Strict, warpwave_core::Precision::Reproducible] {
        let stream = stream.with_precision(precision);
        let mut c = stream.zeros::<f32>(rows)?;
        stream.gemm(
            Op::N,
            Op::N,
            1.0,
            &a.matrix(rows, cols)?,
            &b.matrix(cols, 1)?,
            0.0,
            &mut c.matrix_mut(rows, 1)?,
        )?;
        check(stream.to_vec(&c)?.iter().all(|&c| c == 6.0), format_args!("gemm past 2^32 bytes, {precision:?}"))?;
        let mut y = stream.zeros::<f32>(rows)?;
        stream.gemv(Op::N, 1.0, &a.matrix(rows, cols)?, &b, 0.0, &mut y)?;
        check(stream.to_vec(&y)?.iter().all(|&y| y == 6.0), format_args!("gemv past 2^32 bytes, {precision:?}"))?;
    }
    Ok(())
}

/// Rows that are further apart than the driver's 2-D copies reach.
pub(crate) fn pitches() -> Outcome {
    let device = device()?;
    let stream = device.default_stream();
    let (ld, rows) = (5_usize << 29, 3);
    let mut x = stream.zeros::<u8>(ld * (rows - 1) + 8)?;
    for row in 0..rows {
        stream.write(&mut x.slice_mut(row * ld..row * ld + 8)?, &[row as u8 + 1; 8])?;
    }
    let mut y = stream.zeros::<u8>(8 * rows)?;
    let from = x.view().matrix_with(rows, 8, ld, Layout::RowMajor)?;
    stream.copy_matrix(&from, &mut y.view_mut().matrix_mut_with(rows, 8, 8, Layout::RowMajor)?)?;
    let expected: Vec<u8> = (1..=rows as u8).flat_map(|row| [row; 8]).collect();
    check(stream.to_vec(&y)? == expected, "rows 2.5 GiB apart")
}
