//! Random deliveries and reports of players, compared with the parts of the track that each listener received and played.

use std::ops::Range;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tonearm::Role;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_fixtures::{Dice, EVENTUALLY};
use tonearm_testkit::{Client, TestServer};

use crate::listens::two_minutes;
use crate::{eventually, on_both_backends, text};

on_both_backends!(what_is_counted_is_what_was_received);

const HISTORIES: u64 = 20;
/// The listened parts of tracks and files are stored as sets of this many equal parts.
const PARTS: u64 = 50;
const DAY: i64 = 86_400;

/// A file, the part of the track that it contains, and the length of the track, in seconds.
struct File {
    url: String,
    size: u64,
    sound: Range<f64>,
    track: f64,
}

/// A part of a file that a listener received: at least until one byte, at most until another.
struct Received {
    listener: usize,
    file: usize,
    bytes: Range<u64>,
    most: u64,
}

/// The deliveries of one day.
#[derive(Default)]
struct Model {
    received: Vec<Received>,
    /// The seconds of the track that a listener's player reported.
    played: Vec<(usize, Range<f64>)>,
    starts: u64,
    /// Bytes that were delivered: the least and the most.
    bytes: (u64, u64),
}

/// What can be said about a number: it is between these.
type Bounds = (f64, f64);

impl File {
    /// The seconds of the track that a range of bytes contains.
    fn seconds(&self, bytes: &Range<u64>) -> Range<f64> {
        let at = |byte: u64| {
            self.sound.start + (self.sound.end - self.sound.start) * byte as f64 / self.size as f64
        };
        at(bytes.start)..at(bytes.end)
    }

    /// The same, where both ends are rounded outwards: first to parts of the file, then to parts of the track.
    fn rounded(&self, bytes: &Range<u64>) -> Range<f64> {
        let start = bytes.start * PARTS / self.size * self.size / PARTS;
        let end = ((bytes.end * PARTS).div_ceil(self.size) * self.size).div_ceil(PARTS);
        let Range { start, end } = self.seconds(&(start..end));
        let part = self.track / PARTS as f64;
        (start / part).floor() * part..(end / part).ceil() * part
    }

    /// Whether it contains less than the whole track.
    fn is_excerpt(&self) -> bool {
        self.sound.end - self.sound.start < self.track - 1.0
    }
}

/// The length of all intervals together.
fn united(mut intervals: Vec<Range<f64>>) -> f64 {
    intervals.sort_by(|a, b| a.start.total_cmp(&b.start));
    let (mut sum, mut until) = (0.0, 0.0);
    for Range { start, end } in intervals {
        sum += (end - f64::max(start, until)).max(0.0);
        until = f64::max(until, end);
    }
    sum
}

impl Model {
    fn receives(&mut self, listener: usize, file: usize, bytes: Range<u64>, most: u64) {
        self.bytes.0 += bytes.end - bytes.start;
        self.bytes.1 += most - bytes.start;
        self.received.push(Received { listener, file, bytes, most });
    }

    /// The seconds that a listener heard: what was played, if that is known, of what was delivered.
    fn heard(&self, files: &[File], listener: usize) -> Bounds {
        let (least, most) = self.delivered(files, listener, None);
        let played = self.played.iter().filter(|(who, _)| *who == listener);
        let played: Vec<_> = played.map(|(_, seconds)| seconds.clone()).collect();
        if played.is_empty() {
            return (least, most);
        }
        let played = united(played);
        // Both ends of each range are rounded to milliseconds.
        (least.min(played - 0.1), most.min(played + 0.1))
    }

    /// The seconds that were delivered to a listener, of all files or of one.
    fn delivered(&self, files: &[File], listener: usize, only: Option<usize>) -> Bounds {
        let of = |received: &&Received| {
            received.listener == listener && only.is_none_or(|file| file == received.file)
        };
        let received: Vec<_> = self.received.iter().filter(of).collect();
        let least = received.iter().map(|part| files[part.file].seconds(&part.bytes));
        let most = received.iter().filter(|part| part.most > part.bytes.start);
        let most = most.map(|part| files[part.file].rounded(&(part.bytes.start..part.most)));
        // Each part is rounded to microseconds, and a sum to milliseconds.
        (united(least.collect()) - 0.01, united(most.collect()).min(files[0].track) + 0.01)
    }

