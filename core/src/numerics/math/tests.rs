//! The functions against stored values, the standard library's functions of doubles, and what is exact.

use super::Math;
use crate::element::{bf16, f16};
use std::hint::black_box;

const INF32: f32 = f32::INFINITY;
const INF64: f64 = f64::INFINITY;

type Function<T> = fn(T) -> T;

/// The functions of one argument, by their names in the stored values.
fn functions<T: Math>() -> [(&'static str, Function<T>); 17] {
    [
        ("exp", T::exponential),
        ("exp2", T::exponential2),
        ("expm1", T::exponential_minus1),
        ("log", T::logarithm),
        ("log2", T::logarithm2),
        ("log1p", T::logarithm_plus1),
        ("sin", T::sine),
        ("cos", T::cosine),
        ("sinpi", T::sine_pi),
        ("cospi", T::cosine_pi),
        ("tanh", T::hyperbolic_tangent),
        ("sigmoid", T::logistic),
        ("erf", T::error_function),
        ("rsqrt", T::reciprocal_root),
        ("cbrt", T::cube_root),
        ("sin_small", T::sine_small),
        ("cos_small", T::cosine_small),
    ]
}

fn function<T: Math>(name: &str) -> Function<T> {
    functions::<T>().into_iter().find(|&(known, _)| known == name).unwrap().1
}

/// A value by itself takes another way through the code than one in a loop; the bits are the same. Every exponent of `f32` with many
/// fractions, all ends of the short ways, and doubles of all magnitudes. (All 2^32 numbers once, by hand.)
#[test]
fn single_values_are_those_of_loops() {
    fn same<T: Math>(x: T, y: T, is_small: bool, bits: fn(T) -> u64) {
        let pairs: [(&str, T, T); 5] = [
            ("exp", T::exponential(x), T::exponential_straight(x)),
            ("log", T::logarithm(x), T::logarithm_straight(x)),
            ("log2", T::logarithm2(x), T::logarithm2_straight(x)),
            ("cbrt", T::cube_root(x), T::cube_root_straight(x)),
            ("pow", T::power(x, y), T::power_straight(x, y)),
        ];
        for (name, one, straight) in pairs {
            assert_eq!(bits(one), bits(straight), "{name} of {:x} {:x}", bits(x), bits(y));
        }
        if is_small {
            assert_eq!(bits(T::sine(x)), bits(T::sine_small(x)), "sin of {:x}", bits(x));
            assert_eq!(bits(T::cosine(x)), bits(T::cosine_small(x)), "cos of {:x}", bits(x));
        }
    }
    let exponents32 =
        [0.0_f32, -0.0, 1.0, -1.0, 3.0, -2.0, 0.5, 3.7, -41.3, 1e9, -3e38, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let ends32 =
        [0.0_f32, 1.0, 87.0, 88.72284, 103.97208, 160.0, 6.617445e-24, f32::MIN_POSITIVE, f32::MAX, f32::SMALL, INF32];
    let near32 = ends32.iter().flat_map(|end| (0..5).map(move |step| (end.to_bits() + step).saturating_sub(2)));
    for (i, bits) in near32.chain((0..=u32::MAX).step_by(4099)).enumerate() {
        let x = f32::from_bits(bits);
        for x in [x, -x] {
            same(x, exponents32[i % exponents32.len()], x.is_nan() || x.abs() <= f32::SMALL, |x| {
                u64::from(x.to_bits())
            });
        }
    }
    // Where the product with the logarithm is at the end of the short way, and beside 1.
    for (i, x) in [1e-40_f32, 3e-9, 0.7, 0.9999999, 1.0, 1.0000001, 1.5, 7.3e11, 3e38].into_iter().enumerate() {
        let ends = [160.0, -160.0, 127.9999, -149.5, -126.0].map(|end| (end / f64::from(x).log2()) as f32);
        for y in ends
            .into_iter()
            .filter(|y| y.is_finite())
            .flat_map(|y| (0..9).map(move |step| f32::from_bits(y.to_bits() + step - 4)))
        {
            same(x, y, i < 7, |x| u64::from(x.to_bits()));
        }
        exponents32.into_iter().for_each(|y| same(x, y, i < 7, |x| u64::from(x.to_bits())));
    }
    let exponents64 =
        [0.0_f64, -0.0, 1.0, -1.0, 3.0, -2.0, 0.5, 3.7, -41.3, 1e9, -3e38, 1e300, INF64, -INF64, f64::NAN];
    for x in [1e-300_f64, 0.7, 1.0 - f64::EPSILON / 2.0, 1.0, 1.0 + f64::EPSILON, 1.5, 7.3e211] {
        for y in [700.0, -700.0, 709.9, -745.0].map(|end| end / x.ln()).into_iter().filter(|y| y.is_finite()) {
            (0..9).for_each(|step| same(x, f64::from_bits(y.to_bits() + step - 4), x < 1e9, f64::to_bits));
        }
        exponents64.into_iter().chain([2f64.powi(64), -2f64.powi(70)]).for_each(|y| same(x, y, x < 1e9, f64::to_bits));
    }
    let ends64 = [0.0_f64, 1.0, 700.0, 708.0, 709.782712893384, 745.2, f64::MIN_POSITIVE, f64::MAX, f64::SMALL, INF64];
    let near64 = ends64.iter().flat_map(|end| (0..5).map(move |step| (end.to_bits() + step).saturating_sub(2)));
    for (i, bits) in near64.chain((0..=u64::MAX).step_by(0x0000_2000_3039_1234)).enumerate() {
        let x = f64::from_bits(bits);
        for x in [x, -x] {
            same(x, exponents64[i % exponents64.len()], x.is_nan() || x.abs() <= f64::SMALL, f64::to_bits);
        }
    }
}

/// Powers that are powers of two are exact, and halves of the least number go to even: 2^−150 to 0.
#[test]
fn powers_of_two_are_exact() {
    for n in -160_i16..=140 {
        let exact = 2f64.powi(n.into()) as f32;
        for (base, exponent) in
            [(2.0, f32::from(n)), (0.5, f32::from(-n)), (4.0, 0.5 * f32::from(n)), (0.25, -0.5 * f32::from(n))]
        {
            assert_eq!(f32::power(base, exponent), exact, "{base}^{exponent}");
        }
        assert_eq!(f32::exponential2(f32::from(n)), exact, "2^{n}");
    }
}

/// The unit in the last place of `precision` bits at `exact`.
fn unit(exact: f64, precision: i32, smallest_exponent: i32) -> f64 {
    let exponent = ((exact.to_bits() >> 52) & 2047) as i32 - 1023;
    2f64.powi(exponent.max(smallest_exponent) - precision + 1)
}

/// The error of `got` in units of the last place of an `f32`; of infinities, NaNs and zeros, 0 or infinite.
fn error32(got: f32, exact: f64) -> f64 {
    let overflows = exact.abs() >= 2f64.powi(128) && got.is_infinite();
    if exact.is_nan() || exact == 0.0 || overflows {
        let expected = if exact.is_nan() { f32::from_bits(0x7fc0_0000) } else { exact as f32 };
        return if got.to_bits() == expected.to_bits() { 0.0 } else { INF64 };
    }
    (f64::from(got) - exact).abs() / unit(exact, 24, -126)
}

/// Stored results to the bit, and the error of those against the stored true values.
#[test]
fn stored_values_in_single_precision() {
    for line in include_str!("tests/values32.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let single = |i: usize| f32::from_bits(u32::from_str_radix(fields[i], 16).unwrap());
        let exact = f64::from_bits(u64::from_str_radix(fields[4], 16).unwrap());
        let a = black_box(single(1));
        let got = if fields[0] == "pow" { f32::power(a, black_box(single(2))) } else { function::<f32>(fields[0])(a) };
        assert_eq!(got.to_bits(), single(3).to_bits(), "{line}");
        assert!(error32(got, exact) <= if fields[0] == "pow" { 2.0 } else { 1.0 }, "{line}");
    }
}

/// As above, among them hard cases: arguments of sine and cosine nearest to multiples of π/2 (J.-M. Muller, "Elementary Functions"),
/// and results that are nearly halfway between two doubles (V. Lefèvre and J.-M. Muller, "Worst cases for correct rounding", 2001).
#[test]
fn stored_values_in_double_precision() {
    for line in include_str!("tests/values64.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let double = |i: usize| f64::from_bits(u64::from_str_radix(fields[i], 16).unwrap());
        let a = black_box(double(1));
        let got = if fields[0] == "pow" { f64::power(a, black_box(double(2))) } else { function::<f64>(fields[0])(a) };
        assert_eq!(got.to_bits(), double(3).to_bits(), "{line}");
        // By steps, because the unit of a denormal is none to divide by.
        let error = ((got - double(4)) - double(5)) / unit(double(4), 53, -970);
        let smaller = (-970 - ((double(4).to_bits() >> 52) as i32 & 2047) + 1023).clamp(0, 52);
        assert!((error * 2f64.powi(smaller)).abs() <= if fields[0] == "pow" { 2.0 } else { 1.0 }, "{line}");
    }
}

fn specials<T: Math>(name: &str, pairs: &[(T, T)]) {
    for &(a, expected) in pairs {
        let got = function::<T>(name)(black_box(a));
        assert_eq!(bytemuck::bytes_of(&got), bytemuck::bytes_of(&expected), "{name} of {a:?} is {got:?}");
    }
}

macro_rules! special_values {
    ($name:ident, $t:ident, $inf:ident, $max:expr, $tiny:expr) => {
        /// C99, Annex F: limits, exact results, zeros with their signs, the smallest denormals.
        #[test]
        fn $name() {
            let nan = $t::NAN;
            let tiny = $t::from_bits(1);
            specials::<$t>(
                "exp",
                &[(0.0, 1.0), (-0.0, 1.0), ($inf, $inf), (-$inf, 0.0), ($max, $inf), (-$max, 0.0), (tiny, 1.0)],
            );
            specials::<$t>(
                "exp2",
                &[(0.0, 1.0), (-0.0, 1.0), ($inf, $inf), (-$inf, 0.0), ($max, $inf), (3.0, 8.0), (-2.0, 0.25)],
            );
            specials::<$t>(
                "expm1",
                &[(0.0, 0.0), (-0.0, -0.0), ($inf, $inf), (-$inf, -1.0), ($max, $inf), (tiny, tiny)],
            );
            specials::<$t>(
                "log",
                &[(1.0, 0.0), (0.0, -$inf), (-0.0, -$inf), ($inf, $inf), (-$inf, nan), (-1.0, nan), (-tiny, nan)],
            );
            specials::<$t>(
                "log2",
                &[(1.0, 0.0), (0.0, -$inf), (-0.0, -$inf), ($inf, $inf), (-1.0, nan), (8.0, 3.0), (tiny, $tiny)],
            );
            specials::<$t>(
                "log1p",
                &[(0.0, 0.0), (-0.0, -0.0), (-1.0, -$inf), ($inf, $inf), (-1.5, nan), (-$inf, nan), (-tiny, -tiny)],
            );
            specials::<$t>("sin", &[(0.0, 0.0), (-0.0, -0.0), ($inf, nan), (-$inf, nan), (tiny, tiny), (-tiny, -tiny)]);
            specials::<$t>("cos", &[(0.0, 1.0), (-0.0, 1.0), ($inf, nan), (-$inf, nan), (tiny, 1.0)]);
            specials::<$t>(
                "sinpi",
                &[
                    (0.0, 0.0),
                    (-0.0, -0.0),
                    (1.0, 0.0),
                    (-1.0, -0.0),
                    (2.0, 0.0),
                    (0.5, 1.0),
                    (1.5, -1.0),
                    (-2.5, -1.0),
                ],
            );
            specials::<$t>("sinpi", &[($inf, nan), (-$inf, nan), ($max, 0.0), (-$max, -0.0)]);
            specials::<$t>(
                "cospi",
                &[(0.0, 1.0), (-0.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (0.5, 0.0), (-0.5, 0.0), (1.5, 0.0), (-2.0, 1.0)],
            );
            specials::<$t>(
                "cospi",
                &[($inf, nan), (-$inf, nan), ($max, 1.0), (1.0 / $t::EPSILON, 1.0), (1.0 / $t::EPSILON + 1.0, -1.0)],
            );
            specials::<$t>(
                "tanh",
                &[(0.0, 0.0), (-0.0, -0.0), ($inf, 1.0), (-$inf, -1.0), ($max, 1.0), (tiny, tiny), (-tiny, -tiny)],
            );
            specials::<$t>(
                "sigmoid",
                &[(0.0, 0.5), (-0.0, 0.5), ($inf, 1.0), (-$inf, 0.0), ($max, 1.0), (-$max, 0.0), (tiny, 0.5)],
            );
            specials::<$t>("erf", &[(0.0, 0.0), (-0.0, -0.0), ($inf, 1.0), (-$inf, -1.0), ($max, 1.0), (tiny, tiny)]);
            specials::<$t>(
                "rsqrt",
                &[(0.0, $inf), (-0.0, -$inf), ($inf, 0.0), (-$inf, nan), (-1.0, nan), (4.0, 0.5), (0.0625, 4.0)],
            );
            specials::<$t>(
                "cbrt",
                &[(0.0, 0.0), (-0.0, -0.0), ($inf, $inf), (-$inf, -$inf), (-27.0, -3.0), (0.125, 0.5)],
            );
        }
    };
}
special_values!(special_values_in_single_precision, f32, INF32, f32::MAX, -149.0);
special_values!(special_values_in_double_precision, f64, INF64, f64::MAX, -1074.0);

macro_rules! power_table {
    ($name:ident, $t:ident, $inf:ident) => {
        /// C99, F.9.4.4.
        #[test]
        fn $name() {
            let nan = $t::NAN;
            let (tiny, huge, largest_odd) = ($t::from_bits(1), $t::MAX, 2.0 / $t::EPSILON - 1.0);
            #[rustfmt::skip]
            let table: &[($t, $t, $t)] = &[
                (0.0, -3.0, $inf), (-0.0, -3.0, -$inf), (0.0, -2.5, $inf), (-0.0, -2.5, $inf), (-0.0, -2.0, $inf),
                (-0.0, -$inf, $inf), (0.0, 3.0, 0.0), (-0.0, 3.0, -0.0), (0.0, 2.5, 0.0), (-0.0, 2.5, 0.0),
                (-0.0, 4.0, 0.0), (-1.0, $inf, 1.0), (-1.0, -$inf, 1.0), (1.0, nan, 1.0), (1.0, $inf, 1.0),
                (nan, 0.0, 1.0), (nan, -0.0, 1.0), ($inf, 0.0, 1.0), (0.0, 0.0, 1.0), (-8.0, 1.0 / 3.0, nan),
                (-2.0, 0.5, nan), (-tiny, 1.5, nan), (-huge, 0.5, nan), (0.5, -$inf, $inf), (-0.5, -$inf, $inf),
                (2.0, -$inf, 0.0), (0.5, $inf, 0.0), (-0.5, $inf, 0.0), (-2.0, $inf, $inf), (-$inf, -3.0, -0.0),
                (-$inf, -2.5, 0.0), (-$inf, -4.0, 0.0), (-$inf, 3.0, -$inf), (-$inf, 2.5, $inf), (-$inf, 4.0, $inf),
                ($inf, -tiny, 0.0), ($inf, tiny, $inf), (0.0, tiny, 0.0), (0.0, -tiny, $inf), (nan, 1.0, nan),
                (2.0, nan, nan), (-1.0, largest_odd, -1.0), (-1.0, largest_odd + 1.0, 1.0), (-1.0, huge, 1.0),
                (huge, huge, $inf), (tiny, huge, 0.0), (-huge, largest_odd, -$inf), (-tiny, largest_odd, -0.0),
                (huge, tiny, 1.0), (-3.0, 3.0, -27.0), (2.0, -1.0, 0.5), (10.0, 3.0, 1000.0), (-1.5, 2.0, 2.25),
                (0.25, 0.5, 0.5), (7.0, 1.0, 7.0), (tiny, 1.0, tiny), (-huge, 1.0, -huge),
            ];
            for &(a, b, expected) in table {
                let got = $t::power(black_box(a), black_box(b));
                assert_eq!(got.to_bits(), expected.to_bits(), "{a:e} to the power of {b:e} is {got:e}");
            }
        }
    };
}
power_table!(powers_of_special_values_in_single_precision, f32, INF32);
power_table!(powers_of_special_values_in_double_precision, f64, INF64);

/// Of any NaN, the canonical one: alone and in a loop.
#[test]
fn nan_is_canonical() {
    fn check<T: Math>(nans: &[T], canonical: T) {
        let same = |got: T, name: &str| assert_eq!(bytemuck::bytes_of(&got), bytemuck::bytes_of(&canonical), "{name}");
        for (name, function) in functions::<T>() {
            let mut line = black_box(vec![nans[0]; 40]);
            for (i, &nan) in nans.iter().enumerate() {
                same(function(black_box(nan)), name);
                line[i] = nan;
            }
            line.iter_mut().for_each(|a| *a = function(*a));
            black_box(line).into_iter().for_each(|got| same(got, name));
        }
        for &nan in nans {
            same(T::power(black_box(nan), black_box(nan)), "pow");
            same(T::power(black_box(T::ZERO), black_box(nan)), "pow");
            let (sine, cosine) = T::sine_cosine_pi(black_box(nan));
            same(sine, "sinpi");
            same(cosine, "cospi");
        }
    }
    check(
        &[0x7f80_0001, 0x7fff_ffff, 0xff80_0001, 0xffc0_0000, u32::MAX, 0x7fc0_0001].map(f32::from_bits),
        f32::from_bits(0x7fc0_0000),
    );
    let wide = [0x7ff0_0000_0000_0001, 0xfff0_0000_0000_0001, 0xfff8_0000_0000_0000, u64::MAX, 0x7ff8_0000_0000_0001];
    check(&wide.map(f64::from_bits), f64::from_bits(0x7ff8_0000_0000_0000));
    check(&[0x7c01, 0xfe00, 0xffff, 0x7e01].map(f16::from_bits), f16::from_bits(0x7e00));
    check(&[0x7f81, 0xffc0, 0xffff, 0x7fc1].map(bf16::from_bits), bf16::from_bits(0x7fc0));
}

/// sin or cos of `quarters` · π/2 more than πx, with an exact reduction.
fn reference_pi(x: f64, quarters: i64) -> f64 {
    let y = x - 2.0 * (x / 2.0).round();
    let n = (2.0 * y).round();
    let r = (y - n / 2.0) * std::f64::consts::PI;
    let value = match (n as i64 + quarters).rem_euclid(4) {
        0 => r.sin(),
        1 => r.cos(),
        2 => -r.sin(),
        _ => -r.cos(),
    };
    if value != 0.0 {
        value
    } else if quarters == 0 {
        0f64.copysign(x)
    } else {
        0.0
    }
}

/// The function in double precision, by the standard library; the error function by our own, which has its stored values.
fn reference(name: &str, x: f64) -> f64 {
    let positive = |x: f64, value: f64| if x < 0.0 { f64::NAN } else { value };
    match name {
        "exp" => x.exp(),
        "exp2" => x.exp2(),
        "expm1" => x.exp_m1(),
        "log" => positive(x, x.ln()),
        "log2" => positive(x, x.log2()),
        "log1p" => positive(x + 1.0, x.ln_1p()),
        "sin" | "sin_small" => x.sin(),
        "cos" | "cos_small" => x.cos(),
        "sinpi" if x.is_infinite() => f64::NAN,
        "cospi" if x.is_infinite() => f64::NAN,
        "sinpi" => reference_pi(x, 0),
        "cospi" => reference_pi(x, 1),
        "tanh" => x.tanh(),
        "sigmoid" => 1.0 / (1.0 + (-x).exp()),
        "erf" => f64::error_function(x),
        "rsqrt" => positive(x, 1.0 / x.sqrt()),
        "cbrt" => x.cbrt(),
        _ => panic!("no such function: {name}"),
    }
}

/// Every 2^17th number or so, and many around 1. (All of them have been tried, by a command.)
#[test]
fn single_precision_against_double() {
    for (name, function) in functions::<f32>() {
        let spread = (0..32_768u32).map(|i| i.wrapping_mul(0x0002_0001));
        let ordinary = (0..16_384u32).map(|i| (0x3c00_0000 + i * 0x1b67) | (i & 1) << 31);
        for bits in spread.chain(ordinary) {
            let x = f32::from_bits(bits);
            if name.ends_with("_small") && (x.abs() > f32::SMALL) {
                continue;
            }
            let error = error32(function(x), reference(name, f64::from(x)));
            assert!(error <= 1.0, "{name} of {x:e} is {:e}, wrong by {error}", function(x));
        }
    }
}

/// Powers of single precision against doubles.
#[test]
fn single_precision_powers_against_double() {
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    for i in 0..40_000 {
        let x = (random() * 277.0 - 149.0).exp2() as f32;
        let near = (1.0 + (random() - 0.5) * (-random() * 20.0).exp2()) as f32;
        let x = if i % 2 == 0 { x } else { near };
        let y = ((random() * 290.0 - 155.0) / f64::from(x).log2()) as f32;
        let error = error32(f32::power(x, y), f64::from(x).powf(f64::from(y)));
        assert!(
            error <= 1.0 || !y.is_finite(),
            "{x:e} to the power of {y:e} is {:e}, wrong by {error}",
            f32::power(x, y)
        );
    }
}

/// Every number of both types: half a unit in the last place, and what an error of one unit of `f32` adds to that.
#[test]
fn sixteen_bits_exhaustively() {
    fn check<T: Math + Into<f64>>(from_bits: fn(u16) -> T, precision: i32, smallest_exponent: i32, greatest: f64) {
        for (name, function) in functions::<T>() {
            for x in (0..=u16::MAX).map(from_bits) {
                let wide: f64 = x.into();
                if wide.is_nan() || (name.ends_with("_small") && wide.abs() > T::SMALL.into()) {
                    continue;
                }
                let (got, exact): (f64, f64) = (function(x).into(), reference(name, wide));
                if exact.is_nan() || exact == 0.0 || exact.is_infinite() {
                    assert!(got.is_nan() && exact.is_nan() || got == exact, "{name} of {wide:e} is {got:e}");
                    continue;
                }
                let right = if got.is_infinite() {
                    exact.abs() >= greatest + 0.4998 * unit(greatest, precision, smallest_exponent)
                } else {
                    (got - exact).abs() <= 0.5002 * unit(exact, precision, smallest_exponent)
                };
                assert!(
                    right && got.is_sign_negative() == exact.is_sign_negative(),
                    "{name} of {wide:e} is {got:e}, not {exact:e}"
                );
            }
        }
    }
    check(f16::from_bits, 11, -14, 65504.0);
    assert_eq!(f16::power(f16::from_bits(0x4200), f16::from_bits(0x4000)).to_bits(), 0x4880);
    assert_eq!(bf16::power(bf16::from_bits(0x4040), bf16::from_bits(0x4000)).to_bits(), 0x4110);
    check(bf16::from_bits, 8, -126, f64::from(f32::from_bits(0x7f7f_0000)));
}

macro_rules! exact_results {
    ($name:ident, $t:ident, $bits:ty, $low:literal, $high:literal) => {
        /// Powers of two, cubes, squares; odd functions; and the functions for small arguments, which are the others to the bit.
        #[test]
        fn $name() {
            for n in $low..$high {
                let power = (2 as $t).powi(n / 2) * (2 as $t).powi(n - n / 2);
                assert_eq!($t::exponential2(n as $t), power);
                assert_eq!($t::logarithm2(power), n as $t);
                assert_eq!($t::power(2.0, n as $t), power);
                if n % 2 == 0 && power > $t::MIN_POSITIVE {
                    assert_eq!($t::reciprocal_root(power), (2 as $t).powi(-n / 2));
                }
            }
            for n in 1..200 {
                let x = n as $t;
                assert_eq!(($t::cube_root(x * x * x), $t::power(x, 2.0), $t::power(x, 1.0)), (x, x * x, x));
                assert_eq!(($t::sine_pi(x), $t::cosine_pi(x + 0.5)), (0.0, 0.0));
            }
            for i in 0..4000 {
                let x = (0.37 as $t + i as $t).powi(3) * 1e-7;
                for name in ["sin", "sinpi", "tanh", "erf", "cbrt"] {
                    let f = function::<$t>(name);
                    assert_eq!(f(-x).to_bits(), (-f(x)).to_bits(), "{name} of {x:e}");
                }
                for name in ["cos", "cospi"] {
                    let f = function::<$t>(name);
                    assert_eq!(f(-x).to_bits(), f(x).to_bits(), "{name} of {x:e}");
                }
                assert_eq!($t::sine_small(x).to_bits(), $t::sine(x).to_bits());
                assert_eq!($t::cosine_small(x).to_bits(), $t::cosine(x).to_bits());
                assert_eq!($t::sine_cosine_pi(x), ($t::sine_pi(x), $t::cosine_pi(x)));
                // In steps wider than an error.
                let next = <$t>::from_bits(x.to_bits() + 8);
                for name in ["exp", "expm1", "log", "log1p", "tanh", "erf", "sigmoid", "cbrt"] {
                    let f = function::<$t>(name);
                    assert!(f(next) >= f(x), "{name} of {x:e}");
                }
            }
        }
    };
}
exact_results!(exact_results_in_single_precision, f32, u32, -149, 128);
exact_results!(exact_results_in_double_precision, f64, u64, -1074, 1024);
