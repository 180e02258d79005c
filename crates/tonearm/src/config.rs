//! Configuration: one commented `tonearm.toml`, overridden by `TONEARM_*` variables, overridden by flags.

mod acme;
mod address;
mod check;
mod config_file;
mod confinement;
mod environment;
mod error;
mod file;
mod limits;
mod locations;
mod media;
mod oidc;
mod overrides;
mod reach;
mod resolved_secrets;
mod retention;
mod role;
mod secret_files;
mod size;
#[cfg(test)]
mod tests;
mod traces;
mod work;
#[cfg(test)]
mod zeros;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use tonearm_api::RateLimits;
use tonearm_blobs::{CacheTerms, StorageUrl};
use tonearm_catalog::{DatabaseUrl, PurgedTitles};
use tonearm_domain::{KeepDeleted, RecordLimits, Retention, StoredAddresses};
use tonearm_media::MediaConfig;
use tonearm_server::tls::TlsFiles;
use tonearm_server::traces::TraceConfig;
use tonearm_server::{ServerLimits, TrustedProxies};
use tonearm_service::{DeliveryUrl, SharedCaches, UploadLimits};
use tonearm_signing::Secrets;
use tonearm_worker::{SenderConfig, WorkerConfig};

use config_file::ConfigFile;
use file::Settings;

pub use acme::AcmeTerms;
pub(crate) use environment::UnknownVariable;
use environment::variable_of;
pub use error::ConfigError;
pub(crate) use file::EXAMPLE;
pub use oidc::OidcConfig;
pub use overrides::Overrides;
pub(crate) use reach::is_loopback;
pub use role::Role;
pub use secret_files::SecretFile;
pub(crate) use secret_files::{backup_environment, command_secret};
pub use size::ByteSize;

/// A complete, checked configuration.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The URL at which clients reach the API. If `None`, it is derived from the listen address.
    pub public_url: Option<String>,
    /// The URL at which clients fetch files. If `None`, it is the public URL.
    pub delivery_url: Option<DeliveryUrl>,
    /// Terms of URLs whose responses shared caches may store.
    pub shared_caches: SharedCaches,
    /// The folder for all data that is not configured to be elsewhere.
    pub data_dir: PathBuf,
    /// The database of the catalog.
    pub database_url: DatabaseUrl,
    /// The object store.
    pub storage_url: StorageUrl,
    /// The master secrets. If `None`, they are in the file `secret` in the data folder, which is created on the first
    /// start.
    pub secrets: Option<Secrets>,
    /// The files that secrets were read from.
    pub secret_files: Vec<SecretFile>,
    /// The roles of this node.
    pub roles: Vec<Role>,
    /// The proxies whose header with the client's address is trusted.
    pub trusted_proxies: TrustedProxies,
    /// Maximum sizes of uploads.
    pub limits: UploadLimits,
    /// Bytes that must be free on each file system that is written to. With less, a node is not ready and refuses
    /// uploads. 0 means no limit.
    pub min_free_space: u64,
    /// Maximum number of jobs that wait to process uploads. With more, uploads are refused. 0 means no limit.
    pub max_queued_jobs: u64,
    /// The longest sound that is processed, in hours. 0 means no limit.
    pub max_duration_hours: u32,
    /// How much an organization may keep in the database.
    pub record_limits: RecordLimits,
    /// Maximum size of a JSON body, in bytes.
    pub max_json_bytes: usize,
    /// Limits of connections.
    pub server_limits: ServerLimits,
    /// How long new connections are accepted after SIGTERM, while the node reports that it is not ready.
    pub shutdown_delay: Duration,
    /// The files of the certificate. If `None`, the node serves plain HTTP, unless `acme` is set.
    pub tls: Option<TlsFiles>,
    /// The certificate that the service orders by ACME. If `None`, it orders none.
    pub acme: Option<AcmeTerms>,
    /// How often a node checks whether there is a new certificate, or one has to be ordered.
    pub certificate_check_interval: Duration,
    /// Whether clients may speak HTTP/2 without TLS.
    pub http2_without_tls: bool,
    /// The cache of a bucket's objects. `None` if it is disabled or the store is a folder.
    pub cache: Option<CacheTerms>,
    /// How often a node without a catalog reads the list of signing keys from the store; each time costs requests.
    pub key_refresh_interval: Duration,
    /// Seconds by which the clock that signed a URL may be ahead of this node's.
    pub clock_tolerance_seconds: u32,
    /// Maximum numbers of requests, by key and by address.
    pub rate_limits: RateLimits,
    /// How long deleted items can be restored.
    pub keep_deleted: KeepDeleted,
    /// Whether a play session can be read by its id alone.
    pub public_play_sessions: bool,
    /// The jobs that the worker runs at once, and their leases.
    pub worker: WorkerConfig,
    /// Concurrent webhook requests.
    pub sender: SenderConfig,
    /// Whether servers on addresses that are not public may be called.
    pub allow_private: bool,
    /// Whether files may be imported from URLs.
    pub allow_imports: bool,
    /// The OpenID Connect provider that people can sign in with. If `None`, they sign in with passwords only.
    pub oidc: Option<OidcConfig>,
    /// ffmpeg and ffprobe, and what they may use.
    pub media: MediaConfig,
    /// Whether log lines are JSON.
    pub log_json: bool,
    /// Whether usage reports keep the titles of purged tracks.
    pub purged_titles: PurgedTitles,
    /// The database of countries. If `None`, the countries of listeners are not looked up.
    pub country_database: Option<PathBuf>,
    /// How much of a network address is stored.
    pub stored_addresses: StoredAddresses,
    /// How long expired rows are kept.
    pub retention: Retention,
    /// Maximum number of connections to the database.
    pub database_connections: u32,
    /// How long a statement may take on PostgreSQL.
    pub statement_timeout: Duration,
    /// Whether the service migrates the tables of an earlier version when it starts.
    pub migrate: bool,
    /// The log filter, in the syntax of `tracing`'s environment filter. If `None`, the command's default is used.
    pub log_filter: Option<String>,
    /// The address that serves metrics. If `None`, metrics are not counted.
    pub metrics_listen: Option<SocketAddr>,
    /// How traces are exported.
    pub traces: TraceConfig,
}

impl Config {
    /// Reads the configuration file, then the environment, then `overrides`, and checks everything.
    pub fn load(
        overrides: &Overrides,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let lookup = |name: &str| environment(name).filter(|value| !value.is_empty());
        let file = ConfigFile::read(overrides, lookup)?;
        let place = |setting: &str| match (overrides.has(setting), variable_of(setting)) {
            (true, _) => None,
            (false, variable) if lookup(&variable).is_some() => Some(variable),
            _ => file.place_of(setting),
        };
        let mut settings = Settings::parse(&file, &lookup).map_err(|error| error.at(place))?;
        overrides.apply(&mut settings);
        let mut config =
            Self::from_settings(settings, &file.data_dir, lookup).map_err(|error| error.at(place))?;
        config.media.confinement.private.extend(file.path);
        Ok(config)
    }

    /// Whether this node has the role.
    pub fn has_role(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Whether clients connect with TLS, with a certificate from files or from ACME.
    pub fn has_tls(&self) -> bool {
        self.tls.is_some() || self.acme.is_some()
    }

    /// Whether this node needs the catalog. A node with only the role `edge` does not.
    pub fn needs_catalog(&self) -> bool {
        self.has_role(Role::Api) || self.has_role(Role::Worker)
    }
}
