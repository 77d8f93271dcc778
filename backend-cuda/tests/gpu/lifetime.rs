//! Memory that comes back, runs out, or is the host's own; and a device that is lost.

use crate::{Outcome, check, device};
use std::io::Write;
use std::process::{Command, ExitCode};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;
use warpwave_core::{Blas, Device, ErrorKind, Grid, Ops, Sort, Stream, args};
use warpwave_cuda::CudaDevice;

/// Free bytes of device 0, as the driver counts them for everybody.
pub(crate) fn free_bytes(device: &CudaDevice) -> Result<usize, warpwave_core::Error> {
    // An allocation that cannot be met says what there is.
    match device.default_stream().alloc::<u8>(1 << 50) {
        Err(error) => match error.kind() {
            ErrorKind::OutOfMemory { free, .. } => Ok(*free),
            _ => Err(error),
        },
        Ok(_) => Ok(0),
    }
}

/// All that a device's work has taken is the driver's again when the device is closed.
pub(crate) fn memory_comes_back() -> Outcome {
    // The context, the libraries and the kernels stay.
    let work = || -> Result<(), warpwave_core::Error> {
        let device = CudaDevice::open(0)?;
        let stream = device.new_stream()?;
        let mut keys = stream.alloc::<u32>(1 << 24)?;
        stream.sort(&mut keys)?;
        let (a, mut c) = (stream.zeros::<f32>(1 << 20)?, stream.zeros::<f32>(1 << 20)?);
        let product = |stream: &_, c: &mut _| {
            let stream: &warpwave_core::ManagedStream<_> = stream;
            let c: &mut warpwave_core::ManagedBuffer<f32, _> = c;
            use warpwave_core::Buffer;
            let a = a.matrix(1024, 1024)?;
            stream.gemm(warpwave_core::Op::N, warpwave_core::Op::N, 1.0, &a, &a, 0.0, &mut c.matrix_mut(1024, 1024)?)
        };
        product(&stream, &mut c)?;
        let mut graph = stream.record_graph(|r| r.fill(&mut c, 1.0))?;
        graph.launch(&stream)?;
        stream.synchronize()
    };
    work()?;
    let device = device()?;
    let before = settled(&device)?;
    for _ in 0..3 {
        work()?;
        // So that no two are open at once: handles of cuBLAS are kept, as many as were in use at a time.
        settled(&device)?;
    }
    let after = settled(&device)?;
    check(after + (2 << 20) >= before, format_args!("{before} bytes were free, now {after}"))
}

/// Free bytes once what was dropped has been given back in the background.
pub(crate) fn settled(device: &CudaDevice) -> Result<usize, warpwave_core::Error> {
    let mut last = 0;
    for _ in 0..50 {
        device.trim()?;
        std::thread::sleep(Duration::from_millis(100));
        let now = free_bytes(device)?;
        if now == last {
            return Ok(now);
        }
        last = now;
    }
    Ok(last)
}

/// Memory from the driver's own pool does as well.
pub(crate) fn stream_ordered_allocation() -> Outcome {
    let device = CudaDevice::new(warpwave_cuda::CudaBackend::new(0)?.with_stream_ordered_allocation())?;
    let (stream, other) = (device.default_stream(), device.new_stream()?);
    for n in [1_usize, 1000, 1 << 24] {
        let mut x = stream.alloc::<u32>(n)?;
        stream.fill(&mut x, 3)?;
        other.add_assign(&mut x, &4)?;
        check(stream.to_vec(&x)?.iter().all(|&x| x == 7), format_args!("{n} elements"))?;
        drop(x);
        device.trim()?;
    }
    check(device.memory().in_use == 0, "memory in use")
}

/// A request that cannot be met says how much there is, and what comes after it works.
pub(crate) fn exhausted_memory_leaves_the_device_usable() -> Outcome {
    let device = device()?;
    let stream = device.default_stream();
    let mut held = Vec::new();
    let error = loop {
        match stream.alloc::<u8>(4 << 30) {
            Ok(buffer) => held.push(buffer),
            Err(error) => break error,
        }
        check(held.len() < 1000, "memory without end")?;
    };
    let ErrorKind::OutOfMemory { requested, free } = error.kind() else { return Err(error.to_string().into()) };
    check(*requested >= 4 << 30 && *free < 4 << 30, format_args!("{error}"))?;
    let mut small = stream.alloc::<u32>(1000)?;
    stream.fill(&mut small, 7)?;
    check(stream.to_vec(&small)? == [7; 1000], "work after memory was exhausted")?;
    let count = held.len();
    drop(held);
    // What was given back is there again.
    let again: Vec<_> = (0..count).map(|_| stream.alloc::<u8>(4 << 30)).collect::<Result<_, _>>()?;
    drop(again);
    device.trim()?;
    Ok(())
}

/// A vector's own memory is copied from and to, and dropped when that has ended.
pub(crate) fn registered_memory() -> Outcome {
    let device = device()?;
    let stream = device.default_stream();
    for len in [0_usize, 1, 1000, 1 << 22] {
        let data: Vec<u32> = (0..len as u32).collect();
        let mut pinned = stream.register(data.clone())?;
        let mut x = stream.alloc::<u32>(len)?;
        stream.upload(&mut x, &pinned)?;
        check(stream.to_vec(&x)? == data, format_args!("{len} elements uploaded"))?;
        stream.fill(&mut x, 9)?;
        stream.download(&x, &mut pinned)?;
        check(pinned.read()?.iter().all(|&x| x == 9), format_args!("{len} elements downloaded"))?;
        stream.download(&x, &mut pinned)?;
        drop(pinned);
    }
    stream.synchronize()?;
    Ok(())
}

