//! Configuration: one commented `tonearm.toml`, overridden by `TONEARM_*` variables, overridden by flags.

mod acme;
mod address;
mod confinement;
mod error;
mod file;
mod limits;
mod oidc;
mod overrides;
mod reach;
mod retention;
mod role;
mod secret_files;
mod size;
mod traces;
mod work;
#[cfg(test)]
mod zeros;

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tonearm_api::RateLimits;
use tonearm_blobs::{CacheTerms, StorageUrl};
use tonearm_catalog::{DatabaseUrl, PurgedTitles};
use tonearm_domain::{KeepDeleted, Retention, StoredAddresses};
use tonearm_media::ConfinementPolicy;
use tonearm_server::tls::TlsFiles;
use tonearm_server::traces::TraceConfig;
use tonearm_server::{ServerLimits, TrustedProxies};
use tonearm_service::{DeliveryUrl, SharedCaches, UploadLimits};
use tonearm_signing::Secrets;
use tonearm_worker::{SenderConfig, WorkerConfig};

use acme::acme_terms;
use address::{parse_listen, parse_public_url, tls_files, trusted_proxies};
use confinement::{confinement_policy, private_paths};
use error::positive;
use file::Settings;
use limits::{cache_terms, max_json_bytes, rate_limits, server_limits, shared_caches, upload_limits};
use secret_files::{SecretFiles, store_credentials};
use work::{database_connections, sender_config, statement_timeout, worker_config};

pub use acme::AcmeTerms;
pub use error::ConfigError;
pub(crate) use file::{EXAMPLE, unknown_variables};
pub use oidc::OidcConfig;
pub use overrides::Overrides;
pub(crate) use reach::is_loopback;
pub use role::Role;
pub use secret_files::SecretFile;
pub(crate) use secret_files::{backup_environment, command_secret};
pub use size::ByteSize;

/// Together with how long a node goes on with what it knows, this keeps a revocation within thirty seconds.
const LOOK_AT_STORE_EVERY: Duration = Duration::from_secs(10);

/// The configuration file of an installed package.
const INSTALLED: &str = "/etc/tonearm/tonearm.toml";
/// How long it takes a node to see the certificate that another one got.
const LOOK_AT_CERTIFICATE_EVERY: Duration = Duration::from_secs(30);

