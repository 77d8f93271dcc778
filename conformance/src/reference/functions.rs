//! Elementary functions in twice the precision of `f64`, by series and Newton's iteration: nothing of the definitions they are
//! compared with, but for a first approximation from the standard library where an iteration follows.
//!
//! Arguments are finite and such that neither the result nor what it is made of overflows or becomes denormal. The relative
//! error is some units of 2⁻⁹⁶, but for the sine and cosine next to their zeros.

use super::double::Double;
use warpwave_core::{BinaryOp, UnaryOp};

const LN_2: Double = Double { high: std::f64::consts::LN_2, low: 2.3190468138462996e-17 };
const PI: Double = Double { high: std::f64::consts::PI, low: 1.2246467991473532e-16 };
/// What is left of π/2 after two numbers.
const HALF_PI_REST: f64 = -1.4973849048591698e-33;
const TWO_BY_ROOT_PI: Double = Double { high: std::f64::consts::FRAC_2_SQRT_PI, low: 1.533545961316588e-17 };

/// `op x`; `None` if it is no elementary function.
pub(crate) fn unary(op: UnaryOp, x: f64) -> Option<Double> {
    let wide = Double::from(x);
    Some(match op {
        UnaryOp::Exp => exp(wide),
        UnaryOp::Exp2 => {
            let whole = x.round();
            scaled(exp(Double::from(x - whole) * LN_2), whole)
        }
        // Below, nothing is left of the exponential.
        UnaryOp::Expm1 => exp_minus1(Double::from(x.max(-700.0))),
        UnaryOp::Log => log(wide),
        UnaryOp::Log2 => log(wide) / LN_2,
        UnaryOp::Log1p if x.abs() < 0.25 => log_near_1(wide),
        UnaryOp::Log1p => log(Double::sum(1.0, x)),
        UnaryOp::Sin => sine(wide, 0),
        UnaryOp::Cos => sine(wide, 1),
        UnaryOp::Sinpi => sine_pi(x, 0),
        UnaryOp::Cospi => sine_pi(x, 1),
        UnaryOp::Tanh => {
            // From 350 on the quotient is 1 and does not change.
            let t = exp_minus1(Double::from(2.0 * x.clamp(-350.0, 350.0)));
            t / (t + Double::from(2.0))
        }
        UnaryOp::Sigmoid => Double::ONE / (Double::ONE + exp(Double::from(-x.clamp(-700.0, 700.0)))),
        UnaryOp::Erf => error_function(x),
        UnaryOp::Rsqrt => Double::ONE / wide.sqrt(),
        UnaryOp::Cbrt => {
            let y = Double::from(x.cbrt());
            y - (y * y * y - wide) / (Double::from(3.0) * y * y)
        }
        _ => return None,
    })
}

/// `a op b`; `None` if it is no elementary function.
pub(crate) fn binary(op: BinaryOp, a: f64, b: f64) -> Option<Double> {
    match op {
        BinaryOp::Pow => Some(exp(Double::from(b) * log(Double::from(a)))),
        _ => None,
    }
}

/// `x` · 2ⁿ.
fn scaled(x: Double, n: f64) -> Double {
    // Two steps, because 2ⁿ itself may be out of range.
    let half = (n / 2.0).trunc();
    let (first, second) = (half.exp2(), (n - half).exp2());
    Double { high: x.high * first * second, low: x.low * first * second }
}

/// The sum of a series whose first term is `term`, and whose term `n` is the one before it times `next(n)`.
fn series(mut term: Double, next: impl Fn(f64) -> Double) -> Double {
    let mut sum = term;
    for n in 1..400 {
        term = term * next(f64::from(n));
        sum = sum + term;
        if term.high.abs() <= sum.high.abs() * 2f64.powi(-110) {
            break;
        }
    }
    sum
}

/// n and e^r − 1, where x = n · ln 2 + r.
fn exp_parts(x: Double) -> (f64, Double) {
    let n = (x.high / LN_2.high).round();
    let r = x - Double::from(n) * LN_2;
    // e^(r/256) − 1, and eight times (1 + m)² − 1.
    let small = scaled(r, -8.0);
    let mut m = series(small, |n| small / Double::from(n + 1.0));
    for _ in 0..8 {
        m = m + m + m * m;
    }
    (n, m)
}

