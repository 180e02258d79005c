//! Adding a variant to one track.

use tonearm_domain::{
    AnsweredJob, AuditAction, CachePolicy, ErrorCode, Job, JobId, Recipe, RecipeKind, TrackId, VariantIndex,
};

use super::Library;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

impl Library {
    /// Gives a track a variant of its own and queues its rendering.
    ///
    /// Only transcodes and previews can be added. An index that the organization or the track already uses is a
    /// conflict. A track without a source is refused, as there is nothing to make the variant from.
    pub async fn add_variant(
        &self,
        caller: &Caller,
        track_id: TrackId,
        index: VariantIndex,
        kind: RecipeKind,
    ) -> Result<(Recipe, JobId), Refusal> {
        if kind.transcode().is_none() {
            return Err(Refusal::invalid("variant_type_id", "must be transcode or preview"));
        }
        kind.validate().map_err(|error| Refusal::invalid(error.field(), error.to_string()))?;
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let mut track =
            tx.track(organization_id, track_id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, track_id)?;
        if track.source.is_none() {
            return Err(Refusal::Unprocessable {
                code: ErrorCode::NoSource,
                message: "the track has no source file yet; upload it first",
            });
        }
        track.status = track.status.add_variant().map_err(|error| Refusal::Conflict {
            code: ErrorCode::TrackStatus,
            message: error.to_string(),
        })?;
        let recipe = Recipe {
            id: self.ambient.record_id(),
            organization_id,
            track_id: Some(track_id),
            index,
            kind,
            position: 0,
            cache: CachePolicy::Private,
            created_at: self.ambient.now(),
        };
        tx.insert_recipe(&recipe).await?;
        tx.update_track(&track).await?;
        let job_id = self.ambient.record_id();
        let job = Job::ProcessTrack { organization_id, track_id };
        let answered = AnsweredJob {
            id: job_id,
            organization_id,
            kind: job.kind().to_owned(),
            track_id: Some(track_id),
            variant_id: Some(recipe.id),
            created_at: self.ambient.now(),
            ended: None,
        };
        tx.enqueue(job, job_id, self.ambient.now(), None).await?;
        tx.insert_answered_job(&answered).await?;
        let done = AuditedAction {
            action: AuditAction::VariantCreate,
            subject_id: recipe.id.uuid(),
            title: recipe.index.as_str(),
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        Ok((recipe, job_id))
    }
}
