//! Metrics of this process from `/proc/self` (proc(5)), under the names that all Prometheus client libraries use.

use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};

use super::text::Text;

/// Fields of `/proc/self/stat` after the name, counted from field 3.
const USER_TIME: usize = 14 - 3;
const SYSTEM_TIME: usize = 15 - 3;
const THREADS: usize = 20 - 3;
const START_TIME: usize = 22 - 3;
const VIRTUAL_BYTES: usize = 23 - 3;
const RESIDENT_PAGES: usize = 24 - 3;

/// Writes the values that can be read, and omits the others. It blocks, but not for long, because no value is read from
/// a disk.
pub(super) fn write(text: &mut Text) {
    if let Some(stat) = Stat::read() {
        stat.write(text);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        // The directory itself is open while it is read.
        text.single("process_open_fds", open.count().saturating_sub(1));
    }
    if let Some(most) = rustix::process::getrlimit(rustix::process::Resource::Nofile).current {
        text.single("process_max_fds", most);
    }
}

/// The numbers of `/proc/self/stat` after the name.
struct Stat(Vec<u64>);

impl Stat {
    fn read() -> Option<Self> {
        Self::parse(&fs::read_to_string("/proc/self/stat").ok()?)
    }

    fn parse(stat: &str) -> Option<Self> {
        // The name in parentheses may hold anything; after it comes field 3. The few numbers below zero are not used.
        let fields = stat.rsplit_once(')')?.1;
        Some(Self(fields.split_ascii_whitespace().map(|field| field.parse().unwrap_or(0)).collect()))
    }

    fn field(&self, place: usize) -> u64 {
        self.0.get(place).copied().unwrap_or(0)
    }

    fn write(&self, text: &mut Text) {
        let ticks = clock_ticks_per_second().max(1) as f64;
        let cpu = (self.field(USER_TIME) + self.field(SYSTEM_TIME)) as f64 / ticks;
        text.single("process_cpu_seconds_total", cpu);
        text.single("process_threads", self.field(THREADS));
        text.single("process_virtual_memory_bytes", self.field(VIRTUAL_BYTES));
        text.single("process_resident_memory_bytes", self.field(RESIDENT_PAGES) * page_size() as u64);
        if let Some(boot) = boot_time() {
            text.single("process_start_time_seconds", boot as f64 + self.field(START_TIME) as f64 / ticks);
        }
    }
}

/// When the machine was started, in seconds since the Unix epoch.
fn boot_time() -> Option<u64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    stat.lines().find_map(|line| line.strip_prefix("btime ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let stat =
            "7 (a) S 1 (b) R 1 2 3 4 -1 6 7 8 9 10 150 50 0 0 20 0 9 0 1000 4096 3 18446744073709551615";
        let stat = Stat::parse(stat).unwrap();
        assert_eq!(stat.field(USER_TIME) + stat.field(SYSTEM_TIME), 200);
        assert_eq!((stat.field(THREADS), stat.field(START_TIME)), (9, 1000));
        assert_eq!((stat.field(VIRTUAL_BYTES), stat.field(RESIDENT_PAGES)), (4096, 3));
        assert_eq!(stat.field(1000), 0);
    }
}
