//! `gemm`, its strided batches, and batches of matrices that lie anywhere.

mod large;

use super::problem::{Problem, magnitude, stored, stored_shape};
use super::{Factors, known, unchanged, written_matrix};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{
    Data, Image, Matrix, Random, Sample, Scale, dimensions, extras, fronts, layouts, scales, seeds, zero_scales,
};
use crate::session::Session;
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::numerics::contract::{Class, Lane, Row};
use warpwave_core::{Blas, Buffer, Device, Layout, Op, OperationKind, Precision, Stream};

/// How the matrices of a batch follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Batch {
    /// One product, by `gemm`.
    Single,
    /// One after the other.
    Dense,
    /// With a gap between them.
    Gaps,
    /// The same left-hand side each time.
    SameA,
    /// The same right-hand side each time.
    SameB,
    /// By `gemm_batched`: each matrix in a buffer of its own.
    Listed,
}

/// One call but for its data.
#[derive(Clone, Copy, Debug)]
struct Call {
    size: [usize; 3],
    ops: [Op; 2],
    scales: [Scale; 2],
    fronts: [usize; 3],
    extras: [usize; 3],
    layouts: [Layout; 3],
    batch: Batch,
    count: usize,
    seed: u64,
}

/// Where a batch of matrices lies in its image.
#[derive(Clone, Copy, Debug)]
struct Place {
    matrix: Matrix,
    stride: usize,
    count: usize,
}

impl Place {
    fn of(&self, i: usize) -> Matrix {
        Matrix { front: self.matrix.front + i * self.stride, ..self.matrix }
    }

    fn range(&self) -> std::ops::Range<usize> {
        let last = self.count.saturating_sub(1);
        let end = if self.count == 0 { self.matrix.front } else { self.of(last).range().end };
        self.matrix.front..end
    }

    /// The matrices amid poison.
    fn image<T: Sample>(&self, values: &[Vec<T>]) -> Image<T> {
        let mut image = Image::around(&crate::reference::Vector::dense(self.range().start, self.range().len()));
        for (i, values) in values.iter().enumerate() {
            for (place, &value) in self.of(i).places().zip(values) {
                image.elements[place] = value;
            }
        }
        image
    }
}

impl Call {
    /// How one product by itself is asked for.
    fn alone(&self) -> Batch {
        if self.batch == Batch::Listed { Batch::Listed } else { Batch::Single }
    }

    fn places(&self) -> [Place; 3] {
        let [m, n, k] = self.size;
        let shapes = [stored_shape(self.ops[0], m, k), stored_shape(self.ops[1], k, n), (m, n)];
        let count = if self.batch == Batch::Single { 1 } else { self.count };
        [0, 1, 2].map(|i| {
            let (rows, cols) = shapes[i];
            let matrix = Matrix::new(self.fronts[i], rows, cols, self.extras[i], self.layouts[i]);
            let stride = match (self.batch, i) {
                (Batch::SameA, 0) | (Batch::SameB, 1) => 0,
                (Batch::Gaps, _) => matrix.extent() + 5,
                _ => matrix.extent(),
            };
            Place { matrix, stride, count }
        })
    }

    /// The products of the batch.
    fn problems<T: Factors>(&self, data: Data) -> Vec<Problem<T>> {
        let mut random = Random::new(self.seed);
        let count = if self.batch == Batch::Single { 1 } else { self.count };
        let factors = Problem::<T>::factors(self.scales, data, &mut random);
        let mut problems: Vec<Problem<T>> =
            (0..count).map(|_| Problem::new(self.size, factors, data, &mut random)).collect();
        if let Some((first, others)) = problems.split_first_mut() {
            for other in others {
                match self.batch {
                    Batch::SameA => other.a.clone_from(&first.a),
                    Batch::SameB => other.b.clone_from(&first.b),
                    _ => {}
                }
            }
        }
        problems
    }

