//! Errors: a kind to match on, a context to read, and a device that goes on working after each of them.
//!
//! `cargo run --release --example 05_errors`

mod common;

use common::{ended, say};
use std::process::ExitCode;
use warpwave::prelude::*;
use warpwave::{Error, ErrorKind};

fn main() -> ExitCode {
    ended(run())
}

fn run() -> Result<()> {
    let device = warpwave::open()?;
    let stream = device.default_stream();
    let x = stream.from_slice(&[1.0, 2.0, 3.0])?;
    let mut y = stream.from_slice(&[10.0, 20.0])?;

    // A call is checked as a whole before anything is enqueued: refused, it has changed nothing.
    let error = expect_error(stream.axpy(1.0, &x, &mut y))?;
    say!("wrong length:  {error}");
    let ErrorKind::InvalidArgument { what, expected, got } = error.kind() else { return Err(error) };
    assert_eq!((what.as_str(), expected.as_str(), got.as_str()), ("y", "3 elements", "2 elements"));
    // The context says which call it was, for errors that travel far before somebody reads them.
    assert_eq!(error.context().operation.as_deref(), Some("axpy"));
    assert_eq!(stream.to_vec(&y)?, [10.0, 20.0]);

    // Views are checked when they are made, so an operation can never reach outside its buffer.
    let error = expect_error(x.slice(2..5))?;
    say!("wrong range:   {error}");
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument { .. }));
    let error = expect_error(x.matrix(2, 2))?;
    say!("wrong shape:   {error}");
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument { .. }));

    // Out of memory is an error like any other. A program can match on it and ask for less.
    let mut len = usize::MAX / 4;
    let scratch = loop {
        match stream.alloc::<u8>(len) {
            Ok(buffer) => break buffer,
            Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory { .. }) && len > 1 << 20 => {
                say!("out of memory: {error}");
                len = 1 << 20;
            }
            Err(error) => return Err(error),
        }
    };
    assert_eq!(scratch.len(), 1 << 20);

    // What is not there is said, with what to do about it.
    let error = expect_error(warpwave::open_named("gpu"))?;
    say!("no such name:  {error}");
    assert!(matches!(error.kind(), ErrorKind::InvalidArgument { .. }));
    // Kinds may be added in later versions, so a match on them has a last arm.
    match warpwave::open_named("cuda:0").as_ref().map_err(Error::kind) {
        Ok(device) => say!("cuda:0:        it is {}", device.info().name),
        Err(ErrorKind::NotCompiled { backend, remedy }) => say!("no {backend} backend: {remedy}"),
        Err(ErrorKind::Unavailable { library, remedy, .. }) => say!("no {library}: {remedy}"),
        Err(ErrorKind::NoDevice { device, remedy }) => say!("no {device}: {remedy}"),
        Err(other) => say!("cuda:0:        {other}"),
    }

    // After all of that the device computes as before.
    stream.axpy(1.0, &x.slice(..2)?, &mut y)?;
    let result = stream.to_vec(&y)?;
    say!("still working: {result:?}");
    assert_eq!(result, [11.0, 22.0]);
    Ok(())
}

/// The error of a call that has to fail.
fn expect_error<T>(result: Result<T>) -> Result<Error> {
    match result {
        Err(error) => Ok(error),
        Ok(_) => Err(Error::invalid("result", "an error", "success")),
    }
}
