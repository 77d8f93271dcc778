//! Plans on a device.

use super::{Arg, Entry, Plan, Properties, Step, plan};
use warpwave_core::operation::Ptr;
use warpwave_core::{Error, Grid, NumberKind, Operation, Parameter, ParameterKind, Result};

/// A stream of a device, on which the launches of a plan are enqueued: what a backend gives, so that its `execute` is [`execute`].
pub trait Launch {
    /// A kernel that is ready to be launched.
    type Kernel;

    /// What the device is like.
    fn properties(&self) -> Properties;

    /// The kernel of a name, loaded if it has not been before.
    ///
    /// # Errors
    /// [`NoImage`](warpwave_core::ErrorKind::NoImage), and whatever loading meets.
    fn kernel(&mut self, entry: Entry) -> Result<Self::Kernel>;

    /// The kernel's parameters as its text declares them; [`NumberKind::Structure`] for a value of which only the size is known, and `None`
    /// if the device knows nothing of them.
    fn parameters<'a>(&self, kernel: &'a Self::Kernel) -> Option<&'a [Parameter]>;

    /// The largest block of a kernel.
    fn max_threads(&self, kernel: &Self::Kernel) -> u32;

    /// Memory for what follows on the stream, aligned to 256 bytes. `bytes` is not 0; it is asked for once in a plan at most.
    ///
    /// # Errors
    /// [`OutOfMemory`](warpwave_core::ErrorKind::OutOfMemory).
    fn scratch(&mut self, bytes: usize) -> Result<Ptr>;

    /// Enqueues zeros.
    ///
    /// # Safety
    /// So many bytes at `ptr` are this plan's scratch memory.
    ///
    /// # Errors
    /// The device's.
    unsafe fn zero(&mut self, ptr: Ptr, bytes: usize) -> Result<()>;

    /// Enqueues a launch.
    ///
    /// # Safety
    /// The kernel, launched with these arguments, touches nothing that it must not. They are as many as it has parameters, and of their
    /// sizes, where those are known.
    ///
    /// # Errors
    /// The device's.
    unsafe fn launch(&mut self, kernel: &Self::Kernel, grid: Grid, args: &[&[u8]]) -> Result<()>;

    /// Obtains what [`fault`](Self::fault) needs, before anything is enqueued.
    ///
    /// # Errors
    /// As for [`kernel`](Self::kernel) and [`scratch`](Self::scratch).
    fn prepare_fault(&mut self) -> Result<()> {
        Ok(())
    }

    /// Takes note that there is a `ww_u32` at `ptr` which the launches before set if the data were at fault: if an index was out of range.
    ///
    /// # Safety
    /// `ptr` is in this plan's scratch memory.
    ///
    /// # Errors
    /// The device's.
    unsafe fn fault(&mut self, ptr: Ptr) -> Result<()>;
}

/// Enqueues an operation: the launches of its [`plan`].
///
/// # Safety
/// The operation's operands are as [`warpwave_core::operation`] says.
///
/// # Errors
/// Those of [`plan`] and [`run`].
pub unsafe fn execute(operation: &Operation, device: &mut impl Launch) -> Result<()> {
    let plan = plan(operation, &device.properties())?;
    // SAFETY: the caller's: a plan of an operation touches its operands and the scratch memory alone.
    unsafe { run(&plan, device) }
}

