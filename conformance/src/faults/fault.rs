//! The list of faults.

use std::fmt;

/// How the streams of the device have to work for a fault to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A call returns when its work has ended.
    Inline,
    /// Work is executed later, by a thread of the stream.
    Async,
}

/// A fault, and the check that must fail because of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Planted {
    /// The fault.
    pub fault: Fault,
    /// The mode of streams in which it is to be run.
    pub mode: Mode,
    /// The id of a check that passes without the fault and fails with it, at the level `smoke`.
    pub caught_by: &'static str,
    /// What the description of the failure contains: that it is this fault which was seen.
    pub detail: &'static str,
}

macro_rules! faults {
    ($($(#[doc = $doc:literal])* $fault:ident = $name:literal, $mode:ident, $check:literal, $detail:literal;)*) => {
        /// What can be wrong with a backend.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Fault { $($(#[doc = $doc])* $fault),* }

        impl Fault {
            /// Every one.
            pub const ALL: &[Fault] = &[$(Fault::$fault),*];

            /// The short name that reports use.
            pub const fn name(self) -> &'static str {
                match self { $(Fault::$fault => $name),* }
            }

            /// What the backend does.
            pub const fn description(self) -> &'static str {
                match self { $(Fault::$fault => concat!($($doc),*).trim_ascii()),* }
            }
        }

        const PLANTED: &[Planted] = &[
            $(Planted { fault: Fault::$fault, mode: Mode::$mode, caught_by: $check, detail: $detail }),*
        ];
    };
}

