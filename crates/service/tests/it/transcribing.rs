//! A transcription is requested, edited, turned off and on, deleted, restored and purged in random orders, while runs of
//! it hang at a provider that answers well, badly, or not now.
//!
//! After each step, the catalog has what a model of a few lines has: the words of who asked or wrote last. Nothing is
//! sent that is not wanted any more, and no piece that has arrived is asked for twice.
//!
//! `TONEARM_TRANSCRIPTIONS` sets the number of histories; the default is 20. A failure prints its history.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonearm_domain::{ClaimedJob, PersonId, Track, TrackId, TranscriptionState};
use tonearm_fixtures::{Dice, TestDatabase};
use tonearm_outbound::Outbound;
use tonearm_service::{
    Caller, EditTranscript, JobError, JobRun, Processing, SetTranscription, Transcriptions,
};
use tonearm_signing::{Secrets, Vault};

use crate::on_both;
use crate::workshop::{Workshop, sound};

on_both!(who_asks_or_writes_last_wins);

/// The track is transcribed in this many pieces.
const PIECES: usize = 3;
const SECONDS: f64 = 2500.0;
const STEPS: usize = 30;

/// A request that waits for its answer.
struct Asked(TcpStream);

impl Asked {
    async fn answer(mut self, status: &str, body: &str) {
        let length = body.len();
        let text =
            format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
        self.0.write_all(text.as_bytes()).await.unwrap();
        self.0.shutdown().await.unwrap();
    }
}

/// A provider that hands over each request. Returns its URL.
async fn provider() -> (String, mpsc::UnboundedReceiver<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (hand_over, requests) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut received = Vec::new();
            // The last boundary of a form ends like this, within its last chunk if there are chunks.
            while !received.ends_with(b"--\r\n") && !received.ends_with(b"--\r\n\r\n0\r\n\r\n") {
                if stream.read_buf(&mut received).await.unwrap() == 0 {
                    break;
                }
            }
            if hand_over.send(Asked(stream)).is_err() {
                return;
            }
        }
    });
    (url, requests)
}

/// A run that hangs at the provider.
struct Hanging {
    run: JoinHandle<()>,
    asked: Asked,
    /// The number of requests for a transcription before it.
    epoch: usize,
}

/// What the catalog should have.
#[derive(Default)]
struct Model {
    is_on: bool,
    is_deleted: bool,
    is_purged: bool,
    state: Option<TranscriptionState>,
    is_edited: bool,
    text: Option<String>,
    /// The words of the pieces that have arrived.
    arrived: Vec<String>,
    /// Grows whenever what is running no longer counts.
    epoch: usize,
}

struct Stage {
    workshop: Workshop,
    processing: Processing,
    transcriptions: Transcriptions,
    requests: mpsc::UnboundedReceiver<Asked>,
    owner: Caller,
    track: TrackId,
    model: Model,
    hanging: Vec<Hanging>,
    said: Arc<AtomicUsize>,
    history: Vec<String>,
}

/// Runs a job as a worker does.
async fn run(workshop_catalog: tonearm_catalog::Catalog, processing: Processing, claimed: ClaimedJob) {
    let now = processing.ambient().now();
    let run = JobRun { claimed, cancel: CancellationToken::new() };
    match processing.run(&run).await {
        Ok(()) | Err(JobError::LeaseLost) => {}
        Err(JobError::Cancelled) => {
            workshop_catalog.retry_job(&run.claimed, now, "cancelled").await.unwrap();
        }
        Err(JobError::Retry(failure)) => match run.claimed.next_try(failure.wait, 0, now) {
            None => processing.give_up(&run.claimed, &failure.reason).await.unwrap(),
            Some(next) => {
                workshop_catalog.retry_job(&run.claimed, next.at, &failure.reason).await.unwrap();
            }
        },
        Err(error) => panic!("{error:?}"),
    }
}

