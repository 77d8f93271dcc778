//! `warpwave kernels`.

use crate::file::Target;
use crate::{Stop, Verdict, arguments};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Instant;
use warpwave::KernelSource;
use warpwave_compile::{Arch, Options, Resources, Tool, Tools};
use warpwave_kernels::TEXTS;

/// What is compiled for if nothing is asked for, where a compiler knows it.
const ARCHS: &[&str] =
    &["sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"];

/// What `--json` writes.
#[derive(Debug, Serialize)]
struct Report<'a> {
    schema: u32,
    tool: &'static str,
    version: &'static str,
    compilers: Vec<Compiler<'a>>,
    missing: Vec<Missing>,
    texts: Vec<Compiled>,
    summary: Summary,
    timing: Timing,
}

#[derive(Debug, Serialize)]
struct Compiler<'a> {
    arch: &'a str,
    kind: String,
    version: &'a str,
}

#[derive(Debug, Serialize)]
struct Missing {
    arch: String,
    reason: String,
}

/// What became of a text for an architecture.
#[derive(Debug, Serialize)]
struct Compiled {
    text: &'static str,
    arch: String,
    /// Bytes of the image.
    bytes: usize,
    kernels: Vec<Kernel>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct Kernel {
    name: String,
    registers: u32,
    scalar_registers: u32,
    shared: u32,
    local: u32,
    spills: u32,
    scalar_spills: u32,
}

impl From<Resources> for Kernel {
    fn from(of: Resources) -> Self {
        Kernel {
            name: of.kernel,
            registers: of.registers,
            scalar_registers: of.scalar_registers,
            shared: of.shared,
            local: of.local,
            spills: of.spills,
            scalar_spills: of.scalar_spills,
        }
    }
}

#[derive(Debug, Default, Serialize)]
struct Summary {
    kernels: usize,
    failed: usize,
    spilling: usize,
    missing: usize,
}

#[derive(Debug, Serialize)]
struct Timing {
    total: f64,
}

/// Compiles every text for every architecture, and says what each kernel takes.
pub(crate) fn run(arguments: &arguments::Kernels, out: &mut dyn Write) -> Result<Verdict, Stop> {
    let start = Instant::now();
    let file = arguments.json.as_deref().map(Target::open).transpose()?;
    let tools = Tools::find();
    let names = if arguments.arch.is_empty() {
        ARCHS.iter().map(|&name| name.to_owned()).collect()
    } else {
        arguments.arch.clone()
    };
    let mut archs = Vec::new();
    for name in names {
        let arch: Arch = name.parse().map_err(|error: warpwave_compile::Error| Stop::Refused(error.to_string()))?;
        if !archs.contains(&arch) {
            archs.push(arch);
        }
    }
    let (mut compilers, mut missing, mut broken) = (Vec::new(), Vec::new(), false);
    for arch in &archs {
        match tools.for_arch(arch) {
            Ok(tool) => compilers.push((arch, tool)),
            Err(error) => {
                // One that is there and does not work is not one that is missing.
                broken |= !matches!(error, warpwave_compile::Error::Missing { .. });
                missing.push(Missing { arch: arch.to_string(), reason: error.to_string() });
            }
        }
    }
    for (arch, tool) in &compilers {
        let version = tool
            .version()
            .lines()
            .find(|line| line.contains("release") || line.contains("version"))
            .unwrap_or_default();
        writeln!(out, "{arch:<8}  {}: {version}", tool.kind())?;
    }
    for Missing { reason, .. } in &missing {
        writeln!(out, "{reason}")?;
    }
    if compilers.is_empty() && arguments.arch.is_empty() && !broken {
        return Err(Stop::Refused("no kernel can be compiled: no compiler is at hand".to_owned()));
    }
    let mut texts = Vec::new();
    if !compilers.is_empty() {
        writeln!(out, "\nRegisters of a thread, and bytes of static shared memory of a block:")?;
        texts = compile(&compilers, out)?;
    }

    let kernels = || texts.iter().flat_map(|text| &text.kernels);
    let summary = Summary {
        kernels: kernels().count(),
        failed: texts.iter().filter(|text| text.error.is_some()).count(),
        spilling: kernels().filter(|kernel| kernel.spills > 0).count(),
        missing: missing.len(),
    };
    writeln!(
        out,
        "\n{} texts, {} kernels for {} architectures; {} texts failed, {} kernels spill; {:.1} s",
        TEXTS.len(),
        summary.kernels,
        compilers.len(),
        summary.failed,
        summary.spilling,
        start.elapsed().as_secs_f64()
    )?;
    // Without a list of architectures, those that no compiler at hand knows were not asked for.
    let lacking = broken || !arguments.arch.is_empty() && summary.missing > 0;
    let good = summary.failed == 0 && summary.spilling == 0 && summary.kernels > 0 && !lacking;
    if let Some(file) = file {
        let compilers = compilers
            .iter()
            .map(|(arch, tool)| Compiler { arch: arch.name(), kind: tool.kind().to_string(), version: tool.version() })
            .collect();
        let report = Report {
            schema: 1,
            tool: "warpwave",
            version: env!("CARGO_PKG_VERSION"),
            compilers,
            missing,
            texts,
            summary,
            timing: Timing { total: start.elapsed().as_secs_f64() },
        };
        let json = serde_json::to_string_pretty(&report).map_err(|error| Stop::Refused(error.to_string()))?;
        file.write(&(json + "\n"))?;
    }
    Ok(if good { Verdict::Good } else { Verdict::Bad })
}

/// Compiles on all processors; prints each text when it is its turn.
fn compile(compilers: &[(&Arch, &Tool)], out: &mut dyn Write) -> Result<Vec<Compiled>, Stop> {
    let jobs: Vec<(&KernelSource<'static>, &Arch, &Tool)> =
        TEXTS.iter().flat_map(|text| compilers.iter().map(move |&(arch, tool)| (text, arch, tool))).collect();
    let (next, threads) = (AtomicUsize::new(0), std::thread::available_parallelism().map_or(1, usize::from));
    let (sender, receiver) = channel();
    let mut done: Vec<Compiled> = Vec::new();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let (sender, jobs, next) = (sender.clone(), &jobs, &next);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&(text, arch, tool)) = jobs.get(index) else { break };
                    let compiled = match tool.compile(text.name, text.text, arch, &Options::default()) {
                        Ok(image) => Compiled {
                            text: text.name,
                            arch: arch.to_string(),
                            bytes: image.bytes.len(),
                            kernels: image.kernels.into_iter().map(Kernel::from).collect(),
                            error: None,
                        },
                        Err(error) => Compiled {
                            text: text.name,
                            arch: arch.to_string(),
                            bytes: 0,
                            kernels: Vec::new(),
                            error: Some(error.to_string()),
                        },
                    };
                    // Nobody receives any more where output has stopped.
                    if sender.send((index, compiled)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting = BTreeMap::new();
        let outcome = (|| {
            for (index, compiled) in &receiver {
                waiting.insert(index, compiled);
                while let Some(compiled) = waiting.remove(&done.len()) {
                    done.push(compiled);
                    if done.len().is_multiple_of(compilers.len()) {
                        let text = done.len() - compilers.len();
                        compare(&mut done[text..]);
                        print(&done[text..], out)?;
                    }
                }
            }
            Ok(())
        })();
        next.store(jobs.len(), Ordering::Relaxed);
        drop(receiver);
        outcome.map(|()| done)
    })
}