faults! {
    /// With beta = 0, gemv and gemm take the NaNs of what they update.
    BetaZeroReadsC = "beta-zero-reads-c", Inline, "blas.gemm.f32.strict", "beta = 0, with alpha = 0 and k = 2: c[0]: expected 0.0 (00000000), got NaN";
    /// With alpha = 0, gemv and gemm take the NaNs of their matrix.
    AlphaZeroReadsA = "alpha-zero-reads-a", Inline, "blas.gemv.f64.reproducible", "beta = -1, with alpha = 0 and n = 2: y[0]: expected -3.0 (c008000000000000), got NaN";
    /// Products take their first matrix as without gaps, whatever its leading dimension.
    LdIgnored = "ld-ignored", Inline, "blas.gemm.f64.reproducible", "a with a gap: c[2]: expected 3.0 (4008000000000000), got 77.0";
    /// A transposition and a product write zeros between the columns of their result.
    PaddingWritten = "padding-written", Inline, "elementwise.transpose.u8", "what lies around it";
    /// iamax takes the last of equal magnitudes.
    LastTie = "last-tie", Inline, "blas.iamax.f32", "zeros: expected Some(0), got Some(2)";
    /// A stream does not wait for an event.
    MissingWait = "missing-wait", Async, "runtime.order.read_after_write", "written before it was read: y[0]: expected 42 (0000002a), got 7 (00000007)";
    /// Element-wise operations stop one element short.
    DroppedTail = "dropped-tail", Inline, "elementwise.add.f32", "(ffc5a5a5)";
    /// A download returns memory as it was before the last operation on it.
    StaleDownload = "stale-download", Inline, "elementwise.neg.i32", "(a5a5a5a5)";
    /// An upload leaves out the bytes after the last multiple of 16.
    PartialUpload = "partial-upload", Inline, "runtime.copy.odd", "behind the end";
    /// Conjugation is left out of transposed matrices and of dotc.
    TransposeForConjugate = "transpose-for-conjugate", Inline, "blas.gemm.c32.strict", "op c of i, times i: c[0]: expected Complex { re: 1.0, im: 0.0 }";
    /// A negative increment is taken as a positive one.
    NegativeIncrement = "negative-increment", Inline, "blas.axpy.f64", "increment -1: y[0]: expected 2.0 (4000000000000000), got 1.0";
    /// Every matrix of a batch is multiplied by the first one's right-hand side.
    BatchStrideIgnored = "batch-stride-ignored", Inline, "blas.gemm.f32.strict", "a batch of two: c[1]: expected 3.0 (40400000), got 2.0";
    /// min and max leave out NaN.
    NanDroppedInMax = "nan-dropped-in-max", Inline, "elementwise.maximum.f32", "a result that is written out: out[10]: expected NaN (7fc00000), got 0.0";
    /// The reductions to the smallest and the largest leave out NaN.
    NanDroppedInReduction = "nan-dropped-in-reduction", Inline, "reduction.max.f64", "expected NaN (7ff8000000000000), got inf";
    /// nrm2 sums the squares as they are, and overflows.
    NaiveNorm = "naive-norm", Inline, "blas.nrm2.f64", "the largest: out[0]: expected 1.7976931348623157e308 (7fefffffffffffff), got inf";
    /// gemm of 16-bit floats accumulates in them.
    NarrowAccumulation = "narrow-accumulation", Inline, "blas.gemm.f16.strict", "a sum of 4096 ones: c[0]: expected 4096.0 (6c00), got 2048.0 (6800)";
    /// A product followed by a difference is fused.
    Contraction = "contraction", Inline, "elementwise.contraction.f32", "a · b − c";
    /// axpy rounds its product before it adds.
    UnfusedAxpy = "unfused-axpy", Inline, "blas.axpy.f32", "a fused product: y[0]: expected 5.9604645e-8 (33800000), got 0.0";
    /// Denormal results of arithmetic become zeros.
    FlushToZero = "flush-to-zero", Inline, "elementwise.mul.f32", "expected 3e-45 (00000002), got 0.0 (00000000)";
    /// Conversions to 16-bit floats truncate.
    TruncatingCast = "truncating-cast", Inline, "elementwise.cast.f32", "a result that is written out: f16[14]: expected inf (7c00), got 65504";
    /// Element-wise operations write a zero behind their output.
    GuardOverrun = "guard-overrun", Inline, "elementwise.mul.i16", "what lies behind the output";
    /// A fill of 8- and 16-bit elements writes whole 32-bit words.
    OddByteFill = "odd-byte-fill", Inline, "elementwise.fill.u8", "what lies behind the output";
    /// After an allocation has failed, so does everything that is enqueued.
    OutOfMemoryPoisons = "out-of-memory-poisons", Inline, "runtime.memory.exhausted", "an earlier allocation failed";
    /// A host function is dropped without having been called.
    SwallowedHostFn = "swallowed-host-fn", Async, "runtime.host_fn.order", "called: 0 elements instead of 1";
    /// An operation that the device does not offer is accepted and not executed.
    SwallowedError = "swallowed-error", Inline, "elementwise.unsupported", "expected it to be unsupported, got Ok";
    /// An event says that it has occurred as soon as it is recorded.
    EarlyEvent = "early-event", Async, "runtime.event.query", "occurred before the work in front of it ended";
    /// A product takes a square first matrix as its transpose.
    RowsForColumns = "rows-for-columns", Inline, "blas.gemv.f32.strict", "a with a gap, op n: y[0]: expected 3.0 (40400000), got 2.0";
    /// A sum goes through the elements from left to right.
    PlainSum = "plain-sum", Inline, "reduction.sum.f32", "elements 1024 apart meet first: out[0]: expected 0.0 (00000000), got 0.001953125";
    /// A shift to the right of a negative integer fills with zeros.
    UnsignedShift = "unsigned-shift", Inline, "elementwise.shr.i32", "expected -1 (ffffffff), got 1 (00000001)";
    /// An integer divided by zero is the largest integer.
    DivisionByZero = "division-by-zero", Inline, "elementwise.div.i64", "expected 0 (0000000000000000), got 9223372036854775807";
    /// gemm of f32 with full precision rounds its matrices to TF32.
    ReducedStrict = "reduced-strict", Inline, "blas.gemm.f32.strict", "all digits of a factor: c[0]: expected 1.0000001 (3f800001), got 1.0 (3f800000)";
    /// A product leaves out the last of an odd number of columns.
    DroppedColumn = "dropped-column", Inline, "blas.gemm.c64.strict", "1 + 2 + 4: c[0]: expected Complex { re: 7.0, im: 0.0 }";
    /// A NaN result has the sign that the processor gave it.
    UnsettledNan = "unsettled-nan", Inline, "elementwise.div.f32", "expected NaN (7fc00000), got NaN (ffc00000)";
    /// min and max do not tell −0 from +0.
    ZeroSignDropped = "zero-sign-dropped", Inline, "elementwise.minimum.f16", "expected -0.0 (8000), got 0.0";
    /// A sequence is made by repeated addition.
    AccumulatedIota = "accumulated-iota", Inline, "elementwise.iota.f32", "0, 0.1 and 1[2]: expected 1.0 (3f800000), got 1.0000001";
    /// A copy of rows takes the destination's as without gaps.
    PitchIgnored = "pitch-ignored", Inline, "runtime.copy.matrix.f32", "target[";
    /// Launches of a graph use the scalars that it was recorded with, whatever they were changed to.
    StaleGraphScalars = "stale-graph-scalars", Inline, "graph.scalars.each", "with scalars that changed";
    /// The last of several pieces of work is left out of a graph.
    DroppedNode = "dropped-node", Inline, "graph.copies", "downloaded[";
    /// The work of a graph is done from the end to the start.
    ReversedNodes = "reversed-nodes", Async, "graph.dropped_buffers", "copied from a buffer that was dropped[0]";
    /// A launch of a graph does not come after what its stream waits for.
    UnorderedLaunch = "unordered-launch", Async, "graph.order.read_after_write", "read by the launch[0]: expected";
    /// Memory that a graph copies to is handed out again while the graph lives.
    GraphMemoryReused = "graph-memory-reused", Inline, "graph.temporaries", "memory got beside the graph[0]";
    /// A copy from a peer does not come after what its stream waits for.
    UnorderedPeerCopy = "unordered-peer-copy", Async, "runtime.peer.read_after_write", "copied[0]: expected";
    /// A copy from a peer takes whole words of 32 bits, and leaves out the bytes behind them.
    PartialPeerCopy = "partial-peer-copy", Inline, "runtime.peer.odd", "target[";
    /// A sort puts equal keys in the reverse of their order.
    UnstableSort = "unstable-sort", Inline, "sort.sort_pairs.u32", "values[";
    /// A sort takes signed integers for unsigned ones.
    SignBitInKeys = "sign-bit-in-keys", Inline, "sort.sort.i32", "keys[0]: expected -";
    /// A sort takes a NaN for the number that its bits would be: a negative one comes first.
    NanSortedByBits = "nan-sorted-by-bits", Inline, "sort.order.f32", "ascending[0]: expected -inf (ff800000), got NaN";
    /// A descending sort is an ascending one, read backwards.
    ReversedDescending = "reversed-descending", Async, "sort.sort_pairs.i16", "descending: true";
    /// A sort by some bits of the key looks at all of them.
    BitRangeIgnored = "bit-range-ignored", Inline, "sort.sort.u64", "bits: Some(";
    /// A sort of pairs moves the keys alone.
    ValuesNotMoved = "values-not-moved", Inline, "sort.sort_pairs.f64", "values[";
    /// Random numbers start with a whole block, whatever was skipped of it.
    SkipToBlock = "skip-to-block", Inline, "random.random.u32", "out[0]: expected";
    /// The generator leaves out its last round.
    RoundMissing = "round-missing", Inline, "random.known_answers", "u32[0]: expected 1713891541 (6627e8d5)";
    /// The lowest bit of random words is 1 too often.
    LowBitBias = "low-bit-bias", Inline, "random.statistics", "byte 0 of the words: χ² is";
    /// A gather takes an index out of range modulo the number of places.
    GatherWraps = "gather-wraps", Inline, "indexing.gather.f32", "out[";
    /// Of several elements scattered to one place the first stays.
    ScatterLowest = "scatter-lowest", Async, "indexing.scatter.u16", "out[";
    /// A compaction counts one element too few.
    CompactMiscounted = "compact-miscounted", Inline, "indexing.compact.u8", "count[0]: expected";
    /// A compaction reverses the order of the elements.
    CompactDisordered = "compact-disordered", Inline, "indexing.compact.c64", "out[0]: expected";
    /// A histogram leaves out the last number.
    HistogramBinDropped = "histogram-bin-dropped", Inline, "indexing.histogram.i32", "got 0 (0000000000000000)";
    /// A permutation of axes is taken for the one that undoes it.
    AxesInverted = "axes-inverted", Inline, "indexing.permute.f32", "out[";
    /// An index out of range is not reported.
    SwallowedIndex = "swallowed-index", Async, "indexing.fault", "an index out of range was not reported";
    /// Routines for triangles take the other one.
    TriangleMistaken = "triangle-mistaken", Inline, "blas.symm.f32.reproducible", "c[";
    /// Triangular routines read a diagonal that is one of ones.
    DiagonalOfOnesRead = "diagonal-of-ones-read", Inline, "blas.trmm.f64.strict", "got NaN";
    /// trsm divides by nothing.
    DiagonalAssumed = "diagonal-assumed", Inline, "blas.trsm.f32.reproducible", "diag: NonUnit";
    /// trsm takes the conjugate transpose as the transpose.
    SolveUnconjugated = "solve-unconjugated", Inline, "blas.trsm.c64.strict", "op: C";
    /// symm multiplies from the other side, where the shapes allow it.
    SideSwapped = "side-swapped", Inline, "blas.symm.f64.strict", "c[";
    /// gerc does not conjugate.
    GercUnconjugated = "gerc-unconjugated", Inline, "blas.gerc.c32", "a with what lies around it";
    /// The imaginary parts on the diagonal of a Hermitian matrix stay as they were.
    DiagonalKept = "diagonal-kept", Inline, "blas.herk.c32.strict", "the imaginary parts of the diagonal";
    /// syrk writes both triangles.
    BothTriangles = "both-triangles", Inline, "blas.syrk.f32.strict", "what lies around and between the elements of c";
    /// Every product of a list of matrices takes the first left one.
    FirstOfList = "first-of-list", Inline, "blas.gemm_batched.f32.strict", "c[";
    /// rot turns the other way.
    SineNegated = "sine-negated", Inline, "blas.rot.f64", "x[0]: expected";
    /// rotm takes a diagonal that is understood as given.
    RotmFlagMistaken = "rotm-flag-mistaken", Inline, "blas.rotm.f32", "UnitDiagonal";
    /// iamin takes the last of equal magnitudes.
    LastSmallest = "last-smallest", Inline, "blas.iamin.f64", "out[0]: expected 5 (0000000000000005), got 7";
    /// trmm multiplies by alpha twice.
    AlphaTwice = "alpha-twice", Inline, "blas.trmm.f32.reproducible", "b[0]: expected";
    /// Inclusive scans take what starts a tile from one element too early.
    TileOffByOne = "tile-off-by-one", Inline, "scan.inclusive_sum.i32", "out[4096]: expected";
    /// Exclusive scans are inclusive.
    InclusiveForExclusive = "inclusive-for-exclusive", Inline, "scan.exclusive_sum.i64", "out[0]: expected 0 (0000000000000000)";
    /// Exclusive scans start with 0, whatever they do.
    StartsWithZero = "starts-with-zero", Inline, "scan.exclusive_min.f32", "out[0]: expected inf";
    /// A prefix sum forgets what lies before the node of its tile.
    FarCarryDropped = "far-carry-dropped", Inline, "scan.inclusive_sum.f32", "out[131072]: expected";
    /// A prefix sum goes through the elements from left to right.
    PlainPrefixes = "plain-prefixes", Inline, "scan.inclusive_sum.f64", "out[";
    /// A mean divides by one fewer than there are elements.
    MeanOfOneFewer = "mean-of-one-fewer", Inline, "reduction.mean.f32", "out[0]: expected";
    /// The mean of 16-bit floats is made in them.
    NarrowMean = "narrow-mean", Inline, "reduction.mean.f16", "out[0]: expected";
    /// argmin takes the last of equal elements.
    LastSmallestPlace = "last-smallest-place", Inline, "reduction.argmin.u8", "out[0]: expected";
    /// argmax passes over NaN.
    NanPassedOver = "nan-passed-over", Inline, "reduction.argmax.f64", "out[0]: expected";
    /// A count leaves out the last element.
    CountMissesLast = "count-misses-last", Inline, "reduction.count.u8", "out[0]: expected 255 (00000000000000ff), got 254";
    /// A fill of a matrix fills what lies between its columns or rows.
    FillOverPadding = "fill-over-padding", Inline, "elementwise.fill.f64", "all there is[";
    /// Element-wise operations with a result of 16 MiB or more stop one element short.
    LargeTailDropped = "large-tail-dropped", Inline, "elementwise.neg.f32", "out[4194380]: expected";
    /// A transposition of 16 MiB or more leaves out the rows of the result behind the last whole tile.
    LargeTilesCut = "large-tiles-cut", Inline, "elementwise.transpose.u8", "run 0 of out[4096]: expected";
    /// A copy of 1 MiB or more of rows with gaps leaves out the last row.
    LargeCopyCut = "large-copy-cut", Inline, "runtime.copy.matrix.u8", "run 1999 of target[0]: expected";
    /// gemm with full precision and 2²⁰ products of elements or more does not add beta times the matrix.
    LargeBetaIgnored = "large-beta-ignored", Inline, "blas.gemm.f64.strict", "input: ([131, 127, 67]";
    /// axpy leaves out what lies past the first range that threads share.
    FirstRangeAlone = "first-range-alone", Inline, "blas.axpy.c64", "y[32768]: expected";
    /// A sort leaves what lies behind the first 2²⁰ keys as it is.
    FirstKeysAlone = "first-keys-alone", Inline, "sort.sort_pairs.u32", "keys[";
    /// A sum of more than 1024 chunks joins neighbouring chunks all the way.
    FlatReduction = "flat-reduction", Inline, "reduction.sum.f32", "chunks 1024 apart meet first: out[0]: expected 0.0";
    /// exp is the function of the platform's library.
    PlatformExponential = "platform-exponential", Inline, "elementwise.exp.f64", "out[";
    /// Denormal results of exp become zeros.
    DenormalExponentials = "denormal-exponentials", Inline, "elementwise.exp.f32", "got 0.0 (00000000)";
    /// sin takes large angles modulo 2π in ordinary precision.
    LargeAnglesUnreduced = "large-angles-unreduced", Inline, "elementwise.sin.f32", "out[";
    /// rsqrt is an approximation, as a GPU has it as an instruction.
    ApproximateRsqrt = "approximate-rsqrt", Inline, "elementwise.rsqrt.f64", "out[";
    /// log1p adds 1 and takes the logarithm.
    NaiveLogarithm = "naive-logarithm", Inline, "elementwise.log1p.f32", "out[";
    /// pow of NaN is NaN, to the power of 0 too.
    PowerOfNan = "power-of-nan", Inline, "elementwise.pow.f32", "a result that is written out: out[";
}

/// Every fault, with the check that catches it.
pub fn faults() -> &'static [Planted] {
    PLANTED
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
