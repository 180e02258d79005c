//! Storing usage counts.

use std::path::{Path, PathBuf};

use tonearm_blobs::Blobs;
use tonearm_domain::{Ambient, Meter, UncountedListeners, UsageBatch};

use super::unstored::{Opened, Unstored};
use super::{Usage, stored};
use crate::refusal::Refusal;

impl Usage {
    /// Adds the counts of a node. Returns `false` if they had already been added. After an error, the outcome is
    /// unknown: the batch must be added again unchanged.
    pub async fn add(&self, batch: &UsageBatch) -> Result<bool, Refusal> {
        Ok(self.catalog.add_usage(batch, self.ambient.now()).await?)
    }
}

/// Where a node's counts go.
#[derive(Clone)]
enum Sink {
    Catalog(Usage),
    Store(Blobs),
}

impl Sink {
    async fn keep(&self, batch: &UsageBatch) -> Result<(), Refusal> {
        match self {
            Self::Catalog(usage) => usage.add(batch).await.map(drop),
            Self::Store(blobs) => stored::put(blobs, batch).await,
        }
    }
}

/// Takes the counts of a node and stores them: in the catalog, or in the store if the node has no catalog.
pub struct UsageKeeper {
    meter: Meter,
    ambient: Ambient,
    sink: Sink,
    /// Taken from the meter, and perhaps stored: the result is not known yet.
    pending: Option<UsageBatch>,
    is_overflowing: bool,
    disk: Option<Disk>,
}

/// The disk, for batches that could not be stored before the node ended.
struct Disk {
    unstored: Unstored,
    /// Files that an earlier process left, the oldest last. None before the folder was read.
    left: Option<Vec<PathBuf>>,
}

impl UsageKeeper {
    /// For a node with a catalog.
    pub fn in_catalog(meter: Meter, usage: Usage) -> Self {
        Self {
            meter,
            ambient: usage.ambient.clone(),
            sink: Sink::Catalog(usage),
            pending: None,
            is_overflowing: false,
            disk: None,
        }
    }

    /// For a node without a catalog: other nodes find the counts in the store and add them ([`Usage::add_stored`]).
    pub fn in_store(meter: Meter, blobs: Blobs, ambient: Ambient) -> Self {
        let sink = Sink::Store(blobs);
        Self { meter, ambient, sink, pending: None, is_overflowing: false, disk: None }
    }

    /// Batches that cannot be stored before the node ends are written to a folder ([`Self::leave`]), and stored from
    /// there after the next start.
    pub fn leaving_in(mut self, folder: PathBuf) -> Self {
        self.disk = Some(Disk { unstored: Unstored::in_folder(folder), left: None });
        self
    }

    /// Stores what was counted since the last call. After an error, nothing is lost: the same batch is sent again under
    /// the same name, so that it counts once even if it had arrived.
    pub async fn flush(&mut self) -> Result<(), Refusal> {
        let flushed = self.flush_all().await;
        self.report_lag();
        flushed
    }

    /// Reports how long the oldest counts have been waiting to be stored.
    fn report_lag(&self) {
        let waiting = self.pending.as_ref().map(|batch| batch.taken_at.unix_millis());
        tonearm_telemetry::waits_with_usage(waiting);
    }

    async fn flush_all(&mut self) -> Result<(), Refusal> {
        self.give().await?;
        self.warn_of_overflow();
        self.pending = self.meter.take(&self.ambient);
        self.give().await?;
        self.give_left().await
    }

    /// Writes the batches that are not stored to the disk. Returns their number.
    pub async fn leave(&mut self) -> Result<usize, Refusal> {
        let Some(disk) = &self.disk else {
            return Err(Refusal::Unavailable("there is no folder for unstored usage".into()));
        };
        let unstored = disk.unstored.clone();
        let batches: Vec<_> = self.pending.take().into_iter().chain(self.meter.take(&self.ambient)).collect();
        let count = batches.len();
        let write = move || batches.iter().try_for_each(|batch| unstored.write(batch));
        blocking(write).await?.map_err(|error| Refusal::Unavailable(error.into()))?;
        Ok(count)
    }

    /// Counts the listeners that the meter has left out, and logs a warning when it starts to.
    fn warn_of_overflow(&mut self) {
        let UncountedListeners { of_network, without_room } = self.meter.take_uncounted();
        tonearm_telemetry::left_out_listeners("network", of_network);
        tonearm_telemetry::left_out_listeners("full", without_room);
        let is_overflowing = of_network + without_room > 0;
        if is_overflowing && !self.is_overflowing {
            tracing::warn!("too many listeners at the same time; some deliveries do not count as listens");
        }
        self.is_overflowing = is_overflowing;
    }

    async fn give(&mut self) -> Result<(), Refusal> {
        // It is taken out only after it is stored, since this future may be dropped at any point.
        if let Some(batch) = &self.pending {
            // Report first: if the database hangs, this waits as long.
            self.report_lag();
            self.sink.keep(batch).await?;
            self.pending = None;
        }
        Ok(())
    }

    /// Stores the batches that an earlier process left on the disk, the oldest first. Only an outage of the destination
    /// makes it wait: unusable files are set aside.
    async fn give_left(&mut self) -> Result<(), Refusal> {
        let Some(disk) = &mut self.disk else { return Ok(()) };
        if disk.left.is_none() {
            disk.left = Some(look(disk.unstored.clone()).await?);
        }
        let Some(left) = &mut disk.left else { return Ok(()) };
        while let Some(path) = left.last().cloned() {
            let (opened, now) = (path.clone(), self.ambient.now());
            let opened = blocking(move || Unstored::open(&opened, now)).await?;
            let unfit = match opened {
                Ok(Opened::Batch(batch)) => match self.sink.keep(&batch).await {
                    Ok(()) => {
                        tracing::info!(batch = %batch.id, "stored usage that an earlier process had left on disk");
                        None
                    }
                    Err(
                        error @ (Refusal::Unavailable(_) | Refusal::UnknownOutcome(_) | Refusal::Full(_)),
                    ) => {
                        return Err(error);
                    }
                    Err(error) => Some(error.to_string()),
                },
                Ok(Opened::Gone) => None,
                Ok(Opened::Unfit(why)) => Some(why),
                Err(error) => Some(error.to_string()),
            };
            put_away(path, unfit).await?;
            left.pop();
        }
        Ok(())
    }
}

/// The files that were left. If the folder cannot be read, counting continues without them.
async fn look(unstored: Unstored) -> Result<Vec<PathBuf>, Refusal> {
    Ok(blocking(move || unstored.list()).await?.unwrap_or_else(|error| {
        tracing::error!(%error, "could not read usage that an earlier process left on disk");
        Vec::new()
    }))
}

/// Removes a processed file, or keeps an unusable one for people to examine.
async fn put_away(path: PathBuf, unfit: Option<String>) -> Result<(), Refusal> {
    let put = |act: fn(&Path) -> std::io::Result<()>| {
        let path = path.clone();
        blocking(move || act(&path))
    };
    let done = match &unfit {
        None => put(Unstored::remove).await?,
        Some(why) => {
            tracing::error!(path = %path.display(), why, "cannot use a file of unstored usage; setting it aside");
            put(Unstored::set_aside).await?
        }
    };
    if let Err(error) = done {
        tracing::error!(path = %path.display(), %error, "could not remove or set aside a file of unstored usage");
    }
    Ok(())
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Refusal::Internal(error.into()))
}
