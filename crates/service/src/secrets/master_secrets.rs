//! Which master secrets are in use, and when an old one can be removed.

use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{Ambient, MasterSecretUse, NodeRecord, Timestamp};
use tonearm_signing::Secrets;

use super::resealing::{Resealing, SealedCounts};
use crate::refusal::Refusal;

/// Reports on the master secrets of this process, and when nodes used them.
#[derive(Clone)]
pub struct MasterSecrets {
    catalog: Catalog,
    ambient: Ambient,
    resealing: Resealing,
    /// The fingerprints of the secrets in their order, the signing one first.
    fingerprints: Vec<String>,
    /// The seconds that shared caches add to the lifetime of URLs.
    rounding: u32,
}

/// The status of the master secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MasterSecretStatus {
    /// Each secret of this process in its order, the signing one first.
    pub secrets: Vec<MasterSecretView>,
    /// Stored secrets that none of them can decrypt.
    pub lost: u64,
    /// Signing keys that work only as long as an older secret is listed.
    pub old_signing_keys: u64,
    /// The running nodes that have a database.
    pub nodes: Vec<NodeRecord>,
    /// When the last signature made with an older secret expires. `None` if there are no older secrets, or none of them
    /// ever signed.
    pub expired_at: Option<Timestamp>,
    /// The time of this status.
    pub now: Timestamp,
}

/// The status of one master secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MasterSecretView {
    /// Identifies the secret without revealing anything about it.
    pub fingerprint: String,
    /// When nodes signed with it; `None` if none did.
    pub used: Option<MasterSecretUse>,
    /// How many stored secrets are encrypted with it.
    pub sealed: u64,
}

/// The next step of a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RotationStep {
    /// List a new secret after the others, on every node.
    Add,
    /// Put the last secret first.
    Promote,
    /// Wait, and then remove all secrets but the first.
    Remove,
}

impl MasterSecretStatus {
    /// The next step of a rotation.
    pub fn next_step(&self) -> RotationStep {
        match self.secrets.as_slice() {
            [] | [_] => RotationStep::Add,
            // A secret with which no node has signed is new.
            [.., last] if last.used.is_none() => RotationStep::Promote,
            _ => RotationStep::Remove,
        }
    }

    /// Whether any node has recorded yet which secret it signs with.
    pub fn is_known(&self) -> bool {
        self.secrets.iter().any(|secret| secret.used.is_some())
    }

    /// Why the last secret cannot be put first yet, in sentences. Empty if it can. Nodes that do not know the secret
    /// refuse what other nodes sign with it, and cannot decrypt what is encrypted with it.
    pub fn reasons_not_to_promote(&self) -> Vec<String> {
        let Some(last) = self.secrets.last() else { return Vec::new() };
        let (silent, telling): (Vec<_>, Vec<_>) =
            self.nodes.iter().partition(|node| node.master_secrets.is_empty());
        let behind = telling.into_iter().filter(|node| !node.master_secrets.contains(&last.fingerprint));
        let behind =
            names(behind).map(|names| format!("restart {names}, which started without the new secret"));
        let silent = names(silent.into_iter());
        let silent = silent
            .map(|names| format!("upgrade {names}, whose version does not report which secrets it knows"));
        behind.into_iter().chain(silent).collect()
    }

    /// What still depends on the older secrets, in sentences. Empty if they can be removed.
    pub fn reasons_to_wait(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        let sealed: u64 = self.secrets.iter().skip(1).map(|secret| secret.sealed).sum();
        if self.secrets.first().is_some_and(|first| first.used.is_none()) {
            reasons.push("no node signs with the first secret yet; restart the nodes".to_owned());
        }
        let first = self.secrets.first().map(|first| &first.fingerprint);
        let others = self.nodes.iter().filter(|node| node.master_secrets.first() != first);
        if let Some(names) = names(others) {
            reasons.push(format!("restart {names}, which may still sign with an older one"));
        }
        if sealed > 0 {
            reasons.push(format!("{sealed} stored secrets are encrypted with an older one; restart a node"));
        }
        if self.old_signing_keys > 0 {
            let count = self.old_signing_keys;
            reasons.push(format!(
                "{count} signing keys were created with an older one and stop working without it; create new ones, then \
                 revoke them"
            ));
        }
        if let Some(at) = self.expired_at.filter(|at| *at > self.now) {
            reasons.push(format!("URLs that were signed with an older one are valid until {at}"));
        }
        reasons
    }
}

