//! nvcc, hipcc and clang while the program runs.

use super::Compiler;
use std::sync::OnceLock;
use warpwave_compile::{Arch, Options, Tool, Tools};
use warpwave_core::{Error, ErrorKind, KernelSource, Result};

/// The compiler for an architecture among nvcc, hipcc and clang. It is looked for when it is first asked.
#[derive(Debug)]
pub struct ToolCompiler {
    arch: Arch,
    tool: OnceLock<Result<Tool>>,
}

impl ToolCompiler {
    /// Whichever of them compiles for `arch`.
    pub fn new(arch: Arch) -> Self {
        ToolCompiler { arch, tool: OnceLock::new() }
    }

    fn tool(&self) -> Result<&Tool> {
        let find = || Tools::find().for_arch(&self.arch).cloned().map_err(from);
        self.tool.get_or_init(find).as_ref().map_err(Clone::clone)
    }
}

impl Compiler for ToolCompiler {
    fn arch(&self) -> String {
        self.arch.to_string()
    }

    fn identity(&self) -> Result<String> {
        Ok(self.tool()?.identity())
    }

    fn compile(&self, source: KernelSource<'_>) -> Result<Vec<u8>> {
        let image = self.tool()?.compile(source.name, source.text, &self.arch, &Options::default());
        image.map(|image| image.bytes).map_err(from)
    }
}

fn from(error: warpwave_compile::Error) -> Error {
    use warpwave_compile::Error as E;
    let kind = match error {
        E::Missing { arch, tried, remedy } => {
            ErrorKind::Unavailable { library: format!("a compiler for {arch}"), tried, remedy }
        }
        E::Failed { log, .. } => ErrorKind::Compile { log },
        other => ErrorKind::Unavailable {
            library: "the compiler".to_owned(),
            tried: vec![other.to_string()],
            remedy: "see that its file and a temporary folder can be used".to_owned(),
        },
    };
    kind.into()
}
