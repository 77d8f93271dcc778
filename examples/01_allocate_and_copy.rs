//! Memory: allocate it on a device, fill it, copy it there, within, and back.
//!
//! `cargo run --release --example 01_allocate_and_copy`

mod common;

use common::{ended, say};
use std::process::ExitCode;
use warpwave::prelude::*;

fn main() -> ExitCode {
    ended(warpwave::open().and_then(|device| allocate_and_copy(&device)))
}

/// One bound, [`Numerics`], is all that portable code needs: this function runs on every device.
fn allocate_and_copy<D: Numerics>(device: &D) -> Result<()> {
    // Whatever touches a device's memory is enqueued on a stream; a device comes with one.
    let stream = device.default_stream();

    // `from_slice` returns when the slice may be changed, so nothing has to be kept alive for the copy.
    let numbers = stream.from_slice(&[1, 2, 3, 4, 5, 6, 7, 8])?;
    let mut copy = stream.zeros::<i32>(8)?;
    say!("{numbers:?}, {copy:?}");

    // A view is a part of a buffer. Offsets are in elements and need no alignment.
    stream.copy(&numbers.slice(1..4)?, &mut copy.slice_mut(5..)?)?;
    stream.fill(&mut copy.slice_mut(..2)?, -1)?;
    let expected = [-1, -1, 0, 0, 0, 2, 3, 4];
    // `to_vec` waits: what it returns is the result of all the calls above.
    let result = stream.to_vec(&copy)?;
    say!("after copy and fill: {result:?}");
    assert_eq!(result, expected);

    // A copy inside one buffer needs its two halves at once; the borrow checker accepts them because they are disjoint.
    let (source, mut target) = copy.split_at_mut(4)?;
    stream.copy(&source, &mut target)?;
    let mut result = [0; 8];
    // `read` and `write` use memory that the host already has.
    stream.read(&copy, &mut result)?;
    say!("second half = first half: {result:?}");
    assert_eq!(result, [-1, -1, 0, 0, -1, -1, 0, 0]);

    stream.write(&mut copy, &expected)?;
    assert_eq!(stream.to_vec(&copy)?, expected);

    // Nothing is a size like any other.
    let nothing = stream.from_slice::<f64>(&[])?;
    assert!(nothing.is_empty() && stream.to_vec(&nothing)?.is_empty());

    // Dropping a buffer never waits. The pool keeps the memory for the next allocation; `trim` gives it back to the
    // system.
    let before = device.memory();
    drop(numbers);
    drop(copy);
    stream.synchronize()?;
    let freed = device.trim()?;
    say!("{} bytes in use before the drops, {} after; {freed} given back", before.in_use, device.memory().in_use);
    assert!(device.memory().in_use < before.in_use);
    Ok(())
}
