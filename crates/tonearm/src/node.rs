//! A running node: the services, servers and background tasks that its roles need.

mod background;
mod foundation;
mod router;
mod worker;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::{Router, middleware};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tonearm_domain::Ambient;
use tonearm_edge::Edge;
use tonearm_server::tls::Tls;
use tonearm_server::{AcmeTls, Front, FrontParts, Places, Server, request_metrics};
use tonearm_service::{CertificateEnd, RunCounter};
use tonearm_signing::Secrets;

use self::foundation::Foundation;
use self::worker::PendingWorker;
use crate::health::Health;
use crate::manifests::CatalogManifests;
use crate::scratch::Scratch;
use crate::service_manager::Watchdog;
use crate::services::Services;
use crate::start_error::StartError;
use crate::{Config, Role, background_tasks, metrics, opening};

/// How long the tasks of a stopping node may take to end after open requests, which have `shutdown.drain_seconds`.
const TASKS_END_WITHIN: Duration = Duration::from_secs(5);

/// How long the last tasks may take, which store what was counted.
const LAST_TASKS_END_WITHIN: Duration = Duration::from_secs(15);

/// How long the database may take to close.
const DATABASE_CLOSES_WITHIN: Duration = Duration::from_secs(3);

/// A running node.
pub struct Node {
    address: SocketAddr,
    public_url: String,
    services: Option<Services>,
    scratch: Option<Scratch>,
    pending_worker: Option<PendingWorker>,
    is_stopping: Arc<AtomicBool>,
    has_tls: bool,
    /// The places for connections.
    places: Arc<Places>,
    shutdown: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    /// Cancelled once all requests are answered.
    drained: CancellationToken,
    /// The tasks that end with `drained`.
    last_tasks: Vec<JoinHandle<()>>,
    metrics_address: Option<SocketAddr>,
    /// How long open requests have to finish.
    drain: Duration,
}

impl Node {
    /// Opens the resources that the configuration names, and starts serving. Returns when all roles of the node are
    /// running.
    pub async fn start(config: &Config, ambient: Ambient) -> Result<Self, StartError> {
        let mut node = Self::serve(config, ambient, None).await?;
        node.start_worker().await?;
        Ok(node)
    }

