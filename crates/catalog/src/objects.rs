//! Which stored objects some row speaks of, for the sweep that removes all others.

use std::collections::HashSet;

use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect};
use tonearm_domain::{ObjectKey, ReplacementState};

use crate::catalog::Catalog;
use crate::column::parsed;
use crate::entity::{source_replacement, track, track_file};
use crate::error::CatalogError;
use crate::files::BATCH;

/// Living ones, and those that can be taken back.
pub(crate) fn kept_tracks() -> Condition {
    Condition::any().add(track::Column::DeletedAt.is_null()).add(track::Column::RestorableUntil.is_not_null())
}

fn of_trashed() -> SelectStatement {
    let file = Expr::col((track_file::Entity, track_file::Column::TrackId));
    Query::select()
        .expr(Expr::value(1))
        .from(track::Entity)
        .and_where(Expr::col((track::Entity, track::Column::Id)).eq(file))
        .and_where(Expr::col((track::Entity, track::Column::RestorableUntil)).is_not_null())
        .take()
}

impl Catalog {
    /// Whether something that is not deleted, or can be taken back, has this object.
    pub async fn object_is_known(&self, key: &ObjectKey) -> Result<bool, CatalogError> {
        let known = self.known_objects(std::slice::from_ref(key)).await?;
        Ok(!known.is_empty())
    }

    /// Those of the objects that something not deleted has, or something that can be taken back: a track, a file, a
    /// collection or an organization. At most eight queries for every 1000.
    pub async fn known_objects(&self, keys: &[ObjectKey]) -> Result<HashSet<ObjectKey>, CatalogError> {
        let mut known = HashSet::new();
        for batch in keys.chunks(BATCH) {
            known.extend(self.covers_among(batch).await?);
            known.extend(self.manifests_among(batch).await?);
            let names: Vec<String> = batch.iter().map(ToString::to_string).collect();
            for name in self.sources_among(&names).await? {
                known.insert(parsed("track.source_key", &name)?);
            }
            for name in self.new_sources_among(&names).await? {
                known.insert(parsed("source_replacement.source_key", &name)?);
            }
            for name in self.files_among(&names).await? {
                known.insert(parsed("track_file.object_key", &name)?);
            }
        }
        Ok(known)
    }

    /// Of replacements whose files are being made.
    async fn new_sources_among(&self, names: &[String]) -> Result<Vec<String>, CatalogError> {
        use source_replacement::{Column, Entity};
        let select = Entity::find()
            .select_only()
            .column(Column::SourceKey)
            .filter(Column::SourceKey.is_in(names))
            .filter(Column::State.eq(ReplacementState::Processing.as_str()));
        Ok(select.into_tuple().all(self.reader()).await?)
    }

    async fn files_among(&self, names: &[String]) -> Result<Vec<String>, CatalogError> {
        use track_file::Column;
        let select = track_file::Entity::find()
            .select_only()
            .column(Column::ObjectKey)
            .filter(Column::ObjectKey.is_in(names))
            .filter(Condition::any().add(Column::DeletedAt.is_null()).add(Expr::exists(of_trashed())));
        Ok(select.into_tuple().all(self.reader()).await?)
    }
}
