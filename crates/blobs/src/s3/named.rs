//! Files by name in a bucket.

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};

use super::bucket::S3Store;
use super::error::{failure, if_there};
use super::waiting::{each_in_time, exactly, in_time};
use super::writing;
use crate::error::{BlobError, PutError};
use crate::object::{PutTerms, Stored};
use crate::store::Incoming;

impl S3Store {
    fn named(&self, name: &str) -> Path {
        name.split('/').fold(self.prefix.clone(), |path, part| path.join(part))
    }

    pub(crate) async fn put_named(
        &self,
        name: &str,
        body: Incoming<'_>,
        terms: PutTerms,
    ) -> Result<Stored, PutError> {
        writing::put(&self.client, &self.name_locks, self.named(name), body, terms).await
    }

    pub(crate) async fn get_named(
        &self,
        name: &str,
    ) -> Result<Option<BoxStream<'static, Result<Bytes, BlobError>>>, BlobError> {
        let path = self.named(name);
        let answer = in_time(async { if_there(self.client.get(&path).await).map_err(failure) }).await?;
        Ok(answer.map(|answer| {
            let size = answer.range.end - answer.range.start;
            exactly(size, each_in_time(answer.into_stream().map_err(failure))).boxed()
        }))
    }

    /// The names of all files below a folder.
    pub(crate) async fn list_named(&self, folder: &str) -> Result<Vec<String>, BlobError> {
        let (below, prefix) = (self.named(folder), self.prefix.as_ref().to_owned());
        let listed = each_in_time(self.client.list(Some(&below)).map_err(failure));
        let paths: Vec<String> = listed.map_ok(|meta| meta.location.to_string()).try_collect().await?;
        let inside = |path: &String| match prefix.as_str() {
            "" => Some(path.clone()),
            prefix => Some(path.strip_prefix(prefix)?.strip_prefix('/')?.to_owned()),
        };
        Ok(paths.iter().filter_map(inside).collect())
    }

    pub(crate) async fn delete_named(&self, name: &str) -> Result<(), BlobError> {
        let path = self.named(name);
        in_time(async { if_there(self.client.delete(&path).await).map_err(failure).map(drop) }).await
    }
}
