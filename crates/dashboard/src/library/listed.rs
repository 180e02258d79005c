//! A track as lists show it.

use tonearm_domain::TrackStatus;
use tonearm_service::TrackCard;

use super::waveform;
use crate::amount::clock;

/// A row of a list.
pub(super) struct Row {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) subtitle: String,
    pub(super) cover: Option<String>,
    pub(super) length: String,
    pub(super) status: &'static str,
    pub(super) tone: &'static str,
    pub(super) is_open: bool,
    pub(super) reason: Option<String>,
    pub(super) wave: String,
    pub(super) colour: String,
}

impl From<TrackCard> for Row {
    fn from(card: TrackCard) -> Self {
        let track = card.view.track;
        let (status, tone, is_open) = said(track.status);
        Self {
            id: track.id.to_string(),
            title: card.title,
            subtitle: track.player_subtitle.unwrap_or_default(),
            cover: card.cover,
            length: clock(track.duration),
            status,
            tone,
            is_open,
            reason: track.status_reason,
            wave: waveform::outline(&card.levels),
            colour: card.view.colours.base.to_string(),
        }
    }
}

impl Row {
    /// The box that the waveform is drawn in.
    pub(super) fn frame(&self) -> String {
        format!("0 0 {} {}", waveform::WIDTH, waveform::HEIGHT)
    }
}

/// A status in words, its tone, and whether it will still change by itself.
pub(super) fn said(status: TrackStatus) -> (&'static str, &'static str, bool) {
    match status {
        TrackStatus::Initialized => ("Waiting for its file", "warn", true),
        TrackStatus::Processing => ("Processing", "busy", true),
        TrackStatus::FallbackProcessing => ("Processing again", "busy", true),
        TrackStatus::Ready => ("Ready", "good", false),
        TrackStatus::Incomplete => ("Incomplete", "warn", false),
        TrackStatus::Error | TrackStatus::InitError => ("Failed", "bad", false),
    }
}
