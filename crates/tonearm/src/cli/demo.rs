//! `tonearm demo`: a song goes the whole way, over HTTP, as any client's would.

mod sound;

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::TryStreamExt;
use indicatif::{ProgressBar, ProgressStyle};
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use tokio_util::io::ReaderStream;
use tonearm_domain::{Ambient, KeyType, LimitOffset, ListWindow, TrackId, TrackStatus};
use tonearm_outbound::install_tls_provider;
use tonearm_service::{Caller, CreateCollection, CreateKey, Library};

use super::{Failure, print};
use crate::{Config, Node, Parts};

/// How long the demo's key and its play session last: long enough to listen.
const DEMO_SECONDS: u32 = 6 * 3600;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Audio file to upload [default: a generated sound]
    file: Option<PathBuf>,
    /// URL of the service [default: public_url, or the listen address]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
}

pub(super) async fn run(config: &Config, ambient: Ambient, args: Args) -> Result<(), Failure> {
    install_tls_provider();
    let client = Client::builder().build().map_err(Failure::failed)?;
    let url =
        args.url.or_else(|| config.public_url.clone()).unwrap_or_else(|| format!("http://{}", config.listen));
    let own_node = match client.get(format!("{url}/healthz")).send().await {
        Ok(_) => None,
        Err(_) => {
            print::outln!("No service is running at {url}; starting one for this demo.");
            let config = Config { migrate: false, ..config.clone() };
            Some(Node::start(&config, ambient.clone()).await?)
        }
    };
    let url = own_node.as_ref().map_or(url, |node| node.public_url().to_owned());
    let library = Parts::open(config, &ambient).await?.library;
    let (caller, key, collection_id) = credentials(&library, &ambient).await?;
    let demo = Demo { client, url, key, library, caller };
    match &args.file {
        Some(file) => demo.send(file, &collection_id).await?,
        None => {
            let folder = tempfile::tempdir().map_err(Failure::failed)?;
            let file = folder.path().join("Tonearm demo.wav");
            sound::write(&file).map_err(Failure::failed)?;
            demo.send(&file, &collection_id).await?;
        }
    }
    if let Some(node) = own_node {
        print::outln!("\nThe service runs until you press Ctrl-C.");
        tokio::signal::ctrl_c().await.map_err(Failure::failed)?;
        node.stop().await;
    }
    Ok(())
}

/// A key that lasts as long as the demo, and a collection: made where there is none yet.
async fn credentials(library: &Library, ambient: &Ambient) -> Result<(Caller, String, String), Failure> {
    let organization = match library.organizations().await?.into_iter().next() {
        Some(organization) => organization,
        None => library.create_organization("My audio").await?.organization,
    };
    let caller = Caller::owner(organization.id);
    let window = ListWindow::Offset(LimitOffset::default());
    let collections = library.collections(&caller, window).await?.rows;
    let collection = match collections.into_iter().next() {
        Some(collection) => collection.collection,
        None => {
            let create =
                CreateCollection { title: "First collection".to_owned(), ..CreateCollection::default() };
            library.create_collection(&caller, create).await?.0.collection
        }
    };
    let key = CreateKey {
        expires_at: Some(ambient.now().plus_seconds(DEMO_SECONDS.into())),
        is_downloadable: true,
        ..CreateKey::new(KeyType::Api, "tonearm demo")
    };
    let key = library.create_key(&caller, key).await?.text;
    Ok((caller, key.reveal().to_owned(), collection.id.to_string()))
}

struct Demo {
    client: Client,
    url: String,
    key: String,
    library: Library,
    caller: Caller,
}

