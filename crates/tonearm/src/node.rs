//! A running node: its parts wired by its roles.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::{Router, middleware};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonearm_api::{ApiSettings, App, AppParts};
use tonearm_blobs::Blobs;
use tonearm_dashboard::{Dashboard, PublicPages};
use tonearm_domain::{Ambient, Meter, NodeRecord, PerClass};
use tonearm_edge::{Edge, EdgeConfig, OrganizationHosts};
use tonearm_media::Media;
use tonearm_server::tls::Tls;
use tonearm_server::{AcmeTls, Front, FrontParts, Server, request_metrics};
use tonearm_service::{
    Access, CertificateEnd, Heartbeat, IdempotentAnswers, KeyFollower, LookupLimits, Lookups, Playback,
    Processing, RunCounter, Status, StoreIdentity, Streams, UsageKeeper,
};
use tonearm_signing::{Secrets, UrlSigner};
use tonearm_worker::{Sender, Worker};

use crate::health::Health;
use crate::manifests::CatalogManifests;
use crate::parts::Parts;
use crate::scratch::Scratch;
use crate::service_manager::Watchdog;
use crate::start_error::StartError;
use crate::{Config, Role, metrics, opening, upkeep};

/// A running node.
pub struct Node {
    address: SocketAddr,
    public_url: String,
    parts: Option<Parts>,
    scratch: Option<Scratch>,
    idle_worker: Option<IdleWorker>,
    is_stopping: Arc<AtomicBool>,
    has_tls: bool,
    /// The places that are left for connections.
    places: Arc<Semaphore>,
    shutdown: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    /// Cancelled once all requests are answered.
    answered: CancellationToken,
    last_tasks: Vec<JoinHandle<()>>,
    metrics_address: Option<SocketAddr>,
}

/// A worker that does nothing before it is known that ffmpeg works.
struct IdleWorker {
    media: Media,
    worker: Worker,
    media_works: watch::Sender<bool>,
}

impl Node {
    /// Opens what the configuration names and starts serving; returns as soon as the node does all that it is to do.
    pub async fn start(config: &Config, ambient: Ambient) -> Result<Self, StartError> {
        let mut node = Self::serve(config, ambient, None).await?;
        node.begin_work().await?;
        Ok(node)
    }

    /// The first part of a start, at the end of which requests are answered, on `socket` where there is one already. It may
    /// be given up anywhere before.
    pub(crate) async fn serve(
        config: &Config,
        ambient: Ambient,
        socket: Option<std::net::TcpListener>,
    ) -> Result<Self, StartError> {
        if config.needs_catalog() {
            opening::check_confinement(config).await?;
        }
        opening::make_folder(&config.data_dir)?;
        let metrics_listener = match config.metrics_listen {
            Some(address) => Some(metrics::bind(address).await?),
            None => None,
        };
        if metrics_listener.is_some() {
            // Before anything is opened that counts.
            metrics::begin();
        }
        let secrets = opening::secrets(config, &ambient)?;
        let blobs = opening::blobs_of_server(config).await?;
        let tls = config.tls.clone().map(|files| Tls::open(files, &secrets, &ambient)).transpose()?;
        let (listener, address) = listen(config.listen, socket)
            .await
            .map_err(|source| StartError::Listen { address: config.listen, source })?;
        let public_url = opening::public_url(config, address);
        let shutdown = CancellationToken::new();
        let mut node = Self {
            address,
            public_url,
            parts: None,
            scratch: None,
            idle_worker: None,
            is_stopping: Arc::default(),
            has_tls: config.has_tls(),
            places: Arc::new(Semaphore::new(config.server_limits.max_connections)),
            shutdown,
            tasks: Vec::new(),
            answered: CancellationToken::new(),
            last_tasks: Vec::new(),
            metrics_address: None,
        };
        let (media_works, seen) = watch::channel(false);
        let of_tls = ambient.clone();
        let certificate = tls.as_ref().map(Tls::certificate_end);
        let in_files = certificate.clone();
        let (front, worker) = node.wire(config, ambient.clone(), &secrets, blobs, certificate, seen).await?;
        if let Some(listener) = metrics_listener {
            node.serve_metrics(listener, config, in_files, ambient);
        }
        node.idle_worker = worker.map(|(media, worker)| IdleWorker { media, worker, media_works });
        let acme = node.open_acme(&secrets, &of_tls).await?;
        let server = Server {
            front,
            limits: config.server_limits,
            tls: tls.as_ref().map(Tls::acceptor).or(acme.as_ref().map(AcmeTls::acceptor)),
            is_http2_without_tls: config.http2_without_tls,
            places: Arc::clone(&node.places),
        };
        node.tasks.push(tokio::spawn(tonearm_server::serve(listener, server, node.shutdown.clone())));
        if let Some(tls) = tls {
            let stopped = node.shutdown.clone().cancelled_owned();
            node.tasks.push(tokio::spawn(async move {
                tokio::select! {
                    () = tls.follow() => {}
                    () = stopped => {}
                }
            }));
        }
        if let Some(acme) = acme {
            let (every, stop) = (config.look_at_certificate_every, node.shutdown.clone());
            node.tasks.push(tokio::spawn(acme.follow(every, stop)));
        }
        Ok(node)
    }

