//! Pictures of a podcast.

use std::fmt::Display;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use tonearm_outbound::{FetchLimits, Outbound};
use url::Url;

use super::for_this_command;

/// The largest picture that is fetched, in bytes. The service has a limit of its own.
const LARGEST: u64 = 20 << 20;

/// Fetches pictures, from public addresses only unless `--allow-private` is given: the author of a feed must not reach
/// private addresses through this computer.
#[derive(Clone)]
pub(super) struct Art {
    outbound: Outbound,
}

impl Art {
    pub(super) fn new(outbound: Outbound) -> Self {
        Self { outbound }
    }

    /// Fetches a picture. An error is a sentence.
    pub(super) async fn fetch(&self, url: &Url) -> Result<Bytes, String> {
        let limits = FetchLimits {
            max_bytes: LARGEST,
            total: Duration::from_secs(120),
            spent: Duration::ZERO,
            patience: Duration::from_secs(30),
            ..FetchLimits::of_file(LARGEST)
        };
        let failed =
            |error: &dyn Display| format!("the picture cannot be fetched: {}", for_this_command(error));
        let mut fetched = self.outbound.fetch(url.as_str(), limits).await.map_err(|error| failed(&error))?;
        let mut picture = BytesMut::new();
        while let Some(chunk) = fetched.body.next().await {
            picture.extend_from_slice(&chunk.map_err(|error| failed(&error))?);
        }
        Ok(picture.freeze())
    }
}
