//! Where the compilers are.

use crate::error::{Error, Result};
use crate::options::{Options, translation_unit};
use crate::process::{run, said};
use crate::{Arch, Image, Vendor, clang, nvcc};
use std::collections::HashSet;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// Which compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolKind {
    /// NVIDIA's.
    Nvcc,
    /// AMD's driver of clang.
    Hipcc,
    /// clang with the target AMDGPU.
    Clang,
}

impl ToolKind {
    /// All, in the order in which those for one vendor are preferred.
    pub const ALL: [ToolKind; 3] = [ToolKind::Nvcc, ToolKind::Hipcc, ToolKind::Clang];

    /// Whose architectures it compiles for.
    pub const fn vendor(self) -> Vendor {
        match self {
            ToolKind::Nvcc => Vendor::Nvidia,
            ToolKind::Hipcc | ToolKind::Clang => Vendor::Amd,
        }
    }

    /// The variable that names it. If that is set, nothing else is looked at.
    pub const fn variable(self) -> &'static str {
        match self {
            ToolKind::Nvcc => "WARPWAVE_NVCC",
            ToolKind::Hipcc => "WARPWAVE_HIPCC",
            ToolKind::Clang => "WARPWAVE_CLANG",
        }
    }

    /// Its file's names.
    fn names(self) -> &'static [&'static str] {
        match self {
            ToolKind::Nvcc => &["nvcc"],
            ToolKind::Hipcc => &["hipcc"],
            // Newer ones know more architectures.
            ToolKind::Clang => {
                &["amdclang", "clang-22", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang"]
            }
        }
    }

    /// The usual folders: variables, with what to append, and fixed ones.
    fn folders(self) -> Vec<PathBuf> {
        let (variables, below, fixed): (&[&str], &str, &[&str]) = match self {
            ToolKind::Nvcc => (&["CUDA_HOME", "CUDA_PATH"], "bin", &["/usr/local/cuda/bin", "/opt/cuda/bin"]),
            ToolKind::Hipcc => (&["ROCM_PATH", "HIP_PATH"], "bin", &["/opt/rocm/bin"]),
            ToolKind::Clang => (&["ROCM_PATH"], "llvm/bin", &["/opt/rocm/llvm/bin"]),
        };
        let of_variables = variables.iter().filter_map(env::var_os).filter(|value| !value.is_empty());
        of_variables.map(|value| Path::new(&value).join(below)).chain(fixed.iter().map(PathBuf::from)).collect()
    }
}

impl fmt::Display for ToolKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ToolKind::Nvcc => "nvcc",
            ToolKind::Hipcc => "hipcc",
            ToolKind::Clang => "clang",
        })
    }
}

/// A compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    kind: ToolKind,
    path: PathBuf,
    version: String,
}

impl Tool {
    /// Which.
    pub fn kind(&self) -> ToolKind {
        self.kind
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All that it says of its version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// All that decides what it makes of a unit: what it is, its version, and the options that it is always given.
    pub fn identity(&self) -> String {
        let options = match self.kind {
            ToolKind::Nvcc => nvcc::OPTIONS,
            ToolKind::Hipcc | ToolKind::Clang => clang::OPTIONS,
        };
        format!("{} {} {}", self.kind, self.version, options.join(" "))
    }

    /// Compiles a text; `name` is for its messages.
    ///
    /// # Errors
    /// [`Error::Failed`] with what it said, and [`Error::Io`].
    pub fn compile(&self, name: &str, text: &str, arch: &Arch, options: &Options) -> Result<Image> {
        let unit = translation_unit(name, text, options);
        match self.kind {
            ToolKind::Nvcc => nvcc::compile(self, name, &unit, arch),
            ToolKind::Hipcc | ToolKind::Clang => clang::compile(self, name, &unit, arch),
        }
    }

    /// Whether it compiles for this architecture, by having it compile nothing at all: not even the prelude, which may have faults of its
    /// own.
    ///
    /// # Errors
    /// [`Error::Failed`] with what it said, if it fails for another reason than that it does not know the architecture, and [`Error::Io`].
    pub fn knows(&self, arch: &Arch) -> Result<bool> {
        self.why_not(arch).map(|why| why.is_none())
    }

    /// Why it does not know the architecture, in its own words, if it does not.
    fn why_not(&self, arch: &Arch) -> Result<Option<String>> {
        if self.kind.vendor() != arch.vendor() {
            return Ok(Some(format!("{} is for others", self.kind)));
        }
        let compiled = match self.kind {
            ToolKind::Nvcc => nvcc::compile(self, "nothing", "", arch),
            ToolKind::Hipcc | ToolKind::Clang => clang::compile(self, "nothing", "", arch),
        };
        match compiled {
            Ok(_) => Ok(None),
            Err(Error::Failed { log, .. }) if unknown(&log).is_some() => Ok(unknown(&log)),
            Err(error) => Err(error),
        }
    }
}

/// The line by which a compiler says that it does not know an architecture, if that is what it says.
fn unknown(log: &str) -> Option<String> {
    const WORDS: [&str; 7] = [
        // nvcc 11 to 13.
        "is not defined for option 'gpu-architecture'",
        "Unsupported gpu architecture",
        // clang 14 to 22.
        "unsupported HIP gpu architecture",
        "invalid target ID",
        "unknown target CPU",
        "is not a recognized processor for this target",
        // clang without the target AMDGPU.
        "No available targets are compatible with",
    ];
    log.lines().find(|line| WORDS.iter().any(|words| line.contains(words))).map(|line| line.trim().to_owned())
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.kind, self.path.display())
    }
}

