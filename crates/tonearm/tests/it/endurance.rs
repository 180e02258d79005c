//! Uploads that are larger, more numerous and interrupted more often than in other tests: `make endurance`. Both tests
//! print figures.
//!
//! `TONEARM_BIN` names the program. The default is the program of the tests.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use reqwest::Method;
use sha2::{Digest, Sha256};
use socket2::SockRef;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonearm_fixtures::{Dice, Postgres, S3Server};
use tonearm_testkit::{Client, Program};

use crate::command_output::create_organization;
use crate::{binary, text};

const MEBIBYTE: usize = 1 << 20;
const SECRET: &str = "one secret for all nodes of the test";

/// Bytes without a pattern.
static NOISE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut dice = Dice(0);
    std::iter::repeat_with(|| dice.number().to_le_bytes()).take(MEBIBYTE / 8).flatten().collect()
});

/// A file in which each mebibyte is different, and differs from those of files with other numbers.
#[derive(Clone, Copy)]
struct File {
    number: u32,
    size: u64,
}

impl File {
    /// At most a mebibyte, starting at an offset.
    fn at(self, offset: u64) -> Bytes {
        let (block, skipped) = ((offset >> 20) as u32, (offset & 0xf_ffff) as usize);
        let mut bytes = NOISE.clone();
        bytes[..4].copy_from_slice(&self.number.to_le_bytes());
        bytes[4..8].copy_from_slice(&block.to_le_bytes());
        let end = MEBIBYTE.min(skipped + (self.size - offset) as usize);
        Bytes::from(bytes).slice(skipped..end)
    }

    fn sha256(self) -> Vec<u8> {
        let mut digest = Sha256::new();
        (0..self.size).step_by(MEBIBYTE).for_each(|offset| digest.update(self.at(offset)));
        digest.finalize().to_vec()
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().map_or(default, |value| value.parse().unwrap())
}

fn program(data: &std::path::Path) -> Program {
    let named = std::env::var_os("TONEARM_BIN").map(PathBuf::from);
    let mut program = Program::new(named.as_deref().unwrap_or(binary()), data);
    // The uploaded bytes are not audio and must not be processed.
    program.set("TONEARM_ROLES", "api");
    program.set("TONEARM_SECRET", SECRET);
    program.set("TONEARM_LIMITS_REQUESTS_PER_MINUTE_PER_KEY", "0");
    program.set("TONEARM_LIMITS_REQUESTS_PER_MINUTE_PER_ADDRESS", "0");
    program
}

async fn client(program: &Program) -> (Client, String) {
    let made = create_organization(program, "Endurance");
    (Client::new(&program.url(), text(&made, "/api_key")), text(&made, "/organization_id").to_owned())
}

/// The signed path of a new upload URL.
async fn upload_path(client: &Client, collection: &str, name: &str) -> String {
    let created = client.track(collection, name).await;
    let url = text(&created, "/track_upload/upload_url");
    url[url.find("/upload/").unwrap()..].to_owned()
}

/// The memory of a process according to `/proc`, in MiB: current and peak.
fn memory(process: u32) -> (u64, u64) {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let value = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
    };
    (value("VmRSS:"), value("VmHWM:"))
}

