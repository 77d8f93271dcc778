//! Results that are written out, and arguments that are refused.

use crate::case::Case;
use crate::failure::Verdict;
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, Device, LayerNormOptions, Normalize, Stream};

pub(super) fn check<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.once(Lane::Exact, softmaxes)?;
    session.once(Lane::Exact, layer_norms)
}

fn softmax<D: Device>(case: &mut Case<'_, D>, what: &str, x: &[f32], want: &[u32]) -> Verdict {
    let mut x = case.stream().from_slice(x)?;
    case.stream().softmax_assign(&mut x)?;
    let got: Vec<u32> = case.read(&x)?.iter().map(|x: &f32| x.to_bits()).collect();
    case.bits(what, &got, want)
}

fn softmaxes<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let (inf, nan) = (f32::INFINITY, 0x7fc0_0000);
    softmax(case, "past the range of exp", &[1000.0, 1000.0], &[0x3f00_0000; 2])?;
    softmax(case, "the largest and the smallest number", &[-f32::MAX, f32::MAX], &[0, 0x3f80_0000])?;
    // 1 / (1 + e^-1) and e^-1 / (1 + e^-1), rounded: each is the nearest number.
    softmax(case, "neighbours", &[0.0, -1.0], &[0x3f3b_26a8, 0x3e89_b2b1])?;
    softmax(case, "masked elements", &[-inf, 3.0, -inf], &[0, 0x3f80_0000, 0])?;
    softmax(case, "nothing but masked elements", &[-inf, -inf], &[nan; 2])?;
    softmax(case, "an infinity", &[1.0, inf], &[nan; 2])?;
    softmax(case, "a NaN", &[1.0, -f32::NAN, 2.0], &[nan; 3])?;
    // The sum passes through all three of its parts: lanes, their tree, and chunks. 2^14 equal elements have equal shares.
    softmax(case, "two chunks", &[7.0; 1 << 14], &[0x3880_0000; 1 << 14])?;
    let mut x = case.stream().from_slice(&[5.0_f32, -inf])?;
    case.stream().log_softmax_assign(&mut x)?;
    let got = case.read(&x)?;
    case.bits("the logarithm", &got, &[0.0, -inf])
}

fn layer_norms<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let stream = case.stream();
    let mut with = |what: &str, x: &[f32], epsilon: f32, want: &[u32]| -> Verdict {
        let mut x = stream.from_slice(x)?;
        stream.layer_norm_assign(&mut x, &LayerNormOptions::new(epsilon))?;
        let got: Vec<u32> = case.read(&x)?.iter().map(|x: &f32| x.to_bits()).collect();
        case.bits(what, &got, want)
    };
    let (one, minus_one, nan) = (0x3f80_0000, 0xbf80_0000, 0x7fc0_0000);
    with("two elements", &[0.0, 4.0], 0.0, &[minus_one, one])?;
    // The squares of these have no digits left for their differences.
    with("a large mean", &[16_777_212.0, 16_777_214.0], 0.0, &[minus_one, one])?;
    with("an epsilon", &[0.0, 4.0, 0.0, 4.0], 12.0, &[0xbf00_0000, 0x3f00_0000, 0xbf00_0000, 0x3f00_0000])?;
    with("one element", &[5.0], 1.0, &[0])?;
    with("one element and no epsilon", &[5.0], 0.0, &[nan])?;
    with("an infinity", &[1.0, f32::NEG_INFINITY], 1.0, &[nan; 2])?;
    with("a NaN", &[1.0, -f32::NAN], 1.0, &[nan; 2])
}

/// Shapes and numbers that do not fit are refused, by name.
pub(super) fn arguments<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.once(Lane::Exact, |case| {
        let stream = case.stream();
        let x = stream.from_slice(&[1.0_f32; 6])?;
        let (matrix, vector) = (x.matrix(2, 3)?, x.slice(..2)?);
        let mut out = stream.from_slice(&[9.0_f32; 6])?;
        case.refused(stream.softmax(&x, &mut out.slice_mut(..5)?), "out")?;
        case.refused(stream.softmax_rows(&matrix, &mut out.slice_mut(..)?.matrix_mut(3, 2)?), "out")?;
        case.refused(stream.log_softmax_cols(&matrix, &mut out.slice_mut(..)?.matrix_mut(2, 2)?), "out")?;
        let options = LayerNormOptions::new(1e-5);
        case.refused(stream.layer_norm(&x, &options, &mut out.slice_mut(..5)?), "out")?;
        case.refused(stream.layer_norm_rows(&matrix, &options, &mut out.slice_mut(..)?.matrix_mut(3, 2)?), "out")?;
        let rows = options.gamma(&vector);
        case.refused(stream.layer_norm_rows_assign(&mut out.slice_mut(..)?.matrix_mut(2, 3)?, &rows), "gamma")?;
        case.refused(stream.layer_norm_assign(&mut out, &options.beta(&vector)), "beta")?;
        for epsilon in [-1e-5, f32::NAN] {
            case.refused(stream.layer_norm_assign(&mut out, &LayerNormOptions::new(epsilon)), "epsilon")?;
        }
        case.bits("what refused calls must leave alone", &case.read(&out)?, &[9.0; 6])?;
        // Each row has as many elements as there are columns.
        stream.layer_norm_cols_assign(&mut out.slice_mut(..)?.matrix_mut(2, 3)?, &rows)?;
        case.bits("equal elements", &case.read(&out)?, &[0.0; 6])
    })
}
