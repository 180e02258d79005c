//! Starts the services of a node with a catalog, and the background tasks of every node.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::net::TcpListener;
use tonearm_catalog::Backend;
use tonearm_domain::{NodeRecord, PerClass};
use tonearm_service::{
    CertificateEnd, Heartbeat, KeyFollower, RunCounter, Status, StoreIdentity, UsageKeeper,
};
use tonearm_signing::Secrets;

use super::Node;
use super::foundation::Foundation;
use crate::background_tasks::{self, CATALOG_KEYS_EVERY};
use crate::services::Services;
use crate::start_error::StartError;
use crate::{metrics, opening};

impl Node {
    /// Opens the catalog and the services on it. Sets `is_other_store` later if the store turns out to belong to another
    /// database.
    pub(super) async fn open_services(
        &mut self,
        foundation: &Foundation<'_>,
        secrets: &Secrets,
        is_other_store: &Arc<AtomicBool>,
    ) -> Result<Services, StartError> {
        let Foundation { config, ambient, blobs, signer, space, .. } = foundation;
        let catalog = opening::catalog_of_service(config, ambient, space).await?;
        opening::warn_of_connections(config, &catalog).await;
        let services = Services::new(
            config,
            ambient,
            catalog.clone(),
            space.clone(),
            secrets,
            signer.clone(),
            &self.public_url,
        )?;
        opening::reseal(config, &services.resealing).await?;
        let identity = StoreIdentity::new(catalog, blobs.clone(), ambient.clone());
        if !opening::check_store(config, &identity).await? {
            let is_other = Arc::clone(is_other_store);
            let checks = background_tasks::check_store(identity, is_other, self.shutdown.clone());
            self.tasks.push(tokio::spawn(checks));
        }
        Ok(services)
    }

    /// Sends heartbeats from now on. Returns the status of the service as this node reports it.
    pub(super) fn register(
        &mut self,
        foundation: &Foundation<'_>,
        services: &Services,
        runs: RunCounter,
    ) -> Status {
        let Foundation { config, ambient, blobs, .. } = foundation;
        let catalog = &services.catalog;
        let node = NodeRecord {
            id: ambient.record_id(),
            name: opening::machine_name(),
            address: self.address.to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            roles: config.roles.iter().map(|role| role.as_str().to_owned()).collect(),
            started_at: ambient.now(),
            clock_ahead_millis: None,
            master_secrets: services.master_secrets.fingerprints().to_vec(),
            recent_runs: PerClass::default(),
        };
        let status = Status::new(catalog.clone(), Some(blobs.clone()), ambient.clone())
            .with_disks(opening::disks(config))
            .with_acme(config.acme.as_ref().map(|terms| terms.names.clone()))
            .of_node(node.id);
        let heartbeat = Heartbeat::new(catalog.clone(), ambient.clone(), node, runs);
        let heartbeats = background_tasks::send_heartbeats(heartbeat, self.drained.clone());
        self.last_tasks.push(tokio::spawn(heartbeats));
        status
    }

    /// Starts the background tasks of every node with a catalog.
    pub(super) fn start_catalog_tasks(&mut self, foundation: &Foundation<'_>, services: &Services) {
        let Foundation { config, ambient, blobs, meter, .. } = foundation;
        let keeper = UsageKeeper::in_catalog(meter.clone(), services.usage.clone());
        let keeper = keeper.leaving_in(opening::unstored_usage(config));
        let (catalog, signer) = (services.catalog.clone(), services.signer.clone());
        if catalog.backend() == Backend::Postgres {
            let stop = self.shutdown.clone();
            let merge = background_tasks::merge_record_counts(catalog.clone(), ambient.clone(), stop);
            self.tasks.push(tokio::spawn(merge));
        }
        let follower = KeyFollower::of_catalog(catalog, blobs.clone(), signer, ambient.clone());
        let stop = || self.shutdown.clone();
        let import = background_tasks::import_usage(services.usage.clone(), blobs.clone(), stop());
        let refresh = background_tasks::refresh_signing_keys(follower, CATALOG_KEYS_EVERY, stop());
        let record = background_tasks::record_master_secret(services.master_secrets.clone(), stop());
        self.tasks.extend([tokio::spawn(import), tokio::spawn(refresh), tokio::spawn(record)]);
        self.last_tasks.push(tokio::spawn(background_tasks::store_usage(keeper, self.drained.clone())));
    }

    /// Starts the background tasks of a node that has only the store.
    pub(super) fn start_store_tasks(&mut self, foundation: &Foundation<'_>) {
        let Foundation { config, ambient, blobs, signer, meter, .. } = foundation;
        let keeper = UsageKeeper::in_store(meter.clone(), blobs.clone(), ambient.clone());
        let keeper = keeper.leaving_in(opening::unstored_usage(config));
        let follower = KeyFollower::of_store(blobs.clone(), signer.clone(), ambient.clone());
        let (every, stop) = (config.key_refresh_interval, self.shutdown.clone());
        self.tasks.push(tokio::spawn(background_tasks::refresh_signing_keys(follower, every, stop)));
        self.last_tasks.push(tokio::spawn(background_tasks::store_usage(keeper, self.drained.clone())));
    }

    /// Serves metrics until all requests are answered, so that they also cover the shutdown of a node.
    pub(super) fn serve_metrics(
        &mut self,
        (listener, address): (TcpListener, SocketAddr),
        foundation: &Foundation<'_>,
        in_files: Option<CertificateEnd>,
    ) {
        let Foundation { config, ambient, .. } = foundation;
        let catalog = self.services.as_ref().map(|services| services.catalog.clone());
        let names = config.acme.as_ref().map(|terms| terms.names.clone());
        let sources =
            metrics::Sources::new(catalog, (in_files, names), ambient.clone(), opening::disks(config));
        self.last_tasks.push(tokio::spawn(metrics::serve(listener, sources, self.drained.clone())));
        self.metrics_address = Some(address);
        tracing::info!(%address, "metrics are at /metrics");
    }
}
