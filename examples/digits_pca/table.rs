//! Reading rows of numbers, with errors that say where.

use csv::{ByteRecord, ReaderBuilder, Trim};
use flate2::bufread::MultiGzDecoder;
use std::fmt;
use std::io::Read;
use std::path::Path;

/// See `examples/data/README.md`.
const DIGITS: &[u8] = include_bytes!("../data/digits.csv.gz");

/// Rows of `cols` numbers, each with the digit that it stands for.
#[derive(Debug, PartialEq)]
pub(crate) struct Table {
    /// Row by row.
    pub(crate) values: Vec<f64>,
    pub(crate) cols: usize,
    /// One for each row.
    pub(crate) digits: Vec<u8>,
}

/// What is wrong with a file, and where. Lines and columns count from 1; a column is a value, not a character.
#[derive(Debug, PartialEq)]
pub(crate) struct DataError {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) expected: String,
    pub(crate) got: String,
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DataError { line, column, expected, got } = self;
        write!(f, "line {line}, column {column}: expected {expected}, got {got}")
    }
}

impl std::error::Error for DataError {}

impl DataError {
    fn new(line: usize, column: usize, expected: impl Into<String>, got: impl Into<String>) -> Self {
        DataError { line, column, expected: expected.into(), got: got.into() }
    }

    /// At the end of what could be read.
    fn at_end(text: &[u8], expected: &str, got: impl Into<String>) -> Self {
        let start_of_line = text.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        let column = 1 + text[start_of_line..].iter().filter(|&&b| b == b',').count();
        DataError::new(1 + newlines(text), column, expected, got)
    }
}

fn newlines(text: &[u8]) -> usize {
    text.iter().filter(|&&b| b == b'\n').count()
}

impl Table {
    /// Reads a file, gzipped if its name ends with `.gz`; without a name, the built-in digits.
    ///
    /// # Errors
    /// If it cannot be read, and [`DataError`] for what is in it; both with the file's name.
    pub(crate) fn read(file: Option<&Path>) -> Result<Table, String> {
        let name = file.map_or("built-in digits".into(), |file| file.display().to_string());
        let bytes = match file {
            None => DIGITS.to_vec(),
            Some(file) => std::fs::read(file).map_err(|e| format!("{name}: {e}"))?,
        };
        let zipped = file.is_none_or(|file| file.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz")));
        let text = if zipped { gunzip(&bytes) } else { Ok(bytes) };
        text.and_then(|text| Table::parse(&text).map_err(|e| e.to_string())).map_err(|e| format!("{name}: {e}"))
    }

    pub(crate) fn rows(&self) -> usize {
        self.digits.len()
    }

    /// At least two rows of at least three columns: finite numbers, the last a digit. Blank lines are skipped.
    fn parse(text: &[u8]) -> Result<Table, DataError> {
        // Rows of any length are let through here, so that a ragged one is an error of ours, with a column.
        let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).trim(Trim::All).from_reader(text);
        let mut table = Table { values: Vec::new(), cols: 0, digits: Vec::new() };
        let mut record = ByteRecord::new();
        let (mut line, mut counted) = (1, 0);
        loop {
            let more = reader.read_byte_record(&mut record);
            if !more.map_err(|e| DataError::new(line, 1, "comma-separated values", e.to_string()))? {
                break;
            }
            // csv gives the position where the record before ended: line ends and blank lines may lie between.
            let at = record.position().map_or(0, |position| position.byte() as usize).min(text.len());
            let start = at + text[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
            line += newlines(&text[counted..start]);
            counted = start;
            table.push(&record, line)?;
        }
        match table.rows() {
            0 | 1 => Err(DataError::at_end(text, "at least two rows", "the end of the file")),
            _ => Ok(table),
        }
    }

    fn push(&mut self, record: &ByteRecord, line: usize) -> Result<(), DataError> {
        if self.digits.is_empty() {
            self.cols = record.len().saturating_sub(1);
            if self.cols < 2 {
                let expected = "at least two values and a digit in a row";
                return Err(DataError::new(line, record.len() + 1, expected, "the end of the line"));
            }
        }
        for (i, field) in record.iter().enumerate() {
            let text = String::from_utf8_lossy(field);
            let wrong = |expected: &str| DataError::new(line, i + 1, expected, quoted(&text));
            match i.cmp(&self.cols) {
                std::cmp::Ordering::Less => match text.parse::<f64>() {
                    Ok(value) if value.is_finite() => self.values.push(value),
                    _ => return Err(wrong("a finite number")),
                },
                std::cmp::Ordering::Equal => match text.parse() {
                    Ok(digit @ 0..=9) => self.digits.push(digit),
                    _ => return Err(wrong("a digit from 0 to 9")),
                },
                std::cmp::Ordering::Greater => {
                    return Err(wrong(&format!("the end of the line after {} columns, as in the first row", i)));
                }
            }
        }
        if record.len() <= self.cols {
            let expected = format!("{} columns, as in the first row", self.cols + 1);
            return Err(DataError::new(line, record.len() + 1, expected, "the end of the line"));
        }
        Ok(())
    }
}

/// A field for a message. It may be of any length and content: one quotation mark too many makes the rest of the file one field.
fn quoted(field: &str) -> String {
    let mut chars = field.chars();
    let start: String = chars.by_ref().take(40).collect();
    let more = if chars.next().is_some() { "…" } else { "" };
    format!("`{}`{more}", start.escape_debug())
}

/// Unpacks gzip data; an error says how far it was read. It cannot say the line: the decoder keeps its last 32 KiB to itself.
fn gunzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let mut decoder = MultiGzDecoder::new(bytes);
    decoder.read_to_end(&mut text).map_err(|error| {
        let read = bytes.len() - decoder.get_ref().len();
        format!("byte {read} of {}: expected undamaged gzip data, got: {error}", bytes.len())
    })?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    /// (line, column, what the message expects, what it got).
    type Wrong<'a> = (usize, usize, &'a str, &'a str);

