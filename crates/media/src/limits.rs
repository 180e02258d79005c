//! The limits of every child process: time, memory and sizes.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tonearm_domain::{ObjectKey, OrganizationId};

/// Which set of limits applies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LimitTier {
    /// Enough for nearly all files.
    #[default]
    Normal,
    /// Larger, for the one retry after [`crate::MediaError::LimitHit`].
    Fallback,
}

/// The limits of both tiers.
#[derive(Debug, Clone, Default)]
pub struct MediaLimits {
    /// For the first attempt.
    pub normal: TierLimits,
    /// For the retry. Four times the normal limits by default.
    pub fallback: Option<TierLimits>,
}

/// The limits of one tier.
#[derive(Debug, Clone)]
pub struct TierLimits {
    /// Wall-clock time of any process, before the time added for its work.
    pub wall: Duration,
    /// Wall-clock seconds added for each second of sound.
    pub wall_per_sound_second: f64,
    /// Wall-clock seconds added for each 100 MiB of input.
    pub wall_per_100_mib: f64,
    /// Private memory in bytes: memory that the process may write to and shares with no other.
    pub memory: u64,
    /// The largest size in bytes of any file that is written.
    pub output: u64,
}

impl Default for TierLimits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(120),
            wall_per_sound_second: 0.25,
            wall_per_100_mib: 10.0,
            memory: 2 << 30,
            output: 4 << 30,
        }
    }
}

/// The limits of one process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProcessLimits {
    /// Wall-clock time.
    pub wall: Duration,
    /// CPU time of all threads, in seconds. A second limit besides `wall`, enforced by the kernel.
    pub cpu_seconds: u64,
    /// Private memory in bytes: memory that the process may write to and shares with no other.
    pub memory: u64,
    /// The largest size in bytes of any file that is written.
    pub output: u64,
}

/// The longest sound that limits are scaled for: a day, because a header can claim any duration.
const LONGEST_SECONDS: f64 = 86_400.0;
/// The largest input that limits are scaled for, for the same reason.
const LARGEST_100_MIB: f64 = 200.0;

impl TierLimits {
    /// These limits, each `factor` times as large.
    #[must_use]
    pub fn times(&self, factor: u32) -> Self {
        Self {
            wall: self.wall * factor,
            wall_per_sound_second: self.wall_per_sound_second * f64::from(factor),
            wall_per_100_mib: self.wall_per_100_mib * f64::from(factor),
            memory: self.memory.saturating_mul(u64::from(factor)),
            output: self.output.saturating_mul(u64::from(factor)),
        }
    }
}

impl MediaLimits {
    /// The limits of a process that works on `seconds` of sound in `bytes` of input.
    pub fn of(&self, tier: LimitTier, seconds: f64, bytes: u64) -> ProcessLimits {
        let limits = match (tier, &self.fallback) {
            (LimitTier::Normal, _) => self.normal.clone(),
            (LimitTier::Fallback, Some(fallback)) => fallback.clone(),
            (LimitTier::Fallback, None) => self.normal.times(4),
        };
        let seconds = if seconds.is_finite() { seconds.clamp(0.0, LONGEST_SECONDS) } else { 0.0 };
        let hundreds = (bytes as f64 / (100 << 20) as f64).min(LARGEST_100_MIB);
        let added = limits.wall_per_sound_second * seconds + limits.wall_per_100_mib * hundreds;
        let wall = limits.wall + Duration::try_from_secs_f64(added).unwrap_or_default();
        ProcessLimits {
            wall,
            // Decoding, filtering and encoding run in separate threads, so CPU time may exceed wall-clock time.
            cpu_seconds: wall.as_secs().saturating_mul(2).max(1),
            memory: limits.memory,
            output: limits.output,
        }
    }
}

/// The context of a piece of work: its cancellation token, its limits, and the organization that it uses an encoder
/// for.
#[derive(Debug, Clone)]
pub struct RunScope {
    /// Cancelling it kills the running processes, and the work ends with [`crate::MediaError::Cancelled`].
    pub cancel: CancellationToken,
    /// Which limits apply.
    pub tier: LimitTier,
    /// The organization that it uses an encoder for.
    pub organization_id: OrganizationId,
}

impl Default for RunScope {
    /// Never cancelled, with the normal limits, for no organization.
    fn default() -> Self {
        let nobody = ObjectKey::RESERVED;
        Self { cancel: CancellationToken::new(), tier: LimitTier::Normal, organization_id: nobody }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_sound_gets_more_time() {
        let limits = MediaLimits::default();
        let short = limits.of(LimitTier::Normal, 0.0, 0);
        assert_eq!(short.wall, Duration::from_secs(120));
        assert_eq!(limits.of(LimitTier::Normal, 400.0, 0).wall, Duration::from_secs(220));
        assert_eq!(limits.of(LimitTier::Fallback, 400.0, 0).wall, Duration::from_secs(880));
    }

    #[test]
    fn a_claim_does_not_buy_forever() {
        let limits = MediaLimits::default();
        for claim in [1e300, f64::INFINITY, f64::NAN, -5.0] {
            assert!(limits.of(LimitTier::Normal, claim, u64::MAX).wall < Duration::from_secs(8 * 3600));
        }
    }
}
