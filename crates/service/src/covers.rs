//! Storing a cover in its sizes.

use bytes::Bytes;
use tokio::sync::Semaphore;
use tonearm_blobs::{Blobs, PutError};
use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{Ambient, Cover, CoverOwner, Job, ObjectKey, OrganizationId, ShortId};
use tonearm_media::{CoverImage, Covers, MediaError};

/// Pictures that are decoded at once: each may take memory up to its limit, which is many times its file.
static DECODING: Semaphore = Semaphore::const_new(2);

/// Stores sizes of a cover under the version that names them.
pub(crate) async fn store(
    blobs: &Blobs,
    organization_id: OrganizationId,
    folder: ShortId,
    cover: Cover,
    images: Vec<CoverImage>,
) -> Result<(), PutError> {
    for image in images {
        let key = cover.key(organization_id, folder, image.size);
        blobs.put_bytes(&key, Bytes::from(image.jpeg)).await?;
    }
    Ok(())
}

/// Has the rest of a cover done that was put to use in this transaction.
pub(crate) async fn queue_rest(
    tx: &Transaction,
    ambient: &Ambient,
    organization_id: OrganizationId,
    owner: CoverOwner,
) -> Result<(), CatalogError> {
    let job = Job::FinishCover { organization_id, owner };
    tx.enqueue(job, ambient.record_id(), ambient.now(), None).await
}

/// Every object that an uploaded cover may have left.
pub(crate) fn objects(
    organization_id: OrganizationId,
    folder: ShortId,
    cover: Cover,
    original: ObjectKey,
) -> Vec<ObjectKey> {
    let sizes = tonearm_domain::CoverSize::ALL.map(|size| cover.key(organization_id, folder, size));
    sizes.into_iter().chain([original]).collect()
}

/// Cuts a picture to every size and finds its colours, away from the threads that serve requests.
pub(crate) async fn cut(picture: impl AsRef<[u8]> + Send + 'static) -> Result<Covers, MediaError> {
    // The semaphore is never closed, and without a turn the work is done all the same.
    let turn = DECODING.acquire().await;
    let work = move || {
        // Kept by the work itself, which goes on where nobody waits for it any more.
        let _turn = turn;
        tonearm_media::covers(picture.as_ref())
    };
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|_| Err(MediaError::Unsupported("The picture cannot be read.".to_owned())))
}

/// What can be made of a cover found in an audio file: nothing, where it is no picture after all.
pub(crate) async fn embedded(input: &std::path::Path) -> Option<Covers> {
    let art = tonearm_media::embedded_art(input).await?;
    match cut(art).await {
        Ok(covers) => Some(covers),
        Err(error) => {
            tracing::debug!(%error, "the cover in a file cannot be used");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    /// A picture that nobody can look at until it is let go.
    struct Held(mpsc::Receiver<()>);

    impl AsRef<[u8]> for Held {
        fn as_ref(&self) -> &[u8] {
            // Let go is what has no sender left.
            let _ = self.0.recv();
            &[]
        }
    }

    #[tokio::test]
    async fn a_turn_lasts_as_long_as_the_work() {
        let turns = DECODING.available_permits();
        let (hold, held) = mpsc::channel();
        let mut waiting = Box::pin(cut(Held(held)));
        assert!(futures::poll!(&mut waiting).is_pending());
        drop(waiting);
        assert_eq!(DECODING.available_permits(), turns - 1);
        drop(hold);
        let all_back = async {
            while DECODING.available_permits() < turns {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), all_back).await.unwrap();
    }
}
