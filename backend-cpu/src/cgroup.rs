//! What the control groups that a process is in leave it of the machine's memory: a container's limit, mostly.
//!
//! A process that uses more is killed, so a device must not hand it out.

/// Limits in bytes; `None` where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) memory: Option<u64>,
    pub(crate) swap: Option<u64>,
    /// On both together.
    pub(crate) sum: Option<u64>,
    /// How much of the limits on memory is left.
    pub(crate) left: Option<u64>,
}

/// Those of this process, if the groups are where systems put them: in `/sys/fs/cgroup`.
pub(crate) fn limits() -> Limits {
    read(&|path| std::fs::read_to_string(path).ok())
}

/// The names of a version's files.
struct Version {
    /// Where the groups are.
    root: &'static str,
    memory: &'static str,
    swap: Option<&'static str>,
    sum: Option<&'static str>,
    used: &'static str,
    /// Fields of `memory.stat` that count what is used but given up when memory is short.
    reclaimable: [&'static str; 2],
}

const VERSION_1: Version = Version {
    root: "/sys/fs/cgroup/memory",
    memory: "memory.limit_in_bytes",
    swap: None,
    sum: Some("memory.memsw.limit_in_bytes"),
    used: "memory.usage_in_bytes",
    reclaimable: ["total_inactive_file", "total_active_file"],
};

const VERSION_2: Version = Version {
    root: "/sys/fs/cgroup",
    memory: "memory.max",
    swap: Some("memory.swap.max"),
    sum: None,
    used: "memory.current",
    reclaimable: ["inactive_file", "active_file"],
};

/// The least of the limits on any group that the process is in, `file` giving the contents of files.
fn read(file: &dyn Fn(&str) -> Option<String>) -> Limits {
    let mut limits = Limits::default();
    // A line for each hierarchy: its number, its controllers, and the process's group there. Version 2 has number 0.
    for line in file("/proc/self/cgroup").unwrap_or_default().lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(number), Some(controllers), Some(group)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let version = match (number, controllers) {
            ("0", "") => &VERSION_2,
            _ if controllers.split(',').any(|name| name == "memory") => &VERSION_1,
            _ => continue,
        };
        for folder in groups(version.root, group) {
            limits.tighten(group_limits(version, &|name| file(&format!("{folder}/{name}"))));
        }
    }
    limits
}

/// The folders of a group and of all that it is in. A container sees its own group as the root, whatever it is called outside; then
/// the others are not there.
fn groups<'a>(root: &'a str, group: &'a str) -> impl Iterator<Item = String> + 'a {
    let ends = group.char_indices().filter(|&(_, c)| c == '/').map(|(end, _)| end).chain([group.len()]);
    // Outside of what can be seen.
    let visible = !group.split('/').any(|name| name == "..");
    ends.filter(move |&end| end == 0 || visible).map(move |end| format!("{root}{}", &group[..end]))
}

/// The limits on one group.
fn group_limits(version: &Version, file: &dyn Fn(&str) -> Option<String>) -> Limits {
    // Without a limit, version 2 says `max`.
    let number = |name: &str| file(name)?.trim().parse::<u64>().ok();
    let memory = number(version.memory);
    let left = memory.zip(number(version.used)).map(|(memory, used)| {
        let stat = file("memory.stat").unwrap_or_default();
        let given_up = stat.lines().filter_map(|line| line.split_once(' ')).filter_map(|(name, value)| {
            version.reclaimable.contains(&name).then(|| value.trim().parse::<u64>().ok())?
        });
        memory.saturating_sub(used.saturating_sub(given_up.fold(0, u64::saturating_add)))
    });
    Limits { memory, swap: version.swap.and_then(number), sum: version.sum.and_then(number), left }
}

impl Limits {
    /// Takes the lower of each.
    fn tighten(&mut self, other: Limits) {
        let lower = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
        self.memory = lower(self.memory, other.memory);
        self.swap = lower(self.swap, other.swap);
        self.sum = lower(self.sum, other.sum);
        self.left = lower(self.left, other.left);
    }

