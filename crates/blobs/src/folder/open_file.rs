//! A file that is kept open. Pages that are in memory are read without waiting for the disk.

use std::fs::{self, File};
use std::io::{self, IoSliceMut};
use std::ops::Range;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use bytes::Bytes;
use rustix::fs::{Advice, fadvise};
use rustix::io::{ReadWriteFlags, preadv2};

use super::files::meta_of;
use super::mapped::{InMemory, MappedFile};
use crate::object::ObjectMeta;

/// The distance between the bytes that are probed to find out whether a file is in memory: half of what Linux reads
/// ahead by default, so that what one readahead brought in is seldom mistaken for more than it is.
const PROBE_STEP: u64 = 64 * 1024;

/// Bytes whose state is tracked together: a region that was found in memory is assumed to be there for the rest of the
/// second.
const REGION: u64 = 512 * 1024;

/// Files of at most this size are kept in memory of this process: sending them then does not require asking the kernel
/// what is in memory.
const SMALL: u64 = 16 * 1024;

/// An open file with what is known of it.
pub(crate) struct OpenFile {
    file: File,
    meta: ObjectMeta,
    content: Content,
    /// The second in which the file was last seen to exist.
    seen: AtomicU32,
}

enum Content {
    /// All of it, copied.
    Small(Bytes),
    /// The whole file, on file systems that can report which pages are in memory. `warm` has the second in which all of
    /// a region was last found in memory, for each region.
    Mapped { map: MappedFile, warm: Box<[AtomicU32]> },
    /// The file can only be read.
    File,
}

/// The value of `seen` for a file that is no longer an object.
const RETIRED: u32 = u32::MAX;

/// Seconds since an arbitrary moment, starting at 1.
fn this_second() -> u32 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    u32::try_from(START.elapsed().as_secs()).unwrap_or(RETIRED - 2).min(RETIRED - 2) + 1
}

impl OpenFile {
    /// Takes over a file that is an object. Blocks.
    pub(super) fn new(file: File, meta: &fs::Metadata) -> io::Result<Arc<Self>> {
        let meta = meta_of(meta)?;
        let mut open = Self { file, meta, content: Content::File, seen: AtomicU32::new(this_second()) };
        if meta.size <= SMALL {
            open.content = Content::Small(open.read(0..meta.size)?);
        } else if open.read_at_once(0, 1).is_ok() {
            // File systems that cannot report what is in memory fail for every range.
            let map = MappedFile::of(&open.file)?;
            let warm = (0..meta.size.div_ceil(REGION)).map(|_| AtomicU32::new(0)).collect();
            open.content = Content::Mapped { map, warm };
        }
        Ok(Arc::new(open))
    }

    pub(crate) fn meta(&self) -> ObjectMeta {
        self.meta
    }

    /// Whether the file is still an object and complete, as of this second. Uses only what the kernel has in memory.
    pub(crate) fn is_current(&self) -> bool {
        let (now, seen) = (this_second(), self.seen.load(Ordering::Relaxed));
        let current = seen != RETIRED && (seen == now || self.is_there());
        if current && seen != now {
            // Not a plain `store`: the file may have been retired meanwhile.
            self.seen.fetch_max(now, Ordering::Relaxed);
        }
        current
    }

    /// Marks the file as no longer an object, for all its holders.
    pub(super) fn retire(&self) {
        self.seen.store(RETIRED, Ordering::Relaxed);
    }

    /// Whether the file still has a name and was not written since. Asks the file system.
    pub(super) fn is_there(&self) -> bool {
        // A deleted file has no name any more, no matter which process deleted it.
        self.file
            .metadata()
            .is_ok_and(|found| found.nlink() > 0 && meta_of(&found).is_ok_and(|meta| meta == self.meta))
    }

    /// The bytes of a range for the kernel, if all of them seem to be in memory.
    pub(super) fn in_memory(&self, range: Range<u64>) -> Option<InMemory> {
        match &self.content {
            Content::Small(bytes) => {
                Some(InMemory::Copied(bytes.slice(range.start as usize..range.end as usize)))
            }
            Content::Mapped { map, warm } => {
                let there = self.are_warm(warm, &range) || self.are_in_memory(range.clone());
                there.then(|| map.part(range)).flatten().map(InMemory::Mapped)
            }
            Content::File => None,
        }
    }

    /// The bytes of a range, copied, if all of them are in memory.
    pub(super) fn copied(&self, range: Range<u64>) -> Option<Bytes> {
        if let Content::Small(bytes) = &self.content {
            return Some(bytes.slice(range.start as usize..range.end as usize));
        }
        self.read_at_once(range.start, (range.end - range.start) as usize).ok()?.map(Bytes::from)
    }

    /// Whether all regions of the range were found in memory this second; the others are probed.
    fn are_warm(&self, warm: &[AtomicU32], range: &Range<u64>) -> bool {
        let now = this_second();
        (range.start / REGION..range.end.div_ceil(REGION)).all(|region| {
            let Some(seen) = warm.get(region as usize) else { return false };
            if seen.load(Ordering::Relaxed) == now {
                return true;
            }
            let begin = region * REGION;
            let there = self.are_in_memory(begin..self.meta.size.min(begin + REGION));
            if there {
                seen.store(now, Ordering::Relaxed);
            }
            there
        })
    }

    fn are_in_memory(&self, range: Range<u64>) -> bool {
        let Some(last) = range.end.checked_sub(1) else { return false };
        let mut places = (range.start..last).step_by(PROBE_STEP as usize).chain([last]);
        places.all(|place| self.is_in_memory(place))
    }

    fn is_in_memory(&self, place: u64) -> bool {
        let mut byte = [0];
        let read =
            preadv2(self.file.as_fd(), &mut [IoSliceMut::new(&mut byte)], place, ReadWriteFlags::NOWAIT);
        read == Ok(1)
    }

    /// `None` if some of the bytes are not in memory; an error if the file system cannot report that.
    fn read_at_once(&self, at: u64, size: usize) -> io::Result<Option<Vec<u8>>> {
        let mut buffer = vec![0; size];
        let read =
            preadv2(self.file.as_fd(), &mut [IoSliceMut::new(&mut buffer)], at, ReadWriteFlags::NOWAIT);
        match read {
            Ok(read) if read == size => Ok(Some(buffer)),
            Ok(_) | Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The bytes of a range. Blocks, and has the kernel read ahead as many of the bytes that follow.
    pub(super) fn read(&self, range: Range<u64>) -> io::Result<Bytes> {
        let size = range.end - range.start;
        let mut buffer = vec![0; size as usize];
        self.file.read_exact_at(&mut buffer, range.start)?;
        if let Some(size) = std::num::NonZeroU64::new(size) {
            // Only advice: a failure does no harm.
            let _ = fadvise(&self.file, range.end, Some(size), Advice::WillNeed);
        }
        Ok(buffer.into())
    }
}
