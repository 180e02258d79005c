//! The object store: whether everything that the service does with it works.

use std::time::Duration;

use bytes::Bytes;
use futures::TryStreamExt;
use tokio::time::timeout;
use tonearm_blobs::{BlobError, Blobs};
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, ContentType, ObjectFile, ObjectKey};
use tonearm_service::StoreIdentity;

use super::report::{Finding, in_full};
use crate::Config;

/// More than a part of an upload to a bucket has, so that it is sent in parts.
const PROBE_BYTES: usize = (8 << 20) + 1000;

/// Crosses the border between two parts.
const RANGE: std::ops::Range<usize> = (8 << 20) - 10..(8 << 20) + 10;

/// How long the whole probe may take.
const PROBE_FOR: Duration = Duration::from_secs(120);

pub(super) async fn store(config: &Config, ambient: &Ambient) -> (Finding, Option<Blobs>) {
    let advice = |error: &BlobError| {
        let error = in_full(error);
        let sentence =
            format!("{}: {error}; check storage_url, its credentials and write access", config.storage_url);
        Finding::failed("store", sentence)
    };
    let blobs = match Blobs::open(&config.storage_url).await {
        Ok(blobs) => blobs,
        Err(error) => return (advice(&error), None),
    };
    if let Err(error) = blobs.check().await {
        return (advice(&error), None);
    }
    let probed = match timeout(PROBE_FOR, probe(&blobs, ambient)).await {
        Ok(probed) => probed,
        Err(_) => Err(format!("an object of 8 MiB took more than {} seconds", PROBE_FOR.as_secs())),
    };
    let found = probed
        .map(|()| format!("{}: objects can be put, read in part, listed and deleted", config.storage_url))
        .map_err(|problem| format!("{}: {problem}", config.storage_url));
    (Finding::of("store", found), Some(blobs))
}

/// Does with an object what the service does. It is removed whatever comes of it.
async fn probe(blobs: &Blobs, ambient: &Ambient) -> Result<(), String> {
    let label = "doctor".parse().map_err(|_| "no object could be named".to_owned())?;
    let file = ObjectFile { label, version: ambient.short_id(), content_type: ContentType::Binary };
    let key = ObjectKey { organization_id: ObjectKey::RESERVED, folder: ambient.short_id(), file };
    let seen = look(blobs, &key).await;
    let removed = blobs.delete(&key).await;
    seen?;
    removed.map_err(|error| told("cannot delete an object", "s3:DeleteObject", &error))?;
    match blobs.head(&key).await {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err("an object that was deleted is still there; turn off object lock".to_owned()),
        Err(error) => Err(told("cannot look for an object", "s3:GetObject", &error)),
    }
}

async fn look(blobs: &Blobs, key: &ObjectKey) -> Result<(), String> {
    let bytes: Bytes = (0..PROBE_BYTES).map(|at| (at % 251) as u8).collect();
    blobs.put_bytes(key, bytes.clone()).await.map_err(|error| {
        let permissions = "s3:PutObject and s3:AbortMultipartUpload";
        told("cannot put an object in parts", permissions, &error)
    })?;
    let unreadable = |error: &BlobError| told("cannot read a part of an object", "s3:GetObject", error);
    let range = RANGE.start as u64..RANGE.end as u64;
    let body = blobs.get(key, Some(range)).await.map_err(|error| unreadable(&error))?;
    let Some(body) = body else {
        return Err("an object that was just put is not there; the store must be consistent".to_owned());
    };
    let read: Vec<Bytes> = body.stream.try_collect().await.map_err(|error| unreadable(&error))?;
    if read.concat() != bytes[RANGE] {
        return Err("a part of an object has other bytes than were put; do not use this store".to_owned());
    }
    let listed = blobs.list(Some(key.organization_id), Some(key.folder));
    let listed: Vec<_> = listed
        .map_ok(|(key, _)| key)
        .try_collect()
        .await
        .map_err(|error: BlobError| told("cannot list objects", "s3:ListBucket", &error))?;
    match listed.as_slice() {
        [only] if only == key => Ok(()),
        _ => Err("an object that was just put is not listed; the store must be consistent".to_owned()),
    }
}

fn told(what: &str, permissions: &str, error: &dyn std::error::Error) -> String {
    format!("{what}: {}; for a bucket, the credentials need {permissions}", in_full(error))
}

/// Whether database and store belong together. Before the first start neither says anything.
pub(super) async fn identity(catalog: &Catalog, blobs: &Blobs, ambient: &Ambient) -> Finding {
    let tie = StoreIdentity::new(catalog.clone(), blobs.clone(), ambient.clone()).inspect().await;
    let agreed = tie.map_err(|error| in_full(&error)).and_then(|tie| {
        let agreed = tie.agreed();
        agreed.map_err(|mismatch| mismatch.to_string())
    });
    Finding::of(
        "identity",
        agreed.map(|id| match id {
            Some(id) => format!("the database and the store share the identity {id}"),
            None => "the database and the store will get an identity on the first start".to_owned(),
        }),
    )
}
