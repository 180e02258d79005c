//! Changing the details of a track.

use tonearm_catalog::{MovedTrackTombstone, Transaction};
use tonearm_domain::{
    AuditAction, ChangedMeanwhile, CollectionId, Colour, CreatorId, Metadata, Palette, Patch, PlayerColour,
    SentRecord, Track, TrackId, shown_title,
};

use super::texts::{LONGEST, check_changed, check_changed_index};
use super::{Library, derived};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};
use crate::track_view::{TrackParents, TrackView};

/// Changes to a track.
#[derive(Debug, Clone, Default)]
pub struct UpdateTrack {
    /// Its collection; cannot be cleared.
    pub collection_id: Patch<CollectionId>,
    /// The creator it comes from.
    pub creator_id: Patch<CreatorId>,
    /// The caller's own external id.
    pub organization_index: Patch<String>,
    /// The caller's own data. Clearing it leaves it empty.
    pub metadata: Patch<Metadata>,
    /// Whether a cover found in the file may be used.
    pub is_cover_overridable: Patch<bool>,
    /// Whether colours found in the file's cover may be used.
    pub is_theme_overridable: Patch<bool>,
    /// The title in players.
    pub player_title: Patch<String>,
    /// The line under the title in players.
    pub player_subtitle: Patch<String>,
    /// Its own player colour.
    pub player_colour: Patch<Colour>,
    /// Its own colours. If cleared, those found in its cover apply.
    pub theme: Patch<Palette>,
    /// Whether the caller sends back a whole record.
    pub record: SentRecord,
    /// Whether its texts are those that were set, and not those that players show, as in lists.
    pub has_own_texts: bool,
}

impl UpdateTrack {
    fn check_texts(&self, track: &Track) -> Result<(), Refusal> {
        let of =
            |field, text, stored: &Option<String>| check_changed::<LONGEST>(field, text, stored.as_deref());
        check_changed_index(&self.organization_index, track.organization_index.as_deref())?;
        of("player_title", &self.player_title, &track.player_title)?;
        of("player_subtitle", &self.player_subtitle, &track.player_subtitle)
    }

    /// The texts of a record that is sent back without those that are derived.
    fn without_derived_texts(self, track: &Track, parents: &TrackParents) -> Self {
        let (collection, organization) = (&parents.collection, &parents.organization);
        // The record may be from before the tags of the file were known.
        let titles = [Some(track.shown_title()), Some(shown_title(None, None, &track.file_name))];
        let subtitles =
            [track.shown_subtitle(collection, organization), collection.shown_subtitle(organization)];
        let own = |sent: Patch<String>, own: &Option<String>, derived: [Option<&str>; 2]| match sent {
            Patch::Set(text)
                if own.as_deref().is_none_or(|own| own.trim().is_empty())
                    && derived.contains(&Some(text.as_str())) =>
            {
                Patch::Keep
            }
            sent => sent,
        };
        Self {
            player_title: own(self.player_title, &track.player_title, titles),
            player_subtitle: own(self.player_subtitle, &track.player_subtitle, subtitles),
            ..self
        }
    }

    /// `shown` is the colour that players show for the track before the change.
    fn apply(self, track: &mut Track, shown: Colour) -> Result<(), ChangedMeanwhile> {
        self.creator_id.apply(&mut track.creator_id)?;
        self.organization_index.apply(&mut track.organization_index)?;
        self.metadata.apply_or(&mut track.metadata, Metadata::default())?;
        self.is_cover_overridable.apply_or(&mut track.is_cover_overridable, true)?;
        self.is_theme_overridable.apply_or(&mut track.is_theme_overridable, true)?;
        self.player_title.apply(&mut track.player_title)?;
        self.player_subtitle.apply(&mut track.player_subtitle)?;
        let player = PlayerColour { set: track.player_colour, shown: Some(shown) };
        player.apply(self.player_colour, self.record, &mut track.player_colour)?;
        track.theme.apply(self.theme, self.record, player)
    }
}

impl Library {
    /// Changes a track, and moves it to another collection if requested.
    pub async fn update_track(
        &self,
        caller: &Caller,
        id: TrackId,
        update: UpdateTrack,
    ) -> Result<TrackView, Refusal> {
        self.require_creator(caller, update.creator_id.given().flatten()).await?;
        let target = update.collection_id.given().map(|target| {
            let message = "cannot be empty: every track is in a collection";
            target.ok_or_else(|| Refusal::invalid("collection_id", message))
        });
        let target = target.transpose()?;
        let tx = self.catalog.begin().await?;
        let mut track =
            tx.track(caller.organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, track.id)?;
        update.check_texts(&track)?;
        let mut parents = TrackParents::in_transaction(&tx, caller.organization_id, track.collection_id)
            .await?
            .ok_or(Refusal::NotFound(Resource::Collection))?;
        let before = parents.inputs(&track);
        let update = if update.record == SentRecord::None || update.has_own_texts {
            update
        } else {
            update.without_derived_texts(&track, &parents)
        };
        update.apply(&mut track, before.colour)?;
        // Move before the update, which may count the bytes towards the collection that the track is in at that time.
        if let Some(target) = target.filter(|target| *target != track.collection_id) {
            parents = self.move_track(&tx, caller, &mut track, target).await?;
        }
        tx.update_track(&track).await?;
        derived::track_changed(&tx, &self.ambient, &track, (&before, &parents.inputs(&track))).await?;
        let done = AuditedAction {
            action: AuditAction::TrackUpdate,
            subject_id: track.id.uuid(),
            title: &track.file_name,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(parents.view(track))
    }

    /// Moves a track to the end of another collection in the caller's reach, and returns its new parents.
    async fn move_track(
        &self,
        tx: &Transaction,
        caller: &Caller,
        track: &mut Track,
        target: CollectionId,
    ) -> Result<TrackParents, Refusal> {
        caller.reach_collection(target)?;
        let parents = TrackParents::in_transaction(tx, caller.organization_id, target)
            .await?
            .ok_or(Refusal::NotFound(Resource::Collection))?;
        let (id, index) = (self.ambient.record_id(), self.ambient.short_id());
        let place = MovedTrackTombstone { id, index, at: self.ambient.now() };
        track.order = tx.move_track(track, target, place).await?;
        track.collection_id = target;
        let done = AuditedAction {
            action: AuditAction::TrackMove,
            subject_id: track.id.uuid(),
            title: &track.file_name,
        };
        audit::record(tx, &self.ambient, caller, done).await?;
        Ok(parents)
    }
}