/// Fails a text for each architecture for which it has fewer kernels than for another, or none at all.
fn compare(text: &mut [Compiled]) {
    let compiled = || text.iter().filter(|compiled| compiled.error.is_none());
    let all: BTreeSet<String> =
        compiled().flat_map(|compiled| &compiled.kernels).map(|kernel| kernel.name.clone()).collect();
    for compiled in text.iter_mut().filter(|compiled| compiled.error.is_none()) {
        let lacking: Vec<&str> = all
            .iter()
            .filter(|name| !compiled.kernels.iter().any(|kernel| kernel.name == **name))
            .map(String::as_str)
            .collect();
        let what = match (all.is_empty(), lacking.is_empty()) {
            (true, _) => "no kernel at all".to_owned(),
            (_, true) => continue,
            _ => format!("no kernel {}, which other architectures have", lacking.join(", ")),
        };
        compiled.error = Some(format!("{} for {}: {what}", compiled.text, compiled.arch));
    }
}

/// Architectures side by side, within the width of a terminal.
const COLUMNS: usize = 7;

/// A text: its kernels, with a column for each architecture.
fn print(text: &[Compiled], out: &mut dyn Write) -> Result<(), Stop> {
    for part in text.chunks(COLUMNS) {
        write!(out, "\n{:<28}", part[0].text)?;
        for compiled in part {
            write!(out, "{:>10}", compiled.arch)?;
        }
        writeln!(out)?;
        let mut rows: BTreeMap<&str, Vec<Option<&Kernel>>> = BTreeMap::new();
        for (column, compiled) in part.iter().enumerate() {
            for kernel in &compiled.kernels {
                rows.entry(&kernel.name).or_insert_with(|| vec![None; part.len()])[column] = Some(kernel);
            }
        }
        for (name, cells) in rows {
            write!(out, "  {name:<26}")?;
            for cell in &cells {
                let cell = cell.map_or(String::new(), |kernel| format!("{} {}", kernel.registers, kernel.shared));
                write!(out, "{cell:>10}")?;
            }
            writeln!(out)?;
            for (cell, compiled) in cells.iter().zip(part) {
                if let Some(kernel) = cell.filter(|kernel| kernel.spills > 0) {
                    writeln!(out, "    spills for {}: {}", compiled.arch, kernel.spills)?;
                }
            }
        }
    }
    for error in text.iter().filter_map(|compiled| compiled.error.as_ref()) {
        writeln!(out, "{error}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiled(arch: &str, names: &[&str], error: Option<&str>) -> Compiled {
        let kernel = |&name: &&str| {
            let mut resources = Resources::default();
            resources.kernel = name.to_owned();
            Kernel::from(resources)
        };
        let kernels = names.iter().map(kernel).collect();
        Compiled { text: "text", arch: arch.to_owned(), bytes: 1, kernels, error: error.map(str::to_owned) }
    }

    #[test]
    fn every_architecture_has_the_same_kernels() {
        let mut text = [
            compiled("sm_80", &["a", "b"], None),
            compiled("gfx90a", &["b", "c"], None),
            compiled("gfx1100", &["c", "b", "a"], None),
            compiled("gfx1030", &[], Some("it fails")),
        ];
        compare(&mut text);
        let errors: Vec<Option<&str>> = text.iter().map(|compiled| compiled.error.as_deref()).collect();
        let expected = [
            Some("text for sm_80: no kernel c, which other architectures have"),
            Some("text for gfx90a: no kernel a, which other architectures have"),
            None,
            Some("it fails"),
        ];
        assert_eq!(errors, expected);
        let mut empty = [compiled("sm_80", &[], None)];
        compare(&mut empty);
        assert_eq!(empty[0].error.as_deref(), Some("text for sm_80: no kernel at all"));
    }
}
