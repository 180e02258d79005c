//! Handing out signed URLs: play sessions, downloads and share links.

mod download;
mod grant_play_session;
mod open_play_session;
mod playable;
mod redirect_share;

use tonearm_domain::Ambient;

use crate::{Access, Links, Lookups};

pub use download::Download;
pub use grant_play_session::{GrantPlaySession, PlaySessionScope};
pub use open_play_session::OpenedPlaySession;
pub use playable::{CoverImage, Playable, PlayableVariant};

/// Grants play sessions and hands out signed URLs.
#[derive(Clone)]
pub struct Playback {
    lookups: Lookups,
    access: Access,
    ambient: Ambient,
    links: Links,
}

impl Playback {
    /// Over look-ups that are best shared with [`Access`], handing out `links`.
    pub fn new(lookups: Lookups, ambient: Ambient, links: Links) -> Self {
        let access = Access::new(lookups.clone(), ambient.clone());
        Self { lookups, access, ambient, links }
    }
}
