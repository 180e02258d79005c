//! Which signing keys are live, told through the store to nodes without a catalog.
//!
//! The list is written as a new object each time, and the latest one counts. It names keys and holds none; it is
//! signed with one of the master secrets, so that whoever can write to the store cannot make keys live.

use bytes::{Bytes, BytesMut};
use futures::TryStreamExt;
use serde::{Deserialize, Serialize};
use tonearm_blobs::{BlobError, Blobs, ObjectMeta};
use tonearm_domain::{Ambient, ContentType, ObjectFile, ObjectKey, ShortId, Timestamp, VariantIndex};
use tonearm_signing::{SigningKeyName, UrlSigner};

use crate::refusal::Refusal;

const FOLDER: &str = "signingkeys0";

/// The largest list that is read: about 700,000 keys.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// An older list counts as none: those who write it are gone.
const VALID_SECONDS: i64 = 600;

/// Lists that were replaced stay so long for those who are about to read them.
const REPLACED_SECONDS: i64 = 120;

#[derive(Serialize, Deserialize)]
struct List {
    /// Before it was looked which are live: of two lists the one with the later moment knows more.
    looked_at: Timestamp,
    keys: Vec<SigningKeyName>,
}

fn folder() -> ShortId {
    FOLDER.parse().expect("twelve letters and digits are a short id")
}

async fn lists(blobs: &Blobs) -> Result<Vec<(ObjectKey, ObjectMeta)>, BlobError> {
    blobs.list(Some(ObjectKey::RESERVED), Some(folder())).try_collect().await
}

/// Whether there is a list, whatever it says.
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
    // A list without keys cannot be told from none by what is read.
    Ok(!live.is_empty() && read(blobs, signer, ambient).await? == live)
}

/// Writes the list that holds from `looked_at` on, and removes those that it replaced.
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

/// The keys that are live by the latest list; none where there is no list that is genuine and fresh.
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
        // One that is gone by now was replaced.
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
