//! `rotg` and `rotmg`: rotations that make an element zero, found on the host.
//!
//! Both are plain functions. They launch nothing, and what they give is the argument of [`rot`](crate::Blas::rot) and
//! [`rotm`](crate::Blas::rotm).

use super::rotation::Rotm;
use crate::element::{Complex, Complex32, Complex64, Float, Scalar};

/// A plane rotation `[c s; −conj(s) c]`, and what it makes of the two numbers that it was found for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Givens<T: Scalar> {
    /// The cosine.
    pub c: T::Magnitude,
    /// The sine.
    pub s: T,
    /// What becomes of the first number; the second becomes 0.
    pub r: T,
    z: T,
}

impl<T: Scalar + Float> Givens<T> {
    /// The rotation in one number: `s` if `|a| > |b|`, else `1/c`, and 1 if `c` is 0. From it `c` and `s` are found again:
    /// 1 means (0, 1), a smaller `z` is `s`, of a larger one `c` is the reciprocal.
    pub fn z(&self) -> T {
        self.z
    }
}

/// A modified rotation, and what becomes of the numbers that it was found for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModifiedGivens<T: Scalar + Float> {
    /// The rotation.
    pub rotation: Rotm<T>,
    /// The factor of the first row.
    pub d1: T,
    /// The factor of the second row.
    pub d2: T,
    /// The first number of the pair; the second becomes 0.
    pub x1: T,
}

/// The rotation that turns (`a`, `b`) into (`r`, 0): `c·a + s·b = r` and `c·b − conj(s)·a = 0`, with a real `c`.
///
/// No intermediate result overflows or vanishes unless `r` does: it is the algorithm of E. Anderson, *Algorithm 978: Safe Scaling
/// in the Level 1 BLAS*, ACM TOMS 44 (2017), as in LAPACK 3.10. Of real numbers `r` has the sign of the larger one, and `c` and `s`
/// are right even if `r` overflows. A NaN gives NaN, and so does an infinity.
///
/// ```
/// let rotation = warpwave_core::rotg(3.0, 4.0);
/// assert_eq!((rotation.c, rotation.s, rotation.r), (0.6, 0.8, 5.0));
/// ```
pub fn rotg<T: Scalar>(a: T, b: T) -> Givens<T> {
    T::givens(a, b)
}

/// The modified rotation that turns (`√d1 · x1`, `√d2 · y1`) into a pair whose second number is 0, without a square root.
///
/// It is the algorithm of C. L. Lawson, R. J. Hanson, D. R. Kincaid and F. T. Krogh, *Basic Linear Algebra Subprograms for
/// Fortran Usage*, ACM TOMS 5 (1979), with the corrections of T. Hopkins, *Restructuring the BLAS Level 1 Routine for Computing the
/// Modified Givens Transformation*, ACM TOMS 24 (1998). Where more than one step of scaling is needed, the elements found before
/// are kept, as in the first of the two, and not set again, as in Fortran code of today.
///
/// A negative `d1`, or a `d2` that outweighs it with the wrong sign, gives a rotation of zeros and zeros for the rest. `d1` and `d2`
/// are kept within 2⁻²⁴ and 2²⁴ unless they are 0, infinite or NaN.
pub fn rotmg<T: Scalar<Magnitude = T> + Float>(d1: T, d2: T, x1: T, y1: T) -> ModifiedGivens<T> {
    T::modified(d1, d2, x1, y1)
}

/// What [`rotg`] and [`rotmg`] do for each type. It cannot be named outside of the crate.
pub trait Rotate: Sized {
    /// `rotg`.
    fn givens(a: Self, b: Self) -> Givens<Self>
    where
        Self: Scalar;

    /// `rotmg`, of the type's magnitude.
    fn modified(
        d1: <Self as Scalar>::Magnitude,
        d2: <Self as Scalar>::Magnitude,
        x1: <Self as Scalar>::Magnitude,
        y1: <Self as Scalar>::Magnitude,
    ) -> ModifiedGivens<<Self as Scalar>::Magnitude>
    where
        Self: Scalar;
}

