//! Checks that the object store supports every operation that the service uses.

use std::time::Duration;

use bytes::Bytes;
use futures::TryStreamExt;
use tokio::time::timeout;
use tonearm_blobs::{BlobError, Blobs, ObjectMeta};
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, ContentType, ObjectFile, ObjectKey, StoreId, error_with_causes};
use tonearm_service::{IdentityError, StoreIdentity};

use super::report::Finding;
use crate::Config;
use crate::opening::future_database;

/// Size of the object. It is larger than one part of an upload to a bucket, so that it is sent in parts.
const PROBE_BYTES: usize = (8 << 20) + 1000;

/// The range that is read. It crosses the boundary between two parts.
const RANGE: std::ops::Range<usize> = (8 << 20) - 10..(8 << 20) + 10;

/// How long it may take to put, read and list the object.
const PROBE_FOR: Duration = Duration::from_secs(120);

/// How long it may take to remove the object.
const REMOVE_FOR: Duration = Duration::from_secs(30);

/// The folder of all probe objects, so that those of a run that was killed can be found.
const FOLDER: &str = "doctorprobes";

/// Age after which a probe object no longer belongs to a running check.
const LEFT_AFTER_SECONDS: i64 = 3600;

/// Checks the store, and whether it belongs to the database. A store of which that is not known is not written to: its disk
/// may not be mounted.
pub(super) async fn store(config: &Config, ambient: &Ambient, catalog: Option<&Catalog>) -> Vec<Finding> {
    let blobs = match Blobs::at(&config.storage_url) {
        Ok(blobs) => blobs,
        Err(error) => return vec![unusable(config, &error)],
    };
    let (is_new, identity) = match catalog {
        None => (config.needs_catalog() && future_database(config).is_some(), None),
        Some(catalog) => match agreed(catalog, &blobs, ambient).await {
            Ok(Some(id)) => (false, Some(format!("the database and the store share the identity {id}"))),
            Ok(None) => {
                (true, Some("the database and the store will get an identity on the first start".to_owned()))
            }
            Err(IdentityError::Store(error)) => return vec![unusable(config, &error)],
            Err(error) => return vec![Finding::failed("identity", error_with_causes(&error))],
        },
    };
    let store = match config.storage_url.folder().is_some_and(|folder| !folder.exists()) && is_new {
        true => Finding::not_yet("store", &config.storage_url),
        false => usable(config, ambient, &blobs, is_new).await,
    };
    [Some(store), identity.map(|found| Finding::ok("identity", found))].into_iter().flatten().collect()
}

/// The identity that the database and the store share. Before the first start, neither has one.
async fn agreed(
    catalog: &Catalog,
    blobs: &Blobs,
    ambient: &Ambient,
) -> Result<Option<StoreId>, IdentityError> {
    let identity = StoreIdentity::new(catalog.clone(), blobs.clone(), ambient.clone());
    Ok(identity.inspect().await?.agreed()?)
}

async fn usable(config: &Config, ambient: &Ambient, blobs: &Blobs, is_new: bool) -> Finding {
    let made = if is_new { blobs.create().await } else { Ok(()) };
    let checked = match made {
        Ok(()) => blobs.check().await,
        Err(error) => Err(error),
    };
    if let Err(error) = checked {
        return unusable(config, &error);
    }
    let found = probe(blobs, ambient, PROBE_FOR)
        .await
        .map(|()| {
            format!("{}: objects can be written, read by range, listed and deleted", config.storage_url)
        })
        .map_err(|problem| format!("{}: {problem}", config.storage_url));
    Finding::of("store", found)
}

fn unusable(config: &Config, error: &BlobError) -> Finding {
    let error = error_with_causes(error);
    let advice = "check storage_url, its credentials and write access";
    Finding::failed("store", format!("{}: {error}; {advice}", config.storage_url))
}

/// Puts, reads, lists and deletes an object, as the service does. The object is deleted even if a step fails, together
/// with objects that earlier runs left behind.
async fn probe(blobs: &Blobs, ambient: &Ambient, patience: Duration) -> Result<(), String> {
    let name = || "no object could be named".to_owned();
    let (label, folder) = ("doctor".parse().map_err(|_| name())?, FOLDER.parse().map_err(|_| name())?);
    let file = ObjectFile { label, version: ambient.short_id(), content_type: ContentType::Binary };
    let key = ObjectKey { organization_id: ObjectKey::RESERVED, folder, file };
    let seen = match timeout(patience, look(blobs, &key)).await {
        Ok(seen) => seen,
        Err(_) => Err(format!("an object of 8 MiB took more than {} seconds", patience.as_secs())),
    };
    let mut superfluous = vec![key.clone()];
    if let Ok(listed) = &seen {
        let left = ambient.now().plus_seconds(-LEFT_AFTER_SECONDS);
        let is_left = |(_, meta): &&(ObjectKey, ObjectMeta)| meta.modified < left;
        superfluous.extend(listed.iter().filter(is_left).map(|(key, _)| key.clone()));
    }
    let removed = timeout(REMOVE_FOR, remove(blobs, &key, superfluous)).await;
    seen?;
    removed.unwrap_or_else(|_| Err(format!("an object was not deleted in {} seconds", REMOVE_FOR.as_secs())))
}

