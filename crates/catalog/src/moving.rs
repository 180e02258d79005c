//! Moving tracks to other collections, and changing their order.
//!
//! Orders are numbers without gaps, which makes late pages fast (see `in_collection.rs`). A track that is moved to
//! another collection therefore leaves a tombstone, a deleted row with its order, and reordered tracks exchange the
//! orders that they have.

use std::collections::HashMap;

use sea_orm::sea_query::{CaseStatement, Expr};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Set};
use tonearm_domain::{
    CollectionId, Metadata, OrganizationId, ShortId, Theme, Timestamp, Track, TrackId, TrackInfo, TrackStatus,
};
use uuid::Uuid;

use crate::changes::Change;
use crate::entity::track::{ActiveModel, Column, Entity};
use crate::entity::{api_key, track_search};
use crate::error::{CatalogError, Record};
use crate::in_collection::living_in;
use crate::transaction::Transaction;

/// The number of tracks that one statement reorders. Its cost grows with the square of this number, since each row is
/// compared with each id.
const PLACED_AT_ONCE: usize = 250;

/// The deleted, empty row that a moved track leaves in its old collection.
#[derive(Debug, Clone, Copy)]
pub struct MovedTrackTombstone {
    /// The id of the tombstone, not that of the track.
    pub id: TrackId,
    /// The short id of the tombstone, not that of the track.
    pub index: ShortId,
    /// When the track was moved.
    pub at: Timestamp,
}

impl MovedTrackTombstone {
    fn row(self, track: &Track) -> Result<ActiveModel, CatalogError> {
        let nothing = Track {
            id: self.id,
            organization_id: track.organization_id,
            collection_id: track.collection_id,
            creator_id: None,
            upload_session_id: None,
            index: self.index,
            organization_index: None,
            order: track.order,
            duration: 0.0,
            file_name: String::new(),
            file_name_original: None,
            info: TrackInfo::default(),
            metadata: Metadata::default(),
            player_title: None,
            player_subtitle: None,
            player_colour: None,
            theme: Theme::default(),
            cover: None,
            placeholder: None,
            is_cover_overridable: true,
            is_theme_overridable: true,
            transcription: None,
            transcription_language: None,
            status: TrackStatus::InitError,
            status_reason: None,
            is_early: false,
            source: None,
            upload_expires_at: self.at,
            created_at: self.at,
            deleted_at: Some(self.at),
        };
        let mut row = ActiveModel::try_from(&nothing)?;
        row.track_order = Set(track.order);
        row.purged_at = Set(Some(self.at.unix_millis()));
        Ok(row)
    }
}

impl Transaction {
    /// Moves a track, which this transaction has locked, to the end of another collection, and returns its order there.
    /// Keys that are limited to the track remain limited to it in the new collection.
    pub async fn move_track(
        &self,
        track: &Track,
        target: CollectionId,
        place: MovedTrackTombstone,
    ) -> Result<i64, CatalogError> {
        // Every transaction locks two collections in the order of their ids, to avoid deadlocks.
        let mut both = [track.collection_id, target];
        both.sort_unstable();
        for collection in both {
            if !self.lock_collection(collection).await? {
                return Err(CatalogError::Missing(Record::Collection));
            }
        }
        let order = self.next_order(track.organization_id, target).await?;
        Entity::insert(place.row(track)?).exec_without_returning(self.db()).await?;
        Entity::update_many()
            .col_expr(Column::CollectionId, Expr::value(target.uuid()))
            .col_expr(Column::TrackOrder, Expr::value(order))
            // A moved track is no longer sorted by its place on the album.
            .col_expr(Column::AlbumPlace, Expr::value(None::<i64>))
            .filter(Column::Id.eq(track.id.uuid()))
            .exec(self.db())
            .await?;
        track_search::Entity::update_many()
            .col_expr(track_search::Column::CollectionId, Expr::value(target.uuid()))
            .filter(track_search::Column::TrackId.eq(track.id.uuid()))
            .exec(self.db())
            .await?;
        api_key::Entity::update_many()
            .col_expr(api_key::Column::CollectionId, Expr::value(target.uuid()))
            .filter(api_key::Column::OrganizationId.eq(track.organization_id.uuid()))
            .filter(api_key::Column::TrackId.eq(track.id.uuid()))
            .exec(self.db())
            .await?;
        self.note(Change::Track(track.id));
        self.note(Change::TracksOf(track.collection_id));
        self.note(Change::TracksOf(target));
        self.note(Change::ApiKeys(track.organization_id));
        Ok(order)
    }

    /// Sorts tracks of a collection in the given sequence: they exchange the orders that they have, and all other
    /// tracks keep theirs. Returns the new order of each, or the first track that is not in the collection. No track
    /// may occur twice.
    pub async fn arrange_tracks(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        tracks: &[TrackId],
    ) -> Result<Result<Vec<i64>, TrackId>, CatalogError> {
        let select = living_in(organization, collection, None)
            .filter(Column::Id.is_in(tracks.iter().map(|id| id.uuid())));
        let old: HashMap<Uuid, i64> = self.lock_places(select).await?.into_iter().collect();
        if let Some(missing) = tracks.iter().find(|id| !old.contains_key(&id.uuid())) {
            return Ok(Err(*missing));
        }
        let mut places: Vec<i64> = old.values().copied().collect();
        places.sort_unstable();
        let placed: Vec<(TrackId, i64)> = tracks.iter().copied().zip(places.iter().copied()).collect();
        for part in placed.chunks(PLACED_AT_ONCE) {
            self.place(part).await?;
        }
        for id in tracks {
            self.note(Change::Track(*id));
        }
        self.note(Change::TracksOf(collection));
        Ok(Ok(places))
    }

    async fn place(&self, tracks: &[(TrackId, i64)]) -> Result<(), CatalogError> {
        let mut order = CaseStatement::new();
        for (id, place) in tracks {
            order = order.case(Column::Id.eq(id.uuid()), Expr::value(*place));
        }
        Entity::update_many()
            .col_expr(Column::TrackOrder, order.into())
            // Otherwise the next upload to the album would restore the old order.
            .col_expr(Column::AlbumPlace, Expr::value(None::<i64>))
            .filter(Column::Id.is_in(tracks.iter().map(|(id, _)| id.uuid())))
            .exec(self.db())
            .await?;
        Ok(())
    }
}
