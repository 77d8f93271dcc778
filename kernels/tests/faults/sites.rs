//! Where a kernel's text says how its threads work together, and the text with a switch at each such place.

use std::fmt::Write as _;
use std::ops::Range;

/// What a place in a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A barrier of a block or a warp. At fault it is not there.
    Barrier,
    /// A shuffle. At fault it does not reach from one half of its lanes to the other.
    Shuffle,
    /// What asks all lanes, or is a mask of them. At fault it has half of the bits.
    Mask,
    /// The size of a warp in what is done. At fault it is 32 where it is 64.
    Warp,
    /// The same in what the compiler has to know: there a text of its own has the number 32.
    Constant,
}

/// A place in a text.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) kind: Kind,
    /// The word there.
    pub(crate) word: &'static str,
    /// From 1 on.
    pub(crate) line: usize,
    /// How often the word has been on such a line before, counted over the whole text.
    pub(crate) nth: usize,
    /// The line, without what is around it.
    pub(crate) text: String,
    at: Range<usize>,
}

const WORDS: [(&str, Kind); 12] = [
    ("ww_barrier", Kind::Barrier),
    ("ww_warp_barrier", Kind::Barrier),
    ("ww_shuffle", Kind::Shuffle),
    ("ww_shuffle_up", Kind::Shuffle),
    ("ww_shuffle_down", Kind::Shuffle),
    ("ww_shuffle_xor", Kind::Shuffle),
    ("ww_ballot", Kind::Mask),
    ("ww_any", Kind::Mask),
    ("ww_all", Kind::Mask),
    ("ww_lanes_below", Kind::Mask),
    ("ww_lane_mask", Kind::Mask),
    ("WW_WARP", Kind::Warp),
];

