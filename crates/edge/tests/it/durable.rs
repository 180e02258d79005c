//! Durable names, which stay the same when files are rendered again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use http::Method;
use tonearm_domain::{
    ContentType, DurableName, Generation, ObjectFile, ObjectKey, OrganizationId, ShortId, TrackManifest,
    VariantIndex,
};
use tonearm_edge::{Edge, EdgeConfig, ManifestSource, SourceError};
use tonearm_signing::DeliveryTerms;

use crate::node::{Answer, Node, content};

crate::over_both_stores!(
    a_name_stands_for_the_newest_file,
    what_is_not_made_is_not_found,
    a_manifest_that_cannot_be_read_is_passed_over,
    caches_ask_again_soon,
    a_name_is_saved_and_read_in_parts_like_an_object,
    a_name_is_found_while_its_manifest_is_replaced,
);

pub(crate) fn name_of(key: &ObjectKey) -> DurableName {
    DurableName {
        organization_id: key.organization_id,
        folder: key.folder,
        variant: key.file.label.clone(),
        content_type: key.file.content_type,
    }
}

fn url(node: &Node, name: &DurableName) -> String {
    node.signer.sign_durable(name, DeliveryTerms::default(), node.ambient.now())
}

async fn get(node: &Node, name: &DurableName, headers: &[(&str, &str)]) -> Answer {
    node.request(Method::GET, &url(node, name), headers).await
}

/// Stores a generation of the manifest that lists these files by their labels.
pub(crate) async fn publish(node: &Node, generation: u64, keys: &[&ObjectKey]) {
    let manifest = TrackManifest::of(keys.iter().map(|&key| (key.file.label.clone(), key.clone())));
    let generation = Generation::new(generation).unwrap();
    let key = TrackManifest::key(keys[0].organization_id, keys[0].folder, generation);
    node.blobs.put_bytes(&key, serde_json::to_vec(&manifest).unwrap().into()).await.unwrap();
}

/// Stores another version of a file, with different bytes.
async fn make_anew(node: &Node, key: &ObjectKey) -> ObjectKey {
    let file = ObjectFile { version: node.ambient.short_id(), ..key.file.clone() };
    let anew = ObjectKey { file, ..key.clone() };
    node.blobs.put_bytes(&anew, content(77)).await.unwrap();
    anew
}

async fn a_name_stands_for_the_newest_file(node: &Node) {
    let first = node.store(1000).await;
    let name = name_of(&first);
    publish(node, 9, &[&first]).await;
    let answer = get(node, &name, &[]).await;
    assert_eq!((answer.status.as_u16(), answer.body), (200, content(1000)));

    let second = make_anew(node, &first).await;
    publish(node, 10, &[&second]).await;
    assert_eq!(get(node, &name, &[]).await.body, content(1000), "what was read is known for a second");
    node.clock.advance_seconds(1);
    assert_eq!(get(node, &name, &[]).await.body, content(77));

    // A node that was paused stores an older manifest.
    publish(node, 8, &[&first]).await;
    node.clock.advance_seconds(1);
    assert_eq!(get(node, &name, &[]).await.body, content(77));
}

async fn what_is_not_made_is_not_found(node: &Node) {
    let key = node.store(10).await;
    let name = name_of(&key);
    get(node, &name, &[]).await.assert_error(404, "not_found");
    node.clock.advance_seconds(1);
    publish(node, 1, &[&key]).await;
    let lq: VariantIndex = "lq".parse().unwrap();
    get(node, &DurableName { variant: lq, ..name.clone() }, &[]).await.assert_error(404, "not_found");
    let wav = DurableName { content_type: ContentType::Wav, ..name.clone() };
    get(node, &wav, &[]).await.assert_error(404, "not_found");
    let elsewhere = DurableName { folder: node.ambient.short_id(), ..name.clone() };
    get(node, &elsewhere, &[]).await.assert_error(404, "not_found");
    let stranger = DurableName { organization_id: node.ambient.record_id(), ..name.clone() };
    get(node, &stranger, &[]).await.assert_error(404, "not_found");
    assert_eq!(get(node, &name, &[]).await.status, 200);

    // A deleted object is not found under its durable name either.
    node.blobs.delete(&key).await.unwrap();
    node.clock.advance_seconds(1);
    get(node, &name, &[]).await.assert_error(404, "not_found");

    // A client without permission learns nothing.
    node.request(Method::GET, &format!("/{name}"), &[]).await.assert_error(401, "signature_invalid");
    let other = url(node, &name).replace("track_hq", "track_lq");
    node.request(Method::GET, &other, &[]).await.assert_error(401, "signature_invalid");
}

