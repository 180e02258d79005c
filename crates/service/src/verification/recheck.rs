//! Checking suspects a second time.

use std::time::Duration;

use futures::TryStreamExt;
use tonearm_blobs::BlobError;
use tonearm_catalog::{NamedKind, NamedObject};
use tonearm_domain::{Job, ObjectKey, TrackId, TrackManifest};

use super::finding::{FindingKind, Subject};
use super::{Run, VerifyError};
use crate::inventory::{HeadOutcome, TrackObject};

/// The pause between checks for a manifest: it is stored only after the row says that there is a new one.
const MANIFEST_PAUSE: Duration = Duration::from_millis(500);
/// How many times to check for it.
const MANIFEST_LOOKS: usize = 6;

impl Run<'_> {
    /// What is still wrong with a suspect. `None` if nothing is.
    pub(super) async fn recheck(&self, suspect: &TrackObject) -> Result<Option<Subject>, VerifyError> {
        let TrackObject { track, object } = suspect;
        if object.kind == NamedKind::Manifest {
            return self.recheck_manifest(*track).await;
        }
        let (kind, found_size) = match (self.heads.head(&object.key).await?, object.size) {
            (HeadOutcome::Missing, _) => (FindingKind::MissingObject, None),
            (HeadOutcome::Unreadable, _) => (FindingKind::UnreadableObject, None),
            (HeadOutcome::Found(meta), Some(size)) if meta.size != size => {
                (FindingKind::WrongLength, Some(meta.size))
            }
            (HeadOutcome::Found(_), _) => return Ok(None),
        };
        self.confirmed(*track, object, kind, found_size).await
    }

    /// The damage, if the row still names the object.
    pub(super) async fn confirmed(
        &self,
        track: TrackId,
        object: &NamedObject,
        kind: FindingKind,
        found_size: Option<u64>,
    ) -> Result<Option<Subject>, VerifyError> {
        let now = self.all.catalog.named_track(track).await?;
        let is_named = now.is_some_and(|now| now.names(object));
        Ok(is_named.then(|| Subject { kind, track, object: object.clone(), found_size }))
    }

    async fn recheck_manifest(&self, track: TrackId) -> Result<Option<Subject>, VerifyError> {
        let mut looks = 0;
        loop {
            let Some(now) = self.all.catalog.named_track(track).await? else { return Ok(None) };
            let manifest = now.objects.into_iter().find(|object| object.kind == NamedKind::Manifest);
            let Some(object) = manifest else { return Ok(None) };
            match self.has_manifest(&object.key).await {
                Ok(true) => return Ok(None),
                Ok(false) => {}
                Err(error) => {
                    self.heads.tolerate(error).await?;
                    let kind = FindingKind::UnreadableObject;
                    return Ok(Some(Subject { kind, track, object, found_size: None }));
                }
            }
            // It is about to be stored, or, if a node stopped, another node will take over.
            if self.all.catalog.has_job(Job::PUBLISH_MANIFEST, track).await? {
                return Ok(None);
            }
            looks += 1;
            if looks == MANIFEST_LOOKS {
                let kind = FindingKind::MissingObject;
                return Ok(Some(Subject { kind, track, object, found_size: None }));
            }
            tokio::time::sleep(MANIFEST_PAUSE).await;
        }
    }

    /// Whether this or a later generation of a manifest exists.
    async fn has_manifest(&self, wanted: &ObjectKey) -> Result<bool, BlobError> {
        let mut objects = self.all.blobs.list(Some(wanted.organization_id), Some(wanted.folder));
        let wanted = TrackManifest::generation(wanted).map(|generation| generation.number());
        while let Some((key, _)) = objects.try_next().await? {
            if TrackManifest::generation(&key).map(|generation| generation.number()) >= wanted {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