/// The compilers at hand.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    tools: Vec<Tool>,
    /// What was looked for, with the kind, and what was found there.
    tried: Vec<(ToolKind, String)>,
}

impl Tools {
    /// Looks for every compiler: where its variable says (`WARPWAVE_NVCC`, `WARPWAVE_HIPCC`, `WARPWAVE_CLANG`) if that is set, else in
    /// `PATH`, else in the usual folders. One that does not say its version is no compiler. There may be several of a kind, as each knows
    /// other architectures.
    pub fn find() -> Self {
        Self::find_in(|variable| env::var_os(variable))
    }

    fn find_in(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let mut found = Tools::default();
        for kind in ToolKind::ALL {
            let named = variable(kind.variable());
            let candidates = match &named {
                Some(path) => vec![PathBuf::from(path)],
                None => {
                    let path = variable("PATH").unwrap_or_default();
                    let folders: Vec<PathBuf> = env::split_paths(&path).chain(kind.folders()).collect();
                    // A name that says its version comes before one that does not, wherever it is.
                    kind.names().iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).collect()
                }
            };
            // One file may have several names.
            let mut files = HashSet::new();
            let present: Vec<PathBuf> = candidates
                .into_iter()
                .filter(|path| named.is_some() || path.is_file())
                .filter(|path| files.insert(path.canonicalize().unwrap_or_else(|_| path.clone())))
                .collect();
            if present.is_empty() {
                found.tried.push((kind, format!("{kind} in PATH and the usual folders")));
            }
            for path in present {
                match version(&path) {
                    Ok(version) => found.tools.push(Tool { kind, path, version }),
                    Err(why) => found.tried.push((kind, format!("{} ({why})", path.display()))),
                }
            }
        }
        found
    }

    /// Those that were found.
    pub fn all(&self) -> &[Tool] {
        &self.tools
    }

    /// The compiler for an architecture: the first that knows it.
    ///
    /// # Errors
    /// [`Error::Missing`] if there is none, or none that knows the architecture, with what each says; [`Error::Failed`] or [`Error::Io`]
    /// if one does not work at all, and no other knows it.
    pub fn for_arch(&self, arch: &Arch) -> Result<&Tool> {
        let vendor = arch.vendor();
        let (mut tried, mut broken) = (Vec::new(), None);
        for tool in self.tools.iter().filter(|tool| tool.kind.vendor() == vendor) {
            match tool.why_not(arch) {
                Ok(None) => return Ok(tool),
                Ok(Some(why)) => tried.push(format!("{tool}, which does not know {arch}: {why}")),
                Err(error) => {
                    broken.get_or_insert(error);
                }
            }
        }
        // Not for want of a compiler, so nothing that can be installed helps.
        if let Some(error) = broken {
            return Err(error);
        }
        tried.extend(self.tried.iter().filter(|(kind, _)| kind.vendor() == vendor).map(|(_, what)| what.clone()));
        let remedy = match vendor {
            Vendor::Nvidia => "install the CUDA toolkit, or name its nvcc in WARPWAVE_NVCC",
            Vendor::Amd => {
                "install hipcc, or clang with the target AMDGPU, or name one in WARPWAVE_HIPCC or WARPWAVE_CLANG"
            }
        };
        Err(Error::Missing { arch: arch.to_string(), tried, remedy: remedy.to_owned() })
    }

    /// Compiles a text with the compiler for the architecture; `name` is for its messages.
    ///
    /// # Errors
    /// Those of [`for_arch`](Self::for_arch) and [`Tool::compile`].
    pub fn compile(&self, name: &str, text: &str, arch: &Arch, options: &Options) -> Result<Image> {
        self.for_arch(arch)?.compile(name, text, arch, options)
    }
}

