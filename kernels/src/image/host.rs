//! The host's C++ compiler as one of the compilers.

use super::Compiler;
use crate::host::{self, Options};
use std::sync::OnceLock;
use warpwave_compile::Scratch;
use warpwave_core::{ErrorKind, KernelSource, Result};

/// The host's C++ compiler. It is looked for when it is first needed, and once it is found not again in this process.
#[derive(Debug)]
pub struct HostCompiler {
    options: Options,
}

impl HostCompiler {
    /// Compiles with these options.
    pub fn new(options: Options) -> Self {
        HostCompiler { options }
    }
}

/// A compiler that is not there may be there later.
fn compiler() -> Result<&'static host::Compiler> {
    static FOUND: OnceLock<host::Compiler> = OnceLock::new();
    match FOUND.get() {
        Some(compiler) => Ok(compiler),
        None => {
            let compiler = host::Compiler::find()?;
            Ok(FOUND.get_or_init(|| compiler))
        }
    }
}

impl Compiler for HostCompiler {
    /// The processor with all that images may use of it: a folder of images can be one for several machines.
    fn arch(&self) -> String {
        let Options { warp, check } = self.options;
        format!(
            "host-{}-{}-{} warp {warp} check {check} {}",
            std::env::consts::ARCH,
            std::env::consts::OS,
            if cfg!(target_env = "musl") { "musl" } else { "" },
            host::processor().join(" ")
        )
    }

    fn identity(&self) -> Result<String> {
        Ok(compiler()?.key(self.options))
    }

    fn unit(&self, source: KernelSource<'_>) -> String {
        host::unit(source, self.options)
    }

    fn compile(&self, source: KernelSource<'_>) -> Result<Vec<u8>> {
        let compiler = compiler()?;
        let unusable = |what: String| ErrorKind::Unavailable {
            library: "a temporary folder to compile in".into(),
            tried: vec![what],
            remedy: "name one in TMPDIR that can be written".into(),
        };
        let folder = Scratch::new().map_err(|error| unusable(error.to_string()))?;
        let path = folder.path("module.so");
        compiler.compile(source, self.options, &path)?;
        std::fs::read(&path).map_err(|error| unusable(format!("{}: {error}", path.display())).into())
    }
}
