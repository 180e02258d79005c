//! Making lost files again from their sources, through the jobs that normally make them.

use std::collections::BTreeMap;

use tonearm_catalog::{NamedKind, NewJob};
use tonearm_domain::{
    AuditAction, CoverOwner, Job, ObjectKey, OrganizationId, ShortId, Track, TrackId, VariantId,
};

use super::finding::{Remedy, Subject, is_found_cover, is_makeable};
use super::{Run, VerifyError};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::library::covers;
use crate::processing::manifests;

impl Run<'_> {
    /// Reports damage track by track, and queues the repair of what can be made again.
    pub(super) async fn report_damage(&mut self, subjects: Vec<Subject>) -> Result<(), VerifyError> {
        let mut tracks: BTreeMap<TrackId, Vec<Subject>> = BTreeMap::new();
        for subject in subjects {
            tracks.entry(subject.track).or_default().push(subject);
        }
        for (track, subjects) in tracks {
            let has_source = !subjects.iter().any(|subject| subject.object.kind == NamedKind::Source);
            let remedied = self.terms.repairs && has_source && self.queue_remaking(track, &subjects).await?;
            for subject in &subjects {
                let remedy = match is_makeable(subject.object.kind) && has_source {
                    false => Remedy::Lost,
                    true if remedied => Remedy::Queued,
                    true if self.terms.repairs => Remedy::Busy,
                    true => Remedy::Repairable,
                };
                self.report(&subject.finding(remedy));
            }
        }
        Ok(())
    }

    /// Queues the jobs that make these objects again. Returns `false` if the track is deleted or is being processed.
    async fn queue_remaking(&self, id: TrackId, subjects: &[Subject]) -> Result<bool, VerifyError> {
        let Some(organization_id) = subjects.first().map(|subject| subject.object.key.organization_id) else {
            return Ok(false);
        };
        if !subjects.iter().any(|subject| is_makeable(subject.object.kind)) {
            return Ok(false);
        }
        let (catalog, ambient) = (&self.all.catalog, &self.all.ambient);
        let tx = catalog.begin().await?;
        let track = tx.track(organization_id, id).await?;
        let Some(mut track) = track.filter(|track| track.source.is_some() && track.status.is_final()) else {
            return Ok(false);
        };
        let (keys, variants) = lost_files(subjects);
        tx.delete_lost_files(id, &keys).await?;
        let (now, job_id) = (ambient.now(), || ambient.record_id());
        let jobs = variants.into_iter().map(|variant_id| {
            let job = Job::RenderTrack { organization_id, track_id: id, variant_id, run: None };
            NewJob::new(job, job_id(), now)
        });
        tx.enqueue_all(jobs.collect()).await?;
        let pictures = give_up_pictures(&mut track, subjects);
        if pictures != LostPictures::default() {
            tx.update_track(&track).await?;
        }
        if pictures.cover {
            covers::queue_rest(&tx, ambient, organization_id, CoverOwner::Track(id)).await?;
        }
        if pictures.placeholder {
            let job = Job::DrawPlaceholder { organization_id, track_id: id };
            tx.enqueue(job, ambient.record_id(), now, None).await?;
        }
        if subjects.iter().any(|subject| subject.object.kind == NamedKind::Manifest) || !keys.is_empty() {
            manifests::queue(&tx, ambient, &track).await?;
        }
        self.note(&tx, organization_id, id, &track.file_name).await?;
        tx.commit().await?;
        Ok(true)
    }

    async fn note(
        &self,
        tx: &tonearm_catalog::Transaction,
        organization_id: OrganizationId,
        id: TrackId,
        title: &str,
    ) -> Result<(), VerifyError> {
        let action = AuditedAction { action: AuditAction::TrackRetry, subject_id: id.uuid(), title };
        Ok(audit::record(tx, &self.all.ambient, &Caller::owner(organization_id), action).await?)
    }
}

fn lost_files(subjects: &[Subject]) -> (Vec<ObjectKey>, Vec<VariantId>) {
    let files = subjects.iter().filter_map(|subject| match subject.object.kind {
        NamedKind::File(variant) => Some((subject.object.key.clone(), variant)),
        _ => None,
    });
    files.unzip()
}

/// Which pictures a track has lost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct LostPictures {
    /// The cover. The job that makes it draws a placeholder too.
    cover: bool,
    /// The placeholder drawn beside another cover.
    placeholder: bool,
}

/// Removes lost pictures that the track still names, so that they are made again under other names.
fn give_up_pictures(track: &mut Track, subjects: &[Subject]) -> LostPictures {
    let is_lost = |version: ShortId, is_kind: fn(NamedKind) -> bool| {
        let mut lost = subjects.iter().filter(|subject| is_kind(subject.object.kind));
        lost.any(|subject| subject.object.key.file.version == version)
    };
    let mut lost = LostPictures::default();
    if let Some(cover) = track.cover
        && is_lost(cover.version, is_found_cover)
    {
        lost.cover = true;
        track.cover = None;
        // A drawn cover is its own placeholder.
        track.placeholder = track.placeholder.filter(|version| *version != cover.version);
    }
    if track.placeholder.is_some_and(|version| is_lost(version, |kind| kind == NamedKind::Placeholder)) {
        lost.placeholder = true;
        track.placeholder = None;
    }
    lost
}
