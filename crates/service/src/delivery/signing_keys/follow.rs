//! Knowing which signing keys are live.

use std::collections::HashSet;
use std::time::Duration;

use tonearm_blobs::Blobs;
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, ScheduledTask, Timestamp};
use tonearm_signing::{SigningKeyName, UrlSigner};

use super::stored;
use crate::refusal::Refusal;

/// How long a node without a catalog goes on with what it knows while it cannot ask. A revocation is in the store within
/// five seconds, so it ends within thirty. A look that fails after its deadline leaves time for one more.
const KNOWN_BY_STORE_SECONDS: i64 = 25;

/// The same for a node with a catalog.
const KNOWN_BY_CATALOG_SECONDS: i64 = 15;

/// How long a look may take.
const LOOK_DEADLINE: Duration = Duration::from_secs(5);

/// How long it may take to publish the list for other nodes.
const PUBLISH_DEADLINE: Duration = Duration::from_secs(10);

/// How often a node asks whether the list is to be renewed, which is done every minute by one of them.
const ASK_SECONDS: i64 = 10;

/// Where a node learns which keys are live.
enum Source {
    /// From the catalog; it tells the others through the store.
    Catalog(Catalog, Blobs),
    /// From the store, where nodes with a catalog tell.
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

/// Keeps a signer up to date about which keys of organizations are live. It fails closed: where nobody says for a while
/// which are, none are.
pub struct KeyFollower {
    source: Source,
    signer: UrlSigner,
    ambient: Ambient,
    honoured: Vec<SigningKeyName>,
    read_at: Option<Timestamp>,
    published: Option<Vec<SigningKeyName>>,
    /// When it was last asked whether the list is to be renewed.
    asked_at: Option<Timestamp>,
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
        Self { source, signer, ambient, honoured: Vec::new(), read_at: None, published: None, asked_at: None }
    }

    /// Looks which keys are live, and from then on honours those. Ends within 15 seconds. The signer itself honours none
    /// any more when this has not succeeded for a while, even if it is never called again.
    pub async fn look(&mut self) -> Result<(), Refusal> {
        // What is read is no older than this.
        let asked_at = self.ambient.now();
        match in_time(LOOK_DEADLINE, self.read()).await {
            Ok(live) => {
                self.read_at = Some(asked_at);
                tonearm_telemetry::read_key_list();
                // What was revoked ends at once, however long it takes to tell others; what is new begins when they
                // are told.
                self.forget_all_but(&live, asked_at);
                let published = in_time(PUBLISH_DEADLINE, self.publish(&live, asked_at)).await;
                self.honour(live, asked_at);
                published
            }
            Err(error) => {
                let known = self.source.known_seconds();
                // It is judged after the answer, which may have taken long.
                let now = self.ambient.now();
                if self.read_at.is_none_or(|at| at.plus_seconds(known) <= now) {
                    self.honour(Vec::new(), now);
                }
                Err(error)
            }
        }
    }

    async fn read(&self) -> Result<Vec<SigningKeyName>, Refusal> {
        match &self.source {
            Source::Catalog(catalog, _) => Ok(catalog.live_signing_keys().await?),
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

    /// Publishes for nodes without a catalog what changed, and now and then that nothing did.
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
            // A list without keys says no more than no list does.
            None if live.is_empty() => stored::is_there(blobs).await?,
            // Each node sees to it that what is new is published; mostly another one was faster.
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