    /// Multiplies; compares everything around the results, and the operands that are only read, with what was there.
    fn run<T: Factors, D: Device>(
        &self,
        case: &mut Case<'_, D>,
        precision: Precision,
        problems: &[Problem<T>],
    ) -> Verdict<Vec<Vec<T>>> {
        if self.batch == Batch::Listed {
            return self.run_list(case, precision, problems);
        }
        let [m, n, k] = self.size;
        let [a_at, b_at, c_at] = self.places();
        let of = |op: Op, rows: usize, cols: usize, get: fn(&Problem<T>) -> &Vec<T>| -> Vec<Vec<T>> {
            problems.iter().map(|problem| stored(op, get(problem), rows, cols)).collect()
        };
        let (a_image, b_image) =
            (a_at.image(&of(self.ops[0], m, k, |p| &p.a)), b_at.image(&of(self.ops[1], k, n, |p| &p.b)));
        let c_image = c_at.image(&of(Op::N, m, n, |p| &p.c));
        let stream = case.stream().with_precision(precision);
        let (a_buffer, b_buffer) = (stream.from_slice(&a_image.elements)?, stream.from_slice(&b_image.elements)?);
        let mut c_buffer = stream.from_slice(&c_image.elements)?;
        let zero = T::Compute::from_integer(0);
        let (alpha, beta) = problems.first().map_or((zero, zero), |problem| (problem.alpha, problem.beta));
        {
            let (a, b) = (a_buffer.slice(a_at.range())?, b_buffer.slice(b_at.range())?);
            let c = c_buffer.slice_mut(c_at.range())?;
            let [x, y, z] = [a_at, b_at, c_at].map(|at| at.matrix);
            if self.batch == Batch::Single {
                let a = a.matrix_with(x.rows, x.cols, x.ld, x.layout)?;
                let b = b.matrix_with(y.rows, y.cols, y.ld, y.layout)?;
                let mut c = c.matrix_mut_with(z.rows, z.cols, z.ld, z.layout)?;
                stream.gemm(self.ops[0], self.ops[1], alpha, &a, &b, beta, &mut c)?;
            } else {
                let a = a.batch(x.rows, x.cols, x.ld, x.layout, a_at.stride, a_at.count)?;
                let b = b.batch(y.rows, y.cols, y.ld, y.layout, b_at.stride, b_at.count)?;
                let mut c = c.batch_mut(z.rows, z.cols, z.ld, z.layout, c_at.stride, c_at.count)?;
                stream.gemm_strided_batched(self.ops[0], self.ops[1], alpha, &a, &b, beta, &mut c)?;
            }
        }
        unchanged(case, "a", &a_buffer, &a_image)?;
        unchanged(case, "b", &b_buffer, &b_image)?;
        let got = case.read(&c_buffer)?;
        let mut want = c_image.elements;
        let places = || (0..c_at.count).map(|i| c_at.of(i));
        places().flat_map(|at| at.places()).for_each(|place| want[place] = got[place]);
        case.bits("what lies around and between the results", &got, &want)?;
        Ok(places().map(|at| at.places().map(|place| got[place]).collect()).collect())
    }

