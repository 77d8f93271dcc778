//! Known answers: reductions of nothing, and of special values, against bit patterns that are written out. The other
//! cases compare those with the definitions of the core alone, which the CPU runs.

use super::axis;
use super::whole;
use crate::case::Case;
use crate::failure::{Failure, Verdict};
use crate::reference::{Matrix, Patterns, Sample, accumulation_unit};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Axis, DType, Device, Layout, ReduceOp};

/// An element's patterns: the parts of a complex number, or that of a real one and 0.
type Parts = [u64; 2];
/// What is reduced, and the result.
type Row = (Vec<Parts>, Parts);

fn real(rows: &[(&[u64], u64)]) -> Vec<Row> {
    rows.iter().map(|(x, result)| (x.iter().map(|&x| [x, 0]).collect(), [*result, 0])).collect()
}

fn floats(op: ReduceOp, dtype: DType, patterns: Patterns) -> Vec<Row> {
    let Patterns { sign, one, two, infinity, largest, canonical, quiet, negative, signalling, .. } = patterns;
    let minus = infinity | sign;
    match op {
        ReduceOp::Sum => {
            let mut rows = real(&[
                (&[], 0),
                // What is missing is skipped, not padded with +0.
                (&[sign], sign),
                (&[sign, sign, sign], sign),
                (&[sign, 0], 0),
                (&[one, one], two),
                (&[1, 1], 2),
                (&[infinity, one, largest], infinity),
                (&[infinity, one, minus], canonical),
                (&[quiet], canonical),
                (&[one, signalling], canonical),
                (&[negative, infinity], canonical),
                (&[largest, largest], infinity),
            ]);
            // f16 is summed in f32, where this is a number all the way.
            let end = if dtype == DType::F16 { largest } else { infinity };
            rows.extend(real(&[(&[largest, largest, largest | sign], end)]));
            rows
        }
        ReduceOp::Prod => real(&[
            (&[], one),
            (&[sign], sign),
            (&[one | sign, one | sign, one | sign], one | sign),
            (&[two, one], two),
            (&[0, one | sign], sign),
            (&[0, one, infinity], canonical),
            (&[infinity, minus], minus),
            (&[signalling], canonical),
            (&[negative, 0], canonical),
        ]),
        ReduceOp::Min => real(&[
            (&[], infinity),
            (&[infinity], infinity),
            (&[0, sign], sign),
            (&[sign, 0, one], sign),
            (&[two, one, infinity], one),
            (&[largest | sign, minus], minus),
            (&[one, quiet, minus], canonical),
            (&[negative], canonical),
            (&[signalling, one], canonical),
        ]),
        _ => real(&[
            (&[], minus),
            (&[minus], minus),
            (&[sign, 0], 0),
            (&[sign, sign], sign),
            (&[0, sign, one | sign], 0),
            (&[one, two, minus], two),
            (&[largest, infinity], infinity),
            (&[one, quiet, infinity], canonical),
            (&[negative], canonical),
            (&[signalling, one], canonical),
        ]),
    }
}

fn complex(op: ReduceOp, patterns: Patterns) -> Vec<Row> {
    let Patterns { sign, one, two, infinity, canonical, quiet, signalling, .. } = patterns;
    let row = |x: &[Parts], result: Parts| (x.to_vec(), result);
    match op {
        ReduceOp::Sum => vec![
            row(&[], [0, 0]),
            row(&[[sign, 0], [sign, sign]], [sign, 0]),
            row(&[[one, one | sign], [one, one]], [two, 0]),
            // By parts: what is special in one says nothing of the other.
            row(&[[infinity, one], [infinity | sign, one]], [canonical, two]),
            row(&[[one, signalling], [one, one]], [two, canonical]),
        ],
        _ => vec![
            row(&[], [one, 0]),
            row(&[[0, one], [0, one]], [one | sign, 0]),
            row(&[[two, one]], [two, one]),
            row(&[[quiet, 0], [one, 0]], [canonical, canonical]),
        ],
    }
}

