//! Covers, from the upload to the bytes that a player receives.

use futures::TryStreamExt as _;
use reqwest::Method;
use serde_json::json;
use tonearm_blobs::Blobs;
use tonearm_domain::{Cover, FileOutcome, KeyScope, ObjectKey, ShortId, Track};
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_testkit::{Client, Program, TestServer};

use crate::command_output::create_organization;
use crate::{binary, on_both_backends, text, until_done};

on_both_backends!(
    a_collections_cover_is_shown,
    a_new_cover_is_in_every_form,
    a_cover_is_shown_while_encoders_run_on,
);

/// A picture of 240 by 160 pixels, in one colour.
pub(crate) fn picture() -> Vec<u8> {
    picture_in(tonearm_domain::Colour::new(20, 60, 200))
}

fn picture_in(colour: tonearm_domain::Colour) -> Vec<u8> {
    let settings =
        tonearm_domain::WaveformImage { width: 240, height: 160, ..tonearm_domain::WaveformImage::default() };
    tonearm_signal::waveform_image(&settings, colour, &[1.0; 40]).unwrap()
}

/// Width and height of a JPEG: what its frame header says.
fn dimensions(jpeg: &[u8]) -> (u16, u16) {
    assert_eq!(jpeg[..2], [0xff, 0xd8], "this is no JPEG");
    let mut at = 2;
    while !matches!(jpeg[at + 1], 0xc0..=0xc2) {
        at += 2 + usize::from(u16::from_be_bytes([jpeg[at + 2], jpeg[at + 3]]));
    }
    let number = |at: usize| u16::from_be_bytes([jpeg[at], jpeg[at + 1]]);
    (number(at + 7), number(at + 5))
}

async fn a_collections_cover_is_shown(server: TestServer) {
    let client = &server.client;
    let created = client.post("/v1/collection", &json!({"title": "Season 1"})).await.ok();
    let collection = text(&created, "/collection_id");
    let upload = client.request(Method::POST, text(&created, "/collection_cover_upload/upload_url"));
    client.send(upload.body(picture())).await.ok();
    let track = client.upload(collection, "song.wav", wav(&WavSpec::default())).await;
    client.settled(&track).await;

    let session =
        client.post("/v1/play_session/collection", &json!({"collection_id": collection})).await.ok();
    let first = &session["first_track"];
    assert_eq!(first["cover_image"].as_object().unwrap().len(), 3);
    for (size, side) in [("icon", 80), ("small", 200), ("regular", 400)] {
        let url = text(first, &format!("/cover_image/{size}/url"));
        let cover = client.without_key().get(url).await;
        assert_eq!((cover.status.as_u16(), cover.header("content-type")), (200, "image/jpeg"));
        assert_eq!(dimensions(&cover.bytes), (side, side), "{size}");
    }
    let theme = client.get(&format!("/v1/collection/{collection}")).await.ok();
    assert!(!theme["collection"]["theme"].as_array().unwrap().is_empty());
    assert_eq!(first["track"]["player_color"], theme["collection"]["player_color"]);

    // The covers of a collection are deleted with it.
    let url = text(first, "/cover_image/icon/url").to_owned();
    client.delete(&format!("/v1/collection/{collection}")).await.ok();
    // The first job queues the second.
    until_done(&server, "empty_collection").await;
    until_done(&server, "purge_collection").await;
    assert_eq!(client.get(&url).await.status, 404);
}

#[tokio::test]
async fn an_organizations_cover_is_set_on_the_command_line() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    let made = create_organization(&program, "Radio");
    let (org, file) = (text(&made, "/organization_id"), data.path().join("cover.png"));
    std::fs::write(&file, picture()).unwrap();
    let set = |file: &str| program.run(&["org", "set", "--org", org, "--cover", file]);
    let done = set(file.to_str().unwrap());
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::write(&file, "no picture").unwrap();
    assert_eq!(set(file.to_str().unwrap()).status.code(), Some(2));
    assert_eq!(set("/nowhere.png").status.code(), Some(1));

    program.start().await;
    let owner = Client::new(&program.url(), text(&made, "/api_key"));
    let read = owner.get(&format!("/v1/organization/{org}")).await.ok();
    assert!(!read["organization"]["theme"].as_array().unwrap().is_empty(), "{read}");
}

