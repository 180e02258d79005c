//! Checks of the node itself: secret, disks, clock, and how clients reach it.

use std::fs;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::Path;

use hyper::Uri;
use tonearm_domain::Ambient;
use tonearm_signing::{Secrets, Weakness};

use super::report::Finding;
use crate::cli::bytes::shown_bytes;
use crate::config::UnknownVariable;
use crate::{Config, Role, opening};

/// With less free space than this, a busy service soon stops.
const LOW_DISK_BYTES: u64 = 2 << 30;

pub(super) async fn secret(config: &Config) -> Finding {
    let path = config.data_dir.join("secret");
    if let Some(secrets) = &config.secrets {
        return strength(secrets, "it is set in the configuration");
    }
    for required in [opening::require_secret(config), opening::require_recorded_secret(config).await] {
        if let Err(error) = required {
            return Finding::failed("secret", error.to_string());
        }
    }
    let shown = path.display();
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Finding::not_yet("secret", shown);
        }
        Err(error) => return Finding::failed("secret", format!("cannot read {shown}: {error}")),
    };
    match Secrets::parse(&text) {
        Err(error) => Finding::failed("secret", format!("{shown}: {error}")),
        Ok(secrets) => strength(&secrets, &format!("it is in {shown}")),
    }
}

fn strength(secrets: &Secrets, place: &str) -> Finding {
    let advice = "replace it with the output of `openssl rand -hex 32`, as docs/signed-urls.md describes";
    match secrets.weakness() {
        None => Finding::ok("secret", place),
        Some((number, Weakness::Example)) => Finding::failed(
            "secret",
            format!(
                "master secret number {number} is an example from the documentation, so anyone can sign URLs; {advice}"
            ),
        ),
        Some((number, Weakness::Guessable)) => {
            Finding::warning("secret", format!("master secret number {number} looks guessable; {advice}"))
        }
    }
}

pub(super) fn exposed_secrets(config: &Config) -> Vec<Finding> {
    crate::secret::exposed(config).into_iter().map(|reason| Finding::warning("secrets", reason)).collect()
}

/// Variables that are probably misspelt.
pub(super) fn ignored_variables() -> Vec<Finding> {
    let finding = |UnknownVariable { name, meant }| {
        let meant = meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"));
        Finding::warning("environment", format!("{name} is ignored: there is no such setting{meant}"))
    };
    UnknownVariable::all().into_iter().map(finding).collect()
}

/// Checks the free space of the folders that are written to, once for each file system.
pub(super) fn disks(config: &Config) -> Vec<Finding> {
    let database = config.database_url.sqlite_path().and_then(Path::parent);
    let mut folders: Vec<&Path> = [Some(config.data_dir.as_path()), database, config.storage_url.folder()]
        .into_iter()
        .flatten()
        .collect();
    let mut systems = Vec::new();
    // A folder that does not exist yet is not a problem of the disk.
    folders.retain(|folder| match rustix::fs::stat(*folder) {
        Ok(found) if systems.contains(&found.st_dev) => false,
        Ok(found) => {
            systems.push(found.st_dev);
            true
        }
        Err(_) => false,
    });
    let shortage = opening::space(config).shortage();
    let shortage = shortage.map(|short| {
        Finding::failed("disk", format!("{short}; free some space: nothing can be added until then"))
    });
    folders.into_iter().map(disk).chain(shortage).collect()
}

fn disk(folder: &Path) -> Finding {
    let stat = match rustix::fs::statvfs(folder) {
        Ok(stat) => stat,
        Err(error) => return Finding::failed("disk", format!("{}: {error}", folder.display())),
    };
    let free = stat.f_bavail.saturating_mul(stat.f_frsize);
    let found = format!("{} free at {}", shown_bytes(free), folder.display());
    if free < LOW_DISK_BYTES {
        Finding::failed("disk", format!("{found}; free some space: at least 2 GiB are required"))
    } else {
        Finding::ok("disk", found)
    }
}

