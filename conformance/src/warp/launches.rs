//! Launches: their limits, what is refused, and what a text that is wrong leads to.

use super::{check, kernel, module, numbers};
use crate::check::Check;
use crate::failure::{Failure, Verdict};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Device, ErrorKind, Grid, KernelSource, Stream, args};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("launch.limits", limits));
    checks.push(check("launch.refused", refused));
    checks.push(check("launch.graph", graph));
    checks.push(check("compile", compile));
}

/// No block, one thread, the largest block; one thread more and none are refused.
fn limits<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "rotate_block")?;
    let most = kernel.info().max_threads;
    session.once(Lane::Exact, |case| {
        let x = numbers(2 * most as usize);
        let (input, mut out) = (case.stream().from_slice(&x)?, case.stream().zeros::<u32>(x.len())?);
        let mut launch = |grid: Grid| {
            // SAFETY: no more than `x.len()` threads, each of which reads and writes an element.
            unsafe { case.stream().launch(&kernel, grid, args![1_u32, &input, &mut out]) }
        };
        launch(Grid::new(0, 1))?;
        launch(Grid::of([1, 0, 1], [1, 1, 1]))?;
        launch(Grid::new(2, most))?;
        let results = [
            (launch(Grid::new(1, 0)), "grid.threads"),
            (launch(Grid::new(1, most + 1)), "grid.threads"),
            (launch(Grid::of([1, 1, 1], [most, 2, 1])), "grid.threads"),
            (launch(Grid::new(1, 1).shared(u32::MAX)), "grid.shared"),
        ];
        for (result, argument) in results {
            case.refused(result, argument)?;
        }
        let (got, n) = (case.read(&out)?, most as usize);
        let want: Vec<u32> = (0..x.len()).map(|i| x[i - i % n + (i % n + 1) % n]).collect();
        case.bits("out", &got, &want)
    })
}

/// Arguments that are not the kernel's name themselves; nothing was enqueued.
fn refused<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let module = module(session.device())?;
    session.once(Lane::Exact, |case| {
        let kernel = module.kernel("rotate_block")?;
        // What is not known cannot be checked, and would be launched.
        case.ensure(kernel.info().parameters.is_some(), "the device knows nothing of a kernel's parameters")?;
        let stream = case.stream();
        let (x, mut out) = (stream.from_slice(&numbers(256))?, stream.from_slice(&[9_u32; 256])?);
        let (wide, floats) = (stream.zeros::<u64>(256)?, stream.zeros::<f32>(256)?);
        let foreign = crate::runtime::another(case)?.default_stream().zeros::<u32>(256)?;
        // SAFETY: all are refused.
        let results = unsafe {
            [
                (stream.launch(&kernel, (1, 256), args![1_u32, &x]), "args"),
                (stream.launch(&kernel, (1, 256), args![1_u32, &x, &mut out, 1_u32]), "args"),
                (stream.launch(&kernel, (1, 256), args![1_u64, &x, &mut out]), "args[0]"),
                (stream.launch(&kernel, (1, 256), args![1.0_f32, &x, &mut out]), "args[0]"),
                (stream.launch(&kernel, (1, 256), args![&x, &x, &mut out]), "args[0]"),
                (stream.launch(&kernel, (1, 256), args![1_u32, 1_u64, &mut out]), "args[1]"),
                (stream.launch(&kernel, (1, 256), args![1_u32, &wide, &mut out]), "args[1]"),
                (stream.launch(&kernel, (1, 256), args![1_u32, &floats, &mut out]), "args[1]"),
                (stream.launch(&kernel, (1, 256), args![1_u32, &x, &x]), "args[2]"),
                (stream.launch(&kernel, (1, 256), args![1_u32, &foreign, &mut out]), "args[1]"),
            ]
        };
        for (result, argument) in results {
            case.refused(result, argument)?;
        }
        case.refused(module.kernel("nothing"), "name")?;
        let got = case.read(&out)?;
        case.bits("out", &got, &[9; 256])
    })
}

/// A launch in a graph is a launch, each time, on what is there then.
fn graph<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let kernel = kernel(session.device(), "rotate_block")?;
    session.once(Lane::Exact, |case| {
        let stream = case.stream();
        let x = numbers(256);
        let (mut a, mut b) = (stream.from_slice(&x)?, stream.zeros::<u32>(256)?);
        let mut graph = stream.record_graph(|recorder| {
            // SAFETY: the kernel reads and writes as many elements as there are threads, each written by one.
            unsafe {
                recorder.launch(&kernel, (1, 256), args![1_u32, &a, &mut b])?;
                recorder.launch(&kernel, (1, 256), args![2_u32, &b, &mut a])
            }
        })?;
        for _ in 0..5 {
            graph.launch(stream)?;
        }
        let got = case.read(&a)?;
        let want: Vec<u32> = (0..256).map(|i| x[(i + 15) % 256]).collect();
        case.bits("after five launches", &got, &want)
    })
}

/// A text that is wrong is an error with the compiler's own line, and the device goes on.
fn compile<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    module(session.device())?;
    session.once(Lane::Exact, |case| {
        let wrong = KernelSource::new("wrong.hip", "WW_KERNEL(wrong, 32, float* x) {\n    x[0] = nothing;\n}\n");
        for _ in 0..2 {
            match case.device().compile(wrong).map_err(|error| (error.kind().clone(), error)) {
                Err((ErrorKind::Compile { log }, _)) => {
                    // Compilers write lines in two ways.
                    let whole =
                        log.contains("nothing") && (log.contains("wrong.hip:2") || log.contains("wrong.hip(2)"));
                    case.ensure(whole, format_args!("the compiler's own line is not in its log: {log}"))?;
                }
                Err((_, error)) => return Err(Failure::new(format_args!("not an error of the compiler: {error}"))),
                Ok(_) => return Err(Failure::new("a text that is wrong was compiled")),
            }
        }
        // No kernel is none to be found.
        let empty = case.device().compile("")?;
        case.ensure(empty.names().next().is_none(), "an empty text has a kernel")?;
        let kernel = kernel(case.device(), "shared_additions")?;
        let mut out = case.stream().zeros::<u32>(3)?;
        // SAFETY: the kernel writes three elements for each block.
        unsafe { case.stream().launch(&kernel, (1, 3), args![&mut out]) }?;
        let got = case.read(&out)?;
        case.bits("a launch afterwards", &got, &[0, 1, 2])
    })
}
