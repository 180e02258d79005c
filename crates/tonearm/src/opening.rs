//! Opens what the configuration names.

use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tonearm_blobs::{BlobError, Blobs};
use tonearm_catalog::{Catalog, ConnectOptions, DueClock, Migrate};
use tonearm_domain::Ambient;
use tonearm_edge::Countries;
use tonearm_media::{Media, MediaConfig, MediaLimits, Pictures};
use tonearm_service::{DiskUse, Disks, IdentityError, Resealing, Space, StoreIdentity};
use tonearm_signing::{Secrets, UrlSigner};

use crate::scratch::Scratch;
use crate::start_error::StartError;
use crate::{Config, Role, secret};

/// How long a start waits to learn which store it is. A node starts without its store, and asks again later.
const IDENTITY_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) fn media(config: &Config) -> Media {
    Media::new(MediaConfig {
        ffmpeg: config.ffmpeg.clone(),
        ffprobe: config.ffprobe.clone(),
        concurrency: config.media_concurrency,
        limits: MediaLimits::default(),
        memory: config.media_memory,
        confinement: config.confinement.clone(),
    })
}

/// What looks at pictures on a node that may have no encoders.
pub(crate) fn pictures(config: &Config) -> Pictures {
    Pictures::new(Arc::new(config.confinement.clone()), config.media_memory)
}

/// Says what keeps child processes from everything that is not theirs. An error where not all of it stands that is
/// required.
pub(crate) async fn check_confinement(config: &Config) -> Result<(), StartError> {
    match media(config).confinement().await {
        Ok(confinement) if confinement.is_complete() => tracing::info!(%confinement, "ffmpeg is confined"),
        Ok(confinement) => {
            if config.confinement.is_required {
                confinement.require()?;
            }
            tracing::warn!(%confinement, "ffmpeg is only partly confined; `tonearm doctor` explains how to fix this");
        }
        Err(error) if config.confinement.is_required => return Err(error.into()),
        Err(error) => tracing::warn!(%error, "could not check whether ffmpeg is confined"),
    }
    Ok(())
}

pub(crate) fn signer(config: &Config, secrets: &Secrets) -> UrlSigner {
    UrlSigner::new(secrets.clone()).with_clock_tolerance(config.clock_tolerance_seconds)
}

pub(crate) fn secrets(config: &Config, ambient: &Ambient) -> Result<Secrets, StartError> {
    match &config.secrets {
        Some(secrets) => Ok(secrets.clone()),
        None => {
            require_secret(config)?;
            secret::read_or_make(&config.data_dir, ambient)
                .map_err(|source| StartError::DataDir { path: config.data_dir.join("secret"), source })
        }
    }
}

/// The secrets that there are, for a command that makes none: one that is made now would not be the one of the service.
pub(crate) fn known_secrets(config: &Config, ambient: &Ambient) -> Result<Secrets, StartError> {
    if has_secret(config) {
        return secrets(config, ambient);
    }
    Err(StartError::NoSecret { path: config.data_dir.join("secret") })
}

pub(crate) fn has_secret(config: &Config) -> bool {
    config.secrets.is_some() || config.data_dir.join("secret").exists()
}

/// Refuses to make a secret where there are other nodes: they would not know it, and could neither verify what this one
/// signs nor open what it seals.
pub(crate) fn require_secret(config: &Config) -> Result<(), StartError> {
    if has_secret(config) || is_alone(config) { Ok(()) } else { Err(StartError::Secret) }
}

/// Whether all that there is of the service is on this machine.
fn is_alone(config: &Config) -> bool {
    config.database_url.sqlite_path().is_some()
        && !config.storage_url.is_bucket()
        && config.has_role(Role::Api)
}

/// The catalog of a service, which sets up an empty database and migrates where the configuration says so.
pub(crate) async fn catalog_of_service(config: &Config, ambient: &Ambient) -> Result<Catalog, StartError> {
    let migrate = if config.migrate { Migrate::Always } else { Migrate::IfEmpty };
    catalog(config, ambient, migrate, false).await
}

/// Says so where the database server has no room for all connections of this node.
pub(crate) async fn warn_of_connections(config: &Config, catalog: &Catalog) {
    match catalog.most_connections().await {
        Ok(most) => {
            if let Some(warning) = most.and_then(|most| config.too_many_connections(most)) {
                tracing::warn!("{warning}");
            }
        }
        Err(error) => tracing::debug!(%error, "could not read max_connections of the database server"),
    }
}

/// Makes or migrates the tables, as far as the service may, and waits for another process that does.
pub(crate) async fn prepare_tables(config: &Config, ambient: &Ambient) -> Result<(), StartError> {
    if config.needs_catalog() {
        make_folder(&config.data_dir)?;
        let catalog = catalog_of_service(config, ambient).await?;
        catalog
            .close()
            .await
            .map_err(|source| StartError::Catalog { url: config.database_url.to_string(), source })?;
    }
    Ok(())
}

