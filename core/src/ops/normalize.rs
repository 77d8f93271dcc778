//! Softmax and layer normalization.

use crate::device::Device;
use crate::element::{Element, Float, GemmElement, RealScalar, ScalarValue};
use crate::error::{Error, Result};
use crate::matrix::{MatrixView, MatrixViewMut};
use crate::operation::{Axis, LayerNorm, Operation, OperationKind};
use crate::runtime::{Access, Checked};
use crate::stream::{Stream, same_len};
use crate::view::{AsView, AsViewMut, View};

/// What a layer normalization does besides: an epsilon that is added to the variance, and factors and summands for the elements of a line.
///
/// ```
/// # use warpwave_core::{Buffer, LayerNormOptions, Normalize, Result, Stream};
/// # fn example<S: Stream>(stream: &S) -> Result<()> {
/// let x = stream.from_slice(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let (gamma, beta) = (stream.from_slice(&[1.0_f32, 2.0, 3.0])?, stream.from_slice(&[0.0_f32, 0.5, 0.0])?);
/// let mut out = stream.zeros(6)?;
/// let options = LayerNormOptions::new(1e-5).gamma(&gamma).beta(&beta);
/// stream.layer_norm_rows(&x.matrix(2, 3)?, &options, &mut out.matrix_mut(2, 3)?)?;
/// # Ok(())
/// # }
/// ```
pub struct LayerNormOptions<'a, T: GemmElement, D: Device> {
    epsilon: T::Compute,
    gamma: Option<View<'a, T, D>>,
    beta: Option<View<'a, T, D>>,
}

impl<T: GemmElement, D: Device> Clone for LayerNormOptions<'_, T, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: GemmElement, D: Device> Copy for LayerNormOptions<'_, T, D> {}

impl<T: GemmElement, D: Device> std::fmt::Debug for LayerNormOptions<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let LayerNormOptions { epsilon, gamma, beta } = self;
        f.debug_struct("LayerNormOptions").field("epsilon", epsilon).field("gamma", gamma).field("beta", beta).finish()
    }
}

impl<'a, T: GemmElement, D: Device> LayerNormOptions<'a, T, D> {
    /// With an epsilon, which is `f32` for `f16` and `bf16`, and no factors or summands.
    pub fn new(epsilon: T::Compute) -> Self {
        LayerNormOptions { epsilon, gamma: None, beta: None }
    }

    /// With factors, one for each element of a line.
    #[must_use]
    pub fn gamma(self, gamma: &'a impl AsView<T, D>) -> Self {
        LayerNormOptions { gamma: Some(gamma.view()), ..self }
    }

    /// With summands, one for each element of a line.
    #[must_use]
    pub fn beta(self, beta: &'a impl AsView<T, D>) -> Self {
        LayerNormOptions { beta: Some(beta.view()), ..self }
    }
}

/// For softmax and its logarithm the methods `whole(x, out)`, `rows(x, out)` and `cols(x, out)`, and those that work in place.
macro_rules! softmax_methods {
    ($($log:literal, $what:literal, $element:literal, $whole:ident, $whole_assign:ident, $rows:ident, $rows_assign:ident, $cols:ident,
        $cols_assign:ident;)*) => { $(
        #[doc = concat!("`out[i]` = ", $element, ", over all elements: the ", $what, ".")]
        ///
        /// # Errors
        /// As said [above](Normalize).
        fn $whole<T: Float>(
            &self,
            x: &impl AsView<T, Self::Device>,
            out: &mut impl AsViewMut<T, Self::Device>,
        ) -> Result<()> {
            let (x, out) = (MatrixView::column(x.view()), out.view_mut().into_view());
            same_len(OperationKind::softmax($log, Axis::Whole).name(), "out", x.rows(), out.len())?;
            softmax(self, $log, Axis::Whole, Some(&x), MatrixView::column(out))
        }

        #[doc = concat!("[`", stringify!($whole), "`](Normalize::", stringify!($whole), ") in place.")]
        ///
        /// # Errors
        /// As said [above](Normalize).
        fn $whole_assign<T: Float>(&self, x: &mut impl AsViewMut<T, Self::Device>) -> Result<()> {
            softmax(self, $log, Axis::Whole, None, MatrixView::column(x.view_mut().into_view()))
        }

        #[doc = concat!("The ", $what, " of each row.")]
        ///
        /// # Errors
        /// As said [above](Normalize).
        fn $rows<T: Float>(
            &self,
            x: &MatrixView<'_, T, Self::Device>,
            out: &mut MatrixViewMut<'_, T, Self::Device>,
        ) -> Result<()> {
            softmax(self, $log, Axis::Rows, Some(x), out.as_matrix())
        }

        #[doc = concat!("[`", stringify!($rows), "`](Normalize::", stringify!($rows), ") in place.")]
        ///
        /// # Errors
        /// As said [above](Normalize).
        fn $rows_assign<T: Float>(&self, x: &mut MatrixViewMut<'_, T, Self::Device>) -> Result<()> {
            softmax(self, $log, Axis::Rows, None, x.as_matrix())
        }

        #[doc = concat!("The ", $what, " of each column.")]
        ///
        /// # Errors
        /// As said [above](Normalize).
        fn $cols<T: Float>(
            &self,
            x: &MatrixView<'_, T, Self::Device>,
            out: &mut MatrixViewMut<'_, T, Self::Device>,
        ) -> Result<()> {
            softmax(self, $log, Axis::Cols, Some(x), out.as_matrix())
        }

        #[doc = concat!("[`", stringify!($cols), "`](Normalize::", stringify!($cols), ") in place.")]
        ///
        /// # Errors
        /// As said [above](Normalize).
        fn $cols_assign<T: Float>(&self, x: &mut MatrixViewMut<'_, T, Self::Device>) -> Result<()> {
            softmax(self, $log, Axis::Cols, None, x.as_matrix())
        }
    )* };
}