#[expect(clippy::disallowed_methods, reason = "no row refers to the object of this check")]
async fn remove(blobs: &Blobs, key: &ObjectKey, superfluous: Vec<ObjectKey>) -> Result<(), String> {
    let removed = blobs.delete_many(superfluous).await;
    removed.map_err(|error| failure("cannot delete an object", "s3:DeleteObject", &error))?;
    match blobs.head(key).await {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err("an object that was deleted is still there; turn off object lock".to_owned()),
        Err(error) => Err(failure("cannot look for an object", "s3:GetObject", &error)),
    }
}

/// Puts and reads the object. Returns the objects that are listed in its folder.
async fn look(blobs: &Blobs, key: &ObjectKey) -> Result<Vec<(ObjectKey, ObjectMeta)>, String> {
    let bytes: Bytes = (0..PROBE_BYTES).map(|at| (at % 251) as u8).collect();
    blobs.put_bytes(key, bytes.clone()).await.map_err(|error| {
        let permissions = "s3:PutObject and s3:AbortMultipartUpload";
        failure("cannot put an object in parts", permissions, &error)
    })?;
    let unreadable = |error: &BlobError| failure("cannot read a part of an object", "s3:GetObject", error);
    let range = RANGE.start as u64..RANGE.end as u64;
    let body = blobs.get(key, Some(range)).await.map_err(|error| unreadable(&error))?;
    let Some(body) = body else {
        return Err("an object cannot be read directly after it was written; the store must provide read-after-write consistency".to_owned());
    };
    let read: Vec<Bytes> = body.stream.try_collect().await.map_err(|error| unreadable(&error))?;
    if read.concat() != bytes[RANGE] {
        return Err(
            "a range of an object does not contain the bytes that were written; do not use this store"
                .to_owned(),
        );
    }
    let listed = blobs.list(Some(key.organization_id), Some(key.folder));
    let listed: Vec<(ObjectKey, ObjectMeta)> = listed
        .try_collect()
        .await
        .map_err(|error: BlobError| failure("cannot list objects", "s3:ListBucket", &error))?;
    if !listed.iter().any(|(listed, _)| listed == key) {
        return Err("an object is not listed directly after it was written; the store must provide consistent listings".to_owned());
    }
    Ok(listed)
}

fn failure(what: &str, permissions: &str, error: &dyn std::error::Error) -> String {
    format!("{what}: {}; for a bucket, the credentials need {permissions}", error_with_causes(error))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use tonearm_fixtures::{BucketProxy, Fault, S3Server};

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn nothing_is_left_where_looking_takes_too_long() {
        let bucket = S3Server::start();
        let proxy = BucketProxy::start(&bucket);
        // Only the first read hangs. The check that the object is gone sends the same kind of request.
        let has_hung = AtomicBool::new(false);
        proxy.set(move |seen| {
            let is_read = seen.method == "GET" && seen.range.is_some();
            (is_read && !has_hung.swap(true, Ordering::Relaxed)).then_some(Fault::Hang)
        });
        let blobs = Blobs::open(&proxy.url().parse().unwrap()).await.unwrap();
        let problem = probe(&blobs, &crate::ambient::system(), Duration::from_secs(3)).await.unwrap_err();
        assert!(problem.contains("took more than 3 seconds"), "{problem}");
        let left: Vec<_> = bucket.files();
        let left: Vec<_> = left.iter().filter(|path| path.to_string_lossy().contains("doctor.")).collect();
        assert!(left.is_empty(), "{left:?}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_was_left_long_ago_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file://{}", folder.path().display());
        let blobs = Blobs::open(&url.parse().unwrap()).await.unwrap();
        let ambient = crate::ambient::system();
        let file = ObjectFile {
            label: "doctor".parse().unwrap(),
            version: ambient.short_id(),
            content_type: ContentType::Binary,
        };
        let key = ObjectKey { organization_id: ObjectKey::RESERVED, folder: FOLDER.parse().unwrap(), file };
        blobs.put_bytes(&key, Bytes::from_static(b"left")).await.unwrap();
        probe(&blobs, &ambient, PROBE_FOR).await.unwrap();
        assert!(blobs.head(&key).await.unwrap().is_some(), "somebody may be at it");
        let path = blobs.local_path(&key).unwrap();
        let opened = std::fs::File::options().write(true).open(path).unwrap();
        opened.set_modified(std::time::UNIX_EPOCH).unwrap();
        probe(&blobs, &ambient, PROBE_FOR).await.unwrap();
        assert!(blobs.head(&key).await.unwrap().is_none());
    }
}
