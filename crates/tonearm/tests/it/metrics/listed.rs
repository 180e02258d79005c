//! The documentation of metrics matches the metrics that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_testkit::Backend;

use super::{Scrape, start};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of the table of metrics: type and labels, by name.
fn documented() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let text = read("docs/operations.md");
    let rows = text.lines().skip_while(|line| !line.starts_with("| Metric | Type | Labels")).skip(2);
    let mut found = BTreeMap::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let &[name, kind, labels, _] = &cells[..] else { panic!("{row}") };
        let labels = labels.split(", ").filter_map(|label| label.strip_prefix('`')?.strip_suffix('`'));
        let row = (kind.to_owned(), labels.map(str::to_owned).collect());
        found.insert(name.trim_matches('`').to_owned(), row);
    }
    found
}

/// The names of metrics in a text.
fn named(text: &str) -> BTreeSet<String> {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_');
    let is_name = |word: &&str| word.starts_with("tonearm_") || word.starts_with("process_");
    words.filter(is_name).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_metric_is_documented_and_every_documented_one_is_there() {
    let server = start(Backend::Embedded).await;
    let client = &server.client;
    let collection = client.collection("Measured").await;
    let id = client.upload(&collection, "a.wav", wav(&WavSpec::default())).await;
    client.settled(&id).await;
    let scrape = Scrape::of(&server.node).await;
    let (documented, types) = (documented(), scrape.types());
    let names: Vec<&str> = documented.keys().map(String::as_str).collect();
    assert_eq!(names, types.keys().copied().collect::<Vec<_>>());
    for (name, (kind, labels)) in &documented {
        assert_eq!(types[name.as_str()], kind, "{name}");
        let told = scrape.labels(name);
        // A metric may have no series yet. A metric with series has all labels.
        assert!(told.is_empty() || told == *labels, "{name}: {told:?}, documented {labels:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_dashboard_and_the_alerts_name_metrics_that_there_are() {
    let server = start(Backend::Embedded).await;
    let scrape = Scrape::of(&server.node).await;
    let types = scrape.types();
    let is_told = |name: &str| {
        let of_histogram = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        types.contains_key(name) || of_histogram.is_some_and(|name| types.get(name) == Some(&"histogram"))
    };
    let dashboard = read("deploy/grafana/tonearm.json");
    let parsed: serde_json::Value = serde_json::from_str(&dashboard).unwrap();
    let rows = parsed["panels"].as_array().unwrap().iter().filter(|panel| panel["type"] == "row");
    let rows: Vec<&str> = rows.filter_map(|row| row["title"].as_str()).collect();
    assert_eq!(rows, ["Traffic", "Delivery", "Processing", "Database and store", "Machine"]);
    for (file, text) in [("dashboard", dashboard), ("alerts", read("deploy/prometheus/tonearm.rules.yml"))] {
        let named = named(&text);
        assert!(named.len() > 10, "{file}: {named:?}");
        for name in named {
            assert!(is_told(&name), "{file}: {name}");
        }
    }
}

#[test]
fn prometheus_understands_the_alerts() {
    // The script reports it if promtool is not installed.
    let checked = Command::new(repository().join("tools/check-rules")).status().unwrap();
    assert!(checked.success());
}
