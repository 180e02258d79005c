//! The catalog of a service or of a command.

use std::path::Path;

use tonearm_catalog::{Catalog, ConnectOptions, DueClock, Migrate};
use tonearm_domain::Ambient;
use tonearm_service::Space;

use super::{make_folder, space};
use crate::Config;
use crate::start_error::StartError;

/// The catalog of a service, which sets up an empty database and migrates where the configuration says so. It adds records
/// while there is space.
pub(crate) async fn catalog_of_service(
    config: &Config,
    ambient: &Ambient,
    space: &Space,
) -> Result<Catalog, StartError> {
    let migrate = if config.migrate { Migrate::Always } else { Migrate::IfEmpty };
    let options = connect_options(config, ambient, migrate);
    let options = ConnectOptions { tell_nodes_first: false, disk_room: space.room(), ..options };
    connect(config, options).await
}

/// Warns if the database server does not accept all connections of this node.
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

/// Creates or migrates the tables if the service may, and waits for another process that does.
pub(crate) async fn prepare_tables(config: &Config, ambient: &Ambient) -> Result<(), StartError> {
    if config.needs_catalog() {
        make_folder(&config.data_dir)?;
        let catalog = catalog_of_service(config, ambient, &space(config)).await?;
        catalog
            .close()
            .await
            .map_err(|source| StartError::Catalog { url: config.database_url.to_string(), source })?;
    }
    Ok(())
}

/// The catalog of a command, which ends as soon as it has done its work.
pub(crate) async fn catalog_of_command(config: &Config, ambient: &Ambient) -> Result<Catalog, StartError> {
    // Gives up the reserve of a full disk.
    space(config);
    connect(config, connect_options(config, ambient, migrate_in_command(config))).await
}

/// The SQLite file that the first start will create, if it does not exist yet.
pub(crate) fn future_database(config: &Config) -> Option<&Path> {
    config.database_url.sqlite_path().filter(|path| !path.exists())
}

/// Refuses a command on data that does not exist. It probably runs in the wrong folder, where it would create an empty
/// database and another secret.
pub(crate) fn require_database(config: &Config) -> Result<(), StartError> {
    match future_database(config).filter(|_| config.needs_catalog()) {
        Some(path) => {
            Err(StartError::NoDatabase(std::path::absolute(path).unwrap_or_else(|_| path.to_owned())))
        }
        None => Ok(()),
    }
}

/// Commands never migrate. Those with which an installation may begin create a new SQLite file. They do not set up an
/// empty PostgreSQL database, because it may be the wrong one.
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
        record_limits: config.record_limits,
        max_connections: config.database_connections,
        statement_timeout: config.statement_timeout,
        due_clock: DueClock::for_node(ambient),
        ..ConnectOptions::default()
    }
}

async fn connect(config: &Config, options: ConnectOptions) -> Result<Catalog, StartError> {
    Catalog::connect(&config.database_url, options)
        .await
        .map_err(|source| StartError::Catalog { url: config.database_url.to_string(), source })
}
