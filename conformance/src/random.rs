//! Random numbers: of class R, so every result is compared bit for bit with a generator written from the paper and with
//! the definition; and what the sequence is like.

mod normal;
mod statistics;

use crate::case::Case;
use crate::check::Check;
use crate::failure::{Failure, Verdict};
use crate::level::{Counts, Level};
use crate::reference::{Random, Sample, lengths, philox, seeds};
use crate::session::Session;
use proptest::prelude::*;
use warpwave_core::numerics::contract::{self, Lane};
use warpwave_core::numerics::philox::{RandomElement, element};
use warpwave_core::{Buffer, DType, Device, OperationKind, Philox, Random as _, Stream, match_dtype};

/// Adds the group.
pub(crate) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    for row in contract::rows().filter(|row| row.kind == OperationKind::Random) {
        let dtype = row.dtype;
        checks.push(Check::of_row("random", row.kind, dtype, None, move |session| one(session, dtype)));
    }
    for row in contract::rows().filter(|row| row.kind == OperationKind::Normal) {
        let dtype = row.dtype;
        checks.push(Check::of_row("random", row.kind, dtype, None, move |session| {
            let unknown = || Err(Failure::new(format_args!("the suite has no cases for normal {dtype}")));
            match_dtype!(dtype, float T => normal::check::<T, D>(session), _ => unknown())
        }));
    }
    let answers = Check::new("random.known_answers", |session| session.once(Lane::Exact, known_answers));
    let types = [DType::U8, DType::I16, DType::U32, DType::U64, DType::F32, DType::F64];
    let needs = [OperationKind::Fill, OperationKind::Random];
    checks.push(types.into_iter().fold(answers, |check, dtype| check.needing(dtype, needs)));
    checks.push(Check::new("random.statistics", statistics::check));
    let normals = [
        Check::new("random.normal_known", |session| session.once(Lane::Exact, normal::known)),
        Check::new("random.normal_statistics", statistics::normals),
    ];
    let needing = |check: Check<D>| {
        [DType::F32, DType::F64].into_iter().fold(check, |check, dtype| check.needing(dtype, [OperationKind::Normal]))
    };
    checks.extend(normals.map(needing));
}

fn one<D: Device>(session: &mut Session<'_, D>, dtype: DType) -> Verdict {
    let unknown = || Err(Failure::new(format_args!("the suite has no cases for random {dtype}")));
    match_dtype!(dtype, real T => check::<T, D>(session), _ => unknown())
}

/// One call.
#[derive(Clone, Debug)]
struct Call {
    seed: u64,
    subsequence: u64,
    /// Words skipped first.
    offset: u64,
    len: usize,
}

fn calls(level: Level) -> impl Strategy<Value = Call> {
    // Every place in a block, words whose number has more than 32 bits, and the last words there are.
    let offsets = prop_oneof![
        4 => 0..9_u64,
        2 => any::<u64>(),
        1 => (1_u64 << 34) - 9..1_u64 << 34,
        1 => u64::MAX - 700..=u64::MAX,
    ];
    let subsequences = prop_oneof![Just(0_u64), Just(u64::MAX), any::<u64>()];
    (prop_oneof![1 => Just(0_u64), 4 => any::<u64>()], subsequences, offsets, lengths(level))
        .prop_map(|(seed, subsequence, offset, len)| Call { seed, subsequence, offset, len })
}

impl Call {
    fn generator(&self) -> Philox {
        let mut generator = Philox::new(self.seed).subsequence(self.subsequence);
        generator.skip(self.offset);
        generator
    }

    /// The numbers, by the paper.
    fn want<T: Sample>(&self) -> Vec<T> {
        let per_element = philox::words_of::<T>();
        let words = philox::words(philox::ROUNDS, self.seed, self.subsequence, self.offset, self.len * per_element);
        words.chunks(per_element).map(philox::number).collect()
    }
}

