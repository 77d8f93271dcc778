//! Sorting: the order of `numerics::order`, and the bits of the elements.
#![allow(clippy::unwrap_used)]

mod common;
mod samples;

use common::{Array, Host};
use samples::{Sample, bits, specials};
use warpwave_core::numerics::order::{SortKey, order};
use warpwave_core::operation::Sort;
use warpwave_core::{Complex64, DType, Element, Operation, bf16, f16, match_dtype};
use warpwave_kernels::launch::plan;

fn check<K: SortKey + Sample, V: Element>(
    keys: &[K],
    values: Option<&[V]>,
    at: usize,
    descending: bool,
    range: (u32, u32),
) {
    let expected = order(keys, descending, range.0..range.1);
    let sorted: Vec<K> = expected.iter().map(|&i| keys[i]).collect();
    for host in Host::both() {
        let k = Array::from(&[&vec![keys[0]; at][..], keys].concat());
        let v = Array::from(values.unwrap_or(&[]));
        let operation = Operation::Sort(Sort {
            keys: k.sub(at, keys.len()),
            values: values.map(|_| v.span()),
            descending,
            first_bit: range.0,
            end_bit: range.1,
        });
        host.run(&plan(&operation, &host.properties()).unwrap(), 9).unwrap();
        let named = format!("{} {range:?} descending {descending} len {} warp {}", K::DTYPE, keys.len(), host.warp);
        assert!(bits(&k.to_vec()[at..]) == bits(&sorted), "keys {named}");
        if let Some(values) = values {
            let moved: Vec<V> = expected.iter().map(|&i| values[i]).collect();
            assert!(bits(&v.to_vec()) == bits(&moved), "values {named} {}", V::DTYPE);
        }
    }
}

fn keys<K: SortKey + Sample>() {
    check::<K, u8>(&specials(5000, 1), None, 1, false, (0, K::BITS));
    check::<K, u8>(&specials(4097, 2), None, 0, true, (0, K::BITS));
    check::<K, u8>(&specials(300, 3), None, 3, true, (K::BITS / 4, K::BITS / 2 + 1));
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn keys_of_every_type() {
    for dtype in DType::ALL {
        match_dtype!(dtype, real K => keys::<K>(), _ => ());
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn pairs_of_every_width() {
    fn pairs<K: SortKey + Sample, V: Sample>() {
        check(&specials::<K>(4500, 1), Some(&specials::<V>(4500, 2)), 0, false, (0, K::BITS));
    }
    pairs::<u8, u8>();
    pairs::<i8, u16>();
    pairs::<u8, f32>();
    pairs::<u8, u64>();
    pairs::<u8, Complex64>();
    pairs::<u16, u8>();
    pairs::<f16, u16>();
    pairs::<u16, f32>();
    pairs::<bf16, u64>();
    pairs::<i16, Complex64>();
    pairs::<u32, u8>();
    pairs::<i32, u16>();
    pairs::<f32, u32>();
    pairs::<f32, u64>();
    pairs::<u32, Complex64>();
    pairs::<u64, u8>();
    pairs::<f64, u16>();
    pairs::<i64, u32>();
    pairs::<f64, f64>();
    pairs::<u64, Complex64>();
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn every_edge() {
    for len in [1, 2, 31, 32, 33, 255, 256, 257, 4095, 4096, 8192, 8193, 20_000] {
        let index: Vec<u32> = (0..len as u32).collect();
        // Few different keys, so that the order of equal ones shows.
        let few: Vec<u16> = specials::<u16>(len, 5).iter().map(|key| key % 7 * 257).collect();
        check(&few, Some(&index), 0, len % 2 == 0, (0, 16));
        check(&vec![3_u32; len], Some(&index), 0, len % 2 == 1, (0, 32));
        check(&specials::<u32>(len, 4), Some(&index), 1, false, (9, 14));
    }
    check::<u32, u8>(&specials::<u32>(100, 4), None, 1, false, (7, 7));
}