    /// Whether a listener surely, and whether possibly, took a minute, or all of an excerpt or of a shorter track.
    fn listens(&self, files: &[File], listener: usize) -> (bool, bool) {
        let (least, most) = self.delivered(files, listener, None);
        let enough = (files[0].track * 0.95).min(60.0);
        let (mut surely, mut possibly) = (least > enough, most >= enough);
        for (number, file) in files.iter().enumerate().filter(|(_, file)| file.is_excerpt()) {
            let enough = (file.sound.end - file.sound.start) * 0.95;
            let (least, most) = self.delivered(files, listener, Some(number));
            surely |= least > enough;
            possibly |= most >= enough;
        }
        (surely, possibly)
    }

    fn listeners(&self) -> usize {
        // Whoever only plays hears nothing that was delivered.
        self.received.iter().map(|received| received.listener + 1).max().unwrap_or_default()
    }

    /// Compares the rows of this day with the model. `is_final` says that nothing can be on its way any more.
    fn differs(&self, files: &[File], usage: &Value, listens: &Value, is_final: bool) -> Option<String> {
        let sum = |bounds: &mut dyn Iterator<Item = Bounds>| {
            bounds.fold((0.0, 0.0), |sum, next| (sum.0 + next.0, sum.1 + next.1))
        };
        let everybody = 0..self.listeners();
        let heard = sum(&mut everybody.clone().map(|listener| self.heard(files, listener)));
        let count = |is_so: bool| f64::from(u8::from(is_so));
        let listened = everybody.map(|listener| self.listens(files, listener));
        let listened = sum(&mut listened.map(|(surely, possibly)| (count(surely), count(possibly))));
        let starts = self.starts as f64;
        let bytes = (self.bytes.0 as f64, self.bytes.1 as f64);
        [
            (usage, "starts", (starts, starts)),
            (usage, "bytes", bytes),
            (listens, "listens", listened),
            // Whole seconds, rounded down.
            (listens, "seconds_heard", (heard.0 - 1.0, heard.1)),
        ]
        .into_iter()
        .find_map(|(row, field, (least, most))| {
            let found = row[field].as_f64().unwrap();
            let is_wrong = found < least || is_final && found > most;
            is_wrong.then(|| format!("{field}: {found} is not between {least} and {most}"))
        })
    }
}

struct Scene<'s> {
    server: &'s TestServer,
    nodes: [String; 2],
    track: String,
}