    /// [`run`](Self::run) with a buffer for each matrix.
    fn run_list<T: Factors, D: Device>(
        &self,
        case: &mut Case<'_, D>,
        precision: Precision,
        problems: &[Problem<T>],
    ) -> Verdict<Vec<Vec<T>>> {
        let [m, n, k] = self.size;
        let [x, y, z] = self.places().map(|at| at.matrix);
        let stream = case.stream().with_precision(precision);
        let images = |at: Matrix, op: Op, rows, cols, get: fn(&Problem<T>) -> &Vec<T>| -> Vec<Image<T>> {
            problems.iter().map(|problem| Image::of_matrix(&at, &stored(op, get(problem), rows, cols))).collect()
        };
        let a_images = images(x, self.ops[0], m, k, |p| &p.a);
        let b_images = images(y, self.ops[1], k, n, |p| &p.b);
        let c_images = images(z, Op::N, m, n, |p| &p.c);
        let upload = |images: &[Image<T>]| -> Verdict<Vec<D::Buffer<T>>> {
            images.iter().map(|image| Ok(stream.from_slice(&image.elements)?)).collect()
        };
        let (a_buffers, b_buffers) = (upload(&a_images)?, upload(&b_images)?);
        let mut c_buffers = upload(&c_images)?;
        let zero = T::Compute::from_integer(0);
        let (alpha, beta) = problems.first().map_or((zero, zero), |problem| (problem.alpha, problem.beta));
        {
            let a = views::<T, D>(&a_buffers, &x)?;
            let b = views::<T, D>(&b_buffers, &y)?;
            let c =
                c_buffers.iter_mut().map(|c| c.slice_mut(z.range())?.matrix_mut_with(z.rows, z.cols, z.ld, z.layout));
            let mut c = c.collect::<warpwave_core::Result<Vec<_>>>()?;
            stream.gemm_batched(self.ops[0], self.ops[1], alpha, &a, &b, beta, &mut c)?;
        }
        for (buffer, image) in a_buffers.iter().zip(&a_images) {
            unchanged(case, "a", buffer, image)?;
        }
        for (buffer, image) in b_buffers.iter().zip(&b_images) {
            unchanged(case, "b", buffer, image)?;
        }
        c_buffers.iter().zip(&c_images).map(|(buffer, image)| written_matrix(case, "c", buffer, image, &z)).collect()
    }
}

/// The matrix in each buffer.
fn views<'a, T: Factors, D: Device>(
    buffers: &'a [D::Buffer<T>],
    at: &Matrix,
) -> warpwave_core::Result<Vec<warpwave_core::MatrixView<'a, T, D>>> {
    buffers.iter().map(|x| x.slice(at.range())?.matrix_with(at.rows, at.cols, at.ld, at.layout)).collect()
}

/// Sizes of products: mostly small; and with one side, or the sum, of any length.
fn sizes(level: Level) -> impl Strategy<Value = [usize; 3]> {
    let small = || dimensions(17);
    let middle = || dimensions(if level == Level::Smoke { 33 } else { 65 });
    prop_oneof![
        6 => [small(), small(), small()],
        3 => [middle(), middle(), middle()],
        1 => (dimensions(129), small(), small()).prop_map(|(m, n, k)| [m, n, k]),
        1 => (small(), dimensions(129), small()).prop_map(|(m, n, k)| [m, n, k]),
        1 => (small(), small(), dimensions(129)).prop_map(|(m, n, k)| [m, n, k]),
    ]
}

/// Calls of `gemm`, or with `listed` of `gemm_batched`.
fn calls(
    listed: bool,
    sizes: impl Strategy<Value = [usize; 3]>,
    scales: impl Strategy<Value = [Scale; 2]>,
) -> impl Strategy<Value = Call> {
    let ops = || select(&[Op::N, Op::T, Op::C][..]);
    let batches = match listed {
        true => Just(Batch::Listed).boxed(),
        false => prop_oneof![
            4 => Just(Batch::Single),
            2 => select(&[Batch::Dense, Batch::Gaps, Batch::SameA, Batch::SameB][..]),
        ]
        .boxed(),
    };
    // An empty list has nothing to compare.
    let counts = usize::from(listed)..4;
    let places = ([fronts(), fronts(), fronts()], [extras(), extras(), extras()], [layouts(), layouts(), layouts()]);
    (sizes, [ops(), ops()], scales, places, batches, counts, seeds()).prop_map(
        |(size, ops, scales, (fronts, extras, layouts), batch, count, seed)| Call {
            size,
            ops,
            scales,
            fronts,
            extras,
            layouts,
            batch,
            count,
            seed,
        },
    )
}

