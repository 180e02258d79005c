//! Progress of tracks that are being processed: the `track_progress` table.

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};
use tonearm_domain::{Job, OrganizationId, Timestamp, TrackId, TrackProgress, TrackStatus, VariantId};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::column::{decoded, encoded, parsed};
use crate::entity::track_progress::{ActiveModel, Column, Entity};
use crate::entity::{job, track};
use crate::error::CatalogError;
use crate::living::living_track;
use crate::transaction::Transaction;

/// The maximum number of tracks being processed that are returned at once.
const MOST: u64 = 200;

impl Catalog {
    /// Records the progress of a track. Runs in a statement of its own: progress is written often, and losing one
    /// record does no harm.
    pub async fn put_track_progress(
        &self,
        track: TrackId,
        progress: &TrackProgress,
        now: Timestamp,
    ) -> Result<(), CatalogError> {
        let row = ActiveModel {
            track_id: Set(track.uuid()),
            progress: Set(encoded("track_progress.progress", progress)?),
            updated_at: Set(now.unix_millis()),
        };
        let replace = OnConflict::column(Column::TrackId)
            .update_columns([Column::Progress, Column::UpdatedAt])
            .to_owned();
        Entity::insert(row).on_conflict(replace).exec_without_returning(self.writer()).await?;
        Ok(())
    }

    /// The progress of a track, if a worker is processing it and has reported any.
    pub async fn track_progress(&self, track: TrackId) -> Result<Option<TrackProgress>, CatalogError> {
        let row = Entity::find_by_id(track.uuid()).one(self.reader()).await?;
        row.map(|row| decoded("track_progress.progress", row.progress)).transpose()
    }

    /// The organization's tracks that wait for processing or are being processed, oldest first, at most 200, and the
    /// progress of each. With `among`, only those of these tracks.
    pub async fn tracks_in_the_making(
        &self,
        organization: OrganizationId,
        among: Option<&[TrackId]>,
    ) -> Result<Vec<(TrackId, TrackStatus, Option<TrackProgress>)>, CatalogError> {
        let in_the_making = TrackStatus::ALL.into_iter().filter(|status| status.is_processing());
        let among = among.map(|ids| track::Column::Id.is_in(ids.iter().map(|id| id.uuid())));
        let tracks: Vec<(Uuid, String)> = track::Entity::find()
            .select_only()
            .columns([track::Column::Id, track::Column::TrackStatusId])
            .filter(track::Column::OrganizationId.eq(organization.uuid()))
            .filter(track::Column::TrackStatusId.is_in(in_the_making.map(TrackStatus::as_str)))
            .filter(Condition::all().add_option(among))
            .filter(living_track())
            .order_by_asc(track::Column::Id)
            .limit(MOST)
            .into_tuple()
            .all(self.reader())
            .await?;
        if tracks.is_empty() {
            return Ok(Vec::new());
        }
        let ids = tracks.iter().map(|(id, _)| *id);
        let mut reported: std::collections::HashMap<Uuid, _> = Entity::find()
            .filter(Column::TrackId.is_in(ids))
            .all(self.reader())
            .await?
            .into_iter()
            .map(|row| (row.track_id, row.progress))
            .collect();
        tracks
            .into_iter()
            .map(|(id, status)| {
                let progress = reported.remove(&id);
                // Progress that cannot be read is about to be written again.
                let progress = progress.and_then(|json| decoded("track_progress.progress", json).ok());
                let status = parsed("track.track_status_id", &status)?;
                Ok((TrackId::from_uuid(id), status, progress))
            })
            .collect()
    }

    /// The renderings of the organization's recipes that are running now, at most 200: the recipe and the progress of
    /// each.
    pub async fn renderings_in_the_making(
        &self,
        organization: OrganizationId,
        now: Timestamp,
    ) -> Result<Vec<(VariantId, TrackProgress)>, CatalogError> {
        let leased: Vec<(Option<Uuid>, sea_orm::JsonValue)> = job::Entity::find()
            .select_only()
            .columns([job::Column::TrackId, job::Column::Payload])
            .filter(job::Column::LeaseId.is_not_null())
            .filter(job::Column::FailedAt.is_null())
            .filter(Expr::col(job::Column::LeasedUntil).gt(self.due_clock().now(now)))
            .filter(job::Column::OrganizationId.eq(organization.uuid()))
            .filter(job::Column::Kind.eq(Job::RENDER_TRACK))
            .order_by_asc(job::Column::LeasedUntil)
            .limit(MOST)
            .into_tuple()
            .all(self.reader())
            .await?;
        if leased.is_empty() {
            return Ok(Vec::new());
        }
        let ids = leased.iter().filter_map(|(id, _)| *id);
        let reported = Entity::find().filter(Column::TrackId.is_in(ids)).all(self.reader()).await?;
        let mut found = Vec::new();
        for (track_id, payload) in leased {
            let Ok(Job::RenderTrack { variant_id, .. }) = decoded("job.payload", payload) else { continue };
            let own = reported.iter().find(|row| Some(row.track_id) == track_id);
            let progress = own.and_then(|row| decoded("track_progress.progress", row.progress.clone()).ok());
            found.push((variant_id, progress.unwrap_or_default()));
        }
        Ok(found)
    }
}

impl Transaction {
    /// Deletes the progress of a track, once its files show its state.
    pub async fn delete_track_progress(&self, track: TrackId) -> Result<(), CatalogError> {
        Entity::delete_by_id(track.uuid()).exec(self.db()).await?;
        Ok(())
    }
}