fn check<T: Sample + RandomElement, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    session.cases(Lane::Exact, Counts::of(12), calls(level), exact::<T, D>)?;
    // More than one thread or block makes.
    let large: &[usize] = if level == Level::Smoke { &[40_003] } else { &[40_003, 1_000_003] };
    let of_length = |&len: &usize| Call { seed: 1, subsequence: 2, offset: 3, len };
    session.each(Lane::Exact, large.iter().map(of_length), exact::<T, D>)?;
    session.cases(Lane::Exact, Counts::of(6), (calls(level), seeds()), in_pieces::<T, D>)?;
    session.cases(Lane::Poison, Counts::of(12), calls(level), |case, call| {
        let mut out = case.guarded(&vec![T::poison(); call.len])?;
        case.stream().random(&mut call.generator(), &mut out.view_mut()?)?;
        let got = out.read(case)?;
        case.bits("out", &got, &call.want())
    })
}

fn exact<T: Sample + RandomElement, D: Device>(case: &mut Case<'_, D>, call: Call) -> Verdict {
    let mut out = case.stream().from_slice(&vec![T::poison(); call.len])?;
    let mut generator = call.generator();
    case.stream().random(&mut generator, &mut out)?;
    let (got, want) = (case.read(&out)?, call.want::<T>());
    case.bits("out", &got, &want)?;
    let last = call.len.checked_sub(1).map(|last| element::<T>(call.seed, call.subsequence, call.offset, last as u64));
    case.bits("the definition", last.as_slice(), &want[call.len.saturating_sub(1)..])?;
    let after = call.offset.wrapping_add((call.len * philox::words_of::<T>()) as u64);
    case.bits("the generator's place", &[generator.offset()], &[after])
}

/// The numbers are the same however many calls make them.
fn in_pieces<T: Sample + RandomElement, D: Device>(case: &mut Case<'_, D>, (call, seed): (Call, u64)) -> Verdict {
    let mut out = case.stream().from_slice(&vec![T::poison(); call.len])?;
    let (mut generator, mut random) = (call.generator(), Random::new(seed));
    let mut start = 0;
    while start < call.len {
        let end = call.len.min(start + 1 + random.below(call.len / 3 + 1));
        case.stream().random(&mut generator, &mut out.slice_mut(start..end)?)?;
        start = end;
    }
    let got = case.read(&out)?;
    case.bits("out, in pieces,", &got, &call.want())
}

/// The first vector that the generator's authors publish (`kat_vectors` of Random123), which is where seed 0 starts,
/// and what the other types make of its words.
fn known_answers<D: Device>(case: &mut Case<'_, D>) -> Verdict {
    fn made<T: Sample + RandomElement, D: Device>(case: &mut Case<'_, D>, skip: u64, want: &[T]) -> Verdict {
        let mut out = case.stream().zeros::<T>(want.len())?;
        let mut generator = Philox::new(0);
        generator.skip(skip);
        case.stream().random(&mut generator, &mut out)?;
        let got = case.read(&out)?;
        case.bits(T::DTYPE, &got, want)
    }
    made(case, 0, &[0x6627_e8d5_u32, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8])?;
    made(case, 1, &[0xe169_c58d_u32, 0xbc57_ac4c])?;
    made(case, 0, &[0xe169_c58d_6627_e8d5_u64, 0x9b00_dbd8_bc57_ac4c])?;
    made(case, 1, &[0xbc57_ac4c_e169_c58d_u64])?;
    made(case, 0, &[0x66_u8, 0xe1, 0xbc, 0x9b])?;
    made(case, 0, &[0x6627_i16, -0x1e97])?;
    made(case, 0, &[0x66_27e8 as f32 / 16_777_216.0, 0xe1_69c5 as f32 / 16_777_216.0])?;
    made(case, 0, &[(0xe169_c58d_6627_e8d5_u64 >> 11) as f64 / 9_007_199_254_740_992.0])
}