pub(super) fn check<T: Factors, D: Device>(session: &mut Session<'_, D>, row: &Row) -> Verdict {
    let level = session.level();
    let precision = row.precision.unwrap_or(Precision::Strict);
    let reproducible = row.class == Class::Reproducible;
    let listed = row.kind == OperationKind::GemmBatched;
    if !listed {
        known::gemm::<T, D>(session, row)?;
    }
    // Each product of a list is one of `gemm`, which has its own row: what is new is that the right matrices are found.
    let of = |smoke: u32| Counts::of(if listed { smoke.div_ceil(4) } else { smoke });
    let defined = |case: &mut Case<'_, D>, problem: &Problem<T>, got: &[T]| match reproducible {
        true => case.bits("c", got, &problem.gemm()),
        false => Ok(()),
    };
    session.cases(Lane::Exact, of(60), calls(listed, sizes(level), [scales(), scales()]), |case, call| {
        let problems = call.problems::<T>(Data::Integers(magnitude(row)));
        for (problem, got) in problems.iter().zip(call.run(case, precision, &problems)?) {
            defined(case, problem, &got)?;
            problem.compare_integers(case, &got)?;
        }
        Ok(())
    })?;
    if precision != Precision::Fast {
        session.cases(
            Lane::Exact,
            of(10),
            calls(listed, sizes(level), Just([Scale::One, Scale::Zero])),
            |case, call| every_digit::<T, D>(case, call, precision),
        )?;
    }
    session.cases(
        Lane::Exact,
        of(12),
        calls(listed, sizes(level), Just([Scale::One, Scale::Zero])),
        |case, call| propagation::<T, D>(case, call, precision),
    )?;
    // Nothing to multiply, or nothing to add to: what is left unread is NaN in every lane, and here always.
    session.cases(Lane::Poison, of(40), calls(listed, sizes(level), zero_scales()), |case, call| {
        let problems = call.problems::<T>(Data::Numbers);
        for (problem, got) in problems.iter().zip(call.run(case, precision, &problems)?) {
            defined(case, problem, &got)?;
            if problem.alpha == T::Compute::from_integer(0) && call.scales[1] != Scale::Generic {
                // +0, or `c`, or its negative: the same for every precision.
                case.bits("c, with alpha = 0,", &got, &problem.gemm())?;
            }
            problem.compare_bounded(case, row, &got)?;
        }
        Ok(())
    })?;
    session.cases(Lane::Bounded, of(60), calls(listed, sizes(level), [scales(), scales()]), |case, call| {
        let problems = call.problems::<T>(Data::Numbers);
        let results = call.run(case, precision, &problems)?;
        for (problem, got) in problems.iter().zip(&results) {
            defined(case, problem, got)?;
            problem.compare_bounded(case, row, got)?;
        }
        if row.deterministic && call.seed % 4 == 0 {
            let again = call.run(case, precision, &problems)?;
            case.bits("a second time: c", &again.concat(), &results.concat())?;
        }
        Ok(())
    })?;
    large::check::<T, D>(session, row, precision, listed)?;
    let blocks = if listed { Vec::new() } else { blocks(level) };
    session.each(Lane::Bounded, blocks, |case, (size, ops)| {
        let call = Call {
            size,
            ops,
            scales: [Scale::Generic; 2],
            fronts: [1, 2, 3],
            extras: [1, 0, 3],
            layouts: [Layout::ColumnMajor, Layout::RowMajor, Layout::ColumnMajor],
            batch: Batch::Single,
            count: 1,
            seed: size.iter().fold(17, |seed, &n| seed * 1009 + n as u64),
        };
        let problems = call.problems::<T>(Data::Numbers);
        for (problem, got) in problems.iter().zip(call.run(case, precision, &problems)?) {
            defined(case, problem, &got)?;
            problem.compare_bounded(case, row, &got)?;
        }
        Ok(())
    })
}