/// A complete, checked configuration.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Where clients reach the API; none: the address listened on.
    pub public_url: Option<String>,
    /// Where clients fetch files; none: the public URL.
    pub delivery_url: Option<DeliveryUrl>,
    /// Terms of URLs whose responses shared caches may store.
    pub shared_caches: SharedCaches,
    /// The folder for everything that is kept, unless told otherwise.
    pub data_dir: PathBuf,
    /// The catalog.
    pub database_url: DatabaseUrl,
    /// The store.
    pub storage_url: StorageUrl,
    /// Master secrets; none: the file `secret` in the data folder, made on first start.
    pub secrets: Option<Secrets>,
    /// The files that secrets were read from.
    pub secret_files: Vec<SecretFile>,
    /// What this node does.
    pub roles: Vec<Role>,
    /// The proxies whose word is taken for whom they ask.
    pub trusted_proxies: TrustedProxies,
    /// How much is taken in.
    pub limits: UploadLimits,
    /// Bytes that have to be free on each file system that is written to, 0 for no limit: below that a node is not
    /// ready and takes no uploads.
    pub min_free_space: u64,
    /// Most jobs that may wait to process uploads before no more are taken, 0 for no limit.
    pub max_queued_jobs: u64,
    /// Most bytes of a JSON body.
    pub max_json_bytes: usize,
    /// Bounds on what a connection may cost.
    pub server_limits: ServerLimits,
    /// How long a node that was told to end goes on while it says that it is not ready.
    pub shutdown_delay: Duration,
    /// The certificate; none: plain HTTP.
    pub tls: Option<TlsFiles>,
    /// The certificate that the service gets by itself; none: it does not.
    pub acme: Option<AcmeTerms>,
    /// How often a node looks whether there is a new certificate, or one is to be ordered.
    pub look_at_certificate_every: Duration,
    /// Whether clients may speak HTTP/2 without TLS.
    pub http2_without_tls: bool,
    /// What is kept of a bucket's objects; none: nothing, or the store is a folder.
    pub cache: Option<CacheTerms>,
    /// How often a node without a catalog asks the store which signing keys are live; each time costs requests.
    pub look_at_store_every: Duration,
    /// Seconds that the clock of whoever signs URLs may be ahead.
    pub clock_tolerance_seconds: u32,
    /// How much one key, and one address, may ask for.
    pub rate_limits: RateLimits,
    /// How long what people delete can be taken back.
    pub keep_deleted: KeepDeleted,
    /// Whether a play session can be read by its id alone.
    pub public_play_sessions: bool,
    /// How the worker works.
    pub worker: WorkerConfig,
    /// How webhooks are sent.
    pub sender: SenderConfig,
    /// Whether servers on addresses that are not public may be called.
    pub allow_private: bool,
    /// Whether files may be imported from URLs.
    pub allow_imports: bool,
    /// The OpenID Connect provider that people may sign in with; none: passwords alone.
    pub oidc: Option<OidcConfig>,
    /// The `ffmpeg` program.
    pub ffmpeg: PathBuf,
    /// The `ffprobe` program.
    pub ffprobe: PathBuf,
    /// Encoders and decoders at once.
    pub media_concurrency: usize,
    /// Bytes of memory that they may use together.
    pub media_memory: u64,
    /// How child processes have to be confined.
    pub confinement: ConfinementPolicy,
    /// Log lines as JSON.
    pub log_json: bool,
    /// Whether titles of tracks that are purged stay in the usage.
    pub purged_titles: PurgedTitles,
    /// The database of countries; none: it is not known where listeners are.
    pub country_database: Option<PathBuf>,
    /// How much of network addresses is written down.
    pub stored_addresses: StoredAddresses,
    /// How long rows are kept that nobody needs any more.
    pub retention: Retention,
    /// Most connections to the database.
    pub database_connections: u32,
    /// How long one statement may take on PostgreSQL.
    pub statement_timeout: Duration,
    /// Whether the service brings the tables of an earlier version up to date when it starts.
    pub migrate: bool,
    /// Which log lines, in the syntax of `tracing`'s environment filter; none: what suits the command.
    pub log_filter: Option<String>,
    /// Where to tell metrics; none: they are not even counted.
    pub metrics_listen: Option<SocketAddr>,
    /// How traces are exported.
    pub traces: TraceConfig,
}

impl Config {
    /// Reads the file (given, or `tonearm.toml` in the data folder if there is one, or that of an installed package), then the
    /// environment, then `overrides`, and checks everything.
    pub fn load(
        overrides: &Overrides,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let lookup = |name: &str| environment(name).filter(|value| !value.is_empty());
        let path = overrides.config.clone().or_else(|| lookup("TONEARM_CONFIG").map(PathBuf::from));
        let data_dir = overrides.data_dir.clone().or_else(|| lookup("TONEARM_DATA_DIR").map(PathBuf::from));
        let path = path.or_else(|| installed(data_dir.as_deref(), Path::new("data"), Path::new(INSTALLED)));
        let early_data_dir = data_dir.unwrap_or_else(|| PathBuf::from("data"));
        let text = match &path {
            Some(path) => read_required(path)?,
            None => read_optional(&early_data_dir.join("tonearm.toml"))?,
        };
        let mut settings = Settings::parse(&text, &lookup)?;
        overrides.apply(&mut settings);
        let mut config = Self::check(settings, &early_data_dir, lookup)?;
        config.confinement.private.extend(path);
        Ok(config)
    }

