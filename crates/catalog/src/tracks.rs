//! Tracks.

use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, NotSet, QueryFilter, QuerySelect, QueryTrait, Select, Set,
};
use tonearm_domain::{
    ApiKeyId, CollectionId, Deletion, OrganizationId, Timestamp, Track, TrackId, TrackStatus,
};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::ending::one_to_end;
use crate::entity::track::{ActiveModel, Column, Entity};
use crate::entity::{collection, track_file, variant};
use crate::error::{CatalogError, Record};
use crate::living::living_track;
use crate::query::{TO_CHANGE, change, one};
use crate::right;
use crate::transaction::Transaction;

fn of_organization(organization: OrganizationId, id: TrackId) -> Select<Entity> {
    Entity::find_by_id(id.uuid()).filter(Column::OrganizationId.eq(organization.uuid()))
}

fn by_id(organization: OrganizationId, id: TrackId) -> Select<Entity> {
    of_organization(organization, id).filter(living_track())
}

impl Catalog {
    /// One track of the organization.
    pub async fn track(
        &self,
        organization: OrganizationId,
        id: TrackId,
    ) -> Result<Option<Track>, CatalogError> {
        one(self.reader(), by_id(organization, id)).await
    }

    /// Whether the organization has a track that is not deleted.
    pub async fn track_is_living(
        &self,
        organization: OrganizationId,
        id: TrackId,
    ) -> Result<bool, CatalogError> {
        let found = by_id(organization, id).select_only().column(Column::Id).into_tuple::<Uuid>();
        Ok(found.one(self.reader()).await?.is_some())
    }

    /// One track of the organization, even if it is deleted, for callers that remove its objects.
    pub async fn track_even_deleted(
        &self,
        organization: OrganizationId,
        id: TrackId,
    ) -> Result<Option<Track>, CatalogError> {
        one(self.reader(), of_organization(organization, id)).await
    }
}

impl Catalog {
    /// Extends the time for which a track waits for its bytes. Returns `false` if it does not wait for bytes (any
    /// more).
    pub async fn renew_upload(
        &self,
        organization: OrganizationId,
        id: TrackId,
        until: Timestamp,
    ) -> Result<bool, CatalogError> {
        let until = until.unix_millis();
        let later = Expr::case(Expr::col(Column::UploadExpiresAt).lt(until), until)
            .finally(Expr::col(Column::UploadExpiresAt));
        let renewed = Entity::update_many()
            .col_expr(Column::UploadExpiresAt, later.into())
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::TrackStatusId.eq(TrackStatus::Initialized.as_str()))
            // Not one that has ended.
            .filter(Expr::col(Column::UploadExpiresAt).gt(Expr::col(Column::CreatedAt)))
            .filter(living_track())
            .exec(self.writer())
            .await?;
        Ok(renewed.rows_affected > 0)
    }

    /// The API key that made a track; none if nobody did with a key.
    pub async fn maker_of_track(&self, id: TrackId) -> Result<Option<ApiKeyId>, CatalogError> {
        let select = Entity::find_by_id(id.uuid()).select_only().column(Column::ApiKeyId);
        let maker: Option<Option<uuid::Uuid>> = select.into_tuple().one(self.reader()).await?;
        Ok(maker.flatten().map(ApiKeyId::from_uuid))
    }
}

impl Transaction {
    /// One track of the organization, locked for a change.
    pub async fn track(
        &self,
        organization: OrganizationId,
        id: TrackId,
    ) -> Result<Option<Track>, CatalogError> {
        one(self.db(), by_id(organization, id).lock(TO_CHANGE)).await
    }

    /// The same, for deleting the track.
    pub async fn track_to_end(
        &self,
        organization: OrganizationId,
        id: TrackId,
    ) -> Result<Option<Track>, CatalogError> {
        one_to_end(self.db(), by_id(organization, id).lock(TO_CHANGE)).await
    }

    /// The collection of a track, which is locked for a change. Nothing else of the track is read.
    pub async fn collection_of_track(
        &self,
        organization: OrganizationId,
        id: TrackId,
    ) -> Result<Option<CollectionId>, CatalogError> {
        let select = by_id(organization, id).select_only().column(Column::CollectionId).lock(TO_CHANGE);
        let found: Option<Uuid> = select.into_tuple().one(self.db()).await?;
        Ok(found.map(CollectionId::from_uuid))
    }