/// Signed URLs need clocks that agree. This check can only find a clock that is obviously wrong.
pub(super) fn clock(ambient: &Ambient) -> Finding {
    let now = ambient.now();
    let found = match "2026-01-01T00:00:00Z".parse() {
        Ok(earliest) if now < earliest => {
            Err(format!("{now} is in the past; set the clock, preferably with NTP"))
        }
        Ok(_) => Ok(now.to_string()),
        Err(_) => Err("it cannot be checked".to_owned()),
    };
    Finding::of("clock", found)
}

/// Whether this user can listen where the configuration says.
pub(super) fn listening(config: &Config) -> Finding {
    let address = config.listen;
    match std::net::TcpListener::bind(address) {
        Ok(_) => Finding::ok("listen", format!("{address} is free")),
        Err(error) => cannot_listen(address, error.kind(), &error),
    }
}

fn cannot_listen(address: SocketAddr, kind: ErrorKind, error: &dyn std::error::Error) -> Finding {
    match kind {
        ErrorKind::AddrInUse => Finding::ok(
            "listen",
            format!("{address} is in use: by this service if it runs, otherwise by another program"),
        ),
        ErrorKind::PermissionDenied => Finding::warning(
            "listen",
            format!(
                "this user cannot listen on {address}: choose a port from 1024 on, let systemd open the socket, or give the \
                 service CAP_NET_BIND_SERVICE"
            ),
        ),
        ErrorKind::AddrNotAvailable => Finding::failed(
            "listen",
            format!("this machine does not have the address of {address}; correct `listen`"),
        ),
        _ => Finding::failed("listen", format!("cannot listen on {address}: {error}")),
    }
}

/// How clients reach the node, as far as its configuration tells.
pub(super) fn proxies(config: &Config) -> Vec<Finding> {
    let mut findings = Vec::new();
    // All clients of a proxy that is not trusted appear with the proxy's address.
    if let Some(reason) = config.untrusted_proxy().filter(|_| config.has_role(Role::Api)) {
        findings.push(Finding::warning(
            "proxies",
            format!(
                "{reason}, so there must be a proxy: add its address to trusted_proxies, or rate limits and sign-in \
                 throttling will treat all its clients as one"
            ),
        ));
    }
    if !config.trusted_proxies.is_empty() && config.public_url.is_none() && config.has_role(Role::Api) {
        let url = opening::public_url(config, config.listen);
        findings.push(Finding::warning(
            "proxies",
            format!(
                "there are trusted_proxies, but no public_url, so all URLs begin with {url}: set public_url to where clients \
                 reach the proxy"
            ),
        ));
    }
    if let Some(network) = config.trusted_proxies.of_everybody() {
        findings.push(Finding::warning(
            "proxies",
            format!(
                "trusted_proxies has {network}, so clients can pretend to have any address: name only the proxies' own"
            ),
        ));
    }
    if let Some(url) = config.unencrypted_url().filter(|_| config.has_role(Role::Api)) {
        findings.push(Finding::warning(
            "https",
            format!("clients use {url}, so others on the network can read API keys and passwords: use HTTPS"),
        ));
    }
    findings
}

impl Config {
    /// The public URL, if clients reach it through a network without TLS.
    fn unencrypted_url(&self) -> Option<&str> {
        let text = self.public_url.as_deref()?;
        let url: Uri = text.parse().ok()?;
        let is_http = url.scheme_str() == Some("http");
        (is_http && !crate::config::is_loopback(url.host()?)).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::cli::doctor::report::Verdict;

    #[test]
    fn where_a_service_cannot_listen_is_told() {
        let address: SocketAddr = "192.0.2.1:80".parse().unwrap();
        // No machine has an address for documentation.
        let error = std::net::TcpListener::bind(address).unwrap_err();
        let finding = cannot_listen(address, error.kind(), &error);
        assert_eq!(finding.verdict, Verdict::Failed);
        assert!(finding.sentence.contains("192.0.2.1:80; correct `listen`"), "{}", finding.sentence);
        let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = taken.local_addr().unwrap();
        let error = std::net::TcpListener::bind(address).unwrap_err();
        assert_eq!(cannot_listen(address, error.kind(), &error).verdict, Verdict::Ok);
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let finding = cannot_listen("[::]:80".parse().unwrap(), denied.kind(), &denied);
        assert_eq!(finding.verdict, Verdict::Warning);
    }
}
