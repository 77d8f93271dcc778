//! Arguments of launches.

use super::{LaunchArg, NumberKind};
use crate::device::Device;
use crate::element::{DType, Element};
use crate::view::{AsView, AsViewMut, Part};
use bytemuck::Pod;
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;

/// An argument of a launch; made by [`args!`](crate::args).
pub struct Arg<'a, D: Device> {
    pub(crate) what: What<'a>,
    marker: PhantomData<fn() -> D>,
}

/// What an argument is.
pub(crate) enum What<'a> {
    /// Elements of a buffer.
    Memory { part: Part<'a>, dtype: DType, write: bool },
    /// Bytes by value; what they are, if that is known.
    Value { bytes: Vec<u8>, kind: NumberKind },
}

impl<'a, D: Device> Arg<'a, D> {
    /// A buffer or view that the kernel reads: `&x` in [`args!`](crate::args).
    pub fn read<T: Element>(x: &'a (impl AsView<T, D> + ?Sized)) -> Self {
        Self::of(What::Memory { part: x.view().part, dtype: T::DTYPE, write: false })
    }

    /// A buffer or view that the kernel may write, and read too: `&mut x` in [`args!`](crate::args).
    pub fn write<T: Element>(x: &'a mut (impl AsViewMut<T, D> + ?Sized)) -> Self {
        Self::of(What::Memory { part: x.view_mut().into_view().part, dtype: T::DTYPE, write: true })
    }

    /// A number, or a structure of numbers: anything else in [`args!`](crate::args). A `usize` is a `ww_u64`.
    pub fn value<T: Pod>(value: T) -> Self {
        Self::of(What::Value { bytes: bytemuck::bytes_of(&value).to_vec(), kind: kind_of::<T>() })
    }

    fn of(what: What<'a>) -> Self {
        Arg { what, marker: PhantomData }
    }
}

impl What<'_> {
    /// What a backend gets.
    pub(crate) fn launched(&self) -> LaunchArg {
        match self {
            What::Memory { part, write, .. } => LaunchArg::Memory { ptr: part.ptr(), bytes: part.bytes, write: *write },
            What::Value { bytes, .. } => LaunchArg::Value(bytes.clone()),
        }
    }
}

impl<D: Device> fmt::Debug for Arg<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arg({})", self.what)
    }
}

impl fmt::Display for What<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Memory { dtype, write: true, .. } => write!(f, "a buffer of {dtype} to be written"),
            What::Memory { dtype, write: false, .. } => write!(f, "a buffer of {dtype} to be read"),
            What::Value { bytes, kind } => write!(f, "a value: {}", kind.of_size(bytes.len())),
        }
    }
}

fn kind_of<T: 'static>() -> NumberKind {
    let is = |ids: &[TypeId]| ids.contains(&TypeId::of::<T>());
    macro_rules! ids { ($($t:ty),*) => { &[$(TypeId::of::<$t>()),*] } }
    if is(ids!(f32, f64)) {
        NumberKind::Float
    } else if is(ids!(u8, u16, u32, u64, usize)) {
        NumberKind::Unsigned
    } else if is(ids!(i8, i16, i32, i64, isize)) {
        NumberKind::Signed
    } else {
        NumberKind::Structure
    }
}

/// The arguments of [`Stream::launch`](crate::Stream::launch), in the order of the kernel's parameters: `&x` for a buffer or view that the
/// kernel reads, `&mut x` for one that it writes, and values: numbers, and structures that are [`Pod`]. So a kernel with the parameters
/// `ww_u64 n, float alpha, const float* x, float* y` takes `args![n, 0.5_f32, &x, &mut y]`.
#[macro_export]
macro_rules! args {
    (@ [$($out:tt)*]) => { &[$($out)*] };
    (@ [$($out:tt)*] &mut $e:expr $(, $($rest:tt)*)?) => {
        $crate::args!(@ [$($out)* $crate::Arg::write(&mut $e),] $($($rest)*)?)
    };
    (@ [$($out:tt)*] & $e:expr $(, $($rest:tt)*)?) => {
        $crate::args!(@ [$($out)* $crate::Arg::read(&$e),] $($($rest)*)?)
    };
    (@ [$($out:tt)*] $e:expr $(, $($rest:tt)*)?) => {
        $crate::args!(@ [$($out)* $crate::Arg::value($e),] $($($rest)*)?)
    };
    ($($all:tt)*) => { $crate::args!(@ [] $($all)*) };
}
