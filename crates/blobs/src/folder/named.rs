//! Files by name in a folder.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tokio::task::spawn_blocking;

use super::files::{Root, delete, open_to_read};
use super::writing;
use crate::error::{BlobError, PutError};
use crate::object::{PutTerms, Stored};
use crate::store::Incoming;

pub(crate) async fn put_named(
    root: &Root,
    name: &str,
    body: Incoming<'_>,
    terms: PutTerms,
) -> Result<Stored, PutError> {
    writing::put(root, &root.path.join(name), body, terms).await
}

pub(crate) async fn open_named(root: &Root, name: &str) -> Result<Option<File>, BlobError> {
    let (root, path) = (root.clone(), root.path.join(name));
    Ok(spawn_blocking(move || root.if_there(open_to_read(&path))).await??)
}

pub(crate) async fn delete_named(root: &Root, name: &str) -> Result<(), BlobError> {
    let (root, path) = (root.clone(), root.path.join(name));
    Ok(spawn_blocking(move || delete(&root, &path)).await??)
}

/// The names of all files below a folder, in no particular order.
pub(crate) async fn list_named(root: &Root, folder: &str) -> Result<Vec<String>, BlobError> {
    let (root, folder) = (root.clone(), folder.to_owned());
    let names = spawn_blocking(move || {
        root.check()?;
        let mut names = Vec::new();
        collect(&root.path, &folder, &mut names)?;
        Ok::<_, io::Error>(names)
    });
    Ok(names.await??)
}

fn collect(root: &Path, folder: &str, names: &mut Vec<String>) -> io::Result<()> {
    let entries = match fs::read_dir(root.join(folder)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let name = format!("{folder}/{name}");
        if entry.file_type()?.is_dir() {
            collect(root, &name, names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}