impl Scene<'_> {
    /// The files of the track, with URLs that are valid from now on.
    async fn files(&self) -> Vec<File> {
        let body = json!({"track_id": self.track, "variants": ["hq", "lq", "preview"]});
        let session = self.server.client.post("/v1/play_session/track", &body).await.ok();
        let variants = session["first_track"]["variants"].as_array().unwrap().clone();
        let track = session["first_track"]["track"]["duration"].as_f64().unwrap();
        assert!(variants.len() >= 2);
        let file = |variant: &Value| {
            let sound = match variant["data"]["capture_end"].as_f64() {
                Some(end) => variant["data"]["capture_start"].as_f64().unwrap()..end,
                None => 0.0..track,
            };
            let url = text(variant, "/url").replace(&self.nodes[0], "");
            File { url, size: variant["size"].as_u64().unwrap(), sound, track }
        };
        variants.iter().map(file).collect()
    }

    /// Changes the files, every few histories: the URLs that were given before it are still valid.
    async fn change(&self, seed: u64) {
        match seed % 20 {
            4 => self.replace(40.0).await,
            9 => self.replace(150.0).await,
            14 => self.render_preview(50).await,
            17 => {
                let preview = self.recipe("preview").await;
                self.server.client.delete(&preview).await.ok();
            }
            19 => {
                let body = json!({"index": "preview", "variant_type_id": "preview", "codec": "mp3"});
                self.server.client.post("/v1/variant", &body).await.ok();
                self.render_preview(30).await;
            }
            _ => {}
        }
    }

    /// Replaces the source by a sound of another length.
    async fn replace(&self, seconds: f64) {
        let client = &self.server.client;
        let source = format!("/v1/track/{}/source", self.track);
        let replacement = client.post(&source, &json!({})).await.ok();
        let signal = Signal::Sine { hz: 110.0, amplitude: 0.5 };
        let spec = WavSpec { seconds, sample_rate: 8_000, channels: 1, signal, ..WavSpec::default() };
        let put = client.request(Method::PUT, text(&replacement, "/track_upload/upload_url"));
        client.send(put.body(wav(&spec))).await.ok();
        eventually("the source is replaced", async || {
            client.get(&source).await.ok().to_string().contains("completed")
        })
        .await;
    }

    /// The path of a recipe.
    async fn recipe(&self, index: &str) -> String {
        let recipes = self.server.client.get("/v1/variant").await.ok();
        let recipe = recipes["variants"].as_array().unwrap().iter().find(|recipe| recipe["index"] == index);
        format!("/v1/variant/{}", text(recipe.unwrap(), "/id"))
    }

    /// Makes the preview again, with this length.
    async fn render_preview(&self, seconds: u64) {
        let (client, preview) = (&self.server.client, self.recipe("preview").await);
        client.put(&preview, &json!({"preview_seconds": seconds})).await.ok();
        let rendering = format!("{preview}/rendering");
        client.post(&rendering, &json!({})).await.ok();
        eventually("the preview is made", async || {
            !client.get(&rendering).await.ok()["rendering"]["finished_at"].is_null()
        })
        .await;
    }

    /// One to eight deliveries to up to three listeners, by two nodes.
    async fn history(&self, dice: &mut Dice, files: &[File]) -> Model {
        let mut model = Model::default();
        for _ in 0..=dice.below(8) {
            let (listener, file) = (dice.below(3), dice.below(files.len()));
            let url = format!("{}{}", self.nodes[dice.below(2)], files[file].url);
            let agent = format!("Mozilla/5.0 (X11; Linux x86_64) Firefox/{}", 100 + listener);
            let request_at = |method, url: &str| {
                self.server.client.without_key().request(method, url).header("user-agent", &agent)
            };
            let request = |method| request_at(method, &url);
            let size = files[file].size;
            let mut any = || dice.number() % size;
            let (one, other) = (any(), any());
            let (start, end) = (one.min(other), one.max(other) + 1);
            match dice.below(9) {
                0 => assert_eq!(request(Method::HEAD).send().await.unwrap().status(), 200),
                1 => {
                    let response = request(Method::GET).send().await.unwrap();
                    assert_eq!(response.bytes().await.unwrap().len() as u64, size);
                    model.starts += 1;
                    model.receives(listener, file, 0..size, size);
                }
                2 => {
                    get(request(Method::GET), &format!("{start}-{}", end - 1), start..end).await;
                    model.starts += u64::from(start == 0);
                    model.receives(listener, file, start..end, end);
                }
                3 => {
                    get(request(Method::GET), &format!("-{}", size - start), start..size).await;
                    model.starts += u64::from(start == 0);
                    model.receives(listener, file, start..size, size);
                }
                4 => {
                    get(request(Method::GET), &format!("0-{}", end - 1), 0..end).await;
                    model.starts += 1;
                    model.receives(listener, file, 0..end, end);
                }
                7 | 8 => {
                    let File { sound, .. } = &files[file];
                    let mut any = || dice.below(2 * (sound.end - sound.start) as usize) as f64 / 2.0;
                    let ranges = [(); 2].map(|()| (any(), any()));
                    let ranges = ranges.map(|(one, other)| one.min(other)..one.max(other));
                    let played = ranges.clone().map(|range| format!("{}-{}", range.start, range.end));
                    let report = format!("{url}&played={}", played.join(","));
                    assert_eq!(request_at(Method::POST, &report).send().await.unwrap().status(), 204);
                    let of_track = |range: Range<f64>| sound.start + range.start..sound.start + range.end;
                    let played = ranges.into_iter().filter(|range| range.start < range.end).map(of_track);
                    model.played.extend(played.map(|seconds| (listener, seconds)));
                }
                5 if end < size => {
                    // Two parts with a gap of at least a byte.
                    let (first, second) = (start..start + 1, end..size);
                    let asked = format!("{}-{},{}-", first.start, first.end - 1, second.start);
                    let before = get_parts(request(Method::GET), &asked).await;
                    model.starts += u64::from(first.start == 0);
                    model.bytes.0 += before - (first.end - first.start) - (second.end - second.start);
                    model.bytes.1 += before - (first.end - first.start) - (second.end - second.start);
                    for part in [first, second] {
                        let most = part.end;
                        model.receives(listener, file, part, most);
                    }
                }
                _ => {
                    // The connection is closed while the file is on its way.
                    let response = request(Method::GET).header("range", format!("bytes={start}-"));
                    let mut response = response.send().await.unwrap();
                    let taken = response.chunk().await.unwrap().map_or(0, |chunk| chunk.len() as u64);
                    drop(response);
                    model.starts += u64::from(start == 0);
                    model.receives(listener, file, start..start + taken, size);
                }
            }
        }
        model
    }
}

