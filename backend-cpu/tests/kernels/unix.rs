//! The tests themselves.

use bytemuck::{Pod, Zeroable};
use libtest_mimic::Trial;
use warpwave_core::{Blas, Buffer, Device, ErrorKind, Grid, Kernel, KernelSource, ManagedDevice, Stream, args, f16};
use warpwave_cpu::{CpuBackend, CpuDevice};

const TEXT: &str = r#"
WW_KERNEL(axpy, 256, ww_u64 n, float alpha, const float* x, float* y) { WW_GRID_LOOP(i, n) y[i] = ww_fma(alpha, x[i], y[i]); }
WW_KERNEL(lanes, 256, ww_u32* out) { if (ww_index() == 0) out[0] = WW_WARP; }
WW_KERNEL(sum, 1024, const double* x, double* out) {
    WW_SHARED(double, s, 1024);
    const ww_u32 t = ww_thread_x();
    s[t] = x[ww_index()];
    ww_barrier();
    for (ww_u32 d = ww_threads_x() / 2; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; ww_barrier(); }
    if (t == 0) out[ww_block_x()] = s[0];
}
struct shape { float scale; ww_i32 offset; };
WW_KERNEL(structure, 64, shape s, ww_f16 h, float* out) { if (ww_index() == 0) { out[0] = s.scale * s.offset; out[1] = ww_widen(h); } }
WW_KERNEL(divergent, 64) { if (ww_thread_x() != 7) ww_barrier(); }
WW_KERNEL(beside, 64, float* y, ww_u64 i) { if (ww_thread_x() == 3) y[i] = 0; }
WW_KERNEL(structures, 64, const ww_f16* h, ww_bytes16* b) { if (ww_index() == 0) b[0].word[0] = h[0].bits; }
"#;

/// The tests, ignored where there is no compiler and none has to be there.
pub(crate) fn trials() -> Vec<Trial> {
    let required = std::env::var("WARPWAVE_REQUIRE").unwrap_or_default().split(',').any(|name| name.trim() == "cxx");
    // The first compilation says whether there is a compiler; what else may be wrong with it is for the tests to say.
    let device = ManagedDevice::new(CpuBackend::inline()).unwrap();
    let missing = match device.compile(TEXT) {
        Err(error) if matches!(error.kind(), ErrorKind::Unavailable { .. }) && !required => Some(error.to_string()),
        _ => None,
    };
    let tests: [(&str, fn()); 8] = [
        ("launches_are_ordered_with_everything_else", launches_are_ordered_with_everything_else),
        ("views_and_structures_are_arguments", views_and_structures_are_arguments),
        ("launches_are_recorded", launches_are_recorded),
        ("what_is_wrong_is_refused_before_anything_happens", what_is_wrong_is_refused_before_anything_happens),
        ("faults_are_reported_by_the_next_synchronize", faults_are_reported_by_the_next_synchronize),
        (
            "an_access_beside_a_view_is_a_fault_of_a_checking_device",
            an_access_beside_a_view_is_a_fault_of_a_checking_device,
        ),
        ("compile_errors_carry_the_compilers_words", compile_errors_carry_the_compilers_words),
        ("kernels_are_dropped_anywhere", kernels_are_dropped_anywhere),
    ];
    let trials = tests.into_iter().map(|(name, test)| {
        let trial = Trial::test(name, move || {
            test();
            Ok(())
        });
        match &missing {
            Some(why) => trial.with_kind(why).with_ignored_flag(true),
            None => trial,
        }
    });
    // This one is for where there is none.
    let absent = Trial::test("without_a_compiler_there_are_no_kernels", || {
        without_a_compiler_there_are_no_kernels();
        Ok(())
    });
    trials.chain([absent]).collect()
}

/// Set in a process that a test has started.
const CHILD: &str = "WARPWAVE_TEST_WITHOUT_COMPILER";

/// Whether this is such a process.
pub(crate) fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// A text cannot be compiled, with all that was tried and what to do; everything else works, before and after.
pub(crate) fn without_compiler() {
    for backend in [CpuBackend::inline(), CpuBackend::asynchronous()] {
        let device = ManagedDevice::new(backend).unwrap();
        let stream = device.default_stream();
        for round in 0..2 {
            let error = device.compile(KernelSource::new("mine.hip", TEXT)).unwrap_err();
            let ErrorKind::Unavailable { tried, remedy, .. } = error.kind() else { panic!("{error}") };
            let starts: Vec<_> = tried.iter().filter_map(|tried| tried.split(':').next()).collect();
            assert_eq!(starts, ["c++", "g++", "clang++"], "{error}");
            assert!(remedy.contains("install g++ or clang++") && remedy.contains("WARPWAVE_CXX"), "{error}");
            let mut y = stream.from_slice(&[1.5_f32; 1000]).unwrap();
            stream.scal(2.0, &mut y).unwrap();
            assert_eq!(stream.to_vec(&y).unwrap(), [3.0; 1000], "{round}");
        }
    }
}

