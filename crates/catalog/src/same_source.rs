//! Tracks whose sources have the same bytes, and sources that several tracks share.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use tonearm_domain::{Source, Track};

use crate::catalog::Catalog;
use crate::entity::track::{Column, Entity};
use crate::error::CatalogError;
use crate::living::{kept_tracks, living_track};
use crate::query::readable;

impl Catalog {
    /// The tracks of the organization that are older than this track and whose source has the same bytes: at most
    /// `limit`, the oldest first. Empty if the track has no source.
    pub async fn older_tracks_with_same_source(
        &self,
        track: &Track,
        limit: u64,
    ) -> Result<Vec<Track>, CatalogError> {
        let Some(Source { sha256, .. }) = &track.source else { return Ok(Vec::new()) };
        let select = Entity::find()
            .filter(Column::OrganizationId.eq(track.organization_id.uuid()))
            .filter(Column::SourceSha256.eq(sha256.to_vec()))
            .filter(Column::Id.lt(track.id.uuid()))
            .filter(living_track())
            .order_by_asc(Column::Id)
            .limit(limit);
        readable(self.reader(), select).await
    }
}

/// Those of the objects that are the source of a track that is not deleted, or that can be restored.
pub(crate) async fn sources_among<C: ConnectionTrait>(
    db: &C,
    names: &[String],
) -> Result<Vec<String>, CatalogError> {
    let select = Entity::find()
        .select_only()
        .column(Column::SourceKey)
        .filter(Column::SourceKey.is_in(names))
        .filter(kept_tracks());
    Ok(select.into_tuple().all(db).await?)
}