    /// The certificate that the service gets by itself, if it does.
    async fn open_acme(&self, secrets: &Secrets, ambient: &Ambient) -> Result<Option<AcmeTls>, StartError> {
        match self.parts.as_ref().and_then(|parts| parts.certificates.clone()) {
            Some(certificates) => Ok(Some(AcmeTls::open(certificates, secrets, ambient).await?)),
            None => Ok(None),
        }
    }

    /// The second part. Requests are answered while ffmpeg is still being looked at.
    pub(crate) async fn begin_work(&mut self) -> Result<(), StartError> {
        if let Some(idle) = &self.idle_worker {
            idle.media.check().await?;
        }
        if let Some(idle) = self.idle_worker.take() {
            idle.media_works.send_replace(true);
            self.tasks.push(tokio::spawn(idle.worker.work(self.shutdown.clone())));
        }
        Ok(())
    }

    async fn wire(
        &mut self,
        config: &Config,
        ambient: Ambient,
        secrets: &Secrets,
        blobs: Blobs,
        certificate: Option<CertificateEnd>,
        media_works: watch::Receiver<bool>,
    ) -> Result<(Front, Option<(Media, Worker)>), StartError> {
        let meter = Meter::new();
        let of_front = ambient.clone();
        let signer = opening::signer(config, secrets);
        let countries = opening::countries(config)?;
        let mut edge = config.has_role(Role::Edge).then(|| {
            Edge::new(blobs.clone(), signer.clone(), ambient.clone(), EdgeConfig::default())
                .with_meter(meter.clone())
                .with_countries(countries)
                .with_organization_hosts(organization_hosts(config))
        });
        let mut health = Health {
            catalog: None,
            blobs: blobs.clone(),
            media: None,
            space: opening::space(config),
            is_other_store: Arc::default(),
            is_stopping: Arc::clone(&self.is_stopping),
        };
        let mut app = Router::new();
        let mut worker = None;
        if config.needs_catalog() {
            let catalog = opening::catalog_of_service(config, &ambient).await?;
            opening::warn_of_connections(config, &catalog).await;
            let media = opening::media(config);
            let parts =
                Parts::wire(config, &ambient, catalog.clone(), secrets, signer.clone(), &self.public_url)?;
            opening::reseal(config, &parts.resealing).await?;
            let identity = StoreIdentity::new(catalog.clone(), blobs.clone(), ambient.clone());
            if !opening::check_store(config, &identity).await? {
                let is_other = Arc::clone(&health.is_other_store);
                let checks = upkeep::check_store(identity, is_other, self.shutdown.clone());
                self.tasks.push(tokio::spawn(checks));
            }
            health.catalog = Some(catalog.clone());
            edge = edge.map(|edge| edge.with_manifests(Arc::new(CatalogManifests(catalog.clone()))));
            self.keep_up(config, &ambient, &parts, &blobs, &meter);
            let runs = RunCounter::default();
            let status =
                self.be_seen(config, &ambient, (&parts, &blobs), runs.clone()).with_certificate(certificate);
            if config.has_role(Role::Api) {
                let streams = Streams::until(self.shutdown.clone());
                let served = api(config, &ambient, &parts, &blobs, &meter, streams.clone());
                let uses = upkeep::keep_key_uses(served.access.clone(), self.answered.clone());
                self.last_tasks.push(tokio::spawn(uses));
                let playback = served.playback.clone();
                let public = PublicPages {
                    playback: playback.clone(),
                    public_url: self.public_url.clone(),
                    ambient: ambient.clone(),
                };
                let own = dashboard(config, &ambient, &parts, playback, &blobs, streams, status);
                let pages = tonearm_dashboard::public_routes(public).merge(tonearm_dashboard::router(own));
                app = tonearm_api::router(served).merge(tonearm_api::limit_pages(pages, config.rate_limits));
            }
            if config.has_role(Role::Worker) {
                health.media = Some(media_works);
                blobs
                    .remove_temporaries(ambient.now().plus_seconds(-3600))
                    .await
                    .map_err(|source| StartError::Store { url: config.storage_url.to_string(), source })?;
                let scratch = opening::scratch(config, &ambient)?;
                let path = scratch.path().to_owned();
                self.scratch = Some(scratch);
                let uploads = parts.uploads(config, &ambient, &blobs);
                let processing = Processing::new(catalog, blobs, media.clone(), ambient, path)
                    .with_transcriptions(parts.transcriptions.clone())
                    .with_imports(parts.imports.clone(), uploads)
                    .with_purged_titles(config.purged_titles)
                    .with_retention(config.retention)
                    .counting_runs(runs);
                worker = Some((media, Worker::new(processing, config.worker)));
                let (catalog, stop) = (parts.catalog.clone(), self.shutdown.clone());
                self.tasks.push(tokio::spawn(async move {
                    stop.run_until_cancelled(catalog.listen()).await;
                }));
                let sender = Sender::new(parts.webhooks.clone(), config.sender);
                self.tasks.push(tokio::spawn(sender.work(self.shutdown.clone())));
            }
            self.parts = Some(parts);
        } else {
            self.keep_up_alone(config, &ambient, &signer, &blobs, &meter);
        }
        let proxies = config.trusted_proxies.clone().into();
        let mut router = app.merge(health.router());
        if config.metrics_listen.is_some() {
            router = router.layer(middleware::from_fn(request_metrics::measure));
        }
        let front = Front::new(FrontParts {
            edge,
            proxies,
            router,
            ambient: of_front,
            is_https: self.public_url.starts_with("https://"),
            stored_addresses: config.stored_addresses,
            limits: config.server_limits,
        });
        Ok((front, worker))
    }

