//! Known answers of level 1 and of `ger`.

use super::{number, numbers, patterns, same_lane, square};
use crate::blas::Scalars;
use crate::case::Case;
use crate::failure::{Failure, Verdict};
use crate::reduction::orders;
use crate::reference::{Patterns, Sample, equal_numbers};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Blas, Buffer, Device, OperationKind, Stream, Vector};

/// The known answers of level 1 and of `ger`.
pub(in crate::blas) fn check<T: Scalars, D: Device>(session: &mut Session<'_, D>, kind: OperationKind) -> Verdict {
    match kind {
        OperationKind::Swap => Ok(()),
        OperationKind::Scal => session.once(Lane::Exact, scal::<T, D>),
        OperationKind::Axpy => session.once(Lane::Exact, axpy::<T, D>),
        OperationKind::Dot => session.once(Lane::Exact, |case| dot::<T, D>(case, false)),
        OperationKind::Dotc => session.once(Lane::Exact, |case| dot::<T, D>(case, true)),
        OperationKind::Nrm2 => session.once(Lane::Exact, nrm2::<T, D>),
        OperationKind::Asum => session.once(Lane::Exact, asum::<T, D>),
        OperationKind::Iamax => session.once(Lane::Exact, iamax::<T, D>),
        _ => session.once(Lane::Exact, ger::<T, D>),
    }
}

/// The patterns of the parts.
fn parts_of<T: Scalars>() -> Verdict<Patterns> {
    Patterns::of(T::DTYPE).ok_or_else(|| Failure::new(format_args!("{} has no patterns", T::DTYPE)))
}

/// Always multiplied: 0 · NaN and 0 · ∞ are NaN, in both parts of a complex number.
fn scal<T: Scalars, D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let Patterns { one, two, infinity, canonical, quiet, signalling, sign, .. } = parts_of::<T>()?;
    let nan = T::from_patterns([canonical; 2]);
    let two_zero = |x: u64| T::from_patterns([x, 0]);
    for (alpha, x, want) in [
        (0, quiet, nan),
        (0, infinity, nan),
        (one, signalling, nan),
        (two, one, two_zero(two)),
        (0, one | sign, two_zero(sign)),
        (two, 1, two_zero(2)),
    ] {
        let mut buffer = case.stream().from_slice(&patterns::<T>(&[x]))?;
        case.stream().scal(T::from_patterns([alpha, 0]), &mut buffer)?;
        case.bits(format_args!("{alpha:x} · {x:x}: x"), &case.read(&buffer)?, &[want])?;
    }
    Ok(())
}

/// Fused; alpha = 0 leaves the bits of `y`.
fn axpy<T: Scalars, D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let [x, y, error] = square(T::UNIT);
    let Patterns { sign, infinity, canonical, .. } = parts_of::<T>()?;
    let infinite = T::from_patterns([infinity, 0]);
    for (name, alpha, x, y, want) in [
        ("a fused product: y", number(x), number(x), number(-y), number(error)),
        ("alpha = 0: y", T::ZERO, T::poison(), T::poison(), T::poison()),
        ("∞ − ∞: y", number(1.0), infinite, T::from_patterns([infinity | sign, 0]), T::from_patterns([canonical; 2])),
    ] {
        let (x, mut y) = (case.stream().from_slice(&[x])?, case.stream().from_slice(&[y])?);
        case.stream().axpy(alpha, &x, &mut y)?;
        case.bits(name, &case.read(&y)?, &[want])?;
    }
    let x = case.stream().from_slice(&numbers::<T>(&[1.0, 2.0]))?;
    for (inc, want) in [(1, [1.0, 2.0]), (-1, [2.0, 1.0]), (0, [1.0, 1.0])] {
        let mut y = case.stream().from_slice(&numbers::<T>(&[0.0; 2]))?;
        let x = Vector::<T, D>::new(&x, 2, inc)?;
        case.stream().axpy(number(1.0), &x, &mut y)?;
        case.bits(format_args!("increment {inc}: y"), &case.read(&y)?, &numbers(&want))?;
    }
    Ok(())
}

