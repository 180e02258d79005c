//! Keeping what is counted.

use tonearm_blobs::Blobs;
use tonearm_domain::{Ambient, Meter, UsageBatch};

use super::{Usage, stored};
use crate::Refusal;

impl Usage {
    /// Adds what a node counted; `false` where that had been done before. An error tells nothing: the batch may be
    /// added or not, and is to be given again as it is.
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

/// Takes what a node counted and keeps it: in the catalog, or in the store where the node has no catalog.
pub struct UsageKeeper {
    meter: Meter,
    ambient: Ambient,
    sink: Sink,
    /// Taken, and perhaps kept: the answer is still to come.
    pending: Option<UsageBatch>,
}

impl UsageKeeper {
    /// For a node with a catalog.
    pub fn in_catalog(meter: Meter, usage: Usage) -> Self {
        Self { meter, ambient: usage.ambient.clone(), sink: Sink::Catalog(usage), pending: None }
    }

    /// For a node without one: others find the counts in the store and add them ([`Usage::add_stored`]).
    pub fn in_store(meter: Meter, blobs: Blobs, ambient: Ambient) -> Self {
        Self { meter, ambient, sink: Sink::Store(blobs), pending: None }
    }

    /// Keeps what was counted since the last time. After an error nothing is lost: the same batch is given again
    /// under the same name, so that it counts once even if it had arrived.
    pub async fn flush(&mut self) -> Result<(), Refusal> {
        self.give().await?;
        self.pending = self.meter.take(&self.ambient);
        self.give().await
    }

    async fn give(&mut self) -> Result<(), Refusal> {
        // Taken out only when it is kept: this may be given up anywhere.
        if let Some(batch) = &self.pending {
            match &self.sink {
                Sink::Catalog(usage) => {
                    usage.add(batch).await?;
                }
                Sink::Store(blobs) => stored::put(blobs, batch).await?,
            }
            self.pending = None;
        }
        Ok(())
    }
}
