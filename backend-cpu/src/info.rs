//! What the system says of the processor and its memory.

use crate::cgroup;
use warpwave_core::DeviceInfo;

/// The description of a CPU device that works with `threads` threads.
///
/// Where the system does not say (anywhere but on Linux), the name is the architecture and the memory is 0: unknown.
pub(crate) fn device_info(mode: &str, threads: usize) -> DeviceInfo {
    let arch = std::env::consts::ARCH;
    let mut info = DeviceInfo::default();
    info.id = "cpu".to_owned();
    info.name = processor_name(&read("/proc/cpuinfo")).unwrap_or(arch).to_owned();
    info.arch = arch.to_owned();
    // Unless the device says otherwise.
    info.warp_size = 1;
    #[cfg(unix)]
    {
        info.max_threads_per_block = 1024;
        info.max_shared_memory = warpwave_kernels::host::SHARED_LIMIT as u32;
    }
    info.units = u32::try_from(threads).unwrap_or(u32::MAX);
    info.memory =
        memory_field(&read("/proc/meminfo"), "MemTotal").map_or(0, |memory| cgroup::limits().within(memory, 0));
    info.mode = mode.to_owned();
    info.versions = vec![("warpwave-cpu".to_owned(), env!("CARGO_PKG_VERSION").to_owned())];
    let providers = [
        ("level 1", "warpwave"),
        ("ger", "warpwave"),
        ("gemv", "warpwave"),
        ("gemm", "the crate gemm"),
        ("reproducible", "warpwave"),
    ];
    info.providers = providers.map(|(routines, provider)| (routines.to_owned(), provider.to_owned())).to_vec();
    info
}

/// Bytes of memory and swap that this process may have at most; `None` where the system does not say.
pub(crate) fn total_memory() -> Option<usize> {
    let meminfo = read("/proc/meminfo");
    let (memory, swap) = (memory_field(&meminfo, "MemTotal")?, memory_field(&meminfo, "SwapTotal").unwrap_or(0));
    Some(usize::try_from(cgroup::limits().within(memory, swap)).unwrap_or(usize::MAX))
}

/// Bytes of memory that can be had without swapping, of which there always is one; 0 where the system does not say.
pub(crate) fn available_memory() -> usize {
    let Some(available) = memory_field(&read("/proc/meminfo"), "MemAvailable") else { return 0 };
    let left = cgroup::limits().left.unwrap_or(u64::MAX);
    usize::try_from(available.min(left).max(1)).unwrap_or(usize::MAX)
}

/// The text of a file, empty if there is none.
fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// The value of the first line `key : value`.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.find(|(k, _)| k.trim() == key).map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
}

/// The processor's name in the text of `/proc/cpuinfo`. Most ARM systems give none.
fn processor_name(cpuinfo: &str) -> Option<&str> {
    field(cpuinfo, "model name").or_else(|| field(cpuinfo, "Model"))
}

/// A field of the text of `/proc/meminfo`, in bytes. The file counts in units of 1,024 bytes and calls them kB.
fn memory_field(meminfo: &str, key: &str) -> Option<u64> {
    let kib: u64 = field(meminfo, key)?.strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_proc_files_are_read() {
        let meminfo =
            "MemTotal:        8145924 kB\nMemFree: 1 kB\nMemAvailable:    7000000 kB\nSwapTotal:             0 kB\n";
        assert_eq!(memory_field(meminfo, "MemTotal"), Some(8_145_924 * 1024));
        assert_eq!(memory_field(meminfo, "SwapTotal"), Some(0));
        assert_eq!(memory_field(meminfo, "Mem"), None);
        assert_eq!(memory_field("MemTotal: many kB", "MemTotal"), None);
        assert_eq!(memory_field("MemTotal: 18446744073709551615 kB", "MemTotal"), None);
        assert_eq!(memory_field("", "MemTotal"), None);
        let cpuinfo =
            "processor\t: 0\nmodel\t\t: 143\nmodel name\t: A Processor: 3 GHz\n\nprocessor\t: 1\nmodel name\t: Other\n";
        assert_eq!(processor_name(cpuinfo), Some("A Processor: 3 GHz"));
        assert_eq!(processor_name("processor\t: 0\nBogoMIPS\t: 50.00\n"), None);
        assert_eq!(processor_name("model name\t:\n"), None);
    }

    #[test]
    fn the_description_is_complete() {
        let info = device_info("inline", 3);
        assert_eq!((info.id.as_str(), info.mode.as_str()), ("cpu", "inline"));
        assert_eq!((info.units, info.warp_size), (3, 1));
        assert_eq!(info.arch, std::env::consts::ARCH);
        assert!(!info.name.is_empty());
        if cfg!(target_os = "linux") {
            let available = available_memory() as u64;
            assert!(available > 0 && available <= info.memory, "{available} of {} bytes available", info.memory);
            assert!(total_memory().unwrap_or(0) as u64 >= info.memory);
        }
    }
}