    /// Serves metrics until all requests are answered, so that the end of a node can be seen too.
    fn serve_metrics(
        &mut self,
        (listener, address): (TcpListener, SocketAddr),
        config: &Config,
        in_files: Option<CertificateEnd>,
        ambient: Ambient,
    ) {
        let catalog = self.parts.as_ref().map(|parts| parts.catalog.clone());
        let names = config.acme.as_ref().map(|terms| terms.names.clone());
        let sources = metrics::Sources::new(catalog, (in_files, names), ambient, opening::disks(config));
        self.last_tasks.push(tokio::spawn(metrics::serve(listener, sources, self.answered.clone())));
        self.metrics_address = Some(address);
        tracing::info!(%address, "metrics are at /metrics");
    }

    /// Sends heartbeats, and begins to report the health of the service.
    fn be_seen(
        &mut self,
        config: &Config,
        ambient: &Ambient,
        (parts, blobs): (&Parts, &Blobs),
        runs: RunCounter,
    ) -> Status {
        let catalog = &parts.catalog;
        let node = NodeRecord {
            id: ambient.record_id(),
            name: opening::machine_name(),
            address: self.address.to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            roles: config.roles.iter().map(|role| role.as_str().to_owned()).collect(),
            started_at: ambient.now(),
            clock_ahead_millis: None,
            master_secrets: parts.master_secrets.fingerprints().to_vec(),
            recent_runs: PerClass::default(),
        };
        let status = Status::new(catalog.clone(), Some(blobs.clone()), ambient.clone())
            .with_disks(opening::disks(config))
            .with_acme(config.acme.as_ref().map(|terms| terms.names.clone()))
            .of_node(node.id);
        let heartbeat = Heartbeat::new(catalog.clone(), ambient.clone(), node, runs);
        self.last_tasks.push(tokio::spawn(upkeep::keep_alive(heartbeat, self.answered.clone())));
        status
    }

    /// What goes on beside answering, on a node with a catalog.
    fn keep_up(&mut self, config: &Config, ambient: &Ambient, parts: &Parts, blobs: &Blobs, meter: &Meter) {
        let keeper = UsageKeeper::in_catalog(meter.clone(), parts.usage.clone());
        let keeper = keeper.leaving_in(opening::unstored_usage(config));
        let (catalog, signer) = (parts.catalog.clone(), parts.signer.clone());
        let follower = KeyFollower::of_catalog(catalog, blobs.clone(), signer, ambient.clone());
        let stop = || self.shutdown.clone();
        self.tasks.push(tokio::spawn(upkeep::fetch_counts(parts.usage.clone(), blobs.clone(), stop())));
        self.tasks.push(tokio::spawn(upkeep::follow_keys(follower, stop())));
        self.tasks.push(tokio::spawn(upkeep::note_master_secret(parts.master_secrets.clone(), stop())));
        self.last_tasks.push(tokio::spawn(upkeep::keep_counts(keeper, self.answered.clone())));
    }

