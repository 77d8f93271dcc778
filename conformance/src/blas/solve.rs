//! `trsv` and `trsm`, and its strided batches: systems with a triangular matrix.
//!
//! Systems of integers whose solution is one are solved exactly, by any algorithm. For others it is the residual that is bounded,
//! made with twice the precision: the error of a solution depends on the matrix.

use super::problem::stored;
use super::triangles::{CASES, Call, Diagonal, calls, inside, large, triangle};
use super::trmm::{entering, op_of_a};
use super::{Scalars, device_vector, unchanged, written, written_places};
use crate::case::Case;
use crate::failure::Verdict;
use crate::reference::{Data, Image, Matrix, Pair, Random, Scale, equal_numbers, scales};
use crate::session::Session;
use proptest::prelude::*;
use proptest::sample::select;
use warpwave_core::numerics::blas::triangular;
use warpwave_core::numerics::contract::{self, Bound, Class, Lane, Row};
use warpwave_core::{BlasTriangle, Buffer, Device, Diag, OperationKind, Precision, Side, Stream, Uplo};

/// How the matrices of a batch follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Batch {
    /// One system, by `trsm`, or `trsv` for one vector.
    Single,
    /// So many, with gaps between the matrices.
    Gaps(usize),
    /// So many with the same triangular matrix.
    SameA(usize),
}

impl Batch {
    fn count(self) -> usize {
        match self {
            Batch::Single => 1,
            Batch::Gaps(count) | Batch::SameA(count) => count,
        }
    }
}

/// A triangular matrix and right-hand sides.
#[derive(Clone, Debug)]
struct System<T> {
    /// op(a), row by row, with zeros outside the triangle.
    matrix: Vec<T>,
    alpha: T,
    /// `b`, row by row.
    b: Vec<T>,
}

/// What systems are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Integers with an integer solution.
    Integers,
    /// Diagonals that outweigh the rest of their rows.
    Tame,
    /// Those, with rows and columns multiplied by powers of 2 that lie far apart.
    Scaled,
    /// Special values.
    Special,
}

impl<T: Scalars> System<T> {
    /// A system, and its solution if it is of integers.
    fn new(call: &Call, alpha: T, kind: Kind, random: &mut Random) -> (Self, Vec<T>) {
        let n = call.n;
        let (rows, cols) = call.shape();
        if alpha == T::from_integer(0) {
            let unread = |len: usize| vec![T::poison(); len];
            return (System { matrix: unread(n * n), alpha, b: unread(n * call.m) }, Vec::new());
        }
        let rare = 1 + random.below(40);
        let special = |random: &mut Random| match random.below(rare) {
            0 => random.element::<T>(Data::Special),
            _ => random.element(Data::Numbers),
        };
        let wide = |random: &mut Random| 2_f64.powi(random.below(41) as i32 - 20);
        let scales: Vec<[f64; 2]> = (0..n).map(|_| [wide(random), wide(random)]).collect();
        let mut element = |i: usize, j: usize| match kind {
            Kind::Integers if i == j => {
                let unit = [[1, 0], [-1, 0], [2, 0], [-2, 0], [0, 1], [0, -2], [4, 0], [0, 2]][random.below(8)];
                T::from_integers(if T::DTYPE.is_complex() || unit[0] != 0 { unit } else { [unit[1], 0] })
            }
            // Few of them: the elements of the inverse stay small integers too.
            Kind::Integers => T::from_integers(match random.below(4) {
                0 => [random.integer(1), random.integer(1)],
                _ => [0, 0],
            }),
            Kind::Special => special(random),
            Kind::Tame | Kind::Scaled => {
                let by = if kind == Kind::Scaled { scales[i][0] * scales[j][1] } else { 1.0 };
                let by = if i == j { by } else { by / (32.0 * n as f64) };
                T::from_values(if i == j && call.diag == Diag::Unit {
                    [1.0, 0.0]
                } else {
                    [0, 1].map(|_| by * random.number())
                })
            }
        };
        let call_of_kind = match kind {
            // Ones cannot be scaled.
            Kind::Scaled => Call { diag: Diag::NonUnit, ..*call },
            _ => *call,
        };
        let matrix = op_of_a(&call_of_kind, &mut element);
        let len = rows * cols;
        if kind != Kind::Integers {
            let by = |place: usize| match (kind, call.side) {
                (Kind::Scaled, Side::Left) => scales[place / cols][0],
                (Kind::Scaled, _) => scales[place % cols][1],
                _ => 1.0,
            };
            let mut value = |place: usize| match kind {
                Kind::Special => special(random),
                _ => T::from_values([0, 1].map(|_| by(place) * random.number())),
            };
            return (System { matrix, alpha, b: (0..len).map(&mut value).collect() }, Vec::new());
        }
        let x: Vec<T> = random.vector(Data::Integers(4), len);
        let parts = |x: T| x.values().map(|x| x as i64);
        let product = |a: T, b: T| {
            let ([a, b], [c, d]) = (parts(a), parts(b));
            [a * c - b * d, a * d + b * c]
        };
        let one = |place: usize| {
            let (i, j) = (place / cols, place % cols);
            let terms = (0..n).map(|k| match call.side == Side::Left {
                true => product(matrix[i * n + k], x[k * cols + j]),
                false => product(x[i * cols + k], matrix[k * n + j]),
            });
            T::from_integers(terms.fold([0, 0], |[a, b], [c, d]| [a + c, b + d]))
        };
        let b = (0..len).map(one).collect();
        let solution = x.iter().map(|&x| T::from_integers(product(alpha, x))).collect();
        (System { matrix, alpha, b }, solution)
    }

