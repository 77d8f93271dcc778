//! One case: compares results with references, and counts.

use crate::failure::{Failure, Verdict};
use crate::guard::Guarded;
use crate::level::Level;
use crate::origin::Origin;
use crate::seed::Fnv;
use std::fmt::Display;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Device, Element, Stream};

/// One case of a check, on a stream.
#[derive(Debug)]
pub struct Case<'a, D: Device> {
    pub(crate) device: &'a D,
    pub(crate) origin: &'a dyn Origin<D>,
    pub(crate) stream: &'a D::Stream,
    pub(crate) level: Level,
    pub(crate) lane: Lane,
    pub(crate) hashed: bool,
    pub(crate) tally: Tally,
}

/// What came of a case, or of all cases of a check.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    /// By lane.
    pub(crate) cases: [u64; 3],
    /// Calls that compared something, of no elements too: that there are none is a result.
    pub(crate) comparisons: u64,
    pub(crate) elements: u64,
    pub(crate) worst: Option<f64>,
    /// The largest error in units in the last place.
    pub(crate) ulp: Option<f64>,
    pub(crate) hash: Option<Fnv>,
}

impl Tally {
    /// Adds a case of `lane`.
    pub(crate) fn add(&mut self, lane: Lane, case: Tally) {
        self.cases[lane as usize] += 1;
        self.comparisons += case.comparisons;
        self.elements += case.elements;
        raise(&mut self.worst, case.worst);
        raise(&mut self.ulp, case.ulp);
        if let Some(hash) = case.hash {
            self.hash.get_or_insert_default().add(&hash.value().to_le_bytes());
        }
    }
}

