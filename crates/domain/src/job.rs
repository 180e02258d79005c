//! Background jobs.

use serde::{Deserialize, Serialize};

use crate::cover::CoverOwner;
use crate::derived::Derived;
use crate::job_queue::JobQueue;
use crate::timestamp::Timestamp;
use crate::{CollectionId, OrganizationId, ReplacementId, TrackId, VariantId};

/// A background job. Every job is idempotent: running it twice has the same effect as running it once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Job {
    /// Probe a track's source and render its recipes.
    ProcessTrack {
        /// The organization that owns the track.
        organization_id: OrganizationId,
        /// The track.
        track_id: TrackId,
    },
    /// Render one recipe for the tracks that existed before it. Queued by earlier versions.
    RenderExisting {
        /// The organization that owns the recipe.
        organization_id: OrganizationId,
        /// The recipe.
        variant_id: VariantId,
    },
    /// Queue the rendering of one recipe for each of the tracks that existed before it.
    QueueRendering {
        /// The organization that owns the recipe.
        organization_id: OrganizationId,
        /// The recipe.
        variant_id: VariantId,
    },
    /// Render one recipe for one track that existed before it.
    RenderTrack {
        /// The organization that owns the track.
        organization_id: OrganizationId,
        /// The track.
        track_id: TrackId,
        /// The recipe.
        variant_id: VariantId,
        /// The rendering that counts this track, identified by its start; none if the track was counted already.
        run: Option<Timestamp>,
    },
    /// Give up a track whose upload URL expired unused.
    ExpireUpload {
        /// The organization that owns the track.
        organization_id: OrganizationId,
        /// The track.
        track_id: TrackId,
    },
    /// Import a track's source from its URL.
    ImportSource {
        /// The organization that owns the track.
        organization_id: OrganizationId,
        /// The track.
        track_id: TrackId,
    },
    /// Render the files of a track from a new source. They then replace the existing files.
    ReplaceSource {
        /// The organization that owns the track.
        organization_id: OrganizationId,
        /// The track.
        track_id: TrackId,
        /// The replacement. A newer one may have superseded it.
        replacement_id: ReplacementId,
    },
    /// Transcribe a track.
    TranscribeTrack {
        /// The organization that owns the track.
        organization_id: OrganizationId,
        /// The track.
        track_id: TrackId,
    },
    /// Finish a cover that is in use: render its WebP versions, and the cover files derived from it.
    FinishCover {
        /// The organization that owns the cover.
        organization_id: OrganizationId,
        /// The owner of the cover.
        owner: CoverOwner,
    },
    /// Queue the jobs that make derived things again for the tracks of a collection or an organization.
    DeriveAgain {
        /// The organization that owns the tracks.
        organization_id: OrganizationId,
        /// The collection; none for all tracks of the organization.
        collection_id: Option<CollectionId>,
        /// What is made again.
        things: Vec<Derived>,
        /// The last track that was queued. Tracks are queued in the order of their ids.
        cursor: Option<TrackId>,
    },
    /// Draw the placeholder of a track again after the store lost it.
    DrawPlaceholder {
        /// The organization that owns the track.
        organization_id: OrganizationId,
        /// The track.
        track_id: TrackId,
    },
    /// Publish a track's manifest, which maps its durable names to objects for nodes without a catalog.
    PublishManifest {
        /// The organization that owns the track.
        organization_id: OrganizationId,
        /// The track.
        track_id: TrackId,
    },
    /// Publish the manifests of all tracks created by versions that did not publish them.
    PublishManifests {},
    /// Remove the objects of a deleted track.
    PurgeTrack {
        /// The organization that owns the track.
        organization_id: OrganizationId,
        /// The track.
        track_id: TrackId,
    },
    /// Queue the purge of each track of a deleted collection, and then that of the collection.
    EmptyCollection {
        /// The organization that owns the collection.
        organization_id: OrganizationId,
        /// The collection.
        collection_id: CollectionId,
    },
    /// Queue the jobs again that the tracks of a restored collection wait for.
    ResumeCollection {
        /// The organization that owns the collection.
        organization_id: OrganizationId,
        /// The collection.
        collection_id: CollectionId,
        /// The last track that was processed. Tracks are processed in the order of their ids.
        cursor: Option<TrackId>,
    },
    /// Remove the files of a recipe that is being removed.
    RemoveRecipe {
        /// The organization that owns the recipe.
        organization_id: OrganizationId,
        /// The recipe.
        variant_id: VariantId,
    },
    /// Remove a deleted collection's own objects.
    PurgeCollection {
        /// The organization that owns the collection.
        organization_id: OrganizationId,
        /// The collection.
        collection_id: CollectionId,
    },
    /// Remove objects that no row names, such as those left behind by killed processes.
    SweepObjects {},
    /// Remove expired rows, such as sessions and stored responses.
    ForgetExpired {},
}