impl Stage {
    async fn open(database: &TestDatabase) -> Self {
        let workshop = Workshop::open(database).await;
        let (url, requests) = provider().await;
        let vault = Vault::new(&Secrets::parse("a secret for tests that is long enough to be one").unwrap());
        let (catalog, ambient) = (workshop.catalog.clone(), workshop.ambient.clone());
        let transcriptions = Transcriptions::new(catalog, ambient, vault, Outbound::new(true).unwrap());
        let (owner, track) = workshop.upload(sound()).await;
        workshop.run_all().await;
        let processing = workshop.processing.clone().with_transcriptions(transcriptions.clone());
        let read = workshop.catalog.track(owner.organization_id, track).await.unwrap().unwrap();
        let tx = workshop.catalog.begin().await.unwrap();
        tx.update_track(&Track { duration: SECONDS, ..read }).await.unwrap();
        tx.commit().await.unwrap();
        let set = SetTranscription {
            base_url: url.into(),
            key: None,
            model: "m".into(),
            language: Default::default(),
        };
        transcriptions.set(&owner, set).await.unwrap();
        let model = Model { is_on: true, ..Model::default() };
        let (hanging, said, history) = (Vec::new(), Arc::default(), Vec::new());
        Self { workshop, processing, transcriptions, requests, owner, track, model, hanging, said, history }
    }

    async fn ask(&mut self) {
        let asked = self.transcriptions.retry(&self.owner, self.track, true).await;
        let model = &mut self.model;
        assert_eq!(asked.is_ok(), model.is_on && !model.is_deleted, "{asked:?}");
        if asked.is_ok() {
            (model.state, model.is_edited) = (Some(TranscriptionState::Pending), false);
            model.epoch += 1;
        }
    }

    async fn edit(&mut self) {
        let number = self.said.fetch_add(1, Ordering::Relaxed);
        let read = self.workshop.library.transcript(&self.owner, self.track).await;
        assert_eq!(read.is_err(), self.model.is_deleted);
        let Ok(read) = read else { return };
        let captions = format!("WEBVTT\n\n00:00.000 --> 00:01.000\nwritten {number}\n");
        let edit = EditTranscript { captions, language: String::new(), version: read.version };
        self.workshop.library.edit_transcript(&self.owner, self.track, edit).await.unwrap();
        let model = &mut self.model;
        (model.state, model.is_edited) = (Some(TranscriptionState::Done), true);
        (model.text, model.arrived) = (Some(format!("written {number}")), Vec::new());
        model.epoch += 1;
    }

    async fn switch(&mut self) {
        let model = &mut self.model;
        model.is_on = !model.is_on;
        self.transcriptions.enable(&self.owner, model.is_on).await.unwrap();
        if !model.is_on && model.state == Some(TranscriptionState::Pending) {
            model.state = Some(TranscriptionState::Failed);
            model.epoch += 1;
        }
    }

    async fn delete_or_restore(&mut self) {
        let (library, model) = (&self.workshop.library, &mut self.model);
        if !model.is_deleted {
            // What people delete can be restored.
            let person = PersonId::from_uuid(self.track.uuid());
            let person = Caller::person(self.owner.organization_id, person);
            library.delete_track(&person, self.track).await.unwrap();
            model.is_deleted = true;
            return;
        }
        if model.is_purged {
            return;
        }
        library.restore_track(&self.owner, self.track).await.unwrap();
        model.is_deleted = false;
        // It is queued again, or for the first time.
        if model.state == Some(TranscriptionState::Pending) || (model.state.is_none() && model.is_on) {
            model.state = Some(TranscriptionState::Pending);
            model.epoch += 1;
        }
    }

    async fn purge(&mut self) {
        if !self.model.is_deleted {
            self.delete_or_restore().await;
        }
        self.workshop.clock.advance_seconds(100 * 24 * 3600);
        self.run_due().await;
        let (is_purged, is_deleted) = (true, true);
        let Model { is_on, epoch, .. } = self.model;
        self.model = Model { is_on, is_purged, is_deleted, epoch: epoch + 1, ..Model::default() };
    }

    /// Runs what is due, until a run hangs at the provider or nothing is due. Returns whether a run hangs.
    async fn run_due(&mut self) -> bool {
        loop {
            let (now, lease) = (self.workshop.ambient.now(), self.workshop.ambient.credential_id());
            let until = now.plus_seconds(1000 * 24 * 3600);
            let Some(claimed) = self.workshop.catalog.claim_job(now, lease, until).await.unwrap() else {
                return false;
            };
            let mut work = tokio::spawn(run(self.workshop.catalog.clone(), self.processing.clone(), claimed));
            tokio::select! {
                ended = &mut work => ended.unwrap(),
                asked = self.requests.recv() => {
                    assert!(self.model.is_on && !self.model.is_deleted, "nothing is to be sent");
                    assert_eq!(self.model.state, Some(TranscriptionState::Pending), "nothing is awaited");
                    assert!(self.model.arrived.len() < PIECES, "everything has arrived");
                    self.hanging.push(Hanging { run: work, asked: asked.unwrap(), epoch: self.model.epoch });
                    return true;
                }
            }
            self.settle();
        }
    }

