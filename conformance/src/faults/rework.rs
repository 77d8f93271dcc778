//! Faults in the results: what the backend computes in another way than it should, or does besides.
//!
//! A [`Rework`] is a pair of host functions around an operation, in the order of the stream.

use super::Fault;
use super::elements::{Elements, Input, outputs};
use super::functions;
use super::indexing;
use super::ordering;
use super::{large, products, scans, triangles};
use crate::reference::Sample;
use std::sync::{Arc, Mutex, PoisonError};
use warpwave_core::numerics::blas::ScalarArithmetic;
use warpwave_core::numerics::{Numeric, RealNumeric, Reducible};
use warpwave_core::operation::{MatrixOperand, Span};
use warpwave_core::{Axis, BinaryOp, DType, HostFn, Op, Operation, ReduceOp, ScalarValue, bf16, f16, match_dtype};

/// What is done around an operation.
#[derive(Default)]
pub(super) struct Rework {
    /// Done before it.
    pub(super) before: Option<HostFn>,
    /// Whether the operation itself is left out.
    pub(super) instead: bool,
    /// Done after it.
    pub(super) after: Option<HostFn>,
}

/// Runs generic code for the types that the groups test.
macro_rules! typed {
    ($dtype:expr, $family:ident $t:ident => $body:expr) => {
        warpwave_core::match_dtype!($dtype, $family $t => $body, _ => ())
    };
}
pub(super) use typed;

impl Rework {
    pub(super) fn after(f: impl FnOnce() + Send + 'static) -> Self {
        Rework { after: Some(Box::new(f)), ..Rework::default() }
    }

    pub(super) fn instead(f: impl FnOnce() + Send + 'static) -> Self {
        Rework { instead: true, ..Rework::after(f) }
    }

    /// `look` at the operands before the operation, and `act` on what it saw after it.
    pub(super) fn around<S: Send + 'static>(
        look: impl FnOnce() -> S + Send + 'static,
        act: impl FnOnce(S) + Send + 'static,
    ) -> Self {
        let seen = Arc::new(Mutex::new(None));
        let sees = seen.clone();
        Rework {
            before: Some(Box::new(move || *sees.lock().unwrap_or_else(PoisonError::into_inner) = Some(look()))),
            instead: false,
            after: Some(Box::new(move || {
                if let Some(seen) = seen.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    act(seen);
                }
            })),
        }
    }

    /// What a backend with the fault does around the operation.
    ///
    /// # Safety
    /// When the functions are called, the operands of `operation` are there as
    /// [`Backend::execute`](warpwave_core::Backend::execute) asks, in memory that the host reaches.
    pub(super) unsafe fn of(fault: Fault, operation: &Operation) -> Self {
        // SAFETY: the caller's.
        unsafe {
            match fault {
                Fault::BetaZeroReadsC => products::beta_zero_reads_c(operation),
                Fault::AlphaZeroReadsA => products::alpha_zero_reads_a(operation),
                Fault::PaddingWritten => padding_written(operation),
                Fault::LastTie => last_tie(operation),
                Fault::NanDroppedInReduction => nan_dropped(operation),
                Fault::NaiveNorm => naive_norm(operation),
                Fault::NarrowAccumulation => products::narrow_accumulation(operation),
                Fault::ReducedStrict => products::reduced_strict(operation),
                Fault::UnfusedAxpy => unfused_axpy(operation),
                Fault::FlushToZero => on_arithmetic(operation, |out| typed!(out.dtype, any T => out.map(flush::<T>))),
                Fault::UnsettledNan => {
                    on_arithmetic(operation, |out| typed!(out.dtype, any T => out.map(negative_nan::<T>)))
                }
                Fault::TruncatingCast => truncating_cast(operation),
                Fault::GuardOverrun => guard_overrun(operation),
                Fault::PlainSum => plain_sum(operation),
                Fault::FlatReduction => large::flat_reduction(operation),
                Fault::DivisionByZero => division_by_zero(operation),
                Fault::ZeroSignDropped => zero_sign_dropped(operation),
                Fault::AccumulatedIota => accumulated_iota(operation),
                Fault::UnstableSort => ordering::unstable_sort(operation),
                Fault::NanSortedByBits => ordering::nan_by_bits(operation),
                Fault::ReversedDescending => ordering::reversed_descending(operation),
                Fault::RoundMissing => ordering::round_missing(operation),
                Fault::LowBitBias => ordering::low_bit_bias(operation),
                Fault::GatherWraps => indexing::gather_wraps(operation),
                Fault::ScatterLowest => indexing::scatter_lowest(operation),
                Fault::CompactMiscounted => indexing::compact_miscounted(operation),
                Fault::CompactDisordered => indexing::compact_disordered(operation),
                Fault::HistogramBinDropped => indexing::histogram_bin_dropped(operation),
                Fault::LastSmallest => triangles::last_smallest(operation),
                Fault::DiagonalKept => triangles::diagonal_kept(operation),
                Fault::BothTriangles => triangles::both_triangles(operation),
                Fault::FirstOfList => triangles::first_of_list(operation),
                Fault::TileOffByOne => scans::off_by_one(operation),
                Fault::StartsWithZero => scans::starts_with_zero(operation),
                Fault::FarCarryDropped => scans::far_carry(operation),
                Fault::PlainPrefixes => scans::plain_prefixes(operation),
                Fault::MeanOfOneFewer => scans::one_fewer(operation),
                Fault::NarrowMean => scans::narrow_mean(operation),
                Fault::LastSmallestPlace => scans::last_smallest_place(operation),
                Fault::NanPassedOver => scans::nan_passed_over(operation),
                Fault::DenormalExponentials => functions::denormal_exponentials(operation),
                Fault::PowerOfNan => functions::power_of_nan(operation),
                Fault::PlatformExponential
                | Fault::LargeAnglesUnreduced
                | Fault::ApproximateRsqrt
                | Fault::NaiveLogarithm => functions::wrong_function(fault, operation),
                _ => Rework::default(),
            }
        }
    }
}

