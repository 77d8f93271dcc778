//! What the numerics groups compare with, and what they are fed: arithmetic of twice the precision, element types seen
//! as bits, exact integers and numbers, random data that depends on a seed alone, and memory images.

mod compare;
mod cycle;
mod double;
pub(crate) mod functions;
mod image;
mod order;
mod patterns;
pub(crate) mod philox;
mod random;
mod sample;
mod shapes;

pub(crate) use compare::{accumulation_unit, equal_numbers, output_unit, within};
pub(crate) use cycle::{Cycle, Runs};
pub(crate) use double::{Double, Pair};
pub(crate) use image::{Image, Matrix, Vector};
pub(crate) use order::{dot, in_order};
pub(crate) use patterns::Patterns;
pub(crate) use random::{Data, Random};
pub(crate) use sample::Sample;
pub(crate) use shapes::{
    LARGE, Scale, dimensions, extras, fronts, increments, layouts, lengths, matrices, read_increments, scales, seeds,
    shared, tails, vectors, zero_scales,
};
