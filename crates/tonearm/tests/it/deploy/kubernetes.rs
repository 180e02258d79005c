//! The manifests: each selector matches something, and each role gets settings that it accepts.

use std::collections::BTreeMap;

use serde_json::Value;
use tonearm::Role;

use super::{accepted, documents, files_under, folder};

fn manifests() -> Vec<Value> {
    let mut found = Vec::new();
    for path in files_under(&folder().join("kubernetes")) {
        let name = path.strip_prefix(folder()).unwrap().to_str().unwrap().to_owned();
        found.extend(documents(&name));
    }
    assert!(found.len() > 15, "{}", found.len());
    found
}

fn of_kind<'a>(manifests: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let found: Vec<&Value> = manifests.iter().filter(|manifest| manifest["kind"] == kind).collect();
    assert!(!found.is_empty(), "there is no {kind}");
    found
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    crate::text(value, pointer)
}

fn named<'a>(manifests: &'a [Value], kind: &str, name: &str) -> &'a Value {
    let mut of_kind = of_kind(manifests, kind).into_iter();
    of_kind
        .find(|manifest| manifest["metadata"]["name"] == name)
        .unwrap_or_else(|| panic!("no {kind} is called {name}"))
}

/// The environment variables of a container, as Kubernetes assembles them.
fn environment(manifests: &[Value], container: &Value) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for source in container["envFrom"].as_array().unwrap() {
        let (values, name) = match source.get("configMapRef") {
            Some(map) => (named(manifests, "ConfigMap", text(map, "/name"))["data"].clone(), "ConfigMap"),
            None => {
                let name = text(source, "/secretRef/name");
                (named(manifests, "Secret", name)["stringData"].clone(), "Secret")
            }
        };
        for (variable, value) in values.as_object().unwrap_or_else(|| panic!("{name} is empty")) {
            let value = value.as_str().unwrap_or_else(|| panic!("{variable} of a {name} must be quoted"));
            found.insert(variable.clone(), value.to_owned());
        }
    }
    for variable in container["env"].as_array().into_iter().flatten() {
        found.insert(text(variable, "/name").to_owned(), text(variable, "/value").to_owned());
    }
    // Set by the image.
    found.insert("TONEARM_LISTEN".to_owned(), "0.0.0.0:8080".to_owned());
    found
}

#[test]
fn each_role_starts_with_the_settings_that_it_needs() {
    let manifests = manifests();
    let mut roles = Vec::new();
    for deployment in of_kind(&manifests, "Deployment") {
        let pod = &deployment["spec"]["template"]["spec"];
        let container = &pod["containers"][0];
        let variables = environment(&manifests, container);
        let config = accepted(&variables);
        assert_eq!(config.roles.len(), 1);
        let name = text(deployment, "/metadata/name");
        assert_eq!(name, format!("tonearm-{}", variables["TONEARM_ROLES"]));
        assert!(config.storage_url.is_bucket() && config.secrets.is_some(), "{name}");
        let has_database = variables.contains_key("TONEARM_DATABASE_URL");
        assert_eq!(
            has_database,
            config.needs_catalog(),
            "{name}: an edge must not have the database's password"
        );
        let port = container["ports"][0]["containerPort"].as_u64().unwrap();
        assert_eq!(u64::from(config.listen.port()), port);
        let metrics = u64::from(config.metrics_listen.unwrap().port());
        assert_eq!(
            container["ports"][1],
            serde_json::json!({ "name": "metrics", "containerPort": metrics }),
            "{name}"
        );
        let annotations = &deployment["spec"]["template"]["metadata"]["annotations"];
        assert_eq!(text(annotations, "/prometheus.io~1port"), metrics.to_string(), "{name}");
        let grace = pod["terminationGracePeriodSeconds"].as_u64().unwrap();
        let longest = (config.shutdown_delay + config.server_limits.drain).as_secs() + 10;
        assert!(grace > longest, "{name}: {grace} seconds are less than {longest}");
        assert_eq!(container["args"], serde_json::json!(["serve"]));
        roles.extend(config.roles);
    }
    for role in [Role::Api, Role::Worker, Role::Edge] {
        assert!(roles.contains(&role), "{role:?}");
    }
    let job = named(&manifests, "Job", "tonearm-migrate");
    let container = &job["spec"]["template"]["spec"]["containers"][0];
    assert!(accepted(&environment(&manifests, container)).database_url.sqlite_path().is_none());
    assert_eq!(container["args"], serde_json::json!(["migrate"]));
}

#[test]
fn metrics_are_read_from_one_namespace_only() {
    let manifests = manifests();
    for service in of_kind(&manifests, "Service") {
        assert_eq!(service["spec"]["ports"].as_array().unwrap().len(), 1, "{service}");
    }
    let policies = of_kind(&manifests, "NetworkPolicy");
    let mut ports = Vec::new();
    for rule in policies.iter().flat_map(|policy| policy["spec"]["ingress"].as_array().into_iter().flatten())
    {
        assert_eq!(rule["from"].as_array().unwrap().len(), 1, "{rule}");
        assert!(rule["from"][0]["namespaceSelector"].is_object(), "{rule}");
        ports.extend(rule["ports"].as_array().unwrap().iter().map(|port| text(port, "/port")));
    }
    ports.sort_unstable();
    assert_eq!(ports, ["http", "metrics"]);
    let policy = named(&manifests, "NetworkPolicy", "tonearm-metrics");
    let roles = &policy["spec"]["podSelector"]["matchExpressions"][0]["values"];
    assert_eq!(roles, &serde_json::json!(["api", "worker", "edge"]));
}

