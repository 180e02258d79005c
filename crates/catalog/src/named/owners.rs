//! Collections and organizations with covers.

use std::collections::HashSet;

use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, JsonValue, QueryFilter, QueryOrder, QuerySelect,
    Select,
};
use tonearm_domain::{CollectionId, Cover, CoverOwner, CoverSize, ObjectKey, OrganizationId, ShortId};
use uuid::Uuid;

use super::{CoverObjects, NamedKind, NamedObject};
use crate::catalog::Catalog;
use crate::column::{cover, parsed};
use crate::entity::{collection, organization};
use crate::error::CatalogError;
use crate::query::{first_read_columns, read_columns};

/// A collection or an organization with a cover, and the cover's objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedOwner {
    /// The collection or organization.
    pub owner: CoverOwner,
    /// The organization that it belongs to.
    pub organization_id: OrganizationId,
    /// The objects of the cover.
    pub objects: Vec<NamedObject>,
}

/// Id, organization, folder, version and origin of the cover, and what is recorded about its files.
type CollectionRow = (Uuid, Uuid, String, Option<String>, Option<String>, Option<JsonValue>);

type OrganizationRow = (Uuid, String, Option<String>, Option<String>, Option<JsonValue>);

impl Catalog {
    /// Collections with covers, ordered by id, after `after`.
    pub async fn covered_collections(
        &self,
        after: Option<CollectionId>,
        limit: u64,
    ) -> Result<Vec<NamedOwner>, CatalogError> {
        covered_collections(self.reader(), after, limit).await
    }

    /// Organizations with covers, ordered by id, after `after`.
    pub async fn covered_organizations(
        &self,
        after: Option<OrganizationId>,
        limit: u64,
    ) -> Result<Vec<NamedOwner>, CatalogError> {
        covered_organizations(self.reader(), after, limit).await
    }
}

/// As [`Catalog::covered_collections`].
pub(crate) async fn covered_collections<C: ConnectionTrait>(
    db: &C,
    after: Option<CollectionId>,
    limit: u64,
) -> Result<Vec<NamedOwner>, CatalogError> {
    let select = collections()
        .filter(collection::Column::CoverVersion.is_not_null())
        .filter(collection::Column::Id.gt(after.map_or(Uuid::nil(), CollectionId::uuid)))
        .order_by_asc(collection::Column::Id);
    first_read_columns(db, select, limit, of_collection).await
}

/// As [`Catalog::covered_organizations`].
pub(crate) async fn covered_organizations<C: ConnectionTrait>(
    db: &C,
    after: Option<OrganizationId>,
    limit: u64,
) -> Result<Vec<NamedOwner>, CatalogError> {
    let select = organizations()
        .filter(organization::Column::CoverVersion.is_not_null())
        .filter(organization::Column::Id.gt(after.map_or(Uuid::nil(), OrganizationId::uuid)))
        .order_by_asc(organization::Column::Id);
    first_read_columns(db, select, limit, of_organization).await
}

/// Returns those of up to 1000 objects that are covers of collections and organizations, with what is recorded about
/// them.
pub(crate) async fn owner_covers_among<C: ConnectionTrait>(
    db: &C,
    keys: &[ObjectKey],
) -> Result<Vec<NamedObject>, CatalogError> {
    let labels = CoverSize::LISTED.map(Cover::label);
    let covers = keys.iter().filter(|key| labels.contains(&key.file.label));
    let versions: HashSet<String> = covers.map(|key| key.file.version.to_string()).collect();
    if versions.is_empty() {
        return Ok(Vec::new());
    }
    let select = collections().filter(collection::Column::CoverVersion.is_in(&versions));
    let (_, mut owners) = read_columns(db, select, of_collection).await?;
    let select = organizations().filter(organization::Column::CoverVersion.is_in(&versions));
    owners.extend(read_columns(db, select, of_organization).await?.1);
    let sought: HashSet<&ObjectKey> = keys.iter().collect();
    let objects = owners.into_iter().flat_map(|owner| owner.objects);
    Ok(objects.filter(|object| sought.contains(&object.key)).collect())
}

fn collections() -> Select<collection::Entity> {
    use collection::Column::*;
    let kept = Condition::any().add(DeletedAt.is_null()).add(RestorableUntil.is_not_null());
    let columns = [Id, OrganizationId, Folder, CoverVersion, CoverOrigin, CoverObjects];
    collection::Entity::find().select_only().columns(columns).filter(kept)
}

fn of_collection(row: CollectionRow) -> Result<NamedOwner, CatalogError> {
    let (id, owner, folder, version, origin, recorded) = row;
    let organization_id = OrganizationId::from_uuid(owner);
    let folder = parsed("collection.folder", &folder)?;
    let cover = cover("collection.cover_origin", version.as_deref(), origin.as_deref())?;
    Ok(NamedOwner {
        owner: CoverOwner::Collection(CollectionId::from_uuid(id)),
        organization_id,
        objects: described("collection.cover_objects", (organization_id, folder), cover, recorded)?,
    })
}

fn organizations() -> Select<organization::Entity> {
    use organization::Column::*;
    let columns = [Id, Folder, CoverVersion, CoverOrigin, CoverObjects];
    organization::Entity::find().select_only().columns(columns)
}

fn of_organization(row: OrganizationRow) -> Result<NamedOwner, CatalogError> {
    let (id, folder, version, origin, recorded) = row;
    let organization_id = OrganizationId::from_uuid(id);
    let folder = parsed("organization.folder", &folder)?;
    let cover = cover("organization.cover_origin", version.as_deref(), origin.as_deref())?;
    Ok(NamedOwner {
        owner: CoverOwner::Organization,
        organization_id,
        objects: described("organization.cover_objects", (organization_id, folder), cover, recorded)?,
    })
}

/// The objects of a cover, with what `column` records about them.
fn described(
    column: &'static str,
    (organization_id, folder): (OrganizationId, ShortId),
    cover: Option<Cover>,
    recorded: Option<JsonValue>,
) -> Result<Vec<NamedObject>, CatalogError> {
    let mut objects = cover.map(|cover| sizes(organization_id, folder, cover)).unwrap_or_default();
    CoverObjects::of_column(column, recorded)?.describe(column, &mut objects)?;
    Ok(objects)
}

/// The objects of the sizes that every cover has, without recorded lengths and hashes.
pub(super) fn sizes(organization_id: OrganizationId, folder: ShortId, cover: Cover) -> Vec<NamedObject> {
    let object = |size: CoverSize| NamedObject {
        kind: NamedKind::Cover(cover.origin),
        key: cover.key(organization_id, folder, size),
        size: None,
        sha256: None,
    };
    CoverSize::LISTED.into_iter().map(object).collect()
}
