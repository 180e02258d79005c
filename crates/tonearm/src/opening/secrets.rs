//! The master secrets of a node.

use tonearm_catalog::Catalog;
use tonearm_domain::Ambient;
use tonearm_service::Resealing;
use tonearm_signing::{Secrets, UrlSigner};

use super::future_database;
use crate::start_error::StartError;
use crate::{Config, Role, secret};

pub(crate) fn signer(config: &Config, secrets: &Secrets) -> UrlSigner {
    UrlSigner::new(secrets.clone()).with_clock_tolerance(config.clock_tolerance_seconds)
}

/// The secrets from the configuration or from the data folder. Creates one there on the first start of a service, but not
/// beside a database in which a node recorded another one: what that one encrypted and signed would be lost silently.
pub(crate) async fn secrets(config: &Config, ambient: &Ambient) -> Result<Secrets, StartError> {
    match &config.secrets {
        Some(secrets) => Ok(secrets.clone()),
        None => {
            require_secret(config)?;
            require_recorded_secret(config).await?;
            secret::read_or_make(&config.data_dir, ambient)
                .map_err(|source| StartError::DataDir { path: config.data_dir.join("secret"), source })
        }
    }
}

/// The existing secrets, for a command that must not create any: a new one would not be that of the service.
pub(crate) async fn known_secrets(config: &Config, ambient: &Ambient) -> Result<Secrets, StartError> {
    if has_secret(config) {
        return secrets(config, ambient).await;
    }
    Err(StartError::NoSecret { path: config.data_dir.join("secret") })
}

pub(crate) fn has_secret(config: &Config) -> bool {
    config.secrets.is_some() || config.data_dir.join("secret").exists()
}

/// Refuses to create a secret beside a database in which a node recorded another one.
pub(crate) async fn require_recorded_secret(config: &Config) -> Result<(), StartError> {
    if has_secret(config) || future_database(config).is_some() {
        return Ok(());
    }
    let has_another = Box::pin(Catalog::has_master_secret(&config.database_url))
        .await
        .map_err(|source| StartError::Catalog { url: config.database_url.to_string(), source })?;
    match has_another {
        true => Err(StartError::NoSecret { path: config.data_dir.join("secret") }),
        false => Ok(()),
    }
}

/// Refuses to create a secret if there may be other nodes: they could neither verify what this one signs nor decrypt what it
/// encrypts.
pub(crate) fn require_secret(config: &Config) -> Result<(), StartError> {
    if has_secret(config) || is_alone(config) { Ok(()) } else { Err(StartError::Secret) }
}

/// Whether the whole service is on this machine.
fn is_alone(config: &Config) -> bool {
    config.database_url.sqlite_path().is_some()
        && !config.storage_url.is_bucket()
        && config.has_role(Role::Api)
}

/// Re-encrypts what is encrypted with older master secrets, before anything reads it.
pub(crate) async fn reseal(config: &Config, resealing: &Resealing) -> Result<(), StartError> {
    if !resealing.is_needed() {
        return Ok(());
    }
    let done = resealing
        .reseal()
        .await
        .map_err(|source| StartError::Catalog { url: config.database_url.to_string(), source })?;
    for at in &done.lost {
        tracing::warn!(
            ?at,
            "cannot decrypt this, since its master secret was removed; enter or rotate it again"
        );
    }
    let count = done.resealed + done.kept;
    tracing::info!(count, anew = done.resealed, "stored secrets are encrypted with the first master secret");
    Ok(())
}
