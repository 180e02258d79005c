//! Listing the folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use tokio::sync::mpsc::{self, Sender};
use tokio::task::spawn_blocking;
use tonearm_domain::{ObjectKey, OrganizationId, ShortId};

use super::{TEMPORARIES, meta_of, unless_missing};
use crate::BlobError;
use crate::store::Listed;

/// Objects that wait for the reader before the walk pauses.
const AHEAD: usize = 256;

/// What the walk gives its findings to. `Err` means that nobody wants more.
type Findings = Sender<Result<Listed, BlobError>>;

struct Walk {
    root: PathBuf,
    organization: Option<OrganizationId>,
    folder: Option<ShortId>,
    findings: Findings,
}

/// Nobody reads the list any more.
struct Unread;

pub(super) fn list(
    root: PathBuf,
    organization: Option<OrganizationId>,
    folder: Option<ShortId>,
) -> BoxStream<'static, Result<Listed, BlobError>> {
    // The walk starts when the list is first read, not when it is asked for.
    stream::once(async move {
        let (findings, receiver) = mpsc::channel(AHEAD);
        let walk = Walk { root, organization, folder, findings };
        spawn_blocking(move || walk.run());
        stream::unfold(receiver, |mut receiver| async {
            receiver.recv().await.map(|listed| (listed, receiver))
        })
    })
    .flatten()
    .boxed()
}

impl Walk {
    fn run(self) {
        let ended = fs::metadata(self.root.join(TEMPORARIES)).and_then(|_| self.organizations());
        if let Err(error) = ended {
            // A reader that left is why the walk ended.
            let _ = self.findings.blocking_send(Err(error.into()));
        }
    }

    fn organizations(&self) -> io::Result<()> {
        let names = match self.organization {
            Some(organization) => vec![organization.to_string()],
            None => names_in(&self.root)?,
        };
        for organization in names {
            if organization.parse::<OrganizationId>().is_err() {
                continue;
            }
            let folders = match self.folder {
                Some(folder) => vec![folder.to_string()],
                None => names_in(&self.root.join(&organization))?,
            };
            for folder in folders {
                if folder.parse::<ShortId>().is_ok()
                    && let Err(Unread) = self.objects(&format!("{organization}/{folder}"))?
                {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn objects(&self, folder: &str) -> io::Result<Result<(), Unread>> {
        for name in names_in(&self.root.join(folder))? {
            let Ok(key) = format!("{folder}/{name}").parse::<ObjectKey>() else {
                continue;
            };
            let Some(meta) = unless_missing(fs::metadata(self.root.join(key.to_string())))? else {
                continue;
            };
            if meta.is_file() && self.findings.blocking_send(Ok((key, meta_of(&meta)?))).is_err() {
                return Ok(Err(Unread));
            }
        }
        Ok(Ok(()))
    }
}

/// The names in a folder; none if it is not there, or is no folder.
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    // What is not UTF-8 is nobody's name.
    entries.filter_map(|entry| entry.map(|entry| entry.file_name().into_string().ok()).transpose()).collect()
}
