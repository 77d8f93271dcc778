//! What kernels take of a processor.

/// What a kernel takes, as its compiler says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resources {
    /// The kernel's name.
    pub kernel: String,
    /// Registers of a thread: NVIDIA's, or AMD's vector registers with the accumulation registers.
    pub registers: u32,
    /// Scalar registers of a wave: AMD's.
    pub scalar_registers: u32,
    /// Bytes of static shared memory of a block.
    pub shared: u32,
    /// Bytes of memory of each thread's own: arrays and spilled registers.
    pub local: u32,
    /// Registers that did not fit and go to memory: bytes stored and loaded for NVIDIA, registers for AMD. 0 is as it should be.
    pub spills: u32,
    /// Scalar registers that are kept in lanes of vector registers: AMD's. They go to no memory.
    pub scalar_spills: u32,
}

/// The number in front of `unit` in `line`.
fn before(line: &str, unit: &str) -> Option<u32> {
    let number = line[..line.find(unit)?].trim_end();
    number.rsplit(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The number behind `name` in `line`.
fn after(line: &str, name: &str) -> Option<u32> {
    let rest = line[line.find(name)? + name.len()..].trim_start();
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// What `ptxas -v` says.
pub(crate) fn of_ptxas(log: &str) -> Vec<Resources> {
    let mut kernels: Vec<Resources> = Vec::new();
    // What is said of functions that are no kernels does not count.
    let mut of_kernel = false;
    for line in log.lines() {
        if let Some(rest) = line.split("Compiling entry function '").nth(1) {
            kernels
                .push(Resources { kernel: rest.split('\'').next().unwrap_or(rest).to_owned(), ..Resources::default() });
            of_kernel = true;
        } else if let Some(name) = line.split("Function properties for ").nth(1) {
            of_kernel = kernels.last().is_some_and(|kernel| kernel.kernel == name.trim());
        } else if let Some(kernel) = kernels.last_mut() {
            if let (true, Some(local)) = (of_kernel, before(line, " bytes stack frame")) {
                kernel.local = local;
                kernel.spills =
                    before(line, " bytes spill stores").unwrap_or(0) + before(line, " bytes spill loads").unwrap_or(0);
            } else if let Some(registers) = before(line, " registers") {
                kernel.registers = registers;
                kernel.shared = before(line, " bytes smem").unwrap_or(0);
            }
        }
    }
    kernels
}

/// What clang says with `-Rpass-analysis=kernel-resource-usage`.
pub(crate) fn of_remarks(log: &str) -> Vec<Resources> {
    let mut kernels: Vec<Resources> = Vec::new();
    for line in log.lines().filter(|line| line.contains("kernel-resource-usage")) {
        if let Some(rest) = line.split("Function Name: ").nth(1) {
            let name = rest.split_whitespace().next().unwrap_or(rest);
            kernels.push(Resources { kernel: name.to_owned(), ..Resources::default() });
            continue;
        }
        let Some(kernel) = kernels.last_mut() else { continue };
        if let Some(spilled) = after(line, "SGPRs Spill:") {
            kernel.scalar_spills = spilled;
        } else if let Some(spilled) = after(line, "VGPRs Spill:") {
            kernel.spills = spilled;
        } else if let Some(registers) = after(line, " SGPRs:") {
            kernel.scalar_registers = registers;
        } else if let Some(registers) = after(line, " VGPRs:").or(after(line, " AGPRs:")) {
            kernel.registers += registers;
        } else if let Some(bytes) = after(line, "ScratchSize [bytes/lane]:") {
            kernel.local = bytes;
        } else if let Some(bytes) = after(line, "LDS Size [bytes/block]:") {
            kernel.shared = bytes;
        }
    }
    kernels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptxas_13_0() {
        let log = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'sum_f64' for 'sm_90'
ptxas info    : Function properties for sum_f64
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Function properties for ww_slow
    40 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 22 registers, used 1 barriers, 64 bytes smem
ptxas info    : Compile time = 13.628 ms
ptxas info    : Compiling entry function 'axpy_f32' for 'sm_90'
ptxas info    : Function properties for axpy_f32
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 14 registers, used 0 barriers
";
        let of = |kernel: &str, registers, shared, local, spills| Resources {
            kernel: kernel.to_owned(),
            registers,
            scalar_registers: 0,
            shared,
            local,
            spills,
            scalar_spills: 0,
        };
        assert_eq!(of_ptxas(log), [of("sum_f64", 22, 64, 16, 12), of("axpy_f32", 14, 0, 0, 0)]);
        assert!(of_ptxas("").is_empty());
    }

    #[test]
    fn clang_19() {
        let remark = |text: &str| {
            format!("t/a.hip:321:1: remark: {text} [-Rpass-analysis=kernel-resource-usage]\n  321 | WW_KERNEL(x)\n")
        };
        let lines = [
            "Function Name: axpy_f32",
            "    SGPRs: 18",
            "    VGPRs: 14",
            "    AGPRs: 2",
            "    ScratchSize [bytes/lane]: 8",
            "    Dynamic Stack: False",
            "    Occupancy [waves/SIMD]: 8",
            "    SGPRs Spill: 1",
            "    VGPRs Spill: 2",
            "    LDS Size [bytes/block]: 64",
            "Function Name: sum_f64",
            "    VGPRs: 20",
        ];
        let log: String = lines.into_iter().map(remark).collect();
        let first = Resources {
            kernel: "axpy_f32".to_owned(),
            registers: 16,
            scalar_registers: 18,
            shared: 64,
            local: 8,
            spills: 2,
            scalar_spills: 1,
        };
        assert_eq!(
            of_remarks(&log),
            [first, Resources { kernel: "sum_f64".to_owned(), registers: 20, ..Resources::default() }]
        );
    }
}
