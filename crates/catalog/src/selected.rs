//! Tracks that are changed together. They are locked once, in the order in which all transactions lock several tracks.

use sea_orm::sea_query::{CaseStatement, Expr};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use tonearm_domain::{CollectionId, OrganizationId, Track, TrackId};
use uuid::Uuid;

use crate::changes::Change;
use crate::entity::track::{Column, Entity};
use crate::error::{CatalogError, Record};
use crate::living::living_track;
use crate::query::{TO_CHANGE, checked, readable};
use crate::transaction::Transaction;

impl Transaction {
    /// Those of the tracks that the organization has, locked for a change, in the order of their ids.
    pub async fn tracks_to_change(
        &self,
        organization: OrganizationId,
        tracks: &[TrackId],
    ) -> Result<Vec<Track>, CatalogError> {
        let select = Entity::find()
            .filter(Column::Id.is_in(tracks.iter().map(|id| id.uuid())))
            .filter(checked(Column::OrganizationId.eq(organization.uuid())))
            .filter(living_track())
            .order_by_asc(Column::Id)
            .lock(TO_CHANGE);
        readable(self.db(), select).await
    }

    /// Locks tracks in the order of their ids, even deleted ones.
    pub async fn lock_tracks(&self, tracks: &[TrackId]) -> Result<(), CatalogError> {
        let select = Entity::find().filter(Column::Id.is_in(tracks.iter().map(|id| id.uuid())));
        self.lock_ids(select).await.map(drop)
    }

    /// Locks rows of tracks in the order of their ids.
    pub(crate) async fn lock_ids(&self, select: Select<Entity>) -> Result<Vec<Uuid>, CatalogError> {
        let select = select.select_only().column(Column::Id).order_by_asc(Column::Id).lock(TO_CHANGE);
        Ok(select.into_tuple().all(self.db()).await?)
    }

    /// Locks collections in the order of their ids. [`Record::Collection`] is missing if one of them is deleted.
    pub async fn lock_collections(&self, mut collections: Vec<CollectionId>) -> Result<(), CatalogError> {
        collections.sort_unstable();
        collections.dedup();
        for id in collections {
            if !self.lock_collection(id).await? {
                return Err(CatalogError::Missing(Record::Collection));
            }
        }
        Ok(())
    }

    /// Gives a track that this transaction has moved the place that a vacated row of its collection keeps, if that row
    /// still exists.
    pub async fn take_vacated_place(&self, track: &Track, vacated: TrackId) -> Result<(), CatalogError> {
        let place: Option<i64> = Entity::find_by_id(vacated.uuid())
            .select_only()
            .column(Column::TrackOrder)
            .filter(Column::CollectionId.eq(track.collection_id.uuid()))
            .filter(Column::DeletedAt.is_not_null())
            .filter(Column::PurgedAt.is_not_null())
            .lock(TO_CHANGE)
            .into_tuple()
            .one(self.db())
            .await?;
        let Some(place) = place else { return Ok(()) };
        let exchange = CaseStatement::new()
            .case(Column::Id.eq(track.id.uuid()), Expr::value(place))
            .case(Column::Id.eq(vacated.uuid()), Expr::value(track.order));
        let both: [Uuid; 2] = [track.id.uuid(), vacated.uuid()];
        Entity::update_many()
            .col_expr(Column::TrackOrder, exchange.into())
            .filter(Column::Id.is_in(both))
            .exec(self.db())
            .await?;
        self.note(Change::Track(track.id));
        self.note(Change::TracksOf(track.collection_id));
        Ok(())
    }
}
