//! Sorting against [`order::order`], the definition.

use super::{Memory, Random, patterns};
use crate::execute::execute;
use crate::workers::Workers;
use warpwave_core::numerics::order::{self, SortKey};
use warpwave_core::operation::{Sort, Span};
use warpwave_core::{Complex32, Complex64, DType, Element, Operation, f16, match_dtype};

/// Around what is compared, and what one thread sorts by digits.
const SIZES: [usize; 8] = [0, 1, 2, 3, 64, 65, 1000, 20_001];

fn sort<K: Element, V: Element>(
    workers: &Workers,
    keys: &mut Memory<K>,
    values: Option<&mut Memory<V>>,
    descending: bool,
    bits: std::ops::Range<u32>,
) {
    let values = values.map(Memory::span);
    let arguments = Sort { keys: keys.span(), values, descending, first_bit: bits.start, end_bit: bits.end };
    // SAFETY: the operands are alive and as large as they say.
    unsafe { execute(workers, &Operation::Sort(arguments)) }.unwrap();
}

/// Keys alone, and with values.
fn check<K: SortKey, V: Element>(workers: &Workers, keys: &[K], descending: bool, bits: std::ops::Range<u32>) {
    let what = format!("{bits:?}, descending {descending}, {} threads", workers.threads());
    let order = order::order(keys, descending, bits.clone());
    let want: Vec<K> = order.iter().map(|&i| keys[i]).collect();
    let mut alone = Memory::new(keys);
    sort::<K, V>(workers, &mut alone, None, descending, bits.clone());
    alone.assert_is(&want, format_args!("keys, {what}"));
    let values: Vec<V> = patterns(keys.len(), 3);
    let (mut sorted, mut moved) = (Memory::new(keys), Memory::new(&values));
    sort(workers, &mut sorted, Some(&mut moved), descending, bits);
    sorted.assert_is(&want, format_args!("keys with values, {what}"));
    moved.assert_is(&order.iter().map(|&i| values[i]).collect::<Vec<V>>(), format_args!("values, {what}"));
}

/// Every type of keys, with values of every size. The patterns repeat, so that equal keys abound, and have NaNs of all
/// kinds.
#[test]
fn every_type_of_keys_and_size_of_values() {
    let workers = Workers::with_threads(2);
    for (round, dtype) in DType::ALL.into_iter().filter(|dtype| !dtype.is_complex()).enumerate() {
        match_dtype!(dtype, real K => {
            for len in SIZES {
                let keys = patterns::<K>(len, 7);
                let descending = (len + round) % 2 == 0;
                match round % 5 {
                    0 => check::<K, u8>(&workers, &keys, descending, 0..<K as SortKey>::BITS),
                    1 => check::<K, f16>(&workers, &keys, descending, 0..<K as SortKey>::BITS),
                    2 => check::<K, f32>(&workers, &keys, descending, 0..<K as SortKey>::BITS),
                    3 => check::<K, Complex32>(&workers, &keys, descending, 0..<K as SortKey>::BITS),
                    _ => check::<K, Complex64>(&workers, &keys, descending, 0..<K as SortKey>::BITS),
                }
            }
            // Enough to be parted, the narrowest type too.
            let (keys, width) = (patterns::<K>(140_001, 8), <K as SortKey>::BITS);
            check::<K, u64>(&workers, &keys, false, 0..width);
            check::<K, u8>(&workers, &keys, true, 0..width);
            check::<K, u8>(&workers, &keys, round % 2 == 0, 1..width - 1);
            check::<K, u8>(&workers, &keys[..1000], false, 3..3);
        }, _ => unreachable!());
    }
}

/// However many threads there are, and however the keys are spread.
#[test]
fn threads_and_distributions() {
    let mut random = Random(5);
    let len = 200_003;
    let uniform: Vec<u64> = (0..len).map(|_| random.next()).collect();
    let distributions: [(&str, Vec<u64>); 7] = [
        ("few bits in the middle", uniform.iter().map(|x| 1 << 60 | (x & 0x3ff) << 20 | 77).collect()),
        ("three quarters in one place", uniform.iter().map(|&x| if x % 4 == 0 { x } else { x >> 40 }).collect()),
        ("all alike", vec![42; len]),
        ("sorted", (0..len as u64).collect()),
        ("sorted but for the last", (0..len as u64).map(|x| x * 3 % (3 * len as u64 - 3)).collect()),
        ("the wrong way round", (0..len as u64).rev().collect()),
        ("uniform", uniform),
    ];
    for threads in [1, 2, 3] {
        let workers = Workers::with_threads(threads);
        for (name, keys) in &distributions {
            let what = format!("{name}, {threads} threads");
            let order = order::order(keys, threads == 2, 0..64);
            let (mut sorted, mut moved) = (Memory::new(keys), Memory::new(&(0..len as u32).collect::<Vec<_>>()));
            sort(&workers, &mut sorted, Some(&mut moved), threads == 2, 0..64);
            sorted.assert_is(&order.iter().map(|&i| keys[i]).collect::<Vec<_>>(), &what);
            moved.assert_is(&order.iter().map(|&i| i as u32).collect::<Vec<_>>(), &what);
        }
    }
}

/// Keys of the largest float and its neighbours, of which the topmost digits are the same, next to NaNs, whose keys are
/// beyond.
#[test]
fn a_nan_keeps_its_bits() {
    let bits =
        [0x7f80_0000_u32, 0xff80_0000, 0x7f80_0001, 0xffc0_1234, 0x7fff_ffff, 0xffff_ffff, 0x7f7f_ffff, 0, 1 << 31];
    let keys: Vec<f32> = (0..100_000).map(|i| f32::from_bits(bits[i * i % 9])).collect();
    let workers = Workers::with_threads(2);
    check::<f32, u16>(&workers, &keys, false, 0..32);
    check::<f32, u16>(&workers, &keys, true, 0..32);
}

/// Pairs of floats that are aligned to one.
#[test]
fn values_at_odd_places() {
    let keys = patterns::<u32>(200_000, 1);
    let pairs: Vec<f32> = patterns(2 * keys.len(), 2);
    let (mut sorted, mut moved) = (Memory::new(&keys), Memory::new(&pairs));
    let values = Span { ptr: moved.ptr(), dtype: DType::C32, len: keys.len() };
    assert_eq!(values.ptr.addr() % 8, 4);
    let arguments = Sort { keys: sorted.span(), values: Some(values), descending: false, first_bit: 0, end_bit: 32 };
    // SAFETY: the operands are alive and as large as they say.
    unsafe { execute(&Workers::with_threads(2), &Operation::Sort(arguments)) }.unwrap();
    let order = order::order(&keys, false, 0..32);
    let want: Vec<f32> = order.iter().flat_map(|&i| [pairs[2 * i], pairs[2 * i + 1]]).collect();
    moved.assert_is(&want, "values");
}
