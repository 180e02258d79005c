//! Completing a cover after it was put to use. Nothing waits for this.

use std::path::Path;

use bytes::Bytes;
use futures::TryStreamExt as _;
use sha2::{Digest, Sha256};
use tonearm_catalog::{CatalogError, CoverObjects, Transaction};
use tonearm_domain::{
    Colour, ContentType, Cover, CoverOrigin, CoverOwner, CoverSize, FileData, FileOutcome, LevelsSettings,
    ObjectFile, ObjectKey, OrganizationId, PlacedCover, RecipeKind, ShortId, Track, TrackFile, TrackId,
    delivery_name,
};
use tonearm_media::{LimitTier, MediaError};

use super::pictures::draw_size;
use super::stop::Stop;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing};
use crate::removal::remove_later;
use crate::track_view::TrackParents;

/// Objects that are noted in one statement.
const AT_ONCE: usize = 500;

impl Processing {
    /// Makes a track's own cover again if it was made from something that has changed, makes the missing WebP versions
    /// of a cover, and renders a track's cover files again if they show another picture.
    pub(in crate::processing) async fn finish_cover(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        owner: CoverOwner,
    ) -> Result<(), JobError> {
        let scratch = tempfile::Builder::new().prefix("cover-").tempdir_in(&self.scratch)?;
        if let CoverOwner::Track(track_id) = owner {
            Box::pin(self.derive_cover(run, organization_id, track_id)).await?;
        }
        let (mut written, mut recorded) = (Vec::new(), CoverObjects::default());
        let known = self.catalog.recorded_covers(organization_id, owner).await?;
        let found = self.covers_in_use(organization_id, owner).await?;
        if let Some((folder, versions)) = &found {
            recorded = known.clone().of_versions(versions);
            for version in versions {
                let keys = Cover::files(organization_id, *folder, *version);
                let jpegs = self.jpegs(keys, &known, scratch.path()).await?;
                record(&mut recorded, &jpegs);
                written.extend(self.add_webp(run, jpegs, scratch.path()).await?);
            }
        }
        // Covers that were deleted or replaced meanwhile have been cleaned up, perhaps before these objects were
        // stored.
        let in_use = match found {
            Some((folder, versions)) => {
                Box::pin(self.record_covers(organization_id, owner, (folder, &versions), recorded)).await?
            }
            None => Vec::new(),
        };
        written.retain(|key| !in_use.contains(&key.file.version));
        self.remove_unnamed(written).await?;
        if let CoverOwner::Track(track_id) = owner {
            self.cut_anew(run, organization_id, track_id, (&known, scratch.path())).await?;
        }
        self.finish(&run.claimed).await
    }

    /// The folder of the owner's covers and their versions. `None` if the owner no longer exists.
    async fn covers_in_use(
        &self,
        organization_id: OrganizationId,
        owner: CoverOwner,
    ) -> Result<Option<(ShortId, Vec<ShortId>)>, JobError> {
        Ok(match owner {
            CoverOwner::Track(id) => self.catalog.track(organization_id, id).await?.map(|it| of_track(&it)),
            CoverOwner::Collection(id) => {
                let collection = self.catalog.collection(organization_id, id).await?;
                collection.map(|it| (it.folder, versions_of(it.cover, None)))
            }
            CoverOwner::Organization => {
                let organization = self.catalog.organization(organization_id).await?;
                organization.map(|it| (it.folder, versions_of(it.cover, None)))
            }
        })
    }

    /// Records the objects of these covers, and how much space they take, including the original pictures. Those of all other
    /// versions count until they are removed, a day later: their URLs may have been handed out. Returns the versions that
    /// are in use now. If they differ, their own job records them.
    async fn record_covers(
        &self,
        organization_id: OrganizationId,
        owner: CoverOwner,
        (folder, versions): (ShortId, &[ShortId]),
        recorded: CoverObjects,
    ) -> Result<Vec<ShortId>, JobError> {
        let labels = Cover::labels();
        let mut objects = self.blobs.list(Some(organization_id), Some(folder));
        let (mut bytes, mut used, mut replaced) = (0, Vec::new(), Vec::new());
        while let Some((key, meta)) = objects.try_next().await? {
            if !labels.contains(&key.file.label) {
                continue;
            }
            if versions.contains(&key.file.version) {
                bytes += meta.size;
                used.push(key);
            } else {
                replaced.push((key, meta.size));
            }
        }
        let keys: Vec<_> = replaced.iter().map(|(key, _)| key.clone()).collect();
        let going = self.catalog.objects_being_removed(&keys).await?;
        replaced.retain(|(key, _)| !going.contains(key));
        let tx = self.catalog.begin().await?;
        let in_use = versions_in_use(&tx, organization_id, owner).await?.unwrap_or_default();
        if in_use == versions {
            tx.record_covers(organization_id, owner, bytes, recorded).await?;
            tx.forget_replaced_objects(&used).await?;
            for replaced in replaced.chunks(AT_ONCE) {
                remove_later(&tx, &self.ambient, organization_id, replaced).await?;
            }
        }
        tx.commit().await?;
        Ok(in_use)
    }