    /// What was stored by an attempt whose track was deleted needs no further request.
    fn settle(&mut self) {
        let model = &mut self.model;
        if model.state == Some(TranscriptionState::Pending)
            && !model.is_deleted
            && model.arrived.len() == PIECES
        {
            model.state = Some(TranscriptionState::Done);
            model.text = Some(std::mem::take(&mut model.arrived).join("\n\n"));
        }
    }

    /// Lets a request have an answer.
    async fn answer(&mut self, dice: &mut Dice) {
        if self.hanging.is_empty() {
            return;
        }
        let at = dice.below(self.hanging.len());
        let Hanging { run, asked, epoch } = self.hanging.swap_remove(at);
        let counts = epoch == self.model.epoch;
        match dice.below(6) {
            0 => asked.answer("500 Later", "overloaded").await,
            1 => {
                asked.answer("401 No", "wrong key").await;
                if counts && !self.model.is_deleted {
                    self.model.state = Some(TranscriptionState::Failed);
                    self.model.epoch += 1;
                }
            }
            _ => {
                let text = format!("said {}", self.said.fetch_add(1, Ordering::Relaxed));
                asked.answer("200 OK", &format!("{{\"text\": \"{text}\"}}")).await;
                if counts {
                    self.model.arrived.push(text);
                    self.settle();
                }
            }
        }
        self.history.push(format!("  (which {})", if counts { "counts" } else { "is too late" }));
        let mut run = run;
        tokio::select! {
            ended = &mut run => ended.unwrap(),
            asked = self.requests.recv() => {
                assert!(counts && self.model.is_on && !self.model.is_deleted, "nothing is to be sent");
                self.hanging.push(Hanging { run, asked: asked.unwrap(), epoch });
            }
        }
    }

    /// Compares the catalog with the model.
    async fn compare(&self) {
        let (catalog, id) = (&self.workshop.catalog, self.owner.organization_id);
        let found = catalog.transcription(id, self.track).await.unwrap();
        assert_eq!(found.as_ref().map(|found| found.state), self.model.state, "{found:?}");
        let edited_at = catalog.transcript_edited_at(self.track).await.unwrap();
        assert_eq!(edited_at.is_some(), self.model.is_edited);
        let track = catalog.track(id, self.track).await.unwrap();
        assert_eq!(track.is_none(), self.model.is_deleted);
        if let Some(track) = track {
            assert_eq!(track.transcription, self.model.text);
        }
    }

    async fn step(&mut self, dice: &mut Dice) {
        match dice.below(16) {
            0..3 => {
                self.history.push("ask".to_owned());
                self.ask().await;
            }
            3 => {
                self.history.push("edit".to_owned());
                self.edit().await;
            }
            4 => {
                self.history.push("switch".to_owned());
                self.switch().await;
            }
            5 => {
                self.history.push("delete or restore".to_owned());
                self.delete_or_restore().await;
            }
            6 if dice.below(6) == 0 => {
                self.history.push("purge".to_owned());
                self.purge().await;
            }
            6..8 => {
                self.history.push("two hours".to_owned());
                self.workshop.clock.advance_seconds(7200);
            }
            8..11 => {
                self.history.push("run".to_owned());
                self.run_due().await;
            }
            _ => {
                self.history.push("answer".to_owned());
                self.answer(dice).await;
            }
        }
        self.compare().await;
    }
}

async fn who_asks_or_writes_last_wins(database: TestDatabase) {
    let histories = std::env::var("TONEARM_TRANSCRIPTIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    for seed in 0..histories {
        let (mut stage, mut dice) = (Box::pin(Stage::open(&database)).await, Dice(seed));
        for _ in 0..STEPS {
            let history = History(seed, std::mem::take(&mut stage.history));
            stage.history.clone_from(&history.1);
            stage.step(&mut dice).await;
            drop(history);
        }
        // At rest, nothing waits.
        if !stage.model.is_on {
            stage.switch().await;
        }
        while !stage.hanging.is_empty() || stage.model.state == Some(TranscriptionState::Pending) {
            if stage.model.is_deleted && !stage.model.is_purged {
                stage.delete_or_restore().await;
            }
            stage.workshop.clock.advance_seconds(7200);
            stage.run_due().await;
            stage.answer(&mut dice).await;
            stage.compare().await;
        }
    }
}

/// Prints a history if its next step fails.
struct History(u64, Vec<String>);

impl Drop for History {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}: {}", self.0, self.1.join(", "));
        }
    }
}
