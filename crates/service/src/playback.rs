//! Handing out signed URLs: play sessions, downloads and share links.

mod download;
mod grant_play_session;
mod open_play_session;
mod playable;
mod redirect_share;

use tonearm_catalog::Catalog;
use tonearm_domain::Ambient;

use crate::{Access, Links};

pub use download::Download;
pub use grant_play_session::{GrantPlaySession, PlaySessionScope};
pub use open_play_session::OpenedPlaySession;
pub use playable::{CoverImage, Playable, PlayableVariant};

/// Grants play sessions and hands out signed URLs.
#[derive(Clone)]
pub struct Playback {
    catalog: Catalog,
    access: Access,
    ambient: Ambient,
    links: Links,
}

impl Playback {
    /// Over the catalog, handing out `links`.
    pub fn new(catalog: Catalog, ambient: Ambient, links: Links) -> Self {
        let access = Access::new(catalog.clone(), ambient.clone());
        Self { catalog, access, ambient, links }
    }
}