    fn check(
        mut settings: Settings,
        default_data_dir: &Path,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let mut secret_files = SecretFiles::new(&lookup);
        let [database_url, storage_url, secret, trace_headers, client_secret] = settings.take_secrets();
        let database_url = secret_files.resolve("database_url", database_url)?;
        let storage_url = secret_files.resolve("storage_url", storage_url)?;
        let secret = secret_files.resolve("secret", secret)?;
        let trace_headers = secret_files.resolve("tracing.otlp_headers", trace_headers)?;
        let client_secret = secret_files.resolve("oidc.client_secret", client_secret)?;
        let traces = traces::traces(settings.tracing, trace_headers, &lookup)?;
        let of_bucket = store_credentials(&mut secret_files, &lookup)?;
        let lookup = |name: &str| match of_bucket.iter().find(|(own, _)| *own == name) {
            Some((_, text)) => Some(text.clone()),
            None => lookup(name),
        };
        let data_dir = settings.data_dir.unwrap_or_else(|| default_data_dir.to_owned());
        let data_dir = std::path::absolute(&data_dir).map_err(|e| ConfigError::new("data_dir", e))?;
        let in_data_dir = |scheme: &str, name: &str| format!("{scheme}://{}", data_dir.join(name).display());
        let database_url = database_url.unwrap_or_else(|| in_data_dir("sqlite", "tonearm.db"));
        let storage_url = storage_url.unwrap_or_else(|| in_data_dir("file", "objects"));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let media_concurrency = settings.media.concurrency.unwrap_or(cores);
        positive("media.concurrency", media_concurrency as u64)?;
        let media_memory = limits::media_memory(&settings.media)?;
        let roles = settings.roles.unwrap_or_else(|| vec![Role::Api, Role::Worker, Role::Edge]);
        positive("roles", roles.len() as u64)?;
        let storage_url = storage_url
            .parse::<StorageUrl>()
            .and_then(|url| url.with_environment(lookup))
            .map_err(|e| ConfigError::new("storage_url", e))?;
        let database_url: DatabaseUrl =
            database_url.parse().map_err(|e| ConfigError::new("database_url", e))?;
        let cache = cache_terms(&settings.edge, &storage_url, &data_dir);
        let tls = tls_files(settings.tls_cert, settings.tls_key)?;
        let acme = acme_terms(settings.tls, tls.is_some(), &roles)?;
        let mut private = private_paths(&data_dir, &database_url, &storage_url, tls.as_ref());
        private.extend(secret_files.read.iter().map(|file| file.path.clone()));
        Ok(Self {
            confinement: confinement_policy(settings.media.confinement.as_deref(), private)?,
            migrate: settings.database.migrate.unwrap_or(database_url.sqlite_path().is_some()),
            listen: parse_listen("listen", &settings.listen.unwrap_or_else(|| "127.0.0.1:8080".to_owned()))?,
            public_url: settings.public_url.map(parse_public_url).transpose()?,
            delivery_url: settings
                .delivery_url
                .map(|url| url.parse().map_err(|e| ConfigError::new("delivery_url", e)))
                .transpose()?,
            shared_caches: shared_caches(settings.delivery_cache, settings.delivery_cache_window_seconds)?,
            database_url,
            cache,
            storage_url,
            data_dir,
            secret_files: secret_files.read,
            secrets: secret
                .map(|text| Secrets::parse(&text).map_err(|e| ConfigError::new("secret", e)))
                .transpose()?,
            database_connections: database_connections(&settings.database, &roles)?,
            roles,
            trusted_proxies: trusted_proxies(settings.trusted_proxies, settings.forwarded_header)?,
            purged_titles: match settings.usage.keep_titles.unwrap_or(false) {
                true => PurgedTitles::Kept,
                false => PurgedTitles::Removed,
            },
            country_database: settings.usage.country_database,
            stored_addresses: match settings.privacy.truncate_addresses.unwrap_or(false) {
                true => StoredAddresses::Networks,
                false => StoredAddresses::Whole,
            },
            retention: retention::retention(&settings.retention)?,
            statement_timeout: statement_timeout(&settings.database)?,
            limits: upload_limits(&settings.limits)?,
            min_free_space: settings.limits.min_free_space.map_or(256 << 20, |size| size.0),
            max_queued_jobs: settings.limits.max_queued_jobs.unwrap_or(100_000),
            max_json_bytes: max_json_bytes(&settings.limits)?,
            server_limits: server_limits(&settings.limits, &settings.edge, &settings.shutdown)?,
            shutdown_delay: Duration::from_secs(settings.shutdown.delay_seconds.unwrap_or(5).into()),
            tls,
            acme,
            look_at_certificate_every: LOOK_AT_CERTIFICATE_EVERY,
            http2_without_tls: settings.http2_without_tls.unwrap_or(false),
            look_at_store_every: LOOK_AT_STORE_EVERY,
            clock_tolerance_seconds: settings.edge.clock_tolerance_seconds.unwrap_or(30),
            rate_limits: rate_limits(&settings.limits),
            keep_deleted: keep_deleted(settings.library.keep_deleted_hours)?,
            public_play_sessions: settings.api.public_play_sessions.unwrap_or(false),
            worker: worker_config(&settings.worker, media_concurrency)?,
            sender: sender_config(&settings.webhooks)?,
            allow_private: settings.outbound.allow_private.unwrap_or(false),
            allow_imports: settings.outbound.allow_imports.unwrap_or(true),
            oidc: oidc::oidc(settings.oidc, client_secret)?,
            ffmpeg: settings.media.ffmpeg.unwrap_or_else(|| PathBuf::from("ffmpeg")),
            ffprobe: settings.media.ffprobe.unwrap_or_else(|| PathBuf::from("ffprobe")),
            media_concurrency,
            media_memory,
            log_json: match settings.log.format.as_deref() {
                None | Some("text") => false,
                Some("json") => true,
                Some(other) => {
                    return Err(ConfigError::new("log.format", format!("must be text or json, not {other}")));
                }
            },
            log_filter: settings.log.filter,
            metrics_listen: settings
                .metrics
                .listen
                .map(|address| parse_listen("metrics.listen", &address))
                .transpose()?,
            traces,
        })
    }

