//! Configuration: one commented `tonearm.toml`, overridden by `TONEARM_*` variables, overridden by flags.

mod file;
mod size;

use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tonearm_api::RateLimits;
use tonearm_blobs::{CacheTerms, StorageUrl};
use tonearm_catalog::DatabaseUrl;
use tonearm_domain::KeepDeleted;
use tonearm_service::{DeliveryUrl, UploadLimits};
use tonearm_signing::Secrets;
use tonearm_worker::{SenderConfig, WorkerConfig};

pub(crate) use file::EXAMPLE;
use file::Settings;

use crate::proxies::TrustedProxies;
pub use size::ByteSize;

use crate::{ServerLimits, TlsFiles};

/// What a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Answers `/v1` and takes uploads.
    Api,
    /// Processes tracks.
    Worker,
    /// Delivers files.
    Edge,
}

impl std::str::FromStr for Role {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "api" => Ok(Self::Api),
            "worker" => Ok(Self::Worker),
            "edge" => Ok(Self::Edge),
            other => Err(format!("{other} is no role; roles are api, worker and edge")),
        }
    }
}

/// Wrong configuration, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl ConfigError {
    fn new(setting: &str, problem: impl std::fmt::Display) -> Self {
        Self(format!("{setting}: {problem}"))
    }
}

/// What flags of the command line override.
#[derive(Debug, Clone, Default)]
pub struct Overrides {
    /// `--config`
    pub config: Option<PathBuf>,
    /// `--data-dir`
    pub data_dir: Option<PathBuf>,
    /// `--listen`
    pub listen: Option<String>,
    /// `--roles`
    pub roles: Option<Vec<Role>>,
    /// `--tls-cert`
    pub tls_cert: Option<PathBuf>,
    /// `--tls-key`
    pub tls_key: Option<PathBuf>,
}

/// A complete, checked configuration.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Where clients reach the API; none: the address listened on.
    pub public_url: Option<String>,
    /// Where clients fetch files; none: the public URL.
    pub delivery_url: Option<DeliveryUrl>,
    /// The folder for everything that is kept, unless told otherwise.
    pub data_dir: PathBuf,
    /// The catalog.
    pub database_url: DatabaseUrl,
    /// The store.
    pub storage_url: StorageUrl,
    /// Master secrets; none: the file `secret` in the data folder, made on first start.
    pub secrets: Option<Secrets>,
    /// What this node does.
    pub roles: Vec<Role>,
    /// The proxies whose word is taken for whom they ask.
    pub trusted_proxies: TrustedProxies,
    /// How much is taken in.
    pub limits: UploadLimits,
    /// Most bytes of a JSON body.
    pub max_json_bytes: usize,
    /// Bounds on what a connection may cost.
    pub server_limits: ServerLimits,
    /// The certificate; none: plain HTTP.
    pub tls: Option<TlsFiles>,
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
    /// The `ffmpeg` program.
    pub ffmpeg: PathBuf,
    /// The `ffprobe` program.
    pub ffprobe: PathBuf,
    /// Encoders and decoders at once.
    pub media_concurrency: usize,
    /// Log lines as JSON.
    pub log_json: bool,
    /// Which log lines, in the syntax of `tracing`'s environment filter; none: what suits the command.
    pub log_filter: Option<String>,
}

impl Config {
    /// Reads the file (given, or `tonearm.toml` in the data folder if there is one), then the environment, then
    /// `overrides`, and checks everything.
    pub fn load(
        overrides: &Overrides,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let lookup = |name: &str| environment(name).filter(|value| !value.is_empty());
        let path = overrides.config.clone().or_else(|| lookup("TONEARM_CONFIG").map(PathBuf::from));
        let early_data_dir = overrides
            .data_dir
            .clone()
            .or_else(|| lookup("TONEARM_DATA_DIR").map(PathBuf::from))
            .unwrap_or_else(|| PathBuf::from("data"));
        let text = match &path {
            Some(path) => read_required(path)?,
            None => std::fs::read_to_string(early_data_dir.join("tonearm.toml")).unwrap_or_default(),
        };
        let mut settings = Settings::parse(&text, &lookup)?;
        if let Some(data_dir) = &overrides.data_dir {
            settings.data_dir = Some(data_dir.clone());
        }
        if let Some(listen) = &overrides.listen {
            settings.listen = Some(listen.clone());
        }
        if let Some(roles) = &overrides.roles {
            settings.roles = Some(roles.clone());
        }
        if overrides.tls_cert.is_some() || overrides.tls_key.is_some() {
            settings.tls_cert = overrides.tls_cert.clone();
            settings.tls_key = overrides.tls_key.clone();
        }
        Self::check(settings, &early_data_dir, lookup)
    }

