//! `WARPWAVE_REQUIRE`: what has to be there.

/// The names in `WARPWAVE_REQUIRE`, separated by commas: backends and tools whose absence is a failure instead of a reason to skip.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Required(Vec<String>);

impl Required {
    /// The backends, which whoever runs the suite checks.
    pub const BACKENDS: [&str; 3] = ["cpu", "cuda", "hip"];

    /// The tools, which the tests that need them check: the host's C++ compiler, clang with the target AMDGPU, nvcc, NVRTC and hipRTC.
    pub const TOOLS: [&str; 5] = ["cxx", "llvm", "nvcc", "nvrtc", "hiprtc"];

    /// The names in the environment; none if the variable is not set.
    pub fn from_env() -> Self {
        // What is not Unicode becomes a name that is not known.
        Required::parse(&std::env::var_os("WARPWAVE_REQUIRE").unwrap_or_default().to_string_lossy())
    }

    /// The names in `text`. Spaces around them do not count.
    pub fn parse(text: &str) -> Self {
        Required(text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// Whether `name` has to be there.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|required| required == name)
    }

    /// The backends that have to be there and are not among `present`, which holds backends' names or devices' identifiers.
    pub fn missing_backends<'a>(&'a self, present: &[&str]) -> Vec<&'a str> {
        let is_present = |name: &str| present.iter().any(|id| id.split(':').next() == Some(name));
        let backends = self.0.iter().map(String::as_str).filter(|name| Self::BACKENDS.contains(name));
        backends.filter(|name| !is_present(name)).collect()
    }

    /// The names that mean nothing: a mistyped one would require nothing and nobody would notice.
    pub fn unknown(&self) -> Vec<&str> {
        let names = self.0.iter().map(String::as_str);
        names.filter(|name| !Self::BACKENDS.contains(name) && !Self::TOOLS.contains(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_separated_by_commas() {
        let required = Required::parse(" cuda, hip,,cpu ");
        assert!(required.contains("cuda") && required.contains("hip") && required.contains("cpu"));
        assert!(!required.contains("nvcc") && !required.contains(""));
        assert!(required.unknown().is_empty());
        assert_eq!(Required::parse("cdua,cuda").unknown(), ["cdua"]);
        assert_eq!(Required::parse("cpu,nvcc,gcc").unknown(), ["gcc"]);
        assert_eq!(Required::parse(""), Required::default());
    }

    #[test]
    fn a_backend_is_present_with_any_of_its_devices() {
        let required = Required::parse("cuda,hip,cpu");
        assert_eq!(required.missing_backends(&["cpu", "cuda:1"]), ["hip"]);
        assert_eq!(required.missing_backends(&[]), ["cuda", "hip", "cpu"]);
        assert!(Required::default().missing_backends(&[]).is_empty());
    }
}
