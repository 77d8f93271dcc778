//! What a scan is compared with.

use crate::case::Case;
use crate::failure::Verdict;
use crate::reference::{Pair, Random, Sample, accumulation_unit, equal_numbers, output_unit, within};
use warpwave_core::numerics::{RealNumeric, Reducible, scan};
use warpwave_core::{Device, Real, ReduceOp, Result, Scan as _, View, ViewMut};

/// One scan of one type.
pub(super) struct Scan<T: Sample, D: Device> {
    pub(super) op: ReduceOp,
    pub(super) exclusive: bool,
    /// The definition.
    define: fn(ReduceOp, bool, &[T]) -> Option<Vec<T>>,
    /// The call for this operation.
    call: Call<T, D>,
    /// Whether results round.
    pub(super) rounds: bool,
}

/// Scans `x` into the view, or without `x` in place.
type Call<T, D> =
    fn(&<D as Device>::Stream, ReduceOp, bool, Option<&View<'_, T, D>>, &mut ViewMut<'_, T, D>) -> Result<()>;

impl<T: Sample + Reducible, D: Device> Scan<T, D> {
    /// Sums and products.
    pub(super) fn accumulate(op: ReduceOp, exclusive: bool) -> Self {
        let rounds = !T::DTYPE.is_integer();
        Scan { op, exclusive, define: scan::arithmetic::<T>, call: accumulate::<T, D>, rounds }
    }
}

impl<T: Sample + RealNumeric + Reducible<Acc: RealNumeric>, D: Device> Scan<T, D> {
    /// The smallest and the largest.
    pub(super) fn choose(op: ReduceOp, exclusive: bool) -> Self {
        Scan { op, exclusive, define: scan::choice::<T>, call: choose::<T, D>, rounds: false }
    }
}

fn accumulate<T: Sample + Reducible, D: Device>(
    stream: &D::Stream,
    op: ReduceOp,
    exclusive: bool,
    x: Option<&View<'_, T, D>>,
    out: &mut ViewMut<'_, T, D>,
) -> Result<()> {
    match (op, exclusive, x) {
        (ReduceOp::Sum, false, Some(x)) => stream.inclusive_sum(x, out),
        (ReduceOp::Sum, true, Some(x)) => stream.exclusive_sum(x, out),
        (ReduceOp::Sum, false, None) => stream.inclusive_sum_assign(out),
        (ReduceOp::Sum, true, None) => stream.exclusive_sum_assign(out),
        (_, false, Some(x)) => stream.inclusive_prod(x, out),
        (_, true, Some(x)) => stream.exclusive_prod(x, out),
        (_, false, None) => stream.inclusive_prod_assign(out),
        (_, true, None) => stream.exclusive_prod_assign(out),
    }
}

fn choose<T: Sample + Real, D: Device>(
    stream: &D::Stream,
    op: ReduceOp,
    exclusive: bool,
    x: Option<&View<'_, T, D>>,
    out: &mut ViewMut<'_, T, D>,
) -> Result<()> {
    match (op, exclusive, x) {
        (ReduceOp::Min, false, Some(x)) => stream.inclusive_min(x, out),
        (ReduceOp::Min, true, Some(x)) => stream.exclusive_min(x, out),
        (ReduceOp::Min, false, None) => stream.inclusive_min_assign(out),
        (ReduceOp::Min, true, None) => stream.exclusive_min_assign(out),
        (_, false, Some(x)) => stream.inclusive_max(x, out),
        (_, true, Some(x)) => stream.exclusive_max(x, out),
        (_, false, None) => stream.inclusive_max_assign(out),
        (_, true, None) => stream.exclusive_max_assign(out),
    }
}

impl<T: Sample, D: Device> Scan<T, D> {
    /// Enqueues it: `x` into `out`, or without `x` in place.
    pub(super) fn call(
        &self,
        stream: &D::Stream,
        x: Option<&View<'_, T, D>>,
        out: &mut ViewMut<'_, T, D>,
    ) -> Result<()> {
        (self.call)(stream, self.op, self.exclusive, x, out)
    }

    /// The results, by the definition.
    pub(super) fn defined(&self, x: &[T]) -> Vec<T> {
        (self.define)(self.op, self.exclusive, x).unwrap_or_default()
    }