macro_rules! rotate {
    ($real:ident, $complex:ty, $modified:ident) => {
        impl Rotate for $real {
            fn givens(a: $real, b: $real) -> Givens<$real> {
                if b == 0.0 {
                    return Givens { c: 1.0, s: 0.0, r: a, z: 0.0 };
                }
                if a == 0.0 {
                    return Givens { c: 0.0, s: 1.0, r: b, z: 1.0 };
                }
                let first = a.abs() > b.abs();
                let scale = a.abs().max(b.abs()).clamp(<$real>::MIN_POSITIVE, 2.0 / <$real>::MIN_POSITIVE);
                let (x, y) = (a / scale, b / scale);
                // `c` and `s` are those of the scaled numbers: good even where `r` overflows, or is a denormal.
                let h = (x * x + y * y).sqrt().copysign(if first { a } else { b });
                let (c, s, r) = (x / h, y / h, scale * h);
                let z = match first {
                    true => s,
                    false if c == 0.0 => 1.0,
                    false => 1.0 / c,
                };
                Givens { c, s, r, z }
            }

            fn modified(d1: $real, d2: $real, x1: $real, y1: $real) -> ModifiedGivens<$real> {
                $modified(d1, d2, x1, y1)
            }
        }

        impl Rotate for $complex {
            fn givens(f: $complex, g: $complex) -> Givens<$complex> {
                const SAFE_MIN: $real = <$real>::MIN_POSITIVE;
                /// The largest power of 2.
                const SAFE_MAX: $real = 2.0 / SAFE_MIN;

                /// `c`, `s` and `r` of numbers whose squares neither overflow nor vanish: `f2` is that of `f`, `h2` that of both.
                fn scaled(f: $complex, g: $complex, f2: $real, h2: $real) -> ($real, $complex, $complex) {
                    if f2 >= h2 * SAFE_MIN {
                        let c = (f2 / h2).sqrt();
                        let r = f / c;
                        let safe = f2 > SAFE_MIN.sqrt() && h2 < (SAFE_MAX / 4.0).sqrt() * 2.0;
                        (c, g.conj() * if safe { f / (f2 * h2).sqrt() } else { r / h2 }, r)
                    } else {
                        // The quotient of the squares may vanish, or its reciprocal overflow.
                        let d = (f2 * h2).sqrt();
                        let c = f2 / d;
                        let r = if c >= SAFE_MIN { f / c } else { f * (h2 / d) };
                        (c, g.conj() * (f / d), r)
                    }
                }

                let root_min = SAFE_MIN.sqrt();
                let largest = |z: $complex| z.re.abs().max(z.im.abs());
                let square = |z: $complex| z.re * z.re + z.im * z.im;
                let zero = Complex::new(0.0, 0.0);
                if g == zero {
                    return Givens { c: 1.0, s: zero, r: f, z: zero };
                }
                let (f1, g1) = (largest(f), largest(g));
                if f == zero {
                    // Of a number with one part the modulus needs no square root. The sum, unlike a maximum, keeps a
                    // NaN.
                    let (s, r) = if g.re == 0.0 || g.im == 0.0 {
                        let modulus = g.re.abs() + g.im.abs();
                        (g.conj() / modulus, modulus)
                    } else if g1 > root_min && g1 < (SAFE_MAX / 2.0).sqrt() {
                        let d = square(g).sqrt();
                        (g.conj() / d, d)
                    } else {
                        let u = g1.clamp(SAFE_MIN, SAFE_MAX);
                        let scaled = g / u;
                        let d = square(scaled).sqrt();
                        (scaled.conj() / d, d * u)
                    };
                    return Givens { c: 0.0, s, r: Complex::new(r, 0.0), z: zero };
                }
                let root_max = (SAFE_MAX / 4.0).sqrt();
                let inside = |x: $real| x > root_min && x < root_max;
                if inside(f1) && inside(g1) {
                    let f2 = square(f);
                    let (c, s, r) = scaled(f, g, f2, f2 + square(g));
                    return Givens { c, s, r, z: zero };
                }
                let u = f1.max(g1).clamp(SAFE_MIN, SAFE_MAX);
                let gs = g / u;
                let g2 = square(gs);
                let (c, s, r, w) = if f1 / u < root_min {
                    // `f` is too small for the scale of `g`, and has one of its own.
                    let v = f1.clamp(SAFE_MIN, SAFE_MAX);
                    let (w, fs) = (v / u, f / v);
                    let f2 = square(fs);
                    let (c, s, r) = scaled(fs, gs, f2, f2 * (w * w) + g2);
                    (c, s, r, w)
                } else {
                    let fs = f / u;
                    let f2 = square(fs);
                    let (c, s, r) = scaled(fs, gs, f2, f2 + g2);
                    (c, s, r, 1.0)
                };
                Givens { c: c * w, s, r: r * u, z: zero }
            }

            fn modified(d1: $real, d2: $real, x1: $real, y1: $real) -> ModifiedGivens<$real> {
                $modified(d1, d2, x1, y1)
            }
        }

        fn $modified(mut d1: $real, mut d2: $real, mut x1: $real, y1: $real) -> ModifiedGivens<$real> {
            /// Steps of scaling: exact, and 24 bits apart.
            const STEP: $real = 4096.0;
            const LARGE: $real = STEP * STEP;
            /// 2⁻²⁴, to the digits that reference BLAS gives it.
            const SMALL: $real = 5.960_464_5e-8;

            let zeros = ModifiedGivens {
                rotation: Rotm::Full { h11: 0.0, h21: 0.0, h12: 0.0, h22: 0.0 },
                d1: 0.0,
                d2: 0.0,
                x1: 0.0,
            };
            if d1 < 0.0 {
                return zeros;
            }
            let p2 = d2 * y1;
            if p2 == 0.0 {
                return ModifiedGivens { rotation: Rotm::Identity, d1, d2, x1 };
            }
            let p1 = d1 * x1;
            let (q1, q2) = (p1 * x1, p2 * y1);
            let mut rotation = if q1.abs() > q2.abs() {
                let (h21, h12) = (-y1 / x1, p2 / p1);
                let u = 1.0 - h12 * h21;
                if u <= 0.0 {
                    // Rounding alone can lead here.
                    return zeros;
                }
                (d1, d2, x1) = (d1 / u, d2 / u, x1 * u);
                Rotm::UnitDiagonal { h21, h12 }
            } else if q2 < 0.0 {
                return zeros;
            } else {
                let (h11, h22) = (p1 / p2, x1 / y1);
                let u = 1.0 + h11 * h22;
                (d1, d2, x1) = (d2 / u, d1 / u, y1 * u);
                Rotm::UnitOffDiagonal { h11, h22 }
            };
            let outside = |d: $real| d != 0.0 && d.is_finite() && (d.abs() <= SMALL || d.abs() >= LARGE);
            while outside(d1) {
                let [mut h11, h21, mut h12, h22] = rotation.elements();
                if d1.abs() <= SMALL {
                    (d1, x1, h11, h12) = (d1 * LARGE, x1 / STEP, h11 / STEP, h12 / STEP);
                } else {
                    (d1, x1, h11, h12) = (d1 / LARGE, x1 * STEP, h11 * STEP, h12 * STEP);
                }
                rotation = Rotm::Full { h11, h21, h12, h22 };
            }
            while outside(d2) {
                let [h11, mut h21, h12, mut h22] = rotation.elements();
                if d2.abs() <= SMALL {
                    (d2, h21, h22) = (d2 * LARGE, h21 / STEP, h22 / STEP);
                } else {
                    (d2, h21, h22) = (d2 / LARGE, h21 * STEP, h22 * STEP);
                }
                rotation = Rotm::Full { h11, h21, h12, h22 };
            }
            ModifiedGivens { rotation, d1, d2, x1 }
        }

        impl Rotm<$real> {
            /// `h11`, `h21`, `h12` and `h22`, those that are understood too.
            fn elements(self) -> [$real; 4] {
                match self {
                    Rotm::Full { h11, h21, h12, h22 } => [h11, h21, h12, h22],
                    Rotm::UnitDiagonal { h21, h12 } => [1.0, h21, h12, 1.0],
                    Rotm::UnitOffDiagonal { h11, h22 } => [h11, -1.0, 1.0, h22],
                    Rotm::Identity => [1.0, 0.0, 0.0, 1.0],
                }
            }
        }
    };
}
rotate!(f32, Complex32, modified_f32);
rotate!(f64, Complex64, modified_f64);

#[cfg(test)]
mod tests;