    fn check(
        settings: Settings,
        default_data_dir: &Path,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let data_dir = settings.data_dir.unwrap_or_else(|| default_data_dir.to_owned());
        let data_dir = std::path::absolute(&data_dir).map_err(|e| ConfigError::new("data_dir", e))?;
        let in_data_dir = |scheme: &str, name: &str| format!("{scheme}://{}", data_dir.join(name).display());
        let database_url = settings.database_url.unwrap_or_else(|| in_data_dir("sqlite", "tonearm.db"));
        let storage_url = settings.storage_url.unwrap_or_else(|| in_data_dir("file", "objects"));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let media_concurrency = settings.media.concurrency.unwrap_or(cores);
        let slots = settings.worker.slots.unwrap_or(media_concurrency + 2);
        positive("media.concurrency", media_concurrency)?;
        positive("worker.slots", slots)?;
        let roles = settings.roles.unwrap_or_else(|| vec![Role::Api, Role::Worker, Role::Edge]);
        positive("roles", roles.len())?;
        let storage_url = storage_url
            .parse::<StorageUrl>()
            .and_then(|url| url.with_environment(&lookup))
            .map_err(|e| ConfigError::new("storage_url", e))?;
        Ok(Self {
            listen: parse_listen(&settings.listen.unwrap_or_else(|| "127.0.0.1:8080".to_owned()))?,
            public_url: settings.public_url.map(parse_public_url).transpose()?,
            delivery_url: settings
                .delivery_url
                .map(|url| url.parse().map_err(|e| ConfigError::new("delivery_url", e)))
                .transpose()?,
            database_url: database_url.parse().map_err(|e| ConfigError::new("database_url", e))?,
            cache: cache_terms(&settings.edge, &storage_url, &data_dir),
            storage_url,
            data_dir,
            secrets: settings
                .secret
                .map(|text| Secrets::parse(&text).map_err(|e| ConfigError::new("secret", e)))
                .transpose()?,
            roles,
            trusted_proxies: trusted_proxies(settings.trusted_proxies, settings.forwarded_header)?,
            limits: UploadLimits {
                max_source_bytes: settings.limits.max_upload_bytes.map_or(8 << 30, |s| s.0),
                max_cover_bytes: settings.limits.max_cover_bytes.map_or(20 << 20, |s| s.0),
            },
            max_json_bytes: settings.limits.max_json_bytes.map_or(1 << 20, |s| s.0 as usize),
            server_limits: server_limits(&settings.limits, &settings.edge)?,
            tls: tls_files(settings.tls_cert, settings.tls_key)?,
            look_at_store_every: LOOK_AT_STORE_EVERY,
            clock_tolerance_seconds: settings.edge.clock_tolerance_seconds.unwrap_or(30),
            rate_limits: rate_limits(&settings.limits),
            keep_deleted: keep_deleted(settings.library.keep_deleted_hours)?,
            public_play_sessions: settings.api.public_play_sessions.unwrap_or(false),
            worker: worker_config(slots, settings.worker.lease_seconds)?,
            sender: sender_config(&settings.webhooks)?,
            allow_private: settings.outbound.allow_private.unwrap_or(false),
            ffmpeg: settings.media.ffmpeg.unwrap_or_else(|| PathBuf::from("ffmpeg")),
            ffprobe: settings.media.ffprobe.unwrap_or_else(|| PathBuf::from("ffprobe")),
            media_concurrency,
            log_json: match settings.log.format.as_deref() {
                None | Some("text") => false,
                Some("json") => true,
                Some(other) => {
                    return Err(ConfigError::new("log.format", format!("{other} is neither text nor json")));
                }
            },
            log_filter: settings.log.filter,
        })
    }

