//! Tracks.

use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement, SimpleExpr};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, NotSet, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select, Set,
};
use tonearm_domain::{
    CollectionId, Deletion, OrganizationId, Page, Timestamp, Track, TrackId, TrackStatus, TrackSummary,
    VariantIndex,
};
use uuid::Uuid;

use crate::entity::track::{ActiveModel, Column, Entity, Summary};
use crate::entity::{collection, track_file, variant};
use crate::query::{TO_CHANGE, all, change, one, page};
use crate::{Catalog, CatalogError, Change, Record, Transaction};

/// The longest list that a share key opens.
const MOST_SHARED: u64 = 1000;

fn of_organization(organization: OrganizationId, id: TrackId) -> Select<Entity> {
    Entity::find_by_id(id.uuid()).filter(Column::OrganizationId.eq(organization.uuid()))
}

fn by_id(organization: OrganizationId, id: TrackId) -> Select<Entity> {
    of_organization(organization, id).filter(Column::DeletedAt.is_null())
}

/// In the order that players and lists show.
fn in_collection(
    organization: OrganizationId,
    collection: CollectionId,
    only: Option<TrackId>,
) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganizationId.eq(organization.uuid()))
        .filter(Column::CollectionId.eq(collection.uuid()))
        .filter(Column::DeletedAt.is_null())
        .apply_if(only, |select, id| select.filter(Column::Id.eq(id.uuid())))
        .order_by_asc(Column::TrackOrder)
        .order_by_asc(Column::Id)
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

    /// One track of the organization, even if it is deleted: for whoever removes its objects.
    pub async fn track_even_deleted(
        &self,
        organization: OrganizationId,
        id: TrackId,
    ) -> Result<Option<Track>, CatalogError> {
        one(self.reader(), of_organization(organization, id)).await
    }

    /// How many tracks the collection has, or 0 or 1 where `only` one counts, and a page of them by order, then
    /// id.
    pub async fn tracks_in_collection(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        only: Option<TrackId>,
        window: Page,
    ) -> Result<(u64, Vec<Track>), CatalogError> {
        page(self.reader(), in_collection(organization, collection, only), window).await
    }

    /// The short form of the collection's tracks that can be played, or of `only` one of them, by order, then id.
    pub async fn playable_tracks(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        only: Option<TrackId>,
    ) -> Result<Vec<TrackSummary>, CatalogError> {
        let with = |is: fn(TrackStatus) -> bool| {
            let status = TrackStatus::ALL.into_iter().filter(move |status| is(*status));
            Column::TrackStatusId.is_in(status.map(TrackStatus::as_str))
        };
        let early = with(TrackStatus::is_processing).and(Column::IsEarly.eq(true));
        let select =
            in_collection(organization, collection, only).filter(with(TrackStatus::is_playable).or(early));
        let rows = select.into_partial_model::<Summary>().all(self.reader()).await?;
        rows.into_iter().map(TrackSummary::try_from).collect()
    }

    /// The collection's tracks that can be played and have a file of the shared variant, or `only` one of them,
    /// by order, then id; at most 1000.
    pub async fn shared_tracks(
        &self,
        organization: OrganizationId,
        collection: CollectionId,
        only: Option<TrackId>,
        shared: &VariantIndex,
    ) -> Result<Vec<Track>, CatalogError> {
        let playable = TrackStatus::ALL.into_iter().filter(|status| status.is_playable());
        let named = Query::select()
            .column(variant::Column::Id)
            .from(variant::Entity)
            .and_where(variant::Column::OrganizationId.eq(organization.uuid()))
            .and_where(variant::Column::Index.eq(shared.as_str()))
            .take();
        let made = Query::select()
            .column(track_file::Column::TrackId)
            .from(track_file::Entity)
            .and_where(track_file::Column::VariantId.in_subquery(named))
            .and_where(track_file::Column::ObjectKey.is_not_null())
            .and_where(track_file::Column::DeletedAt.is_null())
            .take();
        let select = in_collection(organization, collection, only)
            .filter(Column::TrackStatusId.is_in(playable.map(TrackStatus::as_str)))
            .filter(Column::Id.in_subquery(made))
            .limit(MOST_SHARED);
        all(self.reader(), select).await
    }
}

