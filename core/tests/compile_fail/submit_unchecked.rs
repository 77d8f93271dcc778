//! Operations that no typed method has checked cannot be enqueued: what says that one did cannot be made or named.
use warpwave_core::{Operation, Result, Stream, Transfer};

fn nothing<S: Stream>(stream: &S, operation: Operation) -> Result<()> {
    stream.submit((), operation, &[])
}

fn made_up<S: Stream>(stream: &S, transfer: Transfer) -> Result<()> {
    stream.transfer(Default::default(), transfer, &[], "made up")
}

fn named<S: Stream>(stream: &S, operation: Operation) -> Result<()> {
    stream.submit(warpwave_core::runtime::Checked::TYPED, operation, &[])
}

fn main() {}
