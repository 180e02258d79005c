//! Checks that the master secrets that a backup will name are those of the service.

use tonearm_domain::MasterSecretUse;
use tonearm_signing::Vault;

use super::Backups;
use super::error::BackupError;
use crate::secrets::Resealing;

impl Backups {
    /// Refuses master secrets with which no node has signed recently. If no node has recorded any, sealed values are
    /// checked instead.
    pub(super) async fn check_secrets(&self) -> Result<(), BackupError> {
        let noted = self.catalog.master_secrets().await?;
        let is_ours = match noted.is_empty() {
            true => self.opens_what_is_sealed().await?,
            false => is_among(&self.secrets.fingerprints(), &noted),
        };
        if is_ours { Ok(()) } else { Err(BackupError::WrongSecret) }
    }

    /// Whether at least one sealed value can be decrypted, or none is sealed.
    async fn opens_what_is_sealed(&self) -> Result<bool, BackupError> {
        let vault = Vault::new(&self.secrets);
        let counts = Resealing::new(self.catalog.clone(), self.ambient.clone(), vault).counts().await?;
        Ok(counts.lost == 0 || counts.sealed.iter().any(|sealed| *sealed > 0))
    }
}

/// Whether one of these is among those that nodes recorded last. A node that was forgotten during a rotation may record
/// another one after all others did.
fn is_among(ours: &[String], noted: &[MasterSecretUse]) -> bool {
    let latest = noted.iter().map(|used| used.last_at).max();
    let is_in_use =
        |used: &&MasterSecretUse| Some(used.last_at.plus_seconds(2 * MasterSecretUse::NOTED_EVERY)) >= latest;
    noted.iter().filter(is_in_use).any(|used| ours.contains(&used.fingerprint))
}

#[cfg(test)]
mod tests {
    use tonearm_domain::Timestamp;

    use super::*;

    fn used(fingerprint: &str, last: i64) -> MasterSecretUse {
        let at = |seconds| Timestamp::from_unix_seconds(seconds).unwrap();
        MasterSecretUse { fingerprint: fingerprint.to_owned(), first_at: at(0), last_at: at(last) }
    }

    #[test]
    fn a_secret_that_was_replaced_is_not_in_use() {
        let ours = ["old".to_owned()];
        assert!(is_among(&ours, &[used("old", 100_000)]));
        assert!(is_among(&ours, &[used("new", 100_000), used("old", 99_500)]), "a rotation is under way");
        assert!(!is_among(&ours, &[used("new", 100_000), used("old", 90_000)]));
        assert!(!is_among(&ours, &[used("new", 100_000)]));
    }
}