async fn a_manifest_that_cannot_be_read_is_passed_over(node: &Node) {
    let key = node.store(10).await;
    publish(node, 1, &[&key]).await;
    let put = async |generation, bytes: Bytes| {
        let generation = Generation::new(generation).unwrap();
        let manifest = TrackManifest::key(key.organization_id, key.folder, generation);
        node.blobs.put_bytes(&manifest, bytes).await.unwrap();
    };
    put(2, Bytes::from_static(b"{\"files\":{\"hq\":\"../../secret\"}}")).await;
    put(3, Bytes::from_static(b"\x00\xff")).await;
    // No manifest is this large, so it is not read.
    put(4, Bytes::from(vec![b' '; TrackManifest::MAX_BYTES as usize + 1])).await;
    assert_eq!(get(node, &name_of(&key), &[]).await.body, content(10));
}

async fn caches_ask_again_soon(node: &Node) {
    let key = node.store(10).await;
    let name = name_of(&key);
    publish(node, 1, &[&key]).await;
    let answer = get(node, &name, &[]).await;
    assert_eq!(answer.header("cache-control"), Some("private, max-age=60"));
    let etag = format!("\"{}\"", key.file.version);
    assert_eq!(answer.header("etag"), Some(&*etag));

    let unchanged = get(node, &name, &[("if-none-match", &etag)]).await;
    assert_eq!(unchanged.status, 304);
    assert_eq!(unchanged.header("cache-control"), Some("private, max-age=60"));
    let anew = make_anew(node, &key).await;
    publish(node, 2, &[&anew]).await;
    node.clock.advance_seconds(1);
    let changed = get(node, &name, &[("if-none-match", &etag)]).await;
    assert_eq!((changed.status.as_u16(), changed.body), (200, content(77)));

    // Parts of two versions are never combined into one file.
    let mixed = get(node, &name, &[("range", "bytes=5-9"), ("if-range", &etag)]).await;
    assert_eq!((mixed.status.as_u16(), mixed.body), (200, content(77)));

    // The object itself may be cached for any time.
    assert!(node.get(&anew, &[]).await.header("cache-control").unwrap().contains("immutable"));
}

async fn a_name_is_saved_and_read_in_parts_like_an_object(node: &Node) {
    let key = node.store(1000).await;
    let name = name_of(&key);
    publish(node, 1, &[&key]).await;
    let part = get(node, &name, &[("range", "bytes=10-19")]).await;
    assert_eq!((part.status.as_u16(), &part.body[..]), (206, &content(1000)[10..20]));
    assert_eq!(part.header("cache-control"), Some("private, max-age=60"));
    assert_eq!(get(node, &name, &[("range", "bytes=0-1,5-6")]).await.status, 206);
    let head = node.request(Method::HEAD, &url(node, &name), &[]).await;
    assert_eq!((head.status.as_u16(), head.header("content-length")), (200, Some("1000")));
    let terms = DeliveryTerms { ttl: Some(30), attachment: Some("Song.mp3"), ..DeliveryTerms::default() };
    let saved = node.signer.sign_durable(&name, terms, node.ambient.now());
    let answer = node.request(Method::GET, &saved, &[]).await;
    assert!(answer.header("content-disposition").unwrap().starts_with("attachment; filename=\"Song.mp3\""));
    node.clock.advance_seconds(30);
    node.request(Method::GET, &saved, &[]).await.assert_error(401, "url_expired");
}

