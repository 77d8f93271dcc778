//! Reductions of more elements than one thread or block goes through; and sums of more chunks than the second level of the tree
//! has lanes, where there too a lane has several elements.

use crate::case::Case;
use crate::failure::Verdict;
use crate::level::Level;
use crate::reference::{Cycle, Data, LARGE, Sample, accumulation_unit};
use crate::session::Session;
use warpwave_core::numerics::Reducible;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Axis, Buffer, DType, Device, Reduce, Stream};

const CHUNK: usize = 8192;
/// One chunk more than the second level has lanes, and a rest.
const LEN: usize = 1025 * CHUNK + 5;

/// Sums alone: the other operations go through the same tree.
pub(super) fn sum<T: Sample + Reducible, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let run = session.level() != Level::Smoke || T::DTYPE == DType::F32;
    // Integers whose sum every accumulation holds, since a period sums up to little; an odd one, so that none may be missing.
    session.each(Lane::Exact, run.then_some(LEN), |case, len| {
        let x = Cycle::<T>::random(1, Data::Integers(3));
        // Modulo 2 to the width: what is no negative integer of the type is as good as one.
        let parts = |x: &T| if T::DTYPE.is_integer() { [x.integer() as i64, 0] } else { x.values().map(|x| x as i64) };
        let total = |elements: &[T]| elements.iter().map(parts).fold([0; 2], plus);
        let period = x.period().len();
        let (periods, rest) = ((len / period) as i64, total(&x.period()[..len % period]));
        let want = plus(total(x.period()).map(|sum| sum.wrapping_mul(periods)), rest);
        let buffer = case.stream().from_slice(&x.elements(len))?;
        let got = case.stream().sum(&buffer)?;
        case.bits("out", &[got], &[T::from_integers(want)])
    })?;
    let orders = if run && !T::DTYPE.is_integer() { orders() } else { Vec::new() };
    session.each(Lane::Exact, orders, |case, order| ordered::<T, D>(case, &order))
}

fn plus([a, b]: [i64; 2], [c, d]: [i64; 2]) -> [i64; 2] {
    [a.wrapping_add(c), b.wrapping_add(d)]
}

/// A sum of three numbers among zeros.
#[derive(Clone, Copy, Debug)]
struct Order {
    name: &'static str,
    /// Chunks with 2¹⁵, with −2¹⁵, and with what is lost beside them.
    chunks: [usize; 3],
    /// Whether the last is lost.
    lost: bool,
}

fn orders() -> Vec<Order> {
    vec![
        Order { name: "chunks 1024 apart meet first", chunks: [0, 1, 1024], lost: true },
        Order { name: "neighbouring chunks meet first", chunks: [1, 3, 2], lost: false },
    ]
}

fn ordered<T: Sample + Reducible, D: Device>(case: &mut Case<'_, D>, order: &Order) -> Verdict {
    let (large, small) = (2f64.powi(15), 2f64.powi(15) * accumulation_unit::<T>());
    let of = |x: f64| T::from_values([x, 0.0]);
    let mut x = case.stream().zeros::<T>(LEN)?;
    for (chunk, value) in order.chunks.into_iter().zip([large, -large, small]) {
        let at = chunk * CHUNK;
        case.stream().write(&mut x.slice_mut(at..=at)?, &[of(value)])?;
    }
    let got = case.stream().sum(&x)?;
    case.bits(format_args!("{}: out", order.name), &[got], &[of(if order.lost { 0.0 } else { small })])
}

/// Rows and columns of what several threads and blocks reduce along an axis. At the level `smoke` for one type.
pub(super) fn shapes(level: Level, dtype: DType, axis: Axis) -> Vec<(usize, usize)> {
    match (level, dtype, axis) {
        (Level::Smoke, DType::F32, Axis::Whole) => vec![(300_007, 1)],
        (Level::Smoke, DType::F32, _) => vec![(701, 503)],
        (Level::Smoke, ..) => Vec::new(),
        (_, _, Axis::Whole) => vec![(LARGE, 1)],
        _ => vec![(701, 503), (100_003, 3), (3, 100_003)],
    }
}
