//! Files whose samples are read without a decoder.

use tonearm_signal::SampleEncoding;

/// Where the samples of a plain file lie, and how they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pcm {
    /// The byte where they begin.
    pub(crate) start: u64,
    /// Their bytes.
    pub(crate) length: u64,
    pub(crate) encoding: SampleEncoding,
}