async fn a_new_cover_is_in_every_form(server: TestServer) {
    let client = &server.client;
    let library = &server.node.services().unwrap().library;
    let organization_id = library.organizations().await.unwrap()[0].id;
    let caller = tonearm_service::Caller::owner(organization_id);
    let settings = tonearm_domain::CoverSettings { size: tonearm_domain::CoverSize::Regular };
    let kind = tonearm_domain::RecipeKind::Cover(settings);
    library
        .add_recipe(&caller, "art".parse().unwrap(), kind, tonearm_domain::CachePolicy::default())
        .await
        .unwrap();

    // The first cover arrives before the audio.
    let collection = client.collection("Season 1").await;
    let created = client.track(&collection, "song.wav").await;
    let id = text(&created, "/track_id").to_owned();
    let url = text(&created, "/track_cover_upload/upload_url").to_owned();
    let upload = async |colour| {
        let request = client.request(Method::POST, &url).body(picture_in(colour));
        client.send(request).await.ok();
    };
    upload(tonearm_domain::Colour::new(200, 20, 20)).await;
    let sound = client.request(Method::PUT, text(&created, "/track_upload/upload_url"));
    client.send(sound.body(wav(&WavSpec::default()))).await.ok();
    assert_eq!(client.settled(&id).await["track_status_id"], "ready");
    let track = || async {
        let catalog = &server.node.services().unwrap().catalog;
        catalog.track(organization_id, id.parse().unwrap()).await.unwrap().unwrap()
    };
    let before = track().await;
    assert!(before.placeholder.is_some(), "nothing was drawn beside the uploaded cover");

    upload(tonearm_domain::Colour::new(20, 200, 20)).await;
    until_done(&server, "finish_cover").await;
    assert_ne!(track().await.cover, before.cover);
    let asked = json!({"track_id": id, "variants": ["art"]});
    let session = client.post("/v1/play_session/track", &asked).await.ok();
    let cover = text(&session, "/first_track/cover_image/regular/url");
    let jpeg = client.without_key().get(cover).await;
    assert_eq!((jpeg.header("content-type"), jpeg.header("vary")), ("image/jpeg", "Accept"));
    let webp = client.without_key().request(Method::GET, cover).header("accept", "image/webp,*/*");
    let webp = client.send(webp).await;
    assert_eq!(webp.header("content-type"), "image/webp");
    assert!(webp.bytes.len() < jpeg.bytes.len());
    // The file that was rendered from the first cover now shows the second.
    let file = client.get(text(&session, "/first_track/variants/0/url")).await;
    assert_eq!(file.bytes, jpeg.bytes);
    assert_eq!(stored_bytes(&server, &track().await).await, bytes_in_store(&server, &track().await).await);
}

async fn stored_bytes(server: &TestServer, track: &Track) -> u64 {
    let scope = KeyScope::Track(track.collection_id, track.id);
    let catalog = &server.node.services().unwrap().catalog;
    catalog.storage_usage(track.organization_id, scope).await.unwrap().bytes
}

/// The total size of a track's objects: its source, its files and the covers that are in use.
async fn bytes_in_store(server: &TestServer, track: &Track) -> u64 {
    let services = server.node.services().unwrap();
    let files = services.catalog.files_of_track(track.id).await.unwrap();
    let files: Vec<ObjectKey> = files
        .into_iter()
        .filter_map(|file| match file.outcome {
            FileOutcome::Made { key, .. } => Some(key),
            FileOutcome::Failed { .. } => None,
        })
        .chain(track.source.iter().map(|source| source.key.clone()))
        .collect();
    let covers: Vec<ShortId> =
        track.cover.map(|cover| cover.version).into_iter().chain(track.placeholder).collect();
    let in_use = |key: &ObjectKey| {
        let is_cover = Cover::labels().contains(&key.file.label) && covers.contains(&key.file.version);
        is_cover || files.contains(key)
    };
    let blobs = Blobs::open(&server.config().storage_url).await.unwrap();
    let mut objects = blobs.list(Some(track.organization_id), Some(track.index));
    let mut bytes = 0;
    while let Some((key, meta)) = objects.try_next().await.unwrap() {
        bytes += if in_use(&key) { meta.size } else { 0 };
    }
    bytes
}

async fn a_cover_is_shown_while_encoders_run_on(server: TestServer) {
    let client = &server.client;
    let library = &server.node.services().unwrap().library;
    let caller = tonearm_service::Caller::owner(server.organization_id.parse().unwrap());
    let early = tonearm_service::UpdateOrganization {
        is_early_sound: tonearm_domain::Patch::Set(true),
        ..Default::default()
    };
    library.update_organization(&caller, caller.organization_id, early).await.unwrap();
    let collection = client.collection("Long").await;
    let sound = wav(&WavSpec::long());
    let id = client.upload(&collection, "long.wav", sound).await;
    let track = async || client.get(&format!("/v1/track/{id}")).await.ok()["track"].clone();
    let folder = format!("/{}/", text(&track().await, "/index"));
    let shown = async || {
        let asked = json!({"collection_id": collection});
        let session = client.post("/v1/play_session/collection", &asked).await.ok();
        let url = session.pointer("/first_track/cover_image/regular/url")?.as_str()?.to_owned();
        url.contains(&folder).then_some(url)
    };
    let url = loop {
        if let Some(url) = shown().await {
            break url;
        }
        assert_eq!(track().await["track_status_id"], "processing", "all was made before a cover was shown");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    let jpeg = client.without_key().get(&url).await;
    assert_eq!((jpeg.status.as_u16(), dimensions(&jpeg.bytes)), (200, (400, 400)));
    assert_eq!(track().await["track_status_id"], "processing");
}
