//! How thorough a run is.

use std::fmt;
use std::str::FromStr;

/// How thorough a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Seconds.
    #[default]
    Smoke,
    /// Minutes.
    Full,
    /// All inputs, where they can be enumerated. Hours.
    Exhaustive,
}

impl Level {
    /// Every level, by the time that it takes.
    pub const ALL: [Level; 3] = [Level::Smoke, Level::Full, Level::Exhaustive];

    /// The name that the command line takes.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Smoke => "smoke",
            Level::Full => "full",
            Level::Exhaustive => "exhaustive",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Level::ALL.into_iter().find(|level| level.name() == text);
        named.ok_or_else(|| format!("no level is named {text:?}; there are smoke, full and exhaustive"))
    }
}

/// How many cases there are at each [`Level`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// At [`Level::Smoke`].
    pub smoke: u32,
    /// At [`Level::Full`].
    pub full: u32,
    /// At [`Level::Exhaustive`].
    pub exhaustive: u32,
}

impl Counts {
    /// `smoke` cases, four times as many at the full level and forty times at the exhaustive one.
    pub const fn of(smoke: u32) -> Self {
        Counts { smoke, full: smoke.saturating_mul(4), exhaustive: smoke.saturating_mul(40) }
    }

    /// The same number at each level.
    pub const fn fixed(cases: u32) -> Self {
        Counts { smoke: cases, full: cases, exhaustive: cases }
    }

    /// The number at one level.
    pub const fn at(self, level: Level) -> u32 {
        match level {
            Level::Smoke => self.smoke,
            Level::Full => self.full,
            Level::Exhaustive => self.exhaustive,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn names_parse_and_nothing_else_does() {
        for level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        for text in ["", "Smoke", "smoke ", "quick"] {
            assert!(text.parse::<Level>().unwrap_err().contains("exhaustive"), "{text}");
        }
    }

    #[test]
    fn counts_grow_with_the_level_and_do_not_overflow() {
        let counts = Counts::of(3);
        assert_eq!(Level::ALL.map(|level| counts.at(level)), [3, 12, 120]);
        assert_eq!(Counts::of(u32::MAX).at(Level::Exhaustive), u32::MAX);
        assert_eq!(Level::ALL.map(|level| Counts::fixed(5).at(level)), [5, 5, 5]);
    }
}