impl Catalog {
    /// Waits for the bytes of a track until a later moment. `false`: it does not wait for bytes (any more).
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
            .filter(Column::DeletedAt.is_null())
            .exec(self.writer())
            .await?;
        Ok(renewed.rows_affected > 0)
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

    /// Adds a track at the end of its collection and gives the order it got there, from 1; the order in `track` is
    /// ignored. The collection must exist and the index be free.
    pub async fn insert_track(&self, track: &Track) -> Result<i64, CatalogError> {
        let order = self.next_order(track.organization_id, track.collection_id).await?;
        let mut row = ActiveModel::try_from(track)?;
        row.track_order = Set(order);
        Entity::insert(row)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::Track))?;
        self.put_track_search(track).await?;
        Ok(order)
    }

    /// Counting up locks the collection, so whoever comes second waits and then counts on.
    async fn next_order(
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

    /// Writes everything but where it is, its index and order, and when it was made or deleted. It must
    /// exist.
    pub async fn update_track(&self, track: &Track) -> Result<(), CatalogError> {
        let mut row = ActiveModel::try_from(track)?;
        (row.id, row.organization_id, row.collection_id) = (NotSet, NotSet, NotSet);
        (row.index, row.created_at, row.deleted_at) = (NotSet, NotSet, NotSet);
        let update = Entity::update_many()
            .set(row)
            .filter(Column::Id.eq(track.id.uuid()))
            .filter(Column::OrganizationId.eq(track.organization_id.uuid()))
            .filter(Column::DeletedAt.is_null());
        self.note(Change::Track(track.id));
        change(self.db(), update, Record::Track).await?;
        self.put_track_search(track).await
    }

    /// Marks a track, its files and its own recipes as deleted. Tells whether it was there.
    pub async fn soft_delete_track(
        &self,
        organization: OrganizationId,
        id: TrackId,
        deletion: impl Into<Deletion>,
    ) -> Result<bool, CatalogError> {
        let deletion = deletion.into();
        let this = Column::Id.eq(id.uuid()).and(Column::OrganizationId.eq(organization.uuid()));
        if self.mark_tracks(this, deletion, true).await?.is_empty() {
            return Ok(false);
        }
        let only = Query::select().expr(Expr::value(id.uuid())).take();
        self.mark_belongings(only, deletion.at).await?;
        Ok(true)
    }

    /// Marks living tracks as deleted, by themselves or with their collection, and gives which.
    pub(crate) async fn mark_tracks(
        &self,
        which: SimpleExpr,
        deletion: Deletion,
        by_themselves: bool,
    ) -> Result<Vec<TrackId>, CatalogError> {
        let until = deletion.restorable_until.map(|until| until.unix_millis());
        let trashed_at = until.filter(|_| by_themselves).map(|_| deletion.at.unix_millis());
        let mark = Entity::update_many()
            .col_expr(Column::DeletedAt, Expr::value(deletion.at.unix_millis()))
            .col_expr(Column::RestorableUntil, Expr::value(until))
            .col_expr(Column::TrashedAt, Expr::value(trashed_at))
            .filter(which)
            .filter(Column::DeletedAt.is_null())
            .into_query()
            .returning_col(Column::Id)
            .take();
        let rows = self.db().query_all(&mark).await?;
        let tracks: Vec<TrackId> = rows
            .iter()
            .map(|row| Ok(TrackId::from_uuid(row.try_get::<Uuid>("", "id")?)))
            .collect::<Result<_, CatalogError>>()?;
        tracks.iter().for_each(|track| self.note(Change::Track(*track)));
        Ok(tracks)
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
