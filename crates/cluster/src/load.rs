//! Uploads, and plays of the uploaded tracks, while other parts fail.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use bytes::Bytes;
use reqwest::Method;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use tonearm_fixtures::Dice;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};

use crate::client::{Client, text};
use crate::ledger::Ledger;
use crate::report::Notes;

/// How long a client that sends pieces waits for a response before it asks another node.
const IMPATIENCE: Duration = Duration::from_secs(5);

/// An upload that was acknowledged.
#[derive(Debug, Clone)]
pub(crate) struct Upload {
    pub(crate) track_id: String,
    pub(crate) sha256: String,
}

/// State shared by all uploaders. Clones share the same state.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    pub(crate) client: Client,
    pub(crate) collection: String,
    pub(crate) ledger: Ledger,
    pub(crate) notes: Notes,
    pub(crate) acknowledged: Arc<Mutex<Vec<Upload>>>,
    pub(crate) retries: Arc<AtomicU64>,
    seed: u64,
    /// How long one upload is retried.
    patience: Duration,
    next: Arc<AtomicUsize>,
    allowed: Arc<Semaphore>,
    to_play: Arc<Mutex<VecDeque<String>>>,
    is_over: Arc<AtomicBool>,
}

impl Load {
    pub(crate) fn new(
        client: Client,
        collection: String,
        notes: Notes,
        seed: u64,
        patience: Duration,
    ) -> Self {
        Self {
            client,
            collection,
            ledger: Ledger::default(),
            notes,
            acknowledged: Arc::default(),
            retries: Arc::default(),
            seed,
            patience,
            next: Arc::default(),
            allowed: Arc::new(Semaphore::new(0)),
            to_play: Arc::default(),
            is_over: Arc::default(),
        }
    }

    /// Permits this many more uploads to begin.
    pub(crate) fn allow(&self, uploads: usize) {
        self.allowed.add_permits(uploads);
    }

    pub(crate) fn count(&self) -> usize {
        self.acknowledged.lock().unwrap().len()
    }