fn exp(x: Double) -> Double {
    let (n, m) = exp_parts(x);
    scaled(Double::ONE + m, n)
}

fn exp_minus1(x: Double) -> Double {
    let (n, m) = exp_parts(x);
    scaled(m, n) + Double::sum(n.exp2(), -1.0)
}

/// log(1 + d), for d near 0, by one step of Halley's iteration.
fn log_near_1(d: Double) -> Double {
    let first = Double::from(d.high.ln_1p());
    let m = exp_minus1(first);
    let step = (d - m) / (Double::from(2.0) + d + m);
    first + step + step
}

fn log(x: Double) -> Double {
    let n = (x.high * std::f64::consts::FRAC_1_SQRT_2).log2().ceil();
    Double::from(n) * LN_2 + log_near_1(scaled(x, -n) - Double::ONE)
}

/// The sine of r + `quarters` · π/2, |r| being less than 1.
fn sine_near_0(r: Double, quarters: i64) -> Double {
    let square = -(r * r);
    let (first, odd) = if quarters.rem_euclid(2) == 0 { (r, 1.0) } else { (Double::ONE, 0.0) };
    let value = series(first, |n| square / Double::from((2.0 * n + odd) * (2.0 * n + odd - 1.0)));
    if quarters.rem_euclid(4) < 2 { value } else { -value }
}

/// The sine of x + `quarters` · π/2.
fn sine(x: Double, quarters: i64) -> Double {
    let n = (x.high * std::f64::consts::FRAC_2_PI).round();
    let half_pi = [PI.high / 2.0, PI.low / 2.0];
    let r = x - Double::product(n, half_pi[0]) - Double::product(n, half_pi[1]) - Double::product(n, HALF_PI_REST);
    sine_near_0(r, n as i64 + quarters)
}

/// The sine of πx + `quarters` · π/2.
fn sine_pi(x: f64, quarters: i64) -> Double {
    let y = x - 2.0 * (x / 2.0).round();
    let n = (2.0 * y).round();
    sine_near_0(Double::from(y - n / 2.0) * PI, n as i64 + quarters)
}

