//! What the pages work with.

use axum::extract::FromRef;
use tonearm_domain::Ambient;
use tonearm_service::{
    Audit, Jobs, Library, Links, People, Playback, SigningKeys, Status, Streams, Transcriptions, Uploads,
    Usage, Webhooks,
};

/// What the pages work with. Each takes only the part it needs, through [`FromRef`]. Cheap to clone.
#[derive(Clone)]
pub struct Dashboard {
    /// Lets people in.
    pub people: People,
    /// Manages the signing keys of organizations.
    pub signing_keys: SigningKeys,
    /// Manages what an organization owns.
    pub library: Library,
    /// Takes bytes in.
    pub uploads: Uploads,
    /// Manages webhooks.
    pub webhooks: Webhooks,
    /// Reads the audit log.
    pub audit: Audit,
    /// Tells what was played.
    pub usage: Usage,
    /// Hands out signed URLs.
    pub playback: Playback,
    /// Manages transcription.
    pub transcriptions: Transcriptions,
    /// Makes addresses.
    pub links: Links,
    /// Tells how the service is.
    pub status: Status,
    /// Retries jobs that failed.
    pub jobs: Jobs,
    /// The streams of events that are open.
    pub streams: Streams,
    /// Time and randomness.
    pub ambient: Ambient,
}

impl Dashboard {
    /// Whether people reach it over TLS.
    pub(crate) fn is_https(&self) -> bool {
        self.links.public_url().starts_with("https://")
    }
}

macro_rules! parts {
    ($($field:ident: $part:ty),* $(,)?) => {
        $(impl FromRef<Dashboard> for $part {
            fn from_ref(dashboard: &Dashboard) -> Self {
                dashboard.$field.clone()
            }
        })*
    };
}

parts! {
    people: People,
    library: Library,
    uploads: Uploads,
    playback: Playback,
    links: Links,
    ambient: Ambient,
}