#[test]
fn pods_are_probed_confined_and_may_write_to_their_data_only() {
    let manifests = manifests();
    let jobs = of_kind(&manifests, "Job");
    for owner in of_kind(&manifests, "Deployment").into_iter().chain(jobs) {
        let pod = &owner["spec"]["template"]["spec"];
        let container = &pod["containers"][0];
        assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
        assert_eq!(pod["securityContext"]["runAsUser"], 10001);
        assert_eq!(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
        assert_eq!(pod["automountServiceAccountToken"], false);
        assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true);
        assert_eq!(container["securityContext"]["allowPrivilegeEscalation"], false);
        assert_eq!(container["securityContext"]["capabilities"]["drop"], serde_json::json!(["ALL"]));
        assert!(container["resources"]["limits"]["memory"].is_string());
        let volumes: Vec<&str> =
            pod["volumes"].as_array().unwrap().iter().map(|volume| text(volume, "/name")).collect();
        let mounts = container["volumeMounts"].as_array().unwrap();
        assert!(mounts.iter().any(|mount| mount["mountPath"] == "/var/lib/tonearm"));
        for mount in mounts {
            assert!(volumes.contains(&text(mount, "/name")), "{mount}");
        }
        if owner["kind"] == "Deployment" {
            for (probe, path) in
                [("livenessProbe", "/healthz"), ("readinessProbe", "/readyz"), ("startupProbe", "/healthz")]
            {
                assert_eq!(container[probe]["httpGet"]["path"], path);
                assert_eq!(container[probe]["httpGet"]["port"], container["ports"][0]["name"]);
            }
        }
    }
}

#[test]
fn what_selects_selects_something() {
    let manifests = manifests();
    let deployments = of_kind(&manifests, "Deployment");
    let labels: Vec<&Value> =
        deployments.iter().map(|deployment| &deployment["spec"]["template"]["metadata"]["labels"]).collect();
    let matches = |wanted: &Value, labels: &Value| {
        wanted.as_object().unwrap().iter().all(|(key, value)| labels[key] == *value)
    };
    let matched = |wanted: &Value| labels.iter().filter(|labels| matches(wanted, labels)).count();
    for deployment in &deployments {
        assert_eq!(matched(&deployment["spec"]["selector"]["matchLabels"]), 1);
        let name = text(deployment, "/metadata/name");
        let budget = named(&manifests, "PodDisruptionBudget", name);
        assert_eq!(budget["spec"]["selector"]["matchLabels"], deployment["spec"]["selector"]["matchLabels"]);
        let autoscaler = named(&manifests, "HorizontalPodAutoscaler", name);
        assert_eq!(text(autoscaler, "/spec/scaleTargetRef/name"), name);
        assert!(autoscaler["spec"]["minReplicas"].as_u64().unwrap() >= 2, "one may be replaced at a time");
    }
    for service in of_kind(&manifests, "Service") {
        assert_eq!(matched(&service["spec"]["selector"]), 1, "{service}");
        assert_eq!(service["spec"]["ports"][0]["targetPort"], "http");
    }
    for ingress in of_kind(&manifests, "Ingress") {
        for rule in ingress["spec"]["rules"].as_array().unwrap() {
            let backend = &rule["http"]["paths"][0]["backend"]["service"];
            let service = named(&manifests, "Service", text(backend, "/name"));
            assert_eq!(backend["port"]["name"], service["spec"]["ports"][0]["name"]);
        }
    }
    let kinds = ["api", "worker", "edge", "migrate"];
    for policy in of_kind(&manifests, "NetworkPolicy") {
        let selector = &policy["spec"]["podSelector"];
        for expression in selector["matchExpressions"].as_array().into_iter().flatten() {
            for value in expression["values"].as_array().unwrap() {
                assert!(kinds.contains(&value.as_str().unwrap()), "{policy}");
            }
        }
        if let Some(wanted) = selector.get("matchLabels") {
            assert!(matched(wanted) > 0, "{policy}");
        }
    }
}

#[test]
fn the_overlay_has_every_manifest_that_is_to_stay() {
    let overlay = documents("kubernetes/kustomization.yaml").remove(0);
    let listed: Vec<&str> =
        overlay["resources"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    let apart = ["kustomization.yaml", "secret.example.yaml", "migrate.yaml"];
    for path in files_under(&folder().join("kubernetes")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(listed.contains(&name) != apart.contains(&name), "{name}");
    }
    for name in listed {
        assert!(folder().join("kubernetes").join(name).is_file(), "{name}");
    }
}
