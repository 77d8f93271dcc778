//! Copies of vectors and of matrices.

use crate::failure::Verdict;
use crate::level::{Counts, Level};
use crate::reference::{
    Data, Image, Matrix, Random, Sample, Vector, dimensions, extras, fronts, increments, layouts, lengths, matrices,
    read_increments, seeds, tails, vectors,
};
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Buffer, Device, Stream, Vector as DeviceVector, VectorMut};

pub(super) fn check<T: Sample, D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let level = session.level();
    for (lane, data) in [(Lane::Exact, Data::Bits), (Lane::Poison, Data::Special)] {
        let inputs = (vectors(lengths(level), read_increments()), fronts(), increments(), seeds());
        session.cases(lane, Counts::of(10), inputs, |case, (x_at, front, inc, seed)| {
            let values = Random::new(seed).vector::<T>(data, x_at.len);
            let y_at = Vector { front, len: x_at.len, inc };
            let x_image = Image::of_vector(&x_at, &values);
            let mut y_image = Image::<T>::around(&y_at);
            let x_buffer = case.stream().from_slice(&x_image.elements)?;
            let mut y_buffer = case.stream().from_slice(&y_image.elements)?;
            {
                let (x, mut y) = (x_buffer.slice(x_at.range())?, y_buffer.slice_mut(y_at.range())?);
                let x = DeviceVector::new(&x, x_at.len, x_at.inc)?;
                case.stream().copy(&x, &mut VectorMut::new(&mut y, y_at.len, y_at.inc)?)?;
            }
            for i in 0..y_at.len {
                y_image.elements[y_at.index(i)] = x_image.elements[x_at.index(i)];
            }
            let got = case.read(&y_buffer)?;
            case.bits("y with what lies around it", &got, &y_image.elements)?;
            let got = case.read(&x_buffer)?;
            case.bits("x, which is only read,", &got, &x_image.elements)
        })?;
        let largest = if level == Level::Smoke { 33 } else { 129 };
        let x = matrices(dimensions(largest), dimensions(largest));
        session.cases(lane, Counts::of(6), (x, fronts(), extras(), layouts(), seeds()), |case, input| {
            let (x_at, front, extra, layout, seed) = input;
            let values = Random::new(seed).vector::<T>(data, x_at.rows * x_at.cols);
            let y_at = Matrix::new(front, x_at.rows, x_at.cols, extra, layout);
            let x_buffer = case.stream().from_slice(&Image::of_matrix(&x_at, &values).elements)?;
            let mut y_buffer = case.stream().from_slice(&Image::<T>::of_matrix(&y_at, &[]).elements)?;
            {
                let x = x_buffer.slice(x_at.range())?.matrix_with(x_at.rows, x_at.cols, x_at.ld, x_at.layout)?;
                let y = y_buffer.slice_mut(y_at.range())?;
                case.stream().copy_matrix(&x, &mut y.matrix_mut_with(y_at.rows, y_at.cols, y_at.ld, y_at.layout)?)?;
            }
            let got = case.read(&y_buffer)?;
            case.bits("y with what lies around it", &got, &Image::of_matrix(&y_at, &values).elements)
        })?;
    }
    // Every length of a tail, and a long one, at every distance from an aligned address.
    session.each(Lane::Exact, tails::<T>(), |case, len| {
        let values = Random::new(len as u64).vector::<T>(Data::Bits, len);
        let (x_at, y_at) = (Vector::dense(len % 5, len), Vector::dense(len % 7, len));
        let x = case.stream().from_slice(&Image::of_vector(&x_at, &values).elements)?;
        let mut y = case.stream().from_slice(&Image::<T>::around(&y_at).elements)?;
        case.stream().copy(&x.slice(x_at.range())?, &mut y.slice_mut(y_at.range())?)?;
        let got = case.read(&y)?;
        case.bits("y with what lies around it", &got, &Image::of_vector(&y_at, &values).elements)
    })
}
