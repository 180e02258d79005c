//! Timeouts for the responses of the bucket, and the check that a body has its announced length.

use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt, stream};

use crate::error::BlobError;

/// How long the bucket may take to respond, retries included, and then for each further part of its response.
pub(super) const DEADLINE: Duration = Duration::from_secs(30);

fn late(error: tokio::time::error::Elapsed) -> BlobError {
    BlobError::unavailable("the bucket does not respond in time", error)
}

pub(super) async fn in_time<T>(answer: impl Future<Output = Result<T, BlobError>>) -> Result<T, BlobError> {
    tokio::time::timeout(DEADLINE, answer).await.unwrap_or_else(|error| Err(late(error)))
}

/// The items of a stream, each in time. It ends with the first error.
pub(super) fn each_in_time<'a, T: Send + 'a>(
    items: impl Stream<Item = Result<T, BlobError>> + Send + Unpin + 'a,
) -> impl Stream<Item = Result<T, BlobError>> + Send + 'a {
    stream::unfold(Some(items), |items| async move {
        let mut items = items?;
        match tokio::time::timeout(DEADLINE, items.next()).await {
            Ok(Some(Ok(item))) => Some((Ok(item), Some(items))),
            Ok(Some(Err(error))) => Some((Err(error), None)),
            Ok(None) => None,
            Err(error) => Some((Err(late(error)), None)),
        }
    })
}

/// The bytes of a body with an announced length; an error if it has another number of bytes.
pub(super) fn exactly(
    announced: u64,
    chunks: impl Stream<Item = Result<Bytes, BlobError>> + Send + 'static,
) -> impl Stream<Item = Result<Bytes, BlobError>> + Send + 'static {
    let chunks = Box::pin(chunks);
    stream::unfold(Some((chunks, announced)), |state| async move {
        let (mut chunks, left) = state?;
        match chunks.next().await {
            Some(Ok(chunk)) => match left.checked_sub(chunk.len() as u64) {
                Some(left) => Some((Ok(chunk), Some((chunks, left)))),
                None => Some((Err(BlobError::Corrupt), None)),
            },
            Some(Err(error)) => Some((Err(error), None)),
            None if left > 0 => Some((Err(BlobError::Corrupt), None)),
            None => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt;

    use super::*;

    async fn read(announced: u64, sizes: &[usize]) -> Result<usize, BlobError> {
        let chunks: Vec<_> = sizes.iter().map(|&size| Ok(Bytes::from(vec![0; size]))).collect();
        let read: Vec<_> = exactly(announced, stream::iter(chunks)).try_collect().await?;
        Ok(read.concat().len())
    }

    #[tokio::test]
    async fn a_body_has_its_announced_length() {
        assert_eq!(read(5, &[2, 3]).await.unwrap(), 5);
        assert_eq!(read(0, &[]).await.unwrap(), 0);
        for (announced, sizes) in [(6, &[2, 3][..]), (4, &[2, 3]), (1, &[])] {
            assert!(matches!(read(announced, sizes).await, Err(BlobError::Corrupt)), "{announced} {sizes:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_waited_for_without_end() {
        let mut items = Box::pin(each_in_time(stream::iter([Ok(1)]).chain(stream::pending())));
        assert_eq!(items.next().await.unwrap().unwrap(), 1);
        assert!(matches!(items.next().await, Some(Err(BlobError::Unavailable(_)))));
        assert!(items.next().await.is_none());
        assert!(in_time(std::future::pending::<Result<(), BlobError>>()).await.is_err());
    }
}
