//! What warpwave's own kernels reach, beside figures of other programs that were measured in another run.

use super::driver::Driver;
use super::measure::{Outcome, medians};
use super::report::{Before, Floor, Row};
use super::{Bench, DeviceBuffer, Queue};
use std::time::Duration;
use warpwave::prelude::*;

/// Elements of the rows about bandwidth.
const LEN: usize = 1 << 28;
/// Rows and columns of the matrices, which have as many elements.
const ORDER: usize = 1 << 14;
/// Keys that are sorted.
const KEYS: usize = 1 << 27;
/// Matrices of the batch, and their order.
const BATCH: (usize, usize) = (100_000, 32);
/// The order of the reproducible product.
const PRODUCT: usize = 1 << 13;

/// A piece of work.
enum Task {
    /// Can be done again and again.
    Same(Box<dyn FnMut() -> Result<()>>),
    /// Needs its input anew each time.
    Sort(Sort),
}

impl Task {
    fn new(work: impl FnMut() -> Result<()> + 'static) -> Self {
        Task::Same(Box::new(work))
    }

    /// How long it takes to be done so many times.
    fn time(&mut self, driver: &Driver, calls: usize) -> Outcome<Duration> {
        match self {
            Task::Same(work) => driver.device_time(calls, &mut || Ok(work()?)),
            Task::Sort(sort) => {
                let mut total = Duration::ZERO;
                for _ in 0..calls {
                    // The stream is busy with this while the host enqueues what is timed.
                    sort.stream.copy(&sort.unsorted, &mut sort.keys)?;
                    total += driver.device_time(1, &mut || Ok(sort.run()?))?;
                }
                Ok(total)
            }
        }
    }
}

/// Keys in no order, where they are sorted, and values that go along.
struct Sort {
    stream: Queue,
    unsorted: DeviceBuffer<u32>,
    keys: DeviceBuffer<u32>,
    values: Option<DeviceBuffer<u32>>,
}

impl Sort {
    fn new(stream: &Queue) -> Result<Self> {
        let (mut unsorted, keys) = (stream.alloc::<u32>(KEYS)?, stream.zeros::<u32>(KEYS)?);
        stream.random(&mut Philox::new(1), &mut unsorted)?;
        Ok(Sort { stream: stream.clone(), unsorted, keys, values: None })
    }

    fn with_values(mut self) -> Result<Self> {
        let values = self.values.insert(self.stream.alloc::<u32>(KEYS)?);
        self.stream.iota(0, 1, values)?;
        Ok(self)
    }

    fn run(&mut self) -> Result<()> {
        match &mut self.values {
            None => self.stream.sort(&mut self.keys),
            Some(values) => self.stream.sort_pairs(&mut self.keys, values),
        }
    }
}

/// How a row counts.
#[derive(Clone, Copy)]
enum Rate {
    /// Bytes, each operand once: GB/s.
    Bytes(usize),
    /// Operations: TFLOP/s.
    Operations(f64),
    /// Keys, and the bytes of each once in and once out: Gkeys/s.
    Keys(usize, usize),
}

/// A row.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    rate: Rate,
    before: &'static [Before],
    prepare: fn(&Queue) -> Result<Task>,
}

/// The copy, which the others are a part of.
pub(crate) const COPY: Entry = Entry {
    name: "copy 1 GiB",
    rate: Rate::Bytes(2 * 4 * LEN),
    before: &[("cudaMemcpy", 4186.0)],
    prepare: |stream| {
        let (stream, x, mut y) = (stream.clone(), normal(stream)?, stream.zeros::<f32>(LEN)?);
        Ok(Task::new(move || stream.copy(&x, &mut y)))
    },
};

