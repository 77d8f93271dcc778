//! What is compiled: the prelude, the text, and the options that all compilers have in common.

/// The prelude: what stands in front of every text, by the names that compilers' messages give its parts.
pub const PRELUDE: &[(&str, &str)] = &[
    ("warpwave_parameter.h", include_str!("../include/warpwave_parameter.h")),
    ("warpwave.h", include_str!("../include/warpwave.h")),
    ("warpwave_numeric.h", include_str!("../include/warpwave_numeric.h")),
    ("warpwave_math.h", include_str!("../include/warpwave_math.h")),
];

/// How a text is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {
    /// Macros that are defined in front of the prelude, with their values.
    pub defines: Vec<(String, String)>,
}

impl Options {
    /// Defines a macro as well.
    #[must_use]
    pub fn define(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.defines.push((name.into(), value.into()));
        self
    }
}

/// The translation unit that a compiler is given: the macros, the prelude, and the text. Its lines have the numbers that they have in the
/// files they are from.
pub fn translation_unit(name: &str, text: &str, options: &Options) -> String {
    let mut unit = String::new();
    for (name, value) in &options.defines {
        unit.push_str(&format!("#define {name} {value}\n"));
    }
    for (name, text) in PRELUDE.iter().copied().chain([(name, text)]) {
        let name = name.replace(['\\', '"', '\n'], "_");
        unit.push_str(&format!("#line 1 \"{name}\"\n{text}\n"));
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_the_files() {
        let unit = translation_unit("a\"b.hip", "first\nsecond", &Options::default().define("WW_SOME", "1"));
        assert!(unit.starts_with("#define WW_SOME 1\n#line 1 \"warpwave_parameter.h\"\n"));
        assert!(unit.ends_with("#line 1 \"a_b.hip\"\nfirst\nsecond\n"));
    }
}
