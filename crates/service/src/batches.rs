//! Changes many rows in batches.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonearm_catalog::CatalogError;

/// The number of rows per batch. It is small enough that the transaction does not hold up other clients.
pub(crate) const BATCH: u64 = 1000;

/// The longest pause after a batch.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Runs `batch`, which changes at most [`BATCH`] rows and returns their number, until no rows are left. Pauses between
/// two batches for as long as the last one took, so that other clients can use the database. Returns the number of
/// changed rows, or `None` if it was cancelled before the end.
pub(crate) async fn in_batches<F>(
    cancel: &CancellationToken,
    mut batch: impl FnMut() -> F,
) -> Result<Option<u64>, CatalogError>
where
    F: Future<Output = Result<u64, CatalogError>>,
{
    let mut changed = 0;
    while !cancel.is_cancelled() {
        let began = Instant::now();
        let rows = batch().await?;
        changed += rows;
        if rows < BATCH {
            return Ok(Some(changed));
        }
        rest(cancel, began).await;
    }
    Ok(None)
}

/// Pauses for as long as the batch took that has just ended, at most [`LONGEST_PAUSE`], so that other clients can use
/// the database.
pub(crate) async fn rest(cancel: &CancellationToken, began: Instant) {
    let pause = tokio::time::sleep(began.elapsed().min(LONGEST_PAUSE));
    cancel.run_until_cancelled(pause).await;
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test]
    async fn batches_end_with_the_rows_or_when_cancelled() {
        for rows in [0, 1, BATCH, 2 * BATCH + 7] {
            let (left, batches) = (Cell::new(rows), Cell::new(0));
            let cancel = CancellationToken::new();
            let changed = in_batches(&cancel, || {
                let batch = left.get().min(BATCH);
                left.set(left.get() - batch);
                batches.set(batches.get() + 1);
                std::future::ready(Ok(batch))
            });
            assert_eq!(changed.await.unwrap(), Some(rows));
            assert_eq!((left.get(), batches.get()), (0, rows / BATCH + 1));
        }
        let (cancel, batches) = (CancellationToken::new(), Cell::new(0));
        let cancelled = in_batches(&cancel, || {
            batches.set(batches.get() + 1);
            if batches.get() == 3 {
                cancel.cancel();
            }
            std::future::ready(Ok(BATCH))
        });
        assert_eq!(cancelled.await.unwrap(), None);
        assert_eq!(batches.get(), 3);
    }
}
