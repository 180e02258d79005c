//! Checks the certificate that the service orders by ACME.

use tonearm_domain::Ambient;

use super::report::Finding;
use crate::{Config, Services};

const NAME: &str = "certificate";

/// Checks the certificate and its renewal. If the database cannot be reached, nothing is reported here, because the
/// check of the database reports it.
pub(super) async fn certificate(config: &Config, ambient: &Ambient) -> Vec<Finding> {
    if config.acme.is_none() {
        return Vec::new();
    }
    let Ok(services) = Services::open(config, ambient).await else { return Vec::new() };
    let Some(certificates) = services.certificates else { return Vec::new() };
    let Ok(state) = certificates.state().await else { return Vec::new() };
    let names = certificates.names();
    let trouble = state.as_ref().filter(|state| state.failures > 0).map(|state| {
        let reason = state.last_error.as_deref().unwrap_or("a certificate request was not completed");
        let (count, next) = (state.failures, state.order_at);
        let sentence = format!(
            "failed certificate requests: {count}; the last reason: {reason}; the next attempt is at {next}"
        );
        Finding::warning(NAME, sentence)
    });
    let found = match state.and_then(|state| state.issued) {
        Some(issued) if issued.not_after <= ambient.now() => Err(format!(
            "the certificate for {names} has expired at {}; see the log of the service",
            issued.not_after
        )),
        Some(issued) => Ok(format!("for {names} until {}", issued.not_after)),
        None => Err(format!(
            "there is no certificate for {names} yet; port 443 of these names must lead to a node"
        )),
    };
    [Finding::of(NAME, found)].into_iter().chain(trouble).collect()
}