/// Sends a file from an offset over a connection that breaks after this many bytes. Returns the response, unless the
/// connection breaks first.
async fn send_until_it_breaks(
    program: &Program,
    path: &str,
    file: File,
    from: u64,
    breaks_after: u64,
) -> Option<String> {
    let mut socket = TcpStream::connect(program.url().trim_start_matches("http://")).await.unwrap();
    let continues = format!("Upload-Offset: {from}\r\nContent-Type: application/partial-upload\r\n");
    let (method, more) = if from == 0 { ("PUT", "") } else { ("PATCH", continues.as_str()) };
    let first = format!("{method} {path} HTTP/1.1\r\n{more}");
    let length = file.size - from;
    let head = format!(
        "{first}Host: x\r\nConnection: close\r\nUpload-Complete: ?1\r\nContent-Length: {length}\r\n\r\n"
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    let mut at = from;
    while at < file.size {
        if at - from >= breaks_after {
            // Some networks report a broken connection, some do not.
            if (at >> 20).is_multiple_of(2) {
                SockRef::from(&socket).set_linger(Some(Duration::ZERO)).unwrap();
            }
            return None;
        }
        let bytes = file.at(at);
        socket.write_all(&bytes).await.unwrap();
        at += bytes.len() as u64;
    }
    let mut response = String::new();
    socket.read_to_string(&mut response).await.unwrap();
    Some(response)
}

/// Uploads `TONEARM_ENDURANCE_BYTES` over a connection that breaks after every 200 MB.
#[ignore = "takes minutes, and as much room as the file"]
#[tokio::test(flavor = "multi_thread")]
async fn a_large_upload_survives_a_connection_that_breaks_all_the_time() {
    let file = File { number: 0, size: number("TONEARM_ENDURANCE_BYTES", 8 << 30) };
    let expected = tokio::task::spawn_blocking(move || hex::encode(file.sha256()));
    let data = tempfile::tempdir().unwrap();
    let mut program = program(&data.path().join("data"));
    program.set("TONEARM_LIMITS_MAX_UPLOAD_BYTES", &file.size.to_string());
    let (client, _) = client(&program).await;
    program.start().await;
    let collection = client.collection("Large").await;
    let path = upload_path(&client, &collection, "large.wav").await;
    let process = program.pid().unwrap();
    let (before, _) = memory(process);
    let (begun, mut connections, mut at, mut sent_again, mut seen) = (Instant::now(), 0, 0, 0, Vec::new());
    let response = loop {
        connections += 1;
        if let Some(response) = send_until_it_breaks(&program, &path, file, at, 200_000_000).await {
            break response;
        }
        let broke_at = at + 200_000_000_u64.div_ceil(MEBIBYTE as u64) * MEBIBYTE as u64;
        let url = format!("{}{path}", program.url());
        let head = client.send(client.request(Method::HEAD, &url)).await;
        assert_eq!(head.status, 204);
        let offset: u64 = head.header("upload-offset").parse().unwrap();
        assert!(offset > at, "nothing of what was sent from {at} on has arrived");
        sent_again += broke_at.saturating_sub(offset);
        at = offset;
        seen.push(memory(process).0);
    };
    let (seconds, (after, most)) = (begun.elapsed().as_secs_f64(), memory(process));
    println!(
        "{} MB over {connections} connections in {seconds:.0} s, {} MB sent again; memory {before} MiB before, {} to {} \
         MiB between connections, {after} MiB after, {most} MiB at most",
        file.size / 1_000_000,
        sent_again / 1_000_000,
        seen.iter().min().unwrap(),
        seen.iter().max().unwrap(),
    );
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    let expected = expected.await.unwrap();
    assert!(response.contains(&expected), "{response} has not {expected}");
    // The memory use does not depend on the size of the file.
    assert!(most < before + 100, "{most} MiB");
}

/// Two nodes. Each of them is down at times.
struct Cluster {
    http: reqwest::Client,
    nodes: [String; 2],
    /// Pieces that were acknowledged.
    acknowledged: AtomicUsize,
    failed: AtomicUsize,
}

/// What a client knows of its upload.
enum Known {
    Nothing,
    Offset(u64),
    Complete,
}

impl Cluster {
    async fn send(
        &self,
        method: Method,
        url: &str,
        headers: &[(&str, String)],
        body: Bytes,
    ) -> Option<reqwest::Response> {
        let mut request = self.http.request(method, url).body(body);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        request.send().await.ok().filter(|response| !response.status().is_server_error())
    }

    /// Requests the offset of an upload from a node. Starts the upload if the node does not have it.
    async fn ask(&self, url: &str) -> Known {
        let header = |response: &reqwest::Response, name: &str| {
            response.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
        };
        let Some(response) = self.send(Method::HEAD, url, &[], Bytes::new()).await else {
            return Known::Nothing;
        };
        match response.status().as_u16() {
            204 if header(&response, "upload-complete").as_deref() == Some("?1") => Known::Complete,
            204 => Known::Offset(header(&response, "upload-offset").unwrap().parse().unwrap()),
            404 => {
                let begin = [("upload-complete", "?0".to_owned())];
                self.send(Method::PUT, url, &begin, Bytes::new()).await;
                Known::Nothing
            }
            423 => Known::Nothing,
            other => panic!("HEAD was answered with {other}"),
        }
    }

    /// Sends the next piece to a node.
    async fn append(&self, url: &str, file: File, offset: u64) -> Known {
        let piece = file.at(offset);
        let end = offset + piece.len() as u64;
        let headers = [
            ("content-type", "application/partial-upload".to_owned()),
            ("upload-offset", offset.to_string()),
            ("upload-complete", if end == file.size { "?1" } else { "?0" }.to_owned()),
        ];
        match self.send(Method::PATCH, url, &headers, piece).await {
            Some(response) if response.status().is_success() => {
                self.acknowledged.fetch_add(1, Ordering::Relaxed);
                if end == file.size { Known::Complete } else { Known::Offset(end) }
            }
            _ => Known::Nothing,
        }
    }

    /// Uploads a file despite all failures, and alternates between the nodes.
    async fn upload(&self, file: File, path: &str) {
        let mut known = Known::Nothing;
        for turn in file.number as usize.. {
            let url = format!("{}{path}", self.nodes[turn % 2]);
            known = match known {
                Known::Complete => return,
                Known::Offset(offset) => self.append(&url, file, offset).await,
                Known::Nothing => self.ask(&url).await,
            };
            if let Known::Nothing = known {
                self.failed.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
    }
}

/// Runs `TONEARM_ENDURANCE_UPLOADS` uploads at once, while each of two nodes on PostgreSQL and S3 is killed.
#[ignore = "takes minutes"]
#[tokio::test(flavor = "multi_thread")]
async fn many_uploads_at_once_survive_the_end_of_every_node() {
    let count = u32::try_from(number("TONEARM_ENDURANCE_UPLOADS", 500)).unwrap();
    let (database, s3, data) = (Postgres::database().await, S3Server::start(), tempfile::tempdir().unwrap());
    let mut nodes = ["one", "two"].map(|name| {
        let mut node = program(&data.path().join(name));
        node.set("TONEARM_DATABASE_URL", &database.url);
        node.set("TONEARM_STORAGE_URL", &s3.url());
        node.set("TONEARM_PUBLIC_URL", "http://cluster.test");
        node
    });
    assert!(nodes[0].run(&["migrate"]).status.success());
    let (client, _) = client(&nodes[0]).await;
    for node in &mut nodes {
        node.start().await;
    }
    let collection = client.collection("Many").await;
    let files: Vec<File> =
        (1..=count).map(|number| File { number, size: 2_000_000 + u64::from(number) * 4001 }).collect();
    let paths: Vec<String> = stream::iter(&files)
        .map(async |file| {
            Ok::<_, ()>(upload_path(&client, &collection, &format!("{}.wav", file.number)).await)
        })
        .buffered(16)
        .try_collect()
        .await
        .unwrap();
    let cluster = Arc::new(Cluster {
        http: reqwest::Client::builder().timeout(Duration::from_secs(60)).build().unwrap(),
        nodes: [nodes[0].url(), nodes[1].url()],
        acknowledged: AtomicUsize::new(0),
        failed: AtomicUsize::new(0),
    });
    let begun = Instant::now();
    let uploads: Vec<_> = files
        .iter()
        .zip(paths)
        .map(|(&file, path)| {
            let cluster = cluster.clone();
            tokio::spawn(async move { cluster.upload(file, &path).await })
        })
        .collect();
    let pieces: usize = files.iter().map(|file| file.size.div_ceil(MEBIBYTE as u64) as usize).sum();
    for (tenths, node) in [(2, 0), (4, 1), (6, 0), (8, 1)] {
        while cluster.acknowledged.load(Ordering::Relaxed) < pieces * tenths / 10 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        nodes[node].kill();
        tokio::time::sleep(Duration::from_secs(1)).await;
        nodes[node].start().await;
    }
    for upload in uploads {
        upload.await.unwrap();
    }
    let seconds = begun.elapsed().as_secs_f64();
    let stored: HashSet<Vec<u8>> = s3
        .files()
        .into_iter()
        .filter(|file| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("source.")))
        .filter(|file| file.extension().is_none_or(|extension| extension != "json"))
        .map(|file| Sha256::digest(std::fs::read(file).unwrap()).to_vec())
        .collect();
    let lost: Vec<u32> =
        files.iter().filter(|file| !stored.contains(&file.sha256())).map(|file| file.number).collect();
    println!(
        "{count} uploads, {} MB in {pieces} pieces, in {seconds:.0} s over 4 kills; {} requests failed and were tried again; {} \
         lost or wrong",
        files.iter().map(|file| file.size).sum::<u64>() / 1_000_000,
        cluster.failed.load(Ordering::Relaxed),
        lost.len(),
    );
    assert!(lost.is_empty(), "{lost:?}");
}