    /// The sizes of a cover that are stored and undamaged. Not every picture has the largest size.
    async fn jpegs(
        &self,
        keys: [ObjectKey; 4],
        known: &CoverObjects,
        scratch: &Path,
    ) -> Result<Vec<(ObjectKey, Vec<u8>)>, JobError> {
        let mut jpegs = Vec::new();
        for key in keys {
            let jpeg = self.stored(&key, scratch).await?;
            if let Some(jpeg) = jpeg.filter(|jpeg| is_sound(known, &key, jpeg)) {
                jpegs.push((key, jpeg));
            }
        }
        Ok(jpegs)
    }

    /// Stores a WebP version beside each JPEG if it is smaller, and returns the stored keys.
    async fn add_webp(
        &self,
        run: &JobRun,
        jpegs: Vec<(ObjectKey, Vec<u8>)>,
        scratch: &Path,
    ) -> Result<Vec<ObjectKey>, JobError> {
        let mut missing = Vec::new();
        for (key, jpeg) in jpegs {
            let Some(webp) = Cover::webp_of(&key) else { continue };
            if self.blobs.head(&webp).await?.is_none() {
                missing.push((webp, jpeg));
            }
        }
        let pictures = missing.iter().map(|(_, jpeg)| jpeg.clone()).collect();
        let scope = run.scope(LimitTier::Normal);
        let encoded = match self.media.webp(pictures, scratch, &scope).await {
            Ok(encoded) => encoded,
            Err(error @ (MediaError::Cancelled | MediaError::Outage(..))) => return Err(error.into()),
            // This ffmpeg lacks the encoder. `doctor` reports that.
            Err(error) => {
                tracing::debug!(%error, "could not encode a cover as WebP; it is JPEG only");
                return Ok(Vec::new());
            }
        };
        let mut written = Vec::new();
        for ((key, jpeg), webp) in missing.into_iter().zip(encoded) {
            if webp.len() < jpeg.len() {
                // Another node may store it at the same time: a failure here must not remove what that node has stored.
                self.blobs.put_repeatable(&key, Bytes::from(webp)).await?;
                written.push(key);
            }
        }
        Ok(written)
    }

    /// Renders the files of cover recipes again that show another picture than players do.
    async fn cut_anew(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
        (known, scratch): (&CoverObjects, &Path),
    ) -> Result<(), JobError> {
        let Some(track) = self.catalog.track(organization_id, track_id).await? else { return Ok(()) };
        let parents = TrackParents::of(&self.catalog, organization_id, track.collection_id).await?;
        let view = parents.view(track.clone());
        let Some(PlacedCover { cover, folder }) = view.cover else { return Ok(()) };
        for file in self.catalog.files_of_track(track_id).await? {
            let (RecipeKind::Cover(settings), FileOutcome::Made { key, .. }) =
                (&file.recipe.kind, &file.outcome)
            else {
                continue;
            };
            let size = settings.size;
            let current_key = cover.key(organization_id, folder, size);
            let current = match self.stored(&current_key, scratch).await? {
                // Of drawn covers, the largest size is not stored.
                None if cover.origin == CoverOrigin::Generated => {
                    self.drawn_size(run, &track, view.colours.base, size).await?
                }
                stored => stored.filter(|jpeg| is_sound(known, &current_key, jpeg)),
            };
            if let Some(current) = current
                && self.stored(key, scratch).await?.as_ref() != Some(&current)
            {
                self.replace_cover_file(run, &track, &file, size, current).await?;
            }
        }
        Ok(())
    }