/// `alpha · y` is rounded; the rest is fused. alpha = 0 leaves the bits of `a`.
fn ger<T: Scalars, D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let [x, y, error] = square(T::UNIT);
    let of = number::<T>;
    for (name, alpha, x, y, a, want) in [
        ("a fused product: a", of(1.0), of(x), of(x), of(-y), of(error)),
        ("alpha · y, which is rounded: a", of(x), of(1.0), of(x), of(-y), of(0.0)),
        ("alpha = 0: a", of(0.0), T::poison(), T::poison(), T::poison(), T::poison()),
    ] {
        let stream = case.stream();
        let (x, y) = (stream.from_slice(&[x])?, stream.from_slice(&[y])?);
        let mut a = stream.from_slice(&[a])?;
        stream.ger(alpha, &x, &y, &mut a.matrix_mut(1, 1)?)?;
        case.bits(name, &case.read(&a)?, &[want])?;
    }
    Ok(())
}

fn dot<T: Scalars, D: Device>(case: &mut Case<'_, D>, conj: bool) -> Verdict {
    let [x, y, error] = square(T::UNIT);
    let Patterns { one, infinity, canonical, quiet, sign, .. } = parts_of::<T>()?;
    let (first, second) = same_lane(-y, x);
    let nan = T::from_patterns(if T::DTYPE.is_complex() { [canonical; 2] } else { [canonical, 0] });
    let mut cases: Vec<(&str, Vec<T>, Vec<T>, T)> = vec![
        ("nothing", Vec::new(), Vec::new(), T::ZERO),
        ("fused products in a lane", numbers(&first), numbers(&second), number(error)),
        ("0 · ∞", patterns(&[0]), patterns(&[infinity]), nan),
        ("NaN", patterns(&[quiet, one]), patterns(&[one, one]), nan),
    ];
    if T::DTYPE.is_complex() {
        let i = T::from_values([0.0, 1.0]);
        cases.push(("i · i", vec![i], vec![i], number(if conj { 1.0 } else { -1.0 })));
    } else {
        // Skipped, not padded with +0.
        cases.push(("−0 · 1", patterns(&[sign]), patterns(&[one]), T::from_patterns([sign, 0])));
        cases.push(("∞ − ∞", patterns(&[infinity, infinity | sign]), patterns(&[one, one]), nan));
    }
    for (name, x, y, want) in cases {
        let stream = case.stream();
        let (x, y) = (stream.from_slice(&x)?, stream.from_slice(&y)?);
        let got = if conj { stream.dotc(&x, &y)? } else { stream.dot(&x, &y)? };
        case.bits(format_args!("{name}: out"), &[got], &[want])?;
    }
    // Times 1, and for complex numbers times i: in both parts.
    let factors = if T::DTYPE.is_complex() { &[[1.0, 0.0], [0.0, 1.0]][..] } else { &[[1.0, 0.0]] };
    for (name, x, want) in orders::<T>() {
        for &factor in factors {
            let stream = case.stream();
            let y = stream.from_slice(&vec![T::from_values(factor); x.len()])?;
            let x = stream.from_slice(&x)?;
            let got = if conj { stream.dotc(&x, &y)? } else { stream.dot(&x, &y)? };
            let want = T::from_values(factor.map(|part| part * want.values()[0]));
            equal_numbers(case, &format!("{name}: out"), &[got], &[want])?;
        }
    }
    Ok(())
}

/// Elements that are not 0, by their places, and one more zero behind the last.
fn among_zeros<T: Scalars>(elements: &[(usize, f64)]) -> Vec<T> {
    let len = elements.iter().map(|&(at, _)| at + 2).max().unwrap_or(0);
    let mut x = vec![T::ZERO; len];
    elements.iter().for_each(|&(at, value)| x[at] = number(value));
    x
}