/// Takes a range of a file.
async fn get(request: reqwest::RequestBuilder, range: &str, expected: Range<u64>) {
    let response = request.header("range", format!("bytes={range}")).send().await.unwrap();
    assert_eq!(response.status(), 206, "{range}");
    assert_eq!(response.bytes().await.unwrap().len() as u64, expected.end - expected.start, "{range}");
}

/// Takes several ranges of a file. Returns the length of the response.
async fn get_parts(request: reqwest::RequestBuilder, ranges: &str) -> u64 {
    let response = request.header("range", format!("bytes={ranges}")).send().await.unwrap();
    assert_eq!(response.status(), 206, "{ranges}");
    let kind = response.headers()["content-type"].to_str().unwrap().to_owned();
    assert!(kind.starts_with("multipart/byteranges"), "{kind}");
    response.bytes().await.unwrap().len() as u64
}

/// The rows of all days since the first, oldest first.
async fn by_day(client: &Client, path: &str, field: &str, from: &str) -> Vec<Value> {
    let mut rows = Vec::new();
    loop {
        let page =
            client.get(&format!("{path}?group=day&from={from}&limit=200&offset={}", rows.len())).await.ok();
        let more = page[field].as_array().unwrap();
        rows.extend(more.iter().cloned());
        if more.is_empty() || rows.len() as u64 >= page["count"].as_u64().unwrap() {
            return rows;
        }
    }
}

async fn what_is_counted_is_what_was_received(server: TestServer) {
    let edge = server.another_node(vec![Role::Edge]).await;
    let nodes = [server.node.public_url().to_owned(), edge.public_url().to_owned()];
    let (track, _) = two_minutes(&server.client).await;
    let scene = Scene { server: &server, nodes, track };
    let client = &server.client;
    let first = text(&client.get("/v1/usage").await.ok(), "/to").to_owned();
    let histories = std::env::var("TONEARM_HISTORIES").ok().and_then(|n| n.parse().ok()).unwrap_or(HISTORIES);
    let mut days: Vec<(Vec<File>, Model)> = Vec::new();
    // Bytes of connections that were closed may be handed over, and count, after midnight.
    let mut late = 0;
    for seed in 0..histories {
        let files = scene.files().await;
        scene.change(seed).await;
        let mut model = scene.history(&mut Dice(seed), &files).await;
        let aborted = model.bytes.1 - model.bytes.0;
        model.bytes.1 += std::mem::replace(&mut late, aborted);
        days.push((files, model));
        server.clock.advance_seconds(DAY);
    }
    // Counts are stored in the order of their days by each node, so that a delivery of the last day comes last.
    let files = scene.files().await;
    let mut last = Model { bytes: (0, late), ..Model::default() };
    for node in &scene.nodes {
        let request = client.without_key().request(Method::GET, &format!("{node}{}", files[0].url));
        get(request.header("user-agent", "Mozilla/5.0 Firefox/99"), "0-", 0..files[0].size).await;
        last.starts += 1;
        last.receives(0, 0, 0..files[0].size, files[0].size);
    }
    days.push((files, last));

    let begun = Instant::now();
    for is_final in [false, true] {
        loop {
            let usage = by_day(client, "/v1/usage", "usage", &first).await;
            let listens = by_day(client, "/v1/listens", "listens", &first).await;
            assert!(usage.len() >= days.len() && listens.len() >= days.len(), "{usage:?}");
            let differs = days.iter().enumerate().find_map(|(seed, (files, model))| {
                let differs = model.differs(files, &usage[seed], &listens[seed], is_final)?;
                Some(format!("seed {seed}: {differs}"))
            });
            let Some(differs) = differs else { break };
            assert!(!is_final && begun.elapsed() < EVENTUALLY, "{differs}");
            server.clock.advance_seconds(1);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    edge.stop().await;
    server.node.stop().await;
}
