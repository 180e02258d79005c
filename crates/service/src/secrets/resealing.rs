//! Reseals values that are sealed under older master secrets, so that those secrets can be removed.

use tonearm_catalog::{Catalog, CatalogError, Sealed, SealedAt};
use tonearm_domain::Ambient;
use tonearm_signing::Vault;

use crate::{certificates, imports, library, people, transcription, webhooks};

/// The number of share key texts that are resealed per transaction.
const BATCH: u64 = 500;

/// Moves all sealed values under the first master secret.
#[derive(Clone)]
pub struct Resealing {
    catalog: Catalog,
    ambient: Ambient,
    vault: Vault,
}

/// The result of resealing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resealed {
    /// The number of values that were under the first master secret already.
    pub kept: u64,
    /// The number of values that were resealed under it.
    pub resealed: u64,
    /// The values that no master secret can decrypt.
    pub lost: Vec<SealedAt>,
}

/// The number of values that are sealed under each master secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SealedCounts {
    /// The number of values under each, in the order of the secrets.
    pub sealed: Vec<u64>,
    /// The number of values that none can decrypt.
    pub lost: u64,
}

impl Resealing {
    /// Creates it for this catalog. `vault` must have the same secrets as the vault that sealed the values.
    pub fn new(catalog: Catalog, ambient: Ambient, vault: Vault) -> Self {
        Self { catalog, ambient, vault }
    }

    /// Whether there are master secrets besides the first. Without them, there is nothing to reseal.
    pub fn is_needed(&self) -> bool {
        self.vault.has_older()
    }

    /// Reseals what is sealed under an older master secret. Values that are changed meanwhile are skipped.
    pub async fn reseal(&self) -> Result<Resealed, CatalogError> {
        self.reseal_reporting(|_| {}).await
    }

    /// Like [`Resealing::reseal`], and reports the progress after each batch.
    pub async fn reseal_reporting(&self, report: impl Fn(&Resealed)) -> Result<Resealed, CatalogError> {
        let mut done = Resealed::default();
        self.reseal_all(self.catalog.sealed().await?, &mut done).await?;
        report(&done);
        let mut after = None;
        loop {
            let (ids, found): (Vec<_>, Vec<_>) =
                self.catalog.sealed_share_keys(after, BATCH).await?.into_iter().unzip();
            let Some(last) = ids.last() else { return Ok(done) };
            after = Some(*last);
            self.reseal_all(found, &mut done).await?;
            report(&done);
        }
    }

    /// The number of values that are sealed under each master secret.
    pub async fn counts(&self) -> Result<SealedCounts, CatalogError> {
        let mut counts = SealedCounts { sealed: vec![0; self.vault.len()], lost: 0 };
        self.count(self.catalog.sealed().await?, &mut counts);
        let mut after = None;
        loop {
            let (ids, found): (Vec<_>, Vec<_>) =
                self.catalog.sealed_share_keys(after, BATCH).await?.into_iter().unzip();
            let Some(last) = ids.last() else { return Ok(counts) };
            after = Some(*last);
            self.count(found, &mut counts);
        }
    }

    fn count(&self, all: Vec<Sealed>, counts: &mut SealedCounts) {
        for found in all {
            match self.vault.sealed_under(&vault_context(&found.at), &found.bytes) {
                Some(at) => counts.sealed[at] += 1,
                None => counts.lost += 1,
            }
        }
    }

    async fn reseal_all(&self, all: Vec<Sealed>, done: &mut Resealed) -> Result<(), CatalogError> {
        let mut anew: Vec<(Sealed, Vec<u8>)> = Vec::new();
        for found in all {
            let context = vault_context(&found.at);
            if self.vault.is_under_first(&context, &found.bytes) {
                done.kept += 1;
            } else if let Some(text) = self.vault.open(&context, &found.bytes) {
                let sealed = self.vault.seal(&context, self.ambient.random(), &text);
                anew.push((found, sealed));
            } else {
                done.lost.push(found.at);
            }
        }
        let tx = self.catalog.begin().await?;
        for (found, sealed) in anew {
            done.resealed += u64::from(tx.replace_sealed(&found, sealed).await?);
        }
        tx.commit().await
    }
}

fn vault_context(at: &SealedAt) -> String {
    match at {
        SealedAt::WebhookSecret(id) | SealedAt::OldWebhookSecret(id) => webhooks::vault_context(*id),
        SealedAt::TranscriptionKey(id) => transcription::vault_context(*id),
        SealedAt::ImportUrl(id) => imports::vault_context(*id),
        SealedAt::ImportBucketSecret(id, bucket) => imports::buckets::vault_context(*id, bucket),
        SealedAt::SecondFactor(id) => people::vault_context(*id),
        SealedAt::ShareKeyText(id) => library::vault_context(*id),
        SealedAt::AcmeAccount(directory) => certificates::account_context(directory),
        SealedAt::CertificateKey(names) => certificates::key_context(names),
    }
}
