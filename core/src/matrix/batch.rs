//! Strided batches of matrices.

use super::{MatrixView, Shape};
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::operation::Layout;
use crate::view::{View, ViewMut};
use std::marker::PhantomData;

/// A strided batch of matrices of one shape.
///
/// Matrix `i` starts `i · stride` elements after the start of the view it was made of.
pub struct Batch<'a, T: Element, D: Device> {
    pub(crate) first: MatrixView<'a, T, D>,
    pub(crate) stride: usize,
    pub(crate) count: usize,
}

/// A strided batch of matrices that can be written.
pub struct BatchMut<'a, T: Element, D: Device> {
    pub(crate) batch: Batch<'a, T, D>,
    marker: PhantomData<&'a mut [T]>,
}

impl<T: Element, D: Device> std::fmt::Debug for Batch<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Batch[{} of {:?}, stride {}]", self.count, self.first, self.stride)
    }
}

impl<T: Element, D: Device> std::fmt::Debug for BatchMut<'_, T, D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.batch.fmt(f)
    }
}

impl<'a, T: Element, D: Device> Batch<'a, T, D> {
    /// `count` matrices of this shape, `stride` elements apart, that start at the start of `all`. What an access to the first touches
    /// is then the whole of them.
    fn of(all: View<'a, T, D>, shape: Shape, stride: usize, count: usize) -> Result<Self> {
        let total = match (count, shape.extent()) {
            (0, _) | (_, Some(0)) => Some(0),
            (_, extent) => {
                let last = (count - 1).checked_mul(stride);
                last.zip(extent).and_then(|(last, extent)| last.checked_add(extent))
            }
        };
        match total {
            Some(total) if total <= all.len() => {
                // It leads nowhere, so it may have been any number; backends multiply by it.
                let stride = if total == 0 || count == 1 { 0 } else { stride };
                Ok(Batch { first: MatrixView { view: all.sub(0, total), shape }, stride, count })
            }
            _ => {
                let Shape { rows, cols, ld, .. } = shape;
                let what = if count == 1 { "rows and cols" } else { "stride and count" };
                let expected = format!("matrices within the view's {} elements", all.len());
                let got = format_args!("{count} of {rows} × {cols} with leading dimension {ld}, {stride} apart");
                Err(Error::invalid(what, expected, got))
            }
        }
    }
}

impl<'a, T: Element, D: Device> View<'a, T, D> {
    /// This view as `count` matrices of `rows × cols`, each with leading dimension `ld`, `stride` elements apart. A stride of 0 reads
    /// the same matrix each time.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the view is too short, or `ld` too small.
    pub fn batch(
        self,
        rows: usize,
        cols: usize,
        ld: usize,
        layout: Layout,
        stride: usize,
        count: usize,
    ) -> Result<Batch<'a, T, D>> {
        let shape = Shape::new(rows, cols, Some(ld), layout);
        shape.and_then(|shape| Batch::of(self, shape, stride, count)).map_err(|e| e.in_operation("batch"))
    }
}

impl<'a, T: Element, D: Device> ViewMut<'a, T, D> {
    /// As [`View::batch`], to be written.
    ///
    /// # Errors
    /// As for [`View::batch`], and if the matrices overlap.
    pub fn batch_mut(
        self,
        rows: usize,
        cols: usize,
        ld: usize,
        layout: Layout,
        stride: usize,
        count: usize,
    ) -> Result<BatchMut<'a, T, D>> {
        let batch = self.into_view().batch(rows, cols, ld, layout, stride, count)?;
        let extent = batch.first.shape.extent().unwrap_or(0);
        if count > 1 && stride < extent {
            let expected = format_args!("at least {extent}, so that matrices do not overlap").to_string();
            return Err(Error::invalid("stride", expected, stride).in_operation("batch_mut"));
        }
        Ok(BatchMut { batch, marker: PhantomData })
    }
}
