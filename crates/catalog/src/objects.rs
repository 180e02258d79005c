//! Which stored objects a row refers to. The sweep removes all others.

use std::collections::HashSet;

use sea_orm::sea_query::{Expr, Query};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use tonearm_domain::{ObjectKey, ReplacementState};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::column::parsed;
use crate::covers::covers_among;
use crate::entity::{collection, replaced_object, source_replacement, track, track_file};
use crate::error::CatalogError;
use crate::files::BATCH;
use crate::living::{kept_tracks, of_trashed};
use crate::manifests::manifests_among;
use crate::same_source::sources_among;

impl Catalog {
    /// Whether this object belongs to something that is not deleted or can be restored.
    pub async fn object_is_known(&self, key: &ObjectKey) -> Result<bool, CatalogError> {
        let known = self.known_objects(std::slice::from_ref(key)).await?;
        Ok(!known.is_empty())
    }

    /// Those of the objects that belong to a track, a file, a collection or an organization that is not deleted or can
    /// be restored. Runs at most eight queries for every 1000 objects.
    pub async fn known_objects(&self, keys: &[ObjectKey]) -> Result<HashSet<ObjectKey>, CatalogError> {
        known_among(self.reader(), keys).await
    }
}

/// As [`Catalog::known_objects`], on a connection or in a transaction.
pub(crate) async fn known_among<C: ConnectionTrait>(
    db: &C,
    keys: &[ObjectKey],
) -> Result<HashSet<ObjectKey>, CatalogError> {
    let mut known = HashSet::new();
    for batch in keys.chunks(BATCH) {
        known.extend(covers_among(db, batch).await?);
        known.extend(manifests_among(db, batch).await?);
        let names: Vec<String> = batch.iter().map(ToString::to_string).collect();
        for name in sources_among(db, &names).await? {
            known.insert(parsed("track.source_key", &name)?);
        }
        for name in new_sources_among(db, &names).await? {
            known.insert(parsed("source_replacement.source_key", &name)?);
        }
        for name in files_among(db, &names).await? {
            known.insert(parsed("track_file.object_key", &name)?);
        }
    }
    Ok(known)
}

/// The new sources of replacements that are being processed, of tracks that are not deleted or can be restored.
async fn new_sources_among<C: ConnectionTrait>(
    db: &C,
    names: &[String],
) -> Result<Vec<String>, CatalogError> {
    use source_replacement::{Column, Entity};
    let kept = Query::select().column(track::Column::Id).from(track::Entity).cond_where(kept_tracks()).take();
    let select = Entity::find()
        .select_only()
        .column(Column::SourceKey)
        .filter(Column::SourceKey.is_in(names))
        .filter(Column::State.eq(ReplacementState::Processing.as_str()))
        .filter(Column::TrackId.in_subquery(kept));
    Ok(select.into_tuple().all(db).await?)
}

async fn files_among<C: ConnectionTrait>(db: &C, names: &[String]) -> Result<Vec<String>, CatalogError> {
    use track_file::Column;
    let select = track_file::Entity::find()
        .select_only()
        .column(Column::ObjectKey)
        .filter(Column::ObjectKey.is_in(names))
        .filter(Condition::any().add(Column::DeletedAt.is_null()).add(Expr::exists(of_trashed())));
    Ok(select.into_tuple().all(db).await?)
}

impl Catalog {
    /// Those of the objects that are about to be removed: by a queued purge, or at the end of the day for which a
    /// replaced source is kept.
    pub async fn objects_being_removed(
        &self,
        keys: &[ObjectKey],
    ) -> Result<HashSet<ObjectKey>, CatalogError> {
        let mut found = HashSet::new();
        for batch in keys.chunks(BATCH) {
            let names: Vec<String> = batch.iter().map(ToString::to_string).collect();
            let replaced: Vec<String> = replaced_object::Entity::find()
                .select_only()
                .column(replaced_object::Column::ObjectKey)
                .filter(replaced_object::Column::ObjectKey.is_in(&names))
                .into_tuple()
                .all(self.reader())
                .await?;
            let replaced: HashSet<String> = replaced.into_iter().collect();
            let purged = self.places_being_purged(batch).await?;
            let is_going = |key: &&ObjectKey| {
                replaced.contains(&key.to_string())
                    || purged.contains(&(key.organization_id.uuid(), key.folder.to_string()))
            };
            found.extend(batch.iter().filter(is_going).cloned());
        }
        Ok(found)
    }

    /// Folders of tracks that are deleted for good and not purged yet, and of deleted collections.
    async fn places_being_purged(&self, keys: &[ObjectKey]) -> Result<HashSet<(Uuid, String)>, CatalogError> {
        let owners: HashSet<Uuid> = keys.iter().map(|key| key.organization_id.uuid()).collect();
        let folders: HashSet<&str> = keys.iter().map(|key| key.folder.as_str()).collect();
        use track::Column::{DeletedAt, Index, OrganizationId, PurgedAt};
        let tracks = track::Entity::find()
            .select_only()
            .columns([OrganizationId, Index])
            .filter(OrganizationId.is_in(owners.iter().copied()))
            .filter(Index.is_in(folders.iter().copied()))
            .filter(DeletedAt.is_not_null())
            .filter(PurgedAt.is_null());
        let collections = collection::Entity::find()
            .select_only()
            .columns([collection::Column::OrganizationId, collection::Column::Folder])
            .filter(collection::Column::OrganizationId.is_in(owners.iter().copied()))
            .filter(collection::Column::Folder.is_in(folders.iter().copied()))
            .filter(collection::Column::DeletedAt.is_not_null());
        let mut places: HashSet<(Uuid, String)> =
            tracks.into_tuple().all(self.reader()).await?.into_iter().collect();
        places.extend(collections.into_tuple::<(Uuid, String)>().all(self.reader()).await?);
        Ok(places)
    }
}
