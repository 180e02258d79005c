//! Which files fit into the organization's quota, before any of them is made. A lack of free space is an outage: jobs wait
//! for its end, and it decides on no file.

use tonearm_domain::{FileOutcome, OrganizationId, Recipe, RecipeKind};
use tonearm_media::Output;

use super::run_context::RunContext;
use super::stop::Stop;
use crate::processing::job_error::JobError;
use crate::processing::runner::Processing;

/// Pixels of a picture of the waveform for each byte of its part of a video: little moves from one frame to the next.
const PIXELS_FOR_A_BYTE: u64 = 512;
/// Bytes of a number in levels.
const LEVEL_BYTES: u64 = 32;
/// Bytes of a cover of any size.
const COVER_BYTES: u64 = 256 * 1024;

/// The recipes whose files fit, and the outcomes of those whose files do not.
pub(super) struct Fitting {
    pub(super) recipes: Vec<Recipe>,
    pub(super) refused: Vec<(Recipe, FileOutcome)>,
}

impl Processing {
    /// Refuses sound that lasts too long: a small file can claim an encoder for days.
    pub(super) fn require_duration(&self, seconds: f64) -> Result<(), Stop> {
        let (hours, most) = (seconds / 3600.0, self.longest_hours);
        if most == 0 || hours <= f64::from(most) {
            return Ok(());
        }
        Err(Stop::Source(format!(
            "the file has {hours:.1} hours of sound, and this service takes at most {most} (limits.max_duration_hours); \
             split it, or ask the operator to raise the limit"
        )))
    }

    /// The bytes that an organization may add now. `None` without a quota.
    pub(super) async fn room(&self, organization_id: OrganizationId) -> Result<Option<u64>, JobError> {
        let quotas = self.catalog.quotas(organization_id).await?;
        match quotas.bytes {
            Some(_) => Ok(quotas.remaining_bytes(self.catalog.quota_usage(organization_id).await?)),
            None => Ok(None),
        }
    }

    /// Admits recipes in their order as long as their files fit. What headers claim may be wrong, so files are checked
    /// again before they are stored, and when they are recorded.
    pub(super) async fn fitting(
        &self,
        context: &RunContext<'_>,
        recipes: Vec<Recipe>,
    ) -> Result<Fitting, JobError> {
        let mut quota = self.room(context.track.organization_id).await?;
        let mut fitting = Fitting { recipes: Vec::new(), refused: Vec::new() };
        for recipe in recipes {
            let bytes = most_bytes(context, &recipe.kind);
            match quota.map(|room| room.checked_sub(bytes).ok_or(room)) {
                Some(Err(room)) => {
                    let reason = exceeds_quota(bytes, room);
                    fitting.refused.push((recipe, FileOutcome::Failed { reason }));
                    continue;
                }
                Some(Ok(rest)) => quota = Some(rest),
                None => {}
            }
            fitting.recipes.push(recipe);
        }
        Ok(fitting)
    }
}

/// Why a file does not fit into a quota.
pub(super) fn exceeds_quota(bytes: u64, room: u64) -> String {
    format!(
        "this file has up to {bytes} bytes, and the organization's quota has room for {room}; delete tracks, or ask the \
         operator to raise the quota, then retry"
    )
}

/// The most bytes that are stored for a file; few if nothing declares how long the sound lasts.
fn most_bytes(context: &RunContext<'_>, kind: &RecipeKind) -> u64 {
    let probe = &context.probe;
    let measured = context.track.duration;
    let duration = if measured > 0.0 { measured } else { probe.declared_seconds() };
    let sound = |kind: &RecipeKind| Output::of(kind, duration).map_or(0, |it| it.most_bytes(probe, duration));
    match kind {
        RecipeKind::Transcode(_) | RecipeKind::Preview(_) => sound(kind),
        RecipeKind::Original {} if context.local.source.key.folder == context.track.index => 0,
        RecipeKind::Original {} => context.local.source.size,
        RecipeKind::Levels(settings) => {
            let peaks = duration * f64::from(probe.sample_rate) / f64::from(settings.samples_per_pixel);
            let numbers = u64::from(settings.num_samples).max(peaks as u64 * u64::from(probe.channels));
            numbers * LEVEL_BYTES
        }
        RecipeKind::WaveformImage(settings) => u64::from(settings.width) * u64::from(settings.height) * 4,
        RecipeKind::WaveformVideo(settings) => {
            let frames = (duration * f64::from(settings.frame_rate)) as u64;
            let picture = u64::from(settings.width) * u64::from(settings.height) / PIXELS_FOR_A_BYTE;
            frames * picture + sound(&RecipeKind::Transcode(settings.sound()))
        }
        RecipeKind::Cover(_) => COVER_BYTES,
    }
}
