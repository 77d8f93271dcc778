//! More elements than one thread, block or pass goes through: [`LARGE`] of them, and references that cost as little as the work.
//!
//! At the level `smoke` one type stands for all of its size.

use crate::case::Case;
use crate::failure::Verdict;
use crate::level::Level;
use crate::reference::{Cycle, Data, LARGE, Sample};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, DType, Device, Indexing, Integer, Stream};

/// A prime that does not divide [`LARGE`]: its multiples go through all places, far from one to the next.
const HOP: usize = 611_953;

/// The length at a level, or none.
fn lengths<T: Sample>(level: Level, stands: DType) -> Option<usize> {
    (level != Level::Smoke || T::DTYPE == stands).then_some(LARGE)
}

/// Every place of `len`, in an order that is neither ascending nor descending.
fn places(len: usize) -> impl Iterator<Item = usize> {
    (0..len).map(move |i| i * HOP % len)
}

fn indices(len: usize) -> Vec<u32> {
    places(len).map(|place| place as u32).collect()
}

/// A read-only operand must be as it was.
fn unchanged<T: Sample, D: Device>(case: &mut Case<'_, D>, x: &D::Buffer<T>, want: &[T]) -> Verdict {
    let got = case.read(x)?;
    case.bits_at("x, which is only read,", 0, &got, want)
}

pub(super) fn gather<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.each(Lane::Exact, lengths::<T>(session.level(), DType::F32), |case, len| {
        let table = Cycle::<T>::random(1, Data::Bits).elements(len);
        let (x, index) = (case.stream().from_slice(&table)?, case.stream().from_slice(&indices(len))?);
        let mut out = case.guarded(&vec![T::poison(); len])?;
        case.stream().gather(&x, &index, &mut out.view_mut()?)?;
        let want: Vec<T> = places(len).map(|place| table[place]).collect();
        let got = out.read(case)?;
        case.bits_at("out", 0, &got, &want)?;
        unchanged(case, &x, &table)
    })
}

/// Every place once; and every place twice, where the later element stays.
pub(super) fn scatter<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.each(Lane::Exact, lengths::<T>(session.level(), DType::F32), |case, len| {
        let values = Cycle::<T>::random(1, Data::Bits).elements(2 * len);
        let index = [indices(len), (0..len as u32).rev().collect()].concat();
        let (x, index) = (case.stream().from_slice(&values)?, case.stream().from_slice(&index)?);
        let mut want = vec![T::poison(); len];
        places(len).zip(&values).for_each(|(place, &x)| want[place] = x);
        let mut out = case.guarded(&vec![T::poison(); len])?;
        case.stream().scatter(&x.slice(..len)?, &index.slice(..len)?, &mut out.view_mut()?)?;
        let got = out.read(case)?;
        case.bits_at("out", 0, &got, &want)?;
        let mut out = case.guarded(&vec![T::poison(); len])?;
        case.stream().scatter(&x, &index, &mut out.view_mut()?)?;
        let want: Vec<T> = values[len..].iter().rev().copied().collect();
        let got = out.read(case)?;
        case.bits_at("out, with every place named twice,", 0, &got, &want)?;
        unchanged(case, &x, &values)
    })
}

/// What is selected repeats as the mask does.
pub(super) fn compact<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.each(Lane::Exact, lengths::<T>(session.level(), DType::F32), |case, len| {
        let (x, mask) = (Cycle::<T>::random(1, Data::Bits), Cycle::<u8>::random(2, Data::Bits));
        let mask = Cycle::new(|i| if mask.period()[i] < 160 { 0 } else { mask.period()[i] });
        let is_selected = |i: &usize| mask.period()[*i] != 0;
        let selected: Vec<T> = (0..x.period().len()).filter(is_selected).map(|i| x.period()[i]).collect();
        let rest = (0..len % x.period().len()).filter(is_selected).count();
        let count = len / x.period().len() * selected.len() + rest;
        let (values, masks) = (x.elements(len), mask.elements(len));
        let (x, masks) = (case.stream().from_slice(&values)?, case.stream().from_slice(&masks)?);
        let mut out = case.guarded(&vec![T::poison(); len])?;
        let counted = case.stream().compact(&x, &masks, &mut out.view_mut()?)?;
        case.bits("count", &[counted as u64], &[count as u64])?;
        let got = out.read(case)?;
        Cycle::of(selected).compare(case, "out", 0, &got[..count])?;
        case.bits_at("behind the selected elements, out", count, &got[count..], &vec![T::poison(); len - count])?;
        unchanged(case, &x, &values)
    })
}

/// As many counters as each thread has a table of, and more.
pub(super) fn histogram<T: Sample + Integer, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let bins = if lengths::<T>(session.level(), DType::I32).is_some() { &[100, 5000][..] } else { &[] };
    session.each(Lane::Exact, bins.iter().copied(), |case, bins| {
        let values = Cycle::<u32>::random(bins as u64, Data::Bits);
        let largest = (bins as u64 - 1).min(T::EXACT);
        let bin = |i: usize| u64::from(values.period()[i]) % (largest + 1);
        let x = Cycle::<T>::new(|i| T::from_integer(bin(i) as i64));
        let (periods, rest) = (LARGE / x.period().len(), LARGE % x.period().len());
        let mut want = vec![0_u64; bins];
        (0..x.period().len()).for_each(|i| want[bin(i) as usize] += (periods + usize::from(i < rest)) as u64);
        let elements = x.elements(LARGE);
        let buffer = case.stream().from_slice(&elements)?;
        let mut counts = case.guarded(&vec![u64::MAX; bins])?;
        case.stream().histogram(&buffer, &mut counts.view_mut()?)?;
        let got = counts.read(case)?;
        case.bits("counts", &got, &want)?;
        unchanged(case, &buffer, &elements)
    })
}

/// Axes of which none is a whole number of tiles, in every order that moves something.
pub(super) fn permute<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    const SIZES: [usize; 3] = [31, 179, 191];
    const ORDERS: [[usize; 3]; 5] = [[2, 0, 1], [2, 1, 0], [0, 2, 1], [1, 0, 2], [1, 2, 0]];
    let orders: &[[usize; 3]] = match (session.level(), T::DTYPE) {
        (Level::Smoke, DType::F32) => &ORDERS[..1],
        (Level::Smoke, _) => &[],
        _ => &ORDERS,
    };
    session.each(Lane::Exact, orders.iter().copied(), |case, axes| {
        let len = SIZES.iter().product();
        let values = Cycle::<T>::random(1, Data::Bits).elements(len);
        let x = case.stream().from_slice(&values)?;
        let mut out = case.guarded(&vec![T::poison(); len])?;
        case.stream().permute(&x, &SIZES, &axes, &mut out.view_mut()?)?;
        let stride = |axis: usize| SIZES[axis + 1..].iter().product::<usize>();
        let [p, q, r] = axes.map(stride);
        let [m, n, k] = axes.map(|axis| SIZES[axis]);
        let line = |from: usize| (0..k).map(move |i| from + i * r);
        let from = (0..m).flat_map(|i| (0..n).map(move |j| i * p + j * q)).flat_map(line);
        let want: Vec<T> = from.map(|place| values[place]).collect();
        let got = out.read(case)?;
        case.bits_at("out", 0, &got, &want)?;
        unchanged(case, &x, &values)
    })
}