    /// How much of a machine's memory and swap the process may have.
    pub(crate) fn within(&self, memory: u64, swap: u64) -> u64 {
        let lowered = |value: u64, limit: Option<u64>| limit.map_or(value, |limit| limit.min(value));
        lowered(lowered(memory, self.memory).saturating_add(lowered(swap, self.swap)), self.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    /// The limits where there are these files.
    fn with(files: &[(&str, &str)]) -> Limits {
        read(&|path| files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned()))
    }

    #[test]
    fn the_lowest_limit_of_version_2_counts() {
        let limits = with(&[
            ("/proc/self/cgroup", "0::/user.slice/job\n"),
            ("/sys/fs/cgroup/user.slice/job/memory.max", "max\n"),
            ("/sys/fs/cgroup/user.slice/job/memory.current", "5\n"),
            ("/sys/fs/cgroup/user.slice/job/memory.swap.max", "0\n"),
            ("/sys/fs/cgroup/user.slice/memory.max", "2147483648\n"),
            ("/sys/fs/cgroup/user.slice/memory.current", "1073741824\n"),
            ("/sys/fs/cgroup/user.slice/memory.stat", "anon 5\nfile 600\ninactive_file 300\nactive_file 200\n"),
            ("/sys/fs/cgroup/user.slice/memory.swap.max", "max\n"),
        ]);
        assert_eq!(limits, Limits { memory: Some(2 * GIB), swap: Some(0), sum: None, left: Some(GIB + 500) });
        assert_eq!(limits.within(8 * GIB, 8 * GIB), 2 * GIB);
        assert_eq!(limits.within(GIB, 8 * GIB), GIB);
    }

    /// A container's own group is its root.
    #[test]
    fn the_root_of_a_container_counts() {
        for group in ["0::/\n", "0::/docker/0123\n", "0::/../other\n"] {
            let limits = with(&[("/proc/self/cgroup", group), ("/sys/fs/cgroup/memory.max", "1073741824\n")]);
            assert_eq!(limits, Limits { memory: Some(GIB), ..Limits::default() }, "{group}");
            assert_eq!(limits.within(8 * GIB, GIB), 2 * GIB);
        }
    }

    #[test]
    fn version_1_is_read_where_it_has_the_memory() {
        let limits = with(&[
            ("/proc/self/cgroup", "12:cpu,cpuacct:/a\n4:memory:/docker/0:1\n0::/\n"),
            ("/sys/fs/cgroup/memory/docker/0:1/memory.limit_in_bytes", "1073741824\n"),
            ("/sys/fs/cgroup/memory/docker/0:1/memory.memsw.limit_in_bytes", "1610612736\n"),
            ("/sys/fs/cgroup/memory/docker/0:1/memory.usage_in_bytes", "1073741000\n"),
            ("/sys/fs/cgroup/memory/docker/0:1/memory.stat", "inactive_file 9\ntotal_inactive_file 100\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
        ]);
        let (memory, sum) = (Some(GIB), Some(GIB + GIB / 2));
        assert_eq!(limits, Limits { memory, swap: None, sum, left: Some(924) });
        assert_eq!(limits.within(8 * GIB, 8 * GIB), GIB + GIB / 2);
    }

    #[test]
    fn what_cannot_be_read_is_no_limit() {
        assert_eq!(with(&[]), Limits::default());
        assert_eq!(with(&[("/proc/self/cgroup", "\n:\nx::/\n0::\n0:memory\n")]), Limits::default());
        let odd = [("/proc/self/cgroup", "0::/\n"), ("/sys/fs/cgroup/memory.max", "-1\n")];
        assert_eq!(with(&odd), Limits::default());
        assert_eq!(Limits::default().within(5, 7), 12);
        assert_eq!(Limits::default().within(u64::MAX, 7), u64::MAX);
    }
}
