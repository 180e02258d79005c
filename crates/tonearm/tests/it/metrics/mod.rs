//! The metrics that a node exposes to Prometheus.

mod counted;
mod listed;
mod listening;
mod series;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use tonearm::Node;
use tonearm_fixtures::EVENTUALLY;
use tonearm_testkit::{Backend, TestServer};

/// Serves metrics on any free port.
const ON: (&str, &str) = ("TONEARM_METRICS_LISTEN", "127.0.0.1:0");

async fn start(backend: Backend) -> TestServer {
    TestServer::start_with(backend, &[ON]).await
}

/// The URL of a node's metrics.
fn url(node: &Node) -> String {
    format!("http://{}/metrics", node.metrics_address().unwrap())
}

/// The metrics of a node, as text.
struct Scrape(String);

impl Scrape {
    async fn of(node: &Node) -> Self {
        let answer = reqwest::get(url(node)).await.unwrap();
        assert_eq!(answer.status(), 200);
        assert_eq!(answer.headers()["content-type"], "text/plain; version=0.0.4; charset=utf-8");
        Self(answer.text().await.unwrap())
    }

    /// The first scrape for which a condition is true.
    async fn once(node: &Node, what: &str, is_true: impl Fn(&Self) -> bool) -> Self {
        let begun = Instant::now();
        loop {
            let scrape = Self::of(node).await;
            if is_true(&scrape) {
                return scrape;
            }
            assert!(begun.elapsed() < EVENTUALLY, "not in time: {what}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Every series with its value.
    fn series(&self) -> BTreeMap<&str, f64> {
        let samples = self.0.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut series = BTreeMap::new();
        for line in samples {
            let (name, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
            let twice = series.insert(name, value.parse().unwrap_or_else(|_| panic!("{line}")));
            assert_eq!(twice, None, "{name} is told twice");
        }
        series
    }

    /// The types of the metrics, by name. Each has one, and a help text, before its first series.
    fn types(&self) -> BTreeMap<&str, &str> {
        let mut types = BTreeMap::new();
        for line in self.0.lines().filter_map(|line| line.strip_prefix("# TYPE ")) {
            let (name, kind) = line.split_once(' ').unwrap();
            assert_eq!(types.insert(name, kind), None, "{name} has two types");
            assert!(self.0.contains(&format!("# HELP {name} ")), "{name} has no help");
        }
        types
    }

    /// The value of one series, or 0 if there is no such series.
    fn value(&self, series: &str) -> f64 {
        self.series().get(series).copied().unwrap_or(0.0)
    }

    /// The sum of all series that begin with this text.
    fn sum(&self, beginning: &str) -> f64 {
        self.series().iter().filter(|(name, _)| name.starts_with(beginning)).map(|(_, value)| value).sum()
    }

    /// The names of the labels of a metric's series, without the limits of histogram buckets.
    fn labels(&self, metric: &str) -> BTreeSet<String> {
        let mut labels = BTreeSet::new();
        for name in self.series().into_keys() {
            let Some((own, rest)) = name.split_once('{') else { continue };
            if own == metric || own.strip_suffix("_bucket") == Some(metric) {
                let parts = rest.trim_end_matches('}').split("\",").filter_map(|part| part.split_once("=\""));
                labels.extend(parts.map(|(label, _)| label.to_owned()).filter(|label| label != "le"));
            }
        }
        labels
    }
}