    /// Whether this node does that.
    pub fn has_role(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Whether this node needs the catalog: an edge alone does not.
    pub fn needs_catalog(&self) -> bool {
        self.has_role(Role::Api) || self.has_role(Role::Worker)
    }
}

fn rate_limits(settings: &file::LimitSettings) -> RateLimits {
    let default = RateLimits::default();
    // Zero turns a limit off.
    let chosen = |setting: Option<u32>, default| setting.map_or(default, NonZeroU32::new);
    RateLimits {
        per_key: chosen(settings.requests_per_minute_per_key, default.per_key),
        per_address: chosen(settings.requests_per_minute_per_address, default.per_address),
    }
}

fn server_limits(
    settings: &file::LimitSettings,
    edge: &file::EdgeSettings,
) -> Result<ServerLimits, ConfigError> {
    let seconds = |name: &str, setting: Option<u32>, default| {
        let seconds = setting.unwrap_or(default);
        positive(name, seconds as usize).map(|()| Duration::from_secs(seconds.into()))
    };
    Ok(ServerLimits {
        max_connections: settings.max_connections.unwrap_or(20_000),
        header_timeout: seconds("limits.header_timeout_seconds", settings.header_timeout_seconds, 30)?,
        min_bytes_per_second: settings.min_bytes_per_second.unwrap_or(500),
        send_timeout: seconds("limits.send_timeout_seconds", settings.send_timeout_seconds, 60)?,
        drain: Duration::from_secs(30),
        delivery_threads: usize::try_from(edge.threads.unwrap_or(0)).ok().and_then(NonZeroUsize::new),
    })
}

/// Together with how long a node goes on with what it knows, this keeps a revocation within thirty seconds.
const LOOK_AT_STORE_EVERY: Duration = Duration::from_secs(10);

/// How often it is asked again whether an object that is kept still exists.
const RECHECK: Duration = Duration::from_secs(30);

fn cache_terms(settings: &file::EdgeSettings, store: &StorageUrl, data_dir: &Path) -> Option<CacheTerms> {
    let memory_bytes = settings.memory_cache.map_or(128 << 20, |size| size.0);
    let disk_bytes = settings.disk_cache.map_or(4 << 30, |size| size.0);
    let disk = (disk_bytes > 0).then(|| (data_dir.join("cache"), disk_bytes));
    (store.is_bucket() && memory_bytes > 0).then_some(CacheTerms { memory_bytes, disk, recheck: RECHECK })
}

fn tls_files(certificates: Option<PathBuf>, key: Option<PathBuf>) -> Result<Option<TlsFiles>, ConfigError> {
    match (certificates, key) {
        (Some(certificates), Some(key)) => Ok(Some(TlsFiles { certificates, key })),
        (None, None) => Ok(None),
        _ => Err(ConfigError::new("tls_cert", "is given together with tls_key, or not at all")),
    }
}

fn read_required(path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path).map_err(|error| {
        ConfigError::new("configuration", format!("cannot read {}: {error}", path.display()))
    })
}

fn positive(setting: &str, value: usize) -> Result<(), ConfigError> {
    if value == 0 { Err(ConfigError::new(setting, "must be at least 1")) } else { Ok(()) }
}

fn parse_listen(text: &str) -> Result<SocketAddr, ConfigError> {
    let problem = "is an address and port such as 127.0.0.1:8080 or [::]:80";
    match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}").parse(),
        None => text.parse(),
    }
    .map_err(|_| ConfigError::new("listen", format!("{text:?} {problem}")))
}

fn parse_public_url(text: String) -> Result<String, ConfigError> {
    let url = text.trim_end_matches('/');
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    match host {
        Some(host) if !host.is_empty() && !host.contains(['?', '#', '@', ' ']) => Ok(url.to_owned()),
        _ => Err(ConfigError::new(
            "public_url",
            format!("{text:?} is no URL such as https://audio.example.com"),
        )),
    }
}

fn trusted_proxies(
    networks: Option<Vec<String>>,
    header: Option<String>,
) -> Result<TrustedProxies, ConfigError> {
    let networks = networks.unwrap_or_default();
    let networks = networks.iter().map(|network| network.parse()).collect::<Result<_, String>>();
    let header = header.as_deref().map(str::parse).transpose();
    Ok(TrustedProxies::new(
        networks.map_err(|problem| ConfigError::new("trusted_proxies", problem))?,
        header.map_err(|problem: String| ConfigError::new("forwarded_header", problem))?.unwrap_or_default(),
    ))
}