/// Softmax and layer normalization on a stream, part of [`Ops`](crate::Ops). All give the same bits on every device; what each computes is
/// said in [`crate::numerics::softmax`] and [`crate::numerics::layer_norm`].
///
/// # Errors
/// Those of [`Ops`](crate::Ops), and [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if an epsilon is negative or NaN.
pub trait Normalize: Stream {
    softmax_methods! {
        false, "softmax", "`e^x[i] / Σ e^x[j]`", softmax, softmax_assign, softmax_rows, softmax_rows_assign, softmax_cols,
            softmax_cols_assign;
        true, "logarithm of the softmax", "`x[i] − log Σ e^x[j]`", log_softmax, log_softmax_assign, log_softmax_rows,
            log_softmax_rows_assign, log_softmax_cols, log_softmax_cols_assign;
    }

    /// `out[i] = (x[i] − mean) / √(variance + epsilon) · gamma[i] + beta[i]`, mean and variance being those of all elements.
    ///
    /// # Errors
    /// As said [above](Normalize).
    fn layer_norm<T: Float + GemmElement<Compute: RealScalar>>(
        &self,
        x: &impl AsView<T, Self::Device>,
        options: &LayerNormOptions<'_, T, Self::Device>,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        let (x, out) = (MatrixView::column(x.view()), out.view_mut().into_view());
        same_len(OperationKind::LayerNorm.name(), "out", x.rows(), out.len())?;
        layer_norm(self, Axis::Whole, Some(&x), options, MatrixView::column(out))
    }

    /// [`layer_norm`](Self::layer_norm) in place.
    ///
    /// # Errors
    /// As said [above](Normalize).
    fn layer_norm_assign<T: Float + GemmElement<Compute: RealScalar>>(
        &self,
        x: &mut impl AsViewMut<T, Self::Device>,
        options: &LayerNormOptions<'_, T, Self::Device>,
    ) -> Result<()> {
        layer_norm(self, Axis::Whole, None, options, MatrixView::column(x.view_mut().into_view()))
    }

    /// [`layer_norm`](Self::layer_norm) of each row; `gamma` and `beta` have an element for each column.
    ///
    /// # Errors
    /// As said [above](Normalize).
    fn layer_norm_rows<T: Float + GemmElement<Compute: RealScalar>>(
        &self,
        x: &MatrixView<'_, T, Self::Device>,
        options: &LayerNormOptions<'_, T, Self::Device>,
        out: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        layer_norm(self, Axis::Rows, Some(x), options, out.as_matrix())
    }

    /// [`layer_norm_rows`](Self::layer_norm_rows) in place.
    ///
    /// # Errors
    /// As said [above](Normalize).
    fn layer_norm_rows_assign<T: Float + GemmElement<Compute: RealScalar>>(
        &self,
        x: &mut MatrixViewMut<'_, T, Self::Device>,
        options: &LayerNormOptions<'_, T, Self::Device>,
    ) -> Result<()> {
        layer_norm(self, Axis::Rows, None, options, x.as_matrix())
    }