/// The catalog of a command, which ends as soon as it has done its work.
pub(crate) async fn catalog_of_command(config: &Config, ambient: &Ambient) -> Result<Catalog, StartError> {
    catalog(config, ambient, migrate_in_command(config), true).await
}

/// Commands never migrate. They make a new SQLite file, so that an installation can begin with any command; an empty
/// PostgreSQL database may be the wrong one.
pub(crate) fn migrate_in_command(config: &Config) -> Migrate {
    match config.database_url.sqlite_path() {
        Some(_) => Migrate::IfEmpty,
        None => Migrate::Never,
    }
}

/// How a command connects to the database.
pub(crate) fn connect_options(config: &Config, ambient: &Ambient, migrate: Migrate) -> ConnectOptions {
    ConnectOptions {
        migrate,
        tell_nodes_first: true,
        stored_addresses: config.stored_addresses,
        max_connections: config.database_connections,
        statement_timeout: config.statement_timeout,
        due_clock: DueClock::for_node(ambient),
        ..ConnectOptions::default()
    }
}

async fn catalog(
    config: &Config,
    ambient: &Ambient,
    migrate: Migrate,
    tell_nodes_first: bool,
) -> Result<Catalog, StartError> {
    let options = ConnectOptions { tell_nodes_first, ..connect_options(config, ambient, migrate) };
    Catalog::connect(&config.database_url, options)
        .await
        .map_err(|source| StartError::Catalog { url: config.database_url.to_string(), source })
}

/// Seals anew what is under older master secrets, before anything asks for it.
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

/// The store of a command, or of a check.
pub(crate) async fn blobs(config: &Config) -> Result<Blobs, StartError> {
    Blobs::open(&config.storage_url).await.map_err(|source| store_error(config, source))
}

/// The catalog and the store of a command that compares or copies them, once it is known that they belong together. No master
/// secret is needed for that, and none is made.
pub(crate) async fn catalog_and_store(
    config: &Config,
    ambient: &Ambient,
) -> Result<(Catalog, Blobs), StartError> {
    make_folder(&config.data_dir)?;
    let (catalog, blobs) = (catalog_of_command(config, ambient).await?, blobs(config).await?);
    let tie = StoreIdentity::new(catalog.clone(), blobs.clone(), ambient.clone()).inspect().await?;
    tie.agreed()?;
    Ok((catalog, blobs))
}

/// The store of a server. Where it delivers, the cache is in front of it, whose folder is the server's alone.
pub(crate) async fn blobs_of_server(config: &Config) -> Result<Blobs, StartError> {
    let blobs = blobs(config).await?;
    match config.cache.clone().filter(|_| config.has_role(Role::Edge)) {
        Some(terms) => blobs.with_cache(terms).await.map_err(|source| store_error(config, source)),
        None => Ok(blobs),
    }
}

fn store_error(config: &Config, source: BlobError) -> StartError {
    StartError::Store { url: config.storage_url.to_string(), source }
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

/// The file systems that this node writes to.
pub(crate) fn space(config: &Config) -> Space {
    // The folder counts: the file itself may not be there yet.
    let database = config.database_url.sqlite_path().and_then(Path::parent);
    let places = [
        ("database", database.filter(|_| config.needs_catalog())),
        ("store", config.storage_url.folder()),
        ("scratch folder", Some(config.data_dir.as_path()).filter(|_| config.has_role(Role::Worker))),
    ];
    let named = places.into_iter().filter_map(|(name, path)| Some((name, path?.to_owned())));
    Space::new(config.min_free_space, named)
}

/// The folders that this node keeps something in, of which it is told how much is free.
pub(crate) fn disks(config: &Config) -> Disks {
    let database = config.database_url.sqlite_path().and_then(Path::parent);
    let places = [
        (DiskUse::Data, Some(config.data_dir.as_path())),
        (DiskUse::Database, database.filter(|_| config.needs_catalog())),
        (DiskUse::Store, config.storage_url.folder()),
    ];
    Disks::new(places.into_iter().filter_map(|(place, path)| Some((place, path?.to_owned()))))
}

/// The name of this machine, by which people know it.
pub(crate) fn machine_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Checks that the store is the database's own; `false` where the store cannot tell now.
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

pub(crate) fn make_folder(path: &Path) -> Result<(), StartError> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| StartError::DataDir { path: path.to_owned(), source })
}

pub(crate) fn scratch(config: &Config, ambient: &Ambient) -> Result<Scratch, StartError> {
    let parent = config.data_dir.join("scratch");
    make_folder(&parent)?;
    Scratch::make(&parent, ambient).map_err(|source| StartError::DataDir { path: parent, source })
}

/// Where usage waits that could not be stored before the node ended.
pub(crate) fn unstored_usage(config: &Config) -> PathBuf {
    config.data_dir.join("unstored-usage")
}
