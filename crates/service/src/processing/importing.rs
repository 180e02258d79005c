//! Fetching sources and storing them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use tokio::time::Instant;
use tonearm_catalog::Catalog;
use tonearm_domain::{Import, Track};
use tonearm_outbound::{FetchError, Fetched};

use crate::imports::{ImportError, Imports};
use crate::uploads::{Arrived, Uploads};

/// How often a run starts over if what has arrived so far cannot be used.
const MOST_RESTARTS: u32 = 3;

/// The services that fetch sources and store them.
#[derive(Clone)]
pub(super) struct Importing {
    pub(super) imports: Imports,
    pub(super) uploads: Uploads,
}

/// How much of a file has arrived, and how long it has been fetched. Clones share their counts.
#[derive(Clone)]
pub(super) struct Arriving {
    /// How long earlier runs have fetched it, and when this one began.
    before: (Duration, Instant),
    received: Arc<AtomicU64>,
    /// 0 if it is not known.
    size: Arc<AtomicU64>,
}

impl Arriving {
    pub(super) fn of(import: &Import) -> Self {
        Self { before: (import.spent, Instant::now()), received: Arc::default(), size: Arc::default() }
    }

    /// How long the file has been fetched in all runs.
    pub(super) fn spent(&self) -> Duration {
        let (earlier, began) = self.before;
        earlier + began.elapsed()
    }

    fn begin(&self, size: Option<u64>) {
        self.received.store(0, Ordering::Relaxed);
        self.size.store(size.unwrap_or(0), Ordering::Relaxed);
    }

    fn note(&self, chunk: &Result<Bytes, FetchError>) {
        let bytes = chunk.as_ref().map_or(0, Bytes::len);
        self.received.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// The bytes received so far, and the total if it is known.
    pub(super) fn now(&self) -> (u64, Option<u64>) {
        let size = self.size.load(Ordering::Relaxed);
        (self.received.load(Ordering::Relaxed), Some(size).filter(|size| *size > 0))
    }
}

impl Importing {
    /// Stores the file of an import as it arrives, and starts over a few times if what has arrived cannot be used.
    pub(super) async fn fetch_and_store(
        &self,
        catalog: &Catalog,
        track: &Track,
        import: &Import,
        arriving: &Arriving,
    ) -> Result<Arrived, ImportError> {
        let mut restarts = 0;
        loop {
            let Fetched { size, file_name, body } = self
                .imports
                .fetch(catalog, import, self.uploads.max_source_bytes(), arriving.spent())
                .await?;
            arriving.begin(size);
            let counted = arriving.clone();
            let body = body.inspect(move |chunk| counted.note(chunk));
            match self.uploads.store_fetched(track, body, size, file_name).await {
                Err(ImportError::Fetch(FetchError::StartOver(reason))) if restarts < MOST_RESTARTS => {
                    tracing::debug!(track_id = %track.id, reason, "an import begins anew");
                    restarts += 1;
                }
                stored => return stored,
            }
        }
    }
}