/// erf x = 2/√π · e^−x² · Σ 2ⁿ x^(2n+1) / (1 · 3 · … · (2n + 1)), whose terms are all of one sign.
fn error_function(x: f64) -> Double {
    // What is missing to 1 at 7 is 2⁻⁷⁴.
    if x.abs() > 7.0 {
        return Double::from(1f64.copysign(x));
    }
    let square = Double::product(x, x);
    let sum = series(Double::from(x), |n| (square + square) / Double::from(2.0 * n + 1.0));
    TWO_BY_ROOT_PI * exp(-square) * sum
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    fn near(got: Double, want: Double, what: &str) {
        let error = (got - want).value().abs();
        assert!(error <= 2f64.powi(-92) * want.value().abs(), "{what}: {got:?}, not {want:?}");
    }

    /// Against values to 100 bits, of mpmath 1.4.1.
    #[test]
    fn values_to_a_hundred_bits() {
        #[rustfmt::skip]
        let values = [
            (UnaryOp::Exp, -300.25, 4.009422364622857e-131, -9.421845746665655e-148),
            (UnaryOp::Exp, 1.5, 4.4816890703380645, 3.0481759556536343e-16),
            (UnaryOp::Exp2, -0.3, 0.8122523963562356, -5.534680269627686e-17),
            (UnaryOp::Exp2, 100.7, 2.0593044755556034e+30, -39899919515258.91),
            (UnaryOp::Expm1, 1e-09, 1.0000000005000001e-09, -7.443897403844588e-26),
            (UnaryOp::Expm1, -3.5, -0.9698026165776815, 2.0689080689883753e-17),
            (UnaryOp::Log, 1.0000001, 9.999999505838704e-08, 1.5249709528441489e-24),
            (UnaryOp::Log, 12345.678, 9.421061321291832, -1.9085650743481053e-16),
            (UnaryOp::Log2, 0.7, -0.5145731728297583, 8.76352077439819e-18),
            (UnaryOp::Log2, 1e+100, 332.19280948873626, -2.4217089114329993e-14),
            (UnaryOp::Log1p, -1e-10, -1.00000000005e-10, -3.3901799887884606e-27),
            (UnaryOp::Log1p, 0.75, 0.5596157879354227, 2.685492580212308e-17),
            (UnaryOp::Sin, 0.001, 0.0009999998333333417, 5.670638989736153e-21),
            (UnaryOp::Sin, 100000.5, -0.4477465716572126, 3.98331359968963e-18),
            (UnaryOp::Cos, 2.5, -0.8011436155469337, -1.8674742705085553e-17),
            (UnaryOp::Cos, -77777.25, -0.6669599819807285, -3.7507675435584677e-17),
            (UnaryOp::Sinpi, 0.3, 0.8090169943749475, -4.766175266906226e-17),
            (UnaryOp::Sinpi, -17.9, 0.30901699437495167, -4.318893903543733e-20),
            (UnaryOp::Cospi, 0.3, 0.5877852522924731, 2.0282698052150037e-17),
            (UnaryOp::Cospi, 1000.4, 0.30901699437501534, 1.8139558632077053e-17),
            (UnaryOp::Tanh, 1e-05, 9.999999999666668e-06, -4.5758701526937e-22),
            (UnaryOp::Tanh, 3.5, 0.9981778976111987, 2.5870171246124584e-17),
            (UnaryOp::Sigmoid, -40.5, 2.576757109154981e-18, -1.0178357095552758e-34),
            (UnaryOp::Sigmoid, 2.25, 0.9046505351008906, -4.552380167679151e-17),
            (UnaryOp::Erf, 0.0001, 0.00011283791633342487, 1.551154319921893e-21),
            (UnaryOp::Erf, 2.75, 0.9998993780778803, 4.451378916214761e-17),
            (UnaryOp::Rsqrt, 3.0, 0.5773502691896257, 3.3450280739356345e-17),
            (UnaryOp::Rsqrt, 7e-200, 3.779644730092272e+99, 4.013047223166364e+82),
            (UnaryOp::Cbrt, 2.0, 1.2599210498948732, -2.589933375300507e-17),
            (UnaryOp::Cbrt, 1e-50, 2.1544346900318837e-17, 3.7132940857380435e-34),
        ];
        for (op, x, high, low) in values {
            near(unary(op, x).unwrap(), Double { high, low }, &format!("{op} of {x}"));
        }
        near(
            binary(BinaryOp::Pow, 3.7, -12.3).unwrap(),
            Double { high: 1.0259325145174049e-07, low: -4.6668962903226506e-24 },
            "pow",
        );
        assert_eq!((unary(UnaryOp::Sqrt, 4.0), binary(BinaryOp::Add, 1.0, 1.0)), (None, None));
    }

    /// What the functions have to do with each other.
    #[test]
    fn identities() {
        for i in 1..200 {
            let x = f64::from(i * i) / 1024.0;
            let of = |op| unary(op, x).unwrap();
            near(log(of(UnaryOp::Exp)), Double::from(x), "log of exp");
            near(of(UnaryOp::Expm1) + Double::ONE, of(UnaryOp::Exp), "expm1");
            near(log(of(UnaryOp::Expm1) + Double::ONE), Double::from(x), "log of expm1");
            let (sine, cosine) = (of(UnaryOp::Sin), of(UnaryOp::Cos));
            near(sine * sine + cosine * cosine, Double::ONE, "sin² + cos²");
            near(of(UnaryOp::Cbrt) * of(UnaryOp::Cbrt) * of(UnaryOp::Cbrt), Double::from(x), "cbrt");
            near(binary(BinaryOp::Pow, x, 3.0).unwrap(), Double::from(x) * Double::product(x, x), "x³");
        }
        assert_eq!(unary(UnaryOp::Sinpi, 7.0).unwrap().value(), 0.0);
        assert_eq!(unary(UnaryOp::Cospi, -3.0).unwrap().value(), -1.0);
    }
}