/// A NaN wins over everything, an infinity over every number, and neither the largest number nor the smallest is lost.
fn nrm2<T: Scalars, D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let Patterns { sign, one, infinity, largest, canonical, negative, .. } = parts_of::<T>()?;
    let (three, four, five) = ([3.0, 0.0], [0.0, 4.0], 5.0);
    let real = !T::DTYPE.is_complex();
    let pattern = |x: u64| T::Magnitude::from_patterns([x, 0]);
    for (name, x, want) in [
        ("nothing", Vec::new(), pattern(0)),
        ("zeros", patterns::<T>(&[0, sign]), pattern(0)),
        ("3 and 4", vec![T::from_values(three), T::from_values(if real { [4.0, 0.0] } else { four })], number(five)),
        ("the largest", patterns(&[largest | sign]), pattern(largest)),
        ("the smallest", patterns(&[1 | sign, 0]), pattern(1)),
        ("the largest, twice", patterns(&[largest, largest]), pattern(infinity)),
        ("−∞ and 1", patterns(&[infinity | sign, one]), pattern(infinity)),
        ("∞ and NaN", patterns(&[infinity, negative, one]), pattern(canonical)),
    ] {
        let x = case.stream().from_slice(&x)?;
        case.bits(format_args!("{name}: out"), &[case.stream().nrm2::<T>(&x)?], &[want])?;
    }
    // f32 is summed in f64, and rounded to where no order shows.
    if T::UNIT < f32::UNIT {
        // Eight squares of 2⁻⁵⁴, each of which is lost beside 1.
        let elements: Vec<(usize, f64)> = (0..8).map(|i| (1024 * i, 2f64.powi(-27))).chain([(1, 1.0)]).collect();
        let x = case.stream().from_slice(&among_zeros::<T>(&elements))?;
        let got = case.stream().nrm2::<T>(&x)?;
        case.bits("elements 1024 apart meet first: out", &[got], &[number(1.0 + 2.0 * T::UNIT)])?;
    }
    Ok(())
}

fn asum<T: Scalars, D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let Patterns { sign, one, two, infinity, largest, canonical, negative, .. } = parts_of::<T>()?;
    let pattern = |x: u64| T::Magnitude::from_patterns([x, 0]);
    let mut cases = vec![
        ("nothing", Vec::new(), pattern(0)),
        ("−0", patterns::<T>(&[sign]), pattern(0)),
        ("−1, −1 and −0", patterns(&[one | sign, one | sign, sign]), pattern(two)),
        ("−∞ and 1", patterns(&[infinity | sign, one]), pattern(infinity)),
        ("∞ and NaN", patterns(&[infinity, negative]), pattern(canonical)),
        ("the largest, twice", patterns(&[largest, largest | sign]), pattern(infinity)),
    ];
    if T::DTYPE.is_complex() {
        cases.push(("−1 − i", vec![T::from_patterns([one | sign, one | sign])], pattern(two)));
    }
    for (name, x, want) in cases {
        let x = case.stream().from_slice(&x)?;
        case.bits(format_args!("{name}: out"), &[case.stream().asum::<T>(&x)?], &[want])?;
    }
    // One unit roundoff is lost beside 1, and two are not.
    let (unit, more) = (T::UNIT, 1.0 + 2.0 * T::UNIT);
    for (name, elements, want) in [
        ("neighbours meet first", [(0, 1.0), (2, unit), (3, unit)], more),
        ("elements 1024 apart meet first", [(0, unit), (1, 1.0), (1024, unit)], more),
        ("before neighbours do", [(0, 1.0), (1, unit), (1024, unit)], 1.0),
        ("chunks of 8192 meet last", [(0, 1.0), (8192, unit), (8193, unit)], more),
    ] {
        let x = case.stream().from_slice(&among_zeros::<T>(&elements))?;
        case.bits(format_args!("{name}: out"), &[case.stream().asum::<T>(&x)?], &[number(want)])?;
    }
    Ok(())
}

fn iamax<T: Scalars, D: Device>(case: &mut Case<'_, D>) -> Verdict {
    let Patterns { sign, one, two, infinity, largest, quiet, signalling, .. } = parts_of::<T>()?;
    let mut cases = vec![
        ("nothing", Vec::new(), None),
        ("zeros", patterns::<T>(&[sign, 0, sign]), Some(0)),
        ("the first of two", patterns(&[one, two | sign, two]), Some(1)),
        ("a denormal", patterns(&[0, 1 | sign, 0]), Some(1)),
        ("infinities", patterns(&[largest, infinity | sign, infinity]), Some(1)),
        ("the first NaN", patterns(&[infinity, signalling, quiet]), Some(1)),
    ];
    if T::DTYPE.is_complex() {
        let of = T::from_patterns;
        // |re| + |im|, which overflows to the same infinity.
        cases.push(("the modulus does not count", vec![of([one, one]), of([0, two])], Some(0)));
        cases.push(("an overflow", vec![of([one, one]), of([largest, largest]), of([infinity, 0])], Some(1)));
        cases.push(("NaN in the imaginary part", vec![of([infinity, 0]), of([0, quiet])], Some(1)));
    }
    for (name, x, want) in cases {
        let x = case.stream().from_slice(&x)?;
        let got = case.stream().iamax::<T>(&x)?;
        case.ensure(got == want, format_args!("{name}: expected {want:?}, got {got:?}"))?;
    }
    Ok(())
}
