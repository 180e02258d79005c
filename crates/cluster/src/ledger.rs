//! The client's own count of what was delivered to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Result, bail, ensure};
use bytes::Bytes;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Client, text};

/// Plays of one track, as the client counted them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) starts: u64,
    pub(crate) bytes: u64,
    /// Whether a response was interrupted, so that the client cannot know how many bytes were sent.
    pub(crate) is_inexact: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Ledger(Arc<Mutex<HashMap<String, Counts>>>);

impl Ledger {
    pub(crate) fn counts(&self) -> HashMap<String, Counts> {
        self.0.lock().unwrap().clone()
    }

    fn add(&self, track: &str, change: impl FnOnce(&mut Counts)) {
        change(self.0.lock().unwrap().entry(track.to_owned()).or_default());
    }

    /// Opens a play session for a track and returns its variants, in order of their index.
    pub(crate) async fn open(
        &self,
        client: &Client,
        node: usize,
        track: &str,
        within: Duration,
    ) -> Result<Vec<Value>> {
        let variants = ["original", "hq", "lq", "preview"];
        let ask = json!({"track_id": track, "variants": variants, "expires_in": 86400});
        let session = client.post(node, "/v1/play_session/track", &ask, within).await?;
        let listed = session["first_track"]["variants"].as_array().cloned().unwrap_or_default();
        ensure!(
            listed.len() == variants.len(),
            "a session lists {} of {} files",
            listed.len(),
            variants.len()
        );
        Ok(listed)
    }

    /// Fetches a whole variant and counts it.
    pub(crate) async fn fetch(
        &self,
        client: &Client,
        node: usize,
        track: &str,
        variant: &Value,
        within: Duration,
    ) -> Result<Bytes> {
        let (url, size) = (text(variant, "/url")?, variant["size"].as_u64().unwrap_or_default());
        let begun = std::time::Instant::now();
        loop {
            let mut last = match client.request(node, Method::GET, &url).send().await {
                Ok(response) if response.status() == 200 => match response.bytes().await {
                    Ok(bytes) if bytes.len() as u64 == size => {
                        self.add(track, |counts| {
                            counts.starts += 1;
                            counts.bytes += size;
                        });
                        return Ok(bytes);
                    }
                    Ok(bytes) => bail!("{url} has {} bytes instead of {size}", bytes.len()),
                    Err(error) => {
                        self.add(track, |counts| counts.is_inexact = true);
                        error.to_string()
                    }
                },
                Ok(response) => format!("{}", response.status()),
                // The node may have started to send a response.
                Err(error) => {
                    self.add(track, |counts| counts.is_inexact |= !error.is_connect());
                    error.to_string()
                }
            };
            if begun.elapsed() > within {
                last.push_str(&format!(" for {url}"));
                bail!(last);
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}
