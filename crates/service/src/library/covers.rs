//! Storing a cover in its sizes.

use std::path::Path;

use bytes::Bytes;
use tonearm_blobs::{Blobs, PutError};
use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{Ambient, Cover, CoverOwner, Job, ObjectKey, OrganizationId, ShortId};
use tonearm_media::{MediaError, Pictures};
use tonearm_signal::{CoverImage, Covers};

/// Stores the sizes of a cover under its version.
pub(crate) async fn store(
    blobs: &Blobs,
    organization_id: OrganizationId,
    folder: ShortId,
    cover: Cover,
    images: &[CoverImage],
) -> Result<(), PutError> {
    for image in images {
        let key = cover.key(organization_id, folder, image.size);
        blobs.put_bytes(&key, Bytes::from(image.jpeg.clone())).await?;
    }
    Ok(())
}

/// Queues the job that completes a cover which this transaction put to use.
pub(crate) async fn queue_rest(
    tx: &Transaction,
    ambient: &Ambient,
    organization_id: OrganizationId,
    owner: CoverOwner,
) -> Result<(), CatalogError> {
    let job = Job::FinishCover { organization_id, owner };
    tx.enqueue(job, ambient.record_id(), ambient.now(), None).await
}

/// The objects of an uploaded cover in this folder, with their sizes in bytes: the picture as it was received, and the sizes
/// made from it.
pub(crate) fn objects(
    (organization_id, folder): (OrganizationId, ShortId),
    cover: Cover,
    picture: &Bytes,
    cut: &Covers,
) -> Vec<(ObjectKey, u64)> {
    let original = cover.original_key(organization_id, folder, cut.content_type);
    let sizes = cut.images.iter();
    let sizes = sizes.map(|it| (cover.key(organization_id, folder, it.size), it.jpeg.len() as u64));
    sizes.chain([(original, picture.len() as u64)]).collect()
}

/// The covers made from the picture in an audio file. `None` if it has no usable picture. Errors are
/// [`MediaError::Outage`] and [`MediaError::Cancelled`].
pub(crate) async fn embedded(
    pictures: &Pictures,
    organization_id: OrganizationId,
    input: &Path,
) -> Result<Option<Covers>, MediaError> {
    let Some(art) = pictures.embedded_art(input).await? else {
        return Ok(None);
    };
    match pictures.covers(organization_id, art).await {
        Ok(covers) => Ok(Some(covers)),
        Err(error @ (MediaError::Outage(..) | MediaError::Cancelled)) => Err(error),
        Err(error) => {
            tracing::debug!(%error, "the cover in a file cannot be used");
            Ok(None)
        }
    }
}
