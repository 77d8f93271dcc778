//! Conversions, from each type to every type that it converts to.
//!
//! There are 172 pairs of types: what is generic over both is only the call itself ([`convert`]), which gives the
//! result as bytes.

use super::operands::{inside, unchanged};
use super::{large, specials};
use crate::case::Case;
use crate::failure::{Failure, Verdict};
use crate::level::{Counts, Level};
use crate::reference::{Data, Image, Random, Sample, Vector, fronts, lengths, seeds, shared, tails};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::numerics::{CastFrom, scalar};
use warpwave_core::{Buffer, DType, Device, Ops, ScalarValue, Stream, match_dtype};

/// Converts elements with so many in front on the device; returns the bytes of the result.
type Convert<S, D> = fn(&mut Case<'_, D>, usize, &[S]) -> Verdict<Vec<u8>>;

/// A type that another converts to.
struct Target<S: Sample, D: Device> {
    dtype: DType,
    convert: Convert<S, D>,
    /// The cases with a large result.
    large: fn(&mut Session<'_, D>) -> Verdict,
}

impl<S: Sample, D: Device> Target<S, D> {
    fn new<T: Sample + CastFrom<S>>() -> Self {
        Target { dtype: T::DTYPE, convert: convert::<S, T, D>, large: large::cast::<S, T, D> }
    }
}

/// The check of conversions from `source`.
pub(super) fn check<D: Device>(session: &mut Session<'_, D>, source: DType) -> Verdict {
    if source.is_complex() {
        return match_dtype!(source, complex S => {
            let target = |dtype: DType| {
                match_dtype!(dtype, complex T => Some(Target::<S, D>::new::<T>()), _ => None)
            };
            from(session, &DType::ALL.into_iter().filter_map(target).collect::<Vec<_>>())
        }, _ => Ok(()));
    }
    match_dtype!(source, real S => {
        let target = |dtype: DType| {
                match_dtype!(dtype, any T => Some(Target::<S, D>::new::<T>()), _ => None)
            };
        from(session, &DType::ALL.into_iter().filter_map(target).collect::<Vec<_>>())
    }, _ => Ok(()))
}

fn convert<S: Sample, T: Sample + CastFrom<S>, D: Device>(
    case: &mut Case<'_, D>,
    front: usize,
    x: &[S],
) -> Verdict<Vec<u8>> {
    let stream = case.stream();
    // The two lie at different distances from aligned addresses.
    let (x_at, out_at) = (Vector::dense(front, x.len()), Vector::dense(2 * front + 1, x.len()));
    let (x_image, out_image) = (Image::of_vector(&x_at, x), Image::<T>::around(&out_at));
    let x_buffer = stream.from_slice(&x_image.elements)?;
    let mut out_buffer = stream.from_slice(&out_image.elements)?;
    stream.cast(&x_buffer.slice(x_at.range())?, &mut out_buffer.slice_mut(out_at.range())?)?;
    unchanged(case, "x", &x_buffer, &x_image)?;
    let out = inside(case, &out_buffer, &out_image, &out_at)?;
    Ok(bytemuck::cast_slice(&out).to_vec())
}

fn from<S: Sample, D: Device>(session: &mut Session<'_, D>, targets: &[Target<S, D>]) -> Verdict {
    for target in targets {
        written_out(session, target)?;
        pair(session, target)?;
    }
    every_pattern(session, targets)?;
    saturation(session, targets)?;
    halfway(session, targets)?;
    targets.iter().try_for_each(|target| (target.large)(session))
}

/// Cases that each pair of types has.
fn pair<S: Sample, D: Device>(session: &mut Session<'_, D>, target: &Target<S, D>) -> Verdict {
    let &Target { dtype: target, convert, .. } = target;
    let level = session.level();
    let inputs = || (fronts(), lengths(level), seeds());
    // Integers that every type holds.
    session.cases(Lane::Exact, Counts::of(2), inputs(), |case, (front, len, seed)| {
        let mut random = Random::new(seed);
        let integers: Vec<[i64; 2]> = (0..len).map(|_| [random.below(100) as i64, random.below(100) as i64]).collect();
        let x: Vec<S> = integers.iter().map(|&x| S::from_integers(x)).collect();
        let got = convert(case, front, &x)?;
        let element = |&[re, im]: &[i64; 2]| {
            let im = if S::DTYPE.is_complex() { im } else { 0 };
            match_dtype!(target, any T => bytemuck::bytes_of(&T::from_integers([re, im])).to_vec(), _ => Vec::new())
        };
        let want: Vec<u8> = integers.iter().flat_map(element).collect();
        same(case, target, "", &got, &want)
    })?;
    // Every length of a tail, and one that several threads or blocks share. What is read depends on the source, what is
    // written on the target: some of each width say what all do.
    let typical = matches!(target, DType::U8 | DType::F32 | DType::C32);
    if typical || level != Level::Smoke {
        let lengths = tails::<S>().chain([shared(target)]);
        session.each(Lane::Exact, lengths, |case, len| {
            let x = Random::new(len as u64).vector::<S>(Data::Bits, len);
            let got = convert(case, len % 5, &x)?;
            same(case, target, "", &got, &define(&x, target)?)
        })?;
    }
    // Every special value.
    session.once(Lane::Exact, |case| {
        let special = S::specials();
        let x: Vec<S> =
            (0..special.len()).map(|i| S::from_patterns([special[i], special[(7 * i + 1) % special.len()]])).collect();
        let got = convert(case, 1, &x)?;
        same(case, target, "", &got, &define(&x, target)?)
    })?;
    for (lane, data) in [(Lane::Exact, Data::Bits), (Lane::Poison, Data::Special)] {
        session.cases(lane, Counts::of(2), inputs(), |case, (front, len, seed)| {
            let x = Random::new(seed).vector::<S>(data, len);
            let got = convert(case, front, &x)?;
            same(case, target, "", &got, &define(&x, target)?)
        })?;
    }
    session.cases(Lane::Bounded, Counts::of(2), inputs(), |case, (front, len, seed)| {
        let x = Random::new(seed).vector::<S>(Data::Numbers, len);
        let got = convert(case, front, &x)?;
        same(case, target, "", &got, &define(&x, target)?)?;
        if target.is_integer() {
            // What is cut off is not an error of rounding.
            return Ok(());
        }
        match_dtype!(target, any T => within_one_rounding::<S, T, D>(case, &x, &got), _ => Ok(()))
    })
}

/// Results that are written out.
fn written_out<S: Sample, D: Device>(session: &mut Session<'_, D>, target: &Target<S, D>) -> Verdict {
    let &Target { dtype: target, convert, .. } = target;
    session.once(Lane::Exact, |case| {
        let (x, want) = specials::casts::<S>(target)?;
        let got = convert(case, 2, &x)?;
        same(case, target, "a result that is written out: ", &got, &want)
    })
}

/// Compares bytes as the elements of `target` that they are.
fn same<D: Device>(case: &mut Case<'_, D>, target: DType, what: &str, got: &[u8], want: &[u8]) -> Verdict {
    match_dtype!(target, any T => {
        let elements = |bytes: &[u8]| -> Vec<T> {
            bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
        };
        case.bits(format_args!("{what}{target}"), &elements(got), &elements(want))
    }, _ => case.bits(format_args!("{what}{target}"), got, want))
}

fn define<S: Sample>(x: &[S], target: DType) -> Verdict<Vec<u8>> {
    let mut bytes = Vec::with_capacity(x.len() * target.size());
    for &x in x {
        let undefined = || Failure::new(format_args!("the core does not define {} to {target}", S::DTYPE));
        bytes.extend_from_slice(scalar::cast(ScalarValue::new(x), target).ok_or_else(undefined)?.bytes());
    }
    Ok(bytes)
}

fn within_one_rounding<S: Sample, T: Sample, D: Device>(case: &mut Case<'_, D>, x: &[S], got: &[u8]) -> Verdict {
    let got: Vec<T> = got.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect();
    // Halfway to the number past the largest and beyond is infinity: where the bound does not hold, and the definition
    // has the say.
    let largest = T::from_patterns(largest_pattern::<T>()).values()[0];
    for (i, (x, got)) in x.iter().zip(&got).enumerate() {
        let (values, got) = (x.values(), got.values());
        for (&want, &got) in values.iter().zip(&got).filter(|(want, _)| want.abs() <= largest) {
            let error = match S::DTYPE.is_integer() && want.abs() >= 2f64.powi(53) {
                // `want` is not the integer itself, and the difference of the two is one of 128 bits.
                true => (got as i128 - x.integer()).unsigned_abs() as f64,
                false => (got - want).abs(),
            };
            case.error(T::DTYPE, i, error, T::UNIT * want.abs() + T::TINY / 2.0)?;
        }
    }
    Ok(())
}

/// The largest finite number's pattern: the one before infinity's.
fn largest_pattern<T: Sample>() -> [u64; 2] {
    [T::from_values([f64::INFINITY, 0.0]).patterns()[0].wrapping_sub(1), 0]
}

/// Every pattern of a source of 16 bits or fewer, to every type.
fn every_pattern<S: Sample, D: Device>(session: &mut Session<'_, D>, targets: &[Target<S, D>]) -> Verdict {
    if S::DTYPE.size() > 2 {
        return Ok(());
    }
    let x: Vec<S> = (0..1_u64 << (8 * S::DTYPE.size())).map(|pattern| S::from_patterns([pattern, 0])).collect();
    for &Target { dtype: target, convert, .. } in targets {
        session.once(Lane::Exact, |case| {
            let got = convert(case, 0, &x)?;
            same(case, target, "", &got, &define(&x, target)?)
        })?;
    }
    Ok(())
}

/// Floats to integers: what does not fit is clamped, compared with arithmetic on 128-bit integers.
fn saturation<S: Sample, D: Device>(session: &mut Session<'_, D>, targets: &[Target<S, D>]) -> Verdict {
    if !S::DTYPE.is_float() {
        return Ok(());
    }
    for &Target { dtype: target, convert, .. } in targets.iter().filter(|target| target.dtype.is_integer()) {
        session.cases(Lane::Exact, Counts::of(2), seeds(), |case, seed| {
            let mut random = Random::new(seed);
            let width = 8 * target.size() as u32;
            let signed = matches!(target, DType::I8 | DType::I16 | DType::I32 | DType::I64);
            let (least, greatest) = match signed {
                true => (-(1_i128 << (width - 1)), (1 << (width - 1)) - 1),
                false => (0, (1_i128 << width) - 1),
            };
            let limit = 2f64.powi(width as i32 - i32::from(signed));
            let mut near = || match random.below(4) {
                0 => random.element(Data::Special),
                1 => S::from_values([limit * (1.0 + random.number() / 256.0), 0.0]),
                2 => S::from_values([-limit * (1.0 + random.number() / 256.0), 0.0]),
                _ => S::from_values([random.number() * limit / 64.0, 0.0]),
            };
            let x: Vec<S> = (0..64).map(|_| near()).collect();
            let one = |x: &S| match x.values()[0] {
                x if x.is_nan() => 0,
                x if x.abs() < 2f64.powi(100) => (x.trunc() as i128).clamp(least, greatest),
                x if x < 0.0 => least,
                _ => greatest,
            };
            let want: Vec<u8> = x.iter().map(one).flat_map(|x| {
                match_dtype!(target, integer T => bytemuck::bytes_of(&T::from_integer(x as i64)).to_vec(), _ => Vec::new())
        }).collect();
            let got = convert(case, 1, &x)?;
            same(case, target, "", &got, &want)
        })?;
    }
    Ok(())
}

/// To a float that does not hold every number: the middle between two neighbours goes to the even one, and what is next
/// to the middle to the nearer one.
fn halfway<S: Sample, D: Device>(session: &mut Session<'_, D>, targets: &[Target<S, D>]) -> Verdict {
    let narrower = |target: &&Target<S, D>| match_dtype!(target.dtype, float T => T::UNIT > S::UNIT, _ => false);
    if S::DTYPE.is_complex() {
        return Ok(());
    }
    let many = if session.level() == Level::Smoke { 200 } else { 2000 };
    for &Target { dtype: target, convert, .. } in targets.iter().filter(narrower) {
        session.cases(Lane::Exact, Counts::of(2), seeds(), |case, seed| {
            let mut random = Random::new(seed);
            let pairs: Vec<(S, Vec<u8>)> = (0..many)
                .filter_map(|_| match_dtype!(target, float T => beside_middle::<S, T>(&mut random), _ => None))
                .collect();
            let (x, want): (Vec<S>, Vec<Vec<u8>>) = pairs.into_iter().unzip();
            let got = convert(case, 3, &x)?;
            same(case, target, "", &got, &want.concat())
        })?;
    }
    Ok(())
}

/// A number at or next to the middle of two neighbours of `T`, and where it goes; `None` if `S` does not hold it.
fn beside_middle<S: Sample, T: Sample>(random: &mut Random) -> Option<(S, Vec<u8>)> {
    if S::DTYPE.is_integer() {
        return beside_middle_of_integers::<S, T>(random);
    }
    let (below, side) = (random.bits() % largest_pattern::<T>()[0], random.integer(1));
    let negative = random.below(2) == 0;
    let value = |pattern: u64| T::from_patterns([pattern, 0]).values()[0];
    // Exact: neighbours differ in their last place, and `f64` has more.
    let middle = (value(below) + value(below + 1)) / 2.0;
    let middle = if negative { -middle } else { middle };
    let x = S::from_values([middle, 0.0]);
    if x.values()[0] != middle {
        return None;
    }
    // The next pattern is the next magnitude.
    let x = S::from_patterns([x.patterns()[0].wrapping_add_signed(side), 0]);
    let sign = if negative { 1 << (T::DTYPE.size() * 8 - 1) } else { 0 };
    let want = T::from_patterns([nearer(below, side) | sign, 0]);
    Some((x, bytemuck::bytes_of(&want).to_vec()))
}

/// As [`beside_middle`], for integers, of which those of 64 bits are beyond an `f64`.
fn beside_middle_of_integers<S: Sample, T: Sample>(random: &mut Random) -> Option<(S, Vec<u8>)> {
    let signed = S::from_integer(-1).values()[0] < 0.0;
    let width = 8 * S::DTYPE.size() as u32 - u32::from(signed);
    // From 2¹⁶ on there is nothing in f16.
    let width = if T::DTYPE == DType::F16 { width.min(15) } else { width };
    let precision = T::EXACT.ilog2();
    let shifts = width.checked_sub(precision + 1).filter(|&shifts| shifts > 0)?;
    let shift = 2 + random.below(shifts as usize) as u32;
    let below = T::EXACT / 2 + random.bits() % (T::EXACT / 2);
    let side = random.integer(1);
    let magnitude = ((i128::from(below) << shift) + (1 << (shift - 1)) + i128::from(side)) as i64;
    let negative = signed && random.below(2) == 0;
    let x = S::from_integer(if negative { -magnitude } else { magnitude });
    // At most 2⁵³, times a power of two: exact.
    let want = nearer(below, side) as f64 * 2f64.powi(shift as i32);
    let want = T::from_values([if negative { -want } else { want }, 0.0]);
    Some((x, bytemuck::bytes_of(&want).to_vec()))
}

/// Which of `below` and the next is nearer to what is `side` of their middle; the even one at the middle itself.
fn nearer(below: u64, side: i64) -> u64 {
    match side {
        -1 => below,
        1 => below + 1,
        _ => below + below % 2,
    }
}
