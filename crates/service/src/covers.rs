//! Storing a cover in its sizes.

use bytes::Bytes;
use tonearm_blobs::{Blobs, PutError};
use tonearm_domain::{Cover, CoverOrigin, CoverSize, OrganizationId, ShortId};
use tonearm_media::{CoverImage, MediaError};

/// Stores every size of a cover under the version that names them.
pub(crate) async fn store(
    blobs: &Blobs,
    organization_id: OrganizationId,
    folder: ShortId,
    cover: Cover,
    images: Vec<CoverImage>,
) -> Result<(), PutError> {
    for image in images {
        if let Some(size) = CoverSize::ALL.into_iter().find(|size| size.as_str() == image.name) {
            let key = cover.key(organization_id, folder, size);
            blobs.put_bytes(&key, Bytes::from(image.jpeg)).await?;
        }
    }
    Ok(())
}

/// Cuts a picture to every size, away from the threads that serve requests.
pub(crate) async fn cut(picture: impl AsRef<[u8]> + Send + 'static) -> Result<Vec<CoverImage>, MediaError> {
    tokio::task::spawn_blocking(move || tonearm_media::covers(picture.as_ref()))
        .await
        .unwrap_or_else(|_| Err(MediaError::Unsupported("The picture cannot be read.".to_owned())))
}

/// What may become of a cover found in an audio file: nothing, where it is no picture after all.
pub(crate) async fn embedded(input: &std::path::Path) -> Option<(Vec<CoverImage>, CoverOrigin)> {
    let art = tonearm_media::embedded_art(input).await?;
    match cut(art).await {
        Ok(images) => Some((images, CoverOrigin::Embedded)),
        Err(error) => {
            tracing::debug!(%error, "the cover in a file cannot be used");
            None
        }
    }
}
