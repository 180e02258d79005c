//! The caches of a node.

/// A cache of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cache {
    /// Verified URLs of objects, with the headers of their responses.
    VerifiedUrls,
    /// The objects that durable names stand for.
    DurableNames,
    /// Forms of covers that are known to be missing.
    MissingCovers,
    /// Open files of a store in a folder.
    OpenFiles,
    /// Properties of the objects of a bucket.
    Objects,
    /// Pieces of the objects of a bucket, in memory.
    MemoryPieces,
    /// Pieces of the objects of a bucket, on the disk.
    DiskPieces,
    /// Rows on the play path: keys, sessions, tracks and the like.
    Lookups,
}

impl Cache {
    /// Every cache.
    pub const ALL: [Self; 8] = [
        Self::VerifiedUrls,
        Self::DurableNames,
        Self::MissingCovers,
        Self::OpenFiles,
        Self::Objects,
        Self::MemoryPieces,
        Self::DiskPieces,
        Self::Lookups,
    ];

    /// The value of the label `cache`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::VerifiedUrls => "verified_urls",
            Self::DurableNames => "durable_names",
            Self::MissingCovers => "missing_covers",
            Self::OpenFiles => "open_files",
            Self::Objects => "objects",
            Self::MemoryPieces => "memory_pieces",
            Self::DiskPieces => "disk_pieces",
            Self::Lookups => "lookups",
        }
    }
}
