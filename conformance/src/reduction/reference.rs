//! What a reduction is compared with.

use crate::case::Case;
use crate::failure::Verdict;
use crate::reference::{Pair, Random, Sample, accumulation_unit, equal_numbers, in_order, output_unit, within};
use warpwave_core::numerics::{RealNumeric, Reducible, reduction, tree};
use warpwave_core::{Device, ReduceOp};

/// One reduction of one type.
pub(super) struct Reduction<T> {
    pub(super) op: ReduceOp,
    /// The definition.
    pub(super) define: fn(&[T]) -> T,
    /// Whether results round.
    pub(super) rounds: bool,
}

/// Sums and products.
pub(super) fn accumulate<T: Sample + Reducible>(op: ReduceOp) -> Reduction<T> {
    Reduction {
        op,
        define: match op {
            ReduceOp::Sum => |x| reduction::sum(x.len(), |i| x[i]),
            _ => |x| reduction::prod(x.len(), |i| x[i]),
        },
        rounds: !T::DTYPE.is_integer(),
    }
}

/// The smallest and the largest.
pub(super) fn choose<T: Sample + RealNumeric + Reducible<Acc: RealNumeric>>(op: ReduceOp) -> Reduction<T> {
    Reduction {
        op,
        define: match op {
            ReduceOp::Min => |x| reduction::min(x.len(), |i| x[i]),
            _ => |x| reduction::max(x.len(), |i| x[i]),
        },
        rounds: false,
    }
}

impl<T: Sample> Reduction<T> {
    /// Elements whose result is an integer that the accumulation holds, and the result; for integer types any, modulo 2
    /// to the width. `None` where nothing is defined but by the type: the smallest of nothing.
    pub(super) fn exact(&self, random: &mut Random, len: usize) -> (Vec<T>, Option<T>) {
        let integer = T::DTYPE.is_integer();
        let complex = T::DTYPE.is_complex();
        // The number of factors of magnitude 2 stays below what the narrowest type holds.
        let mut twos = 6;
        let mut element = |_| -> [i64; 2] {
            match self.op {
                ReduceOp::Prod if !integer => {
                    let sign = if random.below(2) == 0 { 1 } else { -1 };
                    let size = if twos > 0 && random.below(len / 6 + 1) == 0 {
                        twos -= 1;
                        2
                    } else {
                        1
                    };
                    // A power of i, so that products of complex numbers stay integers.
                    if complex && random.below(2) == 0 { [0, sign * size] } else { [sign * size, 0] }
                }
                ReduceOp::Sum if !integer => [random.integer(8), random.integer(8)],
                ReduceOp::Min | ReduceOp::Max if !integer => [random.integer(100), 0],
                _ => [random.bits() as i64, 0],
            }
        };
        let integers: Vec<[i64; 2]> = (0..len).map(&mut element).collect();
        let elements: Vec<T> = integers.iter().map(|&x| T::from_integers(x)).collect();
        let wrapped = |re: i64, im: i64| Some(T::from_integers([re, im]));
        let result = match self.op {
            ReduceOp::Sum => {
                let sum = |i: usize| integers.iter().fold(0_i64, |sum, x| sum.wrapping_add(x[i]));
                wrapped(sum(0), sum(1))
            }
            ReduceOp::Prod => {
                let one = |[a, b]: [i64; 2], &[c, d]: &[i64; 2]| {
                    let product = |x: i64, y: i64| x.wrapping_mul(y);
                    [product(a, c).wrapping_sub(product(b, d)), product(a, d).wrapping_add(product(b, c))]
                };
                let [re, im] = integers.iter().fold([1, 0], one);
                wrapped(re, im)
            }
            ReduceOp::Min => elements.iter().copied().min_by_key(|x| x.integer()),
            _ => elements.iter().copied().max_by_key(|x| x.integer()),
        };
        (elements, result)
    }

    /// Elements for the bounded lane. Sums get those that cancel, every other time; products stay in range.
    pub(super) fn numbers(&self, random: &mut Random, len: usize) -> Vec<T> {
        let cancel = random.below(2) == 0;
        self.sequence(random, len, cancel)
    }

