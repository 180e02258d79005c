//! Keeps nodes up to date on which signing keys are live.

use std::collections::HashSet;
use std::time::Duration;

use tonearm_blobs::Blobs;
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, ScheduledTask, Timestamp};
use tonearm_signing::{SigningKeyName, UrlSigner};

use super::stored;
use crate::refusal::Refusal;

/// How long a node without a catalog uses the last list while it cannot read a new one. A revocation is in the store
/// within five seconds, so the key stops working within thirty. A poll that times out leaves time for one more.
const KNOWN_BY_STORE_SECONDS: i64 = 25;

/// Like [`KNOWN_BY_STORE_SECONDS`], for a node with a catalog.
const KNOWN_BY_CATALOG_SECONDS: i64 = 15;

/// The timeout for reading the list.
const LOOK_DEADLINE: Duration = Duration::from_secs(5);

/// The timeout for publishing the list for other nodes.
const PUBLISH_DEADLINE: Duration = Duration::from_secs(10);

/// The interval at which a node checks whether the list has to be renewed. One of the nodes renews it every minute.
const ASK_SECONDS: i64 = 10;

/// Where a node learns which keys are live.
enum Source {
    /// From the catalog. The node publishes the list for other nodes through the store.
    Catalog(Catalog, Blobs),
    /// From the store, where nodes with a catalog publish the list.
    Store(Blobs),
}

impl Source {
    fn known_seconds(&self) -> i64 {
        match self {
            Self::Catalog(..) => KNOWN_BY_CATALOG_SECONDS,
            Self::Store(_) => KNOWN_BY_STORE_SECONDS,
        }
    }
}

/// Keeps a signer up to date on which keys of organizations are live. It fails closed: if it cannot read the list for a
/// while, no keys are honoured.
pub struct KeyFollower {
    source: Source,
    signer: UrlSigner,
    ambient: Ambient,
    honoured: Vec<SigningKeyName>,
    read_at: Option<Timestamp>,
    published: Option<Vec<SigningKeyName>>,
    /// When this node last checked whether the list has to be renewed.
    asked_at: Option<Timestamp>,
}

impl KeyFollower {
    /// For a node with a catalog. It also publishes the list through the store, for nodes without a catalog.
    pub fn of_catalog(catalog: Catalog, blobs: Blobs, signer: UrlSigner, ambient: Ambient) -> Self {
        Self::new(Source::Catalog(catalog, blobs), signer, ambient)
    }

    /// For a node without a catalog.
    pub fn of_store(blobs: Blobs, signer: UrlSigner, ambient: Ambient) -> Self {
        Self::new(Source::Store(blobs), signer, ambient)
    }

    fn new(source: Source, signer: UrlSigner, ambient: Ambient) -> Self {
        Self { source, signer, ambient, honoured: Vec::new(), read_at: None, published: None, asked_at: None }
    }

    /// Reads which keys are live, and from then on honours those. Returns within 15 seconds. If this has not succeeded
    /// for a while, the signer itself stops honouring any key, even if this is never called again.
    pub async fn look(&mut self) -> Result<(), Refusal> {
        // The list is no older than this.
        let asked_at = self.ambient.now();
        match in_time(LOOK_DEADLINE, self.read(asked_at)).await {
            Ok(live) => {
                self.read_at = Some(asked_at);
                tonearm_telemetry::read_key_list();
                // Revoked keys stop working at once, however long publishing takes. New keys start working after the
                // attempt to publish the list.
                self.forget_all_but(&live, asked_at);
                let published = in_time(PUBLISH_DEADLINE, self.publish(&live, asked_at)).await;
                self.honour(live, asked_at);
                published
            }
            Err(error) => {
                let known = self.source.known_seconds();
                // The time is read after the response, which may have taken long.
                let now = self.ambient.now();
                if self.read_at.is_none_or(|at| at.plus_seconds(known) <= now) {
                    self.honour(Vec::new(), now);
                }
                Err(error)
            }
        }
    }

    async fn read(&self, now: Timestamp) -> Result<Vec<SigningKeyName>, Refusal> {
        match &self.source {
            Source::Catalog(catalog, _) => Ok(catalog.live_signing_keys(now).await?),
            Source::Store(blobs) => Ok(stored::read(blobs, &self.signer, &self.ambient).await?),
        }
    }

    fn forget_all_but(&mut self, live: &[SigningKeyName], asked_at: Timestamp) {
        let live: HashSet<&SigningKeyName> = live.iter().collect();
        self.honour(self.honoured.iter().filter(|name| live.contains(name)).copied().collect(), asked_at);
    }

    fn honour(&mut self, live: Vec<SigningKeyName>, asked_at: Timestamp) {
        let until = asked_at.plus_seconds(self.source.known_seconds());
        if live == self.honoured {
            self.signer.honour_longer(until);
        } else {
            self.signer.honour_until(&live, until);
            self.honoured = live;
        }
    }

    /// Publishes changes for nodes without a catalog, and periodically renews an unchanged list.
    async fn publish(&mut self, live: &[SigningKeyName], now: Timestamp) -> Result<(), Refusal> {
        let Source::Catalog(catalog, blobs) = &self.source else {
            return Ok(());
        };
        let is_due = match &self.published {
            Some(published) if published == live => {
                let is_asked =
                    !live.is_empty() && self.asked_at.is_none_or(|at| at.plus_seconds(ASK_SECONDS) <= now);
                is_asked && {
                    self.asked_at = Some(now);
                    catalog.take_task(ScheduledTask::RenewKeyList, now).await?
                }
            }
            // An empty list means the same as no list.
            None if live.is_empty() => stored::is_there(blobs).await?,
            // Each node makes sure that changes are published. Usually another node has done so already.
            _ => !stored::says(blobs, &self.signer, &self.ambient, live).await?,
        };
        if is_due {
            stored::write(blobs, &self.signer, live, now, &self.ambient).await?;
        }
        self.published = Some(live.to_vec());
        Ok(())
    }
}

async fn in_time<T>(
    deadline: Duration,
    work: impl Future<Output = Result<T, Refusal>>,
) -> Result<T, Refusal> {
    match tokio::time::timeout(deadline, work).await {
        Ok(done) => done,
        Err(late) => Err(Refusal::Unavailable(late.into())),
    }
}
