//! The harness itself: a plan written by hand, over a text written here.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Array, Host};
use warpwave_core::numerics::Canonical;
use warpwave_core::{DType, ScalarValue};
use warpwave_kernels::launch::{Arg, Entry, Plan, Step};

const AXPY: &str = r#"
#define KERNEL(T, type) \
    WW_KERNEL(axpy_##T, 256, ww_u64 n, type alpha, const type* WW_RESTRICT x, type* WW_RESTRICT y) { \
        for (ww_u64 i = ww_index(); i < n; i += ww_stride()) y[i] = ww_narrow<type>(ww_fma(ww_widen(alpha), ww_widen(x[i]), ww_widen(y[i]))); \
    }
WW_EACH_FLOAT(KERNEL)
"#;

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn axpy() {
    let n = 3000;
    let x: Vec<f32> = (0..n).map(|i| i as f32 * 0.1).collect();
    let y: Vec<f32> = (0..n).map(|i| 1.0 / (i as f32 + 0.5)).collect();
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 0.7_f32.mul_add(*x, *y).canonical()).collect();
    for host in Host::both() {
        for check in [false, true] {
            let host = host.clone().with_text("axpy", AXPY).checked(check);
            let (x, y) = (Array::from(&x), Array::from(&y));
            let args =
                vec![Arg::U64(n as u64), Arg::Scalar(ScalarValue::new(0.7_f32)), Arg::Ptr(x.ptr()), Arg::Ptr(y.ptr())];
            let blocks = host.properties().blocks(n, 256, 1, 1);
            let plan = Plan::one(Step::new(Entry::of("axpy", "axpy", DType::F32), blocks, 256, args));
            host.run(&plan, 42).unwrap();
            assert_eq!(y.to_vec(), expected);
        }
    }
}