unsafe fn padding_written(operation: &Operation) -> Rework {
    let matrix = match operation {
        Operation::Transpose { out, .. } => *out,
        Operation::Gemm(gemm) => gemm.c,
        _ => return Rework::default(),
    };
    let (run, runs) = matrix.runs();
    if matrix.is_empty() || matrix.ld == run || runs < 2 {
        return Rework::default();
    }
    let padding = MatrixOperand {
        ptr: matrix.ptr.byte_add(run * matrix.dtype.size()),
        rows: matrix.ld - run,
        cols: runs - 1,
        layout: warpwave_core::Layout::ColumnMajor,
        ..matrix
    };
    // SAFETY: what lies between two runs is inside the range of the operand, which is as much the operation's own as its
    // elements are; the caller vouches for the rest.
    let padding = unsafe { Elements::matrix(padding) };
    Rework::after(move || typed!(padding.dtype, any T => padding.map(|_| T::default())))
}

unsafe fn last_tie(operation: &Operation) -> Rework {
    let Operation::Iamax { x, out } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (x, out) = unsafe { (Elements::strided(x), Elements::span(out)) };
    Rework::after(move || {
        let largest = |x: Vec<f64>| {
            let nan = x.iter().position(|x| x.is_nan());
            let greatest = x.iter().copied().fold(0.0, f64::max);
            nan.or_else(|| x.iter().rposition(|&x| x == greatest))
        };
        let index = match x.dtype {
            DType::F32 => largest(x.read::<f32>().into_iter().map(|x| f64::from(x.abs1())).collect()),
            DType::F64 => largest(x.read::<f64>().into_iter().map(f64::abs1).collect()),
            _ => return,
        };
        out.set(0, 0, index.map_or(u64::MAX, |i| i as u64));
    })
}

unsafe fn nan_dropped(operation: &Operation) -> Rework {
    let Operation::Reduce { op: op @ (ReduceOp::Min | ReduceOp::Max), axis, x, out } = *operation else {
        return Rework::default();
    };
    // SAFETY: the caller's.
    let (x, out) = unsafe { (Elements::matrix(x), Elements::span(out)) };
    // Each line of the matrix becomes one result.
    let lines = match axis {
        Axis::Rows => x,
        _ => x.entering(Op::T),
    };
    Rework::after(move || {
        typed!(x.dtype, real T => {
            for line in 0..lines.rows {
                let elements = (0..lines.cols).map(|i| lines.get::<T>(line, i));
                let result = match op {
                    ReduceOp::Min => elements.fold(T::GREATEST, T::min_num),
                    _ => elements.fold(T::LEAST, T::max_num),
                };
                out.set(line, 0, result);
            }
        });
    })
}

