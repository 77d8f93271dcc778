//! Where the compilers are.

use crate::error::{Error, Result};
use crate::options::{Options, translation_unit};
use crate::process::{run, said};
use crate::{Arch, Image, Vendor, clang, nvcc};
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

    /// Whether it compiles for this architecture: whether it compiles the prelude.
    pub fn knows(&self, arch: &Arch) -> bool {
        self.kind.vendor() == arch.vendor() && self.compile("prelude", "", arch, &Options::default()).is_ok()
    }
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
    /// `PATH`, else in the usual folders. One that does not say its version is no compiler.
    pub fn find() -> Self {
        Self::find_in(|variable| env::var_os(variable))
    }

    fn find_in(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let mut found = Tools::default();
        for kind in ToolKind::ALL {
            let candidates = match variable(kind.variable()) {
                Some(path) => vec![PathBuf::from(path)],
                None => {
                    let path = variable("PATH").unwrap_or_default();
                    let folders: Vec<PathBuf> = env::split_paths(&path).chain(kind.folders()).collect();
                    // A name that says its version comes before one that does not, wherever it is.
                    kind.names().iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).collect()
                }
            };
            let named = variable(kind.variable()).is_some();
            let present: Vec<PathBuf> = candidates.into_iter().filter(|path| named || path.is_file()).collect();
            if present.is_empty() {
                found.tried.push((kind, format!("{kind} in PATH and the usual folders")));
            }
            for path in present {
                match version(&path) {
                    Ok(version) => {
                        found.tools.push(Tool { kind, path, version });
                        break;
                    }
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

    /// The compiler for an architecture.
    ///
    /// # Errors
    /// [`Error::Missing`] if there is none, or none that knows the architecture.
    pub fn for_arch(&self, arch: &Arch) -> Result<&Tool> {
        let vendor = arch.vendor();
        let mut tried = Vec::new();
        for tool in self.tools.iter().filter(|tool| tool.kind.vendor() == vendor) {
            if tool.knows(arch) {
                return Ok(tool);
            }
            tried.push(format!("{tool}, which does not know {arch}"));
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
}