    /// Elements that stay in range; those of sums cancel in pairs, up to some of their digits, if asked to.
    pub(super) fn sequence(&self, random: &mut Random, len: usize, cancel: bool) -> Vec<T> {
        let mut previous = [0.0; 2];
        let one = |i: usize| -> T {
            if self.op == ReduceOp::Prod {
                // Within 2⁻⁷ of 1 or −1, larger and smaller alike: the logarithm of the product of a million is a
                // random walk of steps of some 2⁻⁸, which stays far from the ends of the range.
                let x = 1.0 + random.number() / 2048.0;
                let sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
                return T::from_values([sign * x, random.number() / 2048.0]);
            }
            let fresh = [random.number(), random.number()];
            let values = match (cancel, i % 2) {
                (true, 1) => previous.map(|x| -x * (1.0 + fresh[0] / 4096.0)),
                (true, _) => fresh.map(|x| x * 64.0),
                (false, _) => fresh,
            };
            previous = values;
            T::from_values(values)
        };
        (0..len).map(one).collect()
    }

    /// Holds a result to the order of the tree, and to the bound: every element of a sum passes through as many roundings as the tree is deep, and a
    /// product has one fewer than elements; a product of complex numbers has two in each part.
    pub(super) fn bounded<D: Device>(&self, case: &mut Case<'_, D>, index: usize, x: &[T], got: T) -> Verdict {
        if let Some(want) = self.ordered(x) {
            case.bits("in the order of the tree: out", &[got], &[want])?;
        }
        let pairs = x.iter().map(|x| Pair::new(x.values()));
        let unit = accumulation_unit::<T>();
        let (exact, bound) = match self.op {
            ReduceOp::Sum => {
                let size: f64 = pairs.clone().map(Pair::modulus).sum();
                let factor = if T::DTYPE.is_complex() { std::f64::consts::SQRT_2 } else { 1.0 };
                (pairs.fold(Pair::ZERO, |a, b| a + b), factor * tree::depth(x.len()) as f64 * unit * size)
            }
            _ => {
                let exact = pairs.fold(Pair::ONE, |a, b| a * b);
                let factor = if T::DTYPE.is_complex() { 2.0 * std::f64::consts::SQRT_2 } else { 1.0 };
                (exact, factor * x.len() as f64 * unit * exact.modulus())
            }
        };
        let output = output_unit::<T>() * (exact.modulus() + bound);
        // Sums in `f64` of the reference's sizes are themselves off by a little.
        within(case, "out", index, got, exact, (bound + output) * (1.0 + 1e-9) + T::TINY)
    }

    /// The result by the suite's own account of the tree. `None` of nothing, and of what is not summed or multiplied by
    /// parts.
    fn ordered(&self, x: &[T]) -> Option<T> {
        let complex = T::DTYPE.is_complex();
        let part = |part: usize| -> Option<f64> {
            let double = |i: usize| x[i].values()[part];
            // Exact: an `f32`, or narrower.
            let single = |i: usize| double(i) as f32;
            let sum = self.op == ReduceOp::Sum;
            match (sum, accumulation_unit::<T>() < f32::UNIT) {
                (true, true) => in_order(x.len(), &double, &|sum, i| sum + double(i), &|a, b| a + b),
                (true, false) => in_order(x.len(), &single, &|sum, i| sum + single(i), &|a, b| a + b).map(f64::from),
                (false, _) if complex => None,
                (false, true) => in_order(x.len(), &double, &|product, i| product * double(i), &|a, b| a * b),
                (false, false) => {
                    in_order(x.len(), &single, &|product, i| product * single(i), &|a, b| a * b).map(f64::from)
                }
            }
        };
        Some(T::from_values([part(0)?, if complex { part(1)? } else { 0.0 }]))
    }

    /// Compares with integers: as bits, but for the signs of zeros, of which integers have none.
    pub(super) fn equal<D: Device>(&self, case: &mut Case<'_, D>, got: &[T], want: &[T]) -> Verdict {
        equal_numbers(case, "out", got, want)
    }

    /// Special values, of which the definition alone says what comes of them.
    pub(super) fn specials(&self, random: &mut Random, len: usize) -> Vec<T> {
        random.specials_with_nan(len)
    }
}
