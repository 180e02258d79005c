//! Work that fails if it makes no progress.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Runs `work` to its end; `None` if `progress` stays the same for `limit`.
pub(crate) async fn unless_stalled<T>(
    work: impl Future<Output = T>,
    progress: &AtomicU64,
    limit: Duration,
) -> Option<T> {
    let mut work = pin!(work);
    let mut before = progress.load(Ordering::Relaxed);
    loop {
        tokio::select! {
            done = &mut work => return Some(done),
            () = tokio::time::sleep(limit) => {
                let now = progress.load(Ordering::Relaxed);
                if now == before {
                    return None;
                }
                before = now;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn work_may_take_any_time_while_it_moves() {
        let (progress, limit) = (AtomicU64::new(0), Duration::from_secs(60));
        let slow = async {
            for _ in 0..20 {
                tokio::time::sleep(Duration::from_secs(50)).await;
                progress.fetch_add(1, Ordering::Relaxed);
            }
            7
        };
        assert_eq!(unless_stalled(slow, &progress, limit).await, Some(7));
        let stuck = std::future::pending::<()>();
        assert_eq!(unless_stalled(stuck, &progress, limit).await, None);
    }
}