fn version(path: &Path) -> std::result::Result<String, String> {
    let output = run(path, |command| command.arg("--version")).map_err(|error| match error {
        Error::Io { source, .. } => source.to_string(),
        other => other.to_string(),
    })?;
    let said = said(&output).trim().to_owned();
    if output.status.success() && !said.is_empty() { Ok(said) } else { Err("does not say its version".to_owned()) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    #[cfg(unix)]
    use crate::process::Scratch;

    fn with(variables: &'static [(&'static str, &'static str)]) -> Tools {
        Tools::find_in(|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value)))
    }

    /// A variable is obeyed: what it names is tried, and nothing else.
    #[test]
    fn a_variable_that_names_no_compiler() {
        for (path, why) in [("/nowhere/nvcc", "No such file"), ("/bin/false", "does not say its version")] {
            let variables: &'static [_] = Box::leak(Box::new([("WARPWAVE_NVCC", path), ("PATH", "/usr/bin:/bin")]));
            let tools = with(variables);
            assert!(tools.all().iter().all(|tool| tool.kind() != ToolKind::Nvcc));
            let error = tools.for_arch(&"sm_90".parse().unwrap()).unwrap_err().to_string();
            assert!(error.contains(path) && error.contains(why) && error.contains("WARPWAVE_NVCC"), "{error}");
        }
    }

    #[test]
    fn nothing_in_an_empty_path() {
        let tools = with(&[("WARPWAVE_NVCC", "/nowhere"), ("WARPWAVE_HIPCC", "/nowhere"), ("WARPWAVE_CLANG", "")]);
        assert!(tools.all().is_empty());
        let error = tools.compile("x", "", &"gfx90a".parse().unwrap(), &Options::default()).unwrap_err();
        assert!(matches!(&error, Error::Missing { tried, .. } if tried.len() == 2), "{error}");
    }

    /// A clang that answers each architecture of `knows` with an image, `broken` with a failure of its own, and others as clang does.
    #[cfg(unix)]
    fn clang(scratch: &Scratch, name: &str, knows: &str, broken: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = scratch.path(name);
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then echo \"clang {name}\"; exit 0; fi\n\
             for a; do case $a in --offload-arch=*) arch=${{a#*=}};; esac; out=$a; done\n\
             case $arch in\n\
             {knows}) echo image > \"$out\";;\n\
             {broken}) echo 'clang: error: unable to execute command: ld.lld: Killed' >&2; exit 1;;\n\
             *) echo \"clang: error: unsupported HIP gpu architecture: $arch\" >&2; exit 1;;\n\
             esac\n"
        );
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// The first compiler of a kind does not hide one that knows more.
    #[cfg(unix)]
    #[test]
    fn each_architecture_has_the_first_compiler_that_knows_it() {
        let scratch = Scratch::new().unwrap();
        let (old, new) = (clang(&scratch, "clang-19", "gfx90a", "none"), clang(&scratch, "clang", "gfx*", "none"));
        std::os::unix::fs::symlink(&new, scratch.path("clang-17")).unwrap();
        let path = scratch.path("").into_os_string();
        let tools = Tools::find_in(|name| match name {
            "PATH" => Some(path.clone()),
            "WARPWAVE_HIPCC" | "WARPWAVE_NVCC" => Some("/nowhere".into()),
            _ => None,
        });
        let own = |tool: &&Tool| tool.path().starts_with(scratch.path(""));
        assert_eq!(tools.all().iter().filter(own).count(), 2);
        for (arch, expected) in [("gfx90a", old), ("gfx1100", new)] {
            let found = tools.for_arch(&arch.parse().unwrap()).unwrap();
            assert_eq!(found.path().canonicalize().unwrap(), expected);
        }
    }

    /// One that does not know an architecture is missing, in its own words; one that fails otherwise has failed, in its own words.
    #[cfg(unix)]
    #[test]
    fn a_compiler_that_fails_is_not_one_that_is_missing() {
        let scratch = Scratch::new().unwrap();
        let path = clang(&scratch, "mine", "gfx90a", "gfx942").into_os_string();
        let tools = Tools::find_in(|name| match name {
            "WARPWAVE_CLANG" => Some(path.clone()),
            "WARPWAVE_HIPCC" | "WARPWAVE_NVCC" => Some("/nowhere".into()),
            _ => None,
        });
        let of = |arch: &str| tools.for_arch(&arch.parse().unwrap()).map(|tool| tool.version().to_owned());
        assert_eq!(of("gfx90a").unwrap(), "clang mine");
        match of("gfx942").unwrap_err() {
            Error::Failed { log, arch, .. } => assert!(log.contains("Killed") && arch == "gfx942"),
            other => panic!("{other}"),
        }
        match of("gfx1100").unwrap_err() {
            Error::Missing { tried, .. } => {
                assert!(tried[0].contains("unsupported HIP gpu architecture: gfx1100"), "{tried:?}");
            }
            other => panic!("{other}"),
        }
        let tool = &tools.all()[0];
        assert!(tool.knows(&"gfx90a".parse().unwrap()).unwrap() && !tool.knows(&"sm_90".parse().unwrap()).unwrap());
        assert!(tool.knows(&"gfx942".parse().unwrap()).is_err());
    }
}