    /// The first part of a start: requests are answered when it returns. It listens on `socket`, or else on the configured
    /// address. The future can be dropped at any point.
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
            // This must happen before anything that counts is opened.
            metrics::begin();
        }
        let secrets = opening::secrets(config, &ambient).await?;
        let blobs = opening::blobs_of_server(config).await?;
        let tls = config.tls.clone().map(|files| Tls::open(files, &secrets, &ambient)).transpose()?;
        let (listener, address) = listen(config.listen, socket)
            .await
            .map_err(|source| StartError::Listen { address: config.listen, source })?;
        let mut node = Self::at(address, config);
        let certificate = tls.as_ref().map(Tls::certificate_end);
        let (media_works, media_checked) = watch::channel(false);
        let foundation = Foundation::new(config, &ambient, &secrets, blobs);
        let front =
            node.build(&foundation, &secrets, certificate.clone(), media_works, media_checked).await?;
        if let Some(listener) = metrics_listener {
            node.serve_metrics(listener, &foundation, certificate);
        }
        let acme = node.open_acme(&secrets, &ambient).await?;
        node.serve_requests(listener, front, config, tls, acme);
        Ok(node)
    }

    /// A node that listens on this address and does nothing yet.
    fn at(address: SocketAddr, config: &Config) -> Self {
        Self {
            address,
            public_url: opening::public_url(config, address),
            services: None,
            scratch: None,
            pending_worker: None,
            is_stopping: Arc::default(),
            has_tls: config.has_tls(),
            places: Places::new(config.server_limits.max_connections, config.stored_addresses),
            shutdown: CancellationToken::new(),
            tasks: Vec::new(),
            drained: CancellationToken::new(),
            last_tasks: Vec::new(),
            metrics_address: None,
            drain: config.server_limits.drain,
        }
    }

    /// Builds what the roles of this node need, and starts their background tasks. The worker waits for `start_worker`.
    async fn build(
        &mut self,
        foundation: &Foundation<'_>,
        secrets: &Secrets,
        certificate: Option<CertificateEnd>,
        media_works: watch::Sender<bool>,
        media_checked: watch::Receiver<bool>,
    ) -> Result<Front, StartError> {
        let config = foundation.config;
        let mut edge = foundation.edge()?;
        let mut health = Health {
            catalog: None,
            blobs: foundation.blobs.clone(),
            media: None,
            space: foundation.space.clone(),
            is_other_store: Arc::default(),
            is_stopping: Arc::clone(&self.is_stopping),
        };
        let watch = background_tasks::watch_space(foundation.space.clone(), self.shutdown.clone());
        self.tasks.push(tokio::spawn(watch));
        let mut app = Router::new();
        if config.needs_catalog() {
            let services = self.open_services(foundation, secrets, &health.is_other_store).await?;
            health.catalog = Some(services.catalog.clone());
            edge = edge.map(|edge| edge.with_manifests(Arc::new(CatalogManifests(services.catalog.clone()))));
            self.start_catalog_tasks(foundation, &services);
            let runs = RunCounter::default();
            let status = self.register(foundation, &services, runs.clone()).with_certificate(certificate);
            if config.has_role(Role::Api) {
                app = self.app_router(foundation, &services, status);
            }
            if config.has_role(Role::Worker) {
                health.media = Some(media_checked);
                self.prepare_worker(foundation, &services, runs, media_works).await?;
            }
            self.services = Some(services);
        } else {
            self.start_store_tasks(foundation);
        }
        Ok(self.front(foundation, edge, app.merge(health.router())))
    }

    fn front(&self, foundation: &Foundation<'_>, edge: Option<Edge>, mut router: Router) -> Front {
        let config = foundation.config;
        if config.metrics_listen.is_some() {
            router = router.layer(middleware::from_fn(request_metrics::measure));
        }
        Front::new(FrontParts {
            edge,
            proxies: config.trusted_proxies.clone().into(),
            router,
            ambient: foundation.ambient.clone(),
            is_https: self.public_url.starts_with("https://"),
            stored_addresses: config.stored_addresses,
            limits: config.server_limits,
        })
    }

    /// Opens the certificate that the service orders by ACME, if it orders one.
    async fn open_acme(&self, secrets: &Secrets, ambient: &Ambient) -> Result<Option<AcmeTls>, StartError> {
        match self.services.as_ref().and_then(|services| services.certificates.clone()) {
            Some(certificates) => Ok(Some(AcmeTls::open(certificates, secrets, ambient).await?)),
            None => Ok(None),
        }
    }

    /// Accepts connections, and replaces the certificate when there is a new one.
    fn serve_requests(
        &mut self,
        listener: TcpListener,
        front: Front,
        config: &Config,
        tls: Option<Tls>,
        acme: Option<AcmeTls>,
    ) {
        let server = Server {
            front,
            limits: config.server_limits,
            tls: tls.as_ref().map(Tls::acceptor).or(acme.as_ref().map(AcmeTls::acceptor)),
            is_http2_without_tls: config.http2_without_tls,
            places: Arc::clone(&self.places),
        };
        self.tasks.push(tokio::spawn(tonearm_server::serve(listener, server, self.shutdown.clone())));
        if let Some(tls) = tls {
            let stop = self.shutdown.clone();
            self.tasks.push(tokio::spawn(async move {
                stop.run_until_cancelled(tls.follow()).await;
            }));
        }
        if let Some(acme) = acme {
            let (every, stop) = (config.certificate_check_interval, self.shutdown.clone());
            self.tasks.push(tokio::spawn(acme.follow(every, stop)));
        }
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address at which it exports metrics.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics_address
    }

    /// The URL at which clients reach it.
    pub fn public_url(&self) -> &str {
        &self.public_url
    }

    /// Its services; none on a node that only delivers.
    pub fn services(&self) -> Option<&Services> {
        self.services.as_ref()
    }

    /// The watchdog, which notifies a service manager while this node answers.
    pub(crate) fn watchdog(&self) -> Watchdog {
        Watchdog { address: self.address, has_tls: self.has_tls, places: Arc::clone(&self.places) }
    }

    /// Makes `/readyz` report that the node is not ready any more. Requests are still answered.
    pub fn announce_stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Stops: no new connections, open requests finish, running jobs stop and return their leases. What hangs, for example
    /// because the database does not answer, is given up.
    pub async fn stop(self) {
        self.announce_stop();
        self.shutdown.cancel();
        join(self.tasks, self.drain + TASKS_END_WITHIN).await;
        self.drained.cancel();
        join(self.last_tasks, LAST_TASKS_END_WITHIN).await;
        if let Some(services) = self.services {
            match timeout(DATABASE_CLOSES_WITHIN, services.catalog.close()).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "could not close the database cleanly"),
                Err(_) => tracing::warn!("the database did not close in time"),
            }
        }
    }
}

/// Listens on the address, or on the socket if there is one already. Returns the address with it.
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

/// Waits until tasks have ended, and gives up those that take too long.
async fn join(tasks: Vec<JoinHandle<()>>, most: Duration) {
    let deadline = Instant::now() + most;
    for mut task in tasks {
        match timeout_at(deadline, &mut task).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "a task of the node panicked"),
            Err(_) => {
                tracing::warn!("a task of the node did not end in time, and is given up");
                task.abort();
            }
        }
    }
}