impl<'a, D: Device> Case<'a, D> {
    /// The device under test.
    pub fn device(&self) -> &'a D {
        self.device
    }

    /// A stream of this check's own.
    pub fn stream(&self) -> &'a D::Stream {
        self.stream
    }

    /// How thorough the run is.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The lane that the case counts for.
    pub fn lane(&self) -> Lane {
        self.lane
    }

    /// `data` on the device, with guard bytes around it.
    ///
    /// # Errors
    /// Those of the device.
    pub fn guarded<T: Element>(&self, data: &[T]) -> Verdict<Guarded<T, D>> {
        Guarded::new(self.stream, data)
    }

    /// Compares bit for bit. The results enter the hash of the check's outputs, unless those are of class B.
    ///
    /// # Errors
    /// At the first element that differs, or if the lengths do.
    pub fn bits<T: Element>(&mut self, what: impl Display, got: &[T], want: &[T]) -> Verdict {
        self.tally.comparisons += 1;
        equal(&what, 0, got, want)?;
        self.tally.elements += got.len() as u64;
        self.output(got);
        Ok(())
    }

    /// Compares the elements from `first` on of something large with what they should be, bit for bit. They enter no hash,
    /// which would take longer than all the rest, and says nothing that this comparison does not.
    pub(crate) fn bits_at<T: Element>(&mut self, what: impl Display, first: usize, got: &[T], want: &[T]) -> Verdict {
        self.tally.comparisons += 1;
        self.tally.elements += got.len() as u64;
        equal(&what, first, got, want)
    }

    /// Adds results that were compared in another way to the hash of the check's outputs, unless those are of class B.
    pub fn output<T: Element>(&mut self, got: &[T]) {
        if self.hashed {
            self.tally.hash.get_or_insert_default().add(bytemuck::cast_slice(got));
        }
    }

    /// Compares with what a reference of higher precision gave: `|got − want| ≤ bound`, element by element. Complex results are
    /// compared as their parts. NaN where NaN is expected is right, and so is the same infinity.
    ///
    /// The subtraction is in `f64`: for results of `f64` the caller has to make the error in a higher precision, and give it to
    /// [`error`](Case::error).
    ///
    /// # Errors
    /// At the first element outside its bound, or if the lengths differ.
    pub fn bounded(&mut self, what: impl Display, got: &[f64], want: &[f64], bound: &[f64]) -> Verdict {
        self.tally.comparisons += 1;
        same_length(&what, got.len(), want.len())?;
        same_length(&what, got.len(), bound.len())?;
        for (index, ((&got, &want), &bound)) in got.iter().zip(want).zip(bound).enumerate() {
            if got.is_nan() && want.is_nan() || got == want {
                self.error(&what, index, 0.0, bound)?;
            } else if !got.is_finite() || !want.is_finite() {
                return Err(Failure::new(format_args!("{what}[{index}]: expected {want:e}, got {got:e}")));
            } else {
                let failed = |f: Failure| Failure::new(format_args!("{f}: expected {want:e}, got {got:e}"));
                self.error(&what, index, (got - want).abs(), bound).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Holds the error of one element to its bound, and keeps the worst ratio of the two.
    ///
    /// # Errors
    /// If the error is above the bound or not finite, or the bound is NaN.
    pub fn error(&mut self, what: impl Display, index: usize, error: f64, bound: f64) -> Verdict {
        self.tally.comparisons += 1;
        self.tally.elements += 1;
        // A NaN fails as well.
        if error <= bound && error.is_finite() {
            let ratio = if error == 0.0 { 0.0 } else { error / bound };
            raise(&mut self.tally.worst, Some(ratio));
            return Ok(());
        }
        Err(Failure::new(format_args!(
            "{what}[{index}]: error {error:e} above the bound {bound:e} ({:.3} times)",
            error / bound
        )))
    }

    /// Holds the error of one element, in units in the last place of the exact result, to so many of them, and keeps the largest.
    ///
    /// # Errors
    /// If there are more of them, or the error is not finite.
    pub fn ulps(&mut self, what: impl Display, index: usize, error: f64, allowed: f64) -> Verdict {
        let failed = |f: Failure| Failure::new(format_args!("{f}, in units in the last place"));
        self.error(what, index, error, allowed).map_err(failed)?;
        raise(&mut self.tally.ulp, Some(error));
        Ok(())
    }

    /// Something that has to be true. Counts as one element compared.
    ///
    /// # Errors
    /// If it is not, in the words of `message`.
    pub fn ensure(&mut self, truth: bool, message: impl Display) -> Verdict {
        self.tally.comparisons += 1;
        self.tally.elements += 1;
        if truth { Ok(()) } else { Err(Failure::new(message)) }
    }

    /// A call that has to be refused, for an argument whose name contains `argument`.
    ///
    /// # Errors
    /// If it is not refused, not as [`InvalidArgument`](warpwave_core::ErrorKind::InvalidArgument), or for another argument.
    pub fn refused<R>(&mut self, result: warpwave_core::Result<R>, argument: &str) -> Verdict {
        match result {
            Ok(_) => self.ensure(false, format_args!("accepted, although {argument} is wrong")),
            Err(error) => match error.kind() {
                warpwave_core::ErrorKind::InvalidArgument { what, .. } => self.ensure(
                    what.contains(argument),
                    format_args!("the error names {what:?} and not {argument:?}: {error}"),
                ),
                _ => self.ensure(false, format_args!("expected {argument} to be refused, got: {error}")),
            },
        }
    }

    /// What a body comes to that found nothing wrong: a failure if it compared nothing.
    pub(crate) fn compared(&self) -> Verdict {
        if self.tally.comparisons == 0 { Err(Failure::new("nothing was compared")) } else { Ok(()) }
    }

    /// The elements of a buffer or view, from the device.
    ///
    /// # Errors
    /// Those of the device.
    pub fn read<T: Element>(&self, x: &impl warpwave_core::AsView<T, D>) -> Verdict<Vec<T>> {
        Ok(self.stream.to_vec(x)?)
    }
}

/// The larger of what is known and another number, if there is one.
fn raise(known: &mut Option<f64>, other: Option<f64>) {
    *known = match (*known, other) {
        (Some(known), Some(other)) => Some(known.max(other)),
        (known, other) => known.or(other),
    };
}

/// Holds elements, of which `first` is the index of the first, to be the same bits.
fn equal<T: Element>(what: &impl Display, first: usize, got: &[T], want: &[T]) -> Verdict {
    same_length(what, got.len(), want.len())?;
    if bytemuck::cast_slice::<T, u8>(got) == bytemuck::cast_slice::<T, u8>(want) {
        return Ok(());
    }
    let differs = |(got, want): (&T, &T)| bytemuck::bytes_of(got) != bytemuck::bytes_of(want);
    let index = got.iter().zip(want).position(differs).unwrap_or(0);
    let (got, want) = (got[index], want[index]);
    let index = first + index;
    Err(Failure::new(format_args!("{what}[{index}]: expected {want:?} ({}), got {got:?} ({})", hex(&want), hex(&got))))
}

fn same_length(what: &impl Display, got: usize, want: usize) -> Verdict {
    if got == want { Ok(()) } else { Err(Failure::new(format_args!("{what}: {got} elements instead of {want}"))) }
}

/// The bits of an element as a number, the most significant digit first.
fn hex<T: Element>(value: &T) -> String {
    let bytes = bytemuck::bytes_of(value);
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    if cfg!(target_endian = "little") { digits.rev().collect() } else { digits.collect() }
}
