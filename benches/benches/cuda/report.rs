//! The table: a row for each figure, and the same as JSON.

use std::fmt::{self, Write};

/// What a figure is to reach. None fails the run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Goal {
    /// A ratio of rates, ours to the peer's: not less.
    Ratio(f64),
    /// A ratio of times, ours to the peer's: not more.
    Times(f64),
    /// A time beyond the peer's: not more.
    Beyond(f64),
    /// A time: not more.
    AtMost(f64),
    /// Nothing.
    Shown,
}

/// What cannot be left out, as an amount: bytes that have to be moved, or operations to be made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Floor {
    pub(crate) amount: f64,
    /// `B` or `FLOP`.
    pub(crate) unit: &'static str,
}

/// Another program's figure of another run, in the unit of the row.
pub(crate) type Before = (&'static str, f64);

/// One row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    /// Of both sides' figures: `µs`, `GB/s` …
    pub(crate) unit: &'static str,
    /// Ours, or why there is none.
    pub(crate) ours: Result<f64, String>,
    /// Who the peer is, and its figure of this run, or why there is none.
    pub(crate) peer: Option<(&'static str, Result<f64, String>)>,
    pub(crate) goal: Goal,
    pub(crate) floor: Option<Floor>,
    /// Bytes of the floor per second, as a part of those of the copy in this run.
    pub(crate) of_copy: Option<f64>,
    pub(crate) before: &'static [Before],
}

impl Row {
    /// A row of ours alone that is to reach nothing.
    pub(crate) fn new(name: &str, ours: f64, unit: &'static str) -> Self {
        Row {
            name: name.to_owned(),
            unit,
            ours: Ok(ours),
            peer: None,
            goal: Goal::Shown,
            floor: None,
            of_copy: None,
            before: &[],
        }
    }

    /// A row that could not be measured.
    pub(crate) fn missing(name: &str, why: &dyn fmt::Display) -> Self {
        Row { ours: Err(one_line(why)), ..Row::new(name, f64::NAN, "") }
    }

    /// What the goal is about, if both sides that it needs are there.
    fn figure(&self) -> Option<f64> {
        let ours = *self.ours.as_ref().ok()?;
        let peer = || self.peer.as_ref()?.1.as_ref().ok().copied();
        match self.goal {
            Goal::Ratio(_) | Goal::Times(_) => Some(ours / peer()?),
            Goal::Beyond(_) => Some(ours - peer()?),
            Goal::AtMost(_) | Goal::Shown => Some(ours),
        }
    }

    /// Whether the goal is reached, if there is one and a figure.
    fn reached(&self) -> Option<bool> {
        let figure = self.figure()?;
        match self.goal {
            Goal::Ratio(limit) => Some(figure >= limit),
            Goal::Times(limit) | Goal::Beyond(limit) | Goal::AtMost(limit) => Some(figure <= limit),
            Goal::Shown => None,
        }
    }

    /// Both sides' figures, and what there is besides, in words with units.
    fn detail(&self, ours: f64) -> String {
        let mut parts = Vec::new();
        if !matches!(self.goal, Goal::AtMost(_) | Goal::Shown) {
            parts.push(format!("{} {}", short(ours), self.unit));
        }
        match &self.peer {
            Some((name, Ok(peer))) => parts.push(format!("{name} {} {}", short(*peer), self.unit)),
            Some((name, Err(why))) => parts.push(format!("{name} not measured: {why}")),
            None => {}
        }
        if let Some(Floor { amount, unit }) = self.floor {
            parts.push(format!("floor {}", with_prefix(amount, unit)));
        }
        if let Some(part) = self.of_copy {
            parts.push(format!("{:.1} % of the copy", part * 100.0));
        }
        if !self.before.is_empty() {
            let figures: Vec<_> = self.before.iter().map(|(name, value)| format!("{name} {}", short(*value))).collect();
            parts.push(format!("measured before, another run: {}", figures.join(", ")));
        }
        parts.join(", ")
    }

    /// An object of JSON.
    fn json(&self) -> String {
        let mut text = format!("{{\"name\": {}, \"unit\": {}", quoted(&self.name), quoted(self.unit));
        let mut add = |key: &str, value: String| {
            // A `String` takes everything.
            let _ = write!(text, ", \"{key}\": {value}");
        };
        match &self.ours {
            Ok(ours) => add("ours", number(*ours)),
            Err(why) => add("not_measured", quoted(why)),
        }
        if let Some((name, peer)) = &self.peer {
            let (key, value) = match peer {
                Ok(peer) => ("value", number(*peer)),
                Err(why) => ("not_measured", quoted(why)),
            };
            add("peer", format!("{{\"name\": {}, \"{key}\": {value}}}", quoted(name)));
        }
        let (kind, limit) = match self.goal {
            Goal::Ratio(limit) => ("ratio at least", limit),
            Goal::Times(limit) => ("ratio at most", limit),
            Goal::Beyond(limit) => ("difference at most", limit),
            Goal::AtMost(limit) => ("at most", limit),
            Goal::Shown => ("none", f64::NAN),
        };
        add("goal", format!("{{\"kind\": {}, \"limit\": {}}}", quoted(kind), number(limit)));
        add("figure", self.figure().map_or_else(|| "null".to_owned(), number));
        add("reached", self.reached().map_or_else(|| "null".to_owned(), |reached| reached.to_string()));
        if let Some(Floor { amount, unit }) = self.floor {
            add("floor", format!("{{\"amount\": {}, \"unit\": {}}}", number(amount), quoted(unit)));
        }
        if let Some(part) = self.of_copy {
            add("part_of_copy", number(part));
        }
        let before = |(name, value): &Before| format!("{{\"name\": {}, \"value\": {}}}", quoted(name), number(*value));
        add("measured_before", format!("[{}]", self.before.iter().map(before).collect::<Vec<_>>().join(", ")));
        text + "}"
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<28}", self.name)?;
        let ours = match &self.ours {
            Err(why) => return write!(f, " not measured: {why}"),
            Ok(ours) => *ours,
        };
        let figure = self.figure();
        let (text, unit, target) = match self.goal {
            Goal::Ratio(limit) => (figure.map(|x| format!("{x:.3}")), "×", format!("target ≥ {limit}")),
            Goal::Times(limit) => (figure.map(|x| format!("{x:.3}")), "×", format!("target ≤ {limit}")),
            Goal::Beyond(limit) => (figure.map(|x| format!("{x:+.2}")), self.unit, format!("target ≤ +{limit}")),
            Goal::AtMost(limit) => (figure.map(short), self.unit, format!("target ≤ {limit}")),
            Goal::Shown => (figure.map(short), self.unit, String::new()),
        };
        let text = text.unwrap_or_else(|| "–".to_owned());
        write!(f, "{text:>8} {unit:<8} {target:<14} {:<70}", self.detail(ours))?;
        match self.reached() {
            Some(true) => f.write_str(" ok"),
            Some(false) => f.write_str(" under target"),
            None => Ok(()),
        }
    }
}

