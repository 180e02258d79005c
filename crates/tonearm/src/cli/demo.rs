//! `tonearm demo`: uploads, processes and plays a track over HTTP, as any client does.

mod sound;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};
use tonearm_client::{
    Client, ClientError, ClientOptions, CreatedTrack, ServerUrl, SourceFile, UploadOptions,
};
use tonearm_domain::{Ambient, CollectionId, KeyType, LimitOffset, ListWindow, TrackId};
use tonearm_service::{Caller, CreateCollection, CreateKey, Library};

use super::{Failure, print};
use crate::opening::public_url;
use crate::{Config, Node, Services};

/// How long the demo's key and its play session last: long enough to listen.
const DEMO_SECONDS: u32 = 6 * 3600;

/// How long a running service may take to answer the health check.
const PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a failed request is retried. It is short because a person is waiting.
const RETRY_FOR: Duration = Duration::from_secs(30);

/// How long processing may make no progress before the demo gives up.
const STALLED: Duration = Duration::from_secs(3600);

/// Maximum bytes of one upload request.
const PIECE: u64 = 64 << 20;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Audio file to upload [default: a generated sound]
    file: Option<PathBuf>,
    /// URL of the service [default: public_url, or the listen address]
    #[arg(long, value_name = "URL")]
    url: Option<ServerUrl>,
}

pub(super) async fn run(config: &Config, ambient: Ambient, args: Args) -> Result<(), Failure> {
    let server = args.url.map_or_else(|| configured_url(config), Ok)?;
    let own_node = match is_running(&server, &ambient).await? {
        true => None,
        false => {
            print::outln!("No service is running at {server}; starting one for this demo.");
            let config = Config { migrate: false, ..config.clone() };
            Some(Node::start(&config, ambient.clone()).await?)
        }
    };
    let server = own_node.as_ref().map_or(Ok(server), |node| server_url(node.public_url()))?;
    let library = Services::open(config, &ambient).await?.library;
    let (caller, key, collection) = credentials(&library, &ambient).await?;
    let options = ClientOptions { patience: RETRY_FOR };
    let client = Client::new(server, &key, ambient, options).map_err(Failure::failed)?;
    let demo = Demo { client, library, caller };
    match args.file {
        Some(file) => demo.play(file, collection).await?,
        None => {
            let folder = tempfile::tempdir().map_err(Failure::failed)?;
            let file = folder.path().join("Tonearm demo.wav");
            sound::write(&file).map_err(Failure::failed)?;
            demo.play(file, collection).await?;
        }
    }
    if let Some(node) = own_node {
        print::outln!("\nThe service runs until you press Ctrl-C.");
        tokio::signal::ctrl_c().await.map_err(Failure::failed)?;
        node.stop().await;
    }
    Ok(())
}

fn configured_url(config: &Config) -> Result<ServerUrl, Failure> {
    server_url(&public_url(config, config.listen))
}

fn server_url(text: &str) -> Result<ServerUrl, Failure> {
    text.parse().map_err(|error| Failure::Usage(format!("the URL of the service, {text}, {error}")))
}

/// Whether anything answers at the URL.
async fn is_running(server: &ServerUrl, ambient: &Ambient) -> Result<bool, Failure> {
    let once = ClientOptions { patience: Duration::ZERO };
    let client = Client::new(server.clone(), "", ambient.clone(), once).map_err(Failure::failed)?;
    match timeout(PROBE_TIMEOUT, client.read("/healthz", &[])).await {
        Ok(Err(ClientError::Unreachable { .. })) => Ok(false),
        Ok(_) => Ok(true),
        Err(_) => Err(Failure::failed(format!(
            "{server} does not respond within {} seconds",
            PROBE_TIMEOUT.as_secs()
        ))),
    }
}

/// Creates a key that expires with the demo, and returns it with a collection. Creates the organization and the
/// collection if there are none.
async fn credentials(
    library: &Library,
    ambient: &Ambient,
) -> Result<(Caller, String, CollectionId), Failure> {
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
    Ok((caller, key.reveal().to_owned(), collection.id))
}

struct Demo {
    client: Client,
    library: Library,
    caller: Caller,
}

impl Demo {
    /// Uploads a file, waits until it is processed, and prints a play session.
    async fn play(&self, file: PathBuf, collection: CollectionId) -> Result<(), Failure> {
        let file = hash(file).await?;
        let body = json!({"collection_id": collection, "file_name": file.name()});
        let created = self.client.create("/v1/track", &body).await.map_err(Failure::failed)?;
        let created: CreatedTrack = serde_json::from_value(created).map_err(Failure::failed)?;
        self.upload(&file, &created).await?;
        self.wait_until_final(created.track_id).await?;
        let body = json!({"track_id": created.track_id, "is_downloadable": true, "expires_in": DEMO_SECONDS});
        let session = self.client.create("/v1/play_session/track", &body).await.map_err(Failure::failed)?;
        print::outln!("\nplay session\n{}\n", shown(session.clone()));
        for variant in
            session.pointer("/first_track/variants").and_then(Value::as_array).into_iter().flatten()
        {
            print::outln!("{:10} {}", text(variant, "/variant/index")?, text(variant, "/url")?);
        }
        print::outln!("\nOpen one of these URLs in a browser to listen.");
        Ok(())
    }

