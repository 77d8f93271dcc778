//! A host function runs later, so it cannot borrow from its caller.
use warpwave_core::{Result, Stream};

fn f<S: Stream>(stream: &S) -> Result<u32> {
    let mut called = 0;
    stream.host_fn(|| called += 1)?;
    Ok(called)
}

fn main() {}
