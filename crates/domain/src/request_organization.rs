//! The organization of a request.

use std::sync::{Arc, OnceLock};

use crate::OrganizationId;

/// The organization for which a request acts, once its caller is known. Servers add it to the extensions of a request, to
/// count the response for it.
#[derive(Debug, Clone, Default)]
pub struct RequestOrganization(Arc<OnceLock<OrganizationId>>);

impl RequestOrganization {
    /// Notes the organization of a caller who was authenticated. Without a server, nobody asks for it.
    pub fn note(own: Option<&Self>, id: OrganizationId) {
        if let Some(Self(known)) = own {
            let _ = known.set(id);
        }
    }

    /// The organization; `None` for a stranger.
    pub fn get(&self) -> Option<OrganizationId> {
        self.0.get().copied()
    }
}
