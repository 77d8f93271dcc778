//! The choices that an operation has: which of a family, over what, from which side.

use super::kind::names;

names! {
    /// One-argument element-wise operations.
    UnaryOp {
        /// `−x`.
        Neg = "neg",
        /// `|x|`.
        Abs = "abs",
        /// Square root.
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
    }
}

names! {
    /// Two-argument element-wise operations.
    BinaryOp {
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
    }
}

names! {
    /// Comparisons.
    CompareOp {
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
    }
}

names! {
    /// Reductions.
    ReduceOp {
        /// Sum; of nothing, +0.
        Sum = "sum",
        /// Product; of nothing, 1.
        Prod = "prod",
        /// Smallest; of nothing, +∞ or the largest integer.
        Min = "min",
        /// Largest; of nothing, −∞ or the smallest integer.
        Max = "max",
    }
}

names! {
    /// Reductions to an index.
    ArgOp {
        /// The first smallest; of nothing, `u64::MAX`.
        Min = "argmin",
        /// The first largest; of nothing, `u64::MAX`.
        Max = "argmax",
    }
}

names! {
    /// What a reduction runs over.
    Axis {
        /// All elements, in the order of the view.
        Whole = "whole",
        /// Each row: one result per row.
        Rows = "rows",
        /// Each column: one result per column.
        Cols = "cols",
    }
}

names! {
    /// How a matrix enters a BLAS routine.
    Op {
        /// As it is.
        N = "n",
        /// Transposed.
        T = "t",
        /// Conjugated and transposed; for real types the same as `T`.
        C = "c",
    }
}

names! {
    /// The triangle of a matrix that is stored.
    Uplo {
        /// On and below the diagonal.
        Lower = "lower",
        /// On and above the diagonal.
        Upper = "upper",
    }
}

names! {
    /// The diagonal of a triangular matrix.
    Diag {
        /// As stored.
        NonUnit = "non_unit",
        /// Ones, which are not read.
        Unit = "unit",
    }
}

names! {
    /// Where a symmetric or triangular matrix stands in a product.
    Side {
        /// Left of the other.
        Left = "left",
        /// Right of the other.
        Right = "right",
    }
}

names! {
    /// Which elements of a modified rotation are given, and which are understood.
    RotmFlag {
        /// Flag −1 of reference BLAS: all four are given.
        Full = "full",
        /// Flag 0: `h21` and `h12` are given, the diagonal is 1.
        UnitDiagonal = "unit_diagonal",
        /// Flag 1: `h11` and `h22` are given, `h12` is 1 and `h21` −1.
        UnitOffDiagonal = "unit_off_diagonal",
        /// Flag −2: nothing changes.
        Identity = "identity",
    }
}

names! {
    /// How exact `gemv` and level 3 of BLAS have to be.
    Precision {
        /// Within the bound of the [contract table](crate::numerics::contract): no TF32, no reduced accumulation. The default.
        Strict = "strict",
        /// Reduced-precision units are allowed.
        Fast = "fast",
        /// The same bits on every device.
        Reproducible = "reproducible",
    }
}
