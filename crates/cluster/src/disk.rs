//! One node with SQLite and a folder, on a disk that fills up and is freed again.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::client::{Client, text};
use crate::load::Load;
use crate::nodes::Node;
use crate::report::{Notes, Report};
use crate::verdict;

/// Mounts a file system of `$1` MiB at `$2` and runs the rest of the arguments.
const MOUNT: &str = r#"mount -t tmpfs -o "size=$1m" tonearm "$2" && shift 2 && exec "$@""#;

/// Settings of a run.
#[derive(Debug, Clone)]
pub struct DiskSettings {
    /// The program under test.
    pub binary: PathBuf,
    /// A folder on a small file system of its own, as [`on_small_disk`] mounts it.
    pub disk: PathBuf,
    /// Total number of uploads.
    pub uploads: usize,
    /// How many times the disk fills up.
    pub rounds: usize,
    /// How long the disk stays full each time.
    pub full_for: Duration,
    /// Seed for all random numbers.
    pub seed: u64,
    /// The longest time without progress once there is space again.
    pub settle: Duration,
}

/// Returns a command that runs `program` with `arguments` and a file system of `mebibytes` MiB mounted at `at`, which
/// only that program sees. Returns `None` if this system does not allow mounts in user namespaces.
pub fn on_small_disk(mebibytes: u32, at: &Path, program: &Path, arguments: &[&OsStr]) -> Option<Command> {
    let mounted = |program: &OsStr| {
        let mut command = Command::new("unshare");
        command.args(["-rm", "sh", "-c", MOUNT, "sh"]).arg(mebibytes.to_string()).arg(at).arg(program);
        command.stdin(Stdio::null());
        command
    };
    if !mounted("true".as_ref()).output().is_ok_and(|output| output.status.success()) {
        return None;
    }
    let mut command = mounted(program.as_ref());
    command.args(arguments);
    Some(command)
}

fn fill(disk: &Path) -> Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(disk.join("filler"))?;
    for size in [64 * 1024, 1024] {
        loop {
            match file.write_all(&vec![0; size]) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::StorageFull => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

/// Uploads while the disk repeatedly fills up and is freed, then judges the result.
pub async fn run_on_disk(settings: &DiskSettings) -> Result<Report> {
    let notes = Notes::new();
    let disk = &settings.disk;
    let variables = vec![
        ("TONEARM_WORKER_LEASE_SECONDS".to_owned(), "3".to_owned()),
        ("TONEARM_LIMITS_MIN_FREE_SPACE".to_owned(), "1MiB".to_owned()),
        ("TONEARM_PUBLIC_URL".to_owned(), "http://cluster.test".to_owned()),
    ];
    // The log is on another disk: a failure to write it would not be a fault of the product.
    let logs = tempfile::tempdir()?;
    let node = Node::new(&settings.binary, disk.join("data"), logs.path().join("log"), variables);
    let made = node.run(&["org", "create", "--name", "Disk", "--json"])?;
    ensure!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let made = serde_json::from_slice(&made.stdout)?;
    node.keep_running().await?;
    let client = Client::new(&text(&made, "/api_key")?, vec![node.clone()])?;
    let within = Duration::from_secs(60);
    let collection = client.post(0, "/v1/collection", &serde_json::json!({"title": "Disk"}), within).await?;
    let patience = settings.full_for * 2 + Duration::from_secs(120);
    let load =
        Load::new(client, text(&collection, "/collection_id")?, notes.clone(), settings.seed, patience);

    let uploaders: Vec<_> = (0..4).map(|_| tokio::spawn(load.clone().upload_all(settings.uploads))).collect();
    let share = settings.uploads / (settings.rounds + 1);
    for round in 1..=settings.rounds {
        load.allow(share);
        let begun = Instant::now();
        while load.count() < share * round / 2 && begun.elapsed() < Duration::from_secs(60) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        notes.say(format!(
            "{} acknowledged; the disk is full for {} s",
            load.count(),
            settings.full_for.as_secs()
        ));
        // Space that the node frees in the meantime is filled as well.
        let full_until = Instant::now() + settings.full_for;
        while Instant::now() < full_until {
            fill(disk)?;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        std::fs::remove_file(disk.join("filler"))?;
    }
    load.allow(settings.uploads);
    for uploader in uploaders {
        uploader.await?;
    }
    // Acknowledged uploads must be on the disk, not only in the memory of the process.
    node.kill();
    tokio::time::sleep(Duration::from_secs(1)).await;
    node.until_it_answers(within).await?;
    let mut report = Report::default();
    report.row("disk", format!("full {} times, for {} s each", settings.rounds, settings.full_for.as_secs()));
    let database = format!("sqlite://{}", disk.join("data/tonearm.db").display());
    verdict::judge(&load, settings.uploads, &database, settings.settle, &mut report).await?;
    if !report.is_clean() {
        notes.say(format!("from the log of the node:\n{}", node.log_excerpt(20)));
    }
    node.stop();
    Ok(report)
}