unsafe fn naive_norm(operation: &Operation) -> Rework {
    let Operation::Nrm2 { x, out } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (x, out) = unsafe { (Elements::strided(x), Elements::span(out)) };
    Rework::after(move || match x.dtype {
        DType::F32 => out.set(0, 0, x.read::<f32>().into_iter().fold(0.0, |sum, x| x.mul_add(x, sum)).sqrt()),
        DType::F64 => out.set(0, 0, x.read::<f64>().into_iter().fold(0.0, |sum, x| x.mul_add(x, sum)).sqrt()),
        _ => {}
    })
}

unsafe fn unfused_axpy(operation: &Operation) -> Rework {
    fn run<T: Sample + ScalarArithmetic>(alpha: ScalarValue, x: Elements, y: Elements) {
        let Some(alpha) = alpha.get::<T>().filter(|&alpha| alpha != T::ZERO) else { return };
        for i in 0..y.rows {
            y.set(i, 0, Numeric::add(<T as Numeric>::mul(alpha, x.get(i, 0)), y.get(i, 0)));
        }
    }
    let Operation::Axpy { alpha, x, y } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let (x, y) = unsafe { (Elements::strided(x), Elements::strided(y)) };
    Rework::instead(move || match alpha.dtype() {
        DType::F32 => run::<f32>(alpha, x, y),
        DType::F64 => run::<f64>(alpha, x, y),
        DType::C32 => run::<warpwave_core::Complex32>(alpha, x, y),
        _ => run::<warpwave_core::Complex64>(alpha, x, y),
    })
}

/// Changes the results of arithmetic.
unsafe fn on_arithmetic(operation: &Operation, change: impl Fn(Elements) + Send + 'static) -> Rework {
    match operation {
        Operation::Unary { .. }
        | Operation::Binary { .. }
        | Operation::Reduce { .. }
        | Operation::Scal { .. }
        | Operation::Axpy { .. }
        | Operation::Dot { .. }
        | Operation::Ger { .. }
        | Operation::Gemv(_)
        | Operation::Gemm(_) => {}
        _ => return Rework::default(),
    }
    // SAFETY: the caller's.
    let written = unsafe { outputs(operation) };
    Rework::after(move || written.into_iter().for_each(change))
}

fn by_component<T: Sample>(x: T, change: impl Fn(f64, f64) -> f64) -> T {
    if T::DTYPE.is_integer() {
        return x;
    }
    // Half a unit in the last place of 1 and the smallest number make the smallest normal one.
    let smallest_normal = T::TINY * (0.5 / T::UNIT);
    T::from_values(x.values().map(|x| change(x, smallest_normal)))
}

fn flush<T: Sample>(x: T) -> T {
    by_component(x, |x, smallest_normal| if x.abs() < smallest_normal { 0.0_f64.copysign(x) } else { x })
}

fn negative_nan<T: Sample>(x: T) -> T {
    let sign = 1_u64 << (T::DTYPE.size() * 8 / if T::DTYPE.is_complex() { 2 } else { 1 } - 1);
    let [re, im] = x.values();
    let [re_bits, im_bits] = x.patterns();
    T::from_patterns([re_bits | if re.is_nan() { sign } else { 0 }, im_bits | if im.is_nan() { sign } else { 0 }])
}

unsafe fn truncating_cast(operation: &Operation) -> Rework {
    fn run<S: Sample, T: Sample>(x: Elements, out: Elements) {
        for i in 0..out.rows {
            let (exact, rounded) = (x.get::<S>(i, 0).values()[0], out.get::<T>(i, 0));
            if rounded.values()[0].abs() > exact.abs() {
                // The next number toward zero; infinity becomes the largest number.
                out.set(i, 0, T::from_patterns([rounded.patterns()[0] - 1, 0]));
            }
        }
    }
    let Operation::Cast { x, out } = *operation else { return Rework::default() };
    if x.dtype.is_complex() {
        return Rework::default();
    }
    // SAFETY: the caller's.
    let (x, out) = unsafe { (Elements::span(x), Elements::span(out)) };
    Rework::after(move || {
        typed!(x.dtype, real S => match out.dtype {
            DType::F16 => run::<S, f16>(x, out),
            DType::Bf16 => run::<S, bf16>(x, out),
            _ => {}
        });
    })
}

