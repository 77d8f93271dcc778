//! Random numbers.

use crate::element::{Float, GemmElement, RealScalar, ScalarValue};
use crate::error::{Error, Result};
use crate::numerics::philox;
use crate::operation::{Operation, OperationKind};
use crate::runtime::Checked;
use crate::stream::Stream;
use crate::view::AsViewMut;

/// A place in a sequence of random numbers: Philox 4×32-10, as [`crate::numerics::philox`] defines it.
///
/// Generators of one seed and different subsequences never overlap.
///
/// ```
/// # use warpwave_core::Philox;
/// let mut generator = Philox::new(42).subsequence(7);
/// generator.skip(1000);
/// assert_eq!(generator.offset(), 1000);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Philox {
    seed: u64,
    subsequence: u64,
    offset: u64,
}

impl Philox {
    /// The start of subsequence 0 of a seed.
    pub fn new(seed: u64) -> Self {
        Philox { seed, subsequence: 0, offset: 0 }
    }

    /// The start of another subsequence of the same seed.
    #[must_use]
    pub fn subsequence(self, subsequence: u64) -> Self {
        Philox { subsequence, offset: 0, ..self }
    }

    /// Moves on by `words` 32-bit words, at no cost; a `u64`, `i64` or `f64` takes two words, every other number one. Past the last of
    /// 2⁶⁴ words it goes on with the first.
    pub fn skip(&mut self, words: u64) {
        self.offset = self.offset.wrapping_add(words);
    }

    /// Words of the subsequence before this place.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// Random numbers on a stream, the same on every device.
pub trait Random: Stream {
    /// Fills `out` with uniform random numbers: integers over all their values, floats over [0, 1), both as
    /// [`crate::numerics::philox`] says. `generator` moves on by the words that takes.
    ///
    /// # Errors
    /// [`Unsupported`](crate::ErrorKind::Unsupported) if the device does not offer it, and those of the driver. `generator` stays
    /// where it was then.
    fn random<T: philox::RandomElement>(
        &self,
        generator: &mut Philox,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        let out = out.view_mut().into_view();
        let Philox { seed, subsequence, offset } = *generator;
        self.submit(
            Checked::TYPED,
            Operation::Random { seed, subsequence, offset, out: out.span() },
            &[out.writes("out")],
        )?;
        generator.skip(T::WORDS.wrapping_mul(out.len() as u64));
        Ok(())
    }

    /// Fills `out` with normal random numbers of this mean and standard deviation, as [`crate::numerics::normal`] says. `generator`
    /// moves on by the words that takes: as many as [`random`](Self::random) takes for as many elements.
    ///
    /// ```
    /// # use warpwave_core::{Philox, Random, Result, Stream};
    /// # fn example<S: Stream>(stream: &S) -> Result<()> {
    /// let mut heights = stream.zeros::<f32>(1000)?;
    /// stream.normal(&mut Philox::new(42), 1.75, 0.07, &mut heights)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if `deviation` is negative or NaN, and as for [`random`](Self::random).
    fn normal<T: philox::RandomElement + Float + GemmElement<Compute: RealScalar>>(
        &self,
        generator: &mut Philox,
        mean: T::Compute,
        deviation: T::Compute,
        out: &mut impl AsViewMut<T, Self::Device>,
    ) -> Result<()> {
        if deviation.to_f64().is_nan() || deviation.to_f64() < 0.0 {
            let error = Error::invalid("deviation", "a number that is not negative", deviation);
            return Err(error.in_operation(OperationKind::Normal));
        }
        let out = out.view_mut().into_view();
        let Philox { seed, subsequence, offset } = *generator;
        let (mean, deviation) = (ScalarValue::new(mean), ScalarValue::new(deviation));
        self.submit(
            Checked::TYPED,
            Operation::Normal { seed, subsequence, offset, mean, deviation, out: out.span() },
            &[out.writes("out")],
        )?;
        generator.skip(T::WORDS.wrapping_mul(out.len() as u64));
        Ok(())
    }
}

impl<S: Stream> Random for S {}
