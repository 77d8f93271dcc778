//! Rotations against published values, against arithmetic of higher precision, and at the ends of the range.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use crate::element::Complex;

/// The table of reference BLAS's test program (`dblat1`, routine `CHECK0`), with its sign of `r`.
#[test]
fn published_rotations() {
    let table = [
        (0.3, 0.4, 0.6, 0.8, 0.5, 1.0 / 0.6),
        (0.4, 0.3, 0.8, 0.6, 0.5, 0.6),
        (-0.3, 0.4, -0.6, 0.8, 0.5, -1.0 / 0.6),
        (-0.4, 0.3, 0.8, -0.6, -0.5, -0.6),
        (-0.3, -0.4, 0.6, 0.8, -0.5, 1.0 / 0.6),
        (0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
        (0.0, 1.0, 0.0, 1.0, 1.0, 1.0),
        (1.0, 0.0, 1.0, 0.0, 1.0, 0.0),
    ];
    for (a, b, c, s, r, z) in table {
        let got = rotg::<f64>(a, b);
        for (got, want) in [(got.c, c), (got.s, s), (got.r, r), (got.z(), z)] {
            assert!((got - want).abs() <= 4.0 * f64::EPSILON * want.abs(), "rotg({a}, {b}): {got} for {want}");
        }
    }
}

/// The same program's table for `rotmg`: `d1`, `d2`, `x1`, `y1`; then the new `d1`, `d2`, `x1`, and the rotation.
#[test]
fn published_modified_rotations() {
    const G: f64 = 4096.0;
    let full = |h11, h21, h12, h22| Rotm::Full { h11, h21, h12, h22 };
    let unit_diagonal = |h21, h12| Rotm::UnitDiagonal { h21, h12 };
    let unit_off_diagonal = |h11, h22| Rotm::UnitOffDiagonal { h11, h22 };
    let table = [
        ([0.1, 0.3, 1.2, 0.2], [12.0 / 130.0, 36.0 / 130.0, 1.3], unit_diagonal(-1.0 / 6.0, 0.5)),
        ([0.7, 0.2, 0.6, 4.2], [14.0 / 75.0, 49.0 / 75.0, 4.5], unit_off_diagonal(0.5, 1.0 / 7.0)),
        ([0.0; 4], [0.0; 3], Rotm::Identity),
        ([4.0, -1.0, 2.0, 4.0], [0.0; 3], full(0.0, 0.0, 0.0, 0.0)),
        (
            [6e-10, 2e-2, 1e5, 10.0],
            [45e-11 * G * G, 15e-3, 4e5 / (3.0 * G)],
            full(1.0 / G, -1e-4, 1e4 / (3.0 * G), 1.0),
        ),
        ([4e10, 2e-2, 1e-5, 10.0], [4e10 / (1.5 * G * G), 2e-2 / 1.5, 6.144e-2], full(G, -1e6, 5e-7 * G, 1.0)),
        ([2e-10, 4e-2, 1e5, 10.0], [4.0 / 150.0, 2e-10 / 1.5 * G * G, 15.0], full(5e-5, -1.0 / G, 1.0, 1e4 / G)),
        ([2e10, 4e-2, 1e-5, 10.0], [4.0 / 150.0, 2e10 / (1.5 * G * G), 15.0], full(5e5, -G, 1.0, 4.096e-3)),
        ([4.0, -2.0, 8.0, 4.0], [32.0 / 7.0, -16.0 / 7.0, 7.0], unit_diagonal(-0.5, -0.25)),
    ];
    for ([d1, d2, x1, y1], want, rotation) in table {
        let got = rotmg::<f64>(d1, d2, x1, y1);
        assert_eq!(std::mem::discriminant(&got.rotation), std::mem::discriminant(&rotation), "{got:?}");
        let numbers = got.rotation.elements().into_iter().chain([got.d1, got.d2, got.x1]);
        for (got, want) in numbers.zip(rotation.elements().into_iter().chain(want)) {
            assert!(
                (got - want).abs() <= 8.0 * f64::EPSILON * want.abs(),
                "rotmg of {d1}, {d2}, {x1}, {y1}: {got}, {want}"
            );
        }
    }
}

/// What a modified rotation is for: `H · (x1, y1)` is (`x1` new, 0), and `H` keeps the norm that `d1` and `d2` make, for numbers so
/// far apart that several steps of scaling follow each other.
#[test]
fn modified_rotations_rotate() {
    for exponents in [[0, 0, 0, 0], [-80, 3, 40, 1], [90, -90, 1, 60], [-100, -100, 30, 30], [60, 60, -20, -20]] {
        for (f1, f2, g1, g2) in [(1.25, 1.5, 1.0, 1.75), (1.0, 1.0, 1.5, -1.5), (1.5, 1.125, -1.0, 1.0)] {
            let [e1, e2, e3, e4] = exponents;
            let (d1, d2) = (f1 * 2f64.powi(e1), f2 * 2f64.powi(e2));
            let (x1, y1) = (g1 * 2f64.powi(e3), g2 * 2f64.powi(e4));
            let got = rotmg::<f64>(d1, d2, x1, y1);
            let [h11, h21, h12, h22] = got.rotation.elements();
            let (x, y) = (h11 * x1 + h12 * y1, h21 * x1 + h22 * y1);
            let what = format!("{d1:e}, {d2:e}, {x1:e}, {y1:e}: {got:?}");
            assert!((x - got.x1).abs() <= 1e-14 * got.x1.abs(), "{what}");
            assert!(y.abs() <= 1e-14 * (h21 * x1).abs().max((h22 * y1).abs()), "{what}");
            let (before, after) = (d1 * x1 * x1 + d2 * y1 * y1, got.d1 * got.x1 * got.x1);
            assert!((before - after).abs() <= 1e-13 * before, "{what}");
            assert!([got.d1, got.d2].iter().all(|d| (6e-8..16_777_216.0).contains(&d.abs()) || *d == 0.0), "{what}");
        }
    }
}

#[test]
fn modified_rotations_of_numbers_without_end() {
    // Nothing scales an infinity, and a NaN is no zero.
    for special in [f32::INFINITY, f32::NAN] {
        for place in 0..4 {
            let mut x = [1.5f32, 0.5, 2.0, 1.0];
            x[place] = special;
            let got = rotmg(x[0], x[1], x[2], x[3]);
            assert!(![got.d1, got.d2, got.x1].iter().all(|x| x.is_finite()), "{x:?}: {got:?}");
        }
    }
    assert_eq!(rotmg(-1.0, 1.0, 1.0, 1.0).rotation, Rotm::Full { h11: 0.0, h21: 0.0, h12: 0.0, h22: 0.0 });
    assert_eq!(rotmg(1.0, 1.0, 1.0, 0.0).rotation, Rotm::Identity);
}

/// `f32` at every pair of exponents, against `f64`, in which nothing of it overflows or vanishes.
#[test]
fn real_rotations_at_every_scale() {
    for i in (-149..=127).step_by(3) {
        for j in (-149..=127).step_by(7) {
            let (a, b) = ((1.3 * 2f64.powi(i)) as f32, (-1.7 * 2f64.powi(j)) as f32);
            let got = rotg(a, b);
            let (x, y) = (f64::from(a), f64::from(b));
            let r = x.hypot(y).copysign(if x.abs() > y.abs() { x } else { y });
            near(f64::from(got.c), x / r, &format!("c of {a:e}, {b:e}"));
            near(f64::from(got.s), y / r, &format!("s of {a:e}, {b:e}"));
            near(f64::from(got.r), r, &format!("r of {a:e}, {b:e}"));
        }
    }
}

/// Eight units in the last place of `f32`, or of its smallest number.
#[track_caller]
fn near(got: f64, want: f64, what: &str) {
    let infinite = want.abs() > f64::from(f32::MAX) && got.is_infinite();
    assert!(
        infinite || (got - want).abs() <= 8.0 * (2f64.powi(-24) * want.abs() + 2f64.powi(-149)),
        "{what}: {got:e}, {want:e}"
    );
}

/// Complex `f32` likewise: `c = |f| / d`, `s = conj(g) · f / (|f| · d)`, `r = f · d / |f|` with `d² = |f|² + |g|²`.
#[test]
fn complex_rotations_at_every_scale() {
    let number = |re: f64, im: f64, exponent: i32| {
        let scale = 2f64.powi(exponent);
        Complex::new((re * scale) as f32, (im * scale) as f32)
    };
    for i in (-149..=126).step_by(5) {
        for j in (-149..=126).step_by(7) {
            for (f, g) in [([1.3, -0.9], [0.8, 1.7]), ([0.0, 1.5], [-1.25, 0.0]), ([1.0, 1e-20], [1e-20, -1.0])] {
                let (f, g) = (number(f[0], f[1], i), number(g[0], g[1], j));
                let got = rotg(f, g);
                let wide = |z: Complex32| Complex64::new(z.re.into(), z.im.into());
                let (f64s, g64s) = (wide(f), wide(g));
                let (size, other) = (f64s.re.hypot(f64s.im), g64s.re.hypot(g64s.im));
                if other == 0.0 {
                    assert_eq!((got.c, got.s, got.r), (1.0, Complex::new(0.0, 0.0), f));
                    continue;
                }
                let d = size.hypot(other);
                let (c, s, r) = match size == 0.0 {
                    true => (0.0, g64s.conj() / other, Complex64::new(other, 0.0)),
                    false => (size / d, g64s.conj() * (f64s / size) / d, f64s / size * d),
                };
                let what = format!("{f}, {g}");
                near(f64::from(got.c), c, &format!("c of {what}"));
                for (got, want, what) in [(wide(got.s), s, "s"), (wide(got.r), r, "r")] {
                    let error = (got - want).re.hypot((got - want).im);
                    let size = want.re.hypot(want.im);
                    assert!(
                        error <= 8.0 * (2f64.powi(-24) * size + 2f64.powi(-149)),
                        "{what} of {f}, {g}: {got}, {want}"
                    );
                }
            }
        }
    }
}

/// A power of 2 in front of both numbers is one in front of `r`, and of nothing else, up to the ends of the range.
#[test]
fn double_rotations_scale() {
    let (a, b) = (1.3, 0.7);
    let (f, g) = (Complex64::new(1.3, -0.4), Complex64::new(-0.2, 0.9));
    let (real, complex) = (rotg(a, b), rotg(f, g));
    let close = |x: f64, y: f64| (x - y).abs() <= 4.0 * f64::EPSILON * y.abs() + 2f64.powi(-1073);
    for exponent in (-1021..=1022).chain([-1022, 1022]) {
        // In two steps: a power of 2 below the normal numbers is rounded.
        let by = |x: f64| x * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
        let got = rotg(by(a), by(b));
        assert!(close(got.c, real.c) && close(got.s, real.s) && close(got.r, by(real.r)), "{exponent}: {got:?}");
        let each = |z: Complex64| Complex64::new(by(z.re), by(z.im));
        let got = rotg(each(f), each(g));
        let close_by_parts = |x: Complex64, y: Complex64| close(x.re, y.re) && close(x.im, y.im);
        assert!(close(got.c, complex.c) && close_by_parts(got.s, complex.s), "{exponent}: {got:?}");
        assert!(close_by_parts(got.r, each(complex.r)), "{exponent}: {got:?}");
    }
    // The modulus of two numbers that are each near the end is beyond it; their directions are not.
    let got = rotg(f64::MAX, f64::MAX);
    assert!(got.r.is_infinite() && close(got.c, 0.5f64.sqrt()) && close(got.s, 0.5f64.sqrt()), "{got:?}");
}

#[test]
fn nan_goes_through() {
    let nan = f64::NAN;
    for got in [rotg(nan, 1.0), rotg(1.0, nan), rotg(nan, nan)] {
        assert!(got.c.is_nan() && got.s.is_nan() && got.r.is_nan(), "{got:?}");
    }
    let pairs =
        [((nan, 1.0), (1.0, 1.0)), ((1.0, 1.0), (1.0, nan)), ((1.0, nan), (0.5, 0.0)), ((nan, 0.0), (0.0, 1.0))];
    let beside_zero = [(nan, 0.0), (0.0, nan), (nan, 1.0), (nan, nan)].map(|g| ((0.0, 0.0), g));
    for (f, g) in pairs.into_iter().chain(beside_zero) {
        let got = rotg(Complex64::new(f.0, f.1), Complex64::new(g.0, g.1));
        assert!(got.r.re.is_nan() && got.s.re.is_nan(), "{f:?} {g:?}: {got:?}");
    }
    assert!(rotg(nan, 0.0).r.is_nan());
}