unsafe fn guard_overrun(operation: &Operation) -> Rework {
    let out = match *operation {
        Operation::Unary { out, .. } | Operation::Binary { out, .. } | Operation::Compare { out, .. } => out,
        _ => return Rework::default(),
    };
    let end = out.ptr.byte_add(out.len * out.dtype.size());
    // Allocations end at multiples of 256 bytes; the fault stays inside.
    if end.addr().is_multiple_of(256) {
        return Rework::default();
    }
    // SAFETY: the element behind the span lies in the same allocation, so it is there as long as the span is. That nobody
    // else is at work on it is what the caller of `Faulty::new` answers for.
    let behind = unsafe { Elements::span(Span { ptr: end, len: 1, ..out }) };
    Rework::after(move || typed!(behind.dtype, any T => behind.set(0, 0, T::default())))
}

unsafe fn plain_sum(operation: &Operation) -> Rework {
    fn run<T: Sample + Reducible>(x: Elements, out: Elements) {
        let mut elements = x.read::<T>().into_iter().map(T::widen);
        let Some(first) = elements.next() else { return };
        out.set(0, 0, T::narrow(elements.fold(first, T::Acc::add)));
    }
    let Operation::Reduce { op: ReduceOp::Sum, axis: Axis::Whole, x, out } = *operation else {
        return Rework::default();
    };
    // SAFETY: the caller's.
    let (x, out) = unsafe { (Elements::matrix(x), Elements::span(out)) };
    Rework::after(move || typed!(x.dtype, any T => run::<T>(x, out)))
}

unsafe fn division_by_zero(operation: &Operation) -> Rework {
    let Operation::Binary { op: BinaryOp::Div, a, b, out } = *operation else { return Rework::default() };
    if !out.dtype.is_integer() || a.dtype() != out.dtype {
        return Rework::default();
    }
    // SAFETY: the caller's.
    let (b, out) = unsafe { (Input::of(b), Elements::span(out)) };
    // The output may be the divisor itself.
    typed_zeros(b, out)
}

fn typed_zeros(b: Input, out: Elements) -> Rework {
    let zeros = move || -> Vec<usize> {
        match_dtype!(out.dtype, integer T => (0..out.rows).filter(|&i| b.get::<T>(i) == 0).collect(), _ => Vec::new())
    };
    Rework::around(zeros, move |zeros| {
        typed!(out.dtype, integer T => zeros.into_iter().for_each(|i| out.set(i, 0, T::MAX)));
    })
}

unsafe fn zero_sign_dropped(operation: &Operation) -> Rework {
    fn run<T: Sample + RealNumeric>(op: BinaryOp, a: Input, b: Input, out: Elements) {
        for i in 0..out.rows {
            let (x, y) = (a.get::<T>(i), b.get::<T>(i));
            let result = match op {
                BinaryOp::Minimum if T::less(y, x) => y,
                BinaryOp::Maximum if T::less(x, y) => y,
                _ if y.has_nan() => y,
                _ => x,
            };
            out.set(i, 0, result.canonical());
        }
    }
    let Operation::Binary { op: op @ (BinaryOp::Minimum | BinaryOp::Maximum), a, b, out } = *operation else {
        return Rework::default();
    };
    // SAFETY: the caller's.
    let (a, b, out) = unsafe { (Input::of(a), Input::of(b), Elements::span(out)) };
    Rework::instead(move || typed!(out.dtype, real T => run::<T>(op, a, b, out)))
}

unsafe fn accumulated_iota(operation: &Operation) -> Rework {
    fn run<T: Sample + Numeric>(start: ScalarValue, step: ScalarValue, out: Elements) {
        let (Some(start), Some(step)) = (start.get::<T>(), step.get::<T>()) else { return };
        let mut next = start;
        for i in 0..out.rows {
            out.set(i, 0, next.canonical());
            next = T::add(next, step);
        }
    }
    let Operation::Iota { start, step, out } = *operation else { return Rework::default() };
    // SAFETY: the caller's.
    let out = unsafe { Elements::span(out) };
    Rework::instead(move || typed!(out.dtype, real T => run::<T>(start, step, out)))
}