    /// Vector `index` of `b` or of a solution: a column, or from the right a row.
    fn vector(call: &Call, x: &[T], index: usize) -> Vec<T> {
        let (_, cols) = call.shape();
        let place = |i: usize| if call.side == Side::Left { i * cols + index } else { index * cols + i };
        (0..call.n).map(|i| x[place(i)]).collect()
    }

    /// Element (`i`, `j`) of the matrix as it acts on a column, for systems from the right the transpose.
    fn element(&self, call: &Call, i: usize, j: usize) -> T {
        if call.side == Side::Left { self.matrix[i * call.n + j] } else { self.matrix[j * call.n + i] }
    }

    fn uplo(call: &Call) -> Uplo {
        if call.side == Side::Left { entering(call) } else { super::triangles::other(entering(call)) }
    }

    /// Compares with the definition of class R.
    fn defined<D: Device>(&self, case: &mut Case<'_, D>, call: &Call, got: &[T]) -> Verdict {
        for index in 0..call.m {
            let mut want = System::vector(call, &self.b, index);
            triangular::solve(Self::uplo(call), call.diag, self.alpha, |i, j| self.element(call, i, j), &mut want);
            case.bits("x", &System::vector(call, got, index), &want)?;
        }
        Ok(())
    }

    /// Holds the residuals to the bound of the row.
    fn bounded<D: Device>(&self, case: &mut Case<'_, D>, row: &Row, call: &Call, got: &[T]) -> Verdict {
        if self.alpha == T::from_integer(0) {
            return case.bits("x, with alpha = 0,", got, &vec![T::from_integer(0); got.len()]);
        }
        // Class R is at least as exact as strict.
        let precision = if row.class == Class::Reproducible { Some(Precision::Strict) } else { row.precision };
        let bound = contract::find(row.kind, row.dtype, precision).map(|row| row.bound);
        let Some(Bound::Backward { factor, unit }) = bound else { return Ok(()) };
        let (n, uplo) = (call.n, Self::uplo(call));
        let pairs = |x: &[T]| x.iter().map(|x| Pair::new(x.values())).collect::<Vec<Pair>>();
        let matrix: Vec<Pair> =
            (0..n * n).map(|place| Pair::new(self.element(call, place / n, place % n).values())).collect();
        let largest = matrix.iter().map(|t| t.modulus()).fold(0.0, f64::max);
        let (alpha, steps) = (Pair::new(self.alpha.values()), (n + 2) as f64);
        for index in 0..call.m {
            let (x, b) = (pairs(&System::vector(call, got, index)), pairs(&System::vector(call, &self.b, index)));
            for i in 0..n {
                let mut residual = alpha * b[i];
                let mut size = residual.modulus();
                for k in (0..n).filter(|&k| inside(uplo, i, k)) {
                    residual = residual - matrix[i * n + k] * x[k];
                    size += matrix[i * n + k].modulus() * x[k].modulus();
                }
                let bound = factor * steps * (unit * size + T::TINY * largest.max(1.0));
                case.error("the residual", index * n + i, residual.modulus(), bound)?;
            }
        }
        Ok(())
    }
}

/// Where the matrices of a batch lie.
fn places(first: Matrix, count: usize, stride: usize) -> impl Iterator<Item = Matrix> {
    (0..count).map(move |i| Matrix { front: first.front + i * stride, ..first })
}

/// Several images in one, each where its matrix lies.
fn merged<T: Scalars>(
    front: usize,
    images: impl Iterator<Item = Image<T>>,
    places: impl Iterator<Item = Matrix>,
) -> Image<T> {
    let mut all = Image::poison(front);
    for (image, at) in images.zip(places) {
        let end = image.elements.len().max(all.elements.len());
        all.elements.resize(end, T::poison());
        all.elements[at.range()].copy_from_slice(&image.elements[at.range()]);
    }
    all
}