    async fn upload(&self, file: &SourceFile, created: &CreatedTrack) -> Result<(), Failure> {
        let bar = ProgressBar::new(file.size()).with_style(style(
            "uploading   {bar:40} {decimal_bytes}/{decimal_total_bytes} {decimal_bytes_per_sec} {eta}",
        ));
        let position = Arc::new(AtomicU64::new(0));
        let options = UploadOptions { piece: PIECE, is_new: true, position: Arc::clone(&position) };
        let upload = self.client.upload(&created.track_upload.upload_url, file, &options, &|_| {});
        tokio::select! {
            sent = upload => sent.map_err(Failure::failed)?,
            never = follow(&bar, &position) => match never {},
        }
        bar.finish();
        Ok(())
    }

    async fn wait_until_final(&self, id: TrackId) -> Result<(), Failure> {
        let spinner = ProgressBar::new(100).with_style(style("{msg:11} {bar:40} {pos} % {elapsed}"));
        spinner.enable_steady_tick(Duration::from_millis(100));
        let (mut last, mut since) = (None, Instant::now());
        let status = loop {
            // A service on another machine may have another catalog. Then there is no percentage to show.
            let progress = self.library.track_progress(&self.caller, id).await.ok();
            let percent = progress.map(|progress| progress.percent);
            percent.into_iter().for_each(|percent| spinner.set_position(percent.into()));
            let status = self.client.track(id).await.map_err(Failure::failed)?.track_status_id;
            spinner.set_message(status.as_str());
            if status.is_final() || status.is_playable() {
                break status;
            }
            if last != Some((status, percent)) {
                (last, since) = (Some((status, percent)), Instant::now());
            } else if since.elapsed() > STALLED {
                spinner.finish();
                let minutes = STALLED.as_secs() / 60;
                return Err(Failure::failed(format!(
                    "the track has made no progress for {minutes} minutes; its status is {status}; check that a worker is running"
                )));
            }
            sleep(Duration::from_millis(200)).await;
        };
        spinner.finish();
        match status.is_playable() {
            true => Ok(()),
            false => Err(Failure::failed(format!(
                "the status of the track is {status}; the service's log gives the reason"
            ))),
        }
    }
}

/// Hashes the file, on a thread for blocking work.
async fn hash(path: PathBuf) -> Result<SourceFile, Failure> {
    let hash = |path: &Path| {
        SourceFile::hash(path, &|_| true).map_err(|error| format!("{}: {error}", path.display()))
    };
    let hashed = tokio::task::spawn_blocking(move || hash(&path)).await.map_err(Failure::failed)?;
    hashed.map_err(Failure::Failed)
}

/// Moves the bar to the position of the upload until the future is dropped.
async fn follow(bar: &ProgressBar, position: &AtomicU64) -> Infallible {
    loop {
        bar.set_position(position.load(Ordering::Relaxed));
        sleep(Duration::from_millis(100)).await;
    }
}

/// Formats a play session for people, without the waveform's levels, which would take hundreds of lines.
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

fn text(value: &Value, pointer: &str) -> Result<String, Failure> {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .map(str::to_owned)
        .ok_or_else(|| Failure::failed(format!("the service's response has no {pointer}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Overrides;

    fn url(settings: &[(&str, &str)]) -> String {
        let lookup = |name: &str| {
            let setting = settings.iter().find(|(own, _)| *own == name);
            setting.map(|(_, value)| (*value).to_owned())
        };
        let config = Config::load(&Overrides::default(), lookup).unwrap();
        configured_url(&config).ok().unwrap().to_string()
    }

    #[test]
    fn a_node_is_asked_where_it_listens() {
        assert_eq!(url(&[("TONEARM_LISTEN", "[::1]:9000")]), "http://[::1]:9000");
        assert_eq!(url(&[("TONEARM_LISTEN", "0.0.0.0:9000")]), "http://127.0.0.1:9000");
        let acme = ("TONEARM_TLS_ACME", "audio.example.com");
        assert_eq!(url(&[("TONEARM_LISTEN", "0.0.0.0:443"), acme]), "https://audio.example.com");
        let public_url = ("TONEARM_PUBLIC_URL", "https://listen.example.com");
        assert_eq!(url(&[public_url, acme]), "https://listen.example.com");
    }
}