/// Products that need more than one block of rows, of columns or of the sum.
fn blocks(level: Level) -> Vec<([usize; 3], [Op; 2])> {
    let mut blocks = vec![
        ([5, 7, 257], [Op::N, Op::T]),
        ([3, 5, 1025], [Op::T, Op::N]),
        ([129, 241, 3], [Op::C, Op::N]),
        ([241, 129, 3], [Op::N, Op::C]),
    ];
    if level != Level::Smoke {
        blocks.extend([
            ([130, 250, 300], [Op::N, Op::N]),
            ([130, 250, 300], [Op::C, Op::C]),
            ([70, 90, 600], [Op::C, Op::C]),
            ([6, 9, 2049], [Op::N, Op::C]),
        ]);
    }
    blocks
}

/// Matrices whose elements use every digit of their type, times a permutation: the result has the same digits. With
/// fewer in the factors, as in TF32 or bf16, or in the sum, it has not.
fn every_digit<T: Factors, D: Device>(case: &mut Case<'_, D>, call: Call, precision: Precision) -> Verdict {
    let [m, n, _] = call.size;
    let call = Call { size: [m, n, n], batch: call.alone(), count: 1, ..call };
    let mut problems = call.problems::<T>(Data::Numbers);
    let mut random = Random::new(call.seed);
    let digits = (T::EXACT / 2) as i64;
    // Odd, and of full length.
    let mut number = || (digits + (random.bits() % digits as u64) as i64) | 1;
    for problem in &mut problems {
        problem.a = (0..m * n).map(|_| T::from_integers([number(), -number()])).collect();
        problem.b = vec![T::from_integer(0); n * n];
        (0..n).for_each(|i| problem.b[i * n + (i + 1) % n] = T::from_integer(1));
        let got = call.run(case, precision, std::slice::from_ref(problem))?;
        let want: Vec<T> = (0..m * n).map(|at| problem.a[at - at % n + (at % n + n - 1) % n]).collect();
        case.bits("the matrix with its columns moved", &got.concat(), &want)?;
    }
    Ok(())
}

/// A NaN or an infinity in `a` reaches every element of its row, and no other.
fn propagation<T: Factors, D: Device>(case: &mut Case<'_, D>, call: Call, precision: Precision) -> Verdict {
    let call = Call { batch: call.alone(), count: 1, size: call.size.map(|n| n.max(1)), ..call };
    let [m, n, k] = call.size;
    let mut random = Random::new(call.seed);
    let mut problems = call.problems::<T>(Data::Integers(1));
    for problem in &mut problems {
        let positive = |x: &mut T| *x = T::from_integers([1, 1]);
        problem.a.iter_mut().for_each(positive);
        problem.b.iter_mut().for_each(positive);
        // Complex routines differ in how they multiply infinities.
        let special = match random.below(3) {
            0 if !T::DTYPE.is_complex() => f64::INFINITY,
            1 if !T::DTYPE.is_complex() => f64::NEG_INFINITY,
            _ => f64::NAN,
        };
        let (row, at) = (random.below(m), random.below(k));
        problem.a[row * k + at] = T::from_values([special; 2]);
        let got = call.run(case, precision, std::slice::from_ref(problem))?.concat();
        // (1 + i)² = 2i, k times.
        let ordinary = if T::DTYPE.is_complex() { [0, 2 * k as i64] } else { [k as i64, 0] };
        for (i, got) in got.iter().enumerate() {
            let got = got.values();
            let components = if T::DTYPE.is_complex() { &got[..] } else { &got[..1] };
            let right = match i / n == row {
                true if special.is_nan() => components.iter().all(|x| x.is_nan()),
                true => components[0] == special,
                false => got == T::from_integers(ordinary).values(),
            };
            case.ensure(right, format_args!("c[{i}]: {got:?}, with {special} in row {row} of a"))?;
        }
    }
    Ok(())
}
