//! Text for a terminal.

use std::io::{self, Write};

/// The width that output is made for.
pub(crate) const WIDTH: usize = 100;

/// The first paragraph of a message of clap's as one line, without `error: ` in front, and with the first tip if it has one.
pub(crate) fn one_line(message: &str) -> String {
    let lines = message.lines().map(str::trim);
    let first = lines.clone().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let first = first.trim_start_matches("error: ");
    match lines.filter_map(|line| line.strip_prefix("tip: ")).next() {
        Some(tip) => format!("{first}; {tip}"),
        None => first.to_owned(),
    }
}

/// A number with its thousands separated: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes `text` behind `head`, wrapped, with all lines but the first indented by the width of `head`. Words longer than a line
/// are not broken.
pub(crate) fn indented(out: &mut dyn Write, head: &str, text: &str) -> io::Result<()> {
    let indent = head.chars().count();
    let (mut line, mut column) = (head.to_owned(), indent);
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > indent && column + 1 + width > WIDTH {
            writeln!(out, "{line}")?;
            (line, column) = (" ".repeat(indent), indent);
        }
        if column > indent {
            line.push(' ');
            column += 1;
        }
        line.push_str(word);
        column += width;
    }
    writeln!(out, "{}", line.trim_end())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn a_message_becomes_one_line() {
        let message = "error: the following were not provided:\n  --x <X>\n\nUsage: y\n";
        assert_eq!(one_line(message), "the following were not provided: --x <X>");
        let message = "error: unexpected argument '--filr' found\n\n  tip: there is '--filter'\n\nUsage: y\n";
        assert_eq!(one_line(message), "unexpected argument '--filr' found; there is '--filter'");
        assert_eq!(one_line(""), "");
    }

    #[test]
    fn thousands_are_separated() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567"), (100_000, "100,000")];
        for (number, text) in cases {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn lines_are_wrapped_at_the_width_and_indented() {
        let wrap = |head: &str, text: &str| {
            let mut out = Vec::new();
            indented(&mut out, head, text).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(wrap("a: ", "b  c\nd"), "a: b c d\n");
        assert_eq!(wrap("a: ", ""), "a:\n");
        let text = wrap("head ", &"word ".repeat(50));
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("     word")), "{text}");
        assert_eq!(text.matches("word").count(), 50);
        let long = "x".repeat(300);
        assert_eq!(wrap("a ", &format!("b {long} c")), format!("a b\n  {long}\n  c\n"));
    }
}
