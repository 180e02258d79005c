//! The page of a track.

use askama::Template;
use tonearm_domain::{CoverOrigin, FailedVariant, Role, TrackId};
use tonearm_service::Playable;

use super::colours::ColourField;
use super::facts::facts;
use super::file_tags::FileTags;
use super::listed::status_label;
use super::replacement::{self, ReplacementProgress};
use super::track_usage::TrackUsage;
use super::transcribing::Transcribing;
use crate::amount::{bytes, clock};
use crate::app::Dashboard;
use crate::edited::Edited;
use crate::embed;
use crate::error::PageError;
use crate::form::Problems;
use crate::page::{Frame, Section};
use crate::session::Member;
use crate::text::{self, Message};

#[derive(Template)]
#[template(path = "library/track.html")]
pub(super) struct TrackPage {
    frame: Frame,
    player_script: String,
    may_edit: bool,
    id: String,
    collection_id: String,
    collection_title: String,
    title: String,
    subtitle: String,
    /// The title while none is set, and the artist that the file names.
    derived_title: String,
    artist: Option<String>,
    pub(super) player_title: Edited<String>,
    pub(super) player_subtitle: Edited<String>,
    pub(super) organization_index: Edited<String>,
    file_name: String,
    length: String,
    status: Message,
    tone: &'static str,
    is_open: bool,
    is_making: bool,
    is_playable: bool,
    is_truncated: bool,
    may_retry: bool,
    reason: Option<String>,
    cover: Option<String>,
    pub(super) colour: ColourField,
    variants: Vec<VariantRow>,
    failed: Vec<FailedVariant>,
    transcription: Option<String>,
    transcribing: Option<Transcribing>,
    language: String,
    file_tags: FileTags,
    pub(super) problems: Problems,
    facts: Vec<(Message, String)>,
    original_name: Option<String>,
    replacement: Option<ReplacementProgress>,
    usage: TrackUsage,
    /// Whether its cover was uploaded, and can be removed.
    may_reset_cover: bool,
}

/// A variant to play or to download.
struct VariantRow {
    index: String,
    content_type: &'static str,
    size: String,
    url: String,
    saving: String,
}

impl TrackPage {
    pub(super) async fn of<R>(app: &Dashboard, member: &Member<R>, id: TrackId) -> Result<Self, PageError> {
        let Playable { track: view, cover, variants, .. } =
            app.playback.audition(&member.caller(), id, None).await?;
        let is_importing = view.is_importing;
        let (track, colours, title) = (view.track, view.colours, view.title);
        let (status, tone, is_open) = status_label(track.status, is_importing);
        let collection = app.library.collection(&member.caller(), track.collection_id).await?.collection;
        let collection_title = collection.title;
        let may_edit = member.role >= Role::Editor;
        let missing = app.library.missing_variants(&track).await?;
        let usage = TrackUsage::of(app, member.caller(), &track).await?;
        let replacement = replacement::shown_progress(app, member, id).await?;
        let transcribing = Transcribing::of(app, member, &track).await?;
        let rows = variants.iter().map(|variant| VariantRow {
            index: variant.file.recipe.index.to_string(),
            content_type: variant.key.file.content_type.mime(),
            size: bytes(variant.size),
            url: variant.url.clone(),
            saving: app.playback.saving(variant),
        });
        Ok(Self {
            frame: member.frame(&title, Section::Library),
            player_script: embed::address("player.js"),
            may_edit,
            id: id.to_string(),
            collection_id: track.collection_id.to_string(),
            collection_title,
            title,
            derived_title: track.derived_title().to_owned(),
            artist: track.info.artist_tag().map(str::to_owned),
            player_title: Edited::new(track.player_title),
            player_subtitle: Edited::new(track.player_subtitle),
            subtitle: view.subtitle.unwrap_or_default(),
            organization_index: Edited::new(track.organization_index),
            file_name: track.file_name,
            length: clock(track.duration),
            status,
            tone,
            is_open,
            is_making: is_importing || track.status.is_processing(),
            is_playable: track.status.is_playable(),
            is_truncated: track.info.is_truncated,
            may_retry: may_edit && missing.may_retry,
            reason: track.status_reason.as_deref().map(text::reason),
            cover: cover.last().map(|image| image.url.clone()),
            colour: ColourField::new(
                track.player_colour,
                colours.base,
                member.organization.is_theme_overridable,
            ),
            variants: rows.collect(),
            failed: missing.failed.into_iter().map(in_words).collect(),
            facts: facts(&track.info, track.duration),
            original_name: track.source.as_ref().map(|_| track.file_name_original.unwrap_or_default()),
            replacement,
            usage,
            may_reset_cover: track.cover.is_some_and(|cover| cover.origin == CoverOrigin::Uploaded),
            file_tags: FileTags::of(track.info),
            transcription: track.transcription,
            transcribing,
            language: track.transcription_language.unwrap_or_default(),
            problems: Problems::default(),
        })
    }
}

/// The same, with the reason in the page's language.
fn in_words(failed: FailedVariant) -> FailedVariant {
    FailedVariant { reason: text::reason(&failed.reason), ..failed }
}
