//! Looks up names, and checks the addresses with the guard.

use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::guard::{Guard, GuardError};

/// Resolves names to addresses: the system's resolver in the service, a table in tests.
#[async_trait]
pub trait Names: Send + Sync {
    /// Every address of a name; the port is 0.
    async fn look_up(&self, name: &str) -> std::io::Result<Vec<SocketAddr>>;
}

/// The system's resolver.
pub(crate) struct SystemNames;

#[async_trait]
impl Names for SystemNames {
    async fn look_up(&self, name: &str) -> std::io::Result<Vec<SocketAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.collect())
    }
}

/// A name is looked up once for each connection, and the connection goes to exactly the addresses that were checked. So
/// a name whose addresses change in between does not get past the guard.
#[derive(Clone)]
pub(crate) struct GuardedNames {
    pub(crate) names: Arc<dyn Names>,
    pub(crate) guard: Guard,
}

impl Resolve for GuardedNames {
    fn resolve(&self, name: Name) -> Resolving {
        let this = self.clone();
        Box::pin(async move {
            let name = name.as_str();
            let resolved = this.names.look_up(name).await;
            let addresses = resolved.map_err(|_| GuardError::Unresolvable(name.to_owned()))?;
            let addresses = this.guard.check_addresses(name, addresses)?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}
