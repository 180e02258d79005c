//! The list of live signing keys, published through the store for nodes without a catalog.
//!
//! Each list is a new object, and the latest one applies: the one with the highest number, which comes from the
//! database. It contains the names of keys, not the keys. It is signed with one of the master secrets, so that write
//! access to the store is not enough to make keys live.

use bytes::{Bytes, BytesMut};
use futures::TryStreamExt;
use serde::{Deserialize, Serialize};
use tonearm_blobs::{BlobError, Blobs, ObjectMeta};
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, ContentType, ObjectFile, ObjectKey, ShortId, Timestamp, VariantIndex};
use tonearm_signing::{SigningKeyName, UrlSigner};

use crate::refusal::Refusal;

const FOLDER: &str = "signingkeys0";

/// The maximum size of a list in bytes: about 700,000 keys.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// How long a list is valid. An older list is ignored, because the nodes that write it have stopped.
const VALID_SECONDS: i64 = 600;

/// A list that is dated further ahead than this is not believed: its age is unknown. Clocks that differ by half of it
/// already make nodes refuse URLs that were just signed.
const MOST_SECONDS_AHEAD: i64 = 60;

/// How long replaced lists are kept, for nodes that are about to read them.
const REPLACED_SECONDS: i64 = 120;

#[derive(Serialize, Deserialize)]
struct List {
    /// Of two lists, the one with the higher number is more recent. 0 in lists of versions that wrote none.
    #[serde(default)]
    number: u64,
    /// When the live keys were read, by the clock of the database server if there is one.
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
    Ok(!live.is_empty() && read(blobs, signer, ambient).await?.as_deref() == Some(live))
}

/// Writes a new list, and removes the lists that it replaced.
#[expect(clippy::disallowed_methods, reason = "no row refers to a list")]
pub(super) async fn write(
    catalog: &Catalog,
    blobs: &Blobs,
    signer: &UrlSigner,
    ambient: &Ambient,
) -> Result<(), Refusal> {
    let earlier = lists(blobs).await?;
    // A database that was restored has lower numbers than the store.
    let last = latest(blobs, signer, &earlier).await?.map_or(0, |list| list.number);
    let tx = catalog.begin().await?;
    let list = tx.next_signing_key_list(last, ambient.now()).await?;
    tx.commit().await?;
    let list = List { number: list.number, looked_at: list.made_at, keys: list.live };
    let json = serde_json::to_string(&list).map_err(|error| Refusal::Internal(error.into()))?;
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
    // Both times are from the clock of the store.
    let Some(written) = blobs.head(&key).await? else { return Ok(()) };
    let replaced_before = written.modified.plus_seconds(-REPLACED_SECONDS);
    let replaced =
        earlier.into_iter().filter(|(_, meta)| meta.modified < replaced_before).map(|(key, _)| key);
    Ok(blobs.delete_many(replaced.collect()).await?)
}

/// The live keys in the latest list; none if there is no list. `None` if the latest list does not tell which keys are
/// live now, because it is too old or dated in the future.
pub(super) async fn read(
    blobs: &Blobs,
    signer: &UrlSigner,
    ambient: &Ambient,
) -> Result<Option<Vec<SigningKeyName>>, BlobError> {
    let Some(list) = latest(blobs, signer, &lists(blobs).await?).await? else {
        return Ok(Some(Vec::new()));
    };
    // Reading may have taken long.
    let (now, dated) = (ambient.now(), list.looked_at);
    let is_ahead = now.plus_seconds(MOST_SECONDS_AHEAD) < dated;
    if is_ahead {
        tracing::error!(%dated, "ignoring a list of signing keys that is dated in the future; synchronize the clocks");
    }
    let is_fresh = !is_ahead && now < dated.plus_seconds(VALID_SECONDS);
    // An empty list is not renewed.
    Ok((is_fresh || list.keys.is_empty()).then_some(list.keys))
}

/// The most recent of the authentic lists.
async fn latest(
    blobs: &Blobs,
    signer: &UrlSigner,
    lists: &[(ObjectKey, ObjectMeta)],
) -> Result<Option<List>, BlobError> {
    let mut latest: Option<List> = None;
    for (key, meta) in lists {
        if meta.size > MOST_BYTES {
            continue;
        }
        // A list that no longer exists was replaced.
        let Some(body) = blobs.get(key, None).await? else {
            continue;
        };
        let bytes: BytesMut = body.stream.try_collect().await?;
        let Some(list) = parse(&bytes, signer) else {
            tracing::error!(%key, "ignoring a list of signing keys that is not authentic");
            continue;
        };
        let age = |list: &List| (list.number, list.looked_at);
        if latest.as_ref().is_none_or(|latest| age(latest) < age(&list)) {
            latest = Some(list);
        }
    }
    Ok(latest)
}

fn parse(bytes: &[u8], signer: &UrlSigner) -> Option<List> {
    let (mac, json) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
    if signer.verifies_text(json, mac) { serde_json::from_str(json).ok() } else { None }
}
