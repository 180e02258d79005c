//! What this kernel enforces on child processes, found out by trying, and how to report it.

use std::fmt;
use std::io::{PipeReader, Read};
use std::path::Path;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tonearm_domain::Outage;
use tonearm_telemetry::Purpose;

use crate::confined::{self, Job, LIMITS};
use crate::confinement_policy::ConfinementPolicy;
use crate::error::MediaError;
use crate::escapes::{Escape, Outcome};
use crate::sandbox;

/// What children are confined from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restriction {
    /// Files of others.
    Files,
    /// Networks and sockets of this machine.
    Network,
    /// Creating processes, and sending signals to others.
    Processes,
    /// System calls that decoders do not need.
    Calls,
}

/// What was found out about a restriction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestrictionStatus {
    /// The restriction.
    pub wall: Restriction,
    /// Whether it is enforced.
    pub is_enforced: bool,
    abi: Option<u32>,
}

/// What this kernel enforces on child processes, as confined children of this program have found by trying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    /// The version of Landlock's interface, from 1; `None` where the kernel has none or a container keeps it away.
    pub landlock_abi: Option<u32>,
    /// Restrictions that children could break.
    broken: Vec<Restriction>,
}

/// The attempts that must fail in a child. None does harm if it succeeds.
fn attempts() -> [(Restriction, Escape); 15] {
    let service = std::process::id();
    [
        (Restriction::Files, Escape::Read(Path::new("/").into())),
        (Restriction::Files, Escape::Read(Path::new("/proc/self/environ").into())),
        (Restriction::Files, Escape::Write(Path::new("/proc/self/comm").into())),
        (Restriction::Network, Escape::Tcp(9)),
        (Restriction::Network, Escape::Udp(9)),
        (Restriction::Network, Escape::Abstract("tonearm-is-not-there".to_owned())),
        (Restriction::Processes, Escape::Leave),
        (Restriction::Processes, Escape::Signal(service)),
        (Restriction::Processes, Escape::Pin(service)),
        (Restriction::Processes, Escape::ReadMemory(service)),
        // Containers refuse most of these already, but not the first.
        (Restriction::Calls, Escape::Idle),
        (Restriction::Calls, Escape::Mount),
        (Restriction::Calls, Escape::Keys),
        (Restriction::Calls, Escape::Ring),
        (Restriction::Calls, Escape::BecomeRoot),
    ]
}

impl Confinement {
    /// Runs each attempt in a child. Returns [`MediaError::Outage`] if no child can be started.
    pub(crate) async fn find_out(policy: &Arc<ConfinementPolicy>) -> Result<Self, MediaError> {
        // The policy's requirement is checked against the results, which gives a better error message than a child that
        // is not started.
        let tried = Arc::new(ConfinementPolicy { is_required: false, ..ConfinementPolicy::clone(policy) });
        let (walls, escapes): (Vec<Restriction>, Vec<Escape>) = attempts().into_iter().unzip();
        let outcomes = try_escapes(&escapes, &tried).await?;
        let through = walls.into_iter().zip(outcomes).filter(|(_, outcome)| *outcome != Outcome::Refused);
        let mut broken: Vec<Restriction> = through.map(|(wall, _)| wall).collect();
        broken.dedup();
        Ok(Self { landlock_abi: sandbox::landlock_abi(), broken })
    }

    /// Whether all restrictions are enforced.
    pub fn is_complete(&self) -> bool {
        self.broken.is_empty()
    }

    /// Every restriction and whether it is enforced.
    pub fn walls(&self) -> [RestrictionStatus; 4] {
        [Restriction::Files, Restriction::Network, Restriction::Processes, Restriction::Calls].map(|wall| {
            RestrictionStatus { wall, is_enforced: !self.broken.contains(&wall), abi: self.landlock_abi }
        })
    }

    /// Returns an error if all restrictions are required and one is not enforced.
    pub fn require(&self) -> Result<(), MediaError> {
        if self.is_complete() {
            return Ok(());
        }
        let broken = self.walls().into_iter().filter(|report| !report.is_enforced);
        let (files, others): (Vec<RestrictionStatus>, Vec<RestrictionStatus>) =
            broken.partition(|report| report.wall == Restriction::Files);
        let sentence = |reports: &[RestrictionStatus], remedy| {
            let open: Vec<String> = reports.iter().map(RestrictionStatus::found).collect();
            (!open.is_empty()).then(|| format!("{}: {remedy}.", open.join(", ")))
        };
        let sentences: Vec<String> =
            [sentence(&files, LANDLOCK), sentence(&others, SECCOMP)].into_iter().flatten().collect();
        Err(MediaError::Outage(
            Outage::Tools,
            format!(
                "media.confinement is \"required\", but this system cannot fully confine ffmpeg. {} Or set it to \
                 \"best effort\" to run ffmpeg with the confinement that is possible.",
                sentences.join(" ")
            ),
        ))
    }
}

