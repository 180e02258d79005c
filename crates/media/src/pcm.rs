//! Files whose samples are read without a decoder.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use tokio_util::sync::CancellationToken;
use tonearm_signal::SampleEncoding;

/// Bytes read at once: whole samples.
const CHUNK: usize = 1 << 18;

/// Where the samples of a plain file are stored, and in which encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pcm {
    /// The offset of the first sample in bytes.
    pub(crate) start: u64,
    /// Their length in bytes.
    pub(crate) length: u64,
    pub(crate) encoding: SampleEncoding,
}

impl Pcm {
    /// The samples in the file.
    pub(crate) fn open(&self, input: &Path) -> io::Result<impl Read> {
        let mut file = File::open(input)?;
        file.seek(SeekFrom::Start(self.start))?;
        Ok(file.take(self.length))
    }

    /// Whether all samples are sound. This takes a small part of the time that an encoder takes.
    pub(crate) fn are_possible(&self, input: &Path, cancel: &CancellationToken) -> io::Result<bool> {
        let (mut samples, mut bytes) = (self.open(input)?, Vec::with_capacity(CHUNK));
        loop {
            bytes.clear();
            samples.by_ref().take(CHUNK as u64).read_to_end(&mut bytes)?;
            match self.encoding.are_possible(&bytes) {
                true if bytes.len() == CHUNK && !cancel.is_cancelled() => {}
                possible => return Ok(possible),
            }
        }
    }
}