/// A catalog that counts its queries, and may be unavailable.
#[derive(Default)]
struct Counted {
    manifest: TrackManifest,
    asked: AtomicUsize,
    is_away: AtomicBool,
    hangs: AtomicBool,
}

impl ManifestSource for Counted {
    fn manifest(
        &self,
        _: OrganizationId,
        _: ShortId,
    ) -> BoxFuture<'_, Result<Option<TrackManifest>, SourceError>> {
        async {
            self.asked.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            if self.hangs.load(Ordering::SeqCst) {
                return std::future::pending().await;
            }
            if self.is_away.load(Ordering::SeqCst) {
                return Err("the catalog is away".into());
            }
            Ok(Some(self.manifest.clone()))
        }
        .boxed()
    }
}

fn with_catalog(node: &Node, catalog: &Arc<Counted>) -> Edge {
    let config = EdgeConfig { catalog_timeout: Duration::from_millis(200), ..EdgeConfig::default() };
    node.edge_with(config).with_manifests(catalog.clone())
}

#[tokio::test]
async fn many_requests_at_once_ask_once() {
    let mut node = Node::over_folder().await;
    let key = node.store(10).await;
    let manifest = TrackManifest::of([(key.file.label.clone(), key.clone())]);
    let catalog = Arc::new(Counted { manifest, ..Counted::default() });
    node.edge = with_catalog(&node, &catalog);
    let url = url(&node, &name_of(&key));
    for answer in join_all((0..100).map(|_| node.request(Method::GET, &url, &[]))).await {
        assert_eq!(answer.status, 200);
    }
    assert_eq!(catalog.asked.load(Ordering::SeqCst), 1);
    node.clock.advance_seconds(1);
    node.request(Method::GET, &url, &[]).await;
    assert_eq!(catalog.asked.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn while_the_catalog_is_away_the_store_is_asked() {
    let mut node = Node::over_folder().await;
    let key = node.store(10).await;
    let catalog = Arc::new(Counted::default());
    node.edge = with_catalog(&node, &catalog);
    let name = name_of(&key);
    publish(&node, 1, &[&key]).await;
    get(&node, &name, &[]).await.assert_error(404, "not_found");
    for trouble in [&catalog.is_away, &catalog.hangs] {
        trouble.store(true, Ordering::SeqCst);
        node.clock.advance_seconds(1);
        assert_eq!(get(&node, &name, &[]).await.body, content(10));
    }
}

#[tokio::test]
async fn a_store_that_is_away_is_no_verdict_on_the_name() {
    let mut node = Node::over_s3().await;
    let key = node.store(10).await;
    publish(&node, 1, &[&key]).await;
    let name = name_of(&key);
    let patient = node.edge.clone();
    node.s3.as_mut().unwrap().stop();
    let config = EdgeConfig {
        storage_timeout: Duration::from_millis(300),
        retry_after_seconds: 7,
        ..EdgeConfig::default()
    };
    node.edge = node.edge_with(config);
    let answer = get(&node, &name, &[]).await;
    answer.assert_error(503, "storage_unavailable");
    assert_eq!(answer.header("retry-after"), Some("7"));
    node.s3.as_mut().unwrap().restart();
    node.edge = patient;
    assert_eq!(get(&node, &name, &[]).await.body, content(10));
}

/// The next manifest is stored and the previous one is removed while a node without a catalog looks for the newest.
async fn a_name_is_found_while_its_manifest_is_replaced(node: &Node) {
    let key = node.store(10).await;
    let name = name_of(&key);
    publish(node, 1, &[&key]).await;
    for generation in 2..150 {
        let replace = async {
            publish(node, generation, &[&key]).await;
            let previous = Generation::new(generation - 1).unwrap();
            node.blobs.delete(&TrackManifest::key(key.organization_id, key.folder, previous)).await.unwrap();
        };
        // The lookup of a second ago has expired.
        node.clock.advance_seconds(1);
        let (answer, ()) = tokio::join!(get(node, &name, &[]), replace);
        assert_eq!(answer.status, 200, "while generation {generation} was put");
    }
}
