//! A track as lists show it.

use tonearm_domain::TrackStatus;
use tonearm_service::TrackCard;

use crate::amount::clock;
use crate::text::{self, Message, t};
use crate::waveform;

/// Tracks per page.
pub(super) const PER_PAGE: u32 = 50;

/// A row of a list.
pub(super) struct Row {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) subtitle: String,
    pub(super) cover: Option<String>,
    pub(super) length: String,
    pub(super) status: Message,
    pub(super) tone: &'static str,
    pub(super) is_open: bool,
    pub(super) is_making: bool,
    pub(super) reason: Option<String>,
    pub(super) wave: String,
    pub(super) light: String,
    pub(super) dark: String,
    /// The title of the collection, if a list covers several.
    pub(super) collection: Option<String>,
    /// Whether it can be played.
    pub(super) is_playable: bool,
    /// Its length in seconds.
    pub(super) seconds: f64,
    pub(super) rights: RowRights,
}

/// The actions that are available on a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RowRights {
    /// Select it and edit its track.
    pub(super) may_edit: bool,
    /// Move it to another place in its list.
    pub(super) is_movable: bool,
}

impl From<TrackCard> for Row {
    fn from(card: TrackCard) -> Self {
        let track = card.view.track;
        let (status, tone, is_open) = status_label(track.status, card.view.is_importing);
        Self {
            id: track.id.to_string(),
            title: card.view.title,
            subtitle: card.view.subtitle.unwrap_or_default(),
            cover: card.cover,
            length: clock(track.duration),
            status,
            tone,
            is_open,
            is_making: card.view.is_importing || track.status.is_processing(),
            reason: track.status_reason.as_deref().map(text::reason),
            wave: waveform::outline(&card.levels),
            light: card.view.colours.light.to_string(),
            dark: card.view.colours.dark.to_string(),
            collection: None,
            is_playable: track.status.is_playable(),
            seconds: track.duration,
            rights: RowRights::default(),
        }
    }
}

impl Row {
    /// The same row with these rights.
    pub(super) fn with(self, rights: RowRights) -> Self {
        Self { rights, ..self }
    }

    /// The view box of the waveform.
    pub(super) fn frame(&self) -> String {
        waveform::view_box()
    }
}

/// The label of a status, its tone, and whether it still changes on its own.
pub(super) fn status_label(status: TrackStatus, is_importing: bool) -> (Message, &'static str, bool) {
    let (id, tone, is_open) = match status {
        _ if is_importing => ("track-status-importing", "busy", true),
        TrackStatus::Initialized => ("track-status-waiting", "warn", true),
        TrackStatus::Processing => ("track-status-processing", "busy", true),
        TrackStatus::FallbackProcessing => ("track-status-processing-again", "busy", true),
        TrackStatus::Ready => ("track-status-ready", "good", false),
        TrackStatus::Incomplete => ("track-status-incomplete", "warn", false),
        TrackStatus::Error | TrackStatus::InitError => ("track-status-failed", "bad", false),
    };
    (t(id), tone, is_open)
}
