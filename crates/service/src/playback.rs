//! Signed URLs for listeners: play sessions, downloads and share links.

mod captions;
mod cards;
mod count;
mod describe_tracks;
mod download;
mod grant_play_session;
mod listable;
mod manage_sessions;
mod open_play_session;
mod playable;
mod record_room;
mod redirect_share;
mod session_writer;
mod shared_collection;
mod shared_download;
mod shared_track;

use std::sync::Arc;

use tonearm_domain::{Ambient, Meter};

use crate::access::Access;
use crate::delivery::Links;
use crate::lookups::{Lookups, WriteTrack};
use session_writer::SessionWriter;

pub use cards::TrackCard;
pub use count::Visit;
pub use download::Download;
pub use grant_play_session::{GrantPlaySession, PlaySessionScope};
pub use open_play_session::OpenedPlaySession;
pub use playable::{CoverImage, Playable, PlayableVariant};
pub use shared_collection::SharedCollection;
pub use shared_track::{SharedTrack, SharedWords};

/// Grants play sessions and issues signed URLs. Every request clones it, so it is a single pointer.
#[derive(Clone)]
pub struct Playback(Arc<Inner>);

struct Inner {
    lookups: Lookups,
    access: Access,
    ambient: Ambient,
    links: Links,
    sessions: SessionWriter,
    meter: Meter,
    write_track: WriteTrack,
}

impl Playback {
    /// Creates the playback use cases. Share `lookups` with [`Access`]. `links` makes the URLs, `meter` counts them,
    /// and `write_track` writes the tracks of lists.
    pub fn new(
        lookups: Lookups,
        ambient: Ambient,
        links: Links,
        meter: Meter,
        write_track: WriteTrack,
    ) -> Self {
        let access = Access::new(lookups.clone(), ambient.clone());
        let sessions = SessionWriter::new(lookups.catalog().clone());
        Self(Arc::new(Inner { lookups, access, ambient, links, sessions, meter, write_track }))
    }
}
