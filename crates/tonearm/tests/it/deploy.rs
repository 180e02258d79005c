//! The files in `deploy`. Their settings are settings of this program, their parts fit together, and the tools that
//! read them accept them.

mod kubernetes;
mod tools;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tonearm::{Config, Overrides};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

fn read(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The documents of a YAML file.
fn documents(name: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(&read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The environment variables of the program, as derived from the settings in the commented file.
fn variables() -> BTreeSet<String> {
    let mut section = String::new();
    let mut found: BTreeSet<String> = ["TONEARM_CONFIG", "TONEARM_DATA_DIR"].map(str::to_owned).into();
    for line in include_str!("../../../../tonearm.toml").lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = format!("{name}_");
        } else if let Some((name, _)) = line.strip_prefix('#').and_then(|line| line.split_once(" = "))
            && !name.contains(' ')
        {
            found.insert(format!("TONEARM_{section}{name}").to_uppercase());
        }
    }
    found
}

/// The words in a text that begin like a variable of the program.
fn named_in(text: &str) -> BTreeSet<String> {
    let is_of_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    let names = text.split(|c| !is_of_name(c)).filter(|word| word.starts_with("TONEARM_"));
    names.map(str::to_owned).collect()
}

fn files_under(folder: &Path) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap);
    entries.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path).collect()
}

#[test]
fn every_variable_is_one_of_the_program() {
    let known = variables();
    assert!(known.contains("TONEARM_ROLES") && known.contains("TONEARM_EDGE_DISK_CACHE"), "{known:?}");
    let mut named = BTreeSet::new();
    for path in files_under(&folder()) {
        let text = std::fs::read_to_string(&path).unwrap();
        for name in named_in(&text) {
            assert!(known.contains(&name), "{} names {name}", path.display());
            named.insert(name);
        }
    }
    for name in ["TONEARM_ROLES", "TONEARM_DATABASE_URL", "TONEARM_TRUSTED_PROXIES", "TONEARM_TLS_KEY"] {
        assert!(named.contains(name), "{name} is not found: this test is blind");
    }
}

/// Fails unless the program accepts these variables. Returns the resulting configuration.
fn accepted(variables: &BTreeMap<String, String>) -> Config {
    let known = self::variables();
    for name in variables.keys() {
        assert!(!name.starts_with("TONEARM_") || known.contains(name), "{name}");
    }
    let overrides = Overrides { data_dir: Some("/nonexistent".into()), ..Overrides::default() };
    Config::load(&overrides, |name| variables.get(name).cloned())
        .unwrap_or_else(|error| panic!("{error}: {variables:?}"))
}

/// Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?reason}` as Compose does, with a placeholder where no value is
/// given.
fn substituted(text: &str) -> String {
    let Some((before, rest)) = text.split_once("${") else {
        return text.to_owned();
    };
    let (variable, after) = rest.split_once('}').expect("a variable ends");
    let value = match (variable.split_once(":-"), variable.split(':').next()) {
        (Some((_, default)), _) => default,
        (None, Some("DOMAIN")) => "audio.example.com",
        _ => "0123456789abcdef0123456789abcdef",
    };
    format!("{before}{value}{}", substituted(after))
}

#[test]
fn compose_starts_two_nodes_on_one_database_and_bucket() {
    let compose = documents("compose.yaml").remove(0);
    let services = compose["services"].as_object().unwrap();
    let environment = |service: &str| -> BTreeMap<String, String> {
        let named = services[service]["environment"].as_object().unwrap_or_else(|| panic!("{service}"));
        named.iter().map(|(name, value)| (name.clone(), substituted(value.as_str().unwrap()))).collect()
    };
    let nodes: Vec<Config> =
        ["tonearm-1", "tonearm-2", "migrate"].map(environment).iter().map(accepted).collect();
    for node in &nodes {
        assert!(node.storage_url.is_bucket() && node.database_url.sqlite_path().is_none());
        assert!(node.secrets.is_some());
        assert_eq!(node.public_url.as_deref(), Some("https://audio.example.com"));
    }
    // Metrics are exposed inside the network only.
    assert!(nodes.iter().all(|node| node.metrics_listen.is_some_and(|listen| listen.port() == 9464)));
    for (name, service) in services {
        let published = service["ports"].as_array().into_iter().flatten().filter_map(Value::as_str);
        assert!(published.clone().all(|port| name == "caddy" && !port.contains("9464")), "{name}");
    }
    assert_eq!(services["migrate"]["command"], serde_json::json!(["migrate"]));
    // The time that the longest stop needs: for the delay, the open requests and the last counts.
    let longest = nodes[0].shutdown_delay + nodes[0].server_limits.drain + std::time::Duration::from_secs(10);
    let grace = services["tonearm-1"]["stop_grace_period"].as_str().unwrap().trim_end_matches('s');
    assert!(grace.parse::<u64>().unwrap() > longest.as_secs());
    // Each service waits for services that exist, keeps its data in declared volumes, and sends requests to nodes that
    // exist.
    for (name, service) in services {
        let needed: Vec<&str> = match &service["depends_on"] {
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            Value::Object(names) => names.keys().map(String::as_str).collect(),
            _ => Vec::new(),
        };
        for other in needed {
            assert!(services.contains_key(other), "{name} waits for {other}");
        }
        for volume in service["volumes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let (source, _) = volume.split_once(':').unwrap();
            let is_there = match source.strip_prefix("./") {
                Some(file) => folder().join(file).is_file(),
                None => compose["volumes"].as_object().unwrap().contains_key(source),
            };
            assert!(is_there, "{name} mounts {source}");
        }
    }
    for upstream in services["caddy"]["environment"]["UPSTREAMS"].as_str().unwrap().split(' ') {
        let (host, port) = upstream.split_once(':').unwrap();
        assert!(services.contains_key(host), "{upstream}");
        assert_eq!(port, "8080");
    }
    let subnet = compose["networks"]["default"]["ipam"]["config"][0]["subnet"].as_str().unwrap();
    assert_eq!(environment("tonearm-1")["TONEARM_TRUSTED_PROXIES"], subnet);
}

/// Other tags can move to another image at any time.
#[test]
fn every_image_of_compose_has_a_version() {
    let compose = documents("compose.yaml").remove(0);
    for (name, service) in compose["services"].as_object().unwrap() {
        let image = substituted(service["image"].as_str().unwrap_or_else(|| panic!("{name} has no image")));
        let tag = image.rsplit_once(':').map_or("", |(_, tag)| tag);
        let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let version = tag.trim_start_matches('v');
        assert!(version.contains('.') && version.split('.').all(is_number), "{name}: {image}");
    }
}

/// There are two ways to build the image. Users must not see a difference.
#[test]
fn both_images_start_the_same() {
    let file = read("Containerfile");
    let script = std::fs::read_to_string(folder().join("../tools/package/image")).unwrap();
    assert_eq!(named_in(&file), named_in(&script));
    for same in
        ["10001:10001", "/usr/bin/tonearm\", \"health\"", "TONEARM_LISTEN=0.0.0.0:8080", "/var/lib/tonearm"]
    {
        assert!(file.contains(same) && script.contains(same), "{same}");
    }
}
