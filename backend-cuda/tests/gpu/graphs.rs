//! Graphs on the device: what a capture has to get right.

use crate::{Outcome, check, device};
use warpwave_core::{Argument, Blas, Buffer, Device, ErrorKind, Indexing, Op, Stream};

/// Data at fault in a graph are reported by the stream that launched it, each time.
pub(crate) fn faults_in_data() -> Outcome {
    let device = device()?;
    let stream = device.default_stream();
    let x = stream.from_slice(&[1.0_f32, 2.0, 3.0])?;
    let mut index = stream.from_slice(&[0_u32, 9])?;
    let mut out = stream.zeros::<f32>(2)?;
    let mut graph = stream.record_graph(|r| r.gather(&x, &index, &mut out))?;
    for _ in 0..2 {
        graph.launch(&stream)?;
        let error = stream.synchronize().err();
        let is_fault = error.as_ref().is_some_and(|error| matches!(error.kind(), ErrorKind::DeviceFault { .. }));
        check(is_fault, format_args!("{error:?}"))?;
    }
    stream.write(&mut index, &[0, 2])?;
    let other = device.new_stream()?;
    graph.launch(&other)?;
    other.synchronize()?;
    check(stream.to_vec(&out)? == [1.0, 3.0], "a graph whose data are good again")
}

/// A scalar that turns a product into something else: it is another graph for the driver.
pub(crate) fn scalars_that_change_the_kernels() -> Outcome {
    let device = device()?;
    let stream = device.default_stream();
    let n = 64;
    // Two streams that nobody has: what is captured now and what is captured later are on different ones, the first of which may be anybody's by
    // then.
    drop((device.new_stream()?, device.new_stream()?));
    stream.synchronize()?;
    let a = stream.from_slice(&vec![1.0_f32; n * n])?;
    let mut c = stream.zeros::<f32>(n * n)?;
    let mut product = None;
    let mut graph = stream.record_graph(|r| {
        r.fill(&mut c, 5.0)?;
        r.gemm(Op::N, Op::N, 1.0, &a.matrix(n, n)?, &a.matrix(n, n)?, 1.0, &mut c.matrix_mut(n, n)?)?;
        product = r.last();
        Ok(())
    })?;
    let product = product.ok_or("nothing was recorded")?;
    let taken = device.new_stream()?;
    for value in [1.0_f32, 0.0, 2.0, 0.0, 0.5] {
        graph.set_scalar(product, Argument::Alpha, value)?;
        graph.launch(&stream)?;
        let expected = 5.0 + value * n as f32;
        check(stream.to_vec(&c)?.iter().all(|&c| c == expected), format_args!("alpha {value}"))?;
    }
    drop(taken);
    Ok(())
}
