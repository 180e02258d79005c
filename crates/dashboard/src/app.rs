//! The services behind the pages.

use axum::extract::FromRef;
use tonearm_domain::Ambient;
use tonearm_service::{
    Audit, IdempotentAnswers, Jobs, Library, Links, People, Playback, SigningKeys, Status, Streams,
    Transcriptions, Uploads, Usage, Webhooks,
};

/// The services behind the pages. Each page takes only the part it needs, through [`FromRef`]. Cheap to clone.
#[derive(Clone)]
pub struct Dashboard {
    /// Manages accounts, sign-ins and memberships.
    pub people: People,
    /// Manages the signing keys of organizations.
    pub signing_keys: SigningKeys,
    /// Manages what an organization owns.
    pub library: Library,
    /// Receives uploads.
    pub uploads: Uploads,
    /// Stores the responses of requests that scripts may repeat.
    pub repeats: IdempotentAnswers,
    /// Manages webhooks.
    pub webhooks: Webhooks,
    /// Reads the audit log.
    pub audit: Audit,
    /// Reports usage.
    pub usage: Usage,
    /// Creates signed URLs for playback.
    pub playback: Playback,
    /// Manages transcription.
    pub transcriptions: Transcriptions,
    /// Creates URLs.
    pub links: Links,
    /// Reports the status of the service.
    pub status: Status,
    /// Retries jobs that failed.
    pub jobs: Jobs,
    /// The open event streams.
    pub streams: Streams,
    /// Time and randomness.
    pub ambient: Ambient,
}

impl Dashboard {
    /// Whether the public URL uses TLS.
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
