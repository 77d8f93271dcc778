//! What a build script does.

use crate::error::{Error, Result};
use crate::packed::packed;
use crate::{Arch, Options, Tool, ToolKind, Tools};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The variable that names the architectures to compile for at build time, as in `sm_90,gfx90a`. Unset or empty: none.
pub const ARCHS_VARIABLE: &str = "WARPWAVE_BUILD_ARCHS";

/// Compiles kernels in a build script, for the architectures that `WARPWAVE_BUILD_ARCHS` names, and writes Rust that has them.
///
/// ```no_run
/// // build.rs
/// fn main() -> warpwave_compile::Result<()> {
///     warpwave_compile::Build::new().text("kernels/axpy.hip").run()
/// }
/// ```
///
/// ```ignore
/// // src/main.rs
/// mod kernels {
///     include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
/// }
/// // …
/// let module = device.compile(kernels::AXPY)?;
/// ```
///
/// `kernels.rs` has a constant `KernelSource` for each text, named after its file (`matrix-sum.hip`: `MATRIX_SUM`), and `ALL`, a slice of
/// them in the order in which they were given. It holds the texts too, so that a device of another architecture can compile them when the
/// program runs. The script runs again when a text, the variable, or one that names a compiler changes.
#[derive(Clone, Debug)]
#[must_use]
pub struct Build {
    texts: Vec<PathBuf>,
    options: Options,
    krate: String,
}

impl Default for Build {
    fn default() -> Self {
        Build { texts: Vec::new(), options: Options::default(), krate: "::warpwave".to_owned() }
    }
}

impl Build {
    /// No text yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A text as well. The path is absolute, or starts at the package's folder.
    pub fn text(mut self, path: impl Into<PathBuf>) -> Self {
        self.texts.push(path.into());
        self
    }

    /// Compiles with these options; macros stand in front of the texts in `kernels.rs` too.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The path by which the package knows the crate that has `KernelSource`; `::warpwave` if nothing is said.
    pub fn krate(mut self, path: impl Into<String>) -> Self {
        self.krate = path.into();
        self
    }

    /// Compiles, and writes `kernels.rs` to `OUT_DIR`.
    ///
    /// # Errors
    /// [`Error::Variable`] outside a build script, [`Error::Arch`] for a name in `WARPWAVE_BUILD_ARCHS` that is none, [`Error::Name`] for
    /// a file after which no constant can be named, and those of [`Tools::for_arch`] and [`Tool::compile`].
    pub fn run(&self) -> Result<()> {
        let variable = |name: &'static str| env::var_os(name).map(PathBuf::from).ok_or(Error::Variable { name });
        let (out, package) = (variable("OUT_DIR")?, variable("CARGO_MANIFEST_DIR")?);
        let texts = self.named(&package)?;
        let archs = env::var(ARCHS_VARIABLE).unwrap_or_default();
        tell(&format!("rerun-if-env-changed={ARCHS_VARIABLE}"));
        for text in &texts {
            tell(&format!("rerun-if-changed={}", text.path.display()));
        }
        let archs = list(&archs)?;
        if !archs.is_empty() {
            let compilers = ToolKind::ALL.iter().map(|kind| kind.variable());
            for name in compilers.chain(["PATH", "CUDA_HOME", "CUDA_PATH", "ROCM_PATH", "HIP_PATH"]) {
                tell(&format!("rerun-if-env-changed={name}"));
            }
            self.compile(&texts, &archs, &out)?;
        }
        let file = out.join("kernels.rs");
        fs::write(&file, self.rust(&texts, &archs, &out)).map_err(Error::io(file))
    }

    /// The texts with their constants' names.
    fn named(&self, package: &Path) -> Result<Vec<Text>> {
        let mut texts: Vec<Text> = Vec::new();
        for path in &self.texts {
            let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let constant: String =
                stem.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
            let refused = |why: &str| Err(Error::Name { path: path.clone(), why: why.to_owned() });
            match constant.chars().next() {
                None => return refused("it has no name"),
                Some('0'..='9') => return refused("its name starts with a digit"),
                Some(_) if constant == "ALL" || constant.bytes().all(|b| b == b'_') => {
                    return refused("no constant can have its name");
                }
                Some(_) if texts.iter().any(|other| other.constant == constant) => {
                    return refused("another text has this name");
                }
                Some(_) => {}
            }
            let path = package.join(path);
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            let text = fs::read_to_string(&path).map_err(Error::io(&path))?;
            texts.push(Text { constant, name, path, text });
        }
        Ok(texts)
    }