/// The text with its comments blank, byte by byte.
fn without_comments(text: &str) -> String {
    let mut out = text.to_owned().into_bytes();
    let mut from = 0;
    while let Some(at) = text[from..].find("//").into_iter().chain(text[from..].find("/*")).min() {
        let start = from + at;
        let rest = &text[start..];
        let len = if rest.starts_with("//") { rest.find('\n') } else { rest.find("*/").map(|end| end + 2) };
        from = start + len.unwrap_or(rest.len());
        out[start..from].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether what stands behind `before` on a line is for the compiler to know.
fn is_constant(before: &str) -> bool {
    let opened = before.matches('[').count() > before.matches(']').count();
    // A declaration has a type and a name in front of the bracket.
    let declares = opened && before.trim_start().split('[').next().is_some_and(|start| start.trim().contains(' '));
    let is_assigned = before.contains('=') || before.contains('(');
    before.starts_with("const ")
        || before.contains("constexpr")
        || before.contains("WW_SHARED(")
        || (declares && !is_assigned)
}

/// Every place in a text, from the first on.
pub(crate) fn sites(text: &str) -> Vec<Site> {
    let code = without_comments(text);
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let (bytes, mut found, mut at) = (code.as_bytes(), Vec::new(), 0);
    while at < bytes.len() {
        let len = bytes[at..].iter().take_while(|&&byte| is_part(byte)).count();
        if let Some(&(word, kind)) = WORDS.iter().find(|(word, _)| *word == &code[at..at + len]) {
            let start = code[..at].rfind('\n').map_or(0, |end| end + 1);
            let end = code[at..].find('\n').map_or(code.len(), |len| at + len);
            let constant = kind == Kind::Warp && is_constant(&code[start..at]);
            let text = code[start..end].trim_matches([' ', '\\']);
            let nth = found.iter().filter(|before: &&Site| before.word == word && before.text == text).count();
            found.push(Site {
                nth,
                kind: if constant { Kind::Constant } else { kind },
                word,
                line: code[..at].matches('\n').count() + 1,
                text: text.to_owned(),
                at: at..at + len,
            });
        }
        at += len.max(1);
    }
    found
}

const TYPES: [&str; 15] =
    ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64", "f16", "bf16", "c32", "c64", "bytes16"];

/// The types of which there are kernels of a text then: all would take the compiler long.
fn types(name: &str) -> &'static [&'static str] {
    match name {
        "reduce" => &["f32", "u64"],
        "fill" => &["u64"],
        _ => &["f32", "u32"],
    }
}

/// What the places call. `ww_fault` is the number of the one that is at fault, from 1 on.
const SWITCHES: &str = "
static ww_u32 ww_fault;
WW_KERNEL(ww_fault_choose, 1, ww_u32 n) { ww_fault = n; }
WW_HOST_PLACE bool ww_fault_is(ww_u32 n) { return ww_fault == n; }
#define WW_FAULT_SKIP(n, call) (ww_fault_is(n) ? (void)0 : (void)call)
WW_DEVICE ww_u32 ww_fault_warp(ww_u32 n) { return WW_WARP == 64 && ww_fault_is(n) ? 32 : WW_WARP; }
WW_DEVICE ww_lane_mask ww_fault_half(ww_u32 n, ww_lane_mask mask) {
    return ww_fault_is(n) ? mask & (((ww_lane_mask)1 << WW_WARP / 2) - 1) : mask;
}
template <ww_u32 N> WW_DEVICE ww_lane_mask ww_fault_ballot(bool condition) { return ww_fault_half(N, ww_ballot(condition)); }
template <ww_u32 N> WW_DEVICE bool ww_fault_any(bool condition) { return ww_fault_ballot<N>(condition) != 0; }
template <ww_u32 N> WW_DEVICE bool ww_fault_all(bool condition) { return ww_fault_ballot<N>(!condition) == 0; }
template <ww_u32 N> WW_DEVICE ww_lane_mask ww_fault_lanes_below() { return ww_fault_half(N, ww_lanes_below()); }
template <ww_u32 N> struct ww_fault_lane_mask {
    ww_lane_mask bits;
    ww_fault_lane_mask() {}
    WW_DEVICE ww_fault_lane_mask(ww_lane_mask mask) : bits(ww_fault_half(N, mask)) {}
    template <ww_u32 M> WW_DEVICE ww_fault_lane_mask(ww_fault_lane_mask<M> mask) : ww_fault_lane_mask(mask.bits) {}
    WW_DEVICE operator ww_lane_mask() const { return bits; }
    WW_DEVICE ww_fault_lane_mask operator~() const { return ww_fault_lane_mask(~bits); }
    WW_DEVICE ww_fault_lane_mask operator<<(ww_u32 n) const { return ww_fault_lane_mask(bits << n); }
    WW_DEVICE ww_fault_lane_mask& operator&=(ww_lane_mask mask) { return *this = ww_fault_lane_mask(bits & mask); }
    WW_DEVICE ww_fault_lane_mask& operator|=(ww_lane_mask mask) { return *this = ww_fault_lane_mask(bits | mask); }
};
template <ww_u32 N, class T> WW_DEVICE T ww_fault_shuffle(T value, ww_u32 lane) {
    const ww_u32 half = WW_WARP / 2;
    return ww_shuffle(value, ww_fault_is(N) ? (ww_lane() & half) | (lane & (half - 1)) : lane);
}
WW_DEVICE ww_u32 ww_fault_width(ww_u32 n, ww_u32 width) { return ww_fault_is(n) && width > 1 ? width / 2 : width; }
template <ww_u32 N, class T> WW_DEVICE T ww_fault_shuffle_up(T value, ww_u32 distance, ww_u32 width = WW_WARP) {
    return ww_shuffle_up(value, distance, ww_fault_width(N, width));
}
template <ww_u32 N, class T> WW_DEVICE T ww_fault_shuffle_down(T value, ww_u32 distance, ww_u32 width = WW_WARP) {
    return ww_shuffle_down(value, distance, ww_fault_width(N, width));
}
template <ww_u32 N, class T> WW_DEVICE T ww_fault_shuffle_xor(T value, ww_u32 mask) {
    return ww_shuffle_xor(value, ww_fault_is(N) ? mask & (WW_WARP / 2 - 1) : mask);
}
";

/// The text with a switch at each place, and with no more types than are looked at. If `constant` is the number of a place, it has 32 there.
pub(crate) fn with_switches(text: &str, name: &str, constant: Option<usize>) -> String {
    let mut out = String::new();
    for dtype in TYPES.iter().filter(|dtype| !types(name).contains(dtype)) {
        let _ = writeln!(out, "#undef WW_X_{dtype}\n#define WW_X_{dtype}(X)");
    }
    let _ = writeln!(out, "{SWITCHES}#line 1 \"{name}.hip\"");
    let mut from = 0;
    for (i, site) in sites(text).iter().enumerate() {
        let number = i + 1;
        out.push_str(&text[from..site.at.start]);
        from = site.at.end;
        let word = site.word;
        match site.kind {
            Kind::Barrier => {
                assert!(text[from..].starts_with("()"), "{name}.hip:{}: a call of a barrier", site.line);
                from += 2;
                let _ = write!(out, "WW_FAULT_SKIP({number}, {word}())");
            }
            Kind::Shuffle | Kind::Mask => {
                let _ = write!(out, "ww_fault_{}<{number}>", &word["ww_".len()..]);
            }
            Kind::Warp => {
                let _ = write!(out, "ww_fault_warp({number})");
            }
            Kind::Constant if constant == Some(number) => out.push_str("32"),
            Kind::Constant => out.push_str(word),
        }
    }
    out + &text[from..]
}

/// Places are found in code alone, and a switch stands at each.
#[test]
fn a_place_is_found_in_code() {
    let text = "// ww_barrier();\nconst ww_u32 N = 256 / WW_WARP; /* WW_WARP\n ww_barrier() */ struct s { ww_u32 a[8 / WW_WARP], b; };\n\
                WW_KERNEL(k, 64) {\n    WW_SHARED(int, a, 64 / WW_WARP);\n    a[ww_lane() / WW_WARP] = ww_shuffle_up(1, 2); \\\n    \
                ww_lane_mask m = ww_ballot(true); ww_barrier(); my_ww_barrier();\n    ww_u32 x[2 + WW_WARP] = {}; constexpr int c = WW_WARP;\n}\n";
    let found: Vec<_> = sites(text).iter().map(|site| (site.line, site.kind, site.word)).collect();
    let expected = [
        (2, Kind::Constant, "WW_WARP"),
        (3, Kind::Constant, "WW_WARP"),
        (5, Kind::Constant, "WW_WARP"),
        (6, Kind::Warp, "WW_WARP"),
        (6, Kind::Shuffle, "ww_shuffle_up"),
        (7, Kind::Mask, "ww_lane_mask"),
        (7, Kind::Mask, "ww_ballot"),
        (7, Kind::Barrier, "ww_barrier"),
        (8, Kind::Constant, "WW_WARP"),
        (8, Kind::Constant, "WW_WARP"),
    ];
    assert_eq!(found, expected);
    assert_eq!(sites(text)[4].text, "a[ww_lane() / WW_WARP] = ww_shuffle_up(1, 2);");
    let switched = with_switches(text, "x", Some(1));
    for part in [
        "// ww_barrier();\nconst ww_u32 N = 256 / 32; /* WW_WARP",
        "a[8 / WW_WARP], b;",
        "a[ww_lane() / ww_fault_warp(4)] = ww_fault_shuffle_up<5>(1, 2);",
        "ww_fault_lane_mask<6> m = ww_fault_ballot<7>(true); WW_FAULT_SKIP(8, ww_barrier()); my_ww_barrier();",
    ] {
        assert!(switched.contains(part), "{switched}");
    }
}