    /// Whether this node does that.
    pub fn has_role(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Whether clients connect by TLS, with a certificate in files or one that the service gets by itself.
    pub fn has_tls(&self) -> bool {
        self.tls.is_some() || self.acme.is_some()
    }

    /// Whether this node needs the catalog: an edge alone does not.
    pub fn needs_catalog(&self) -> bool {
        self.has_role(Role::Api) || self.has_role(Role::Worker)
    }
}

/// The file of an installed package, where nothing says that other data is meant: neither a chosen data folder nor the default
/// one.
fn installed(chosen: Option<&Path>, default: &Path, file: &Path) -> Option<PathBuf> {
    (chosen.is_none() && !default.exists() && file.exists()).then(|| file.to_owned())
}

fn read_required(path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

/// A file that need not be there; one that is there has to be readable.
fn read_optional(path: &Path) -> Result<String, ConfigError> {
    match std::fs::read_to_string(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(String::new())
        }
        read => read.map_err(|error| unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> ConfigError {
    ConfigError::new("configuration", format!("cannot read {}: {error}", path.display()))
}

fn keep_deleted(hours: Option<u32>) -> Result<KeepDeleted, ConfigError> {
    let chosen = hours.map(KeepDeleted::new).transpose();
    Ok(chosen.map_err(|error| ConfigError::new("library.keep_deleted_hours", error))?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(variables: &[(&str, &str)]) -> Result<Config, String> {
        let overrides = Overrides { data_dir: Some("/nonexistent/data".into()), ..Overrides::default() };
        let lookup =
            |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| value.to_string());
        Config::load(&overrides, lookup).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_are_complete() {
        let config = load(&[]).unwrap();
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(config.roles, [Role::Api, Role::Worker, Role::Edge]);
        assert!(config.needs_catalog());
        assert!(!config.public_play_sessions);
        assert_eq!((config.min_free_space, config.max_queued_jobs), (256 << 20, 100_000));
        assert_eq!(config.database_connections, 20);
        assert!(config.migrate, "a file has one user");
        assert_eq!(load(&[("TONEARM_ROLES", "worker")]).unwrap().database_connections, 6);
    }

    #[test]
    fn an_installed_package_is_used_unless_other_data_is_meant() {
        let folder = tempfile::tempdir().unwrap();
        let (file, data) = (folder.path().join("tonearm.toml"), folder.path().join("data"));
        assert_eq!(installed(None, &data, &file), None, "nothing is installed");
        std::fs::write(&file, "").unwrap();
        assert_eq!(installed(None, &data, &file), Some(file.clone()));
        assert_eq!(installed(Some(&data), &data, &file), None);
        std::fs::create_dir(&data).unwrap();
        assert_eq!(installed(None, &data, &file), None, "there is data in the current folder");
    }

    #[test]
    fn variables_override() {
        let config = load(&[
            ("TONEARM_LISTEN", "[::]:9000"),
            ("TONEARM_ROLES", "edge"),
            ("TONEARM_LIMITS_MAX_UPLOAD_BYTES", "2GiB"),
            ("TONEARM_LIMITS_MIN_FREE_SPACE", "0"),
            ("TONEARM_API_PUBLIC_PLAY_SESSIONS", "true"),
            ("TONEARM_DELIVERY_URL", "https://{org}.audio.example.com"),
            ("TONEARM_DATABASE_URL", "postgres://me:secret@db/tonearm"),
        ])
        .unwrap();
        assert_eq!(config.listen.port(), 9000);
        assert!(!config.needs_catalog());
        assert_eq!(config.limits.max_source_bytes, 2 << 30);
        assert_eq!(config.min_free_space, 0);
        assert!(!config.migrate, "other nodes may be of another version");
        assert!(config.public_play_sessions);
        assert!(!format!("{config:?}").contains("secret@"));
    }

    #[test]
    fn secrets_come_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let database = file("database", "postgres://me:hidden@db/tonearm\n");
        let secret = file("secret", "a master secret of at least 32 characters\n");
        let config =
            load(&[("TONEARM_DATABASE_URL_FILE", &database), ("TONEARM_SECRET_FILE", &secret)]).unwrap();
        assert_eq!(config.database_url.sqlite_path(), None);
        assert!(config.secrets.is_some());
        let named: Vec<_> = config.secret_files.iter().map(|file| file.setting).collect();
        assert_eq!(named, ["database_url", "secret"]);
        assert!(config.confinement.private.contains(&PathBuf::from(&secret)));
        let error = load(&[("TONEARM_SECRET", "x"), ("TONEARM_SECRET_FILE", &secret)]).unwrap_err();
        assert_eq!(error, "secret: is set together with secret_file; set one of them");
    }

    #[test]
    fn wrong_settings_are_one_clear_line() {
        for (name, value, expected) in [
            ("TONEARM_LISTEN", "8080", "listen: "),
            ("TONEARM_ROLES", "api,foo", "roles: unknown role foo"),
            ("TONEARM_PUBLIC_URL", "audio.example.com", "public_url: "),
            ("TONEARM_DELIVERY_URL", "https://a/b", "delivery_url: "),
            ("TONEARM_DELIVERY_CACHE", "shared", "delivery_cache: must be private or public"),
            ("TONEARM_DELIVERY_CACHE_WINDOW_SECONDS", "59", "delivery_cache_window_seconds: "),
            ("TONEARM_DATABASE_URL", "mysql://x", "database_url: "),
            ("TONEARM_STORAGE_URL", "ftp://x", "storage_url: "),
            ("TONEARM_TRUSTED_PROXIES", "10.0.0.0/8,proxy", "trusted_proxies: "),
            ("TONEARM_FORWARDED_HEADER", "Via", "forwarded_header: "),
            ("TONEARM_LIMITS_MAX_UPLOAD_BYTES", "lots", "limits.max_upload_bytes: "),
            ("TONEARM_LIMITS_MIN_FREE_SPACE", "-1", "limits.min_free_space: "),
            ("TONEARM_LIMITS_MAX_QUEUED_JOBS", "-1", "limits.max_queued_jobs: "),
            ("TONEARM_API_PUBLIC_PLAY_SESSIONS", "yes", "api.public_play_sessions: "),
            ("TONEARM_WORKER_SLOTS", "0", "worker.slots: "),
            ("TONEARM_WORKER_WAIT_SLOTS", "0", "worker.wait_slots: "),
            ("TONEARM_DATABASE_CONNECTIONS", "0", "database.connections: "),
            ("TONEARM_DATABASE_MIGRATE", "yes", "database.migrate: "),
            ("TONEARM_DATABASE_STATEMENT_TIMEOUT_SECONDS", "0", "database.statement_timeout_seconds: "),
            (
                "TONEARM_LIBRARY_KEEP_DELETED_HOURS",
                "8761",
                "library.keep_deleted_hours: must be a number of hours",
            ),
            (
                "TONEARM_RETENTION_AUDIT_DAYS",
                "0",
                "retention.audit_days: must be a number of days from 1 to 36500",
            ),
            ("TONEARM_RETENTION_USAGE_BATCH_DAYS", "1", "retention.usage_batch_days: must be at least 7"),
            ("TONEARM_WEBHOOKS_CONNECTIONS", "0", "webhooks.connections: "),
            ("TONEARM_OUTBOUND_ALLOW_PRIVATE", "maybe", "outbound.allow_private: "),
            ("TONEARM_LOG_FORMAT", "xml", "log.format: "),
            ("TONEARM_METRICS_LISTEN", "9464", "metrics.listen: "),
            ("TONEARM_TRACING_OTLP_ENDPOINT", "collector:4318", "tracing.otlp_endpoint: "),
            ("TONEARM_TRACING_SAMPLE_RATIO", "2", "tracing.sample_ratio: "),
            ("TONEARM_TRACING_OTLP_HEADERS_FILE", "/nonexistent", "tracing.otlp_headers_file: cannot read "),
            ("TONEARM_OIDC_CLIENT_SECRET_FILE", "/", "oidc.client_secret_file: / is a folder"),
            ("TONEARM_TLS_ACME", "*.example.com", "tls.acme: \"*.example.com\" is a wildcard"),
            ("TONEARM_TLS_ACME", "192.0.2.1", "tls.acme: \"192.0.2.1\" is not a host name"),
            ("TONEARM_TLS_ACME_CONTACT", "somebody", "tls.acme_contact: "),
            ("TONEARM_TLS_ACME_DIRECTORY", "http://ca.example.com/", "tls.acme_directory: "),
            (
                "TONEARM_MEDIA_CONFINEMENT",
                "none",
                "media.confinement: must be \"required\" or \"best effort\"",
            ),
            ("TONEARM_SECRET", "short", "secret: "),
            ("TONEARM_SECRET_FILE", "/nonexistent/secret", "secret_file: cannot read /nonexistent/secret"),
            ("TONEARM_DATABASE_URL_FILE", "/", "database_url_file: / is a folder"),
            ("AWS_SECRET_ACCESS_KEY_FILE", "/nonexistent/key", "AWS_SECRET_ACCESS_KEY_FILE: cannot read "),
            ("TONEARM_CONFIG", "/nonexistent.toml", "configuration: cannot read /nonexistent.toml"),
        ] {
            let error = load(&[(name, value)]).unwrap_err();
            assert!(error.starts_with(expected), "{name}: {error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }
}