/// Solves; compares everything around the solutions, and the matrix, with what was there.
fn run<T: Scalars, D: Device>(
    case: &mut Case<'_, D>,
    row: &Row,
    call: &Call,
    batch: Batch,
    systems: &[System<T>],
) -> Verdict<Vec<Vec<T>>> {
    let Call { n, uplo, op, diag, side, .. } = *call;
    let (rows, cols) = call.shape();
    let count = batch.count();
    let (a_at, b_at) = (call.place(0, n, n), call.place(1, rows, cols));
    let strides = match batch {
        Batch::SameA(_) => [0, b_at.extent() + 3],
        _ => [a_at.extent() + 5, b_at.extent() + 3],
    };
    let (a_places, b_places) = (|| places(a_at, count, strides[0]), || places(b_at, count, strides[1]));
    let a_images = systems
        .iter()
        .zip(a_places())
        .map(|(system, at)| triangle(&at, uplo, Diagonal::of(diag), &stored(op, &system.matrix, n, n)));
    let a_image = merged(a_at.front, a_images, a_places());
    let alpha = systems.first().map_or(T::from_integer(1), |system| system.alpha);
    let stream = case.stream().with_precision(row.precision.unwrap_or(Precision::Strict));
    let a_buffer = stream.from_slice(&a_image.elements)?;
    let a_end = a_places().last().map_or(a_at.front, |at| at.range().end);
    let a = a_buffer.slice(a_at.front..a_end)?;
    if row.kind == OperationKind::Trsv {
        let x_at = call.vector(1, call.incs.1);
        let x_image = Image::of_vector(&x_at, &systems[0].b);
        let mut x_buffer = stream.from_slice(&x_image.elements)?;
        {
            device_vector!(mut x = x_buffer, x_at);
            stream.trsv(uplo, op, diag, &a.matrix_with(n, n, a_at.ld, a_at.layout)?, &mut x)?;
        }
        unchanged(case, "a", &a_buffer, &a_image)?;
        return Ok(vec![written(case, &x_buffer, &x_image, &x_at)?]);
    }
    let b_images = systems.iter().zip(b_places()).map(|(system, at)| Image::of_matrix(&at, &system.b));
    let b_image = merged(b_at.front, b_images, b_places());
    let mut b_buffer = stream.from_slice(&b_image.elements)?;
    {
        let b_end = b_places().last().map_or(b_at.front, |at| at.range().end);
        let b = b_buffer.slice_mut(b_at.front..b_end)?;
        if batch == Batch::Single {
            let a = a.matrix_with(n, n, a_at.ld, a_at.layout)?;
            let mut b = b.matrix_mut_with(rows, cols, b_at.ld, b_at.layout)?;
            stream.trsm(side, uplo, op, diag, alpha, &a, &mut b)?;
        } else {
            let a = a.batch(n, n, a_at.ld, a_at.layout, strides[0], count)?;
            let mut b = b.batch_mut(rows, cols, b_at.ld, b_at.layout, strides[1], count)?;
            stream.trsm_strided_batched(side, uplo, op, diag, alpha, &a, &mut b)?;
        }
    }
    unchanged(case, "a", &a_buffer, &a_image)?;
    let got = written_places(case, "b", &b_buffer, &b_image, b_places().flat_map(|at| at.places()))?;
    let size = rows * cols;
    Ok((0..count).map(|i| got[i * size..(i + 1) * size].to_vec()).collect())
}

/// A system, its solution if that is known, and what came.
type Solved<T> = (System<T>, Vec<T>, Vec<T>);

/// Makes the systems of a batch, and solves them; gives each with its exact solution, if it has one, and what came of it.
fn solve<T: Scalars, D: Device>(
    case: &mut Case<'_, D>,
    row: &Row,
    (call, batch): (Call, Batch),
    kind: Kind,
) -> Verdict<Vec<Solved<T>>> {
    let mut random = Random::new(call.seed);
    let data = if kind == Kind::Integers { Data::Integers(3) } else { Data::Numbers };
    let alpha: T = match row.kind {
        OperationKind::Trsv => T::from_integer(1),
        _ => call.scales[0].value(&mut random, data),
    };
    let mut made: Vec<(System<T>, Vec<T>)> =
        (0..batch.count()).map(|_| System::new(&call, alpha, kind, &mut random)).collect();
    if let Batch::SameA(count) = batch {
        // The right-hand sides of integers belong to their matrix.
        let first = made.first().cloned();
        made = first.map_or(Vec::new(), |(system, solution)| vec![(system, solution); count]);
        for (system, solution) in made.iter_mut().skip(1) {
            system.b.iter_mut().for_each(|b| *b = opposite(*b));
            solution.iter_mut().for_each(|x| *x = opposite(*x));
        }
    }
    let systems: Vec<System<T>> = made.iter().map(|(system, _)| system.clone()).collect();
    let results = run(case, row, &call, batch, &systems)?;
    Ok(made.into_iter().zip(results).map(|((system, solution), got)| (system, solution, got)).collect())
}