    /// Adds a track at the end of its collection and returns its order there, from 1; the order in `track` is ignored.
    /// The collection must exist and the index must be free. The key that the running request acts on is noted as its maker.
    pub async fn insert_track(&self, track: &Track) -> Result<i64, CatalogError> {
        let order = self.next_order(track.organization_id, track.collection_id).await?;
        let mut row = ActiveModel::try_from(track)?;
        row.track_order = Set(order);
        row.api_key_id = Set(right::acting_secret().map(|(key, _)| key.uuid()));
        Entity::insert(row)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::Track))?;
        self.put_track_search(track).await?;
        if track.is_playable() {
            self.note(Change::TracksOf(track.collection_id));
        }
        Ok(order)
    }

    /// Returns the next order in a collection. Incrementing it locks the collection, so a concurrent transaction waits
    /// and then counts on.
    pub(crate) async fn next_order(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
    ) -> Result<i64, CatalogError> {
        use collection::Column;
        let count = collection::Entity::update_many()
            .col_expr(Column::LastTrackOrder, Expr::col(Column::LastTrackOrder).add(1_i64))
            .filter(Column::Id.eq(collection.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::DeletedAt.is_null())
            .into_query()
            .returning_col(Column::LastTrackOrder)
            .take();
        match self.db().query_one(&count).await? {
            Some(row) => Ok(row.try_get("", "last_track_order")?),
            None => Err(CatalogError::Missing(Record::Collection)),
        }
    }

    /// Writes everything except the ids, the collection, the index, the order, and the times of creation and deletion.
    /// The track must exist.
    pub async fn update_track(&self, track: &Track) -> Result<(), CatalogError> {
        let mut row = ActiveModel::try_from(track)?;
        (row.id, row.organization_id, row.collection_id) = (NotSet, NotSet, NotSet);
        (row.index, row.created_at, row.deleted_at) = (NotSet, NotSet, NotSet);
        let update = Entity::update_many()
            .set(row)
            .filter(Column::Id.eq(track.id.uuid()))
            .filter(Column::OrganizationId.eq(track.organization_id.uuid()))
            .filter(living_track());
        self.note(Change::Track(track.id));
        self.note(Change::TracksOf(track.collection_id));
        change(self.db(), update, Record::Track).await?;
        self.put_track_search(track).await
    }

    /// Marks a track, its files and its own recipes as deleted. Returns whether the track existed.
    pub async fn soft_delete_track(
        &self,
        organization: OrganizationId,
        id: TrackId,
        deletion: impl Into<Deletion>,
    ) -> Result<bool, CatalogError> {
        let deletion = deletion.into();
        let until = deletion.restorable_until.map(|until| until.unix_millis());
        let mark = Entity::update_many()
            .col_expr(Column::DeletedAt, Expr::value(deletion.at.unix_millis()))
            .col_expr(Column::RestorableUntil, Expr::value(until))
            .col_expr(Column::TrashedAt, Expr::value(until.map(|_| deletion.at.unix_millis())))
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(living_track())
            .into_query()
            .returning_col(Column::CollectionId)
            .take();
        let Some(row) = self.db().query_one(&mark).await? else { return Ok(false) };
        self.note(Change::Track(id));
        self.note(Change::TracksOf(CollectionId::from_uuid(row.try_get("", "collection_id")?)));
        let only = Query::select().expr(Expr::value(id.uuid())).take();
        self.mark_belongings(only, deletion.at).await?;
        self.blank_track(id.uuid()).await?;
        Ok(true)
    }

    /// Marks the files and own recipes of tracks as deleted.
    pub(crate) async fn mark_belongings(
        &self,
        tracks: SelectStatement,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        track_file::Entity::update_many()
            .col_expr(track_file::Column::DeletedAt, Expr::value(now.unix_millis()))
            .filter(track_file::Column::TrackId.in_subquery(tracks.clone()))
            .filter(track_file::Column::DeletedAt.is_null())
            .exec(self.db())
            .await?;
        variant::Entity::update_many()
            .col_expr(variant::Column::DeletedAt, Expr::value(now.unix_millis()))
            .filter(variant::Column::TrackId.in_subquery(tracks))
            .filter(variant::Column::DeletedAt.is_null())
            .exec(self.db())
            .await?;
        Ok(())
    }
}