    /// A size of a drawn cover. `None` if the file of the track can no longer be read.
    async fn drawn_size(
        &self,
        run: &JobRun,
        track: &Track,
        colour: Colour,
        size: CoverSize,
    ) -> Result<Option<Vec<u8>>, JobError> {
        let levels = match (self.recorded_levels(track.id).await?, &track.source) {
            (Some(levels), _) => levels,
            (None, None) => return Ok(None),
            (None, Some(source)) => match Box::pin(self.analyse_again(run, track.clone(), source)).await {
                Ok((_, analysed)) => analysed.bars(&LevelsSettings::default()).to_vec(),
                Err(Stop::Job(error)) => return Err(error),
                Err(Stop::Source(reason) | Stop::Limit(reason)) => {
                    tracing::info!(track_id = %track.id, reason, "the cover of a track could not be drawn from its file");
                    return Ok(None);
                }
            },
        };
        draw_size(colour, levels, size).await.map(Some)
    }

    async fn replace_cover_file(
        &self,
        run: &JobRun,
        track: &Track,
        file: &TrackFile,
        size: CoverSize,
        jpeg: Vec<u8>,
    ) -> Result<(), JobError> {
        let key = ObjectKey {
            organization_id: track.organization_id,
            folder: track.index,
            file: ObjectFile {
                label: file.recipe.index.clone(),
                version: self.ambient.short_id(),
                content_type: ContentType::Jpeg,
            },
        };
        let stored = self.blobs.put_bytes(&key, Bytes::from(jpeg)).await?;
        let file_name = delivery_name(&track.file_name, ContentType::Jpeg.extension());
        let data = FileData::Picture { width: size.side(), height: size.side(), colour: None };
        let sha256 = Some(stored.sha256);
        let outcome = FileOutcome::Made { file_name, key, size: stored.size, sha256, data, made_from: None };
        let recording = self.recording_for(run, track).await?;
        let Some(mut recording) = recording else { return Ok(()) };
        recording.put_file(file.recipe.clone(), outcome).await?;
        recording.commit().await
    }

    /// The object stored under a key, if any.
    pub(super) async fn stored(&self, key: &ObjectKey, scratch: &Path) -> Result<Option<Vec<u8>>, JobError> {
        let path = scratch.join(key.file.to_string());
        if !self.blobs.fetch_to(key, &path).await? {
            return Ok(None);
        }
        Ok(Some(tokio::fs::read(&path).await?))
    }
}

/// Whether a picture matches its record, if there is one.
fn is_sound(known: &CoverObjects, key: &ObjectKey, jpeg: &[u8]) -> bool {
    !known.contradicts(key, jpeg.len() as u64, Sha256::digest(jpeg).into())
}

/// Records the sizes that every cover has.
fn record(recorded: &mut CoverObjects, jpegs: &[(ObjectKey, Vec<u8>)]) {
    let listed = CoverSize::LISTED.map(Cover::label);
    for (key, jpeg) in jpegs.iter().filter(|(key, _)| listed.contains(&key.file.label)) {
        recorded.insert(key, jpeg.len() as u64, Sha256::digest(jpeg).into());
    }
}

/// The versions of the owner's covers, with the owner locked. `None` if the owner no longer exists.
async fn versions_in_use(
    tx: &Transaction,
    organization_id: OrganizationId,
    owner: CoverOwner,
) -> Result<Option<Vec<ShortId>>, CatalogError> {
    Ok(match owner {
        CoverOwner::Track(id) => tx.track(organization_id, id).await?.map(|it| of_track(&it).1),
        CoverOwner::Collection(id) => {
            tx.collection(organization_id, id).await?.map(|it| versions_of(it.cover, None))
        }
        CoverOwner::Organization => {
            tx.organization(organization_id).await?.map(|it| versions_of(it.cover, None))
        }
    })
}

fn of_track(track: &Track) -> (ShortId, Vec<ShortId>) {
    (track.index, versions_of(track.cover, track.placeholder))
}

/// The versions of a cover and its placeholder, which may be the same.
fn versions_of(cover: Option<Cover>, drawn: Option<ShortId>) -> Vec<ShortId> {
    let mut versions: Vec<_> = cover.map(|cover| cover.version).into_iter().chain(drawn).collect();
    versions.dedup();
    versions
}
