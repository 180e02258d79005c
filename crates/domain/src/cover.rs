//! Covers: which picture stands for a track, and in which sizes.

use crate::{ContentType, ObjectFile, ObjectKey, OrganizationId, ShortId, VariantIndex};

/// The cover that is in use: where it came from and which version of its files is current.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cover {
    /// The version in the names of its files.
    pub version: ShortId,
    /// Where it came from.
    pub origin: CoverOrigin,
}

/// Where a cover came from. A later one replaces an earlier one only where it ranks at least as high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoverOrigin {
    /// Drawn by Tonearm.
    Generated,
    /// Found in the audio file.
    Embedded,
    /// Uploaded on its own.
    Uploaded,
}

impl CoverOrigin {
    /// The origin as text, as in SQL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Embedded => "embedded",
            Self::Uploaded => "uploaded",
        }
    }
}

impl std::str::FromStr for CoverOrigin {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        [Self::Generated, Self::Embedded, Self::Uploaded].into_iter().find(|o| o.as_str() == text).ok_or(())
    }
}

/// A size that every cover exists in; square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoverSize {
    /// 80 × 80 pixels.
    Icon,
    /// 200 × 200 pixels.
    Small,
    /// 400 × 400 pixels.
    Regular,
}

impl CoverSize {
    /// Every size, smallest first.
    pub const ALL: [Self; 3] = [Self::Icon, Self::Small, Self::Regular];

    /// The size's name, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Icon => "icon",
            Self::Small => "small",
            Self::Regular => "regular",
        }
    }

    /// Pixels of a side.
    pub const fn side(self) -> u32 {
        match self {
            Self::Icon => 80,
            Self::Small => 200,
            Self::Regular => 400,
        }
    }
}

impl Cover {
    /// The label of a cover's file in one size.
    pub fn label(size: CoverSize) -> VariantIndex {
        VariantIndex::from_static(match size {
            CoverSize::Icon => "cover-icon",
            CoverSize::Small => "cover-small",
            CoverSize::Regular => "cover-regular",
        })
    }

    /// Where the file of one size is.
    pub fn key(&self, organization_id: OrganizationId, folder: ShortId, size: CoverSize) -> ObjectKey {
        let file =
            ObjectFile { label: Self::label(size), version: self.version, content_type: ContentType::Jpeg };
        ObjectKey { organization_id, folder, file }
    }
}
