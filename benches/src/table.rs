//! The table: one row for each figure, with what it is to reach.

use std::fmt;

/// What a figure is to reach.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// A ratio to a peer: not less than these.
    AtLeast {
        /// What it should be.
        target: f64,
        /// What it must be.
        floor: f64,
    },
    /// Nanoseconds: not more than these.
    AtMost {
        /// What it should be.
        target: f64,
        /// What it must be.
        floor: f64,
    },
    /// A ratio of times to a peer's: not more than this. There is no floor.
    TimesAtMost {
        /// What it should be.
        target: f64,
    },
}

/// One figure.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// What both sides reached, in words with units.
    pub detail: String,
    /// The figure, or why there is none.
    pub figure: Result<f64, String>,
    /// What it is to reach.
    pub goal: Goal,
}

impl Row {
    /// Whether the figure fails what it must be. A figure that was not taken does not; one that is no number does.
    pub fn is_below_floor(&self) -> bool {
        self.figure.is_ok() && !self.reaches(|target_and_floor| target_and_floor.1)
    }

    fn reaches_target(&self) -> bool {
        self.reaches(|target_and_floor| target_and_floor.0)
    }

    fn reaches(&self, limit: impl Fn((f64, f64)) -> f64) -> bool {
        match (&self.figure, self.goal) {
            (Err(_), _) => false,
            (Ok(figure), Goal::AtLeast { target, floor }) => *figure >= limit((target, floor)),
            (Ok(figure), Goal::AtMost { target, floor }) => *figure <= limit((target, floor)),
            (Ok(figure), Goal::TimesAtMost { target }) => *figure <= limit((target, f64::INFINITY)),
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<26}", self.name)?;
        let figure = match &self.figure {
            Err(why) => return write!(f, " not measured: {why}"),
            Ok(figure) => figure,
        };
        match self.goal {
            Goal::AtLeast { target, floor } => {
                write!(f, "{figure:>8.2} ×   target ≥ {target:<4}  floor ≥ {floor:<4}  {:<58}", self.detail)?;
            }
            Goal::TimesAtMost { target } => {
                write!(f, "{figure:>8.2} ×   target ≤ {target:<4}               {:<58}", self.detail)?;
            }
            Goal::AtMost { target, floor } => {
                write!(f, "{figure:>8.0} ns  target ≤ {target:<4}  floor ≤ {floor:<4}  {:<58}", self.detail)?;
            }
        }
        f.write_str(match (self.is_below_floor(), self.reaches_target()) {
            (true, _) => "BELOW FLOOR",
            (false, true) => "ok",
            (false, false) => "under target",
        })
    }
}
