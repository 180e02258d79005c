//! A typical library, with content on every page.

use std::process::{Command, Stdio};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tonearm_domain::{Clock, KeyType, Role, Transcription, TranscriptionState, WebhookKind};
use tonearm_fixtures::audio::{Id3, Signal, WavSpec, wav, with_id3};
use tonearm_service::{Caller, CreateKey, DeliveryQuery, SetTranscription};
use tonearm_testkit::{Answer, Client};

use super::Ada;
use crate::receiver::Receiver;
use crate::text;

/// The number of days with listens.
const DAYS: usize = 24;
const DAY: i64 = 24 * 3600;

const SESSIONS: (&str, &[(&str, &str)]) = (
    "Harbour sessions",
    &[
        ("Ebb and flow", "ebb-and-flow.wav"),
        ("The lighthouse keeper’s waltz", "02 waltz (final).wav"),
        ("Slack water", "slack water.wav"),
        ("Letters from the far side of the estuary, read at night", "letters.wav"),
    ],
);
const PODCAST: (&str, &[(&str, &str)]) = (
    "Tide tables",
    &[("1: Why the sea is salt", "tt-s01e01.wav"), ("2: Moon, mud, mussels", "tt-s01e02.wav")],
);

const WORDS: [&str; 3] = [
    "Good evening, and welcome to Tide tables. Tonight: why the sea is salt, and why the rivers that feed it are not.",
    "Every river carries a little of the rock that it runs over. A little, that is all; you would never taste it. But the \
     sea has no river of its own to carry anything away. Water leaves it as vapour, and vapour leaves the salt behind.",
    "So it has waited, and gathered, for some four thousand million years.",
];

/// The records that the pages show.
pub(super) struct Gallery {
    pub(super) ada: Ada,
    pub(super) collection: String,
    pub(super) empty_collection: String,
    pub(super) track: String,
    pub(super) spoken_track: String,
    pub(super) failed_track: String,
    pub(super) incomplete_track: String,
    pub(super) delivery: String,
    pub(super) track_key: String,
    pub(super) collection_key: String,
    _receivers: [Receiver; 2],
}

impl Gallery {
    /// Fills a service that nobody can sign in to yet.
    pub(super) async fn open() -> Self {
        let ada = Ada::arrives(&[("TONEARM_OUTBOUND_ALLOW_PRIVATE", "true")]).await;
        let receivers = hears_of_everything(&ada).await;
        let client = ada.server.client.clone();
        let (collection, tracks) = collection(&client, SESSIONS, ["0x12355b", "0x2a9d8f", "0xe9c46a"]).await;
        let (podcast, episodes) = collection_of_speech(&client).await;
        let empty_collection = client.collection("Voice notes").await;
        let failed_track = client.upload(&podcast, "interview.m4a", "this is no sound".repeat(200)).await;
        client.settled(&failed_track).await;
        let incomplete_track = incomplete(&ada, &podcast).await;
        let track_key =
            share_key(&client, "For the press", json!({"track_id": tracks[0], "collection_id": collection}))
                .await;
        let collection_key =
            share_key(&client, "Newsletter, spring", json!({"collection_id": collection})).await;
        other_keys(&ada).await;
        is_played(&ada, [&tracks[..], &episodes[..]].concat()).await;
        let delivery = first_delivery(&ada).await;
        has_company(&ada).await;
        signs_by_itself(&ada).await;
        is_written_down(&ada, &episodes[0]).await;
        was_not_understood(&ada, &incomplete_track).await;
        // Last, as the days in which something is heard would be too many.
        were_deleted(&ada, &podcast).await;
        let (track, spoken_track) = (tracks[0].clone(), episodes[0].clone());
        Self {
            ada,
            collection,
            empty_collection,
            track,
            spoken_track,
            failed_track,
            incomplete_track,
            delivery,
            track_key,
            collection_key,
            _receivers: receivers,
        }
    }
}

/// A track whose upload broke off, and of which one variant failed.
async fn incomplete(ada: &Ada, collection: &str) -> String {
    let sound = wav(&WavSpec { seconds: 20.0, ..WavSpec::default() });
    let id =
        ada.server.client.upload(collection, "field recording.wav", sound[..sound.len() / 2].to_vec()).await;
    ada.server.client.settled(&id).await;
    let failures = [("lq", "The encoder ran out of memory. Try again, or raise the limits of media.")];
    crate::second_chances::fail(&ada.server, id.parse().unwrap(), &failures).await;
    id
}

