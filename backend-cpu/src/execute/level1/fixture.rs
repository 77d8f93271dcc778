//! What the tests of BLAS share: data, operands in guarded memory, and devices of one and of several threads.

use crate::execute::execute;
use crate::workers::{FloatMode, Workers};
use std::fmt::Display;
use std::sync::LazyLock;
use warpwave_core::numerics::blas;
use warpwave_core::operation::{MatrixOperand, Ptr, Span, Strided};
use warpwave_core::{Complex32, Complex64, Element, Layout, Operation, bf16, f16};

/// Sizes around vectors, blocks, lanes and chunks, and one that threads share.
pub(in crate::execute) const SIZES: [usize; 24] =
    [0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 8191, 8192, 8193, 100_003];

/// A device with one thread, and one with more than most test machines have processors.
static WORKERS: LazyLock<[Workers; 2]> = LazyLock::new(|| [Workers::with_threads(1), Workers::with_threads(5)]);

/// SplitMix64 (Steele, Lea and Flood 2014).
pub(in crate::execute) struct Random(pub(in crate::execute) u64);

impl Random {
    pub(in crate::execute) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(in crate::execute) fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Uniform in −1..1.
    pub(in crate::execute) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(in crate::execute) fn vector<T>(&mut self, len: usize, make: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..len).map(|_| make(self)).collect()
    }
}

/// Test data of one type.
pub(in crate::execute) trait Sample: Element {
    /// The nearest number; the imaginary part is dropped by real types.
    fn of(re: f64, im: f64) -> Self;

    /// The exact value.
    fn parts(self) -> (f64, f64);

    /// A signalling NaN with a payload, in each component.
    fn poison() -> Self;

    /// Of magnitude below 1.
    fn ordinary(random: &mut Random) -> Self {
        Self::of(random.unit(), random.unit())
    }

    /// One in eight is a zero, a denormal, infinite, huge or NaN.
    fn any(random: &mut Random) -> Self {
        let mut part = || {
            let specials = [0.0, -0.0, 1e-310, -1e-42, 1e300, 3e38, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
            match random.below(8) {
                0 => specials[random.below(specials.len())],
                _ => random.unit(),
            }
        };
        Self::of(part(), part())
    }
}

macro_rules! sample {
    ($($t:ty, $from:expr, $into:expr, $poison:literal);* $(;)?) => { $(
        impl Sample for $t {
            fn of(re: f64, _: f64) -> Self { $from(re) }
            fn parts(self) -> (f64, f64) { ($into(self), 0.0) }
            fn poison() -> Self { <$t>::from_bits($poison) }
        }
    )* };
}
sample! {
    f32, |x| x as f32, f64::from, 0xff80_0123;
    f64, |x| x, |x| x, 0xfff0_0000_0000_0123;
    f16, f16::from_f64, f64::from, 0xfc12;
    bf16, bf16::from_f64, f64::from, 0xff92;
}

macro_rules! complex {
    ($($t:ty, $r:ty);* $(;)?) => { $(
        impl Sample for $t {
            fn of(re: f64, im: f64) -> Self { <$t>::new(re as $r, im as $r) }
            fn parts(self) -> (f64, f64) { (self.re.into(), self.im.into()) }
            fn poison() -> Self { <$t>::new(<$r>::poison(), <$r>::poison()) }
        }
    )* };
}
complex!(Complex32, f32; Complex64, f64);

/// Elements scattered over memory that is otherwise poison, in front, between and behind.
#[derive(Clone)]
pub(in crate::execute) struct Guarded<T> {
    memory: Vec<T>,
    places: Vec<usize>,
}

/// Elements in front of the operand and behind it. Odd, so that the operand is aligned to no more than its type.
const GUARD: usize = 7;

impl<T: Sample> Guarded<T> {
    /// `values`, element `i` of which lies at `place(i)`.
    fn new(values: &[T], place: impl Fn(usize) -> usize) -> Self {
        let places: Vec<usize> = (0..values.len()).map(|i| GUARD + place(i)).collect();
        let end = places.iter().max().map_or(GUARD, |last| last + 1) + GUARD;
        let mut memory = vec![T::poison(); end];
        for (&place, &value) in places.iter().zip(values) {
            memory[place] = value;
        }
        Guarded { memory, places }
    }