/// The others.
pub(crate) const OTHERS: &[Entry] = &[
    Entry {
        name: "axpy f32 2^28",
        rate: Rate::Bytes(3 * 4 * LEN),
        before: &[("PyTorch", 4364.0), ("cuBLAS", 3300.0), ("a kernel of one element a thread", 3426.0)],
        prepare: |stream| {
            let (stream, x, mut y) = (stream.clone(), normal(stream)?, normal(stream)?);
            Ok(Task::new(move || stream.axpy(0.5, &x, &mut y)))
        },
    },
    Entry {
        name: "exp f32 2^28",
        rate: Rate::Bytes(2 * 4 * LEN),
        before: &[("PyTorch", 4237.0)],
        prepare: |stream| {
            let (stream, x, mut y) = (stream.clone(), normal(stream)?, stream.zeros::<f32>(LEN)?);
            Ok(Task::new(move || stream.exp(&x, &mut y)))
        },
    },
    Entry {
        name: "sum f32 2^28",
        rate: Rate::Bytes(4 * LEN),
        before: &[("CUB", 4337.0), ("PyTorch", 4321.0)],
        prepare: |stream| {
            let (stream, x, mut out) = (stream.clone(), normal(stream)?, stream.zeros::<f32>(1)?);
            Ok(Task::new(move || stream.sum_into(&x, &mut out)))
        },
    },
    Entry {
        name: "dot f32 2^28",
        rate: Rate::Bytes(2 * 4 * LEN),
        before: &[("cuBLAS", 3945.0)],
        prepare: |stream| {
            let (stream, x, y, mut out) = (stream.clone(), normal(stream)?, normal(stream)?, stream.zeros::<f32>(1)?);
            Ok(Task::new(move || stream.dot_into(&x, &y, &mut out)))
        },
    },
    Entry {
        name: "argmax f32 2^28",
        rate: Rate::Bytes(4 * LEN),
        before: &[("PyTorch", 3783.0)],
        prepare: |stream| {
            let (stream, x, mut out) = (stream.clone(), normal(stream)?, stream.zeros::<u64>(1)?);
            Ok(Task::new(move || stream.argmax_into(&x, &mut out)))
        },
    },
    Entry {
        name: "inclusive_sum f32 2^28",
        rate: Rate::Bytes(2 * 4 * LEN),
        before: &[("CUB", 3085.0), ("PyTorch", 2518.0)],
        prepare: |stream| {
            let (stream, x, mut y) = (stream.clone(), normal(stream)?, stream.zeros::<f32>(LEN)?);
            Ok(Task::new(move || stream.inclusive_sum(&x, &mut y)))
        },
    },
    Entry {
        name: "transpose f32 16384^2",
        rate: Rate::Bytes(2 * 4 * LEN),
        before: &[("cuBLAS geam", 3947.0), ("PyTorch", 1158.0)],
        prepare: |stream| {
            let (stream, x, mut y) = (stream.clone(), normal(stream)?, stream.zeros::<f32>(LEN)?);
            Ok(Task::new(move || stream.transpose(&x.matrix(ORDER, ORDER)?, &mut y.matrix_mut(ORDER, ORDER)?)))
        },
    },
    Entry {
        name: "softmax_rows f32 16384^2",
        rate: Rate::Bytes(2 * 4 * LEN),
        before: &[("PyTorch", 3276.0)],
        prepare: |stream| {
            let (stream, x, mut y) = (stream.clone(), normal(stream)?, stream.zeros::<f32>(LEN)?);
            Ok(Task::new(move || {
                let x = x.view().matrix_with(ORDER, ORDER, ORDER, Layout::RowMajor)?;
                stream.softmax_rows(&x, &mut y.view_mut().matrix_mut_with(ORDER, ORDER, ORDER, Layout::RowMajor)?)
            }))
        },
    },
    Entry {
        name: "layer_norm_rows f32 16384^2",
        rate: Rate::Bytes(2 * 4 * LEN),
        before: &[("PyTorch", 2599.0)],
        prepare: |stream| {
            let (stream, x, mut y) = (stream.clone(), normal(stream)?, stream.zeros::<f32>(LEN)?);
            let (gamma, beta) = (stream.zeros::<f32>(ORDER)?, stream.zeros::<f32>(ORDER)?);
            Ok(Task::new(move || {
                let options = LayerNormOptions::new(1e-5).gamma(&gamma).beta(&beta);
                let x = x.view().matrix_with(ORDER, ORDER, ORDER, Layout::RowMajor)?;
                let mut y = y.view_mut().matrix_mut_with(ORDER, ORDER, ORDER, Layout::RowMajor)?;
                stream.layer_norm_rows(&x, &options, &mut y)
            }))
        },
    },
    Entry {
        name: "normal f32 2^28",
        rate: Rate::Bytes(4 * LEN),
        before: &[("PyTorch", 1804.0)],
        prepare: |stream| {
            let (stream, mut y) = (stream.clone(), stream.zeros::<f32>(LEN)?);
            Ok(Task::new(move || stream.normal(&mut Philox::new(1), 0.0, 1.0, &mut y)))
        },
    },
    Entry {
        name: "sort u32 2^27",
        rate: Rate::Keys(KEYS, 2 * 4),
        before: &[("CUB", 48.7), ("PyTorch", 22.5)],
        prepare: |stream| Ok(Task::Sort(Sort::new(stream)?)),
    },
    Entry {
        name: "sort_pairs u32 2^27",
        rate: Rate::Keys(KEYS, 2 * (4 + 4)),
        before: &[("CUB", 31.3)],
        prepare: |stream| Ok(Task::Sort(Sort::new(stream)?.with_values()?)),
    },
    Entry {
        name: "gemv f32 16384^2",
        rate: Rate::Bytes(4 * (LEN + 2 * ORDER)),
        before: &[("cuBLAS", 4079.0)],
        prepare: |stream| {
            let (stream, a) = (stream.clone(), normal(stream)?);
            let (x, mut y) = (stream.zeros::<f32>(ORDER)?, stream.zeros::<f32>(ORDER)?);
            Ok(Task::new(move || stream.gemv(Op::N, 1.0, &a.matrix(ORDER, ORDER)?, &x, 0.0, &mut y)))
        },
    },
    Entry {
        name: "gemm 32^3 × 100,000 f32",
        rate: Rate::Operations(2.0 * (BATCH.0 * BATCH.1 * BATCH.1 * BATCH.1) as f64),
        before: &[("cuBLAS", 17.0)],
        prepare: |stream| {
            let ((count, n), stream) = (BATCH, stream.clone());
            let len = count * n * n;
            let (a, b, mut c) = (normal_of(&stream, len)?, normal_of(&stream, len)?, stream.zeros::<f32>(len)?);
            Ok(Task::new(move || {
                let a = a.view().batch(n, n, n, Layout::ColumnMajor, n * n, count)?;
                let b = b.view().batch(n, n, n, Layout::ColumnMajor, n * n, count)?;
                let mut c = c.view_mut().batch_mut(n, n, n, Layout::ColumnMajor, n * n, count)?;
                stream.gemm_strided_batched(Op::N, Op::N, 1.0, &a, &b, 0.0, &mut c)
            }))
        },
    },
    Entry {
        name: "gemm f32 8192, reproducible",
        rate: Rate::Operations(2.0 * (PRODUCT * PRODUCT * PRODUCT) as f64),
        before: &[("cuBLAS", 51.1), ("the same sums in an experiment", 42.7)],
        prepare: |stream| {
            let (n, stream) = (PRODUCT, stream.with_precision(Precision::Reproducible));
            let (a, b) = (normal_of(&stream, n * n)?, normal_of(&stream, n * n)?);
            let mut c = stream.zeros::<f32>(n * n)?;
            Ok(Task::new(move || {
                let mut c = c.matrix_mut(n, n)?;
                stream.gemm(Op::N, Op::N, 1.0, &a.matrix(n, n)?, &b.matrix(n, n)?, 0.0, &mut c)
            }))
        },
    },
];

