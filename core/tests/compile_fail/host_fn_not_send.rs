//! A host function runs on another thread.
use std::rc::Rc;
use warpwave_core::{Result, Stream};

fn f<S: Stream>(stream: &S, shared: Rc<u32>) -> Result<()> {
    stream.host_fn(move || drop(shared))
}

fn main() {}