/// Enqueues the launches of a plan.
///
/// All of them are checked before the first is enqueued: the grid and the shared memory against the device's limits, and the number,
/// types and sizes of the arguments against what the kernel's text declares.
///
/// # Safety
/// What the plan's launches touch is there, and theirs to touch.
///
/// # Errors
/// [`InvalidArgument`](warpwave_core::ErrorKind::InvalidArgument) with the kernel and the argument, and those of the device. An error of
/// the device after the first launch leaves those before it enqueued.
pub unsafe fn run<L: Launch>(plan: &Plan, device: &mut L) -> Result<()> {
    if plan.zeroed > plan.scratch || plan.fault.is_some_and(|at| at + 4 > plan.zeroed) {
        return Err(Error::invalid("plan", "what is zeroed inside the scratch memory", format_args!("{plan:?}")));
    }
    let properties = device.properties();
    let mut kernels = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        let named = |error: Error| error.in_kernel(step.entry.to_string());
        let kernel = device.kernel(step.entry).map_err(named)?;
        check_grid(step, device.max_threads(&kernel), &properties).map_err(named)?;
        check_args(step, device.parameters(&kernel), plan.scratch).map_err(named)?;
        kernels.push(kernel);
    }
    let scratch = if plan.scratch > 0 { device.scratch(plan.scratch)? } else { Ptr::new(std::ptr::null_mut()) };
    if plan.fault.is_some() {
        device.prepare_fault()?;
    }
    if plan.zeroed > 0 {
        // SAFETY: no more than the scratch memory that was asked for.
        unsafe { device.zero(scratch, plan.zeroed) }?;
    }
    for (step, kernel) in plan.steps.iter().zip(&kernels) {
        let bytes: Vec<Bytes> = step.args.iter().map(|arg| Bytes::of(arg, scratch)).collect();
        let args: Vec<&[u8]> = bytes.iter().map(Bytes::as_slice).collect();
        let grid = Grid::of(step.grid, [step.threads, 1, 1]).shared(step.shared);
        // SAFETY: the caller's; the arguments have been checked.
        unsafe { device.launch(kernel, grid, &args) }.map_err(|error| error.in_kernel(step.entry.to_string()))?;
    }
    if let Some(at) = plan.fault {
        // SAFETY: inside what is zeroed, and so inside the scratch memory.
        unsafe { device.fault(scratch.byte_add(at)) }?;
    }
    Ok(())
}

/// The bytes of an argument.
struct Bytes {
    bytes: [u8; 16],
    len: usize,
}

impl Bytes {
    fn of(arg: &Arg, scratch: Ptr) -> Self {
        match arg {
            Arg::Ptr(ptr) => Self::copy(&ptr.expose().to_ne_bytes()),
            Arg::Scratch(offset) => Self::copy(&scratch.byte_add(*offset).expose().to_ne_bytes()),
            Arg::U32(value) => Self::copy(&value.to_ne_bytes()),
            Arg::U64(value) => Self::copy(&value.to_ne_bytes()),
            Arg::I64(value) => Self::copy(&value.to_ne_bytes()),
            Arg::Scalar(value) => Self::copy(value.bytes()),
        }
    }

