//! Listing the folder, in the order of the objects' names.
//!
//! Each level is sorted by itself. This is the order of the whole names, because all names of one level have the same
//! length, except those of the last.
//!
//! Entries that cannot be read are skipped, so that one damaged file does not hide all others. A caller that requests
//! such an object by its name gets the error.

use std::fs;
use std::io;
use std::path::Path;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use tokio::sync::mpsc::{self, Sender};
use tokio::task::spawn_blocking;
use tonearm_domain::{ObjectKey, OrganizationId, ShortId};

use super::files::{Root, meta_of, unless_missing};
use crate::error::BlobError;
use crate::store::Listed;

/// Objects buffered for the reader before the walk pauses.
const AHEAD: usize = 256;

/// Receives the findings of the walk. A failed send means that the reader is gone.
type Findings = Sender<Result<Listed, BlobError>>;

struct Walk {
    root: Root,
    organization: Option<OrganizationId>,
    folder: Option<ShortId>,
    after: Option<String>,
    findings: Findings,
}

/// The reader of the list is gone.
struct Unread;

pub(super) fn list(
    root: Root,
    organization: Option<OrganizationId>,
    folder: Option<ShortId>,
    after: Option<ObjectKey>,
) -> BoxStream<'static, Result<Listed, BlobError>> {
    // The walk starts when the list is first read, not when it is requested.
    stream::once(async move {
        let (findings, receiver) = mpsc::channel(AHEAD);
        let walk = Walk { root, organization, folder, after: after.map(|key| key.to_string()), findings };
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
        let ended = self.root.check().and_then(|()| self.organizations());
        if let Err(error) = ended {
            // This fails only if the reader is gone, which then does not need the error.
            let _ = self.findings.blocking_send(Err(error.into()));
        }
    }

    /// Skips an entry that cannot be read, unless the whole store is unavailable.
    fn or_left_out<T: Default>(&self, path: &str, looked: io::Result<T>) -> io::Result<T> {
        let Err(error) = looked else { return looked };
        self.root.check()?;
        tracing::warn!(path, %error, "cannot read a part of the object store; skipping it");
        Ok(T::default())
    }

    fn organizations(&self) -> io::Result<()> {
        let names = match self.organization {
            Some(organization) => vec![organization.to_string()],
            None => names_in(&self.root.path)?,
        };
        for organization in names {
            if organization.parse::<OrganizationId>().is_err() || self.is_passed(&organization) {
                continue;
            }
            let folders = match self.folder {
                Some(folder) => vec![folder.to_string()],
                None => self.or_left_out(&organization, names_in(&self.root.path.join(&organization)))?,
            };
            for folder in folders {
                let path = format!("{organization}/{folder}");
                if folder.parse::<ShortId>().is_err() || self.is_passed(&path) {
                    continue;
                }
                if let Err(Unread) = self.objects(&path)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Whether every object below a folder sorts before the requested ones.
    fn is_passed(&self, folder: &str) -> bool {
        self.after.as_deref().is_some_and(|after| folder < after && !after.starts_with(folder))
    }

    fn objects(&self, folder: &str) -> io::Result<Result<(), Unread>> {
        for name in self.or_left_out(folder, names_in(&self.root.path.join(folder)))? {
            let path = format!("{folder}/{name}");
            if self.after.as_ref().is_some_and(|after| path <= *after) {
                continue;
            }
            let Ok(key) = path.parse::<ObjectKey>() else {
                continue;
            };
            let looked = unless_missing(fs::metadata(self.root.path.join(&path)));
            let Some(meta) = self.or_left_out(&path, looked)? else {
                continue;
            };
            if meta.is_file() && self.findings.blocking_send(Ok((key, meta_of(&meta)?))).is_err() {
                return Ok(Err(Unread));
            }
        }
        Ok(Ok(()))
    }
}

/// The names in a folder, sorted; none if it does not exist or is not a folder.
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(Vec::new());
        }
        Err(error) => return Err(error),
    };
    // No object has a name that is not UTF-8.
    let names =
        entries.filter_map(|entry| entry.map(|entry| entry.file_name().into_string().ok()).transpose());
    let mut names = names.collect::<io::Result<Vec<String>>>()?;
    names.sort_unstable();
    Ok(names)
}
