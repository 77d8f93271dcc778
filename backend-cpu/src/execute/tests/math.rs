use super::{Memory, Random, run};
use warpwave_core::numerics::{cast, math::Math};
use warpwave_core::{Element, Operation, UnaryOp, bf16, f16};

/// Runs both functions of angles, out of place and in place.
fn check<T: Math + Element>(angles: &[T], what: &str) {
    for (op, function) in [(UnaryOp::Sin, T::sine as fn(T) -> T), (UnaryOp::Cos, T::cosine)] {
        let expected: Vec<T> = angles.iter().map(|&x| function(x)).collect();
        let (mut x, mut out) = (Memory::new(angles), Memory::new(angles));
        run(Operation::Unary { op, x: x.span(), out: out.span() });
        out.assert_is(&expected, format_args!("{op} of {what}"));
        run(Operation::Unary { op, x: x.span(), out: x.span() });
        x.assert_is(&expected, format_args!("{op} of {what}, in place"));
    }
}

/// Blocks of angles that the fast loop takes, among them blocks with one that it must not, at the start, in the middle and at the end.
#[test]
fn sines_of_small_and_large_angles() {
    let mut random = Random(9);
    let mut angle = |greatest: f64| (random.next() >> 11) as f64 / (1u64 << 52) as f64 * greatest - greatest;
    let mut angles = |greatest: f64| (0..1500).map(|_| angle(greatest)).collect::<Vec<f64>>();
    let (single, double) = (angles(65_536.0), angles(1_073_741_824.0));
    let single: Vec<f32> = single.into_iter().map(|x| x as f32).collect();
    let narrow: Vec<f16> = angles(60_000.0).into_iter().map(cast::<f64, f16>).collect();
    let short: Vec<bf16> = angles(60_000.0).into_iter().map(cast::<f64, bf16>).collect();
    check(&single, "small angles");
    check(&double, "small angles");
    check(&narrow, "angles");
    check(&short, "small angles");
    for at in [0, 255, 256, 300, 511, 1499] {
        for large in [65_536.0, 65_536.01, 1e9, -3.4e38, f32::INFINITY, f32::NAN] {
            let mut x = single.clone();
            x[at] = large;
            check(&x, "one that may be large");
            let mut x = short.clone();
            x[at] = cast(large);
            check(&x, "one that may be large");
        }
        for large in [1_073_741_824.0, 1_073_741_824.000_001, -1e22, f64::MAX, f64::NEG_INFINITY, f64::NAN] {
            let mut x = double.clone();
            x[at] = large;
            check(&x, "one that may be large");
        }
    }
}