/// Lists the names of nodes for a sentence; `None` if there are none.
fn names<'a>(nodes: impl Iterator<Item = &'a NodeRecord>) -> Option<String> {
    const MOST: usize = 5;
    let names: Vec<_> = nodes.map(|node| format!("{} ({})", node.name, node.address)).collect();
    let more = names.len().saturating_sub(MOST);
    let named = names.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => None,
        1 => Some(format!("the node {named}")),
        _ if more == 0 => Some(format!("the nodes {named}")),
        _ => Some(format!("the nodes {named} and {more} more")),
    }
}

impl MasterSecrets {
    /// Creates it for the secrets of this process. `rounding` is the window of URLs for shared caches, in seconds.
    pub fn new(
        catalog: Catalog,
        ambient: Ambient,
        resealing: Resealing,
        secrets: &Secrets,
        rounding: u32,
    ) -> Self {
        Self { catalog, ambient, resealing, fingerprints: secrets.fingerprints(), rounding }
    }

    /// The fingerprints of the secrets in their order, the signing one first.
    pub fn fingerprints(&self) -> &[String] {
        &self.fingerprints
    }

    /// Records which secret this node signs with. Call it at the start and every [`MasterSecretUse::NOTED_EVERY`]
    /// seconds.
    pub async fn note(&self) -> Result<(), Refusal> {
        Ok(self.record().await?)
    }

    async fn record(&self) -> Result<(), CatalogError> {
        let Some((first, others)) = self.fingerprints.split_first() else { return Ok(()) };
        self.catalog.note_master_secret(first, others, self.ambient.now()).await
    }

    /// The same before the first node starts: what a command signs and encrypts depends on the secret, too.
    pub async fn note_first(&self) -> Result<(), CatalogError> {
        if self.catalog.master_secrets().await?.is_empty() { self.record().await } else { Ok(()) }
    }

    /// The current status of the secrets.
    pub async fn status(&self) -> Result<MasterSecretStatus, Refusal> {
        let known = self.catalog.master_secrets().await?;
        let SealedCounts { sealed, lost } = self.resealing.counts().await?;
        let used = |fingerprint: &str| known.iter().find(|used| used.fingerprint == fingerprint).cloned();
        let views = self.fingerprints.iter().zip(sealed).map(|(fingerprint, sealed)| MasterSecretView {
            fingerprint: fingerprint.clone(),
            used: used(fingerprint),
            sealed,
        });
        let secrets: Vec<_> = views.collect();
        let older = secrets.iter().skip(1).filter_map(|secret| secret.used.as_ref());
        // A signing key depends on the secret that was first on the node that created it.
        let last_at = older.clone().map(|used| used.last_at).max();
        let old_signing_keys = match (last_at, secrets.first().and_then(|first| first.used.as_ref())) {
            (None, _) => 0,
            (Some(last), None) => self.catalog.live_signing_keys_until(last).await?,
            (Some(last), Some(first)) => {
                let until = last.plus_seconds(MasterSecretUse::NOTED_EVERY).max(first.first_at);
                self.catalog.live_signing_keys_until(until).await?
            }
        };
        let expired_at = older.map(|used| used.last_signature_expires_at(self.rounding)).max();
        let now = self.ambient.now();
        let seen = self.catalog.seen_nodes(now).await?.into_iter();
        let nodes = seen.filter(|seen| !seen.is_lost()).map(|seen| seen.node).collect();
        Ok(MasterSecretStatus { secrets, lost, old_signing_keys, nodes, expired_at, now })
    }
}

#[cfg(test)]
mod tests {
    use tonearm_domain::{NodeId, PerClass, RecordId};

    use super::*;