/// What waits for a stream holds up nobody who enqueues on it, or frees beside it: a host function may wait for them.
pub(crate) fn calls_beside_a_host_function() -> Outcome {
    let output = Command::new(std::env::current_exe()?).arg("--child=beside_a_host_function").output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    check(output.status.success() && said.contains("all as it should be"), said)
}

/// What the process is about to do.
static STEP: Mutex<&str> = Mutex::new("start");

fn step(name: &'static str) {
    *STEP.lock().unwrap_or_else(PoisonError::into_inner) = name;
}

/// Ends the process if it hangs, and says where.
fn watched(seconds: u64) {
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(seconds));
        let step = *STEP.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(std::io::stderr(), "it hangs: {step}");
        // Whatever the driver still waits for.
        std::process::abort();
    });
}

fn beside_a_host_function() -> Outcome {
    watched(30);
    let device = device()?;
    let (a, b) = (device.new_stream()?, device.new_stream()?);
    let (x, mut y) = (a.zeros::<f32>(1 << 20)?, a.zeros::<f32>(1 << 20)?);
    let small = a.zeros::<f32>(10)?;
    let mut z = b.zeros::<f32>(1 << 20)?;
    let registered = b.register(vec![1.0_f32; 1 << 20])?;
    b.upload(&mut z, &registered)?;
    b.synchronize()?;
    a.synchronize()?;
    let (go, wait) = mpsc::channel::<()>();
    a.host_fn(move || {
        let _ = wait.recv();
    })?;
    let readers = [x, small].map(|x| {
        let a = a.clone();
        std::thread::spawn(move || a.to_vec(&x).map(|x| x.len()))
    });
    std::thread::sleep(Duration::from_millis(200));
    // While the readers wait: work on their stream, memory that goes, and kernels that nobody has used before.
    step("work on the stream");
    a.fill(&mut y, 1.0)?;
    step("a registered vector goes");
    drop(registered);
    step("work on another stream");
    b.fill(&mut z, 2.0)?;
    step("a kernel of another text");
    b.exp_assign(&mut z)?;
    step("copies on another stream");
    check((b.to_vec(&z)?[7] - 2.0_f32.exp()).abs() < 1e-5, "what another stream has")?;
    let w = b.from_slice(&[3_u64; 5])?;
    check(b.to_vec(&w)? == [3; 5], "what another stream was given")?;
    step("a graph");
    let graph = b.record_graph(|r| r.fill(&mut z, 3.0))?;
    drop(graph);
    step("what was waited for has happened");
    drop(go);
    let [long, short] = readers.map(std::thread::JoinHandle::join);
    check(long.map_err(|_| "a panic")?? == 1 << 20, "what was read")?;
    check(short.map_err(|_| "a panic")?? == 10, "what was read in one piece")?;
    a.synchronize()?;
    let _ = std::io::stdout().write_all(b"all as it should be\n");
    Ok(())
}

/// In a process of its own: after a kernel that wrote where there is nothing every call says that the device is lost, and nothing hangs.
pub(crate) fn a_faulty_kernel_loses_the_device() -> Outcome {
    let output = Command::new(std::env::current_exe()?).arg("--child=faulty_kernel").output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    check(output.status.success() && said.contains("all as it should be"), said)
}

/// What a process of its own does.
pub(crate) fn child(name: &str) -> ExitCode {
    let result = match name {
        "faulty_kernel" => faulty_kernel(),
        "beside_a_host_function" => beside_a_host_function(),
        _ => Err(format!("no child is called {name}").into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let message: libtest_mimic::Failed = error;
            // The parent shows it.
            let _ = std::io::stderr().write_all(message.message().unwrap_or_default().as_bytes());
            ExitCode::FAILURE
        }
    }
}

fn faulty_kernel() -> Outcome {
    let device = device()?;
    let stream = device.default_stream();
    let module = device.compile("WW_KERNEL(astray, 32, float* x) { x[1ull << 40] = 1; }")?;
    let mut x = stream.zeros::<f32>(32)?;
    let other = device.new_stream()?;
    // SAFETY: not sound, which is what this is about; the process does nothing else.
    unsafe { stream.launch(&module.kernel("astray")?, Grid::new(1, 32), args![&mut x]) }?;
    let lost = |result: Result<(), warpwave_core::Error>| match result {
        Err(error) if matches!(error.kind(), ErrorKind::DeviceLost { .. }) => Ok(()),
        other => Err(libtest_mimic::Failed::from(format!("{other:?}"))),
    };
    lost(stream.synchronize())?;
    lost(other.scal(2.0, &mut x))?;
    lost(device.new_stream().map(drop))?;
    lost(CudaDevice::open(0).map(drop))?;
    lost(device.trim().map(drop))?;
    drop((x, module, other, stream, device));
    let _ = std::io::stdout().write_all(b"all as it should be\n");
    Ok(())
}
