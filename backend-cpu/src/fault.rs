//! Failures of work, from the moment they happen until they are reported.

use crate::sync::lock;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use warpwave_core::{Error, ErrorKind, Result};

/// The first failure on a stream that was not reported yet.
#[derive(Debug, Default)]
pub(crate) struct Fault(Mutex<Option<Error>>);

impl Fault {
    /// Keeps the error of a failed piece of work, unless an earlier one is still to be reported.
    pub(crate) fn keep(&self, outcome: Result<()>) {
        if let Err(error) = outcome {
            lock(&self.0).get_or_insert(error);
        }
    }

    /// Reports what was kept, once.
    pub(crate) fn report(&self) -> Result<()> {
        lock(&self.0).take().map_or(Ok(()), Err)
    }
}

/// Runs `work` and makes a panic in it an [`ErrorKind::DeviceFault`].
pub(crate) fn catch(what: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    // Nothing that the closures borrow is looked at again after a panic but the bytes of the outputs, which are
    // unspecified then.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let message = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
            (Some(text), _) => (*text).to_owned(),
            (_, Some(text)) => text.clone(),
            _ => "no message".to_owned(),
        };
        discard(payload);
        Err(ErrorKind::DeviceFault { what: format!("{what} panicked: {message}") }.into())
    })
}

/// Drops what a panic carried. It can be any type, and its destructor can panic too.
fn discard(payload: Box<dyn Any + Send>) {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn every_panic_becomes_an_error() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                std::panic::panic_any(Bomb);
            }
        }
        let text = |outcome: Result<()>| outcome.unwrap_err().to_string();
        assert_eq!(catch("x", || Ok(())), Ok(()));
        assert!(text(catch("x", || panic!("plain"))).contains("x panicked: plain"));
        assert!(text(catch("x", || panic!("number {}", 7))).contains("x panicked: number 7"));
        assert!(text(catch("x", || std::panic::panic_any(7))).contains("no message"));
        assert!(text(catch("x", || std::panic::panic_any(Bomb))).contains("no message"));
    }

    #[test]
    fn the_first_error_is_reported_once() {
        let fault = Fault::default();
        assert_eq!(fault.report(), Ok(()));
        fault.keep(Ok(()));
        fault.keep(Err(Error::unsupported("first")));
        fault.keep(Err(Error::unsupported("second")));
        assert_eq!(fault.report(), Err(Error::unsupported("first")));
        assert_eq!(fault.report(), Ok(()));
    }
}
