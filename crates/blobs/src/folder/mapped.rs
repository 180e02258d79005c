//! Parts of files that are mapped into memory.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use memmap2::Mmap;

/// A whole file, mapped into memory. Code of this process cannot read its bytes: a page of a file that was truncated
/// from outside, or that the disk fails to read, would end the process with SIGBUS. The kernel, which gets the memory
/// to write it into a socket, returns EFAULT instead.
#[derive(Clone)]
pub(super) struct MappedFile(Arc<Mmap>);

impl MappedFile {
    pub(super) fn of(file: &File) -> io::Result<Self> {
        // SAFETY: the memory must not change while it is borrowed. An object's file is written under another name,
        // renamed once it is whole, and never written to again. What is done to it from outside, against that rule, is not
        // seen here: the memory is borrowed only by `MappedPart::for_the_kernel`, and nothing in this process reads it.
        Ok(Self(Arc::new(unsafe { Mmap::map(file)? })))
    }

    /// A range of the file; `None` if the file does not contain all of it.
    pub(super) fn part(&self, range: Range<u64>) -> Option<MappedPart> {
        let [start, end] = [usize::try_from(range.start).ok()?, usize::try_from(range.end).ok()?];
        (start <= end && end <= self.0.len()).then(|| MappedPart { file: self.clone(), range: start..end })
    }
}

/// A part of a mapped file.
#[derive(Clone)]
pub(crate) struct MappedPart {
    file: MappedFile,
    range: Range<usize>,
}

impl MappedPart {
    pub(crate) fn len(&self) -> usize {
        self.range.len()
    }

    /// Skips `count` bytes at the beginning, or all if there are fewer.
    pub(crate) fn advance(&mut self, count: usize) {
        self.range.start = self.range.end.min(self.range.start.saturating_add(count));
    }

    /// Only for system calls that write it.
    pub(crate) fn for_the_kernel(&self) -> &[u8] {
        &self.file.0[self.range.clone()]
    }
}

/// Bytes of a file that are in memory.
pub(crate) enum InMemory {
    /// In memory of this process.
    Copied(Bytes),
    /// In memory of the kernel.
    Mapped(MappedPart),
}
