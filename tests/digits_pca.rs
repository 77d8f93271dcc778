//! The unit tests of the example `digits_pca`, which cargo builds as a program and therefore does not test.
#![allow(dead_code, reason = "`main` is not called here")]

#[path = "../examples/digits_pca/main.rs"]
mod digits_pca;
