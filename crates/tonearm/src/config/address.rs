//! The addresses, trusted proxies and certificate of a node.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::error::ConfigError;
use tonearm_server::TrustedProxies;
use tonearm_server::tls::TlsFiles;

/// Parses the address in the setting with this name.
pub(super) fn parse_listen(setting: &'static str, text: &str) -> Result<SocketAddr, ConfigError> {
    let problem = "is not an address and port such as 127.0.0.1:8080 or [::]:80";
    match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}").parse(),
        None => text.parse(),
    }
    .map_err(|_| ConfigError::new(setting, format!("{text:?} {problem}")))
}

pub(super) fn parse_public_url(text: String) -> Result<String, ConfigError> {
    let url = text.trim_end_matches('/');
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    match host {
        Some(host) if host.contains('/') => {
            let problem = "cannot have a path, because all paths of the service begin at the root of its host; use a host \
                           name of its own, such as https://audio.example.com";
            Err(ConfigError::new("public_url", problem))
        }
        Some(host) if !host.is_empty() && !host.contains(['?', '#', '@', ' ']) => Ok(url.to_owned()),
        _ => Err(ConfigError::new(
            "public_url",
            format!("{text:?} is not a URL such as https://audio.example.com"),
        )),
    }
}

pub(super) fn trusted_proxies(
    networks: Option<Vec<String>>,
    header: Option<String>,
) -> Result<TrustedProxies, ConfigError> {
    let networks = networks.unwrap_or_default();
    let networks = networks.iter().map(|network| network.parse()).collect::<Result<_, String>>();
    let header = header.as_deref().map(str::parse).transpose();
    Ok(TrustedProxies::new(
        networks.map_err(|problem| ConfigError::new("trusted_proxies", problem))?,
        header.map_err(|problem: String| ConfigError::new("forwarded_header", problem))?.unwrap_or_default(),
    ))
}

pub(super) fn tls_files(
    certificates: Option<PathBuf>,
    key: Option<PathBuf>,
) -> Result<Option<TlsFiles>, ConfigError> {
    match (certificates, key) {
        (Some(certificates), Some(key)) => Ok(Some(TlsFiles { certificates, key })),
        (None, None) => Ok(None),
        _ => Err(ConfigError::new("tls_cert", "must be set together with tls_key")),
    }
}