    /// [`layer_norm`](Self::layer_norm) of each column; `gamma` and `beta` have an element for each row.
    ///
    /// # Errors
    /// As said [above](Normalize).
    fn layer_norm_cols<T: Float + GemmElement<Compute: RealScalar>>(
        &self,
        x: &MatrixView<'_, T, Self::Device>,
        options: &LayerNormOptions<'_, T, Self::Device>,
        out: &mut MatrixViewMut<'_, T, Self::Device>,
    ) -> Result<()> {
        layer_norm(self, Axis::Cols, Some(x), options, out.as_matrix())
    }

    /// [`layer_norm_cols`](Self::layer_norm_cols) in place.
    ///
    /// # Errors
    /// As said [above](Normalize).
    fn layer_norm_cols_assign<T: Float + GemmElement<Compute: RealScalar>>(
        &self,
        x: &mut MatrixViewMut<'_, T, Self::Device>,
        options: &LayerNormOptions<'_, T, Self::Device>,
    ) -> Result<()> {
        layer_norm(self, Axis::Cols, None, options, x.as_matrix())
    }
}

impl<S: Stream> Normalize for S {}

/// Refuses an output of another shape than the input.
fn same_shape<T: Element, D: Device>(
    kind: OperationKind,
    x: &MatrixView<'_, T, D>,
    out: &MatrixView<'_, T, D>,
) -> Result<()> {
    if (x.rows(), x.cols()) != (out.rows(), out.cols()) {
        let expected = format!("{} × {}", x.rows(), x.cols());
        let error = Error::invalid("out", expected, format_args!("{} × {}", out.rows(), out.cols()));
        return Err(error.in_operation(kind));
    }
    Ok(())
}

/// `x` is none if it is the output itself.
fn softmax<S: Stream, T: Float>(
    stream: &S,
    log: bool,
    axis: Axis,
    x: Option<&MatrixView<'_, T, S::Device>>,
    out: MatrixView<'_, T, S::Device>,
) -> Result<()> {
    let input = x.unwrap_or(&out);
    same_shape(OperationKind::softmax(log, axis), input, &out)?;
    let operation = Operation::Softmax { log, axis, x: input.operand(), out: out.operand() };
    match x {
        Some(x) => stream.submit(Checked::TYPED, operation, &[out.writes("out"), x.reads("x")]),
        None => stream.submit(Checked::TYPED, operation, &[out.writes("x")]),
    }
}

/// As [`softmax`].
fn layer_norm<S: Stream, T: Float + GemmElement<Compute: RealScalar>>(
    stream: &S,
    axis: Axis,
    x: Option<&MatrixView<'_, T, S::Device>>,
    options: &LayerNormOptions<'_, T, S::Device>,
    out: MatrixView<'_, T, S::Device>,
) -> Result<()> {
    let kind = OperationKind::layer_norm(axis);
    let input = x.unwrap_or(&out);
    same_shape(kind, input, &out)?;
    let &LayerNormOptions { epsilon, gamma, beta } = options;
    if epsilon.to_f64().is_nan() || epsilon.to_f64() < 0.0 {
        return Err(Error::invalid("epsilon", "a number that is not negative", epsilon).in_operation(kind));
    }
    let len = if axis == Axis::Rows { input.cols() } else { input.rows() };
    for (name, operand) in [("gamma", gamma), ("beta", beta)] {
        operand.map_or(Ok(()), |operand| same_len(kind.name(), name, len, operand.len()))?;
    }
    let (x_operand, out_operand) = (input.operand(), out.operand());
    let operation = Operation::LayerNorm(LayerNorm {
        axis,
        x: x_operand,
        gamma: gamma.map(|gamma| gamma.span()),
        beta: beta.map(|beta| beta.span()),
        epsilon: ScalarValue::new(epsilon),
        out: out_operand,
    });
    let mut accesses: [Access<'_>; 4] = [out.writes(if x.is_some() { "out" } else { "x" }); 4];
    let inputs = [x.map(|x| x.reads("x")), gamma.map(|g| g.reads("gamma")), beta.map(|b| b.reads("beta"))];
    let mut count = 1;
    for access in inputs.into_iter().flatten() {
        accesses[count] = access;
        count += 1;
    }
    stream.submit(Checked::TYPED, operation, &accesses[..count])
}
