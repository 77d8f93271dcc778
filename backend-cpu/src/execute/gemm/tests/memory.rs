//! Products where there is little memory, or none: an allocator that refuses what the test does not grant its threads.

use super::super::strict::by_crate;
use super::super::{Matrix, Places, Problem, panels, product};
use crate::execute::gemm::Microkernel;
use crate::workers::Workers;
use gemm::Parallelism;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use warpwave_core::numerics::Numeric;
use warpwave_core::{Complex32, Complex64, Precision};

/// The system's, within what a thread may have at a time.
struct Limited;

thread_local! {
    /// The largest allocation that this thread gets.
    static LIMIT: Cell<usize> = const { Cell::new(usize::MAX) };
    /// The largest that it has asked for.
    static LARGEST: Cell<usize> = const { Cell::new(0) };
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

// SAFETY: every allocation is the system's; a null pointer says that there is none.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.set(LARGEST.get().max(layout.size()));
        if layout.size() > LIMIT.get() {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// Sets what this thread, or all threads of its pool, may have.
fn limit(workers: &Workers, bytes: usize) {
    workers.install(|| match workers.installed() {
        1 => LIMIT.set(bytes),
        _ => drop(rayon::broadcast(|_| LIMIT.set(bytes))),
    });
}

/// Small integers, whose products and sums are exact whoever makes them.
fn integers<T: Microkernel<Part: Scale>>(len: usize) -> Vec<T> {
    let digit = |i: usize| T::Part::ONE.scale_to((i * 7 + i / 5) % 5);
    (0..len).map(|i| T::from_parts(|part| digit(i + 3 * part))).collect()
}

trait Scale: Numeric + std::ops::Add<Output = Self> {
    fn scale_to(self, times: usize) -> Self {
        (0..times).fold(Self::ZERO, |sum, _| sum + self)
    }
}
impl Scale for f32 {}
impl Scale for f64 {}

/// `c = a · b + c` in each order of memory, by `run`.
fn each<T: Microkernel<Part: Scale>>([m, n, k]: [usize; 3], run: &dyn Fn([Matrix<T>; 3])) -> Vec<Vec<T>> {
    let orders = [[false; 3], [true; 3], [true, false, false], [false, true, true]];
    let each = orders.map(|[a_rows, b_rows, c_rows]| {
        let (mut a, mut b, mut c) = (integers::<T>(m * k), integers::<T>(k * n), integers::<T>(m * n));
        run([
            Matrix::dense(a.as_mut_ptr(), m, k, a_rows),
            Matrix::dense(b.as_mut_ptr(), k, n, b_rows),
            Matrix::dense(c.as_mut_ptr(), m, n, c_rows),
        ]);
        c
    });
    each.to_vec()
}

const SHAPES: [[usize; 3]; 6] = [[1, 1, 1], [7, 9, 33], [17, 16, 600], [64, 65, 70], [300, 13, 40], [130, 120, 110]];

fn is_made_with_any_memory<T: Microkernel<Part: Scale> + PartialEq + std::fmt::Debug>() {
    for threads in [1, 2] {
        for shape in SHAPES {
            // A thread of its own has no slab yet.
            let of = |bytes: usize| {
                let made = move || {
                    let workers = Workers::with_threads(threads);
                    each::<T>(shape, &|matrices| {
                        limit(&workers, bytes);
                        // SAFETY: three matrices of the test.
                        let made = unsafe { product(&workers, Precision::Strict, [T::ONE; 2], matrices) };
                        limit(&workers, usize::MAX);
                        made.unwrap();
                    })
                };
                std::thread::spawn(made).join().unwrap()
            };
            let all = of(usize::MAX);
            for bytes in [1 << 20, 1 << 17, 1 << 14, 2000] {
                assert_eq!(of(bytes), all, "{shape:?} with {bytes} bytes, {threads} threads");
            }
        }
    }
}

#[test]
fn a_strict_product_is_made_with_any_memory() {
    is_made_with_any_memory::<f32>();
    is_made_with_any_memory::<f64>();
    is_made_with_any_memory::<Complex32>();
    is_made_with_any_memory::<Complex64>();
}

fn no_more_is_taken<T: Microkernel<Part: Scale>>() {
    let shapes = [[65, 65, 5000], [1000, 7, 1000], [7, 1000, 1000], [700, 700, 700], [64, 64, 3000], [9, 3000, 3]];
    for shape in SHAPES.into_iter().chain(shapes) {
        let places = Places::Strided([0; 3]);
        each::<T>(shape, &|[a, b, c]| {
            let [rows, cols] = if c.col_stride < c.row_stride { [c.cols, c.rows] } else { [c.rows, c.cols] };
            let bytes = panels::bytes(rows, cols, a.cols, size_of::<T>(), Parallelism::None);
            // So that the slab is there.
            assert!(panels::obtainable(bytes, Parallelism::None));
            let reserved = LARGEST.replace(0);
            // SAFETY: three matrices of the test.
            unsafe { by_crate(Problem { alpha: T::ONE, beta: T::ONE, a, b, c, batch: 1, places }, Parallelism::None) };
            assert!(LARGEST.get() <= bytes + 4096, "{shape:?}: {} of {bytes} bytes, {reserved}", LARGEST.get());
        });
    }
}

/// What is reserved is enough, for the kernels of this processor.
#[test]
fn panels_are_no_larger_than_what_is_reserved() {
    no_more_is_taken::<f32>();
    no_more_is_taken::<f64>();
    no_more_is_taken::<Complex32>();
    no_more_is_taken::<Complex64>();
}