impl Demo {
    async fn send(&self, file: &Path, collection_id: &str) -> Result<(), Failure> {
        let name =
            file.file_name().map_or_else(|| "audio".to_owned(), |name| name.to_string_lossy().into_owned());
        let created = self
            .call(Method::POST, "/v1/track", Some(json!({"collection_id": collection_id, "file_name": name})))
            .await?;
        let track_id = text(&created, "/track_id")?;
        self.upload(file, &text(&created, "/track_upload/upload_url")?).await?;
        self.wait_until_final(&track_id).await?;
        let session = json!({"track_id": track_id, "is_downloadable": true, "expires_in": DEMO_SECONDS});
        let session = self.call(Method::POST, "/v1/play_session/track", Some(session)).await?;
        print::outln!("\nplay session\n{}\n", shown(session.clone()));
        for variant in
            session.pointer("/first_track/variants").and_then(Value::as_array).into_iter().flatten()
        {
            print::outln!("{:10} {}", text(variant, "/variant/index")?, text(variant, "/url")?);
        }
        print::outln!("\nOpen one of these URLs in a browser to listen.");
        Ok(())
    }

    async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value, Failure> {
        let mut request = self.client.request(method, format!("{}{path}", self.url)).bearer_auth(&self.key);
        if let Some(body) = body {
            request = request.json(&body);
        }
        checked(request.send().await.map_err(Failure::failed)?).await
    }

    async fn upload(&self, file: &Path, upload_url: &str) -> Result<(), Failure> {
        let problem = |error: std::io::Error| Failure::failed(format!("{}: {error}", file.display()));
        let opened = tokio::fs::File::open(file).await.map_err(problem)?;
        let size = opened.metadata().await.map_err(problem)?.len();
        let bar = ProgressBar::new(size)
            .with_style(style("uploading   {bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta}"));
        let counted = bar.clone();
        let body = ReaderStream::with_capacity(opened, 256 * 1024)
            .inspect_ok(move |chunk| counted.inc(chunk.len() as u64));
        let request = self
            .client
            .put(upload_url)
            .header(reqwest::header::CONTENT_LENGTH, size)
            .body(reqwest::Body::wrap_stream(body));
        checked(request.send().await.map_err(Failure::failed)?).await?;
        bar.finish();
        Ok(())
    }

    async fn wait_until_final(&self, track_id: &str) -> Result<(), Failure> {
        let id = track_id.parse::<TrackId>().map_err(Failure::failed)?;
        let spinner = ProgressBar::new(100).with_style(style("{msg:11} {bar:40} {pos} % {elapsed}"));
        spinner.enable_steady_tick(Duration::from_millis(100));
        loop {
            // A service elsewhere may have another catalog: then there is no percentage to show.
            if let Ok(progress) = self.library.track_progress(&self.caller, id).await {
                spinner.set_position(progress.percent.into());
            }
            let answer = self.call(Method::GET, &format!("/v1/track/{track_id}"), None).await?;
            let status = text(&answer, "/track/track_status_id")?;
            spinner.set_message(status.clone());
            match status.parse::<TrackStatus>() {
                Ok(status) if status.is_playable() => break,
                Ok(status) if status.is_final() => {
                    spinner.finish();
                    return Err(Failure::failed(format!(
                        "the status of the track is {status}; the service's log gives the reason"
                    )));
                }
                _ => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        }
        spinner.finish();
        Ok(())
    }
}

/// A play session to be read by people: the waveform's levels would be hundreds of lines.
fn shown(mut session: Value) -> String {
    if let Some(levels) = session.pointer_mut("/first_track/levels/levels") {
        let count = levels.as_array().map_or(0, Vec::len);
        *levels = json!(format!("{count} values, omitted here"));
    }
    serde_json::to_string_pretty(&session).unwrap_or_default()
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

async fn checked(response: reqwest::Response) -> Result<Value, Failure> {
    let status = response.status();
    let body: Value = response.json().await.map_err(Failure::failed)?;
    if status == StatusCode::OK {
        return Ok(body);
    }
    let message = body.get("message").and_then(Value::as_str).unwrap_or("no reason given");
    Err(Failure::failed(format!("the service responded with {status}: {message}")))
}

fn text(value: &Value, pointer: &str) -> Result<String, Failure> {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .map(str::to_owned)
        .ok_or_else(|| Failure::failed(format!("the service's response has no {pointer}")))
}
