//! Covers of tracks, collections and organizations: which of their objects are in use, and what a purge leaves.

use std::collections::HashSet;

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, Select};
use tonearm_domain::{Collection, CollectionId, Cover, ObjectKey, OrganizationId, TrackId};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::entity::{collection, organization, track};
use crate::error::CatalogError;
use crate::living::kept_tracks;
use crate::query::one;
use crate::transaction::Transaction;

/// The organization, folder and version that are the same in the names of all files of one cover.
type CoverName = (Uuid, String, String);

fn name_of(key: &ObjectKey) -> CoverName {
    (key.organization_id.uuid(), key.folder.to_string(), key.file.version.to_string())
}

impl Catalog {
    /// One collection of the organization, even if it is deleted, for removing its objects.
    pub async fn collection_even_deleted(
        &self,
        organization: OrganizationId,
        id: CollectionId,
    ) -> Result<Option<Collection>, CatalogError> {
        use collection::Column;
        let select =
            collection::Entity::find_by_id(id.uuid()).filter(Column::OrganizationId.eq(organization.uuid()));
        one(self.reader(), select).await
    }
}

impl Catalog {
    /// What a track's own cover was made from; none if that is not known.
    pub async fn cover_basis(&self, track: TrackId) -> Result<Option<String>, CatalogError> {
        cover_basis(self.reader(), track).await
    }
}

impl Transaction {
    /// As [`Catalog::cover_basis`].
    pub async fn cover_basis(&self, track: TrackId) -> Result<Option<String>, CatalogError> {
        cover_basis(self.db(), track).await
    }

    /// Records what a track's own cover was made from.
    pub async fn put_cover_basis(&self, track: TrackId, basis: Option<&str>) -> Result<(), CatalogError> {
        track::Entity::update_many()
            .col_expr(track::Column::CoverBasis, Expr::value(basis.map(ToOwned::to_owned)))
            .filter(track::Column::Id.eq(track.uuid()))
            .exec(self.db())
            .await?;
        Ok(())
    }
}

async fn cover_basis<C: ConnectionTrait>(db: &C, track: TrackId) -> Result<Option<String>, CatalogError> {
    let select = track::Entity::find_by_id(track.uuid()).select_only().column(track::Column::CoverBasis);
    Ok(select.into_tuple::<Option<String>>().one(db).await?.flatten())
}

/// The given objects that are files of a cover in use. The database does not list the files of a cover: their names
/// consist of its version and the folder of its owner.
pub(crate) async fn covers_among<C: ConnectionTrait>(
    db: &C,
    keys: &[ObjectKey],
) -> Result<Vec<ObjectKey>, CatalogError> {
    let labels = Cover::labels();
    let covers: Vec<&ObjectKey> = keys.iter().filter(|key| labels.contains(&key.file.label)).collect();
    let versions: HashSet<String> = covers.iter().map(|key| key.file.version.to_string()).collect();
    if versions.is_empty() {
        return Ok(Vec::new());
    }
    let mut in_use = names(db, of_tracks(&versions)).await?;
    in_use.extend(names(db, drawn_for_tracks(&versions)).await?);
    in_use.extend(names(db, of_collections(&versions)).await?);
    in_use.extend(names(db, of_organizations(&versions)).await?);
    Ok(covers.into_iter().filter(|key| in_use.contains(&name_of(key))).cloned().collect())
}

async fn names<C: ConnectionTrait, E: EntityTrait>(
    db: &C,
    select: Select<E>,
) -> Result<HashSet<CoverName>, CatalogError> {
    Ok(select.into_tuple::<CoverName>().all(db).await?.into_iter().collect())
}

fn of_tracks(versions: &HashSet<String>) -> Select<track::Entity> {
    use track::Column;
    track::Entity::find()
        .select_only()
        .columns([Column::OrganizationId, Column::Index, Column::CoverVersion])
        .filter(Column::CoverVersion.is_in(versions))
        .filter(kept_tracks())
}

fn drawn_for_tracks(versions: &HashSet<String>) -> Select<track::Entity> {
    use track::Column;
    track::Entity::find()
        .select_only()
        .columns([Column::OrganizationId, Column::Index, Column::PlaceholderVersion])
        .filter(Column::PlaceholderVersion.is_in(versions))
        .filter(kept_tracks())
}

fn of_collections(versions: &HashSet<String>) -> Select<collection::Entity> {
    use collection::Column;
    collection::Entity::find()
        .select_only()
        .columns([Column::OrganizationId, Column::Folder, Column::CoverVersion])
        .filter(Column::CoverVersion.is_in(versions))
        .filter(Condition::any().add(Column::DeletedAt.is_null()).add(Column::RestorableUntil.is_not_null()))
}

fn of_organizations(versions: &HashSet<String>) -> Select<organization::Entity> {
    use organization::Column;
    organization::Entity::find()
        .select_only()
        .columns([Column::Id, Column::Folder, Column::CoverVersion])
        .filter(Column::CoverVersion.is_in(versions))
}
