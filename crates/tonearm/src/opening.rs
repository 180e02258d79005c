//! Opens the resources that the configuration names.

mod catalog;
mod folders;
mod secrets;
mod store;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use tonearm_edge::Countries;
use tonearm_media::{Media, Pictures};

pub(crate) use self::catalog::{
    catalog_of_command, catalog_of_service, connect_options, future_database, migrate_in_command,
    prepare_tables, require_database, warn_of_connections,
};
pub(crate) use self::folders::{disks, make_folder, require_owner, scratch, space, unstored_usage};
pub(crate) use self::secrets::{
    has_secret, known_secrets, require_recorded_secret, require_secret, reseal, secrets, signer,
};
pub(crate) use self::store::{blobs, blobs_of_catalog, blobs_of_server, catalog_and_store, check_store};
use crate::start_error::StartError;
use crate::{Config, Role};

pub(crate) fn media(config: &Config) -> Media {
    Media::new(config.media.clone())
}

/// The reader of pictures, for a node that may have no encoders.
pub(crate) fn pictures(config: &Config) -> Pictures {
    Pictures::new(Arc::new(config.media.confinement.clone()), config.media.memory)
}

/// Logs how child processes are confined. An error if the confinement is required and incomplete.
pub(crate) async fn check_confinement(config: &Config) -> Result<(), StartError> {
    match media(config).confinement().await {
        Ok(confinement) if confinement.is_complete() => tracing::info!(%confinement, "ffmpeg is confined"),
        Ok(confinement) => {
            if config.media.confinement.is_required {
                confinement.require()?;
            }
            tracing::warn!(%confinement, "ffmpeg is only partly confined; `tonearm doctor` explains how to fix this");
        }
        Err(error) if config.media.confinement.is_required => return Err(error.into()),
        Err(error) => tracing::warn!(%error, "could not check whether ffmpeg is confined"),
    }
    Ok(())
}

/// The database of countries, on a node that delivers.
pub(crate) fn countries(config: &Config) -> Result<Option<Arc<Countries>>, StartError> {
    let Some(path) = config.country_database.as_ref().filter(|_| config.has_role(Role::Edge)) else {
        return Ok(None);
    };
    let countries =
        Countries::open(path).map_err(|source| StartError::Countries { path: path.clone(), source })?;
    let (database_type, built_on) =
        (countries.database_type(), countries.built_on().map(|day| day.to_string()));
    tracing::info!(database_type, built_on, "listens are counted by country");
    Ok(Some(Arc::new(countries)))
}

/// The host name of this machine.
pub(crate) fn machine_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

pub(crate) fn public_url(config: &Config, address: SocketAddr) -> String {
    config.public_url.clone().unwrap_or_else(|| {
        if let Some(name) = config.acme.as_ref().and_then(|terms| terms.names.as_slice().first()) {
            return format!("https://{name}");
        }
        let host = match address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            IpAddr::V6(ip) => format!("[{ip}]"),
            ip => ip.to_string(),
        };
        let scheme = if config.has_tls() { "https" } else { "http" };
        format!("{scheme}://{host}:{}", address.port())
    })
}
