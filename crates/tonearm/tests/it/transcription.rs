//! Transcription, with a server that acts as the provider, including its errors, slow responses and odd responses.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::json;
use tokio::sync::{Notify, Semaphore};
use tonearm_catalog::PendingJob;
use tonearm_domain::{Clock, ErrorCode, Timestamp, TranscriptionState};
use tonearm_fixtures::EVENTUALLY;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_service::{Caller, EditTranscript, ProviderTest, Refusal, SetTranscription, Transcriptions};
use tonearm_testkit::{Backend, TestServer};

/// One response: status, `Retry-After` and body.
type Line = (u16, Option<&'static str>, String);

struct Provider {
    script: Mutex<Vec<Line>>,
    asked: Mutex<Vec<(HeaderMap, Bytes)>>,
    was_asked: Notify,
    /// How many responses may be sent.
    turns: Semaphore,
}

impl Provider {
    /// Responds according to the script, and repeats its last line forever.
    async fn start(script: Vec<Line>) -> (Arc<Self>, String) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1/", listener.local_addr().unwrap());
        let provider = Arc::new(Self {
            script: Mutex::new(script.into_iter().rev().collect()),
            asked: Mutex::default(),
            was_asked: Notify::new(),
            turns: Semaphore::new(Semaphore::MAX_PERMITS),
        });
        let routes = Router::new()
            .route("/v1/audio/transcriptions", post(answer))
            .layer(axum::extract::DefaultBodyLimit::disable())
            .with_state(Arc::clone(&provider));
        tokio::spawn(async move { axum::serve(listener, routes).await });
        (provider, url)
    }

    fn asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// Waits for the `count`-th request.
    async fn wait_for(&self, count: usize) {
        let enough = async {
            while self.asked() < count {
                let _ = tokio::time::timeout(Duration::from_millis(100), self.was_asked.notified()).await;
            }
        };
        tokio::time::timeout(EVENTUALLY, enough)
            .await
            .unwrap_or_else(|_| panic!("asked {} times, not {count}", self.asked()));
    }
}

async fn answer(State(provider): State<Arc<Provider>>, headers: HeaderMap, body: Bytes) -> Response {
    provider.asked.lock().unwrap().push((headers, body));
    provider.was_asked.notify_one();
    provider.turns.acquire().await.unwrap().forget();
    let (status, wait, text) = {
        let mut script = provider.script.lock().unwrap();
        if script.len() > 1 { script.pop().unwrap() } else { script[0].clone() }
    };
    let status = StatusCode::from_u16(status).unwrap();
    match wait {
        Some(wait) => (status, [("retry-after", wait)], text).into_response(),
        None => (status, text).into_response(),
    }
}

fn good() -> Line {
    let heard = json!({
        "task": "transcribe", "language": "german", "duration": 1.0, "text": "Guten Tag. Und weiter.",
        "segments": [
            {"id": 0, "start": 0.0, "end": 0.4, "text": " Guten Tag."},
            {"id": 1, "start": 2.9, "end": 3.4, "text": " Und weiter."},
        ],
    });
    (200, None, heard.to_string())
}

struct Stage {
    server: TestServer,
    transcriptions: Transcriptions,
    caller: Caller,
}

impl Stage {
    async fn open(backend: Backend, url: &str) -> Self {
        let server = TestServer::start_with(backend, &[("TONEARM_OUTBOUND_ALLOW_PRIVATE", "true")]).await;
        let transcriptions = server.node.services().unwrap().transcriptions.clone();
        let caller = Caller::owner(server.organization_id.parse().unwrap());
        let set = SetTranscription {
            base_url: url.into(),
            key: Some("sk-secret".to_owned()),
            model: "whisper-1".into(),
            language: Default::default(),
        };
        transcriptions.set(&caller, set).await.unwrap();
        Self { server, transcriptions, caller }
    }

    async fn ready_track(&self) -> String {
        let client = &self.server.client;
        let collection = client.collection("Spoken").await;
        let sound = wav(&WavSpec { seconds: 1.0, ..WavSpec::default() });
        let track = client.upload(&collection, "talk.wav", sound).await;
        assert_eq!(client.settled(&track).await["track_status_id"], "ready");
        track
    }

