//! The memory budget of all child processes.

use std::path::{Path, PathBuf};

use tonearm_domain::{FairPermit, FairSemaphore, Shares};

use crate::limits::{LimitTier, MediaLimits, RunScope, TierLimits};

/// The least memory that a process gets, if the machine has as much: ffmpeg takes 80 MiB for two channels and 200 MiB
/// for the largest pictures.
const LEAST: u64 = 256 << 20;

/// Slots for child processes, so that the sum of their limits stays within a budget. Clones share them.
///
/// Processes with the normal limits have slots of their own. Processes with larger limits share one slot, so that only
/// one of them runs at a time: they never wait for normal processes and never delay them.
///
/// A process that is stopped has no slot. It needs no more than what it uses, which is much less than its limit.
#[derive(Debug, Clone)]
pub(crate) struct MemoryBudget {
    normal: FairSemaphore,
    larger: FairSemaphore,
    /// Bytes for processes that are stopped.
    pub(crate) resting: Shares,
}

/// The parts of a divided budget.
#[derive(Debug)]
pub(crate) struct Division {
    /// The limits of each process.
    pub(crate) limits: MediaLimits,
    /// Encoders that run at once.
    pub(crate) encoders: usize,
    pub(crate) budget: MemoryBudget,
}

impl Division {
    /// Divides this many bytes. There are slots for `concurrency` encoders, for one extra encoder, and for one process
    /// that probes a file; fewer if each would get too little.
    pub(crate) fn of(bytes: u64, concurrency: usize, limits: MediaLimits) -> Self {
        let MediaLimits { mut normal, fallback } = limits;
        let fallback = fallback.unwrap_or_else(|| normal.times(4));
        // None rests where there is hardly enough for two that run.
        let for_resting = if bytes - bytes / 8 < 2 * LEAST { 0 } else { bytes / 8 };
        let for_larger = fallback.memory.min(bytes / 2 - for_resting);
        let rest = bytes - for_larger - for_resting;
        let share = rest / (concurrency as u64).saturating_add(2);
        normal.memory = normal.memory.min(share.max(LEAST)).min(rest.max(1));
        let places = usize::try_from(rest / normal.memory.max(1)).unwrap_or(usize::MAX);
        let places = places.max(1);
        let fallback = TierLimits { memory: for_larger.max(normal.memory), ..fallback };
        Self {
            limits: MediaLimits { normal, fallback: Some(fallback) },
            encoders: concurrency.min(places.saturating_sub(2)).max(1),
            budget: MemoryBudget {
                normal: FairSemaphore::new(places, 0),
                larger: FairSemaphore::new(1, 0),
                resting: Shares::new(for_resting),
            },
        }
    }
}

impl MemoryBudget {
    /// Waits for a slot.
    pub(crate) async fn acquire(&self, scope: &RunScope) -> FairPermit {
        let slots = match scope.tier {
            LimitTier::Normal => &self.normal,
            LimitTier::Fallback => &self.larger,
        };
        slots.acquire(scope.organization_id).await
    }
}

/// Three quarters of the memory of this machine or of this process's control group; 4 GiB if neither is known.
pub fn memory_for_processes() -> u64 {
    group_limits().into_iter().chain(total_memory()).min().unwrap_or(4 << 30) / 4 * 3
}

/// The limits of the control groups that this process is in (cgroups(7)): for version 2, of its own path and its
/// parents; for version 1, as containers see it.
fn group_limits() -> Vec<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/")).unwrap_or_default();
    let folders = Path::new(own).ancestors().map(|group| Path::new("/sys/fs/cgroup").join(group));
    let files = folders.map(|folder| folder.join("memory.max"));
    let older = PathBuf::from("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    let number = |path: PathBuf| std::fs::read_to_string(path).ok()?.trim().parse().ok();
    files.chain([older]).filter_map(number).collect()
}

/// From `MemTotal` of `/proc/meminfo` (proc(5)), which is in KiB.
fn total_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use proptest::prelude::*;

    use super::*;

    const GIB: u64 = 1 << 30;

    fn of(bytes: u64, concurrency: usize) -> (u64, u64, usize) {
        let Division { limits, encoders, .. } = Division::of(bytes, concurrency, MediaLimits::default());
        (limits.normal.memory, limits.fallback.unwrap().memory, encoders)
    }

    #[test]
    fn processes_share_what_the_machine_has() {
        assert_eq!(of(64 * GIB, 8), (2 * GIB, 8 * GIB, 8));
        assert_eq!(of(6 * GIB, 4), (GIB / 2, 9 * GIB / 4, 4));
        // Too little for all encoders to run at once.
        assert_eq!(of(2 * GIB, 8), (LEAST, 3 * GIB / 4, 2));
        assert_eq!(of(GIB, 8), (LEAST, 3 * GIB / 8, 1));
        assert_eq!(of(100 << 20, 1), (50 << 20, 50 << 20, 1));
        let small = TierLimits { memory: 64 << 20, ..TierLimits::default() };
        let limits = Division::of(GIB, 1, MediaLimits { normal: small, fallback: None }).limits;
        assert_eq!((limits.normal.memory, limits.fallback.unwrap().memory), (64 << 20, 256 << 20));
    }

    #[test]
    fn this_machine_has_some() {
        let all = total_memory().unwrap();
        assert!((64 << 20..=all).contains(&memory_for_processes()), "{all}");
    }

    #[test]
    fn who_needs_much_waits_for_nobody_else_and_delays_nobody_else() {
        let budget = Division::of(GIB, 1, MediaLimits::default()).budget;
        let scope = |tier| RunScope { tier, ..RunScope::default() };
        let larger = budget.acquire(&scope(LimitTier::Fallback)).now_or_never().unwrap();
        assert!(budget.acquire(&scope(LimitTier::Fallback)).now_or_never().is_none());
        let normal = [(); 2].map(|()| budget.acquire(&scope(LimitTier::Normal)).now_or_never().unwrap());
        assert!(budget.acquire(&scope(LimitTier::Normal)).now_or_never().is_none());
        drop(larger);
        assert!(budget.acquire(&scope(LimitTier::Fallback)).now_or_never().is_some());
        drop(normal);
        assert!(budget.acquire(&scope(LimitTier::Normal)).now_or_never().is_some());
    }

    proptest! {
        #[test]
        fn no_more_is_given_than_there_is(bytes in LEAST * 2..1 << 40, concurrency in 1_usize..200) {
            let Division { limits, encoders, budget } = Division::of(bytes, concurrency, MediaLimits::default());
            let slots = std::iter::from_fn(|| budget.normal.acquire(0).now_or_never());
            let slots = slots.collect::<Vec<_>>().len() as u64;
            let resting = budget.resting.take(0).map_or(0, |_| bytes / 8);
            let most = slots * limits.normal.memory + limits.fallback.unwrap().memory + resting;
            prop_assert!(most <= bytes, "{most}");
            prop_assert!(encoders <= concurrency && encoders >= 1);
            prop_assert!(encoders == 1 || encoders as u64 + 2 <= slots);
        }
    }
}
