//! The names of operations.

use super::op::{ArgOp, Axis, BinaryOp, CompareOp, ReduceOp, UnaryOp};

macro_rules! names {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name { $($(#[$doc])* $variant),* }

        impl $name {
            /// Every one, in declaration order.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// The name used in reports and messages.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(self.name()) }
        }
    };
}
pub(super) use names;

names! {
    /// What an operation does, without its arguments: the key of [`crate::Backend::supports`] and of the
    /// [contract table](crate::numerics::contract).
    OperationKind {
        /// Every element becomes one value.
        Fill = "fill",
        /// `start, start + step, …`.
        Iota = "iota",
        /// Conversion between element types.
        Cast = "cast",
        /// `−x`; a bit operation on floats.
        Neg = "neg",
        /// `|x|`; a bit operation on floats.
        Abs = "abs",
        /// Square root, correctly rounded.
        Sqrt = "sqrt",
        /// Complex conjugate.
        Conj = "conj",
        /// Bitwise complement.
        Not = "not",
        /// `eˣ`.
        Exp = "exp",
        /// `2ˣ`.
        Exp2 = "exp2",
        /// `eˣ − 1`.
        Expm1 = "expm1",
        /// The natural logarithm.
        Log = "log",
        /// The logarithm to base 2.
        Log2 = "log2",
        /// `log(1 + x)`.
        Log1p = "log1p",
        /// Sine.
        Sin = "sin",
        /// Cosine.
        Cos = "cos",
        /// `sin πx`.
        Sinpi = "sinpi",
        /// `cos πx`.
        Cospi = "cospi",
        /// Hyperbolic tangent.
        Tanh = "tanh",
        /// `1 / (1 + e⁻ˣ)`.
        Sigmoid = "sigmoid",
        /// Error function.
        Erf = "erf",
        /// `1 / √x`.
        Rsqrt = "rsqrt",
        /// Cube root.
        Cbrt = "cbrt",
        /// `a + b`.
        Add = "add",
        /// `a − b`.
        Sub = "sub",
        /// `a · b`.
        Mul = "mul",
        /// `a / b`.
        Div = "div",
        /// Remainder of integer division.
        Rem = "rem",
        /// The smaller; NaN if either is.
        Minimum = "minimum",
        /// The larger; NaN if either is.
        Maximum = "maximum",
        /// The smaller; a NaN loses.
        MinimumNumber = "minimum_number",
        /// The larger; a NaN loses.
        MaximumNumber = "maximum_number",
        /// Bitwise and.
        And = "and",
        /// Bitwise or.
        Or = "or",
        /// Bitwise exclusive or.
        Xor = "xor",
        /// Shift left.
        Shl = "shl",
        /// Shift right.
        Shr = "shr",
        /// `aᵇ`.
        Pow = "pow",
        /// `a = b`.
        Eq = "eq",
        /// `a ≠ b`.
        Ne = "ne",
        /// `a < b`.
        Lt = "lt",
        /// `a ≤ b`.
        Le = "le",
        /// `a > b`.
        Gt = "gt",
        /// `a ≥ b`.
        Ge = "ge",
        /// `mask ? a : b`.
        Select = "select",
        /// Sum of all elements.
        Sum = "sum",
        /// Product of all elements.
        Prod = "prod",
        /// Smallest element.
        Min = "min",
        /// Largest element.
        Max = "max",
        /// Number of elements that are not 0.
        Count = "count",
        /// Sum of each row.
        SumRows = "sum_rows",
        /// Product of each row.
        ProdRows = "prod_rows",
        /// Smallest of each row.
        MinRows = "min_rows",
        /// Largest of each row.
        MaxRows = "max_rows",
        /// Sum of each column.
        SumCols = "sum_cols",
        /// Product of each column.
        ProdCols = "prod_cols",
        /// Smallest of each column.
        MinCols = "min_cols",
        /// Largest of each column.
        MaxCols = "max_cols",
        /// Mean of all elements.
        Mean = "mean",
        /// Mean of each row.
        MeanRows = "mean_rows",
        /// Mean of each column.
        MeanCols = "mean_cols",
        /// Index of the first smallest element.
        Argmin = "argmin",
        /// Index of the first largest element.
        Argmax = "argmax",
        /// Index of the first smallest of each row.
        ArgminRows = "argmin_rows",
        /// Index of the first largest of each row.
        ArgmaxRows = "argmax_rows",
        /// Index of the first smallest of each column.
        ArgminCols = "argmin_cols",
        /// Index of the first largest of each column.
        ArgmaxCols = "argmax_cols",
        /// Softmax of all elements.
        Softmax = "softmax",
        /// Softmax of each row.
        SoftmaxRows = "softmax_rows",
        /// Softmax of each column.
        SoftmaxCols = "softmax_cols",
        /// Logarithm of the softmax of all elements.
        LogSoftmax = "log_softmax",
        /// Logarithm of the softmax of each row.
        LogSoftmaxRows = "log_softmax_rows",
        /// Logarithm of the softmax of each column.
        LogSoftmaxCols = "log_softmax_cols",
        /// Layer normalization of all elements.
        LayerNorm = "layer_norm",
        /// Layer normalization of each row.
        LayerNormRows = "layer_norm_rows",
        /// Layer normalization of each column.
        LayerNormCols = "layer_norm_cols",
        /// Sums up to each element.
        InclusiveSum = "inclusive_sum",
        /// Products up to each element.
        InclusiveProd = "inclusive_prod",
        /// Smallest up to each element.
        InclusiveMin = "inclusive_min",
        /// Largest up to each element.
        InclusiveMax = "inclusive_max",
        /// Sums before each element.
        ExclusiveSum = "exclusive_sum",
        /// Products before each element.
        ExclusiveProd = "exclusive_prod",
        /// Smallest before each element.
        ExclusiveMin = "exclusive_min",
        /// Largest before each element.
        ExclusiveMax = "exclusive_max",
        /// Stable sort of keys.
        Sort = "sort",
        /// Stable sort of keys with values.
        SortPairs = "sort_pairs",
        /// `x[index]`.
        Gather = "gather",
        /// `out[index] = x`.
        Scatter = "scatter",
        /// The elements that a mask selects, closed up.
        Compact = "compact",
        /// How often each number occurs.
        Histogram = "histogram",
        /// Axes of an array in another order.
        Permute = "permute",
        /// Random numbers.
        Random = "random",
        /// Normal random numbers.
        Normal = "normal",
        /// Matrix transposition, and change of layout.
        Transpose = "transpose",
        /// BLAS `copy`.
        Copy = "copy",
        /// BLAS `swap`.
        Swap = "swap",
        /// BLAS `scal`.
        Scal = "scal",
        /// BLAS `axpy`.
        Axpy = "axpy",
        /// BLAS `dot`, and `dotu` for complex types.
        Dot = "dot",
        /// BLAS `dotc`: the first vector conjugated.
        Dotc = "dotc",
        /// BLAS `nrm2`.
        Nrm2 = "nrm2",
        /// BLAS `asum`.
        Asum = "asum",
        /// BLAS `iamax`, counted from 0.
        Iamax = "iamax",
        /// BLAS `iamin`, counted from 0.
        Iamin = "iamin",
        /// BLAS `rot`.
        Rot = "rot",
        /// BLAS `rotm`.
        Rotm = "rotm",
        /// BLAS `gemv`.
        Gemv = "gemv",
        /// BLAS `symv`.
        Symv = "symv",
        /// BLAS `hemv`.
        Hemv = "hemv",
        /// BLAS `trmv`.
        Trmv = "trmv",
        /// BLAS `trsv`.
        Trsv = "trsv",
        /// BLAS `ger`, and `geru` for complex types.
        Ger = "ger",
        /// BLAS `gerc`: the second vector conjugated.
        Gerc = "gerc",
        /// BLAS `syr`.
        Syr = "syr",
        /// BLAS `her`.
        Her = "her",
        /// BLAS `gemm`, strided batches included.
        Gemm = "gemm",
        /// `gemm` of a batch of matrices, each somewhere else.
        GemmBatched = "gemm_batched",
        /// BLAS `symm`.
        Symm = "symm",
        /// BLAS `hemm`.
        Hemm = "hemm",
        /// BLAS `syrk`.
        Syrk = "syrk",
        /// BLAS `herk`.
        Herk = "herk",
        /// BLAS `trmm`.
        Trmm = "trmm",
        /// BLAS `trsm`, strided batches included.
        Trsm = "trsm",
    }
}

macro_rules! kind_of {
    ($t:ident: $($v:ident),*) => {
        impl From<$t> for OperationKind {
            fn from(op: $t) -> OperationKind { match op { $($t::$v => OperationKind::$v),* } }
        }
    };
}
kind_of!(UnaryOp: Neg, Abs, Sqrt, Conj, Not, Exp, Exp2, Expm1, Log, Log2, Log1p, Sin, Cos, Sinpi, Cospi, Tanh, Sigmoid, Erf, Rsqrt, Cbrt);
kind_of!(BinaryOp: Add, Sub, Mul, Div, Rem, Minimum, Maximum, MinimumNumber, MaximumNumber, And, Or, Xor, Shl, Shr, Pow);
kind_of!(CompareOp: Eq, Ne, Lt, Le, Gt, Ge);

impl OperationKind {
    /// The kind of a reduction.
    pub const fn reduce(op: ReduceOp, axis: Axis) -> OperationKind {
        use OperationKind as K;
        match (op, axis) {
            (ReduceOp::Sum, Axis::Whole) => K::Sum,
            (ReduceOp::Prod, Axis::Whole) => K::Prod,
            (ReduceOp::Min, Axis::Whole) => K::Min,
            (ReduceOp::Max, Axis::Whole) => K::Max,
            (ReduceOp::Sum, Axis::Rows) => K::SumRows,
            (ReduceOp::Prod, Axis::Rows) => K::ProdRows,
            (ReduceOp::Min, Axis::Rows) => K::MinRows,
            (ReduceOp::Max, Axis::Rows) => K::MaxRows,
            (ReduceOp::Sum, Axis::Cols) => K::SumCols,
            (ReduceOp::Prod, Axis::Cols) => K::ProdCols,
            (ReduceOp::Min, Axis::Cols) => K::MinCols,
            (ReduceOp::Max, Axis::Cols) => K::MaxCols,
        }
    }

    /// The kind of a mean.
    pub const fn mean(axis: Axis) -> OperationKind {
        match axis {
            Axis::Whole => OperationKind::Mean,
            Axis::Rows => OperationKind::MeanRows,
            Axis::Cols => OperationKind::MeanCols,
        }
    }

    /// The kind of a reduction to an index.
    pub const fn arg(op: ArgOp, axis: Axis) -> OperationKind {
        use OperationKind as K;
        match (op, axis) {
            (ArgOp::Min, Axis::Whole) => K::Argmin,
            (ArgOp::Max, Axis::Whole) => K::Argmax,
            (ArgOp::Min, Axis::Rows) => K::ArgminRows,
            (ArgOp::Max, Axis::Rows) => K::ArgmaxRows,
            (ArgOp::Min, Axis::Cols) => K::ArgminCols,
            (ArgOp::Max, Axis::Cols) => K::ArgmaxCols,
        }
    }

    /// The kind of a softmax, or of its logarithm.
    pub const fn softmax(log: bool, axis: Axis) -> OperationKind {
        use OperationKind as K;
        match (log, axis) {
            (false, Axis::Whole) => K::Softmax,
            (false, Axis::Rows) => K::SoftmaxRows,
            (false, Axis::Cols) => K::SoftmaxCols,
            (true, Axis::Whole) => K::LogSoftmax,
            (true, Axis::Rows) => K::LogSoftmaxRows,
            (true, Axis::Cols) => K::LogSoftmaxCols,
        }
    }

    /// The kind of a layer normalization.
    pub const fn layer_norm(axis: Axis) -> OperationKind {
        match axis {
            Axis::Whole => OperationKind::LayerNorm,
            Axis::Rows => OperationKind::LayerNormRows,
            Axis::Cols => OperationKind::LayerNormCols,
        }
    }

    /// The kind of a scan.
    pub const fn scan(op: ReduceOp, exclusive: bool) -> OperationKind {
        use OperationKind as K;
        match (op, exclusive) {
            (ReduceOp::Sum, false) => K::InclusiveSum,
            (ReduceOp::Prod, false) => K::InclusiveProd,
            (ReduceOp::Min, false) => K::InclusiveMin,
            (ReduceOp::Max, false) => K::InclusiveMax,
            (ReduceOp::Sum, true) => K::ExclusiveSum,
            (ReduceOp::Prod, true) => K::ExclusiveProd,
            (ReduceOp::Min, true) => K::ExclusiveMin,
            (ReduceOp::Max, true) => K::ExclusiveMax,
        }
    }

    /// Whether the operation obeys a [`Precision`](crate::Precision): those that a vendor's library may serve.
    pub const fn has_precision(self) -> bool {
        use OperationKind as K;
        matches!(
            self,
            K::Gemv
                | K::Symv
                | K::Hemv
                | K::Trmv
                | K::Trsv
                | K::Gemm
                | K::GemmBatched
                | K::Symm
                | K::Hemm
                | K::Syrk
                | K::Herk
                | K::Trmm
                | K::Trsm
        )
    }
}
