//! Which stored objects some row speaks of, for the sweep that removes all others.

use std::collections::HashSet;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use tonearm_domain::ObjectKey;

use crate::column::parsed;
use crate::entity::{track, track_file};
use crate::files::BATCH;
use crate::{Catalog, CatalogError};

impl Catalog {
    /// Whether something that is not deleted has this object.
    pub async fn object_is_known(&self, key: &ObjectKey) -> Result<bool, CatalogError> {
        let known = self.known_objects(std::slice::from_ref(key)).await?;
        Ok(!known.is_empty())
    }

    /// Those of the objects that something not deleted has: a track, a file, a collection or an organization. At
    /// most six queries for every 1000.
    pub async fn known_objects(&self, keys: &[ObjectKey]) -> Result<HashSet<ObjectKey>, CatalogError> {
        let mut known = HashSet::new();
        for batch in keys.chunks(BATCH) {
            known.extend(self.covers_among(batch).await?);
            let names: Vec<String> = batch.iter().map(ToString::to_string).collect();
            for name in self.sources_among(&names).await? {
                known.insert(parsed("track.source_key", &name)?);
            }
            for name in self.files_among(&names).await? {
                known.insert(parsed("track_file.object_key", &name)?);
            }
        }
        Ok(known)
    }

    async fn sources_among(&self, names: &[String]) -> Result<Vec<String>, CatalogError> {
        use track::Column;
        let select = track::Entity::find()
            .select_only()
            .column(Column::SourceKey)
            .filter(Column::SourceKey.is_in(names))
            .filter(Column::DeletedAt.is_null());
        Ok(select.into_tuple().all(self.reader()).await?)
    }

    async fn files_among(&self, names: &[String]) -> Result<Vec<String>, CatalogError> {
        use track_file::Column;
        let select = track_file::Entity::find()
            .select_only()
            .column(Column::ObjectKey)
            .filter(Column::ObjectKey.is_in(names))
            .filter(Column::DeletedAt.is_null());
        Ok(select.into_tuple().all(self.reader()).await?)
    }
}