    fn secret(fingerprint: &str, used: Option<(i64, i64)>, sealed: u64) -> MasterSecretView {
        let at = |seconds| Timestamp::from_unix_seconds(seconds).unwrap();
        MasterSecretView {
            fingerprint: fingerprint.to_owned(),
            used: used.map(|(first, last)| MasterSecretUse {
                fingerprint: fingerprint.to_owned(),
                first_at: at(first),
                last_at: at(last),
            }),
            sealed,
        }
    }

    fn status(secrets: Vec<MasterSecretView>) -> MasterSecretStatus {
        let now = Timestamp::from_unix_seconds(1_000_000).unwrap();
        let older = secrets.iter().skip(1).filter_map(|secret| secret.used.as_ref());
        let expired_at = older.map(|used| used.last_signature_expires_at(0)).max();
        MasterSecretStatus { secrets, lost: 0, old_signing_keys: 0, nodes: Vec::new(), expired_at, now }
    }

    fn node(name: &str, master_secrets: &[&str]) -> NodeRecord {
        let started_at = Timestamp::from_unix_seconds(1_000).unwrap();
        NodeRecord {
            id: NodeId::from_parts(started_at, [1; 10]),
            name: name.to_owned(),
            address: "10.0.0.7:8080".to_owned(),
            version: "0.1.0".to_owned(),
            roles: vec!["api".to_owned()],
            started_at,
            clock_ahead_millis: None,
            master_secrets: master_secrets.iter().map(|&fingerprint| fingerprint.to_owned()).collect(),
            recent_runs: PerClass::default(),
        }
    }

    #[test]
    fn no_step_is_taken_before_all_nodes_are_ready() {
        let mut added = status(vec![secret("a", Some((0, 999_000)), 3), secret("b", None, 0)]);
        added.nodes = vec![node("one", &["a", "b"]), node("two", &["a", "b"])];
        assert_eq!(added.reasons_not_to_promote(), [""; 0]);
        added.nodes.extend([node("three", &["a"]), node("four", &[])]);
        assert_eq!(
            added.reasons_not_to_promote(),
            [
                "restart the node three (10.0.0.7:8080), which started without the new secret",
                "upgrade the node four (10.0.0.7:8080), whose version does not report which secrets it knows",
            ]
        );
        added.nodes = (0..7).map(|at| node(&format!("n{at}"), &["a"])).collect();
        let reasons = added.reasons_not_to_promote();
        assert!(reasons[0].contains("n4 (10.0.0.7:8080) and 2 more, which"), "{reasons:?}");

        let mut over =
            status(vec![secret("b", Some((800_000, 999_900)), 3), secret("a", Some((0, 800_000)), 0)]);
        over.nodes = vec![node("one", &["b", "a"]), node("two", &["a", "b"])];
        let reasons = over.reasons_to_wait();
        assert_eq!(reasons, ["restart the node two (10.0.0.7:8080), which may still sign with an older one"]);
    }

    #[test]
    fn a_rotation_has_three_steps() {
        let alone = status(vec![secret("a", Some((0, 999_000)), 3)]);
        assert_eq!(alone.next_step(), RotationStep::Add);
        let added = status(vec![secret("a", Some((0, 999_000)), 3), secret("b", None, 0)]);
        assert_eq!(added.next_step(), RotationStep::Promote);
        let promoted =
            status(vec![secret("b", Some((999_500, 999_900)), 3), secret("a", Some((0, 999_000)), 0)]);
        assert_eq!(promoted.next_step(), RotationStep::Remove);
        assert_eq!(promoted.reasons_to_wait().len(), 1);
        let over = status(vec![secret("b", Some((800_000, 999_900)), 3), secret("a", Some((0, 800_000)), 0)]);
        assert_eq!(over.reasons_to_wait(), [""; 0]);
        let sealed =
            status(vec![secret("b", Some((800_000, 999_900)), 3), secret("a", Some((0, 800_000)), 1)]);
        assert_eq!(sealed.reasons_to_wait().len(), 1);
        let restarted = status(vec![secret("b", None, 0), secret("a", Some((0, 800_000)), 0)]);
        assert!(restarted.reasons_to_wait()[0].starts_with("no node signs with the first secret yet"));
    }
}
