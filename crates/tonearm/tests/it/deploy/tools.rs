//! Checks of the files with the tools that read them, where these are installed.

use std::process::{Command, Output};

use super::{folder, read};

/// Runs a tool if it is installed. `make test` lists the missing ones before the tests, because the output of passing
/// tests is not shown.
fn with(tool: &str, package: &str, arguments: &[&str]) -> Option<Output> {
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    match Command::new(tool).args(arguments).env("PATH", path).output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("{tool} is not there, so it does not check its file: install {package}");
            None
        }
        Err(error) => panic!("{tool}: {error}"),
    }
}

fn words(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[track_caller]
fn accepts(output: Option<Output>) {
    if let Some(output) = output {
        assert!(output.status.success(), "{}", words(&output));
    }
}

/// If a trusted proxy forwarded these headers, clients would decide which requests are recorded.
#[test]
fn proxies_pass_no_traces_of_clients_on() {
    let (nginx, caddy) = (read("nginx/tonearm.conf"), read("caddy/Caddyfile"));
    for header in ["traceparent", "tracestate"] {
        assert!(nginx.contains(&format!("\n        proxy_set_header {header} \"\";\n")), "{nginx}");
        assert!(caddy.contains(&format!("\n\t\theader_up -{header}\n")), "{caddy}");
    }
}

#[test]
fn nginx_accepts_its_configuration() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = tonearm_fixtures::Certificate::make(folder.path());
    let free = || tonearm_fixtures::free_port().to_string();
    // The nginx test binds the addresses, which are in use on some machines.
    let site = read("nginx/tonearm.conf")
        .replace("listen 80;", &format!("listen 127.0.0.1:{};", free()))
        .replace("listen [::]:80;", "")
        .replace("listen 443 ssl", &format!("listen 127.0.0.1:{} ssl", free()))
        .replace("listen [::]:443 ssl http2;", "")
        .replace("/etc/letsencrypt/live/audio.example.com/fullchain.pem", certificate.chain.to_str().unwrap())
        .replace("/etc/letsencrypt/live/audio.example.com/privkey.pem", certificate.key.to_str().unwrap());
    assert!(!site.contains("listen 80") && !site.contains("[::]") && !site.contains("letsencrypt"), "{site}");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (site_path, whole_path) = (at("tonearm.conf"), at("nginx.conf"));
    std::fs::write(&site_path, site).unwrap();
    let whole = format!(
        "pid {}; error_log stderr; events {{}} http {{ access_log off; client_body_temp_path {}; proxy_temp_path {}; \
         fastcgi_temp_path {}; uwsgi_temp_path {}; scgi_temp_path {}; include {site_path}; }}\n",
        at("pid"),
        at("body"),
        at("proxy"),
        at("fastcgi"),
        at("uwsgi"),
        at("scgi"),
    );
    std::fs::write(&whole_path, whole).unwrap();
    accepts(with("nginx", "nginx-light", &["-t", "-q", "-c", &whole_path]));
}

#[test]
fn caddy_accepts_its_configuration_and_passes_on_to_every_node() {
    let path = folder().join("caddy/Caddyfile").display().to_string();
    accepts(with("caddy", "caddy", &["validate", "--adapter", "caddyfile", "--config", &path]));
    // The command with which Compose starts it.
    let script = "UPSTREAMS='tonearm-1:8080 tonearm-2:8080' DOMAIN=audio.example.org exec caddy adapt --adapter caddyfile --config \"$1\"";
    let Some(output) =
        with("caddy", "caddy", &["version"]).and_then(|_| with("sh", "dash", &["-c", script, "sh", &path]))
    else {
        return;
    };
    let adapted = words(&output);
    for expected in ["tonearm-1:8080", "tonearm-2:8080", "audio.example.org", "/readyz"] {
        assert!(adapted.contains(expected), "{expected}: {adapted}");
    }
}

#[test]
fn kubectl_reads_the_overlay() {
    let path = folder().join("kubernetes").display().to_string();
    let Some(output) = with("kubectl", "kubectl", &["kustomize", &path]) else {
        return;
    };
    assert!(output.status.success(), "{}", words(&output));
    let built = words(&output);
    assert!(built.contains("image: registry.example.com/tonearm:0.1.0"), "{built}");
    assert!(!built.contains("image: tonearm\n"), "{built}");
}

#[test]
fn compose_reads_its_file() {
    let Some(version) = with("docker", "docker-compose-plugin", &["compose", "version"]) else {
        return;
    };
    if !version.status.success() {
        eprintln!("docker has no compose, so it does not check its file: install docker-compose-plugin");
        return;
    }
    let path = folder().join("compose.yaml");
    let output = Command::new("docker")
        .args(["compose", "--file", path.to_str().unwrap(), "config", "--quiet"])
        .env("DOMAIN", "audio.example.com")
        .envs(["TONEARM_SECRET", "DATABASE_PASSWORD", "STORE_PASSWORD"].map(|name| (name, "0".repeat(64))))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", words(&output));
}

/// `systemd-analyze` writes its findings to standard error, including those about other units of this machine.
#[test]
fn systemd_accepts_the_units() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (service, socket) = (at("tonearm.service"), at("tonearm.socket"));
    let unit = read("systemd/tonearm.service");
    assert!(unit.contains("ExecStart=/usr/bin/tonearm serve\n"), "{unit}");
    // The program is not installed on this machine.
    std::fs::write(&service, unit.replace("ExecStart=/usr/bin/tonearm serve", "ExecStart=/bin/true"))
        .unwrap();
    std::fs::write(&socket, read("systemd/tonearm.socket")).unwrap();
    let Some(output) = with("systemd-analyze", "systemd", &["verify", "--man=no", &service, &socket]) else {
        return;
    };
    let own = folder.path().to_str().unwrap();
    let said: Vec<String> =
        words(&output).lines().filter(|line| line.contains(own)).map(str::to_owned).collect();
    assert!(said.is_empty(), "{said:#?}");
    // An unknown system call, such as one of a group that this version does not have, would only cause a warning.
    assert!(!words(&output).contains("Unknown system call"), "{}", words(&output));
}

/// The unit must allow everything that the confinement of ffmpeg needs.
#[test]
fn the_unit_allows_what_confinement_needs() {
    let unit = read("systemd/tonearm.service");
    let filter = unit.lines().find_map(|line| line.strip_prefix("SystemCallFilter=")).unwrap();
    for call in [
        "@system-service",
        "seccomp",
        "landlock_create_ruleset",
        "landlock_add_rule",
        "landlock_restrict_self",
    ] {
        assert!(filter.split(' ').any(|allowed| allowed == call), "{call}");
    }
    for forbidden in ["MemoryDenyWriteExecute=yes", "ProcSubset=pid", "ProtectProc="] {
        assert!(!unit.contains(&format!("\n{forbidden}")), "{forbidden}");
    }
    assert!(
        unit.contains("\nOOMPolicy=continue\n"),
        "systemd would stop the service with an ffmpeg that was too large"
    );
}
