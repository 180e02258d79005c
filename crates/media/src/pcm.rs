//! Files whose samples are read without a decoder.

use tonearm_signal::SampleEncoding;

/// Where the samples of a plain file are stored, and in which encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pcm {
    /// The offset of the first sample in bytes.
    pub(crate) start: u64,
    /// Their length in bytes.
    pub(crate) length: u64,
    pub(crate) encoding: SampleEncoding,
}
