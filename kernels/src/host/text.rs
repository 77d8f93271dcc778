//! What can be seen of a text without compiling it.

/// The words by which a thread waits for others, and those that only make sense with them.
const WAITING: [&str; 9] = [
    "ww_barrier",
    "ww_warp_barrier",
    "ww_ballot",
    "ww_any",
    "ww_all",
    "ww_spin",
    "ww_shuffle",
    "WW_SHARED",
    "WW_DYNAMIC_SHARED",
];

/// Whether a text has a word by which blocks tell each other something, outside of its comments.
pub(super) fn communicates(text: &str) -> bool {
    words(&without_comments(text)).any(|word| {
        ["ww_atomic", "ww_load_acquire", "ww_load_relaxed", "ww_store_re", "ww_fence", "ww_spin"]
            .iter()
            .any(|w| word.starts_with(w))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
}

/// Whether a text has a word by which a thread waits for others, outside of its comments.
pub(super) fn waits(text: &str) -> bool {
    words(&without_comments(text))
        // Words may be put together by a macro.
        .any(|word| WAITING.contains(&word) || word.starts_with("ww_shuffle") || word == "ww_" || word == "ww_shuf")
}

/// The first word by which a text reads another file, or asks whether there is one, outside of its comments: the line, from 1 on, and the
/// word.
pub(super) fn included(text: &str) -> Option<(usize, String)> {
    // A line that ends with a backslash goes on in the next one, in a comment too.
    let spliced: String = [SPLICE].iter().collect();
    let text = without_comments(&text.replace("\\\r\n", &spliced).replace("\\\n", &spliced));
    let mut number = 1;
    for line in text.split('\n') {
        let code = line.replace(SPLICE, "");
        let directive = code.trim_start();
        let before = line.len() - line.trim_start_matches(|c: char| c == SPLICE || c.is_whitespace()).len();
        let start = number + line[..before].matches(SPLICE).count();
        if let Some(rest) = ["#", "%:"].iter().find_map(|sign| directive.strip_prefix(sign)) {
            let word = words(rest.trim_start()).next().unwrap_or_default();
            if word.starts_with("include") || word == "import" || word == "embed" {
                return Some((start, format!("#{word}")));
            }
        }
        if let Some(word) = words(&code).find(|word| word.starts_with("__has_include") || *word == "__has_embed") {
            return Some((start, word.to_owned()));
        }
        number += 1 + line.matches(SPLICE).count();
    }
    None
}

/// In place of the end of a line that is none to the compiler.
const SPLICE: char = '\u{1}';

/// The text with its comments as blanks.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            let quote = &rest[..1];
            let end = if quote == "/" { 1 } else { literal(rest) };
            out.push_str(&rest[..end]);
            rest = &rest[end..];
            continue;
        };
        out.push(' ');
        out.extend(rest[..end].matches(['\n', SPLICE]).map(|_| SPLICE));
        rest = &rest[end..];
    }
    out.push_str(rest);
    out
}

/// The bytes of a string or character at the start of `text`; only the quote itself if it does not end on its line, as in `1'000`.
fn literal(text: &str) -> usize {
    let quote = text.as_bytes()[0];
    let mut escaped = false;
    for (i, &byte) in text.as_bytes().iter().enumerate().skip(1) {
        match byte {
            b'\n' => return 1,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return i + 1,
            _ => {}
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_outside_of_comments() {
        for text in [
            "ww_barrier();",
            "if (x) ww_shuffle_xor(v, 1);",
            "/* a */ ww_spin(); // b",
            "\"//\"; WW_SHARED(float, s, 4);",
            "int x = 1'000; ww_any(true); // it's",
        ] {
            assert!(waits(text), "{text}");
        }
        for text in
            ["", "// ww_barrier();", "/* ww_barrier()\n ww_spin */ x", "my_ww_barrier_count", "a / b; // ww_any"]
        {
            assert!(!waits(text), "{text}");
        }
    }

    #[test]
    fn what_is_included_is_found_with_its_line() {
        for (text, line, word) in [
            ("#include <cmath>", 1, "#include"),
            ("int x;\n  #\tinclude \"a.h\"", 2, "#include"),
            ("// a \\\n b\n/*\n*/ # /* \n */ include_next <a.h>", 4, "#include_next"),
            ("\n%:inc\\\r\nlude <a>", 2, "#include"),
            ("int a; /*\n\n*/\n#import <a.h>", 4, "#import"),
            ("const char x[] = {\n#embed \"x\"\n};", 2, "#embed"),
            ("#ifdef X\n#if X && __has_include(<a.h>)\n#endif\n#endif", 2, "__has_include"),
        ] {
            assert_eq!(included(text), Some((line, word.to_owned())), "{text}");
        }
        for text in [
            "",
            "// #include <a>",
            "/*\n#include <a>\n*/",
            "#define include 1\nint x = include;",
            "a # include",
            "\"#include\"",
        ] {
            assert_eq!(included(text), None, "{text}");
        }
    }
}
