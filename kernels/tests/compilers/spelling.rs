//! What a kernel's text may not spell.

use std::fs;
use std::path::Path;

/// Words, beginnings of words where they end in `*`, and calls where they end in `(`.
const FORBIDDEN: &[&str] = &[
    "cuda*",
    "hip*",
    "CUDA*",
    "HIP*",
    "__CUDA*",
    "__HIP*",
    "__AMDGCN*",
    "__GFX*",
    "__shfl*",
    "__ballot*",
    "__sync*",
    "__threadfence*",
    "__builtin*",
    "__device__",
    "__global__",
    "__host__",
    "__shared__",
    "__launch_bounds__",
    "__ldg",
    "__asm*",
    "asm",
    "warpSize",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "atomicAdd",
    "atomicCAS",
    "atomicExch",
    "fma(",
    "fmaf(",
    "fmin(",
    "fminf(",
    "fmax(",
    "fmaxf(",
    "sqrt(",
    "sqrtf(",
    "std",
    "include",
    "WW_CUDA",
    "WW_HIP",
    "WW_HOST",
];

/// The text with its comments blank.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("//").into_iter().chain(rest.find("/*")).min() {
        out.push_str(&rest[..at]);
        let end = if rest[at..].starts_with("//") {
            rest[at..].find('\n').map_or(rest.len(), |end| at + end)
        } else {
            rest[at..].find("*/").map_or(rest.len(), |end| at + end + 2)
        };
        out.extend(rest[at..end].chars().filter(|&c| c == '\n'));
        rest = &rest[end..];
    }
    out + rest
}

fn is_forbidden(word: &str, is_call: bool) -> bool {
    FORBIDDEN.iter().any(|forbidden| match (forbidden.strip_suffix('*'), forbidden.strip_suffix('(')) {
        (Some(beginning), _) => word.starts_with(beginning),
        (_, Some(name)) => word == name && is_call,
        _ => word == *forbidden,
    })
}

/// The forbidden words of a text, as `file:line: word`.
fn find(file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in without_comments(text).lines().enumerate() {
        for word in line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_') {
            // The words are parts of the line.
            let rest = &line[word.as_ptr().addr() - line.as_ptr().addr() + word.len()..];
            if is_forbidden(word, rest.trim_start().starts_with('(')) {
                found.push(format!("{file}:{}: {word}", number + 1));
            }
        }
    }
    found
}

/// No text of ours spells any.
pub(crate) fn texts() -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("device");
    let mut found = Vec::new();
    for entry in fs::read_dir(&folder).map_err(|error| error.to_string())? {
        let path = entry.map_err(|error| error.to_string())?.path();
        let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        found.extend(find(&format!("kernels/device/{name}"), &text));
    }
    if found.is_empty() { Ok(()) } else { Err(format!("a kernel's text may not spell\n{}", found.join("\n"))) }
}

/// Every forbidden word is found in code, with its line, and not in a comment or within another word.
pub(crate) fn finds() -> Result<(), String> {
    for forbidden in FORBIDDEN {
        let word = forbidden.replace('*', "Xyz").replace('(', "");
        let text = format!("int a; // {word}\n/* {word}\n{word} */ int ww_{word};\nreturn {word}(a);\n");
        let expected = [format!("x.hip:4: {word}")];
        let got = find("x.hip", &text);
        if got != expected {
            return Err(format!("expected {expected:?}, got {got:?}"));
        }
    }
    Ok(())
}
