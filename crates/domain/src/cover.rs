//! Covers: the origin of their pictures, their sizes, and the keys of their files.

use serde::{Deserialize, Serialize};

use crate::object_key::{ContentType, ObjectFile, ObjectKey};
use crate::short_id::ShortId;
use crate::variant_index::VariantIndex;
use crate::{CollectionId, OrganizationId, TrackId};

/// A cover of a track, a collection or an organization: where it came from and which version of its files is
/// current.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cover {
    /// The version in the names of its files.
    pub version: ShortId,
    /// Where it came from.
    pub origin: CoverOrigin,
}

/// What a cover belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoverOwner {
    /// A track.
    Track(TrackId),
    /// A collection; also used for its tracks, unless they have their own cover.
    Collection(CollectionId),
    /// The organization; used for everything in it that has no cover.
    Organization,
}

/// Where a cover came from. A cover is replaced only by one of the same or a higher origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoverOrigin {
    /// Drawn by Tonearm.
    Generated,
    /// Found in the audio file.
    Embedded,
    /// Uploaded as a separate file.
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

/// Settings of a cover recipe.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CoverSettings {
    /// Its size.
    pub size: CoverSize,
}

/// A size of covers. All sizes are square.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CoverSize {
    /// 80 × 80 pixels.
    Icon,
    /// 200 × 200 pixels.
    Small,
    /// 400 × 400 pixels.
    Regular,
    /// 1000 × 1000 pixels; not part of `cover_image`.
    #[default]
    Large,
}

impl CoverSize {
    /// Every size, smallest first.
    pub const ALL: [Self; 4] = [Self::Icon, Self::Small, Self::Regular, Self::Large];

    /// The sizes in `cover_image`, smallest first.
    pub const LISTED: [Self; 3] = [Self::Icon, Self::Small, Self::Regular];

    /// The size's name, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Icon => "icon",
            Self::Small => "small",
            Self::Regular => "regular",
            Self::Large => "large",
        }
    }

    /// Length of a side in pixels.
    pub const fn side(self) -> u32 {
        match self {
            Self::Icon => 80,
            Self::Small => 200,
            Self::Regular => 400,
            Self::Large => 1000,
        }
    }
}

impl Cover {
    /// The label of an uploaded picture as it was received. It is kept and never served as a cover.
    pub fn original_label() -> VariantIndex {
        VariantIndex::from_static("cover-original")
    }

    /// The label of a cover's file in one size.
    pub fn label(size: CoverSize) -> VariantIndex {
        VariantIndex::from_static(match size {
            CoverSize::Icon => "cover-icon",
            CoverSize::Small => "cover-small",
            CoverSize::Regular => "cover-regular",
            CoverSize::Large => "cover-large",
        })
    }

    /// Every label that a cover's file may have.
    pub fn labels() -> [VariantIndex; 5] {
        let [icon, small, regular, large] = CoverSize::ALL.map(Self::label);
        [icon, small, regular, large, Self::original_label()]
    }

    /// The key of the file of one size.
    pub fn key(&self, organization_id: OrganizationId, folder: ShortId, size: CoverSize) -> ObjectKey {
        self.file_key(organization_id, folder, Self::label(size), ContentType::Jpeg)
    }

    /// The keys of the files of all sizes of a version.
    pub fn files(organization_id: OrganizationId, folder: ShortId, version: ShortId) -> [ObjectKey; 4] {
        CoverSize::ALL.map(|size| {
            let file = ObjectFile { label: Self::label(size), version, content_type: ContentType::Jpeg };
            ObjectKey { organization_id, folder, file }
        })
    }

    /// The key of the same picture as WebP, for clients that accept it. The object may not exist. `None` if the key is
    /// not a cover's.
    pub fn webp_of(key: &ObjectKey) -> Option<ObjectKey> {
        let is_cover = key.file.content_type == ContentType::Jpeg
            && CoverSize::ALL.into_iter().any(|size| key.file.label == Self::label(size));
        is_cover.then(|| {
            let file = ObjectFile { content_type: ContentType::Webp, ..key.file.clone() };
            ObjectKey { file, ..key.clone() }
        })
    }

    /// The key of an uploaded picture of this type, stored as it was received.
    pub fn original_key(
        &self,
        organization_id: OrganizationId,
        folder: ShortId,
        content_type: ContentType,
    ) -> ObjectKey {
        self.file_key(organization_id, folder, Self::original_label(), content_type)
    }

    fn file_key(
        &self,
        organization_id: OrganizationId,
        folder: ShortId,
        label: VariantIndex,
        content_type: ContentType,
    ) -> ObjectKey {
        let file = ObjectFile { label, version: self.version, content_type };
        ObjectKey { organization_id, folder, file }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordId;
    use crate::timestamp::Timestamp;

    fn id() -> OrganizationId {
        OrganizationId::from_parts(Timestamp::from_unix_millis(0).unwrap(), [1; 10])
    }

    fn short(seed: u8) -> ShortId {
        ShortId::from_random([seed; 8])
    }

    #[test]
    fn the_original_is_named_apart_from_the_sizes() {
        let cover = Cover { version: short(9), origin: CoverOrigin::Uploaded };
        let original = cover.original_key(id(), short(1), ContentType::Png);
        assert!(original.to_string().contains("/cover-original."), "{original}");
        assert!(CoverSize::ALL.iter().all(|size| cover.key(id(), short(1), *size) != original));
    }

    #[test]
    fn only_covers_have_a_smaller_form() {
        let cover = Cover { version: short(1), origin: CoverOrigin::Uploaded };
        let regular = cover.key(id(), short(2), CoverSize::Regular);
        let webp = Cover::webp_of(&regular).unwrap();
        assert_eq!(webp.to_string(), regular.to_string().replace(".jpg", ".webp"));
        assert_eq!(Cover::webp_of(&webp), None);
        assert_eq!(Cover::webp_of(&cover.original_key(id(), short(2), ContentType::Jpeg)), None);
        assert_eq!(Cover::files(id(), short(2), short(1))[2], regular);
    }
}
