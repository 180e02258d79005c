//! Parts of a backup as local files: lines of JSON, compressed with gzip.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use tempfile::TempPath;
use tokio::task::spawn_blocking;

use super::error::BackupError;
use super::manifest::BackupPart;

/// The file of a finished part. It is removed when this is dropped.
pub(super) struct PartFile {
    pub(super) part: BackupPart,
    path: TempPath,
}

impl PartFile {
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A downloaded file with the bytes of a part.
    pub(super) fn fetched(part: BackupPart, path: TempPath) -> Self {
        Self { part, path }
    }

    /// A reader for the lines of the part.
    pub(super) async fn lines<T: DeserializeOwned + Send + 'static>(&self) -> io::Result<PartReader<T>> {
        let (name, path) = (self.part.name.clone(), self.path.to_path_buf());
        in_thread(move || PartReader::open(name, &path)).await
    }
}

/// Writes the lines of a part.
pub(super) struct PartWriter {
    name: String,
    rows: u64,
    path: TempPath,
    encoder: GzEncoder<Hashing>,
}

/// A file that counts and hashes the bytes written to it.
struct Hashing {
    file: BufWriter<File>,
    bytes: u64,
    sha256: Sha256,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.sha256.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl PartWriter {
    pub(super) async fn create(folder: PathBuf, name: String) -> io::Result<Self> {
        in_thread(move || {
            let (file, path) = tempfile::Builder::new().prefix("part-").tempfile_in(folder)?.into_parts();
            let hashing = Hashing { file: BufWriter::new(file), bytes: 0, sha256: Sha256::new() };
            Ok(Self { name, rows: 0, path, encoder: GzEncoder::new(hashing, Compression::default()) })
        })
        .await
    }

    /// Adds lines.
    pub(super) async fn write<T: Serialize + Send + 'static>(mut self, lines: Vec<T>) -> io::Result<Self> {
        if lines.is_empty() {
            return Ok(self);
        }
        in_thread(move || {
            for line in lines {
                serde_json::to_writer(&mut self.encoder, &line)?;
                self.encoder.write_all(b"\n")?;
                self.rows += 1;
            }
            Ok(self)
        })
        .await
    }

    pub(super) async fn finish(self) -> io::Result<PartFile> {
        in_thread(move || {
            let mut hashing = self.encoder.finish()?;
            hashing.file.flush()?;
            let part = BackupPart {
                name: self.name,
                rows: self.rows,
                bytes: hashing.bytes,
                sha256: hex::encode(hashing.sha256.finalize()),
            };
            Ok(PartFile { part, path: self.path })
        })
        .await
    }
}

/// Reads the lines of a part.
pub(super) struct PartReader<T> {
    name: String,
    lines: BufReader<GzDecoder<BufReader<File>>>,
    /// Lines that were read but not returned yet.
    next: std::vec::IntoIter<T>,
    is_at_end: bool,
}

/// The number of lines to read at once.
const LINES: usize = 200;
/// The number of bytes to read at once. A single line may be longer.
const BYTES: usize = 4 * 1024 * 1024;
/// The longest line, in bytes.
const LONGEST: u64 = 256 * 1024 * 1024;

impl<T: DeserializeOwned + Send + 'static> PartReader<T> {
    fn open(name: String, path: &Path) -> io::Result<Self> {
        let lines = BufReader::new(GzDecoder::new(BufReader::new(File::open(path)?)));
        Ok(Self { name, lines, next: Vec::new().into_iter(), is_at_end: false })
    }

    /// The next batch of lines. It is empty at the end.
    pub(super) async fn some(mut self) -> Result<(Self, Vec<T>), BackupError> {
        let name = self.name.clone();
        let read = in_thread(move || {
            let lines = self.read_some()?;
            Ok((self, lines))
        });
        // The hash is correct, so the file was not written by Tonearm.
        read.await.map_err(|_| BackupError::broken(&name, "cannot be read"))
    }

    /// The next line.
    pub(super) async fn next(mut self) -> Result<(Self, Option<T>), BackupError> {
        if let Some(line) = self.next.next() {
            return Ok((self, Some(line)));
        }
        if self.is_at_end {
            return Ok((self, None));
        }
        let (mut reader, lines) = self.some().await?;
        reader.is_at_end = lines.is_empty();
        reader.next = lines.into_iter();
        let line = reader.next.next();
        Ok((reader, line))
    }

    fn read_some(&mut self) -> io::Result<Vec<T>> {
        use std::io::Read;
        let mut found = Vec::new();
        let (mut line, mut bytes) = (Vec::new(), 0);
        while found.len() < LINES && bytes < BYTES {
            line.clear();
            if self.lines.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            bytes += line.len();
            found.push(serde_json::from_slice(&line)?);
        }
        Ok(found)
    }
}

async fn in_thread<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_there_and_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = PartWriter::create(folder.path().to_owned(), "a".to_owned()).await.unwrap();
        let all: Vec<u64> = (0..1000).collect();
        for lines in all.chunks(333) {
            writer = writer.write(lines.to_vec()).await.unwrap();
        }
        let file = writer.finish().await.unwrap();
        let bytes = std::fs::read(file.path()).unwrap();
        assert_eq!((file.part.rows, file.part.bytes), (1000, bytes.len() as u64));
        assert_eq!(file.part.sha256, hex::encode(Sha256::digest(&bytes)));
        let mut reader = file.lines::<u64>().await.unwrap();
        let mut found = Vec::new();
        while let (rest, Some(line)) = reader.next().await.unwrap() {
            found.push(line);
            reader = rest;
        }
        assert_eq!(found, all);
        drop(file);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
