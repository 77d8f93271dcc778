//! Whether a launch is one of this kernel, before anything is enqueued.

use super::arg::What;
use super::{Arg, Grid, Kernel, KernelInfo, Launch, LaunchArg, NumberKind, Parameter, ParameterKind};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::info::DeviceInfo;
use crate::runtime::Access;

/// What errors call the arguments.
const NAMES: [&str; 32] = [
    "args[0]", "args[1]", "args[2]", "args[3]", "args[4]", "args[5]", "args[6]", "args[7]", "args[8]", "args[9]",
    "args[10]", "args[11]", "args[12]", "args[13]", "args[14]", "args[15]", "args[16]", "args[17]", "args[18]",
    "args[19]", "args[20]", "args[21]", "args[22]", "args[23]", "args[24]", "args[25]", "args[26]", "args[27]",
    "args[28]", "args[29]", "args[30]", "args[31]",
];

const AXES: [&str; 3] = ["x", "y", "z"];

fn name(i: usize) -> &'static str {
    NAMES.get(i).copied().unwrap_or("args, past the first 32,")
}

/// A launch of `kernel` on a device, and what it touches.
///
/// # Errors
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if it cannot be one.
pub(crate) fn checked<'a, D: Device>(
    kernel: &Kernel<D>,
    grid: Grid,
    args: &[Arg<'a, D>],
    info: &DeviceInfo,
) -> Result<(Launch, Vec<Access<'a>>)> {
    let of = kernel.info();
    check_grid(of, grid, info)?;
    if let Some(parameters) = &of.parameters {
        if args.len() != parameters.len() {
            return Err(Error::invalid("args", format_args!("{} of them", parameters.len()), args.len()));
        }
        for (i, (arg, parameter)) in args.iter().zip(parameters).enumerate() {
            check_arg(name(i), &arg.what, parameter)?;
        }
    }
    let (launched, accesses) = launched(args);
    let launch = Launch { module: kernel.held.clone(), kernel: kernel.index, grid, args: launched.into() };
    Ok((launch, accesses))
}

/// What a backend is given for arguments, and what they touch.
pub(crate) fn launched<'a, D: Device>(args: &[Arg<'a, D>]) -> (Vec<LaunchArg>, Vec<Access<'a>>) {
    let accesses = args.iter().enumerate().filter_map(|(i, arg)| match &arg.what {
        What::Memory { part, write: true, .. } => Some(part.writes(name(i))),
        What::Memory { part, write: false, .. } => Some(part.reads(name(i))),
        What::Value { .. } => None,
    });
    (args.iter().map(|arg| arg.what.launched()).collect(), accesses.collect())
}

fn check_grid(kernel: &KernelInfo, grid: Grid, info: &DeviceInfo) -> Result<()> {
    let threads = grid.threads.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul);
    let most = kernel.max_threads.min(info.max_threads_per_block);
    if threads == 0 || threads > u64::from(most) {
        return Err(Error::invalid("grid.threads", format_args!("1 to {most} in a block"), threads));
    }
    if let Some(axis) = (0..3).find(|&axis| grid.blocks[axis] > Grid::MAX_BLOCKS[axis]) {
        let expected = format_args!("at most {} along {}", Grid::MAX_BLOCKS[axis], AXES[axis]).to_string();
        return Err(Error::invalid("grid.blocks", expected, grid.blocks[axis]));
    }
    let along = |axis: usize| u64::from(grid.blocks[axis]) * u64::from(grid.threads[axis]);
    if let Some(axis) = (0..3).find(|&axis| along(axis) > u64::from(u32::MAX)) {
        let expected = format_args!("fewer than 2^32 threads along {}", AXES[axis]).to_string();
        return Err(Error::invalid("grid", expected, along(axis)));
    }
    if grid.shared > info.max_shared_memory {
        let expected = format_args!("at most {} bytes", info.max_shared_memory).to_string();
        return Err(Error::invalid("grid.shared", expected, format_args!("{} bytes", grid.shared)));
    }
    Ok(())
}

fn check_arg(name: &str, arg: &What<'_>, parameter: &Parameter) -> Result<()> {
    let fits = match (arg, parameter.kind) {
        (What::Memory { write: false, .. }, ParameterKind::Pointer { written: true, .. }) => {
            let expected = format_args!("{parameter}, which the kernel may write: `&mut`").to_string();
            return Err(Error::invalid(name, expected, arg));
        }
        (What::Memory { dtype, .. }, ParameterKind::Pointer { size, to, .. }) => match to {
            // Of which numbers, the kernel alone knows; that so many of them make a structure can be seen, if its size is known.
            NumberKind::Structure => (size as usize).is_multiple_of(dtype.size()),
            _ => size as usize == dtype.size() && to == NumberKind::of(*dtype),
        },
        (What::Value { bytes, kind }, ParameterKind::Value(number)) => {
            let known = *kind != NumberKind::Structure && number != NumberKind::Structure;
            bytes.len() == parameter.size as usize && (!known || *kind == number)
        }
        _ => false,
    };
    if fits { Ok(()) } else { Err(Error::invalid(name, parameter, arg)) }
}