    /// The same on a node that has nothing but the store.
    fn keep_up_alone(
        &mut self,
        config: &Config,
        ambient: &Ambient,
        signer: &UrlSigner,
        blobs: &Blobs,
        meter: &Meter,
    ) {
        let keeper = UsageKeeper::in_store(meter.clone(), blobs.clone(), ambient.clone());
        let keeper = keeper.leaving_in(opening::unstored_usage(config));
        let follower = KeyFollower::of_store(blobs.clone(), signer.clone(), ambient.clone());
        let (every, stop) = (config.look_at_store_every, self.shutdown.clone());
        self.tasks.push(tokio::spawn(upkeep::follow_keys_in_store(follower, every, stop)));
        self.last_tasks.push(tokio::spawn(upkeep::keep_counts(keeper, self.answered.clone())));
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address at which it tells metrics.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_address
    }

    /// Where clients reach it.
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// Its opened parts; none on a node that only delivers.
    pub fn parts(&self) -> Option<&Parts> {
        self.parts.as_ref()
    }

    /// What tells a service manager that this node answers.
    pub(crate) fn watchdog(&self) -> Watchdog {
        Watchdog { address: self.address, has_tls: self.has_tls, places: Arc::clone(&self.places) }
    }

    /// Tells whoever asks whether the node is ready that it is not any more. Requests are still answered.
    pub fn announce_stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Stops: no new connections, open requests finish, running jobs stop and return their leases.
    pub async fn stop(self) {
        self.announce_stop();
        self.shutdown.cancel();
        join(self.tasks).await;
        self.answered.cancel();
        join(self.last_tasks).await;
        if let Some(parts) = self.parts
            && let Err(error) = parts.catalog.close().await
        {
            tracing::warn!(%error, "could not close the database cleanly");
        }
    }
}

/// Listens, unless a socket does already; with the address.
async fn listen(
    address: SocketAddr,
    socket: Option<std::net::TcpListener>,
) -> std::io::Result<(TcpListener, SocketAddr)> {
    let listener = match socket {
        Some(socket) => TcpListener::from_std(socket)?,
        None => TcpListener::bind(address).await?,
    };
    let address = listener.local_addr()?;
    Ok((listener, address))
}

async fn join(tasks: Vec<JoinHandle<()>>) {
    for task in tasks {
        if let Err(error) = task.await {
            tracing::error!(%error, "a task of the node panicked");
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
    blobs: &Blobs,
    meter: &Meter,
    streams: Streams,
) -> App {
    let catalog = &parts.catalog;
    let lookups = Lookups::new(catalog.clone(), LookupLimits::default());
    App::new(AppParts {
        access: Access::new(lookups.clone(), ambient.clone()),
        library: parts.library.clone(),
        uploads: parts.uploads(config, ambient, blobs),
        repeats: IdempotentAnswers::new(catalog.clone(), ambient.clone()),
        playback: Playback::new(
            lookups,
            ambient.clone(),
            parts.links.clone(),
            meter.clone(),
            tonearm_api::write_listed_track,
        ),
        usage: parts.usage.clone(),
        webhooks: parts.webhooks.clone(),
        import_buckets: parts.import_buckets.clone(),
        signing_keys: parts.signing_keys(ambient),
        streams,
        signer: parts.signer.clone(),
        ambient: ambient.clone(),
        settings: ApiSettings {
            public_play_sessions: config.public_play_sessions,
            max_json_bytes: config.max_json_bytes,
            rate_limits: config.rate_limits,
            ..ApiSettings::default()
        },
    })
}

fn dashboard(
    config: &Config,
    ambient: &Ambient,
    parts: &Parts,
    playback: Playback,
    blobs: &Blobs,
    streams: Streams,
    status: Status,
) -> Dashboard {
    Dashboard {
        streams,
        status,
        jobs: parts.jobs.clone(),
        people: parts.people.clone(),
        signing_keys: parts.signing_keys(ambient),
        library: parts.library.clone(),
        uploads: parts.uploads(config, ambient, blobs),
        webhooks: parts.webhooks.clone(),
        transcriptions: parts.transcriptions.clone(),
        audit: parts.audit.clone(),
        usage: parts.usage.clone(),
        playback,
        links: parts.links.clone(),
        ambient: ambient.clone(),
    }
}
