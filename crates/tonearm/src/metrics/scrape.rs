//! Collects all metrics.

use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, CertificateNames};
use tonearm_service::{CertificateEnd, Disks};
use tonearm_telemetry::{DELIVERY_BUCKETS, Totals, key_list_age, oldest_usage_millis};

use super::jobs::Jobs;
use super::service::Service;
use super::text::Text;
use super::{process, recorder};

/// The sources that are read when metrics are requested.
pub(crate) struct Sources {
    database: Option<(Catalog, Jobs)>,
    service: Service,
    ambient: Ambient,
    disks: Disks,
}

impl Sources {
    /// Takes the catalog, if the node has one; the node's certificate in files and the names that certificates are
    /// ordered for; and the disks that it writes to.
    pub(crate) fn new(
        catalog: Option<Catalog>,
        (in_files, names): (Option<CertificateEnd>, Option<CertificateNames>),
        ambient: Ambient,
        disks: Disks,
    ) -> Self {
        let service = Service::new(catalog.clone(), names, in_files);
        let database = catalog.map(|catalog| (catalog.clone(), Jobs::new(catalog, ambient.clone())));
        Self { database, service, ambient, disks }
    }

    /// All metrics, in the text format.
    pub(super) async fn collect(&self) -> String {
        let totals = Totals::now();
        hand_over(&totals);
        let mut text = Text::after(recorder::render());
        write_traffic(&mut text, &totals);
        if let Some((catalog, jobs)) = &self.database {
            write_database(&mut text, catalog);
            jobs.write(&mut text).await;
        }
        self.service.write(&mut text).await;
        self.write_usage(&mut text);
        self.write_disks(&mut text).await;
        text.family("tonearm_build_info").sample(&[("version", env!("CARGO_PKG_VERSION"))], 1);
        process::write(&mut text);
        text.into_string()
    }

    fn write_usage(&self, text: &mut Text) {
        let now = self.ambient.now().unix_millis();
        let age = oldest_usage_millis().map_or(0, |since| now.saturating_sub(since).max(0));
        text.single("tonearm_usage_oldest_unstored_age_seconds", age as f64 / 1000.0);
        if let Some(age) = key_list_age() {
            text.single("tonearm_signing_key_list_age_seconds", age.as_secs_f64());
        }
    }

    async fn write_disks(&self, text: &mut Text) {
        let found = self.disks.look().await;
        let mut samples = text.family("tonearm_disk_free_bytes");
        for disk in &found {
            samples.sample(&[("place", disk.place.as_str())], disk.free);
        }
        let mut samples = text.family("tonearm_disk_size_bytes");
        for disk in &found {
            samples.sample(&[("place", disk.place.as_str())], disk.size);
        }
    }
}

/// Passes the counts of responses for objects to the recorder, which counts all other requests. Both belong to one
/// metric.
fn hand_over(totals: &Totals) {
    for (status, count) in &totals.answers {
        let status = if *status == 0 { "other".to_owned() } else { status.to_string() };
        ::metrics::counter!("tonearm_http_requests_total", "route" => "delivery", "status" => status)
            .absolute(*count);
    }
}

fn write_traffic(text: &mut Text, totals: &Totals) {
    let mut samples = text.family("tonearm_http_connections");
    for (protocol, count) in &totals.connections {
        let (protocol, tls) = protocol.labels();
        samples.sample(&[("protocol", protocol), ("tls", tls)], count);
    }
    text.single("tonearm_uploads_in_flight", totals.uploads);
    text.single("tonearm_received_bytes_total", totals.bytes_received);
    text.single("tonearm_delivered_bytes_total", totals.bytes_sent);
    let times = &totals.times;
    text.family("tonearm_delivery_duration_seconds").histogram(
        &DELIVERY_BUCKETS,
        &times.within,
        times.count,
        times.seconds,
    );
    let mut samples = text.family("tonearm_cache_requests_total");
    for lookups in &totals.lookups {
        let cache = lookups.cache.as_str();
        samples.sample(&[("cache", cache), ("result", "hit")], lookups.hits);
        samples.sample(&[("cache", cache), ("result", "miss")], lookups.misses);
    }
}

fn write_database(text: &mut Text, catalog: &Catalog) {
    let pools = catalog.pools();
    let mut samples = text.family("tonearm_database_connections");
    for pool in &pools {
        samples.sample(&[("pool", pool.name), ("state", "in_use")], pool.in_use);
        samples.sample(&[("pool", pool.name), ("state", "idle")], pool.idle);
    }
    let mut samples = text.family("tonearm_database_connections_max");
    for pool in &pools {
        samples.sample(&[("pool", pool.name)], pool.most);
    }
    text.single("tonearm_database_statements_total", catalog.queries());
}