impl Job {
    /// The kind as text, as in SQL and logs.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ProcessTrack { .. } => Self::PROCESS_TRACK,
            Self::RenderExisting { .. } => "render_existing",
            Self::QueueRendering { .. } => "queue_rendering",
            Self::RenderTrack { .. } => Self::RENDER_TRACK,
            Self::ExpireUpload { .. } => Self::EXPIRE_UPLOAD,
            Self::ImportSource { .. } => Self::IMPORT_SOURCE,
            Self::ReplaceSource { .. } => "replace_source",
            Self::TranscribeTrack { .. } => "transcribe_track",
            Self::FinishCover { .. } => "finish_cover",
            Self::DeriveAgain { .. } => "derive_again",
            Self::DrawPlaceholder { .. } => "draw_placeholder",
            Self::PublishManifest { .. } => Self::PUBLISH_MANIFEST,
            Self::PublishManifests {} => "publish_manifests",
            Self::PurgeTrack { .. } => "purge_track",
            Self::EmptyCollection { .. } => "empty_collection",
            Self::ResumeCollection { .. } => "resume_collection",
            Self::RemoveRecipe { .. } => "remove_recipe",
            Self::PurgeCollection { .. } => "purge_collection",
            Self::SweepObjects {} => "sweep_objects",
            Self::ForgetExpired {} => "forget_expired",
        }
    }

    /// The kind of [`Job::ProcessTrack`].
    pub const PROCESS_TRACK: &'static str = "process_track";

    /// The kind of [`Job::RenderTrack`].
    pub const RENDER_TRACK: &'static str = "render_track";

    /// The kind of [`Job::ExpireUpload`].
    pub const EXPIRE_UPLOAD: &'static str = "expire_upload";

    /// The kind of [`Job::ImportSource`].
    pub const IMPORT_SOURCE: &'static str = "import_source";

    /// The kind of [`Job::PublishManifest`].
    pub const PUBLISH_MANIFEST: &'static str = "publish_manifest";

    /// Every kind. A job of another kind is left to a version that knows it.
    pub const KINDS: [&str; 20] = [
        Self::PROCESS_TRACK,
        "render_existing",
        "queue_rendering",
        Self::RENDER_TRACK,
        Self::EXPIRE_UPLOAD,
        Self::IMPORT_SOURCE,
        "replace_source",
        "transcribe_track",
        "finish_cover",
        "derive_again",
        "draw_placeholder",
        Self::PUBLISH_MANIFEST,
        "publish_manifests",
        "purge_track",
        "empty_collection",
        "resume_collection",
        "remove_recipe",
        "purge_collection",
        "sweep_objects",
        "forget_expired",
    ];

    /// Whether it may be dropped: what waits for it ends then, or it is queued again regularly. The others do what was
    /// decided already, such as a deletion, and without them nobody does.
    pub const fn may_be_dropped(&self) -> bool {
        match self {
            Self::ProcessTrack { .. }
            | Self::RenderExisting { .. }
            | Self::QueueRendering { .. }
            | Self::RenderTrack { .. }
            | Self::ImportSource { .. }
            | Self::ReplaceSource { .. }
            | Self::TranscribeTrack { .. }
            | Self::SweepObjects {}
            | Self::ForgetExpired {} => true,
            Self::ExpireUpload { .. }
            | Self::FinishCover { .. }
            | Self::DeriveAgain { .. }
            | Self::DrawPlaceholder { .. }
            | Self::PublishManifest { .. }
            | Self::PublishManifests {}
            | Self::PurgeTrack { .. }
            | Self::EmptyCollection { .. }
            | Self::ResumeCollection { .. }
            | Self::RemoveRecipe { .. }
            | Self::PurgeCollection { .. } => false,
        }
    }

    /// The queue that it waits in.
    pub const fn queue(&self) -> JobQueue {
        match self {
            Self::ProcessTrack { .. }
            | Self::ReplaceSource { .. }
            | Self::FinishCover { .. }
            | Self::PublishManifest { .. } => JobQueue::Uploads,
            Self::RenderExisting { .. }
            | Self::QueueRendering { .. }
            | Self::RenderTrack { .. }
            | Self::DeriveAgain { .. }
            | Self::DrawPlaceholder { .. } => JobQueue::Renderings,
            Self::ImportSource { .. } => JobQueue::Imports,
            Self::TranscribeTrack { .. } => JobQueue::Transcriptions,
            Self::ExpireUpload { .. }
            | Self::PublishManifests {}
            | Self::PurgeTrack { .. }
            | Self::EmptyCollection { .. }
            | Self::ResumeCollection { .. }
            | Self::RemoveRecipe { .. }
            | Self::PurgeCollection { .. }
            | Self::SweepObjects {}
            | Self::ForgetExpired {} => JobQueue::Maintenance,
        }
    }

    /// The organization that it belongs to; `None` for jobs that concern all organizations.
    pub const fn organization_id(&self) -> Option<OrganizationId> {
        match self {
            Self::ProcessTrack { organization_id, .. }
            | Self::RenderExisting { organization_id, .. }
            | Self::QueueRendering { organization_id, .. }
            | Self::RenderTrack { organization_id, .. }
            | Self::ExpireUpload { organization_id, .. }
            | Self::ImportSource { organization_id, .. }
            | Self::ReplaceSource { organization_id, .. }
            | Self::TranscribeTrack { organization_id, .. }
            | Self::FinishCover { organization_id, .. }
            | Self::DeriveAgain { organization_id, .. }
            | Self::DrawPlaceholder { organization_id, .. }
            | Self::PublishManifest { organization_id, .. }
            | Self::PurgeTrack { organization_id, .. }
            | Self::EmptyCollection { organization_id, .. }
            | Self::ResumeCollection { organization_id, .. }
            | Self::RemoveRecipe { organization_id, .. }
            | Self::PurgeCollection { organization_id, .. } => Some(*organization_id),
            Self::PublishManifests {} | Self::SweepObjects {} | Self::ForgetExpired {} => None,
        }
    }

    /// The organization whose turn a claim of this job uses; [`Job::SYSTEM`] for jobs that concern all organizations.
    pub const fn turn_of(&self) -> OrganizationId {
        match self.organization_id() {
            Some(organization) => organization,
            None => Self::SYSTEM,
        }
    }

    /// A reserved id for system jobs. It takes turns like an organization, after all others.
    pub const SYSTEM: OrganizationId = OrganizationId::from_uuid(uuid::Uuid::max());

    /// The track that it works on, if it is a single one.
    pub const fn track_id(&self) -> Option<TrackId> {
        match self {
            Self::ProcessTrack { track_id, .. }
            | Self::RenderTrack { track_id, .. }
            | Self::ExpireUpload { track_id, .. }
            | Self::ImportSource { track_id, .. }
            | Self::ReplaceSource { track_id, .. }
            | Self::TranscribeTrack { track_id, .. }
            | Self::DrawPlaceholder { track_id, .. }
            | Self::PublishManifest { track_id, .. }
            | Self::PurgeTrack { track_id, .. }
            | Self::FinishCover { owner: CoverOwner::Track(track_id), .. } => Some(*track_id),
            _ => None,
        }
    }

    /// How many failures of third-party servers are tolerated before the job is given up. Outages of the service's own
    /// parts do not count: the job waits for as long as they last.
    pub const fn max_failures(&self) -> u32 {
        match self {
            Self::ProcessTrack { .. } | Self::ReplaceSource { .. } => 4,
            // The retries take about an hour and a half. After that, reporting the failure is more useful.
            Self::ImportSource { .. } => 8,
            // The last attempts are almost an hour apart.
            Self::TranscribeTrack { .. } => 10,
            _ => 20,
        }
    }

    /// Milliseconds to wait after the `attempt`-th failure (from 1): 1 s, then four times as long each, at most an
    /// hour. `jitter` is random, 0..=255, and adds up to a quarter, so that retries are spread out.
    pub fn backoff_millis(&self, attempt: u32, jitter: u8) -> i64 {
        let base = 1000_i64.saturating_mul(4_i64.saturating_pow(attempt.saturating_sub(1))).min(3_600_000);
        base + base / 4 * i64::from(jitter) / 255
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_known() {
        let (organization_id, track_id) = {
            let now = Timestamp::from_unix_millis(0).unwrap();
            (crate::RecordId::from_parts(now, [1; 10]), crate::RecordId::from_parts(now, [2; 10]))
        };
        let owner = CoverOwner::Track(track_id);
        assert_eq!(Job::SweepObjects {}.turn_of(), Job::SYSTEM);
        assert_eq!(Job::ProcessTrack { organization_id, track_id }.turn_of(), organization_id);
        assert_eq!(Job::ProcessTrack { organization_id, track_id }.track_id(), Some(track_id));
        assert_eq!(Job::FinishCover { organization_id, owner }.track_id(), Some(track_id));
        assert_eq!(Job::FinishCover { organization_id, owner }.organization_id(), Some(organization_id));
        assert_eq!(Job::SweepObjects {}.track_id(), None);
        assert_eq!(Job::SweepObjects {}.organization_id(), None);
        for job in
            [Job::ProcessTrack { organization_id, track_id }, Job::FinishCover { organization_id, owner }]
        {
            assert!(Job::KINDS.contains(&job.kind()));
        }
        // The tag of each kind is its name in SQL.
        for kind in Job::KINDS {
            let error = serde_json::from_value::<Job>(serde_json::json!({ "kind": kind })).err();
            assert!(error.is_none_or(|error| !error.to_string().contains("unknown variant")), "{kind}");
        }
        let sentence =
            serde_json::from_value::<Job>(serde_json::json!({"kind": "?"})).unwrap_err().to_string();
        assert_eq!(sentence.matches('`').count() / 2, Job::KINDS.len() + 1, "{sentence}");
    }

    #[test]
    fn waits_grow_to_an_hour() {
        let job = Job::SweepObjects {};
        let waits: Vec<i64> = (1..=8).map(|n| job.backoff_millis(n, 0)).collect();
        assert_eq!(waits, [1000, 4000, 16_000, 64_000, 256_000, 1_024_000, 3_600_000, 3_600_000]);
        assert_eq!(job.backoff_millis(1, 255), 1250);
        assert_eq!(job.backoff_millis(u32::MAX, 255), 4_500_000);
    }
}
