//! Collections and organizations with covers.

use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use tonearm_domain::{CollectionId, Cover, CoverOwner, CoverSize, OrganizationId, ShortId};
use uuid::Uuid;

use super::{NamedKind, NamedObject};
use crate::catalog::Catalog;
use crate::column::{cover, parsed};
use crate::entity::{collection, organization};
use crate::error::CatalogError;

/// A collection or an organization with a cover, and the cover's objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedOwner {
    /// What it is.
    pub owner: CoverOwner,
    /// Whose it is.
    pub organization_id: OrganizationId,
    /// Its objects.
    pub objects: Vec<NamedObject>,
}

/// Id, organization, folder, and version and origin of the cover.
type CoveredRow = (Uuid, Uuid, String, Option<String>, Option<String>);

impl Catalog {
    /// Collections with covers, in the order of their ids, behind `after`.
    pub async fn covered_collections(
        &self,
        after: Option<CollectionId>,
        limit: u64,
    ) -> Result<Vec<NamedOwner>, CatalogError> {
        use collection::Column::*;
        let kept = Condition::any().add(DeletedAt.is_null()).add(RestorableUntil.is_not_null());
        let select = collection::Entity::find()
            .select_only()
            .columns([Id, OrganizationId, Folder, CoverVersion, CoverOrigin])
            .filter(CoverVersion.is_not_null())
            .filter(Id.gt(after.map_or(Uuid::nil(), CollectionId::uuid)))
            .filter(kept)
            .order_by_asc(Id)
            .limit(limit);
        let rows: Vec<CoveredRow> = select.into_tuple().all(self.reader()).await?;
        rows.into_iter()
            .map(|(id, owner, folder, version, origin)| {
                let owner = tonearm_domain::OrganizationId::from_uuid(owner);
                let folder = parsed("collection.folder", &folder)?;
                let cover = cover("collection.cover_origin", version.as_deref(), origin.as_deref())?;
                Ok(NamedOwner {
                    owner: CoverOwner::Collection(CollectionId::from_uuid(id)),
                    organization_id: owner,
                    objects: cover.map(|cover| sizes(owner, folder, cover)).unwrap_or_default(),
                })
            })
            .collect()
    }

    /// Organizations with covers, in the order of their ids, behind `after`.
    pub async fn covered_organizations(
        &self,
        after: Option<OrganizationId>,
        limit: u64,
    ) -> Result<Vec<NamedOwner>, CatalogError> {
        use organization::Column::*;
        let select = organization::Entity::find()
            .select_only()
            .columns([Id, Folder, CoverVersion, CoverOrigin])
            .filter(CoverVersion.is_not_null())
            .filter(Id.gt(after.map_or(Uuid::nil(), OrganizationId::uuid)))
            .order_by_asc(Id)
            .limit(limit);
        let rows: Vec<(Uuid, String, Option<String>, Option<String>)> =
            select.into_tuple().all(self.reader()).await?;
        rows.into_iter()
            .map(|(id, folder, version, origin)| {
                let id = OrganizationId::from_uuid(id);
                let folder = parsed("organization.folder", &folder)?;
                let cover = cover("organization.cover_origin", version.as_deref(), origin.as_deref())?;
                Ok(NamedOwner {
                    owner: CoverOwner::Organization,
                    organization_id: id,
                    objects: cover.map(|cover| sizes(id, folder, cover)).unwrap_or_default(),
                })
            })
            .collect()
    }
}

/// The sizes that every cover has.
pub(super) fn sizes(organization_id: OrganizationId, folder: ShortId, cover: Cover) -> Vec<NamedObject> {
    let object = |size: CoverSize| NamedObject {
        kind: NamedKind::Cover(cover.origin),
        key: cover.key(organization_id, folder, size),
        size: None,
        sha256: None,
    };
    CoverSize::LISTED.into_iter().map(object).collect()
}