/// In a process with an empty `PATH`, and in one with none, for which the system would look in folders of its own.
fn without_a_compiler_there_are_no_kernels() {
    for path in [Some(""), None] {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.env(CHILD, "1").env_remove("WARPWAVE_CXX").env_remove("CXX").env_remove("PATH");
        let output = command.envs(path.map(|path| ("PATH", path))).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Shape {
    scale: f32,
    offset: i32,
}

fn devices() -> impl Iterator<Item = CpuDevice> {
    [CpuBackend::inline, CpuBackend::asynchronous].into_iter().flat_map(|make| {
        let all = [make(), make().with_warp_size(64), make().checking(1), make().with_warp_size(64).checking(2)];
        all.map(|backend| ManagedDevice::new(backend).unwrap())
    })
}

fn kernel(device: &CpuDevice, name: &str) -> Kernel<CpuDevice> {
    device.compile(TEXT).unwrap().kernel(name).unwrap()
}

fn launches_are_ordered_with_everything_else() {
    for device in devices() {
        let (stream, other) = (device.default_stream(), device.new_stream().unwrap());
        let module = device.compile(KernelSource::new("all.hip", TEXT)).unwrap();
        let (axpy, sum, lanes) =
            (module.kernel("axpy").unwrap(), module.kernel("sum").unwrap(), module.kernel("lanes").unwrap());
        drop(module);
        let n = 10_000;
        let x = stream.from_slice(&vec![1.0_f32; n]).unwrap();
        let mut y = stream.zeros::<f32>(n).unwrap();
        for i in 0..20 {
            // Each waits for the one before, on the other stream.
            let stream = if i % 2 == 0 { &stream } else { &other };
            // SAFETY: the kernel touches `n` elements of each.
            unsafe { stream.launch(&axpy, Grid::cover(n, 256), args![n, i as f32, &x, &mut y]) }.unwrap();
        }
        assert_eq!(stream.to_vec(&y).unwrap(), vec![190.0; n]);

        let x: Vec<f64> = (0..4096).map(f64::from).collect();
        let (x, mut out) = (stream.from_slice(&x).unwrap(), stream.zeros::<f64>(8).unwrap());
        // SAFETY: 8 blocks of 512 threads read 4,096 elements and write 8.
        unsafe { other.launch(&sum, (8, 512), args![&x, &mut out]) }.unwrap();
        let expected: Vec<f64> = (0..8).map(|i| (0..512).map(|j| f64::from(i * 512 + j)).sum()).collect();
        assert_eq!(stream.to_vec(&out).unwrap(), expected);

        let mut warp = stream.zeros::<u32>(1).unwrap();
        // SAFETY: one element is written.
        unsafe { stream.launch(&lanes, (1, 1), args![&mut warp]) }.unwrap();
        assert_eq!(stream.to_vec(&warp).unwrap(), [device.info().warp_size]);
    }
}

fn views_and_structures_are_arguments() {
    for device in devices() {
        let stream = device.default_stream();
        let axpy = kernel(&device, "axpy");
        let x = stream.from_slice(&[1.0_f32, 2.0, 3.0, 4.0]).unwrap();
        let mut y = stream.zeros::<f32>(6).unwrap();
        let part = x.slice(1..3).unwrap();
        // SAFETY: two elements of each view.
        unsafe { stream.launch(&axpy, (1, 32), args![2_u64, 10.0_f32, &part, &mut y.slice_mut(4..).unwrap()]) }
            .unwrap();
        assert_eq!(stream.to_vec(&y).unwrap(), [0.0, 0.0, 0.0, 0.0, 20.0, 30.0]);
        let structure = kernel(&device, "structure");
        let shape = Shape { scale: 0.5, offset: -3 };
        // SAFETY: two elements are written.
        unsafe { stream.launch(&structure, (2, 64), args![shape, f16::from_f32(1.5), &mut y]) }.unwrap();
        assert_eq!(stream.to_vec(&y).unwrap()[..2], [-1.5, 1.5]);
    }
}

fn launches_are_recorded() {
    for device in devices() {
        let stream = device.default_stream();
        let mut y = stream.zeros::<f32>(100).unwrap();
        let mut graph = {
            let axpy = kernel(&device, "axpy");
            let x = stream.from_slice(&[1.0_f32; 100]).unwrap();
            let graph = stream.record_graph(|r| {
                // SAFETY: a hundred elements of each.
                unsafe { r.launch(&axpy, (1, 64), args![100_usize, 1.0_f32, &x, &mut y]) }?;
                // SAFETY: no block.
                unsafe { r.launch(&axpy, (0, 64), args![100_usize, 1.0_f32, &x, &mut y]) }?;
                r.scal(2.0, &mut y)
            });
            graph.unwrap()
        };
        assert_eq!(graph.len(), 2);
        // Nothing has been executed, and the graph keeps the kernel and its buffers.
        assert_eq!(stream.to_vec(&y).unwrap(), [0.0; 100]);
        for _ in 0..3 {
            graph.launch(&device.new_stream().unwrap()).unwrap();
        }
        assert_eq!(stream.to_vec(&y).unwrap(), [14.0; 100]);
    }
}

fn what_is_wrong_is_refused_before_anything_happens() {
    let device = ManagedDevice::new(CpuBackend::inline()).unwrap();
    let stream = device.default_stream();
    let module = device.compile(TEXT).unwrap();
    let error = module.kernel("gemm").unwrap_err().to_string();
    let names = "`axpy`, `beside`, `divergent`, `lanes`, `structure`, `structures`, `sum`";
    assert!(
        error.starts_with(&format!("kernel: name: expected a kernel of the module ({names}), got `gemm`")),
        "{error}"
    );
    let axpy = module.kernel("axpy").unwrap();
    let x = stream.from_slice(&[1.0_f32; 8]).unwrap();
    let d = stream.from_slice(&[1.0_f64; 8]).unwrap();
    let i = stream.from_slice(&[1_i32; 8]).unwrap();
    let mut y = stream.from_slice(&[0.5_f32; 8]).unwrap();
    macro_rules! refused {
        ($kernel:expr, $grid:expr, $args:expr, $text:literal) => {{
            // SAFETY: refused.
            let error = unsafe { stream.launch($kernel, $grid, $args) }.unwrap_err().to_string();
            assert!(error.starts_with(concat!("launch: ", $text)), "{error}");
        }};
    }
    refused!(&axpy, (1, 64), args![], "args: expected 4 of them, got 0 [kernel axpy");
    refused!(&axpy, (1, 64), args![8_u64, 1.0_f32, &x], "args: expected 4 of them, got 3");
    refused!(
        &axpy,
        (1, 64),
        args![8_u32, 1.0_f32, &x, &mut y],
        "args[0]: expected a value: unsigned integer of 8 bytes, got a value: unsigned integer of 4 bytes"
    );
    refused!(
        &axpy,
        (1, 64),
        args![8_u64, 1_i32, &x, &mut y],
        "args[1]: expected a value: float of 4 bytes, got a value: signed integer of 4 bytes"
    );
    refused!(
        &axpy,
        (1, 64),
        args![8_u64, &x, 1.0_f32, &mut y],
        "args[1]: expected a value: float of 4 bytes, got a buffer of f32 to be read"
    );
    refused!(
        &axpy,
        (1, 64),
        args![8_u64, 1.0_f32, &d, &mut y],
        "args[2]: expected a pointer to float of 4 bytes, got a buffer of f64 to be read"
    );
    refused!(
        &axpy,
        (1, 64),
        args![8_u64, 1.0_f32, &i, &mut y],
        "args[2]: expected a pointer to float of 4 bytes, got a buffer of i32 to be read"
    );
    refused!(
        &axpy,
        (1, 64),
        args![8_u64, 1.0_f32, &x, &y],
        "args[3]: expected a pointer to float of 4 bytes, which the kernel may write: `&mut`, got a buffer of f32 to be read"
    );
    refused!(&axpy, (1, 257), args![8_u64, 1.0_f32, &x, &mut y], "grid.threads: expected 1 to 256 in a block, got 257");
    refused!(&axpy, (1, 0), args![8_u64, 1.0_f32, &x, &mut y], "grid.threads: expected 1 to 256 in a block, got 0");
    refused!(
        &axpy,
        Grid::new(1, 1).shared(1 << 20),
        args![8_u64, 1.0_f32, &x, &mut y],
        "grid.shared: expected at most 232448 bytes, got 1048576 bytes"
    );
    refused!(
        &axpy,
        Grid::of([1, 65_536, 1], [64, 1, 1]),
        args![8_u64, 1.0_f32, &x, &mut y],
        "grid.blocks: expected at most 65535 along y, got 65536"
    );
    refused!(
        &axpy,
        Grid::new(1 << 24, 256),
        args![8_u64, 1.0_f32, &x, &mut y],
        "grid: expected fewer than 2^32 threads along x, got 4294967296"
    );
    // Of what a structure is made is not known, but that no number of these makes one is.
    let structures = module.kernel("structures").unwrap();
    refused!(
        &structures,
        (1, 64),
        args![&x, &mut y],
        "args[0]: expected a pointer to structure of 2 bytes, got a buffer of f32 to be read"
    );
    let halves = stream.from_slice(&[f16::from_f32(1.5); 8]).unwrap();
    let mut words = stream.zeros::<u32>(4).unwrap();
    // SAFETY: 16 bytes are written.
    unsafe { stream.launch(&structures, (1, 64), args![&halves, &mut words]) }.unwrap();
    assert_eq!(stream.to_vec(&words).unwrap()[0], 0x3e00);
    let other = ManagedDevice::new(CpuBackend::inline()).unwrap();
    let foreign = other.default_stream().from_slice(&[1.0_f32; 8]).unwrap();
    refused!(&axpy, (1, 64), args![8_u64, 1.0_f32, &foreign, &mut y], "args[2]: expected memory of this device");
    refused!(
        &kernel(&other, "axpy"),
        (1, 64),
        args![8_u64, 1.0_f32, &x, &mut y],
        "kernel: expected a kernel of this device"
    );
    // SAFETY: no block.
    unsafe { stream.launch(&axpy, (0, 64), args![8_u64, 1.0_f32, &x, &mut y]) }.unwrap();
    assert_eq!(stream.to_vec(&y).unwrap(), [0.5; 8]);
}

fn faults_are_reported_by_the_next_synchronize() {
    for device in devices() {
        let stream = device.default_stream();
        // SAFETY: it touches nothing; that its barrier is not reached by all is found.
        unsafe { stream.launch(&kernel(&device, "divergent"), (3, 64), args![]) }.unwrap();
        let error = stream.synchronize().unwrap_err();
        let ErrorKind::DeviceFault { what } = error.kind() else { panic!("{error}") };
        assert!(
            what.contains("kernel divergent, block (") && what.contains("which thread (7, 0, 0) does not reach"),
            "{what}"
        );
        assert_eq!(stream.synchronize(), Ok(()));
    }
}

fn an_access_beside_a_view_is_a_fault_of_a_checking_device() {
    for backend in [CpuBackend::inline().checking(3), CpuBackend::asynchronous().with_warp_size(64).checking(4)] {
        let device = ManagedDevice::new(backend).unwrap();
        let stream = device.default_stream();
        let beside = kernel(&device, "beside");
        let mut y = stream.zeros::<f32>(100).unwrap();
        for i in [49_usize, 50] {
            let mut view = y.slice_mut(..50).unwrap();
            // SAFETY: inside the buffer, if not inside the view.
            unsafe { stream.launch(&beside, (1, 64), args![i, &mut view]) }.unwrap_err();
            // SAFETY: as above.
            unsafe { stream.launch(&beside, (1, 64), args![&mut view, i]) }.unwrap();
            match stream.synchronize() {
                Ok(()) => assert_eq!(i, 49),
                Err(error) => {
                    let text = error.to_string();
                    assert!(i == 50 && text.contains("thread (3, 0, 0): writes 4 bytes"), "{text}");
                    assert!(text.contains("200 bytes behind the start of a buffer of 200 bytes"), "{text}");
                }
            }
        }
    }
}

fn compile_errors_carry_the_compilers_words() {
    let device = ManagedDevice::new(CpuBackend::inline()).unwrap();
    let text = "WW_KERNEL(a, 64, float* x) {\n    x[0] = y;\n}";
    let error = device.compile(KernelSource::new("mine.hip", text)).unwrap_err();
    let ErrorKind::Compile { log } = error.kind() else { panic!("{error}") };
    assert!(log.contains("mine.hip:2:") && log.contains('y'), "{log}");
    // The device is as usable as before.
    let module = device.compile("WW_KERNEL(a, 64) {}\nWW_KERNEL(b, 64) {}").unwrap();
    assert_eq!(module.names().collect::<Vec<_>>(), ["a", "b"]);
}

/// A kernel may be dropped while its launches are queued; a module without launches is unloaded by the next call.
fn kernels_are_dropped_anywhere() {
    let device = ManagedDevice::new(CpuBackend::asynchronous()).unwrap();
    let stream = device.default_stream();
    let mut y = stream.zeros::<f32>(1 << 16).unwrap();
    let x = stream.from_slice(&vec![1.0_f32; 1 << 16]).unwrap();
    for _ in 0..5 {
        let axpy = kernel(&device, "axpy");
        for _ in 0..5 {
            // SAFETY: as many elements as there are.
            unsafe { stream.launch(&axpy, (64, 256), args![1_usize << 16, 1.0_f32, &x, &mut y]) }.unwrap();
        }
        stream.host_fn(move || drop(axpy)).unwrap();
    }
    drop(device);
    assert_eq!(stream.to_vec(&y).unwrap(), vec![25.0; 1 << 16]);
}
