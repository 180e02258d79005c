//! Lists of objects, sorted by name, which are read in parallel.

use std::pin::Pin;

use futures::stream::{self, BoxStream, Peekable};
use futures::{StreamExt, TryStreamExt};
use serde::{Deserialize, Serialize};
use tonearm_blobs::{BlobError, Blobs, ObjectMeta};
use tonearm_domain::ObjectKey;

use super::error::BackupError;
use super::part::{PartFile, PartReader};

/// An object of a backup, stored as a line of JSON: `[key, size, sha256]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ListedObject(
    pub(super) ObjectKey,
    pub(super) u64,
    /// As hex digits. `None` until the object has been read.
    pub(super) Option<String>,
);

impl ListedObject {
    pub(super) fn sha256(&self) -> Option<[u8; 32]> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(self.2.as_deref()?, &mut bytes).ok()?;
        Some(bytes)
    }
}

/// The objects of a part, in order.
pub(super) async fn lines(
    file: &PartFile,
) -> Result<BoxStream<'static, Result<ListedObject, BackupError>>, BackupError> {
    let reader: PartReader<ListedObject> = file.lines().await?;
    let lines = stream::try_unfold(reader, |reader| async move {
        let (reader, line) = reader.next().await?;
        Ok::<_, BackupError>(line.map(|line| (line, reader)))
    });
    Ok(lines.boxed())
}

/// Entries with their names, sorted by name.
type Named<'a, T> = BoxStream<'a, Result<(String, T), BackupError>>;

/// A list that is read in parallel with others, forwards only.
pub(super) struct Sorted<'a, T> {
    stream: Pin<Box<Peekable<Named<'a, T>>>>,
}

impl<'a, T: Send + 'a> Sorted<'a, T> {
    fn new(stream: Named<'a, T>) -> Self {
        Self { stream: Box::pin(stream.peekable()) }
    }

    /// An empty list.
    pub(super) fn empty() -> Self {
        Self::new(stream::empty().boxed())
    }

    /// The next entry whose name is before `name`. With `None`, the next entry.
    pub(super) async fn next_before(
        &mut self,
        name: Option<&str>,
    ) -> Result<Option<(String, T)>, BackupError> {
        if let (Some(Ok((found, _))), Some(name)) = (self.stream.as_mut().peek().await, name)
            && found.as_str() >= name
        {
            return Ok(None);
        }
        self.stream.next().await.transpose()
    }

    /// The entry with this name. Calls must pass the names in sorted order.
    pub(super) async fn find(&mut self, name: &str) -> Result<Option<T>, BackupError> {
        loop {
            match self.stream.as_mut().peek().await {
                Some(Ok((found, _))) if found.as_str() > name => return Ok(None),
                None => return Ok(None),
                _ => {}
            }
            match self.stream.next().await.transpose()? {
                Some((found, value)) if found == name => return Ok(Some(value)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
    }
}

impl Sorted<'static, ListedObject> {
    /// The list of a part.
    pub(super) async fn of_part(file: &PartFile) -> Result<Self, BackupError> {
        let named = lines(file).await?.map_ok(|object| (object.0.to_string(), object));
        Ok(Self::new(named.boxed()))
    }
}

impl<'a> Sorted<'a, (ObjectKey, ObjectMeta)> {
    /// The list of a store.
    pub(super) fn of_store(blobs: &'a Blobs, failed: fn(BlobError) -> BackupError) -> Self {
        let named = blobs.list_after(None).map_ok(|(key, meta)| (key.to_string(), (key, meta)));
        Self::new(named.map_err(failed).boxed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lists_are_walked_through_once() {
        let names = ["b", "d", "e"].map(|name| Ok((name.to_owned(), name)));
        let mut list = Sorted::new(stream::iter(names).boxed());
        for (asked, expected) in [("a", None), ("b", Some("b")), ("c", None), ("e", Some("e")), ("f", None)] {
            assert_eq!(list.find(asked).await.unwrap(), expected, "{asked}");
        }
    }

    #[tokio::test]
    async fn what_comes_before_a_name_is_given_in_order() {
        let names = ["a", "b", "d"].map(|name| Ok((name.to_owned(), ())));
        let mut list = Sorted::new(stream::iter(names).boxed());
        for (before, expected) in
            [(Some("c"), "a"), (Some("c"), "b"), (Some("c"), ""), (None, "d"), (None, "")]
        {
            let found = list.next_before(before).await.unwrap();
            assert_eq!(found.map(|(name, ())| name).unwrap_or_default(), expected);
        }
    }
}
