//! Transpositions, changes of layout and permutations of axes.
#![allow(clippy::unwrap_used)]

mod common;
mod samples;

use common::{Array, Host};
use samples::{Random, Sample, bits, specials};
use warpwave_core::operation::{Layout, PermuteShape};
use warpwave_core::{DType, Operation, match_dtype};
use warpwave_kernels::launch::plan;

fn transpose<T: Sample>() {
    let shapes = [
        (1, 1, 0, 0),
        (1, 90, 2, 0),
        (90, 1, 0, 3),
        (64, 64, 0, 0),
        (128, 256, 16, 0),
        (130, 67, 0, 1),
        (65, 193, 3, 0),
        (33, 40, 16, 16),
    ];
    for (rows, cols, more, at) in shapes {
        for (from, to) in [
            (Layout::ColumnMajor, Layout::ColumnMajor),
            (Layout::RowMajor, Layout::RowMajor),
            (Layout::ColumnMajor, Layout::RowMajor),
            (Layout::RowMajor, Layout::ColumnMajor),
        ] {
            let lds = |rows: usize, cols: usize, layout| {
                let (run, runs) = if layout == Layout::ColumnMajor { (rows, cols) } else { (cols, rows) };
                (run + more, (run + more) * runs)
            };
            let ((ldx, lenx), (ldo, leno)) = (lds(rows, cols, from), lds(cols, rows, to));
            let (x, before) = (specials::<T>(at + lenx, 1), specials::<T>(at + leno, 2));
            let input = Array::from(&x);
            let matrix = input.matrix(at, rows, cols, ldx, from);
            for host in Host::both() {
                let out = Array::from(&before);
                let target = out.matrix(at, cols, rows, ldo, to);
                let operation = Operation::Transpose { x: matrix, out: target };
                host.run(&plan(&operation, &host.properties()).unwrap(), 3).unwrap();
                let mut expected = before.clone();
                for i in 0..rows {
                    for j in 0..cols {
                        expected[at + j * target.row_stride() + i * target.col_stride()] =
                            x[at + i * matrix.row_stride() + j * matrix.col_stride()];
                    }
                }
                assert!(bits(&out.to_vec()) == bits(&expected), "{} {rows}x{cols} {from:?} {to:?} at {at}", T::DTYPE);
            }
        }
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn transpositions() {
    for dtype in [DType::I8, DType::Bf16, DType::F32, DType::C32, DType::C64] {
        match_dtype!(dtype, any T => transpose::<T>(), _ => panic!());
    }
}

fn permute<T: Sample>(sizes: &[usize], axes: &[usize], at: usize) {
    let shape = PermuteShape::new(sizes, axes).unwrap();
    let len = shape.elements().unwrap();
    let x = specials::<T>(len + at, 7);
    let strides: Vec<usize> = (0..sizes.len()).map(|k| sizes[k + 1..].iter().product()).collect();
    let expected: Vec<T> = (0..len)
        .map(|mut i| {
            let mut from = 0;
            for &axis in axes.iter().rev() {
                from += i % sizes[axis] * strides[axis];
                i /= sizes[axis];
            }
            x[at + from]
        })
        .collect();
    let (input, out) = (Array::from(&x), Array::<T>::poisoned(len + at));
    for host in Host::both() {
        let operation = Operation::Permute { x: input.sub(at, len), out: out.sub(at, len), shape };
        host.run(&plan(&operation, &host.properties()).unwrap(), 3).unwrap();
        assert!(bits(&out.to_vec()[at..]) == bits(&expected), "{} {sizes:?} {axes:?} at {at}", T::DTYPE);
    }
}

#[test]
#[cfg_attr(not(cxx), ignore = "no C++ compiler: install g++ or clang++, or name one in WARPWAVE_CXX")]
fn permutations() {
    let mut random = Random::new(3);
    let cases: [(&[usize], &[usize]); 9] = [
        (&[], &[]),
        (&[7], &[0]),
        (&[40, 70], &[1, 0]),
        (&[3, 40, 50], &[0, 2, 1]),
        (&[40, 3, 50], &[2, 1, 0]),
        (&[17, 18, 19], &[1, 2, 0]),
        (&[6, 5, 32], &[1, 0, 2]),
        (&[2, 3, 2, 3, 16, 3, 1, 17], &[7, 0, 4, 2, 6, 1, 3, 5]),
        (&[5, 1000, 3], &[2, 0, 1]),
    ];
    for (sizes, axes) in cases {
        permute::<u8>(sizes, axes, 0);
        permute::<u16>(sizes, axes, 1);
        permute::<f32>(sizes, axes, 4);
        permute::<f64>(sizes, axes, 0);
        permute::<warpwave_core::Complex64>(sizes, axes, 1);
    }
    for _ in 0..20 {
        let rank = 1 + random.below(8);
        let sizes: Vec<usize> = (0..rank).map(|_| 1 + random.below(4)).collect();
        let mut axes: Vec<usize> = (0..rank).collect();
        for k in (1..rank).rev() {
            axes.swap(k, random.below(k + 1));
        }
        permute::<f32>(&sizes, &axes, 0);
        permute::<u8>(&sizes, &axes, 3);
    }
}