    /// Uploads until `total` uploads have begun.
    pub(crate) async fn upload_all(self, total: usize) {
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= total {
                return;
            }
            if let Ok(permit) = self.allowed.acquire().await {
                permit.forget();
            }
            match self.upload(number).await {
                Ok(upload) => {
                    self.to_play.lock().unwrap().push_back(upload.track_id.clone());
                    self.acknowledged.lock().unwrap().push(upload);
                }
                Err(error) => {
                    self.notes.violation("uploads that were never taken in", format!("{number}: {error:#}"))
                }
            }
        }
    }

    async fn upload(&self, number: usize) -> Result<Upload> {
        let mut dice = Dice(self.seed ^ ((number as u64) << 20));
        let sound = sound(&mut dice);
        let begun = Instant::now();
        let key = format!("cluster-{}-{number}", self.seed);
        let body = json!({"collection_id": self.collection, "file_name": format!("{number}.wav")});
        let create = |node| {
            self.client.request(node, Method::POST, "/v1/track").header("Idempotency-Key", &key).json(&body)
        };
        let created = self.until_taken(&mut dice, begun, create).await?;
        let url = text(&created, "/track_upload/upload_url")?;
        if dice.below(2) == 0 {
            self.upload_in_pieces(&mut dice, begun, &url, &sound).await?;
        } else {
            let put = |node| self.client.request(node, Method::PUT, &url).body(sound.clone());
            self.until_taken(&mut dice, begun, put).await?;
        }
        Ok(Upload { track_id: text(&created, "/track_id")?, sha256: hex::encode(Sha256::digest(&sound)) })
    }

    /// Sends a file by the protocol of resumable uploads, in two pieces. A client that gets no response for a while asks
    /// another node how much has arrived, and goes on there, although the first node may still be at work.
    async fn upload_in_pieces(
        &self,
        dice: &mut Dice,
        begun: Instant,
        url: &str,
        sound: &Bytes,
    ) -> Result<()> {
        let mut last = String::new();
        while begun.elapsed() < self.patience {
            match self.next_piece(dice, url, sound).await {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) => {
                    last = format!("{error:#}");
                    self.retries.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(100 + dice.number() % 400)).await;
                }
            }
        }
        bail!(last)
    }

    /// Asks a node for the offset and sends the next piece to it. Returns whether the upload is complete.
    async fn next_piece(&self, dice: &mut Dice, url: &str, sound: &Bytes) -> Result<bool> {
        let node = dice.below(1 << 16);
        let request = |method| self.client.request(node, method, url).timeout(IMPATIENCE);
        let head = request(Method::HEAD).send().await?;
        let of_head = |name: &str| head.headers().get(name).and_then(|value| value.to_str().ok());
        let sent = match head.status().as_u16() {
            // Nothing has arrived yet.
            404 => {
                let put = request(Method::PUT).header("Upload-Complete", "?0");
                self.client.send(put.body(sound.slice(..sound.len() / 2))).await?
            }
            204 if of_head("upload-complete") == Some("?1") => return Ok(true),
            204 => {
                let offset: usize = of_head("upload-offset").context("an offset")?.parse()?;
                let patch = request(Method::PATCH)
                    .header("Upload-Offset", offset)
                    .header("Upload-Complete", "?1")
                    .header("Content-Type", "application/partial-upload");
                self.client.send(patch.body(sound.slice(offset..))).await?
            }
            status => bail!("the answer to HEAD was {status}"),
        };
        match sent.status {
            200 => Ok(true),
            201 | 204 => Ok(false),
            status => {
                if status == 500 {
                    self.notes.violation("answers of 500", sent.words());
                }
                bail!(sent.words())
            }
        }
    }

    /// Retries at one node after another, with pauses, as clients do.
    async fn until_taken(
        &self,
        dice: &mut Dice,
        begun: Instant,
        request: impl Fn(usize) -> reqwest::RequestBuilder,
    ) -> Result<serde_json::Value> {
        let (mut tries, mut refused) = (0_u32, 0);
        loop {
            let last = match self.client.send(request(dice.below(1 << 16))).await {
                Ok(answer) if answer.status == 200 => return Ok(answer.json()),
                // The upload was accepted, but the response did not arrive.
                Ok(answer) if answer.json()["code"] == "upload_url_used" => return Ok(answer.json()),
                Ok(answer) => {
                    let is_passing = matches!(answer.status, 408 | 409 | 429 | 500..);
                    refused += u32::from(!is_passing);
                    if answer.status == 500 {
                        self.notes.violation("answers of 500", answer.words());
                    }
                    answer.words()
                }
                Err(error) => format!("{error:#}"),
            };
            if refused > 5 || begun.elapsed() > self.patience {
                bail!(last);
            }
            self.retries.fetch_add(1, Ordering::Relaxed);
            let pause = (100_u64 << tries.min(5)) + dice.number() % 100;
            tries += 1;
            tokio::time::sleep(Duration::from_millis(pause)).await;
        }
    }

    /// Plays one or two variants of each track at one node as soon as it is ready, until [`Load::end_playing`] is
    /// called. Tracks that are not ready by then are not played.
    pub(crate) async fn play(self, node: usize) {
        let within = self.patience;
        while !self.is_over.load(Ordering::Relaxed) {
            let next = self.to_play.lock().unwrap().pop_front();
            let Some(track) = next else {
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let path = format!("/v1/track/{track}");
            let status = self.client.get(node, &path, within).await;
            let is_ready = status.is_ok_and(|body| body["track"]["track_status_id"] == "ready");
            if !is_ready {
                self.to_play.lock().unwrap().push_back(track);
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
            if let Err(error) = self.play_one(node, &track, within).await {
                self.notes.violation("tracks that could not be played", format!("{track}: {error:#}"));
            }
        }
    }

    async fn play_one(&self, node: usize, track: &str, within: Duration) -> Result<()> {
        let variants = self.ledger.open(&self.client, node, track, within).await?;
        let times = 1 + track.bytes().map(usize::from).sum::<usize>() % 2;
        for variant in variants.iter().take(times) {
            self.ledger.fetch(&self.client, node, track, variant, within).await?;
        }
        Ok(())
    }

    pub(crate) fn end_playing(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// 0.3 to 1 second of noise that is different for every upload.
fn sound(dice: &mut Dice) -> Bytes {
    let signal = Signal::Noise { seed: dice.number(), amplitude: 0.3 };
    let seconds = 0.3 + dice.below(8) as f64 / 10.0;
    let spec = WavSpec { sample_rate: 16_000, channels: 1, seconds, signal, ..WavSpec::default() };
    wav(&spec).into()
}
