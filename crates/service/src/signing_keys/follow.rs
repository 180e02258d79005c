//! Knowing which signing keys are live.

use std::collections::HashSet;

use tonearm_blobs::Blobs;
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, ScheduledTask, Timestamp};
use tonearm_signing::{SigningKeyName, UrlSigner};

use super::stored;
use crate::Refusal;

/// How long a node goes on with what it knows while it cannot ask. Together with the ten seconds between two looks at
/// the store this keeps a revocation within thirty.
const KNOWN_SECONDS: i64 = 15;

/// Where a node learns which keys are live.
enum Source {
    /// From the catalog; it tells the others through the store.
    Catalog(Catalog, Blobs),
    /// From the store, where nodes with a catalog tell.
    Store(Blobs),
}

/// Keeps a signer up to date about which keys of organizations are live. It fails closed: where nobody says for a while
/// which are, none are.
pub struct KeyFollower {
    source: Source,
    signer: UrlSigner,
    ambient: Ambient,
    known: Vec<SigningKeyName>,
    read_at: Option<Timestamp>,
    told: Option<Vec<SigningKeyName>>,
}

impl KeyFollower {
    /// For a node with a catalog. It also tells nodes without one, through the store.
    pub fn of_catalog(catalog: Catalog, blobs: Blobs, signer: UrlSigner, ambient: Ambient) -> Self {
        Self::new(Source::Catalog(catalog, blobs), signer, ambient)
    }

    /// For a node without a catalog.
    pub fn of_store(blobs: Blobs, signer: UrlSigner, ambient: Ambient) -> Self {
        Self::new(Source::Store(blobs), signer, ambient)
    }

    fn new(source: Source, signer: UrlSigner, ambient: Ambient) -> Self {
        Self { source, signer, ambient, known: Vec::new(), read_at: None, told: None }
    }

    /// Looks which keys are live, and from then on honours those.
    pub async fn look(&mut self) -> Result<(), Refusal> {
        let now = self.ambient.now();
        match self.read(now).await {
            Ok(live) => {
                self.read_at = Some(now);
                // What was revoked ends at once, however long it takes to tell others; what is new begins when they
                // are told.
                self.forget_all_but(&live);
                let told = self.tell(&live, now).await;
                self.honour(live);
                told
            }
            Err(error) => {
                if self.read_at.is_none_or(|at| at.plus_seconds(KNOWN_SECONDS) < now) {
                    self.honour(Vec::new());
                }
                Err(error)
            }
        }
    }

    async fn read(&self, now: Timestamp) -> Result<Vec<SigningKeyName>, Refusal> {
        match &self.source {
            Source::Catalog(catalog, _) => Ok(catalog.live_signing_keys().await?),
            Source::Store(blobs) => Ok(stored::read(blobs, &self.signer, now).await?),
        }
    }

    fn forget_all_but(&mut self, live: &[SigningKeyName]) {
        let live: HashSet<&SigningKeyName> = live.iter().collect();
        self.honour(self.known.iter().filter(|name| live.contains(name)).copied().collect());
    }

    fn honour(&mut self, live: Vec<SigningKeyName>) {
        if live != self.known {
            self.signer.honour(&live);
            self.known = live;
        }
    }

    /// Tells nodes without a catalog what changed, and now and then that nothing did.
    async fn tell(&mut self, live: &[SigningKeyName], now: Timestamp) -> Result<(), Refusal> {
        let Source::Catalog(catalog, blobs) = &self.source else {
            return Ok(());
        };
        let is_due = match &self.told {
            // Each node tells what is new, so that nobody has to rely on another.
            Some(told) if told != live => true,
            Some(told) => !told.is_empty() && catalog.take_task(ScheduledTask::RenewKeyList, now).await?,
            // A list without keys says no more than no list does.
            None => !live.is_empty() || stored::is_there(blobs).await?,
        };
        if is_due {
            stored::write(blobs, &self.signer, live, now, &self.ambient).await?;
        }
        if is_due || self.told.is_none() {
            self.told = Some(live.to_vec());
        }
        Ok(())
    }
}