    /// A vector of BLAS.
    pub(in crate::execute) fn vector(values: &[T], inc: isize) -> Self {
        Guarded::new(values, |i| blas::offset(i, values.len(), inc))
    }

    /// A batch of matrices, `batch_stride` elements apart; `values` has all elements of the first, column by column,
    /// then those of the others.
    pub(in crate::execute) fn matrices(values: &[T], shape: Shape, batch_stride: usize) -> Self {
        let size = (shape.rows * shape.cols).max(1);
        Guarded::new(values, |i| {
            let (matrix, element) = (i / size, i % size);
            let (row, col) = (element % shape.rows, element / shape.rows);
            matrix * batch_stride
                + match shape.layout {
                    Layout::ColumnMajor => row + col * shape.ld(),
                    Layout::RowMajor => row * shape.ld() + col,
                }
        })
    }

    pub(in crate::execute) fn ptr(&mut self) -> Ptr {
        Ptr::new(self.memory.as_mut_ptr().wrapping_add(GUARD).cast())
    }

    pub(in crate::execute) fn strided(&mut self, inc: isize) -> Strided {
        Strided { base: self.ptr(), dtype: T::DTYPE, len: self.places.len(), inc }
    }

    pub(in crate::execute) fn span(&mut self) -> Span {
        Span { ptr: self.ptr(), dtype: T::DTYPE, len: self.places.len() }
    }

    pub(in crate::execute) fn operand(&mut self, shape: Shape) -> MatrixOperand {
        let Shape { rows, cols, layout, .. } = shape;
        MatrixOperand { ptr: self.ptr(), dtype: T::DTYPE, rows, cols, ld: shape.ld(), layout }
    }

    /// The elements, after a look at everything that is none.
    #[track_caller]
    pub(in crate::execute) fn values(&self) -> Vec<T> {
        let mut guards = self.memory.clone();
        for &place in &self.places {
            guards[place] = T::poison();
        }
        let poison = T::poison();
        let intact = guards.iter().all(|guard| bytemuck::bytes_of(guard) == bytemuck::bytes_of(&poison));
        assert!(intact, "wrote outside of the operand");
        self.places.iter().map(|&place| self.memory[place]).collect()
    }
}

/// The dimensions of a matrix and how it lies in memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::execute) struct Shape {
    pub(in crate::execute) rows: usize,
    pub(in crate::execute) cols: usize,
    pub(in crate::execute) layout: Layout,
    /// How much longer the leading dimension is than it must be.
    pub(in crate::execute) pad: usize,
}

impl Shape {
    pub(in crate::execute) fn ld(&self) -> usize {
        self.pad
            + match self.layout {
                Layout::ColumnMajor => self.rows,
                Layout::RowMajor => self.cols,
            }
            .max(1)
    }

    /// Elements from the first to one past the last.
    pub(in crate::execute) fn extent(&self) -> usize {
        self.ld()
            * match self.layout {
                Layout::ColumnMajor => self.cols,
                Layout::RowMajor => self.rows,
            }
    }
}

/// Calls `check` for each device, with a function that executes an operation there.
pub(in crate::execute) fn on_each_device(check: impl Fn(&dyn Fn(Operation))) {
    for workers in &*WORKERS {
        check(&|operation| {
            let _mode = FloatMode::enter();
            // SAFETY: the tests make operations of `Guarded` operands that are alive and as large as they say.
            if let Err(error) = unsafe { execute(workers, &operation) } {
                panic!("{error}");
            }
        });
    }
}

/// Compares to the bit.
#[track_caller]
pub(in crate::execute) fn assert_bits<T: Element>(got: &[T], expected: &[T], what: impl Display) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        let (ours, theirs) = (bytemuck::bytes_of(got), bytemuck::bytes_of(expected));
        assert!(
            ours == theirs,
            "{what}, {}: element {i} is {got} ({ours:02x?}), expected {expected} ({theirs:02x?})",
            T::DTYPE
        );
    }
}