/// One line, for the log.
impl fmt::Display for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let standing = |is_enforced| move |report: &RestrictionStatus| report.is_enforced == is_enforced;
        let names = |stands| {
            let walls = self.walls().into_iter().filter(standing(stands));
            walls.map(|report| report.wall.name()).collect::<Vec<_>>().join(", ")
        };
        match self.landlock_abi {
            Some(abi) => write!(f, "Landlock ABI {abi}")?,
            None => f.write_str("no Landlock")?,
        }
        match (names(true), names(false)) {
            (kept, open) if open.is_empty() => write!(f, "; blocked: {kept}"),
            (kept, open) if kept.is_empty() => write!(f, "; NOT blocked: {open}"),
            (kept, open) => write!(f, "; blocked: {kept}; NOT blocked: {open}"),
        }
    }
}

impl Restriction {
    /// The name, in one word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Network => "network",
            Self::Processes => "processes",
            Self::Calls => "calls",
        }
    }
}

/// What Landlock requires.
const LANDLOCK: &str = "confinement requires Linux 5.13 or later with landlock in the boot parameter lsm=, and in a \
                        container a seccomp profile that allows landlock_* calls";
/// What seccomp requires.
const SECCOMP: &str = "confinement requires a kernel with CONFIG_SECCOMP_FILTER, on x86-64 or ARM64";

impl RestrictionStatus {
    /// What is enforced, or what is open.
    fn found(&self) -> String {
        let text = match (self.wall, self.is_enforced) {
            (Restriction::Files, true) => {
                let by = self.abi.map(|abi| format!(" (Landlock ABI {abi})")).unwrap_or_default();
                return format!("ffmpeg can read its input, programs and libraries and write one folder{by}");
            }
            (Restriction::Files, false) => {
                "ffmpeg can use every file that Tonearm can, as Landlock is missing"
            }
            (Restriction::Network, true) => "ffmpeg has no sockets (seccomp)",
            (Restriction::Network, false) if self.abi >= Some(4) => {
                "ffmpeg can use UDP and local sockets (Landlock blocks TCP)"
            }
            (Restriction::Network, false) => "ffmpeg can use the network",
            (Restriction::Processes, true) => "ffmpeg cannot start processes or signal others (seccomp)",
            (Restriction::Processes, false) => "ffmpeg can start processes that outlive it",
            (Restriction::Calls, true) => "ffmpeg can make only system calls that decoders need (seccomp)",
            (Restriction::Calls, false) => "ffmpeg can make every system call",
        };
        text.to_owned()
    }
}

/// A sentence without its full stop: what is enforced, or what is open and what to do about it.
impl fmt::Display for RestrictionStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.found())?;
        match (self.is_enforced, self.wall) {
            (true, _) => Ok(()),
            (false, Restriction::Files) => write!(f, ": {LANDLOCK}"),
            (false, _) => write!(f, ": {SECCOMP}"),
        }
    }
}

/// The outcomes of attempts in a confined child, in their order.
pub(crate) async fn try_escapes(
    escapes: &[Escape],
    policy: &Arc<ConfinementPolicy>,
) -> Result<Vec<Outcome>, MediaError> {
    let mut invocation = confined::run_of(Job::Escapes, None, policy, LIMITS.memory);
    invocation.purpose = Purpose::Test;
    invocation.args.extend(escapes.iter().flat_map(Escape::words));
    let consume = |stdout: PipeReader| {
        let mut text = String::new();
        stdout.take(4096).read_to_string(&mut text)?;
        Ok(text)
    };
    let text = invocation.run(&CancellationToken::new(), consume).await?;
    let outcomes: Option<Vec<Outcome>> =
        text.lines().map(|line| line.parse().ok().map(Outcome::of)).collect();
    outcomes.filter(|outcomes| outcomes.len() == escapes.len()).ok_or_else(|| {
        let sentence = "Cannot check how child processes are confined: the test process gave no result.";
        MediaError::Outage(Outage::Tools, sentence.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wall_is_told_of_truthfully() {
        let all = Confinement { landlock_abi: Some(7), broken: Vec::new() };
        assert_eq!(all.to_string(), "Landlock ABI 7; blocked: files, network, processes, calls");
        all.require().unwrap();
        let open = Confinement { landlock_abi: None, broken: vec![Restriction::Files] };
        assert_eq!(open.to_string(), "no Landlock; blocked: network, processes, calls; NOT blocked: files");
        let error = open.require().unwrap_err().to_string();
        for part in ["required", "Landlock is missing", "Linux 5.13", "best effort"] {
            assert!(error.contains(part), "{error}");
        }
        let none = Confinement {
            landlock_abi: Some(4),
            broken: vec![
                Restriction::Files,
                Restriction::Network,
                Restriction::Processes,
                Restriction::Calls,
            ],
        };
        assert_eq!(none.to_string(), "Landlock ABI 4; NOT blocked: files, network, processes, calls");
        assert!(none.walls()[1].to_string().contains("TCP"));
    }
}