    fn assert_wrong(text: &[u8], (line, column, expected, got): Wrong<'_>) {
        let error = Table::parse(text).unwrap_err();
        let name = String::from_utf8_lossy(text);
        assert_eq!((error.line, error.column), (line, column), "{name:?}: {error}");
        assert!(error.expected.contains(expected), "{name:?}: {error}");
        assert!(error.got.contains(got), "{name:?}: {error}");
        let (start, message) = (format!("line {line}, column {column}: expected "), error.to_string());
        assert!(message.starts_with(&start), "{message}");
    }

    /// The built-in file is the whole data set: its size, its ends, and sums that one changed pixel or class would
    /// change.
    #[test]
    fn built_in_digits() {
        let table = Table::read(None).unwrap();
        assert_eq!((table.rows(), table.cols, table.values.len()), (1797, 64, 1797 * 64));
        assert!(table.values.iter().all(|v| (0.0..=16.0).contains(v) && v.fract() == 0.0));
        assert_eq!(table.values[..6], [0.0, 0.0, 5.0, 13.0, 9.0, 1.0]);
        assert_eq!((table.digits[0], table.digits[1796]), (0, 8));
        let counts: Vec<_> = (0..10).map(|d| table.digits.iter().filter(|&&x| x == d).count()).collect();
        assert_eq!(counts, [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]);
        assert_eq!(table.values.iter().sum::<f64>(), 561_718.0);
    }

    /// Spaces, quotes, blank lines, both kinds of line end, no line end, signs and exponents are all one table.
    #[test]
    fn one_table_many_spellings() {
        let table = Table { values: vec![1.0, -2.5, 3e2, 0.0], cols: 2, digits: vec![7, 9] };
        for text in [
            "1,-2.5,7\n3e2,0,9\n",
            "1,-2.5,7\r\n3e2,0,9",
            "\n\n1, -2.5 ,7\n\n3E+2,-0.0,9\n\n",
            "\"1\",\"-2.5\",\"7\"\n300,.0,+9\n",
        ] {
            assert_eq!(Table::parse(text.as_bytes()).unwrap(), table, "{text:?}");
        }
    }

