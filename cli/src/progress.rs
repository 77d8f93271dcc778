//! A progress bar, where somebody sees it.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal, stderr};
use warpwave::DeviceInfo;
use warpwave_conformance::{CheckReport, Outcome, Progress};

/// Shows how far a run is, on standard error if that is a terminal.
#[derive(Debug)]
pub(crate) struct Bar {
    bar: ProgressBar,
    device: String,
    failed: usize,
}

impl Bar {
    pub(crate) fn new() -> Self {
        let target = if stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{prefix} [{bar:30}] {pos}/{len} {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        Bar { bar, device: String::new(), failed: 0 }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn begin(&mut self, device: &DeviceInfo, checks: usize) {
        self.device = format!("{} {}", device.id, device.mode);
        self.bar.reset();
        self.bar.set_length(checks as u64);
        self.bar.set_prefix(self.device.clone());
    }

    fn check(&mut self, id: &str) {
        self.bar.set_message(id.to_owned());
    }

    fn done(&mut self, report: &CheckReport) {
        if report.outcome == Outcome::Fail {
            self.failed += 1;
            self.bar.set_prefix(format!("{}, {} failed", self.device, self.failed));
        }
        self.bar.inc(1);
    }
}
