//! `gemv`.

use super::problem::{Problem, magnitude, stored, stored_shape};
use super::{Scalars, device_vector, known, seen, unchanged, written};
use crate::case::Case;
use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{
    Data, Image, Matrix, Random, Scale, Vector, dimensions, extras, fronts, increments, layouts, read_increments,
    scales, seeds, zero_scales,
};
use crate::session::Session;
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::numerics::blas;
use warpwave_core::numerics::contract::{Class, Lane, Row};
use warpwave_core::{Blas, Buffer, Device, Layout, Op, Precision, Stream};

/// One call but for its data.
#[derive(Clone, Copy, Debug)]
struct Call {
    /// Of the matrix as it enters the product.
    rows: usize,
    cols: usize,
    op: Op,
    scales: [Scale; 2],
    fronts: [usize; 3],
    extra: usize,
    layout: Layout,
    incs: [isize; 2],
    seed: u64,
}

fn calls(level: Level, scales: impl Strategy<Value = [Scale; 2]>) -> impl Strategy<Value = Call> {
    let long: &[usize] = if level == Level::Smoke { &[1025, 2049] } else { &[1025, 8193, 20_001] };
    let sizes = prop_oneof![
        8 => (dimensions(65), dimensions(65)),
        2 => (dimensions(129), dimensions(129)),
        1 => (select(long), 1..4_usize),
        1 => (1..4_usize, select(long)),
    ];
    let ops = select(&[Op::N, Op::T, Op::C][..]);
    let places = ([fronts(), fronts(), fronts()], extras(), layouts(), (read_increments(), increments()));
    (sizes, ops, scales, places, seeds()).prop_map(|((rows, cols), op, scales, (fronts, extra, layout, incs), seed)| {
        Call { rows, cols, op, scales, fronts, extra, layout, incs: incs.into(), seed }
    })
}

impl Call {
    fn problem<T: Scalars>(&self, data: Data) -> Problem<T> {
        let mut random = Random::new(self.seed);
        let factors = Problem::<T>::factors(self.scales, data, &mut random);
        let mut problem = Problem::<T>::new([self.rows, 1, self.cols], factors, data, &mut random);
        problem.b = seen(&self.x_at(), problem.b);
        problem
    }

    /// Special values, of which not every row has one. Every fourth time they are everywhere, in the factors too.
    fn specials<T: Scalars>(&self) -> Problem<T> {
        if self.seed.is_multiple_of(4) {
            return self.problem(Data::Special);
        }
        let mut problem = self.problem::<T>(Data::Numbers);
        let mut random = Random::new(!self.seed);
        if problem.alpha != T::ZERO {
            problem.a = (0..self.rows).flat_map(|_| random.specials_with_nan::<T>(self.cols)).collect();
            // One in `x` reaches all rows.
            if random.below(2) == 0 {
                problem.b = seen(&self.x_at(), random.rare_specials(self.cols));
            }
        }
        if problem.beta != T::ZERO {
            problem.c = random.rare_specials(self.rows);
        }
        problem
    }

    fn x_at(&self) -> Vector {
        Vector { front: self.fronts[1], len: self.cols, inc: self.incs[0] }
    }

    /// Multiplies; compares everything around the result, and the operands that are only read, with what was there.
    fn run<T: Scalars, D: Device>(
        &self,
        case: &mut Case<'_, D>,
        precision: Precision,
        problem: &Problem<T>,
    ) -> Verdict<Vec<T>> {
        let (rows, cols) = stored_shape(self.op, self.rows, self.cols);
        let a_at = Matrix::new(self.fronts[0], rows, cols, self.extra, self.layout);
        let (x_at, y_at) = (self.x_at(), Vector { front: self.fronts[2], len: self.rows, inc: self.incs[1] });
        let a_image = Image::of_matrix(&a_at, &stored(self.op, &problem.a, self.rows, self.cols));
        let (x_image, y_image) = (Image::of_vector(&x_at, &problem.b), Image::of_vector(&y_at, &problem.c));
        let stream = case.stream().with_precision(precision);
        let (a_buffer, x_buffer) = (stream.from_slice(&a_image.elements)?, stream.from_slice(&x_image.elements)?);
        let mut y_buffer = stream.from_slice(&y_image.elements)?;
        {
            let a = a_buffer.slice(a_at.range())?.matrix_with(rows, cols, a_at.ld, a_at.layout)?;
            device_vector!(x = x_buffer, x_at);
            device_vector!(mut y = y_buffer, y_at);
            stream.gemv(self.op, problem.alpha, &a, &x, problem.beta, &mut y)?;
        }
        unchanged(case, "a", &a_buffer, &a_image)?;
        unchanged(case, "x", &x_buffer, &x_image)?;
        written(case, &y_buffer, &y_image, &y_at)
    }
}

/// The definition in class R.
pub(super) fn define<T: Scalars>(problem: &Problem<T>) -> Vec<T> {
    let Problem { k, alpha, beta, .. } = *problem;
    let one = |(i, &y): (usize, &T)| blas::gemv(k, alpha, |l| problem.a[i * k + l], |l| problem.b[l], beta, y);
    problem.c.iter().enumerate().map(one).collect()
}

pub(super) fn check<T: Scalars, D: Device>(session: &mut Session<'_, D>, row: &Row) -> Verdict {
    let level = session.level();
    let precision = row.precision.unwrap_or(Precision::Strict);
    known::gemv::<T, D>(session, row)?;
    let reproducible = row.class == Class::Reproducible;
    let defined = |case: &mut Case<'_, D>, problem: &Problem<T>, got: &[T]| match reproducible {
        true => case.bits("y", got, &define(problem)),
        false => Ok(()),
    };
    session.cases(Lane::Exact, Counts::of(50), calls(level, [scales(), scales()]), |case, call| {
        let problem = call.problem::<T>(Data::Integers(magnitude(row)));
        let got = call.run(case, precision, &problem)?;
        defined(case, &problem, &got)?;
        problem.compare_integers(case, &got)
    })?;
    if reproducible {
        session.cases(Lane::Exact, Counts::of(10), calls(level, [scales(), scales()]), |case, call| {
            let problem = call.specials::<T>();
            let got = call.run(case, precision, &problem)?;
            defined(case, &problem, &got)
        })?;
    }
    session.cases(Lane::Poison, Counts::of(40), calls(level, zero_scales()), |case, call| {
        let problem = call.problem::<T>(Data::Numbers);
        let got = call.run(case, precision, &problem)?;
        defined(case, &problem, &got)?;
        if problem.alpha == T::ZERO && call.scales[1] != Scale::Generic {
            // +0, or `y`, or its negative: the same for every precision.
            case.bits("y, with alpha = 0,", &got, &define(&problem))?;
        }
        problem.compare_bounded(case, row, &got)
    })?;
    session.cases(Lane::Bounded, Counts::of(50), calls(level, [scales(), scales()]), |case, call| {
        let problem = call.problem::<T>(Data::Numbers);
        let got = call.run(case, precision, &problem)?;
        defined(case, &problem, &got)?;
        if row.deterministic && call.seed % 4 == 0 {
            let again = call.run(case, precision, &problem)?;
            case.bits("a second time: y", &again, &got)?;
        }
        problem.compare_bounded(case, row, &got)
    })
}
