//! Recipes of an organization: added, rendered for existing tracks, removed.

use std::time::Duration;

use serde_json::{Value, json};
use tonearm_domain::{
    CachePolicy, Codec, CoverSettings, LevelsFormat, LevelsSettings, OrganizationId, PreviewLength,
    PreviewSettings, Recipe, RecipeKind, Transcode, WaveformImage, WaveformVideo,
};
use tonearm_fixtures::EVENTUALLY;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_service::{Caller, Library, RecipeView};
use tonearm_testkit::{Backend, Client, TestServer};

use crate::{on_both_backends, text};

on_both_backends!(every_type_is_rendered_for_what_is_there);

async fn caller(library: &Library) -> Caller {
    let organizations = library.organizations().await.unwrap();
    let id: OrganizationId = organizations[0].id;
    Caller::owner(id)
}

/// Waits until a recipe is rendered for every existing track.
async fn rendered(library: &Library, caller: &Caller, index: &str) -> RecipeView {
    for _ in 0..1200 {
        let recipes = library.recipes(caller).await.unwrap();
        let view = recipes.into_iter().find(|view| view.recipe.index.as_str() == index).unwrap();
        if view.rendering.as_ref().is_some_and(|rendering| rendering.finished_at.is_some()) {
            return view;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{index} was not rendered within a minute");
}

async fn every_type_is_rendered_for_what_is_there(server: TestServer) {
    let client = &server.client;
    let library = &server.node.services().unwrap().library;
    let caller = caller(library).await;
    let collection = client.collection("Songs").await;
    let mut tracks = Vec::new();
    for seconds in [2.0, 3.0] {
        let bytes = wav(&WavSpec { seconds, ..WavSpec::default() });
        let id = client.upload(&collection, "a.wav", bytes).await;
        assert_eq!(client.settled(&id).await["track_status_id"], "ready");
        tracks.push(id);
    }
    let flac = Transcode { codec: Codec::Flac, ..Transcode::default() };
    let peaks = LevelsSettings { format: LevelsFormat::AudiowaveformDat, ..LevelsSettings::default() };
    let video = WaveformVideo { width: 160, height: 90, ..WaveformVideo::default() };
    for (index, kind, content_type) in [
        ("flac", RecipeKind::Transcode(flac), "audio/flac"),
        ("peaks", RecipeKind::Levels(peaks), "application/octet-stream"),
        ("image", RecipeKind::WaveformImage(WaveformImage::default()), "image/png"),
        ("video", RecipeKind::WaveformVideo(video), "video/mp4"),
        ("art", RecipeKind::Cover(CoverSettings::default()), "image/jpeg"),
    ] {
        let recipe =
            library.add_recipe(&caller, index.parse().unwrap(), kind, CachePolicy::default()).await.unwrap();
        let begun = library.render_existing(&caller, recipe.id).await.unwrap();
        assert_eq!((begun.total, begun.percent()), (2, 0));
        let rendering = rendered(library, &caller, index).await.rendering.unwrap();
        assert_eq!((rendering.done, rendering.failed, rendering.percent()), (2, 0, 100));
        for track in &tracks {
            assert_eq!(
                client.get(&format!("/v1/track/{track}")).await.ok()["track"]["track_status_id"],
                "ready"
            );
            let asked = json!({"track_id": track, "variants": [index]});
            let session = client.post("/v1/play_session/track", &asked).await.ok();
            let file = client.get(text(&session, "/first_track/variants/0/url")).await;
            assert_eq!((file.status.as_u16(), file.header("content-type")), (200, content_type), "{index}");
        }
    }
    // Tracks no longer have the files of a removed recipe.
    let flac = library.recipes(&caller).await.unwrap();
    let flac = flac.iter().find(|view| view.recipe.index.as_str() == "flac").unwrap();
    library.remove_recipe(&caller, flac.recipe.id).await.unwrap();
    let session = client.post("/v1/play_session/track", &json!({"track_id": tracks[0]})).await.ok();
    let listed: Vec<&str> = session["first_track"]["variants"]
        .as_array()
        .unwrap()
        .iter()
        .map(|variant| text(variant, "/variant/index"))
        .collect();
    assert_eq!(listed, ["hq", "lq", "preview"]);
}

/// A recipe that cannot be rendered takes nothing from existing tracks.
#[tokio::test(flavor = "multi_thread")]
async fn a_later_recipe_that_fails_leaves_tracks_ready() {
    let server = TestServer::start(Backend::Embedded).await;
    let client = &server.client;
    let library = &server.node.services().unwrap().library;
    let caller = caller(library).await;
    let collection = client.collection("Songs").await;
    let id = client.upload(&collection, "a.wav", wav(&WavSpec::default())).await;
    assert_eq!(client.settled(&id).await["track_status_id"], "ready");
    server.clock.advance_seconds(60);
    // A preview of zero length, which earlier versions accepted.
    let make_impossible = async |recipe: &Recipe| {
        let length = PreviewLength::Percent {
            preview_percent: 10.0,
            preview_min_seconds: 0.0,
            preview_max_seconds: 0.0,
        };
        let kind = RecipeKind::Preview(PreviewSettings {
            length,
            transcode: Transcode::default(),
            preview_start_percent: 0.0,
        });
        let tx = server.node.services().unwrap().catalog.begin().await.unwrap();
        tx.update_recipe(&Recipe { kind, ..recipe.clone() }).await.unwrap();
        tx.commit().await.unwrap();
    };
    let recipe = library
        .add_recipe(
            &caller,
            "nothing".parse().unwrap(),
            RecipeKind::Transcode(Transcode::default()),
            CachePolicy::default(),
        )
        .await
        .unwrap();
    make_impossible(&recipe).await;
    library.render_existing(&caller, recipe.id).await.unwrap();
    let rendering = rendered(library, &caller, "nothing").await.rendering.unwrap();
    assert_eq!((rendering.done, rendering.failed), (1, 1));
    let status = async |id: &str| {
        let track = client.get(&format!("/v1/track/{id}")).await.ok();
        text(&track, "/track/track_status_id").to_owned()
    };
    assert_eq!(status(&id).await, "ready");
    // The track also stays ready when another variant is rendered for it.
    let more = json!({"variant_type_id": "transcode", "index": "opus", "codec": "opus"});
    client.post(&format!("/v1/track/{id}/variant"), &more).await.ok();
    assert_eq!(client.settled(&id).await["track_status_id"], "ready");
    // If a recipe of a track is changed so that it cannot be rendered, the existing file stays.
    let recipes = library.recipes(&caller).await.unwrap();
    let preview = recipes.iter().find(|view| view.recipe.index.as_str() == "preview").unwrap();
    make_impossible(&preview.recipe).await;
    library.render_existing(&caller, preview.recipe.id).await.unwrap();
    assert_eq!(rendered(library, &caller, "preview").await.rendering.unwrap().failed, 1);
    let asked = json!({"track_id": id, "variants": ["preview"]});
    let session = client.post("/v1/play_session/track", &asked).await.ok();
    assert_eq!(client.get(text(&session, "/first_track/variants/0/url")).await.status, 200);
    // A later track is incomplete without the file.
    let later = client.upload(&collection, "b.wav", wav(&WavSpec::default())).await;
    assert_eq!(client.settled(&later).await["track_status_id"], "incomplete");
}

/// Whether a process has the folder of a track in its arguments.
fn has_process(track_index: &str) -> bool {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes.into_iter().any(|process| {
        let line = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(track_index)
    })
}

/// With a folder as the store, the arguments of the encoders name the track's own folder.
#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_track_ends_its_encoders() {
    let server = TestServer::start(Backend::Embedded).await;
    let client = &server.client;
    let library = &server.node.services().unwrap().library;
    let caller = caller(library).await;
    let collection = client.collection("Long").await;
    let bytes = wav(&WavSpec::long());
    let id = client.upload(&collection, "long.wav", bytes).await;
    let index = client.get(&format!("/v1/track/{id}")).await.ok();
    let index = text(&index, "/track/index").to_owned();
    // The track reports its progress, both in its own row and to all watchers.
    let mut watch = library.watch_progress(&caller).await.unwrap();
    let is_running = |track: &tonearm_service::TrackProgressView| {
        let making = |variant: &tonearm_domain::VariantProgress| {
            matches!(variant.making, tonearm_domain::Making::Running { .. })
        };
        track.track_id.to_string() == id && track.percent < 100 && track.variants.iter().any(making)
    };
    while !watch.current().iter().any(is_running) {
        tokio::time::timeout(EVENTUALLY, watch.changed()).await.unwrap();
    }
    let track = library.track_progress(&caller, id.parse().unwrap()).await.unwrap();
    assert_eq!(track.variants.len(), 5, "{track:?}");
    assert!(has_process(&index));
    let _: Value = client.delete(&format!("/v1/track/{id}")).await.ok();
    // Far sooner than the encoders would end by themselves.
    tokio::time::timeout(Duration::from_secs(5), async {
        while has_process(&index) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn early_sound_plays_what_is_there() {
    let server = TestServer::start(Backend::Embedded).await;
    let client = &server.client;
    let library = &server.node.services().unwrap().library;
    let caller = caller(library).await;
    let collection = client.collection("Early").await;
    let bytes = wav(&WavSpec::long());
    let listed = async || {
        let session =
            client.post("/v1/play_session/collection", &json!({"collection_id": collection})).await.ok();
        let tracks = session["tracks"].as_array().unwrap().len();
        let variants = session["first_track"]["variants"].as_array().map_or(0, Vec::len);
        (tracks, variants)
    };
    let update = tonearm_service::UpdateOrganization {
        is_early_sound: tonearm_domain::Patch::Set(true),
        ..Default::default()
    };
    library.update_organization(&caller, caller.organization_id, update).await.unwrap();
    let id = client.upload(&collection, "long.wav", bytes).await;
    // The preview is ready long before the rest.
    let mut early = (0, 0);
    while early.0 == 0 {
        early = listed().await;
        let track = client.get(&format!("/v1/track/{id}")).await.ok();
        let status = text(&track, "/track/track_status_id");
        assert!(early.0 > 0 || status == "processing", "{status}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(early.1 < 3, "{early:?}");
    client.settled(&id).await;
    assert_eq!(listed().await, (1, 3));
}

/// The sound of a file: mono, 16 bits.
async fn decoded(client: &Client, url: &str) -> Vec<i16> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    std::fs::write(&path, client.get(url).await.bytes).unwrap();
    let mut ffmpeg = std::process::Command::new("ffmpeg");
    ffmpeg.args(["-v", "error", "-i"]).arg(&path).args(["-f", "s16le", "-ac", "1", "-ar", "44100", "-"]);
    let sound = ffmpeg.output().unwrap();
    assert!(sound.status.success(), "{}", String::from_utf8_lossy(&sound.stderr));
    sound.stdout.as_chunks().0.iter().map(|sample| i16::from_le_bytes(*sample)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_begins_at_the_same_sample_whenever_it_is_made() {
    let server = TestServer::start(Backend::Embedded).await;
    let client = &server.client;
    let library = &server.node.services().unwrap().library;
    let caller = caller(library).await;
    let preview = async |codec: Codec, when: &str| {
        let length = PreviewLength::Seconds {
            preview_seconds: 3.0,
            preview_min_percent: 0.0,
            preview_max_percent: 100.0,
        };
        let transcode = Transcode { codec, ..Transcode::default() };
        let kind = RecipeKind::Preview(PreviewSettings { length, transcode, preview_start_percent: 33.0 });
        let index = format!("{when}-{}", codec.as_str()).parse().unwrap();
        library.add_recipe(&caller, index, kind, CachePolicy::default()).await.unwrap()
    };
    let codecs = [Codec::Mp3, Codec::Aac, Codec::Opus, Codec::Flac];
    for codec in codecs {
        preview(codec, "first").await;
    }
    let signal = Signal::Noise { seed: 1, amplitude: 0.5 };
    let noise =
        wav(&WavSpec { seconds: 10.0, sample_rate: 44_100, channels: 1, signal, ..WavSpec::default() });
    let folder = tempfile::tempdir().unwrap();
    let (source, mp3) = (folder.path().join("noise.wav"), folder.path().join("noise.mp3"));
    std::fs::write(&source, &noise).unwrap();
    let mut ffmpeg = std::process::Command::new("ffmpeg");
    assert!(ffmpeg.args(["-v", "error", "-i"]).arg(&source).arg(&mp3).status().unwrap().success());
    let collection = client.collection("Noise").await;
    let mut tracks = Vec::new();
    for path in [&source, &mp3] {
        let track = client.upload_file(&collection, path).await;
        assert_eq!(client.settled(&track).await["track_status_id"], "ready");
        tracks.push(track);
    }
    for codec in codecs {
        let recipe = preview(codec, "later").await;
        library.render_existing(&caller, recipe.id).await.unwrap();
        rendered(library, &caller, recipe.index.as_str()).await;
        for track in &tracks {
            let asked = json!({"track_id": track, "variants": [format!("first-{}", codec.as_str()), recipe.index.as_str()]});
            let session = client.post("/v1/play_session/track", &asked).await.ok();
            let url = |number| text(&session, &format!("/first_track/variants/{number}/url")).to_owned();
            let [first, later] = [decoded(client, &url(0)).await, decoded(client, &url(1)).await];
            assert!(first.len() >= 3 * 44_100, "{codec:?}: {} samples", first.len());
            // Noise: what begins one sample later differs everywhere.
            let differ = first.iter().zip(&later).filter(|(one, other)| one.abs_diff(**other) > 400).count();
            assert_eq!((first.len(), differ), (later.len(), 0), "{codec:?}: other samples");
        }
    }
    server.node.stop().await;
}
