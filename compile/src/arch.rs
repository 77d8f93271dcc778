//! Architectures.

use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// Whose processors an architecture is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Vendor {
    /// NVIDIA: CUDA.
    Nvidia,
    /// AMD: HIP.
    Amd,
}

/// An architecture, by the name that its vendor gives it: `sm_90`, `gfx1100`, or with features `gfx90a:sramecc+:xnack-`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arch(String);

impl Arch {
    /// The name.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// The name without features.
    pub fn processor(&self) -> &str {
        self.0.split(':').next().unwrap_or(&self.0)
    }

    /// Whether an image for this architecture runs on a device of another.
    ///
    /// On AMD: the same processor, with no feature that the device has differently. On NVIDIA (CUDA C++ Programming Guide, binary
    /// compatibility and feature sets): the same major version with the same or a higher minor one, but for the embedded 8.7, which is by
    /// itself; with an `a` the same version alone, with an `f` what has no letter runs on. A device's own name may have the letter or not.
    pub fn runs_on(&self, device: &Arch) -> bool {
        if self.vendor() != device.vendor() {
            return false;
        }
        if self.vendor() == Vendor::Amd {
            let has = |feature: &str| {
                let name = feature.trim_end_matches(['+', '-']);
                device.0.split(':').skip(1).find(|of| of.trim_end_matches(['+', '-']) == name)
            };
            return self.processor() == device.processor()
                && self.0.split(':').skip(1).all(|feature| has(feature).is_none_or(|of| of == feature));
        }
        let version = |arch: &Arch| {
            let digits = arch.0.trim_start_matches("sm_").trim_end_matches(|c: char| c.is_ascii_lowercase());
            digits.parse::<u32>().ok()
        };
        match (version(self), version(device)) {
            (Some(image), Some(device)) if self.0.ends_with('a') || device == 87 => image == device,
            (Some(image), Some(device)) => image / 10 == device / 10 && image <= device,
            _ => self == device,
        }
    }

    /// Whose it is.
    pub fn vendor(&self) -> Vendor {
        if self.0.starts_with("sm_") { Vendor::Nvidia } else { Vendor::Amd }
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Arch {
    type Err = Error;

    /// # Errors
    /// [`Error::Arch`] for what can be no architecture's name.
    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown = || Error::Arch { got: text.to_owned() };
        let mut parts = text.split(':');
        let processor = parts.next().unwrap_or_default();
        // Both end in a letter at times: sm_90a, gfx90a.
        let named = |prefix: &str| {
            let rest = processor.strip_prefix(prefix)?;
            let plain = rest.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
            (plain && rest.starts_with(|c: char| c.is_ascii_digit()) && rest.len() <= 6).then_some(())
        };
        let nvidia = named("sm_").is_some();
        if !nvidia && named("gfx").is_none() {
            return Err(unknown());
        }
        for feature in parts {
            let name = feature.strip_suffix(['+', '-']).unwrap_or_default();
            if nvidia || !matches!(name, "sramecc" | "xnack") {
                return Err(unknown());
            }
        }
        Ok(Arch(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;

    #[test]
    fn where_images_run() {
        for (image, device, runs) in [
            ("sm_80", "sm_80", true),
            ("sm_80", "sm_86", true),
            ("sm_86", "sm_80", false),
            ("sm_80", "sm_90", false),
            ("sm_100", "sm_103", true),
            ("sm_90a", "sm_90a", true),
            ("sm_90a", "sm_90", true),
            ("sm_100a", "sm_103", false),
            ("sm_100f", "sm_103", true),
            ("sm_90", "sm_90a", true),
            ("sm_86", "sm_87", false),
            ("sm_87", "sm_87", true),
            ("sm_90", "gfx90a", false),
            ("gfx90a", "gfx90a", true),
            ("gfx90a", "gfx90a:sramecc+:xnack-", true),
            ("gfx90a:xnack-", "gfx90a:sramecc+:xnack-", true),
            ("gfx90a:xnack+", "gfx90a:sramecc+:xnack-", false),
            ("gfx1030", "gfx1031", false),
        ] {
            let [image, device] = [image, device].map(|name| name.parse::<Arch>().unwrap());
            assert_eq!(image.runs_on(&device), runs, "{image} on {device}");
        }
    }

    #[test]
    fn names_of_both_vendors_and_nothing_else() {
        for (text, vendor, processor) in [
            ("sm_90", Vendor::Nvidia, "sm_90"),
            ("sm_90a", Vendor::Nvidia, "sm_90a"),
            ("gfx90a", Vendor::Amd, "gfx90a"),
            ("gfx90a:sramecc+:xnack-", Vendor::Amd, "gfx90a"),
        ] {
            let arch: Arch = text.parse().unwrap();
            assert_eq!((arch.vendor(), arch.processor(), arch.name()), (vendor, processor, text));
        }
        for text in [
            "",
            "sm_",
            "sm90",
            "gfx",
            "gfxabc",
            "sm_90:xnack+",
            "gfx90a:",
            "gfx90a:fast+",
            "gfx90a -o /etc",
            "sm_9/../0",
            "SM_90",
        ] {
            assert!(text.parse::<Arch>().unwrap_err().to_string().contains("gfx90a"), "{text}");
        }
    }
}