    /// No element is larger than 16 bytes.
    fn copy(from: &[u8]) -> Self {
        let (mut bytes, len) = ([0; 16], from.len().min(16));
        bytes[..len].copy_from_slice(&from[..len]);
        Bytes { bytes, len }
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

fn check_grid(step: &Step, most: u32, properties: &Properties) -> Result<()> {
    if step.threads == 0 || step.threads > most {
        return Err(Error::invalid("threads", format_args!("1 to {most} in a block"), step.threads));
    }
    let [x, y, z] = step.grid;
    // What both vendors take: no axis but x is long, and HIP counts threads in 32 bits.
    let threads = u64::from(x) * u64::from(step.threads);
    if x == 0 || y == 0 || z == 0 || x > i32::MAX as u32 || y > 65_535 || z > 65_535 || threads > u64::from(u32::MAX) {
        let expected = "1 to 2^31 - 1 blocks along x and fewer than 2^32 threads, 1 to 65,535 blocks along y and z";
        let got = format!("{:?} blocks of {} threads", step.grid, step.threads);
        return Err(Error::invalid("grid", expected, got));
    }
    if step.shared > properties.shared_per_block {
        let expected = format!("at most {} bytes", properties.shared_per_block);
        return Err(Error::invalid("shared", expected, format_args!("{} bytes", step.shared)));
    }
    Ok(())
}

/// Refuses arguments that are not what the kernel's text declares.
fn check_args(step: &Step, parameters: Option<&[Parameter]>, scratch: usize) -> Result<()> {
    for (i, arg) in step.args.iter().enumerate() {
        if let Arg::Scratch(offset) = arg
            // One of nothing may be at the end.
            && *offset > scratch
        {
            let expected = format!("an offset into {scratch} bytes of scratch memory");
            return Err(Error::invalid(format_args!("args[{i}]"), expected, offset));
        }
    }
    let Some(parameters) = parameters else { return Ok(()) };
    if step.args.len() != parameters.len() {
        return Err(Error::invalid("args", format_args!("{} of them", parameters.len()), step.args.len()));
    }
    for (i, (arg, parameter)) in step.args.iter().zip(parameters).enumerate() {
        let value = |number, size| {
            // A structure is also what is not known to be something else.
            let known = [number, NumberKind::Structure].map(ParameterKind::Value);
            known.contains(&parameter.kind) && parameter.size as usize == size
        };
        let fits = match arg {
            Arg::Ptr(_) | Arg::Scratch(_) => matches!(parameter.kind, ParameterKind::Pointer { .. }),
            Arg::U32(_) => value(NumberKind::Unsigned, 4),
            Arg::U64(_) => value(NumberKind::Unsigned, 8),
            Arg::I64(_) => value(NumberKind::Signed, 8),
            Arg::Scalar(scalar) => value(NumberKind::of(scalar.dtype()), scalar.dtype().size()),
        };
        if !fits {
            return Err(Error::invalid(format_args!("args[{i}]"), parameter, format_args!("{arg:?}")));
        }
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use warpwave_core::{ErrorKind, ScalarValue};

    const U64: Parameter = Parameter { size: 8, kind: ParameterKind::Value(NumberKind::Unsigned) };
    const F32: Parameter = Parameter { size: 4, kind: ParameterKind::Value(NumberKind::Float) };
    const POINTER: Parameter =
        Parameter { size: 8, kind: ParameterKind::Pointer { written: true, size: 4, to: NumberKind::Float } };

    /// Writes down what it is asked for.
    #[derive(Default)]
    struct Diary {
        done: Vec<String>,
        refuses: Option<&'static str>,
    }

    impl Launch for Diary {
        type Kernel = String;

        fn properties(&self) -> Properties {
            Properties::new(32, 4, 1024, 48 << 10)
        }

        fn kernel(&mut self, entry: Entry) -> Result<String> {
            Ok(entry.to_string())
        }

        fn parameters<'a>(&self, _: &'a String) -> Option<&'a [Parameter]> {
            Some(&[U64, F32, POINTER])
        }

        fn max_threads(&self, _: &String) -> u32 {
            256
        }

        fn scratch(&mut self, bytes: usize) -> Result<Ptr> {
            self.done.push(format!("scratch {bytes}"));
            Ok(Ptr::new(std::ptr::without_provenance_mut(0x1000)))
        }

        unsafe fn zero(&mut self, ptr: Ptr, bytes: usize) -> Result<()> {
            self.done.push(format!("zero {:#x} {bytes}", ptr.addr()));
            Ok(())
        }

        unsafe fn launch(&mut self, kernel: &String, grid: Grid, args: &[&[u8]]) -> Result<()> {
            if self.refuses == Some(kernel) {
                return Err(Error::invalid("launch", "nothing", "this"));
            }
            self.done.push(format!("{kernel} {:?} {:?} {args:?}", grid.blocks, grid.threads));
            Ok(())
        }

        unsafe fn fault(&mut self, ptr: Ptr) -> Result<()> {
            self.done.push(format!("fault {:#x}", ptr.addr()));
            Ok(())
        }
    }

    fn step(name: &'static str) -> Step {
        let args = vec![Arg::U64(7), Arg::Scalar(ScalarValue::new(1.0_f32)), Arg::Scratch(256)];
        Step::new(Entry::plain("file", name), 3, 64, args)
    }

    fn of(steps: Vec<Step>) -> Plan {
        Plan { steps, scratch: 512, zeroed: 8, fault: Some(4) }
    }

    #[test]
    fn in_their_order() {
        let mut diary = Diary::default();
        // SAFETY: a diary touches nothing.
        unsafe { run(&of(vec![step("first"), step("second")]), &mut diary) }.unwrap();
        let args = "[[7, 0, 0, 0, 0, 0, 0, 0], [0, 0, 128, 63], [0, 17, 0, 0, 0, 0, 0, 0]]";
        let expected = [
            "scratch 512".to_owned(),
            "zero 0x1000 8".to_owned(),
            format!("first [3, 1, 1] [64, 1, 1] {args}"),
            format!("second [3, 1, 1] [64, 1, 1] {args}"),
            "fault 0x1004".to_owned(),
        ];
        assert_eq!(diary.done, expected);
        // Nothing to do, nothing asked for.
        let mut diary = Diary::default();
        // SAFETY: as above.
        unsafe { run(&Plan::default(), &mut diary) }.unwrap();
        assert!(diary.done.is_empty());
    }

    /// What is wrong with any launch is found before anything is enqueued, and names the kernel and the argument.
    #[test]
    fn nothing_is_enqueued_if_a_launch_is_wrong() {
        let change = |f: fn(&mut Step)| {
            let mut step = step("second");
            f(&mut step);
            step
        };
        for (wrong, argument) in [
            (change(|step| step.args.truncate(2)), "args"),
            (change(|step| step.args.push(Arg::U32(1))), "args"),
            (change(|step| step.args[0] = Arg::U32(7)), "args[0]"),
            (change(|step| step.args[0] = Arg::I64(7)), "args[0]"),
            (change(|step| step.args[0] = Arg::Scratch(0)), "args[0]"),
            (change(|step| step.args[1] = Arg::Scalar(ScalarValue::new(1.0_f64))), "args[1]"),
            (change(|step| step.args[1] = Arg::Scalar(ScalarValue::new(1_u32))), "args[1]"),
            (change(|step| step.args[2] = Arg::U64(0x1000)), "args[2]"),
            (change(|step| step.args[2] = Arg::Scratch(513)), "args[2]"),
            (change(|step| step.threads = 0), "threads"),
            (change(|step| step.threads = 257), "threads"),
            (change(|step| step.grid = [0, 1, 1]), "grid"),
            (change(|step| step.grid = [1, 65_536, 1]), "grid"),
            (change(|step| step.grid = [1 << 26, 1, 1]), "grid"),
            (change(|step| step.grid = [1 << 31, 1, 1]), "grid"),
            (change(|step| step.shared = (48 << 10) + 1), "shared"),
        ] {
            let mut diary = Diary::default();
            // SAFETY: a diary touches nothing.
            let error = unsafe { run(&of(vec![step("first"), wrong.clone()]), &mut diary) }.unwrap_err();
            assert!(
                matches!(error.kind(), ErrorKind::InvalidArgument { what, .. } if what == argument),
                "{wrong:?}: {error}"
            );
            assert!(error.to_string().contains("second"), "{error}");
            assert!(diary.done.is_empty(), "{:?}", diary.done);
        }
    }

    #[test]
    fn an_error_of_the_device_names_the_kernel() {
        let mut diary = Diary { refuses: Some("second"), ..Diary::default() };
        // SAFETY: a diary touches nothing.
        let error = unsafe { run(&of(vec![step("first"), step("second"), step("third")]), &mut diary) }.unwrap_err();
        assert!(error.to_string().contains("second") && diary.done.len() == 3, "{error} {:?}", diary.done);
    }
}