    /// Every kind of damage is found at its line and column, also behind blank lines, quotes with line ends in them,
    /// and CRLF.
    #[test]
    fn damage_is_located() {
        let (number, digit, end) = ("a finite number", "a digit from 0 to 9", "the end of the line");
        assert_wrong(b"", (1, 1, "two rows", "end of the file"));
        assert_wrong(b"\n\n", (3, 1, "two rows", "end of the file"));
        assert_wrong(b"1,2,3\n", (2, 1, "two rows", "end of the file"));
        assert_wrong(b"1,2,3", (1, 3, "two rows", "end of the file"));
        assert_wrong(b"7\n8\n", (1, 2, "two values and a digit", end));
        assert_wrong(b"1,2\n3,4\n", (1, 3, "two values and a digit", end));
        assert_wrong(b"1,2,3\n4,5\n", (2, 3, "3 columns", end));
        assert_wrong(b"1,2,3\n4\n", (2, 2, "3 columns", end));
        assert_wrong(b"1,2,3\n4,5,6,7\n", (2, 4, "end of the line after 3", "`7`"));
        assert_wrong(b"1,2,3\n4,x,6\n", (2, 2, number, "`x`"));
        assert_wrong(b"a,b,class\n1,2,3\n", (1, 1, number, "`a`"));
        assert_wrong(b"1,2,3\n4,,6\n", (2, 2, number, "``"));
        assert_wrong(b"1,2,3\n4,0x1,6\n", (2, 2, number, "`0x1`"));
        for word in ["NaN", "inf", "-inf", "1e999", "1 2", "1_000"] {
            assert_wrong(format!("1,2,3\n{word},5,6\n").as_bytes(), (2, 1, number, word));
        }
        for word in ["10", "-1", "3.0", "256", "", "three"] {
            assert_wrong(format!("1,2,3\n4,5,{word}\n").as_bytes(), (2, 3, digit, word));
        }
        assert_wrong(b"1,2,3\n4,\xff,6\n", (2, 2, number, "\u{fffd}"));
        assert_wrong(b"\n1,2,3\n\n\n4,5,6\n\n7,x,9\n", (7, 2, number, "`x`"));
        assert_wrong(b"1,2,3\r\n4,5,6\r\n\r\n7,x,9\r\n", (4, 2, number, "`x`"));
        assert_wrong(b"\"1\n\",2,3\n4,x,6\n", (3, 2, number, "`x`"));
        assert_wrong(b"1,2,3\n\"4,5,6\n7,8,9\n", (2, 1, number, r"`4,5,6\n7,8,9`"));
    }

    /// A quotation mark that is never closed makes one field of all the rest: the message shows its start, on one line.
    #[test]
    fn long_fields_are_cut() {
        let text = format!("1,2,3\n\"4,5,6\n{}", "7,8,9\n\u{1b}[2J\n".repeat(10_000));
        let error = Table::parse(text.as_bytes()).unwrap_err();
        assert_eq!((error.line, error.column), (2, 1));
        assert_eq!(error.got, r"`4,5,6\n7,8,9\n\u{1b}[2J\n7,8,9\n\u{1b}[2J\n7,8,9\n\u{1b}[2J\n7`…");
        for (length, more) in [(40, ""), (41, "…")] {
            let error = Table::parse(format!("{},2,3\n", "é".repeat(length)).as_bytes()).unwrap_err();
            assert_eq!(error.got, format!("`{}`{more}", "é".repeat(40)));
        }
    }

    fn zipped(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// A gzip file cut off anywhere is an error, never a shorter table.
    #[test]
    fn truncated_gzip() {
        let text: String = (0..2000).map(|i| format!("{},{},{}\n", i * i % 97, i * 31 % 89, i % 10)).collect();
        let whole = zipped(text.as_bytes());
        assert_eq!(gunzip(&whole).unwrap(), text.as_bytes());
        for len in 1..whole.len() {
            let error = gunzip(&whole[..len]).unwrap_err();
            assert!(error.starts_with(&format!("byte {len} of {len}: expected undamaged gzip data")), "{error}");
        }
        // Nothing at all is no data, whether or not the decoder minds.
        assert!(gunzip(&[]).map_or(true, |text| Table::parse(&text).is_err()));
    }

    /// The position of a damage in a gzip file is the byte that had been reached when it was noticed.
    #[test]
    fn damaged_gzip() {
        // Two blocks, stored as they are; the length of the second is stored twice, here with a difference.
        let mut encoder = GzEncoder::new(Vec::new(), Compression::none());
        encoder.write_all(&b"1,2,3\n".repeat(10_000)).unwrap();
        let whole = encoder.finish().unwrap();
        let (len, header) = (whole.len(), 10);
        let second = header + 5 + usize::from(u16::from_le_bytes([whole[header + 1], whole[header + 2]]));
        let damaged = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            gunzip(&bytes).unwrap_err()
        };
        assert!(damaged(second + 1).starts_with(&format!("byte {} of {len}: ", second + 5)), "{}", damaged(second + 1));
        // The check sum stands at the end.
        assert!(damaged(second / 2).starts_with(&format!("byte {len} of {len}: ")), "{}", damaged(second / 2));
        assert!(damaged(0).contains("header"), "{}", damaged(0));
    }

    /// A file that is not there is an error with its name.
    #[test]
    fn missing_file() {
        assert!(Table::read(Some(Path::new("no/such/file.csv"))).unwrap_err().starts_with("no/such/file.csv: "));
    }
}
