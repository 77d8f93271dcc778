//! Which kernels an operation is.
//!
//! [`plan`] makes a [`Plan`] of an [`Operation`]: the launches, in their order on one stream, and the bytes of scratch memory that they
//! share. A plan is a value and touches no device, so all that can be refused is refused, and all scratch is known, before anything is
//! enqueued. [`execute`] enqueues it on whatever is a [`Launch`].

mod arg;
mod bits;
mod blas;
mod copy;
mod dot;
mod elementwise;
mod execute;
mod fill;
mod gemm;
mod gemv;
mod ger;
mod iamax;
mod index;
mod level1;
mod normalize;
mod random;
mod reduce;
mod scalar;
mod scan;
mod sort;
mod step;
mod symm;
mod symv;
mod syrk;
mod tile;
mod transpose;
mod trmm;
mod trmv;
mod trsm;
mod trsv;

pub use execute::{Launch, execute, run};
pub(crate) use scalar::is_zero;
pub use step::{Arg, Entry, Plan, Properties, Step};

use warpwave_core::{Error, Operation, Result};

/// The launches of an operation on a device with these properties.
///
/// # Errors
/// [`Unsupported`](warpwave_core::ErrorKind::Unsupported) if there are no kernels for it.
pub fn plan(operation: &Operation, properties: &Properties) -> Result<Plan> {
    use Operation as O;
    let p = properties;
    let plan = match *operation {
        O::Fill { value, out } => fill::fill(value, out, p),
        O::Iota { start, step, out } => fill::iota(start, step, out, p),
        O::Cast { x, out } => elementwise::cast(x, out, p),
        O::Unary { op, x, out } => elementwise::unary(op, x, out, p),
        O::Binary { op, a, b, out } => elementwise::binary(op, a, b, out, p),
        O::Compare { op, a, b, out } => elementwise::compare(op, a, b, out, p),
        O::Select { mask, a, b, out } => elementwise::select(mask, a, b, out, p),
        O::Reduce { op, axis, x, out } => reduce::reduce(op, axis, x, out, p)?,
        O::Mean { axis, x, out } => reduce::mean(axis, x, out, p)?,
        O::Softmax { log, axis, x, out } => normalize::softmax(log, axis, &x, &out, p)?,
        O::LayerNorm(ref arguments) => normalize::layer_norm(arguments, p)?,
        O::Count { mask, out } => reduce::count(mask, out, p)?,
        O::Transpose { x, out } => transpose::transpose(x, out, p),
        O::Permute { x, out, shape } => transpose::permute(x, out, &shape, p),
        O::Scan { op, exclusive, x, out } => scan::scan(op, exclusive, x, out, p),
        O::Sort(sort) => sort::sort(&sort, p),
        O::Gather { x, index, out } => index::gather(x, index, out, p),
        O::Scatter { x, index, out } => index::scatter(x, index, out, p),
        O::Compact { x, mask, out, count } => index::compact(x, mask, out, count, p),
        O::Histogram { x, out } => index::histogram(x, out, p),
        O::Random { seed, subsequence, offset, out } => random::random(seed, subsequence, offset, out, p),
        O::Normal { seed, subsequence, offset, mean, deviation, out } => {
            random::normal([seed, subsequence, offset], mean, deviation, out, p)
        }
        O::ArgReduce { op, axis, x, out } => arg::arg(op, axis, x, out, p)?,
        _ => return blas::blas(operation, p).unwrap_or_else(|| Err(Error::unsupported(operation.kind()))),
    };
    Ok(plan)
}