/// Tracks and collections that a user has deleted in the course of an afternoon, so that they can be restored.
async fn were_deleted(ada: &Ada, collection: &str) {
    let (client, library) = (&ada.server.client, &ada.server.node.services().unwrap().library);
    let somebody = tonearm_domain::PersonId::from_uuid(uuid::Uuid::nil());
    let caller = Caller::person(caller(ada).organization_id, somebody);
    for name in ["out-take.wav", "An interview that nobody wanted to hear, second half.mp3", "room tone.flac"]
    {
        let created = client.track(collection, name).await;
        library.delete_track(&caller, text(&created, "/track_id").parse().unwrap()).await.unwrap();
        ada.server.clock.advance_seconds(37 * 60);
    }
    for title in ["Winter demos", "Tests of the new microphone"] {
        let gone = client.collection(title).await;
        client.track(&gone, "one.wav").await;
        library.delete_collection(&caller, gone.parse().unwrap()).await.unwrap();
        ada.server.clock.advance_seconds(52 * 60);
    }
}

/// Two backends sign URLs themselves, and a third one used to.
async fn signs_by_itself(ada: &Ada) {
    let keys = ada.server.node.services().unwrap().signing_keys(&ada.server.ambient);
    for title in ["Shop", "Newsroom backend in Hamburg"] {
        keys.create(&caller(ada), title).await.unwrap();
        ada.server.clock.advance_seconds(DAY);
    }
    let old = keys.create(&caller(ada), "Old shop").await.unwrap().key.id;
    keys.revoke(&caller(ada), old).await.unwrap();
}

/// What is said in a track, as a provider would have transcribed it.
async fn is_written_down(ada: &Ada, track: &str) {
    let tx = ada.server.node.services().unwrap().catalog.begin().await.unwrap();
    let id = track.parse().unwrap();
    let mut track = tx.track(caller(ada).organization_id, id).await.unwrap().unwrap();
    track.transcription = Some(WORDS.join("\n\n"));
    track.transcription_language = Some("en-GB".to_owned());
    tx.update_track(&track).await.unwrap();
    tx.commit().await.unwrap();
}

/// A track whose transcription failed.
async fn was_not_understood(ada: &Ada, track: &str) {
    let failed = Transcription {
        track_id: track.parse().unwrap(),
        organization_id: caller(ada).organization_id,
        state: TranscriptionState::Failed,
        reason: Some("given up after 10 attempts: the provider's response contains no text".to_owned()),
        updated_at: ada.server.clock.now(),
    };
    let tx = ada.server.node.services().unwrap().catalog.begin().await.unwrap();
    tx.put_transcription(&failed).await.unwrap();
    tx.commit().await.unwrap();
}

fn caller(ada: &Ada) -> Caller {
    Caller::owner(ada.server.organization_id.parse().unwrap())
}

/// One receiver that accepts everything and one that accepts nothing.
async fn hears_of_everything(ada: &Ada) -> [Receiver; 2] {
    let webhooks = &ada.server.node.services().unwrap().webhooks;
    let (good, bad) = (Receiver::start(Duration::ZERO).await, Receiver::start(Duration::ZERO).await);
    bad.answer(500);
    webhooks.set(&caller(ada), WebhookKind::Collection, good.url().into()).await.unwrap();
    webhooks.set(&caller(ada), WebhookKind::Track, bad.url().into()).await.unwrap();
    [good, bad]
}

async fn collection(
    client: &Client,
    (title, songs): (&str, &[(&str, &str)]),
    colours: [&str; 3],
) -> (String, Vec<String>) {
    let created = client
        .post("/v1/collection", &json!({"title": title, "player_subtitle": "Ada & the Lovelaces"}))
        .await
        .ok();
    let upload = client.request(Method::POST, text(&created, "/collection_cover_upload/upload_url"));
    client.send(upload.body(picture(colours))).await.ok();
    let collection = text(&created, "/collection_id").to_owned();
    let mut tracks = Vec::new();
    for (at, (title, file_name)) in songs.iter().enumerate() {
        let sound = song(at as u64 + title.len() as u64);
        let sound = if at == 0 { with_id3(&sound, &tag()) } else { sound };
        let track = client.upload(&collection, file_name, sound).await;
        client.put(&format!("/v1/track/{track}"), &json!({"player_title": title})).await.ok();
        tracks.push(track);
    }
    for track in &tracks {
        client.settled(track).await;
    }
    (collection, tracks)
}

async fn collection_of_speech(client: &Client) -> (String, Vec<String>) {
    collection(client, PODCAST, ["0xf4a261", "0xe76f51", "0x6d2e46"]).await
}

/// A soft picture in three colours.
fn picture(colours: [&str; 3]) -> Vec<u8> {
    let [one, two, three] = colours;
    let source = format!(
        "gradients=s=1000x1000:n=3:c0={one}:c1={two}:c2={three}:x0=100:y0=900:x1=850:y1=50:seed=7:type=radial"
    );
    let arguments =
        ["-v", "error", "-f", "lavfi", "-i", &source, "-frames:v", "1", "-q:v", "3", "-f", "mjpeg", "-"];
    let made = Command::new("ffmpeg").args(arguments).stdin(Stdio::null()).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    made.stdout
}

