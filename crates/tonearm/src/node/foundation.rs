//! What all roles of a node build on: configuration, clock, store, signer and counters.

use tonearm_blobs::Blobs;
use tonearm_domain::{Ambient, Meter};
use tonearm_edge::{Edge, EdgeConfig, OrganizationHosts};
use tonearm_service::Space;
use tonearm_signing::{Secrets, UrlSigner};

use crate::start_error::StartError;
use crate::{Config, Role, opening};

/// What all roles of a node build on.
pub(super) struct Foundation<'a> {
    pub(super) config: &'a Config,
    pub(super) ambient: Ambient,
    pub(super) blobs: Blobs,
    pub(super) signer: UrlSigner,
    pub(super) meter: Meter,
    pub(super) space: Space,
}

impl<'a> Foundation<'a> {
    pub(super) fn new(config: &'a Config, ambient: &Ambient, secrets: &Secrets, blobs: Blobs) -> Self {
        let signer = opening::signer(config, secrets);
        Self {
            config,
            ambient: ambient.clone(),
            blobs,
            signer,
            meter: Meter::new(),
            space: opening::space(config),
        }
    }

    /// The service that delivers files, on a node with the role `edge`.
    pub(super) fn edge(&self) -> Result<Option<Edge>, StartError> {
        let countries = opening::countries(self.config)?;
        if !self.config.has_role(Role::Edge) {
            return Ok(None);
        }
        let (blobs, signer) = (self.blobs.clone(), self.signer.clone());
        let edge = Edge::new(blobs, signer, self.ambient.clone(), EdgeConfig::default())
            .with_meter(self.meter.clone())
            .with_countries(countries)
            .with_organization_hosts(organization_hosts(self.config));
        Ok(Some(edge))
    }
}

/// The host names of organizations, if the delivery URL gives each its own.
fn organization_hosts(config: &Config) -> Option<OrganizationHosts> {
    let (before, after) = config.delivery_url.as_ref()?.around_organization()?;
    Some(OrganizationHosts::new(before, after))
}
