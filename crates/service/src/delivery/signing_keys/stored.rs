//! The list of live signing keys, published through the store for nodes without a catalog.
//!
//! Each list is a new object, and the latest one applies. It contains the names of keys, not the keys. It is signed
//! with one of the master secrets, so that write access to the store is not enough to make keys live.

use bytes::{Bytes, BytesMut};
use futures::TryStreamExt;
use serde::{Deserialize, Serialize};
use tonearm_blobs::{BlobError, Blobs, ObjectMeta};
use tonearm_domain::{Ambient, ContentType, ObjectFile, ObjectKey, ShortId, Timestamp, VariantIndex};
use tonearm_signing::{SigningKeyName, UrlSigner};

use crate::refusal::Refusal;

const FOLDER: &str = "signingkeys0";

/// The maximum size of a list in bytes: about 700,000 keys.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// How long a list is valid. An older list is ignored, because the nodes that write it have stopped.
const VALID_SECONDS: i64 = 600;

/// How long replaced lists are kept, for nodes that are about to read them.
const REPLACED_SECONDS: i64 = 120;

#[derive(Serialize, Deserialize)]
struct List {
    /// A time just before the live keys were read. Of two lists, the one with the later time is more recent.
    looked_at: Timestamp,
    keys: Vec<SigningKeyName>,
}

fn folder() -> ShortId {
    FOLDER.parse().expect("twelve letters and digits are a short id")
}

async fn lists(blobs: &Blobs) -> Result<Vec<(ObjectKey, ObjectMeta)>, BlobError> {
    blobs.list(Some(ObjectKey::RESERVED), Some(folder())).try_collect().await
}

/// Whether there is a list, whatever its content.
pub(super) async fn is_there(blobs: &Blobs) -> Result<bool, BlobError> {
    Ok(!lists(blobs).await?.is_empty())
}

/// Whether the latest list says that exactly these keys are live.
pub(super) async fn says(
    blobs: &Blobs,
    signer: &UrlSigner,
    ambient: &Ambient,
    live: &[SigningKeyName],
) -> Result<bool, BlobError> {
    // Reading an empty list gives the same result as reading none.
    Ok(!live.is_empty() && read(blobs, signer, ambient).await? == live)
}

/// Writes the list as of `looked_at`, and removes the lists that it replaced.
#[expect(clippy::disallowed_methods, reason = "no row refers to a list")]
pub(super) async fn write(
    blobs: &Blobs,
    signer: &UrlSigner,
    live: &[SigningKeyName],
    looked_at: Timestamp,
    ambient: &Ambient,
) -> Result<(), Refusal> {
    let earlier = lists(blobs).await?;
    let json = serde_json::to_string(&List { looked_at, keys: live.to_vec() })
        .map_err(|error| Refusal::Internal(error.into()))?;
    let text = format!("{}\n{json}", signer.sign_text(&json));
    let file = ObjectFile {
        label: VariantIndex::from_static("live"),
        version: ambient.short_id(),
        content_type: ContentType::Json,
    };
    let key = ObjectKey { organization_id: ObjectKey::RESERVED, folder: folder(), file };
    if let Err(error) = blobs.put_bytes(&key, Bytes::from(text)).await {
        return Err(Refusal::Unavailable(error.into()));
    }
    let replaced_before = looked_at.plus_seconds(-REPLACED_SECONDS);
    let replaced =
        earlier.into_iter().filter(|(_, meta)| meta.modified < replaced_before).map(|(key, _)| key);
    Ok(blobs.delete_many(replaced.collect()).await?)
}

/// The live keys in the latest list. Empty if there is no authentic and fresh list.
pub(super) async fn read(
    blobs: &Blobs,
    signer: &UrlSigner,
    ambient: &Ambient,
) -> Result<Vec<SigningKeyName>, BlobError> {
    let mut latest: Option<List> = None;
    for (key, meta) in lists(blobs).await? {
        if meta.size > MOST_BYTES {
            continue;
        }
        // A list that no longer exists was replaced.
        let Some(body) = blobs.get(&key, None).await? else {
            continue;
        };
        let bytes: BytesMut = body.stream.try_collect().await?;
        let Some(list) = parse(&bytes, signer) else {
            tracing::error!(%key, "ignoring a list of signing keys that is not authentic");
            continue;
        };
        if latest.as_ref().is_none_or(|latest| latest.looked_at < list.looked_at) {
            latest = Some(list);
        }
    }
    // Reading may have taken long.
    let now = ambient.now();
    let fresh = latest.filter(|list| now < list.looked_at.plus_seconds(VALID_SECONDS));
    Ok(fresh.map_or_else(Vec::new, |list| list.keys))
}

fn parse(bytes: &[u8], signer: &UrlSigner) -> Option<List> {
    let (mac, json) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
    if signer.verifies_text(json, mac) { serde_json::from_str(json).ok() } else { None }
}