/// Numbers that are neither equal nor in order.
fn normal(stream: &Queue) -> Result<DeviceBuffer<f32>> {
    normal_of(stream, LEN)
}

fn normal_of(stream: &Queue, len: usize) -> Result<DeviceBuffer<f32>> {
    let mut x = stream.alloc::<f32>(len)?;
    stream.normal(&mut Philox::new(1), 0.0, 1.0, &mut x)?;
    Ok(x)
}

/// Measures an entry; `copy` is what the copy has reached in GB/s.
pub(crate) fn measure(bench: &Bench, entry: &Entry, copy: Option<f64>) -> Outcome<Row> {
    let mut task = (entry.prepare)(&bench.stream)?;
    let (seconds, _) = medians(&mut |calls| task.time(&bench.driver, calls), None)?;
    let (count, unit, floor) = match entry.rate {
        Rate::Bytes(bytes) => (bytes as f64 / 1e9, "GB/s", Floor { amount: bytes as f64, unit: "B" }),
        Rate::Operations(count) => (count / 1e12, "TFLOP/s", Floor { amount: count, unit: "FLOP" }),
        Rate::Keys(keys, bytes) => (keys as f64 / 1e9, "Gkeys/s", Floor { amount: (keys * bytes) as f64, unit: "B" }),
    };
    let copy = copy.filter(|_| floor.unit == "B");
    Ok(Row {
        floor: Some(floor),
        of_copy: copy.map(|copy| floor.amount / seconds / 1e9 / copy),
        before: entry.before,
        ..Row::new(entry.name, count / seconds, unit)
    })
}
