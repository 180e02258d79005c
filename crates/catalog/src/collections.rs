//! Collections.

use sea_orm::sea_query::{Expr, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, EntityTrait, NotSet, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select, Set,
};
use tonearm_domain::{
    Collection, CollectionId, Deletion, LimitOffset, ListPart, ListPosition, OrganizationId, PageBytes,
};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::column::size;
use crate::ending::one_to_end;
use crate::entity::collection::{ActiveModel, Column, Entity};
use crate::entity::collection_count;
use crate::error::{CatalogError, Record};
use crate::keyset::{Keyset, keyset_part};
use crate::query::{TO_CHANGE, change, checked, one, page, readable};
use crate::transaction::Transaction;

fn living(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization.uuid())).filter(Column::DeletedAt.is_null())
}

fn by_id(organization: OrganizationId, id: CollectionId) -> Select<Entity> {
    living(organization).filter(Column::Id.eq(id.uuid()))
}

/// A subquery for rows that belong to a collection: its id, or NULL if the organization has no such collection or it is
/// deleted. The organization is checked once, not for every row.
pub(crate) fn living_id(organization: OrganizationId, id: CollectionId) -> SimpleExpr {
    let living = Query::select()
        .column(Column::Id)
        .from(Entity)
        .and_where(Column::Id.eq(id.uuid()))
        .and_where(checked(Column::OrganizationId.eq(organization.uuid())))
        .and_where(Column::DeletedAt.is_null())
        .take();
    SimpleExpr::SubQuery(None, Box::new(living.into()))
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

    /// The number of tracks of a collection that are not themselves deleted; `None` if there is no such collection.
    pub async fn track_count(
        &self,
        organization: OrganizationId,
        id: CollectionId,
    ) -> Result<Option<u64>, CatalogError> {
        let count = by_id(organization, id).select_only().column(Column::TrackCount);
        let count = count.into_tuple::<i64>().one(self.reader()).await?;
        count.map(|count| size("collection.track_count", count)).transpose()
    }

    /// The number of collections of the organization (0 or 1 if `only` is set) and a page of them, oldest first.
    pub async fn collections(
        &self,
        organization: OrganizationId,
        only: Option<CollectionId>,
        window: LimitOffset,
    ) -> Result<(u64, Vec<Collection>), CatalogError> {
        if let Some(id) = only {
            return page(self.reader(), by_id(organization, id), window).await;
        }
        let total = self.collection_count(organization).await?;
        if total <= window.offset() {
            return Ok((total, Vec::new()));
        }
        let select = living(organization).order_by_asc(Column::Id);
        let select = select.limit(window.limit()).offset(window.offset());
        Ok((total, PageBytes::cut(readable(self.reader(), select).await?)))
    }

    /// The number of collections of the organization (0 or 1 if `only` is set) and those after a position, oldest
    /// first.
    pub async fn collections_after(
        &self,
        organization: OrganizationId,
        only: Option<CollectionId>,
        (after, limit): (Option<&ListPosition>, u64),
    ) -> Result<ListPart<Collection>, CatalogError> {
        let select = only.map_or_else(|| living(organization), |id| by_id(organization, id));
        let keyset = Keyset { column: None, id: Column::Id, is_descending: false };
        let part =
            keyset_part(self.reader(), select, keyset, after, limit, |row| ListPosition::of_id(row.id));
        let part = part.await?;
        let count = match only {
            None => self.collection_count(organization).await?,
            Some(id) => by_id(organization, id).count(self.reader()).await?,
        };
        Ok(ListPart { count: Some(count), ..part })
    }

    /// How many collections an organization has.
    pub async fn collection_count(&self, organization: OrganizationId) -> Result<u64, CatalogError> {
        let count = collection_count::Entity::find_by_id(organization.uuid()).one(self.reader()).await?;
        size("collection_count.collections", count.map_or(0, |row| row.collections))
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

    /// The same, for deleting the collection.
    pub async fn collection_to_end(
        &self,
        organization: OrganizationId,
        id: CollectionId,
    ) -> Result<Option<Collection>, CatalogError> {
        one_to_end(self.db(), by_id(organization, id).lock(TO_CHANGE)).await
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

    /// Updates all columns except the organization and the times of creation and deletion. The collection must exist.
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

    /// Marks a collection as deleted. Its tracks need no mark: tracks of a deleted collection count as deleted. Returns
    /// whether the collection existed.
    pub async fn soft_delete_collection(
        &self,
        organization: OrganizationId,
        id: CollectionId,
        deletion: impl Into<Deletion>,
    ) -> Result<bool, CatalogError> {
        let deletion = deletion.into();
        let until = deletion.restorable_until.map(|until| until.unix_millis());
        let marked = Entity::update_many()
            .col_expr(Column::DeletedAt, Expr::value(deletion.at.unix_millis()))
            .col_expr(Column::RestorableUntil, Expr::value(until))
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::DeletedAt.is_null())
            .exec(self.db())
            .await?;
        self.note(Change::Collection(id));
        self.blank_collection(id.uuid()).await?;
        Ok(marked.rows_affected > 0)
    }

    /// Locks a collection and returns whether it exists and is not deleted. A transaction that also locks a track must
    /// lock the track first.
    pub(crate) async fn lock_collection(&self, id: CollectionId) -> Result<bool, CatalogError> {
        let living = Entity::find_by_id(id.uuid()).filter(Column::DeletedAt.is_null());
        let locked = living.select_only().column(Column::Id).lock(TO_CHANGE);
        Ok(locked.into_tuple::<Uuid>().one(self.db()).await?.is_some())
    }
}
