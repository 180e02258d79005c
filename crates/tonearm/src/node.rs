//! A running node: its parts wired by its roles.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonearm_api::{ApiSettings, App, AppParts};
use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, ConnectOptions};
use tonearm_dashboard::{Dashboard, PublicPages};
use tonearm_domain::{Ambient, Meter};
use tonearm_edge::{Edge, EdgeConfig, OrganizationHosts};
use tonearm_media::{Media, MediaConfig, MediaLimits};
use tonearm_outbound::Outbound;
use tonearm_service::{
    Access, Audit, KeyFollower, Library, Links, LookupLimits, Lookups, People, Playback, Processing, Refusal,
    Repeats, SigningKeys, Transcriptions, Uploads, Usage, UsageKeeper, Webhooks,
};
use tonearm_signing::{Secrets, UrlSigner, Vault};
use tonearm_worker::{Sender, Worker};

use crate::front::Front;
use crate::health::Health;
use crate::scratch::Scratch;
use crate::server::{self, Server};
use crate::tls::{Tls, TlsError};
use crate::{Config, Role, secret, upkeep};

/// Why a node could not start, in one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A folder of the data folder cannot be made or used.
    #[error("cannot use the data folder {path}: {source}")]
    DataDir {
        /// Which folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Which address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The catalog cannot be opened.
    #[error("cannot open the database {url}: {source}")]
    Catalog {
        /// Which, without its password.
        url: String,
        /// Why.
        source: tonearm_catalog::CatalogError,
    },
    /// The store cannot be opened.
    #[error("cannot open the store {url}: {source}")]
    Store {
        /// Which, without its secrets.
        url: String,
        /// Why.
        source: tonearm_blobs::BlobError,
    },
    /// The certificate cannot be used.
    #[error("{0}")]
    Tls(#[from] TlsError),
    /// ffmpeg, or a part of it, is missing.
    #[error("{0}")]
    Media(#[from] tonearm_media::MediaError),
    /// Other servers cannot be called.
    #[error("cannot prepare calls to other servers: {0}")]
    Outbound(#[source] reqwest::Error),
}

/// Why other nodes could not be told something.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TellError {
    /// The store cannot be opened.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The store or the catalog is away.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// The opened parts of a node that does more than deliver; also what the command line works with.
#[derive(Clone)]
pub struct Parts {
    /// The catalog.
    pub catalog: Catalog,
    /// Manages what organizations own.
    pub library: Library,
    /// Lets people in.
    pub people: People,
    /// Manages webhooks and sends them.
    pub webhooks: Webhooks,
    /// Manages transcription.
    pub transcriptions: Transcriptions,
    /// Reads the audit log.
    pub audit: Audit,
    links: Links,
    signer: UrlSigner,
}

impl Parts {
    /// Opens the catalog for a command beside a running server.
    pub async fn open(config: &Config, ambient: &Ambient) -> Result<Self, StartError> {
        make_folder(&config.data_dir)?;
        let signer = signer(config, ambient)?;
        let catalog = open_catalog(config).await?;
        Self::wire(config, ambient, catalog, signer, &public_url(config, config.listen))
    }

    /// Opens the store too, for a command that takes files in.
    pub async fn open_uploads(&self, config: &Config, ambient: &Ambient) -> Result<Uploads, StartError> {
        let blobs = open_blobs(config).await?;
        Ok(self.uploads(config, ambient, &blobs))
    }

    /// Manages signing keys.
    pub fn signing_keys(&self, ambient: &Ambient) -> SigningKeys {
        SigningKeys::new(self.catalog.clone(), ambient.clone(), self.signer.clone())
    }

    /// Tells nodes without a catalog which signing keys are live.
    pub(crate) async fn tell_signing_keys(
        &self,
        config: &Config,
        ambient: &Ambient,
    ) -> Result<(), TellError> {
        let blobs = open_blobs(config).await?;
        let (catalog, signer) = (self.catalog.clone(), self.signer.clone());
        Ok(KeyFollower::of_catalog(catalog, blobs, signer, ambient.clone()).look().await?)
    }

    fn uploads(&self, config: &Config, ambient: &Ambient, blobs: &Blobs) -> Uploads {
        Uploads::new(self.catalog.clone(), blobs.clone(), ambient.clone(), self.links.clone(), config.limits)
    }

    fn wire(
        config: &Config,
        ambient: &Ambient,
        catalog: Catalog,
        signer: UrlSigner,
        public_url: &str,
    ) -> Result<Self, StartError> {
        let delivery_url =
            config.delivery_url.clone().unwrap_or_else(|| tonearm_service::DeliveryUrl::of(public_url));
        let links = Links::new(signer.clone(), ambient.clone(), public_url, delivery_url);
        let library = Library::new(catalog.clone(), ambient.clone(), links.clone());
        let people = People::new(catalog.clone(), ambient.clone(), public_url);
        let audit = Audit::new(catalog.clone());
        let vault = Vault::new(&secrets(config, ambient)?);
        let outbound = Outbound::new(config.allow_private).map_err(StartError::Outbound)?;
        let transcriptions =
            Transcriptions::new(catalog.clone(), ambient.clone(), vault.clone(), outbound.clone());
        let webhooks = Webhooks::new(catalog.clone(), ambient.clone(), links.clone(), vault, outbound);
        Ok(Self { catalog, library, people, webhooks, transcriptions, audit, links, signer })
    }
}

/// A running node.
pub struct Node {
    address: SocketAddr,
    public_url: String,
    parts: Option<Parts>,
    scratch: Option<Scratch>,
    shutdown: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    /// Cancelled once all requests are answered.
    answered: CancellationToken,
    last_tasks: Vec<JoinHandle<()>>,
}

impl Node {
    /// Opens what the configuration names and starts serving; returns as soon as requests are answered.
    pub async fn start(config: &Config, ambient: Ambient) -> Result<Self, StartError> {
        make_folder(&config.data_dir)?;
        let signer = signer(config, &ambient)?;
        let blobs = open_blobs(config).await?;
        let tls = config.tls.clone().map(Tls::open).transpose()?;
        let listener = TcpListener::bind(config.listen)
            .await
            .map_err(|source| StartError::Listen { address: config.listen, source })?;
        let address =
            listener.local_addr().map_err(|source| StartError::Listen { address: config.listen, source })?;
        let public_url = public_url(config, address);
        let shutdown = CancellationToken::new();
        let mut node = Self {
            address,
            public_url,
            parts: None,
            scratch: None,
            shutdown,
            tasks: Vec::new(),
            answered: CancellationToken::new(),
            last_tasks: Vec::new(),
        };
        let (front, worker) = node.wire(config, ambient, signer, blobs).await?;
        let server = Server { front, limits: config.server_limits, tls: tls.as_ref().map(Tls::acceptor) };
        node.tasks.push(tokio::spawn(server::serve(listener, server, node.shutdown.clone())));
        if let Some(tls) = tls {
            let stopped = node.shutdown.clone().cancelled_owned();
            node.tasks.push(tokio::spawn(async move {
                tokio::select! {
                    () = tls.follow() => {}
                    () = stopped => {}
                }
            }));
        }
        // Requests are answered while ffmpeg is still being looked at.
        if let Some((media, worker)) = worker {
            media.check().await?;
            node.tasks.push(tokio::spawn(worker.work(node.shutdown.clone())));
        }
        Ok(node)
    }

    async fn wire(
        &mut self,
        config: &Config,
        ambient: Ambient,
        signer: UrlSigner,
        blobs: Blobs,
    ) -> Result<(Front, Option<(Media, Worker)>), StartError> {
        let meter = Meter::new();
        let edge = config.has_role(Role::Edge).then(|| {
            Edge::new(blobs.clone(), signer.clone(), ambient.clone(), EdgeConfig::default())
                .counted_by(meter.clone())
                .at_hosts(organization_hosts(config))
        });
        let mut health = Health { catalog: None, blobs: blobs.clone(), media: None };
        let mut app = Router::new();
        let mut worker = None;
        if config.needs_catalog() {
            let catalog = open_catalog(config).await?;
            let media = media(config);
            let parts = Parts::wire(config, &ambient, catalog.clone(), signer.clone(), &self.public_url)?;
            health.catalog = Some(catalog.clone());
            self.keep_up(&ambient, &parts, &blobs, &meter);
            if config.has_role(Role::Api) {
                let served = api(config, &ambient, &parts, &signer, &blobs, &meter);
                let uses = write_key_uses(served.access.clone(), self.answered.clone());
                self.last_tasks.push(tokio::spawn(uses));
                let playback = served.playback.clone();
                let public = PublicPages { playback: playback.clone(), public_url: self.public_url.clone() };
                app = tonearm_api::router(served)
                    .merge(tonearm_dashboard::public_routes(public))
                    .merge(tonearm_dashboard::router(dashboard(config, &ambient, &parts, playback, &blobs)));
            }
            if config.has_role(Role::Worker) {
                health.media = Some(media.clone());
                blobs
                    .remove_temporaries(ambient.now().plus_seconds(-3600))
                    .await
                    .map_err(|source| StartError::Store { url: config.storage_url.to_string(), source })?;
                let scratch = make_scratch(config, &ambient)?;
                let path = scratch.path().to_owned();
                self.scratch = Some(scratch);
                let processing = Processing::new(catalog, blobs, media.clone(), ambient, path)
                    .with_transcriptions(parts.transcriptions.clone());
                worker = Some((media, Worker::new(processing, config.worker)));
                let sender = Sender::new(parts.webhooks.clone(), config.sender);
                self.tasks.push(tokio::spawn(sender.work(self.shutdown.clone())));
            }
            self.parts = Some(parts);
        } else {
            self.keep_up_alone(&ambient, &signer, &blobs, &meter);
        }
        let proxies = config.trusted_proxies.clone().into();
        Ok((Front { edge, proxies, router: app.merge(health.router()) }, worker))
    }

    /// What goes on beside answering, on a node with a catalog.
    fn keep_up(&mut self, ambient: &Ambient, parts: &Parts, blobs: &Blobs, meter: &Meter) {
        let usage = Usage::new(parts.catalog.clone(), ambient.clone());
        let keeper = UsageKeeper::in_catalog(meter.clone(), usage.clone());
        let (catalog, signer) = (parts.catalog.clone(), parts.signer.clone());
        let follower = KeyFollower::of_catalog(catalog, blobs.clone(), signer, ambient.clone());
        let stop = || self.shutdown.clone();
        self.tasks.push(tokio::spawn(upkeep::fetch_counts(usage, blobs.clone(), stop())));
        self.tasks.push(tokio::spawn(upkeep::follow_keys(follower, stop())));
        self.last_tasks.push(tokio::spawn(upkeep::keep_counts(keeper, self.answered.clone())));
    }

    /// The same on a node that has nothing but the store.
    fn keep_up_alone(&mut self, ambient: &Ambient, signer: &UrlSigner, blobs: &Blobs, meter: &Meter) {
        let keeper = UsageKeeper::in_store(meter.clone(), blobs.clone(), ambient.clone());
        let follower = KeyFollower::of_store(blobs.clone(), signer.clone(), ambient.clone());
        self.tasks.push(tokio::spawn(upkeep::follow_keys_in_store(follower, self.shutdown.clone())));
        self.last_tasks.push(tokio::spawn(upkeep::keep_counts(keeper, self.answered.clone())));
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients reach it.
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// Its opened parts; none on a node that only delivers.
    pub fn parts(&self) -> Option<&Parts> {
        self.parts.as_ref()
    }

    /// Stops: no new connections, open requests finish, running jobs stop and return their leases.
    pub async fn stop(self) {
        self.shutdown.cancel();
        join(self.tasks).await;
        self.answered.cancel();
        join(self.last_tasks).await;
        if let Some(parts) = self.parts
            && let Err(error) = parts.catalog.close().await
        {
            tracing::warn!(%error, "the database was not closed well");
        }
    }
}

async fn join(tasks: Vec<JoinHandle<()>>) {
    for task in tasks {
        if let Err(error) = task.await {
            tracing::error!(%error, "a part of the node ended badly");
        }
    }
}

/// The host names of organizations, where the delivery URL gives each its own.
fn organization_hosts(config: &Config) -> Option<OrganizationHosts> {
    let (before, after) = config.delivery_url.as_ref()?.around_organization()?;
    Some(OrganizationHosts::new(before, after))
}

fn api(
    config: &Config,
    ambient: &Ambient,
    parts: &Parts,
    signer: &UrlSigner,
    blobs: &Blobs,
    meter: &Meter,
) -> App {
    let catalog = &parts.catalog;
    let lookups = Lookups::new(catalog.clone(), LookupLimits::default());
    App::new(AppParts {
        access: Access::new(lookups.clone(), ambient.clone()),
        library: parts.library.clone(),
        uploads: parts.uploads(config, ambient, blobs),
        repeats: Repeats::new(catalog.clone(), ambient.clone()),
        playback: Playback::new(lookups, ambient.clone(), parts.links.clone()).counted_by(meter.clone()),
        usage: Usage::new(catalog.clone(), ambient.clone()),
        signer: signer.clone(),
        ambient: ambient.clone(),
        settings: ApiSettings {
            public_play_sessions: config.public_play_sessions,
            max_json_bytes: config.max_json_bytes,
            rate_limits: config.rate_limits,
            ..ApiSettings::default()
        },
    })
}

/// Writes down when keys were last used, twice a minute and at the end.
async fn write_key_uses(access: Access, shutdown: CancellationToken) {
    loop {
        let is_over = tokio::select! {
            () = shutdown.cancelled() => true,
            () = tokio::time::sleep(Duration::from_secs(30)) => false,
        };
        if let Err(error) = access.write_key_uses().await {
            tracing::warn!(%error, "could not write down when keys were last used");
        }
        if is_over {
            return;
        }
    }
}

fn dashboard(
    config: &Config,
    ambient: &Ambient,
    parts: &Parts,
    playback: Playback,
    blobs: &Blobs,
) -> Dashboard {
    Dashboard {
        people: parts.people.clone(),
        library: parts.library.clone(),
        uploads: parts.uploads(config, ambient, blobs),
        webhooks: parts.webhooks.clone(),
        transcriptions: parts.transcriptions.clone(),
        audit: parts.audit.clone(),
        usage: Usage::new(parts.catalog.clone(), ambient.clone()),
        playback,
        links: parts.links.clone(),
        ambient: ambient.clone(),
    }
}

pub(crate) fn media(config: &Config) -> Media {
    Media::new(MediaConfig {
        ffmpeg: config.ffmpeg.clone(),
        ffprobe: config.ffprobe.clone(),
        concurrency: config.media_concurrency,
        limits: MediaLimits::default(),
    })
}

fn signer(config: &Config, ambient: &Ambient) -> Result<UrlSigner, StartError> {
    let signer = UrlSigner::new(secrets(config, ambient)?);
    Ok(signer.with_clock_tolerance(config.clock_tolerance_seconds))
}

fn secrets(config: &Config, ambient: &Ambient) -> Result<Secrets, StartError> {
    match &config.secrets {
        Some(secrets) => Ok(secrets.clone()),
        None => secret::read_or_make(&config.data_dir, ambient)
            .map_err(|source| StartError::DataDir { path: config.data_dir.join("secret"), source }),
    }
}

async fn open_catalog(config: &Config) -> Result<Catalog, StartError> {
    Catalog::connect(&config.database_url, ConnectOptions::default())
        .await
        .map_err(|source| StartError::Catalog { url: config.database_url.to_string(), source })
}

async fn open_blobs(config: &Config) -> Result<Blobs, StartError> {
    let opened = async {
        let blobs = Blobs::open(&config.storage_url).await?;
        match config.cache.clone().filter(|_| config.has_role(Role::Edge)) {
            Some(terms) => blobs.with_cache(terms).await,
            None => Ok(blobs),
        }
    };
    opened.await.map_err(|source| StartError::Store { url: config.storage_url.to_string(), source })
}

fn public_url(config: &Config, address: SocketAddr) -> String {
    config.public_url.clone().unwrap_or_else(|| {
        let host = match address.ip() {
            ip if ip.is_unspecified() => "127.0.0.1".to_owned(),
            std::net::IpAddr::V6(ip) => format!("[{ip}]"),
            ip => ip.to_string(),
        };
        let scheme = if config.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{host}:{}", address.port())
    })
}

fn make_folder(path: &std::path::Path) -> Result<(), StartError> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|source| StartError::DataDir { path: path.to_owned(), source })
}

fn make_scratch(config: &Config, ambient: &Ambient) -> Result<Scratch, StartError> {
    let parent = config.data_dir.join("scratch");
    make_folder(&parent)?;
    Scratch::make(&parent, ambient).map_err(|source| StartError::DataDir { path: parent, source })
}