fn integers(op: ReduceOp, dtype: DType) -> Vec<Row> {
    let width = 8 * dtype.size();
    let signed = matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64);
    // What is above the width is ignored.
    let (high, low, ones) = (u64::MAX << (width - 1), !(u64::MAX << (width - 1)), u64::MAX);
    let (least, greatest) = if signed { (high, low) } else { (0, ones) };
    match op {
        ReduceOp::Sum => real(&[(&[], 0), (&[greatest, 1], least), (&[high, high, 5], 5), (&[ones, ones], ones - 1)]),
        ReduceOp::Prod => real(&[(&[], 1), (&[low, 2], ones - 1), (&[ones, ones, 7], 7), (&[high, 2], 0)]),
        ReduceOp::Min => real(&[
            (&[], greatest),
            (&[greatest], greatest),
            (&[greatest, least, 3], least),
            (&[1, ones], if signed { ones } else { 1 }),
        ]),
        _ => real(&[
            (&[], least),
            (&[least], least),
            (&[least, greatest, 3], greatest),
            (&[1, ones], if signed { 1 } else { ones }),
        ]),
    }
}

/// Sums whose result says which elements met first. A number 2¹⁵u, with the unit roundoff of the accumulation, is lost
/// beside 2¹⁵.
pub(crate) fn orders<T: Sample>() -> [(&'static str, Vec<T>, T); 3] {
    let (large, small) = (2f64.powi(15), 2f64.powi(15) * accumulation_unit::<T>());
    let of = |x: f64| T::from_values([x, 0.0]);
    let sum = |at: usize| {
        let mut x = vec![of(0.0); at + 1];
        (x[0], x[1], x[at]) = (of(large), of(-large), of(small));
        x
    };
    [
        ("neighbours meet first", sum(2), of(small)),
        ("elements 1024 apart meet first", sum(1024), of(0.0)),
        ("chunks of 8192 meet last", sum(8192), of(small)),
    ]
}

/// The known answers of a reduction along an axis: each row of the table is a line of a matrix.
pub(super) fn check<T: Sample, D: Device>(session: &mut Session<'_, D>, op: ReduceOp, axis: Axis) -> Verdict {
    session.once(Lane::Exact, |case| {
        let rows = match (Patterns::of(T::DTYPE), T::DTYPE.is_complex()) {
            (Some(patterns), true) => complex(op, patterns),
            (Some(patterns), false) => floats(op, T::DTYPE, patterns),
            (None, _) => integers(op, T::DTYPE),
        };
        if rows.is_empty() {
            return Err(Failure::new(format_args!("no result of {op} of {} is written out", T::DTYPE)));
        }
        for (x, result) in rows {
            let what = format!("of {x:x?}, a result that is written out");
            let x: Vec<T> = x.into_iter().map(T::from_patterns).collect();
            one(case, op, axis, &what, x, T::from_patterns(result))?;
        }
        if op == ReduceOp::Sum && !T::DTYPE.is_integer() {
            for (name, x, result) in orders::<T>() {
                one(case, op, axis, name, x, result)?;
            }
        }
        Ok(())
    })
}

/// Reduces a vector, or two lines of a matrix with the same elements.
fn one<T: Sample, D: Device>(
    case: &mut Case<'_, D>,
    op: ReduceOp,
    axis: Axis,
    what: &str,
    x: Vec<T>,
    want: T,
) -> Verdict {
    if axis == Axis::Whole {
        let got = whole::run(case, op, 1, &x)?;
        return case.bits(format_args!("{what}: out"), &[got], &[want]);
    }
    let (rows, cols) = if axis == Axis::Rows { (2, x.len()) } else { (x.len(), 2) };
    let at = Matrix::new(1, rows, cols, 1, Layout::ColumnMajor);
    let got = axis::run(case, op, axis, &at, &[x.clone(), x])?;
    case.bits(format_args!("{what}: out"), &got, &[want; 2])
}