fn keep_deleted(hours: Option<u32>) -> Result<KeepDeleted, ConfigError> {
    let chosen = hours.map(KeepDeleted::new).transpose();
    Ok(chosen.map_err(|error| ConfigError::new("library.keep_deleted_hours", error))?.unwrap_or_default())
}

fn worker_config(slots: usize, lease_seconds: Option<u64>) -> Result<WorkerConfig, ConfigError> {
    let seconds = lease_seconds.unwrap_or(60);
    if !(2..=3600).contains(&seconds) {
        return Err(ConfigError::new("worker.lease_seconds", "is a number from 2 to 3600"));
    }
    let lease = Duration::from_secs(seconds);
    Ok(WorkerConfig { slots, lease, heartbeat: lease / 4, ..WorkerConfig::default() })
}

fn sender_config(settings: &file::WebhookSettings) -> Result<SenderConfig, ConfigError> {
    let mut config = SenderConfig::default();
    let lanes = &mut config.lanes;
    lanes.total = settings.connections.unwrap_or(lanes.total);
    lanes.per_endpoint = settings.connections_per_endpoint.unwrap_or(lanes.per_endpoint);
    positive("webhooks.connections", lanes.total)?;
    positive("webhooks.connections_per_endpoint", lanes.per_endpoint)?;
    Ok(config)
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
    }

    #[test]
    fn variables_override() {
        let config = load(&[
            ("TONEARM_LISTEN", "[::]:9000"),
            ("TONEARM_ROLES", "edge"),
            ("TONEARM_LIMITS_MAX_UPLOAD_BYTES", "2GiB"),
            ("TONEARM_API_PUBLIC_PLAY_SESSIONS", "true"),
            ("TONEARM_DELIVERY_URL", "https://{org}.audio.example.com"),
            ("TONEARM_DATABASE_URL", "postgres://me:secret@db/tonearm"),
        ])
        .unwrap();
        assert_eq!(config.listen.port(), 9000);
        assert!(!config.needs_catalog());
        assert_eq!(config.limits.max_source_bytes, 2 << 30);
        assert!(config.public_play_sessions);
        assert!(!format!("{config:?}").contains("secret@"));
    }

    #[test]
    fn wrong_settings_are_one_clear_line() {
        for (name, value, expected) in [
            ("TONEARM_LISTEN", "8080", "listen: "),
            ("TONEARM_ROLES", "api,foo", "roles: foo is no role"),
            ("TONEARM_PUBLIC_URL", "audio.example.com", "public_url: "),
            ("TONEARM_DELIVERY_URL", "https://a/b", "delivery_url: "),
            ("TONEARM_DATABASE_URL", "mysql://x", "database_url: "),
            ("TONEARM_STORAGE_URL", "ftp://x", "storage_url: "),
            ("TONEARM_TRUSTED_PROXIES", "10.0.0.0/8,proxy", "trusted_proxies: "),
            ("TONEARM_FORWARDED_HEADER", "Via", "forwarded_header: "),
            ("TONEARM_LIMITS_MAX_UPLOAD_BYTES", "lots", "limits.max_upload_bytes: "),
            ("TONEARM_API_PUBLIC_PLAY_SESSIONS", "yes", "api.public_play_sessions: "),
            ("TONEARM_WORKER_SLOTS", "0", "worker.slots: "),
            (
                "TONEARM_LIBRARY_KEEP_DELETED_HOURS",
                "8761",
                "library.keep_deleted_hours: is a number of hours",
            ),
            ("TONEARM_WEBHOOKS_CONNECTIONS", "0", "webhooks.connections: "),
            ("TONEARM_OUTBOUND_ALLOW_PRIVATE", "maybe", "outbound.allow_private: "),
            ("TONEARM_LOG_FORMAT", "xml", "log.format: "),
            ("TONEARM_SECRET", "short", "secret: "),
            ("TONEARM_CONFIG", "/nonexistent.toml", "configuration: cannot read /nonexistent.toml"),
        ] {
            let error = load(&[(name, value)]).unwrap_err();
            assert!(error.starts_with(expected), "{name}: {error}");
            assert_eq!(error.lines().count(), 1, "{error}");
        }
    }
}