/// The negative, if it is a number.
fn opposite<T: Scalars>(x: T) -> T {
    if x.has_nan() { x } else { T::from_values(x.values().map(|x| -x)) }
}

pub(super) fn check<T: Scalars, D: Device>(session: &mut Session<'_, D>, row: &Row) -> Verdict {
    let level = session.level();
    let vector = row.kind == OperationKind::Trsv;
    let reproducible = row.class == Class::Reproducible;
    let inputs = |scales: BoxedStrategy<[Scale; 2]>| {
        let batches = prop_oneof![
            4 => Just(Batch::Single),
            1 => (0..4_usize).prop_map(Batch::Gaps),
            1 => (0..4_usize).prop_map(Batch::SameA),
        ];
        let one = move |(call, batch): (Call, Batch)| match vector {
            true => (Call { m: 1, side: Side::Left, ..call }, Batch::Single),
            false => (call, batch),
        };
        (calls(level, scales), batches).prop_map(one)
    };
    let all = || (scales(), scales()).prop_map(<[Scale; 2]>::from).boxed();
    session.cases(Lane::Exact, CASES, inputs(all()), |case, (call, batch)| {
        // The inverse of a larger matrix has larger elements than all types hold.
        let call = Call { n: call.n.min(17), ..call };
        for (system, solution, got) in solve::<T, D>(case, row, (call, batch), Kind::Integers)? {
            if reproducible {
                system.defined(case, &call, &got)?;
            }
            match system.alpha == T::from_integer(0) {
                true => case.bits("x, with alpha = 0,", &got, &vec![T::from_integer(0); got.len()])?,
                false => equal_numbers(case, "x", &got, &solution)?,
            }
        }
        Ok(())
    })?;
    if reproducible {
        session.cases(Lane::Exact, CASES, inputs(all()), |case, (call, batch)| {
            for (system, _, got) in solve::<T, D>(case, row, (call, batch), Kind::Special)? {
                system.defined(case, &call, &got)?;
            }
            Ok(())
        })?;
    }
    session.cases(Lane::Poison, CASES, inputs(Just([Scale::Zero; 2]).boxed()), |case, (call, batch)| {
        // Neither matrix is read; `trsv`, which has no alpha, reads one triangle.
        for (system, _, got) in solve::<T, D>(case, row, (call, batch), Kind::Tame)? {
            system.bounded(case, row, &call, &got)?;
        }
        Ok(())
    })?;
    // A zero on the diagonal is divided by: nothing looks for one.
    session.each(Lane::Poison, [(5, 3), (33, 2), (65, 1)], |case, (n, m)| {
        let call = Call { scales: [Scale::One; 2], m: if vector { 1 } else { m }, ..large(n, m, Side::Left) };
        let (mut system, _) = System::<T>::new(&call, T::from_integer(1), Kind::Tame, &mut Random::new(n as u64));
        system.matrix[(n - 1) * n + n - 1] = T::from_integer(0);
        let got = run(case, row, &call, Batch::Single, std::slice::from_ref(&system))?.concat();
        for index in 0..call.m {
            let x = System::vector(&call, &got, index);
            let (others, last) = x.split_at(n - 1);
            let finite = |x: &T| x.values().iter().all(|x| x.is_finite());
            case.ensure(others.iter().all(finite), "a zero in the last row reaches the others")?;
            case.ensure(!last.iter().all(finite), "divided by zero, and finite")?;
        }
        Ok(())
    })?;
    let kinds = select(&[Kind::Tame, Kind::Scaled][..]);
    session.cases(Lane::Bounded, CASES, (inputs(all()), kinds), |case, ((call, batch), kind)| {
        let call = match kind {
            Kind::Scaled => Call { diag: Diag::NonUnit, ..call },
            _ => call,
        };
        for (system, _, got) in solve::<T, D>(case, row, (call, batch), kind)? {
            if reproducible {
                system.defined(case, &call, &got)?;
            }
            system.bounded(case, row, &call, &got)?;
        }
        Ok(())
    })?;
    // More than one block of the matrix, and of the vectors.
    let sizes = [(201, 1, Side::Left), (139, 1, Side::Right), (5, 301, Side::Left), (7, 303, Side::Right)];
    session.each(Lane::Bounded, sizes, |case, (n, m, side)| {
        let call = match vector {
            true => Call { m: 1, side: Side::Left, ..large(n, 1, side) },
            false => large(n, m, side),
        };
        for (system, _, got) in solve::<T, D>(case, row, (call, Batch::Single), Kind::Tame)? {
            if reproducible {
                system.defined(case, &call, &got)?;
            }
            system.bounded(case, row, &call, &got)?;
        }
        Ok(())
    })
}
