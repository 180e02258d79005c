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

/// Like [`KNOWN_BY_STORE_SECONDS`], for what a node read in its catalog.
const KNOWN_BY_CATALOG_SECONDS: i64 = 15;

/// The timeout for reading the list.
const LOOK_DEADLINE: Duration = Duration::from_secs(5);

/// The timeout for publishing the list for other nodes.
const PUBLISH_DEADLINE: Duration = Duration::from_secs(10);

/// The interval at which a node checks whether the list has to be renewed. One of the nodes renews it every minute.
const ASK_SECONDS: i64 = 10;

/// Keeps a signer up to date on which keys of organizations are live. It fails closed: if it cannot read the list for a
/// while, no keys are honoured, and the signer reports that it does not know them.
pub struct KeyFollower {
    /// Where the node learns which keys are live, and publishes it for others. `None`: from the list in the store.
    catalog: Option<Catalog>,
    blobs: Blobs,
    signer: UrlSigner,
    ambient: Ambient,
    honoured: Vec<SigningKeyName>,
    known_until: Timestamp,
    /// Whether the last read in the catalog could not be published yet.
    is_ahead_of_store: bool,
    published: Option<Vec<SigningKeyName>>,
    /// When this node last checked whether the list has to be renewed.
    asked_at: Option<Timestamp>,
}

impl KeyFollower {
    /// For a node with a catalog. It also publishes the list through the store, for nodes without a catalog.
    pub fn of_catalog(catalog: Catalog, blobs: Blobs, signer: UrlSigner, ambient: Ambient) -> Self {
        Self::new(Some(catalog), blobs, signer, ambient)
    }

    /// For a node without a catalog.
    pub fn of_store(blobs: Blobs, signer: UrlSigner, ambient: Ambient) -> Self {
        Self::new(None, blobs, signer, ambient)
    }

    fn new(catalog: Option<Catalog>, blobs: Blobs, signer: UrlSigner, ambient: Ambient) -> Self {
        let (honoured, known_until) = (Vec::new(), ambient.now());
        signer.honour_until(&honoured, known_until);
        Self {
            catalog,
            blobs,
            signer,
            ambient,
            honoured,
            known_until,
            is_ahead_of_store: false,
            published: None,
            asked_at: None,
        }
    }

    /// Reads which keys are live, and from then on honours those. Returns within 15 seconds. If this has not succeeded
    /// for a while, the signer itself stops honouring any key, even if this is never called again.
    pub async fn look(&mut self) -> Result<(), Refusal> {
        match self.catalog.clone() {
            Some(catalog) => self.look_in_catalog(&catalog).await,
            None => self.look_in_store().await,
        }
    }

    async fn look_in_catalog(&mut self, catalog: &Catalog) -> Result<(), Refusal> {
        // The list is no older than this.
        let asked_at = self.ambient.now();
        let read = async { Ok(catalog.live_signing_keys(asked_at).await?) };
        match in_time(LOOK_DEADLINE, read).await {
            Ok(live) => {
                let until = asked_at.plus_seconds(KNOWN_BY_CATALOG_SECONDS);
                tonearm_telemetry::read_key_list();
                // Revoked keys stop working at once, however long publishing takes. New keys start working after the
                // attempt to publish the list.
                self.forget_all_but(&live, until);
                self.is_ahead_of_store = self.published.as_ref() != Some(&live);
                let published = in_time(PUBLISH_DEADLINE, self.publish(catalog, &live, asked_at)).await;
                self.honour(live, until);
                published
            }
            Err(error) => {
                // Otherwise the store may still call a key live that this node knows to be revoked.
                if !self.is_ahead_of_store
                    && let Err(error) = self.look_in_store().await
                {
                    tracing::debug!(%error, "the list of signing keys in the store is unavailable, too");
                }
                self.forget_if_late();
                Err(error)
            }
        }
    }

    async fn look_in_store(&mut self) -> Result<(), Refusal> {
        let asked_at = self.ambient.now();
        let read = async { Ok(stored::read(&self.blobs, &self.signer, &self.ambient).await?) };
        let read = in_time(LOOK_DEADLINE, read).await;
        if let Ok(Some(live)) = &read {
            tonearm_telemetry::read_key_list();
            self.honour(live.clone(), asked_at.plus_seconds(KNOWN_BY_STORE_SECONDS));
            self.published = Some(live.clone());
        }
        if let Ok(None) = &read {
            self.honour(Vec::new(), asked_at);
        }
        self.forget_if_late();
        read.map(drop)
    }

    fn forget_all_but(&mut self, live: &[SigningKeyName], until: Timestamp) {
        let live: HashSet<&SigningKeyName> = live.iter().collect();
        self.honour(self.honoured.iter().filter(|name| live.contains(name)).copied().collect(), until);
    }

    /// Forgets keys that the signer no longer honours. The time is read after the response, which may have taken long.
    fn forget_if_late(&mut self) {
        if self.known_until <= self.ambient.now() {
            self.honour(Vec::new(), self.known_until);
        }
    }

    fn honour(&mut self, live: Vec<SigningKeyName>, until: Timestamp) {
        self.known_until = until;
        if live == self.honoured {
            self.signer.honour_longer(until);
        } else {
            self.signer.honour_until(&live, until);
            self.honoured = live;
        }
    }

    /// Publishes changes for nodes without a catalog, and periodically renews an unchanged list.
    async fn publish(
        &mut self,
        catalog: &Catalog,
        live: &[SigningKeyName],
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let blobs = &self.blobs;
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
            stored::write(catalog, blobs, &self.signer, &self.ambient).await?;
        }
        self.published = Some(live.to_vec());
        self.is_ahead_of_store = false;
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
