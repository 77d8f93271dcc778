//! Makes modules of programs, the examples and the benchmark of CUDA devices: a program's own `main` is what the module is called by.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let examples = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../examples").canonicalize()?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    println!("cargo::rerun-if-changed={}", examples.display());
    let mut programs: Vec<(String, PathBuf)> = Vec::new();
    for entry in fs::read_dir(&examples)? {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        for program in [path.clone(), path.join("main.rs"), path.join("src/main.rs")] {
            if program.is_file() && program.extension().is_some_and(|extension| extension == "rs") {
                programs.push((stem.clone(), program));
            }
        }
    }
    programs.sort();

    let mut modules = String::new();
    let mut list = String::new();
    for (name, program) in &programs {
        let folder = program.parent().ok_or("a program in no folder")?;
        let file = out.join(format!("{name}.rs"));
        fs::write(&file, module(&fs::read_to_string(program)?, folder))?;
        writeln!(modules, "#[path = {file:?}]\nmod e_{name};")?;
        writeln!(list, "    ({name:?}, || e_{name}::main().report()),")?;
    }
    if std::env::var_os("CARGO_FEATURE_CUDA").is_some() {
        let bench = examples.join("../benches/benches/cuda.rs").canonicalize()?;
        println!("cargo::rerun-if-changed={}", bench.with_extension("").display());
        println!("cargo::rerun-if-changed={}", bench.display());
        let file = out.join("bench.rs");
        fs::write(&file, module(&fs::read_to_string(&bench)?, &bench.with_extension("")))?;
        writeln!(modules, "#[path = {file:?}]\nmod bench;")?;
    }
    let common = examples.join("common/mod.rs");
    let text = format!(
        "#[path = {common:?}]\nmod common;\n{modules}\n/// An example's name, and what it does.\ntype Example = (&'static str, fn() -> ExitCode);\nconst EXAMPLES: &[Example] = &[\n{list}];\n"
    );
    fs::write(out.join("examples.rs"), text)?;
    // What the example of a build script has its own build script do.
    warpwave_compile::Build::new().text(examples.join("09_own_kernel_at_build_time/kernels/smooth.hip")).run()?;
    Ok(())
}

/// A program's text as that of a module: its modules where they are, what the programs share once, and `main` for others to call.
fn module(text: &str, folder: &Path) -> String {
    let line = |line: &str| {
        if line.starts_with("#[path") {
            return String::new();
        }
        if line == "mod common;" {
            return "use crate::common;\n".to_owned();
        }
        if line.starts_with("fn main(") {
            return format!("pub(crate) {line}\n");
        }
        if let Some(name) = line.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';')) {
            return format!("#[path = {:?}]\nmod {name};\n", folder.join(format!("{name}.rs")));
        }
        format!("{line}\n")
    };
    text.lines().map(line).collect()
}