    /// Waits until a failed attempt is recorded, and returns the time of the next one. Bounded by half a minute.
    async fn asks_again_at(&self) -> Timestamp {
        let catalog = &self.server.node.services().unwrap().catalog;
        for _ in 0..600 {
            let jobs = catalog.pending_jobs().await.unwrap();
            let waits = |job: &&PendingJob| {
                job.kind == "transcribe_track" && job.last_error.is_some() && job.leased_until.is_none()
            };
            if let Some(job) = jobs.iter().find(waits) {
                return job.run_at;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("nothing is tried again after half a minute");
    }

    /// Waits until the transcription of a track is in a state, and returns the reason. Bounded by half a minute.
    async fn wait_for(&self, track: &str, state: TranscriptionState) -> Option<String> {
        for _ in 0..600 {
            let found = self.transcriptions.of_track(&self.caller, track.parse().unwrap()).await.unwrap();
            match found {
                Some(found) if found.state == state => return found.reason,
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
        panic!("transcribing {track} is not {} after half a minute", state.as_str());
    }
}

async fn words_are_written_down(backend: Backend) {
    let (provider, url) = Provider::start(vec![good()]).await;
    let stage = Stage::open(backend, &url).await;
    // The provider is slow, but the track is ready.
    provider.turns.forget_permits(Semaphore::MAX_PERMITS);
    let track = stage.ready_track().await;
    provider.wait_for(1).await;
    let read =
        || async { stage.server.client.get(&format!("/v1/track/{track}")).await.ok()["track"].clone() };
    assert_eq!(read().await["transcription"], json!(null));
    provider.turns.add_permits(1);
    stage.wait_for(&track, TranscriptionState::Done).await;
    let heard = read().await;
    assert_eq!(heard["transcription"], "Guten Tag.\n\nUnd weiter.");
    assert_eq!(heard["transcription_language"], "de");
    let session = stage.server.client.post("/v1/play_session/track", &json!({"track_id": track})).await.ok();
    assert!(session["first_track"]["captions_url"].is_string(), "{session}");

    let (headers, body) = provider.asked.lock().unwrap()[0].clone();
    assert_eq!(headers["authorization"], "Bearer sk-secret");
    let text = String::from_utf8_lossy(&body);
    for part in
        ["name=\"model\"\r\n\r\nwhisper-1\r\n", "verbose_json", "filename=\"sound.mp3\"", "audio/mpeg"]
    {
        assert!(text.contains(part), "no {part} in the request");
    }
    assert!(!text.contains("name=\"language\""));
    assert!(body.len() < 8_000, "one second of small mono MP3, not {} bytes", body.len());
    let view = stage.transcriptions.settings(&stage.caller).await.unwrap();
    assert!(view.is_enabled && view.has_key && !format!("{view:?}").contains("sk-secret"));
    stage.server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_are_written_down_embedded() {
    Box::pin(words_are_written_down(Backend::Embedded)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_are_written_down_distributed() {
    Box::pin(words_are_written_down(Backend::Distributed)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn troubles_that_pass_are_waited_out() {
    let line = |status, wait, text: &str| (status, wait, text.to_owned());
    let script = vec![
        line(429, Some("7"), "slow down"),
        line(500, None, "oops"),
        line(200, None, "<html>Welcome to the proxy</html>"),
        line(200, None, "{}"),
        line(200, None, ""),
        good(),
    ];
    let count = script.len();
    let (provider, url) = Provider::start(script).await;
    let stage = Stage::open(Backend::Embedded, &url).await;
    let track = stage.ready_track().await;
    for asked in 1..=count {
        provider.wait_for(asked).await;
        if asked == count {
            break;
        }
        let (at, now) = (stage.asks_again_at().await, stage.server.clock.now());
        if asked == 1 {
            // The delay that the provider requested is kept.
            assert!(at >= now.plus_seconds(7));
        }
        // Advance no further: the clock must not move past the lease of the next request.
        stage.server.clock.advance_seconds((at.unix_millis() - now.unix_millis()) / 1000 + 1);
    }
    stage.wait_for(&track, TranscriptionState::Done).await;
    stage.server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_people_edit_is_overwritten_only_on_request() {
    let (provider, url) = Provider::start(vec![good()]).await;
    let stage = Stage::open(Backend::Embedded, &url).await;
    let track = stage.ready_track().await;
    stage.wait_for(&track, TranscriptionState::Done).await;
    let (library, id) = (&stage.server.node.services().unwrap().library, track.parse().unwrap());
    let words = async || {
        let read = stage.server.client.get(&format!("/v1/track/{track}")).await.ok();
        read["track"]["transcription"].as_str().unwrap().to_owned()
    };
    let edit = async || {
        let version = library.transcript(&stage.caller, id).await.unwrap().version;
        let captions = "WEBVTT\n\n00:00.000 --> 00:00.900\nMine.\n".to_owned();
        let edit = EditTranscript { captions, language: "en".to_owned(), version };
        library.edit_transcript(&stage.caller, id, edit).await.unwrap();
    };
    edit().await;
    let refused = stage.transcriptions.retry(&stage.caller, id, false).await;
    assert!(
        matches!(refused, Err(Refusal::Conflict { code: ErrorCode::TranscriptEdited, .. })),
        "{refused:?}"
    );
    assert_eq!(words().await, "Mine.");

    // A user edits it once more while it is transcribed again.
    provider.turns.forget_permits(Semaphore::MAX_PERMITS);
    stage.transcriptions.retry(&stage.caller, id, true).await.unwrap();
    provider.wait_for(2).await;
    edit().await;
    provider.turns.add_permits(2);
    let catalog = &stage.server.node.services().unwrap().catalog;
    let is_open = async || {
        let jobs = catalog.pending_jobs().await.unwrap();
        jobs.iter().any(|job| job.kind == "transcribe_track")
    };
    for _ in 0..600 {
        if !is_open().await {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(!is_open().await, "it is not transcribed after half a minute");
    assert_eq!(words().await, "Mine.");

    stage.transcriptions.retry(&stage.caller, id, true).await.unwrap();
    stage.wait_for(&track, TranscriptionState::Done).await;
    assert_eq!(words().await, "Guten Tag.\n\nUnd weiter.");
    stage.server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_is_seen_and_can_be_mended() {
    let (provider, url) = Provider::start(vec![(401, None, "{\"error\": \"bad key\"}".to_owned())]).await;
    let stage = Stage::open(Backend::Embedded, &url).await;
    let track = stage.ready_track().await;
    let reason = stage.wait_for(&track, TranscriptionState::Failed).await.unwrap();
    assert!(reason.contains("401") && reason.contains("bad key"), "{reason}");
    let failures = stage.transcriptions.failures(&stage.caller).await.unwrap();
    assert_eq!(
        failures.iter().map(|failed| failed.track_id.to_string()).collect::<Vec<_>>(),
        std::slice::from_ref(&track)
    );
    *provider.script.lock().unwrap() = vec![(200, None, json!({"text": "Hello."}).to_string())];
    stage.transcriptions.retry(&stage.caller, track.parse().unwrap(), false).await.unwrap();
    stage.wait_for(&track, TranscriptionState::Done).await;
    let read = stage.server.client.get(&format!("/v1/track/{track}")).await.ok();
    assert_eq!(read["track"]["transcription"], "Hello.");
    assert_eq!(read["track"]["transcription_language"], json!(null));
    // Without times, there are no captions.
    let session = stage.server.client.post("/v1/play_session/track", &json!({"track_id": track})).await.ok();
    assert_eq!(session["first_track"]["captions_url"], json!(null));

    // The key that was entered for this server is never sent to another one.
    let elsewhere = SetTranscription {
        base_url: "https://example.com/v1".into(),
        key: None,
        model: "m".into(),
        language: "English".into(),
    };
    stage.transcriptions.set(&stage.caller, elsewhere).await.unwrap();
    let view = stage.transcriptions.settings(&stage.caller).await.unwrap();
    assert_eq!((view.has_key, view.language.as_deref()), (false, Some("en")));
    stage.server.node.stop().await;
}

/// More transcriptions hang than a worker has slots of any kind.
#[tokio::test(flavor = "multi_thread")]
async fn a_hanging_provider_holds_up_no_upload() {
    const HANGING: usize = 8;
    let (provider, url) = Provider::start(vec![good()]).await;
    let stage = Stage::open(Backend::Embedded, &url).await;
    provider.turns.forget_permits(Semaphore::MAX_PERMITS);
    let mut tracks = Vec::new();
    for asked in 1..=HANGING + 4 {
        tracks.push(stage.ready_track().await);
        provider.wait_for(asked.min(HANGING)).await;
    }
    assert_eq!(provider.asked(), HANGING, "one slot is kept for other organizations");
    provider.turns.add_permits(tracks.len());
    for track in &tracks {
        stage.wait_for(track, TranscriptionState::Done).await;
    }
    stage.server.node.stop().await;
}

/// Audio that is longer than providers accept is cut where nothing is said.
#[tokio::test(flavor = "multi_thread")]
async fn long_sound_is_sent_in_pieces() {
    let (provider, url) = Provider::start(vec![good()]).await;
    let stage = Stage::open(Backend::Embedded, &url).await;
    // Half a minute of silence from 19:00 on, sound everywhere else.
    let steps = (0..41).map(|step| if step == 38 { 0.0 } else { 0.25 }).collect();
    let spec = WavSpec {
        seconds: 41.0 * 30.0,
        sample_rate: 8_000,
        channels: 1,
        bits: 8,
        signal: Signal::Steps(steps),
    };
    let client = &stage.server.client;
    let collection = client.collection("Spoken").await;
    let track = client.upload(&collection, "talk.wav", wav(&spec)).await;
    assert_eq!(client.settled(&track).await["track_status_id"], "ready");
    stage.wait_for(&track, TranscriptionState::Done).await;
    // 4,000 bytes of MP3 for each second, plus the rest of the form.
    let seconds: Vec<usize> =
        provider.asked.lock().unwrap().iter().map(|(_, body)| body.len() / 4_000).collect();
    assert!(matches!(seconds[..], [1_141..=1_170, 60..=90]), "{seconds:?}");
    let heard = client.get(&format!("/v1/track/{track}")).await.ok();
    assert_eq!(heard["track"]["transcription"].as_str().unwrap().matches("Guten Tag.").count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_is_tried_with_a_second_of_sound() {
    let script = vec![
        good(),
        (200, None, json!({ "text": "" }).to_string()),
        (401, None, "no such key".to_owned()),
        (500, Some("7"), "overloaded".to_owned()),
        (200, None, "<html>".to_owned()),
    ];
    let (provider, url) = Provider::start(script).await;
    let stage = Stage::open(Backend::Embedded, &url).await;
    let mut said = Vec::new();
    for _ in 0..5 {
        said.push(match stage.transcriptions.test(&stage.caller).await.unwrap() {
            ProviderTest::Answered { words, .. } => format!("heard {words:?}"),
            ProviderTest::Failed(sentence) => sentence,
        });
    }
    assert_eq!(
        said,
        [
            "heard \"Guten Tag. Und weiter.\"",
            "heard \"\"",
            "the provider responded with 401: no such key",
            "the provider responded with 500: overloaded",
            "the provider's response is not a transcription",
        ]
    );
    let (headers, body) = provider.asked.lock().unwrap()[0].clone();
    assert_eq!(headers["authorization"], "Bearer sk-secret");
    assert!(body.windows(10).any(|bytes| bytes == b"audio/mpeg"));
    // A provider that does not respond occupies one place of the organization, and no more.
    provider.turns.forget_permits(Semaphore::MAX_PERMITS);
    let (transcriptions, caller) = (stage.transcriptions.clone(), stage.caller.clone());
    let test = tokio::spawn(async move { transcriptions.test(&caller).await });
    provider.wait_for(6).await;
    let refused = stage.transcriptions.test(&stage.caller).await.unwrap_err();
    assert!(refused.to_string().contains("try again in a minute"), "{refused}");
    provider.turns.add_permits(10);
    assert!(matches!(test.await.unwrap().unwrap(), ProviderTest::Failed(_)));
    stage.server.node.stop().await;
}