    /// Elements whose prefixes are integers that the accumulation holds, and those; for integer types any, modulo 2 to the width.
    pub(super) fn exact(&self, random: &mut Random, len: usize) -> (Vec<T>, Vec<T>) {
        let integer = T::DTYPE.is_integer();
        let complex = T::DTYPE.is_complex();
        // The number of factors of magnitude 2 stays below what the narrowest type holds.
        let mut twos = 6;
        let mut element = |_| -> [i64; 2] {
            match self.op {
                _ if integer => [random.bits() as i64, 0],
                ReduceOp::Sum => [random.integer(8), random.integer(8)],
                ReduceOp::Prod => {
                    let sign = if random.below(2) == 0 { 1 } else { -1 };
                    let two = twos > 0 && random.below(len / 6 + 1) == 0;
                    twos -= i32::from(two);
                    let size = if two { 2 * sign } else { sign };
                    // A power of i, so that products of complex numbers stay integers.
                    if complex && random.below(2) == 0 { [0, size] } else { [size, 0] }
                }
                _ => [random.integer(100), 0],
            }
        };
        let integers: Vec<[i64; 2]> = (0..len).map(&mut element).collect();
        let elements: Vec<T> = integers.iter().map(|&x| T::from_integers(x)).collect();
        let mut sums = match self.op {
            ReduceOp::Sum => {
                running(&integers, |a, b| [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])], T::from_integers)
            }
            ReduceOp::Prod => {
                let product = |a: i64, b: i64| a.wrapping_mul(b);
                let times = |[a, b]: [i64; 2], [c, d]: [i64; 2]| {
                    [product(a, c).wrapping_sub(product(b, d)), product(a, d).wrapping_add(product(b, c))]
                };
                running(&integers, times, T::from_integers)
            }
            ReduceOp::Min => running(&elements, |a, b| if b.integer() < a.integer() { b } else { a }, |x| x),
            _ => running(&elements, |a, b| if b.integer() > a.integer() { b } else { a }, |x| x),
        };
        if self.exclusive && len > 0 {
            sums.rotate_right(1);
            sums[0] = self.identity();
        }
        (elements, sums)
    }

    /// What comes of nothing.
    fn identity(&self) -> T {
        let limit = |sign: f64| {
            if !T::DTYPE.is_integer() {
                return T::from_values([sign * f64::INFINITY, 0.0]);
            }
            let signed = T::from_integer(-1).integer() < 0;
            let largest = u64::MAX >> (64 - 8 * size_of::<T>() as u32 + u32::from(signed));
            match (sign > 0.0, signed) {
                (true, _) => T::from_patterns([largest, 0]),
                (false, true) => T::from_patterns([!largest, 0]),
                (false, false) => T::from_integer(0),
            }
        };
        match self.op {
            ReduceOp::Sum => T::from_integer(0),
            ReduceOp::Prod => T::from_integer(1),
            ReduceOp::Min => limit(1.0),
            _ => limit(-1.0),
        }
    }

    /// Elements for the bounded lane: sums get those that cancel in pairs, every other time; products stay in range.
    pub(super) fn numbers(&self, random: &mut Random, len: usize) -> Vec<T> {
        let cancel = random.below(2) == 0;
        let mut previous = [0.0; 2];
        let mut one = |i: usize| -> T {
            let fresh = [random.number(), random.number()];
            if self.op == ReduceOp::Prod {
                // Within 2⁻⁷ of 1 or −1, so that the product of a million stays far from the ends of the range.
                let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
                return T::from_values([sign * (1.0 + fresh[0] / 2048.0), fresh[1] / 2048.0]);
            }
            let values = match (cancel, i % 2) {
                (true, 1) => previous.map(|x| -x * (1.0 + fresh[0] / 4096.0)),
                (true, _) => fresh.map(|x| x * 64.0),
                (false, _) => fresh,
            };
            previous = values;
            T::from_values(values)
        };
        (0..len).map(&mut one).collect()
    }

    /// Holds each result to the bound. Every element of a prefix sum passes through as many roundings as the tree over that prefix
    /// is deep; a product has one fewer than factors, and of complex numbers two in each part.
    pub(super) fn bounded(&self, case: &mut Case<'_, D>, x: &[T], got: &[T]) -> Verdict {
        let (unit, complex) = (accumulation_unit::<T>(), T::DTYPE.is_complex());
        let sum = self.op == ReduceOp::Sum;
        let factor = match (complex, sum) {
            (false, _) => 1.0,
            (true, true) => std::f64::consts::SQRT_2,
            (true, false) => 2.0 * std::f64::consts::SQRT_2,
        };
        // Of the elements that the result is made of: what they come to, and the sum of their magnitudes.
        let (mut exact, mut size) = (if sum { Pair::ZERO } else { Pair::ONE }, 0.0);
        let mut taken = 0;
        for (i, &got) in got.iter().enumerate() {
            let count = if self.exclusive { i } else { i + 1 };
            for x in &x[taken..count] {
                let x = Pair::new(x.values());
                exact = if sum { exact + x } else { exact * x };
                size += x.modulus();
            }
            taken = count;
            let roundings = if sum { scan::depth(count) as f64 * size } else { count as f64 * exact.modulus() };
            let bound = factor * unit * roundings;
            let output = output_unit::<T>() * (exact.modulus() + bound);
            // Sums in `f64` of the reference's sizes are themselves off by a little.
            within(case, "out", i, got, exact, (bound + output) * (1.0 + 1e-9) + T::TINY)?;
        }
        Ok(())
    }

    /// Compares with integers: as bits, but for the signs of zeros, of which integers have none.
    pub(super) fn equal(&self, case: &mut Case<'_, D>, got: &[T], want: &[T]) -> Verdict {
        equal_numbers(case, "out", got, want)
    }
}

/// The prefixes of `x` by `combine`, each made an element.
fn running<X: Copy, T>(x: &[X], combine: impl Fn(X, X) -> X, element: impl Fn(X) -> T) -> Vec<T> {
    let mut prefix: Option<X> = None;
    let mut next = |&x: &X| {
        let sum = prefix.map_or(x, |prefix| combine(prefix, x));
        prefix = Some(sum);
        element(sum)
    };
    x.iter().map(&mut next).collect()
}
