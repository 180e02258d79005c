//! The memory of running processes, from Linux's `/proc`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result};

/// How often memory is measured.
const INTERVAL: Duration = Duration::from_millis(50);

/// Resident memory of all these processes together, in bytes.
pub(crate) fn resident(processes: &[u32]) -> Result<u64> {
    let one = |process: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{process}/status"))
            .with_context(|| format!("process {process} is gone"))?;
        parse_resident(&status).with_context(|| format!("process {process} has no resident memory"))
    };
    processes.iter().map(one).sum()
}

/// The value of `VmRSS` in bytes.
fn parse_resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kibibytes * 1024)
}

/// The children of a process.
pub(crate) fn children(process: u32) -> Vec<u32> {
    let listed = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    listed.unwrap_or_default().split_whitespace().filter_map(|id| id.parse().ok()).collect()
}

/// Measures the memory of processes until it is stopped.
#[derive(Debug)]
pub(crate) struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<u64>,
}

impl Watch {
    pub(crate) fn start(processes: Vec<u32>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::spawn(move || {
            let mut peak = 0;
            while !stopped.load(Ordering::Relaxed) {
                peak = peak.max(resident(&processes).unwrap_or(0));
                thread::sleep(INTERVAL);
            }
            peak
        });
        Self { stop, thread }
    }

    /// The highest value measured, in bytes.
    pub(crate) fn peak(self) -> u64 {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("the watch has nothing that panics")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resident_memory_is_read_from_the_status() {
        let status = "Name:\ttonearm\nVmPeak:\t  900000 kB\nVmRSS:\t   20480 kB\nRssAnon:\t 100 kB\n";
        assert_eq!(parse_resident(status), Some(20 << 20));
        assert_eq!(parse_resident("Name:\tkthreadd\n"), None);
    }

    #[test]
    fn this_process_uses_some() {
        assert!(resident(&[std::process::id()]).unwrap() > 0);
    }
}
