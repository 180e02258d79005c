//! Collections.

use sea_orm::sea_query::{Expr, Query};
use sea_orm::{ColumnTrait, EntityTrait, NotSet, QueryFilter, QueryOrder, QuerySelect, Select, Set};
use tonearm_domain::{Collection, CollectionId, Deletion, OrganizationId, Page, TrackId};

use crate::entity::collection::{ActiveModel, Column, Entity};
use crate::entity::track;
use crate::query::{TO_CHANGE, change, one, page};
use crate::{Catalog, CatalogError, Change, Record, Transaction};

fn living(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization.uuid())).filter(Column::DeletedAt.is_null())
}

fn by_id(organization: OrganizationId, id: CollectionId) -> Select<Entity> {
    living(organization).filter(Column::Id.eq(id.uuid()))
}

impl Catalog {
    /// One collection of the organization.
    pub async fn collection(
        &self,
        organization: OrganizationId,
        id: CollectionId,
    ) -> Result<Option<Collection>, CatalogError> {
        one(self.reader(), by_id(organization, id)).await
    }

    /// How many collections the organization has, or 0 or 1 where `only` one counts, and a page of them, oldest
    /// first.
    pub async fn collections(
        &self,
        organization: OrganizationId,
        only: Option<CollectionId>,
        window: Page,
    ) -> Result<(u64, Vec<Collection>), CatalogError> {
        let select = match only {
            Some(id) => by_id(organization, id),
            None => living(organization).order_by_asc(Column::Id),
        };
        page(self.reader(), select, window).await
    }
}

impl Transaction {
    /// One collection of the organization, locked for a change.
    pub async fn collection(
        &self,
        organization: OrganizationId,
        id: CollectionId,
    ) -> Result<Option<Collection>, CatalogError> {
        one(self.db(), by_id(organization, id).lock(TO_CHANGE)).await
    }

    /// Adds a collection.
    pub async fn insert_collection(&self, collection: &Collection) -> Result<(), CatalogError> {
        let mut row = ActiveModel::try_from(collection)?;
        row.last_track_order = Set(0);
        Entity::insert(row)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::Collection))?;
        Ok(())
    }

    /// Writes everything but whose it is and when it was made or deleted. It must exist.
    pub async fn update_collection(&self, collection: &Collection) -> Result<(), CatalogError> {
        let mut row = ActiveModel::try_from(collection)?;
        (row.id, row.organization_id) = (NotSet, NotSet);
        (row.created_at, row.deleted_at) = (NotSet, NotSet);
        let update = Entity::update_many()
            .set(row)
            .filter(Column::Id.eq(collection.id.uuid()))
            .filter(Column::OrganizationId.eq(collection.organization_id.uuid()))
            .filter(Column::DeletedAt.is_null());
        self.note(Change::Collection(collection.id));
        change(self.db(), update, Record::Collection).await
    }

    /// Marks a collection, its tracks, and their files and own recipes as deleted. Gives the tracks that this
    /// deleted, in no order; none also where there is no such collection.
    pub async fn soft_delete_collection(
        &self,
        organization: OrganizationId,
        id: CollectionId,
        deletion: impl Into<Deletion>,
    ) -> Result<Vec<TrackId>, CatalogError> {
        let deletion = deletion.into();
        // The collection goes first: whoever adds a track takes its lock, too.
        let marked = Entity::update_many()
            .col_expr(Column::DeletedAt, Expr::value(deletion.at.unix_millis()))
            .col_expr(
                Column::RestorableUntil,
                Expr::value(deletion.restorable_until.map(|until| until.unix_millis())),
            )
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::DeletedAt.is_null())
            .exec(self.db())
            .await?;
        if marked.rows_affected == 0 {
            return Ok(Vec::new());
        }
        self.note(Change::Collection(id));
        let tracks = self.mark_tracks(track::Column::CollectionId.eq(id.uuid()), deletion, false).await?;
        let of_collection = Query::select()
            .column(track::Column::Id)
            .from(track::Entity)
            .and_where(track::Column::CollectionId.eq(id.uuid()))
            .take();
        self.mark_belongings(of_collection, deletion.at).await?;
        Ok(tracks)
    }
}
