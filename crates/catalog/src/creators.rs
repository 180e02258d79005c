//! Creators.

use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, EntityTrait, NotSet, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};
use tonearm_domain::{Creator, CreatorId, LimitOffset, ListPart, ListPosition, OrganizationId, PageBytes};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::ending::one_to_end;
use crate::entity::creator::{ActiveModel, Column, Entity};
use crate::entity::{collection, track};
use crate::error::{CatalogError, Record};
use crate::keyset::{Keyset, keyset_part};
use crate::query::{TO_CHANGE, change, one, page};
use crate::transaction::Transaction;

fn by_id(organization: OrganizationId, id: CreatorId) -> Select<Entity> {
    Entity::find_by_id(id.uuid()).filter(Column::OrganizationId.eq(organization.uuid()))
}

fn tracks_of(organization: OrganizationId, id: CreatorId) -> Select<track::Entity> {
    track::Entity::find()
        .filter(track::Column::OrganizationId.eq(organization.uuid()))
        .filter(track::Column::CreatorId.eq(id.uuid()))
}

/// The ids of the collections, which are locked in their order.
fn collections_of(organization: OrganizationId, id: CreatorId) -> Select<collection::Entity> {
    collection::Entity::find()
        .select_only()
        .column(collection::Column::Id)
        .filter(collection::Column::OrganizationId.eq(organization.uuid()))
        .filter(collection::Column::CreatorId.eq(id.uuid()))
        .order_by_asc(collection::Column::Id)
        .lock(TO_CHANGE)
}

/// Tracks, and collections, that lose a creator in one transaction. Each may have metadata of 64 KiB.
const DETACHED_AT_ONCE: u64 = 200;

impl Catalog {
    /// Takes a creator that is to be deleted from its tracks and collections, in batches, so that others write in between.
    pub async fn detach_creator(
        &self,
        organization: OrganizationId,
        id: CreatorId,
    ) -> Result<(), CatalogError> {
        loop {
            let tx = self.begin().await?;
            // The rest is left to the transaction that deletes the creator, so that it can be run again.
            if tx.detach_creator(organization, id).await? < DETACHED_AT_ONCE {
                return Ok(());
            }
            tx.commit().await?;
        }
    }

    /// One creator of the organization.
    pub async fn creator(
        &self,
        organization: OrganizationId,
        id: CreatorId,
    ) -> Result<Option<Creator>, CatalogError> {
        one(self.reader(), by_id(organization, id)).await
    }

    /// The number of creators of the organization and a page of them, oldest first.
    pub async fn creators(
        &self,
        organization: OrganizationId,
        window: LimitOffset,
    ) -> Result<(u64, Vec<Creator>), CatalogError> {
        let select =
            Entity::find().filter(Column::OrganizationId.eq(organization.uuid())).order_by_asc(Column::Id);
        let (count, rows) = page(self.reader(), select, window).await?;
        Ok((count, PageBytes::cut(rows)))
    }

    /// The number of creators of the organization and those after a position, oldest first.
    pub async fn creators_after(
        &self,
        organization: OrganizationId,
        (after, limit): (Option<&ListPosition>, u64),
    ) -> Result<ListPart<Creator>, CatalogError> {
        let select = Entity::find().filter(Column::OrganizationId.eq(organization.uuid()));
        let count = select.clone().select_only().column(Column::Id).count(self.reader()).await?;
        let keyset = Keyset { column: None, id: Column::Id, is_descending: false };
        let part =
            keyset_part(self.reader(), select, keyset, after, limit, |row| ListPosition::of_id(row.id));
        Ok(ListPart { count: Some(count), ..part.await? })
    }
}

impl Transaction {
    /// One creator of the organization, locked for a change.
    pub async fn creator(
        &self,
        organization: OrganizationId,
        id: CreatorId,
    ) -> Result<Option<Creator>, CatalogError> {
        one(self.db(), by_id(organization, id).lock(TO_CHANGE)).await
    }

    /// Adds a creator.
    pub async fn insert_creator(&self, creator: &Creator) -> Result<(), CatalogError> {
        Entity::insert(ActiveModel::from(creator))
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::Creator))?;
        Ok(())
    }

    /// Updates all columns except the organization and the time of creation. The creator must exist.
    pub async fn update_creator(&self, creator: &Creator) -> Result<(), CatalogError> {
        let mut row = ActiveModel::from(creator);
        (row.id, row.organization_id, row.created_at) = (NotSet, NotSet, NotSet);
        let update = Entity::update_many()
            .set(row)
            .filter(Column::Id.eq(creator.id.uuid()))
            .filter(Column::OrganizationId.eq(creator.organization_id.uuid()));
        change(self.db(), update, Record::Creator).await
    }

    async fn detach_creator(&self, organization: OrganizationId, id: CreatorId) -> Result<u64, CatalogError> {
        let tracks = self.lock_ids(tracks_of(organization, id).limit(DETACHED_AT_ONCE)).await?;
        let collections = collections_of(organization, id).limit(DETACHED_AT_ONCE);
        let collections: Vec<Uuid> = collections.into_tuple().all(self.db()).await?;
        let found = (tracks.len() + collections.len()) as u64;
        let nobody = || Expr::value(None::<Uuid>);
        track::Entity::update_many()
            .col_expr(track::Column::CreatorId, nobody())
            .filter(track::Column::Id.is_in(tracks))
            .exec(self.db())
            .await?;
        collection::Entity::update_many()
            .col_expr(collection::Column::CreatorId, nobody())
            .filter(collection::Column::Id.is_in(collections))
            .exec(self.db())
            .await?;
        Ok(found)
    }

    /// Permanently deletes a creator; records that referred to it then have no creator. Returns it if it existed. Its
    /// tracks and collections are locked first.
    pub async fn delete_creator(
        &self,
        organization: OrganizationId,
        id: CreatorId,
    ) -> Result<Option<Creator>, CatalogError> {
        self.lock_ids(tracks_of(organization, id)).await?;
        collections_of(organization, id).into_tuple::<Uuid>().all(self.db()).await?;
        let found = one_to_end(self.db(), by_id(organization, id).lock(TO_CHANGE)).await?;
        let Some(creator) = found else { return Ok(None) };
        // API keys name a creator, and what is created with a key is attributed to that creator.
        self.note(Change::ApiKeys(organization));
        Entity::delete_by_id(id.uuid()).exec(self.db()).await?;
        Ok(Some(creator))
    }
}
