//! The object store, and whether it belongs to the database.

use std::time::Duration;

use tonearm_blobs::{BlobError, Blobs};
use tonearm_catalog::Catalog;
use tonearm_domain::Ambient;
use tonearm_service::{IdentityError, StoreIdentity};

use super::{catalog_of_command, make_folder};
use crate::start_error::StartError;
use crate::{Config, Role};

/// How long a start waits for the identity of the store. A node starts without its store, and checks again later.
const IDENTITY_TIMEOUT: Duration = Duration::from_secs(10);

/// The store that a restore fills.
pub(crate) async fn blobs(config: &Config) -> Result<Blobs, StartError> {
    Blobs::open(&config.storage_url).await.map_err(|source| store_error(config, source))
}

/// The store of this catalog. A folder that nodes used before is not created again: its disk may not be mounted.
pub(crate) async fn blobs_of_catalog(config: &Config, catalog: &Catalog) -> Result<Blobs, StartError> {
    let record = catalog
        .store_record()
        .await
        .map_err(|source| StartError::Catalog { url: config.database_url.to_string(), source })?;
    match record.and_then(|record| record.tied_at) {
        Some(_) => blobs_as_they_are(config),
        None => blobs(config).await,
    }
}

/// The store, even if it is not there.
fn blobs_as_they_are(config: &Config) -> Result<Blobs, StartError> {
    Blobs::at(&config.storage_url).map_err(|source| store_error(config, source))
}

/// The catalog and the store of a command that compares or copies them, after a check that they belong together. It needs no
/// master secret, and creates none.
pub(crate) async fn catalog_and_store(
    config: &Config,
    ambient: &Ambient,
) -> Result<(Catalog, Blobs), StartError> {
    make_folder(&config.data_dir)?;
    let catalog = catalog_of_command(config, ambient).await?;
    let blobs = blobs_of_catalog(config, &catalog).await?;
    let pairing = StoreIdentity::new(catalog.clone(), blobs.clone(), ambient.clone()).inspect().await?;
    pairing.agreed()?;
    Ok((catalog, blobs))
}

/// The store of a server. If the server delivers files, the store has a cache, whose folder only this server uses.
pub(crate) async fn blobs_of_server(config: &Config) -> Result<Blobs, StartError> {
    let blobs = blobs_as_they_are(config)?;
    if config.storage_url.is_unprotected() {
        let url = config.storage_url.to_string();
        tracing::warn!(
            url,
            "the bucket is used without TLS, so bytes that change on the way are not noticed"
        );
    }
    match config.cache.clone().filter(|_| config.has_role(Role::Edge)) {
        Some(terms) => blobs.with_cache(terms).await.map_err(|source| store_error(config, source)),
        None => Ok(blobs),
    }
}

fn store_error(config: &Config, source: BlobError) -> StartError {
    StartError::Store { url: config.storage_url.to_string(), source }
}

/// Checks that the store belongs to the database; `false` if the store does not answer now.
pub(crate) async fn check_store(config: &Config, identity: &StoreIdentity) -> Result<bool, StartError> {
    let error = match tokio::time::timeout(IDENTITY_TIMEOUT, identity.establish()).await {
        Ok(Ok(_)) => return Ok(true),
        Ok(Err(IdentityError::Mismatch(mismatch))) => return Err(StartError::Mismatch(mismatch)),
        Ok(Err(IdentityError::Catalog(source))) => {
            return Err(StartError::Catalog { url: config.database_url.to_string(), source });
        }
        Ok(Err(IdentityError::Store(error))) => error.to_string(),
        Err(_) => "the store does not respond".to_owned(),
    };
    tracing::warn!(error, "could not check that the object store belongs to this database; trying again");
    Ok(false)
}