/// The whole run as JSON: texts that describe it, the seconds that it took, and the rows.
pub(crate) fn json(about: &[(&str, String)], seconds: f64, rows: &[Row]) -> String {
    let about: String = about.iter().map(|(key, text)| format!("  \"{key}\": {},\n", quoted(text))).collect();
    let rows: Vec<_> = rows.iter().map(|row| format!("    {}", row.json())).collect();
    format!("{{\n{about}  \"seconds\": {},\n  \"rows\": [\n{}\n  ]\n}}\n", number(seconds), rows.join(",\n"))
}

/// A text on one line.
pub(crate) fn one_line(text: &dyn fmt::Display) -> String {
    text.to_string().lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// A number with three digits or more.
fn short(x: f64) -> String {
    let digits = match x.abs() {
        x if x >= 100.0 => 0,
        x if x >= 10.0 => 1,
        _ => 2,
    };
    format!("{x:.digits$}")
}

/// An amount with a prefix of the unit.
fn with_prefix(amount: f64, unit: &str) -> String {
    let (factor, prefix) = match amount {
        x if x >= 1e12 => (1e12, "T"),
        x if x >= 1e9 => (1e9, "G"),
        x if x >= 1e6 => (1e6, "M"),
        _ => (1.0, ""),
    };
    format!("{} {prefix}{unit}", short(amount / factor))
}

/// A number of JSON, which has no infinities and no NaN.
fn number(x: f64) -> String {
    if x.is_finite() { format!("{x}") } else { "null".to_owned() }
}

/// A text of JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
