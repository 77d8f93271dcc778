//! AMD's compiler: clang, by itself or behind hipcc, without anything of ROCm's.

use crate::error::{Error, Result};
use crate::process::{Scratch, run, said};
use crate::{Arch, Image, Tool, ToolKind, resources};
use std::fs;

/// No contraction, IEEE division and square root, denormals kept; neither headers nor device libraries.
pub(crate) const OPTIONS: &[&str] = &[
    "-x",
    "hip",
    "--offload-device-only",
    "--no-gpu-bundle-output",
    "-nogpulib",
    "-nogpuinc",
    "-std=c++17",
    "-O3",
    "-ffp-contract=off",
    "-fhip-fp32-correctly-rounded-divide-sqrt",
    "-fno-gpu-flush-denormals-to-zero",
    "-Rpass-analysis=kernel-resource-usage",
];

pub(crate) fn compile(tool: &Tool, name: &str, unit: &str, arch: &Arch) -> Result<Image> {
    let scratch = Scratch::new()?;
    let (source, target) = (scratch.path("unit.hip"), scratch.path("unit.co"));
    fs::write(&source, unit).map_err(Error::io(&source))?;
    let output = run(tool.path(), |command| {
        if tool.kind() == ToolKind::Hipcc {
            // It would ask the machine which GPU there is.
            command.env("HIP_PLATFORM", "amd");
        }
        command.args(OPTIONS).arg(format!("--offload-arch={arch}")).arg(&source).arg("-o").arg(&target)
    })?;
    let log = said(&output);
    if !output.status.success() {
        return Err(Error::Failed { text: name.to_owned(), tool: tool.to_string(), arch: arch.to_string(), log });
    }
    let bytes = fs::read(&target).map_err(Error::io(&target))?;
    Ok(Image { bytes, kernels: resources::of_remarks(&log) })
}