/// The tags in the first file of each collection.
fn tag() -> Id3 {
    Id3::new(4)
        .text(b"TIT2", "Ebb and flow (take 3)")
        .text(b"TPE1", "Ada & the Lovelaces")
        .text(b"TALB", "Harbour sessions, recorded at low tide between two ferries")
        .text(b"TRCK", "1/4")
        .text(b"TPOS", "1/1")
        .text(b"TCON", "Folk")
        .text(b"TDRC", "2024-05-01")
        .text(b"TLAN", "eng")
        .lyrics(b"eng", "The water goes,\nthe water comes,\n\nand nobody asks it why.")
        .chapter("a", 0, 8000, "Going out")
        .chapter("b", 8000, 16_000, "Slack water, and the long wait for the tide to make up its mind")
        .chapter("c", 16_000, 24_000, "Coming in")
}

/// Twenty-four seconds that rise and fall as music does: beats inside bars inside phrases.
fn song(seed: u64) -> Vec<u8> {
    let beats = (0_u64..192).map(|beat| {
        let place = beat as f64 / 192.0;
        let phrase = 0.35 + 0.65 * (place * std::f64::consts::PI * (2.0 + (seed % 3) as f64)).sin().abs();
        let accent = if beat % 4 == 0 { 1.0 } else { 0.7 };
        let wobble = (beat.wrapping_mul(seed * 2 + 7919) % 97) as f64 / 97.0;
        0.05 + 0.9 * phrase * accent * (0.45 + 0.55 * wobble)
    });
    let signal = Signal::Steps(beats.collect());
    wav(&WavSpec { seconds: 24.0, sample_rate: 8_000, channels: 1, signal, ..WavSpec::default() })
}

async fn share_key(client: &Client, title: &str, reach: Value) -> String {
    let mut body = json!({"title": title, "api_key_type_id": "share", "variants": ["hq"]});
    body.as_object_mut().unwrap().extend(reach.as_object().unwrap().clone());
    text(&client.post("/v1/api_key", &body).await.ok(), "/api_key").to_owned()
}

async fn other_keys(ada: &Ada) {
    let library = &ada.server.node.services().unwrap().library;
    let mut website = CreateKey::new(KeyType::Player, "Website");
    website.is_downloadable = true;
    library.create_key(&caller(ada), website).await.unwrap();
    let old = CreateKey::new(KeyType::Uploader, "Old uploader");
    let old = library.create_key(&caller(ada), old).await.unwrap().key.id;
    library.revoke_key(&caller(ada), old).await.unwrap();
}

/// A listener with their own browser requests a file from the page of a site.
async fn listens(client: &Client, url: &str, listener: usize) -> Answer {
    let site = ["https://www.example.com/", "https://tides.example.org/", "https://radio.example.net/"];
    let request = client.without_key().request(Method::GET, url);
    let request = request.header("user-agent", format!("Mozilla/5.0 Firefox/12{listener}.0"));
    client.send(request.header("referer", site[listener % site.len()])).await
}

/// Lets some weeks pass, with more and more listens.
async fn is_played(ada: &Ada, tracks: Vec<String>) {
    let client = &ada.server.client;
    let key = share_key(client, "Everywhere", json!({})).await;
    for day in 0..DAYS {
        for track in tracks.iter().take(1 + (day * 7) % tracks.len()) {
            for listener in 0..1 + day % 3 {
                let link = listens(client, &format!("/v1/stream/{track}/{key}"), listener).await;
                listens(client, link.header("location"), listener).await;
            }
        }
        ada.server.clock.advance_seconds(DAY);
    }
}

/// The id of the first delivery that failed.
async fn first_delivery(ada: &Ada) -> String {
    let query = DeliveryQuery { webhook: Some(WebhookKind::Track.into()), state: None };
    let webhooks = &ada.server.node.services().unwrap().webhooks;
    let found = webhooks.deliveries(&caller(ada), query, None, 50).await.unwrap();
    found.last().unwrap().id.to_string()
}

/// Invites another member, and configures transcription.
async fn has_company(ada: &Ada) {
    let services = ada.server.node.services().unwrap();
    services.people.invite(&caller(ada), Role::Editor, "bea@example.com").await.unwrap();
    let set = SetTranscription {
        base_url: "https://speech.example.com/v1".into(),
        key: Some("a key that is never shown again".to_owned()),
        model: "large".into(),
        language: "en-GB".into(),
    };
    services.transcriptions.set(&caller(ada), set).await.unwrap();
}