    /// Compiles every text for every architecture, on all processors.
    fn compile(&self, texts: &[Text], archs: &[Arch], out: &Path) -> Result<()> {
        let tools = Tools::find();
        let compilers: Vec<(&Arch, &Tool)> =
            archs.iter().map(|arch| Ok((arch, tools.for_arch(arch)?))).collect::<Result<_>>()?;
        let jobs: Vec<_> =
            texts.iter().flat_map(|text| compilers.iter().map(move |&(arch, tool)| (text, arch, tool))).collect();
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from).min(jobs.len()) {
                scope.spawn(|| {
                    while let Some(&(text, arch, tool)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let compile = || -> Result<()> {
                            let image = tool.compile(&text.name, &text.text, arch, &self.options)?;
                            let file = image_file(out, text, arch);
                            fs::write(&file, packed(&image.bytes)).map_err(Error::io(file))
                        };
                        if let Err(error) = compile() {
                            failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                            next.store(jobs.len(), Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    fn rust(&self, texts: &[Text], archs: &[Arch], out: &Path) -> String {
        let krate = &self.krate;
        let mut rust = String::new();
        for text in texts {
            let Text { constant, name, path, .. } = text;
            // Who compiles the text when the program runs knows nothing of the options but what stands in it.
            let defines: String =
                self.options.defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
            let included = match &*defines {
                "" => format!("include_str!({path:?})"),
                _ => format!("concat!({:?}, include_str!({path:?}))", format!("{defines}#line 1 {name:?}\n")),
            };
            let images: String = archs.iter().fold(String::new(), |mut images, arch| {
                let file = image_file(out, text, arch);
                let _ = write!(
                    images,
                    "{krate}::KernelImage {{ arch: {:?}, bytes: include_bytes!({file:?}) }}, ",
                    arch.name()
                );
                images
            });
            let _ = writeln!(
                rust,
                "/// `{name}`.\n#[allow(dead_code, unreachable_pub)]\npub const {constant}: {krate}::KernelSource<'static> = \
                 {krate}::KernelSource::new({name:?}, {included}).with_images(&[{images}]);"
            );
        }
        let all: Vec<&str> = texts.iter().map(|text| &*text.constant).collect();
        let _ = writeln!(
            rust,
            "/// Every text.\n#[allow(dead_code, unreachable_pub)]\npub const ALL: &[{krate}::KernelSource<'static>] = &[{}];",
            all.join(", ")
        );
        rust
    }
}

/// Tells cargo something.
#[allow(clippy::print_stdout)]
fn tell(what: &str) {
    println!("cargo::{what}");
}

#[derive(Debug)]
struct Text {
    constant: String,
    name: String,
    path: PathBuf,
    text: String,
}

/// The architectures of a list.
fn list(names: &str) -> Result<Vec<Arch>> {
    let mut archs: Vec<Arch> = Vec::new();
    for name in names.split([',', ' ']).filter(|name| !name.is_empty()) {
        let arch = name.parse()?;
        if !archs.contains(&arch) {
            archs.push(arch);
        }
    }
    Ok(archs)
}

fn image_file(out: &Path, text: &Text, arch: &Arch) -> PathBuf {
    out.join(format!("{}.{}", text.constant.to_ascii_lowercase(), arch.name().replace(':', "_")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use crate::process::Scratch;

    #[test]
    fn constants_are_named_after_files() {
        let scratch = Scratch::new().unwrap();
        for name in ["axpy.hip", "matrix-sum.hip", "2d.hip", "all.hip", "a.b.hip"] {
            fs::write(scratch.path(name), "text").unwrap();
        }
        let package = scratch.path("");
        let named = |names: &[&str]| {
            let build = names.iter().fold(Build::new(), |build, name| build.text(*name));
            build.named(&package).map(|texts| texts.into_iter().map(|text| text.constant).collect::<Vec<_>>())
        };
        assert_eq!(named(&["axpy.hip", "matrix-sum.hip", "a.b.hip"]).unwrap(), ["AXPY", "MATRIX_SUM", "A_B"]);
        for (names, why) in [
            (&["2d.hip"][..], "digit"),
            (&["all.hip"], "no constant"),
            (&["axpy.hip", "axpy.hip"], "another text"),
            (&["missing.hip"], "missing.hip"),
        ] {
            let error = named(names).unwrap_err().to_string();
            assert!(error.contains(why) && error.contains(names[0]), "{error}");
        }
    }

    #[test]
    fn a_list_of_architectures() {
        let names = |text| list(text).map(|archs| archs.iter().map(Arch::to_string).collect::<Vec<_>>());
        assert_eq!(names("").unwrap(), [""; 0]);
        assert_eq!(names("sm_90, gfx90a sm_90,").unwrap(), ["sm_90", "gfx90a"]);
        assert!(matches!(names("sm_90,hopper"), Err(Error::Arch { got }) if got == "hopper"));
    }

    #[test]
    fn the_rust_that_is_written() {
        let text = Text {
            constant: "AXPY".to_owned(),
            name: "axpy.hip".to_owned(),
            path: PathBuf::from("/p/axpy.hip"),
            text: String::new(),
        };
        let archs = ["sm_90".parse().unwrap(), "gfx90a:xnack+".parse().unwrap()];
        let rust = Build::new().krate("::other").rust(&[text], &archs, Path::new("/out"));
        let with = |build: Build| {
            let (constant, name) = ("A".to_owned(), "a.hip".to_owned());
            build.rust(&[Text { constant, name, path: "/p/a.hip".into(), text: String::new() }], &[], Path::new("/out"))
        };
        let defined = with(Build::new().options(Options::default().define("TILE", "32")));
        let text = r##"new("a.hip", concat!("#define TILE 32\n#line 1 \"a.hip\"\n", include_str!("/p/a.hip")))"##;
        assert!(defined.contains(text), "{defined}");
        for part in [
            "pub const AXPY: ::other::KernelSource<'static>",
            "new(\"axpy.hip\", include_str!(\"/p/axpy.hip\"))",
            "::other::KernelImage { arch: \"sm_90\", bytes: include_bytes!(\"/out/axpy.sm_90\") }",
            "{ arch: \"gfx90a:xnack+\", bytes: include_bytes!(\"/out/axpy.gfx90a_xnack+\") }",
            "pub const ALL: &[::other::KernelSource<'static>] = &[AXPY];",
        ] {
            assert!(rust.contains(part), "{rust}");
        }
    }
}
