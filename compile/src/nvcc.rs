//! NVIDIA's compiler.

use crate::error::{Error, Result};
use crate::process::{Scratch, run, said};
use crate::{Arch, Image, Tool, resources};
use std::fs;

/// No contraction, IEEE division and square root, denormals kept.
pub(crate) const OPTIONS: &[&str] = &[
    "-cubin",
    "-std=c++17",
    "-O3",
    "-fmad=false",
    "-prec-div=true",
    "-prec-sqrt=true",
    "-ftz=false",
    "-Xptxas",
    "-v",
    "-x",
    "cu",
];

pub(crate) fn compile(tool: &Tool, name: &str, unit: &str, arch: &Arch) -> Result<Image> {
    let scratch = Scratch::new()?;
    let (source, target) = (scratch.path("unit.cu"), scratch.path("unit.cubin"));
    fs::write(&source, unit).map_err(Error::io(&source))?;
    let output = run(tool.path(), |command| {
        command.args(OPTIONS).arg(format!("-arch={arch}")).arg(&source).arg("-o").arg(&target)
    })?;
    let log = said(&output);
    if !output.status.success() {
        return Err(Error::Failed { text: name.to_owned(), tool: tool.to_string(), arch: arch.to_string(), log });
    }
    let bytes = fs::read(&target).map_err(Error::io(&target))?;
    Ok(Image { bytes, kernels: resources::of_ptxas(&log) })
}
