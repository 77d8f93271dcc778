//! The texts of the kernels, and what was made of them when this crate was built.

/// A text in `device/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Text {
    /// Its file's name, without `.hip`.
    pub name: &'static str,
    /// The text, without the prelude.
    pub text: &'static str,
    /// Images for the architectures that `WARPWAVE_BUILD_ARCHS` named when this crate was built.
    pub images: &'static [(&'static str, &'static [u8])],
}

/// Every text, by name.
pub static TEXTS: &[Text] = include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// The text of this name.
pub fn text(name: &str) -> Option<&'static Text> {
    TEXTS.iter().find(|text| text.name == name)
}
