//! Keys of stored objects. A key determines the path and the content type, so that a store needs to keep neither and an
//! edge node needs no database.
//!
//! The form is `{organization}/{folder}/{label}.{version}.{extension}`: the organization's UUID, the short id of a
//! track (its `index`) or of whatever else has files, what the file is (a variant's index, `source`, …), a fresh short
//! id for every version, and the extension that decides the content type. A new version has a new name, so the content
//! of a name never changes.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::OrganizationId;
use crate::short_id::ShortId;
use crate::variant_index::VariantIndex;

/// Text that is not an object key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not the name of an object")]
pub struct ObjectKeyError;

macro_rules! content_types {
    ($($(#[$doc:meta])* $name:ident $extension:literal $mime:literal),* $(,)?) => {
        /// The content type of an object, from the extension in its name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ContentType {
            $($(#[$doc])* $name,)*
        }

        impl ContentType {
            /// Every content type.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The extension, without a dot.
            pub const fn extension(self) -> &'static str {
                match self { $(Self::$name => $extension,)* }
            }

            /// The media type, as in the `Content-Type` header.
            pub const fn mime(self) -> &'static str {
                match self { $(Self::$name => $mime,)* }
            }
        }
    };
}

content_types! {
    /// MPEG layer III.
    Mp3 "mp3" "audio/mpeg",
    /// AAC or ALAC in MP4.
    M4a "m4a" "audio/mp4",
    /// Raw AAC with ADTS headers.
    Aac "aac" "audio/aac",
    /// Vorbis, or another codec, in Ogg.
    Ogg "ogg" "audio/ogg",
    /// Opus in Ogg.
    Opus "opus" "audio/ogg; codecs=opus",
    /// FLAC.
    Flac "flac" "audio/flac",
    /// RIFF WAVE.
    Wav "wav" "audio/wav",
    /// AIFF or AIFC.
    Aiff "aiff" "audio/aiff",
    /// Apple's Core Audio Format.
    Caf "caf" "audio/x-caf",
    /// Adaptive Multi-Rate.
    Amr "amr" "audio/amr",
    /// Windows Media (ASF).
    Wma "wma" "audio/x-ms-wma",
    /// Matroska.
    Mkv "mkv" "video/x-matroska",
    /// WebM.
    Webm "webm" "video/webm",
    /// MP4 that may contain video.
    Mp4 "mp4" "video/mp4",
    /// JSON, such as levels.
    Json "json" "application/json",
    /// Binary peaks.
    Dat "dat" "application/octet-stream",
    /// JPEG.
    Jpeg "jpg" "image/jpeg",
    /// PNG.
    Png "png" "image/png",
    /// WebP.
    Webp "webp" "image/webp",
    /// GIF.
    Gif "gif" "image/gif",
    /// Anything else.
    Binary "bin" "application/octet-stream",
}

impl ContentType {
    /// Whether it may contain audio.
    pub fn has_sound(self) -> bool {
        let mime = self.mime();
        mime.starts_with("audio/") || mime.starts_with("video/")
    }

    /// The content type of an extension.
    pub fn from_extension(extension: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.extension() == extension)
    }
}

/// Splits a text at a separator into exactly three parts.
pub(crate) fn three_parts(text: &str, separator: char) -> Result<[&str; 3], ObjectKeyError> {
    let mut parts = text.split(separator);
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(first), Some(second), Some(third), None) => Ok([first, second, third]),
        _ => Err(ObjectKeyError),
    }
}

/// The last segment of an object key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ObjectFile {
    /// What the file is: a variant's index, `source`, `cover-small`, …
    pub label: VariantIndex,
    /// A random id, new for every version.
    pub version: ShortId,
    /// Its content type.
    pub content_type: ContentType,
}

impl fmt::Display for ObjectFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.label, self.version, self.content_type.extension())
    }
}

impl FromStr for ObjectFile {
    type Err = ObjectKeyError;
    fn from_str(text: &str) -> Result<Self, ObjectKeyError> {
        let [label, version, extension] = three_parts(text, '.')?;
        Ok(Self {
            label: label.parse().map_err(|_| ObjectKeyError)?,
            version: version.parse().map_err(|_| ObjectKeyError)?,
            content_type: ContentType::from_extension(extension).ok_or(ObjectKeyError)?,
        })
    }
}

impl TryFrom<String> for ObjectFile {
    type Error = ObjectKeyError;
    fn try_from(text: String) -> Result<Self, ObjectKeyError> {
        text.parse()
    }
}

impl From<ObjectFile> for String {
    fn from(file: ObjectFile) -> String {
        file.to_string()
    }
}

/// The full name of a stored object. Each key has exactly one spelling: parsing is strict, so that a key from a URL
/// needs no further checks.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ObjectKey {
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// The folder of the track, or of another object with files.
    pub folder: ShortId,
    /// The file.
    pub file: ObjectFile,
}

impl ObjectKey {
    /// A reserved id that is no organization's. It is the prefix of objects that nodes exchange through the store. They
    /// are never delivered, because no URL is signed for them.
    pub const RESERVED: OrganizationId = OrganizationId::from_uuid(uuid::Uuid::nil());

    /// The `Cache-Control` header of objects. Caches may keep an object for a year, because the content of a name never
    /// changes. Access is granted by the signature, which shared caches do not check: hence `private`, unless a CDN
    /// checks signatures itself and strips them.
    pub const CACHE_CONTROL: &str = "private, max-age=31536000, immutable";
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.organization_id, self.folder, self.file)
    }
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectKey({self})")
    }
}

impl FromStr for ObjectKey {
    type Err = ObjectKeyError;
    fn from_str(text: &str) -> Result<Self, ObjectKeyError> {
        let [organization, folder, file] = three_parts(text, '/')?;
        let key = Self {
            organization_id: organization.parse().map_err(|_| ObjectKeyError)?,
            folder: folder.parse().map_err(|_| ObjectKeyError)?,
            file: file.parse()?,
        };
        // A UUID in upper case parses too, but object names are always in lower case.
        if key.to_string() == text { Ok(key) } else { Err(ObjectKeyError) }
    }
}

impl TryFrom<String> for ObjectKey {
    type Error = ObjectKeyError;
    fn try_from(text: String) -> Result<Self, ObjectKeyError> {
        text.parse()
    }
}

impl From<ObjectKey> for String {
    fn from(key: ObjectKey) -> String {
        key.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: &str = "018f0000-0000-7000-8000-000000000001/abcdefghij01/hq.zyxwvutsrq98.mp3";

    #[test]
    fn one_spelling_each() {
        let key: ObjectKey = KEY.parse().unwrap();
        assert_eq!(key.to_string(), KEY);
        assert_eq!(key.file.content_type.mime(), "audio/mpeg");
        for bad in [
            "",
            "/",
            "a/b/c",
            &KEY.to_uppercase(),
            &KEY.replace("018f", "018F"),
            &format!("/{KEY}"),
            &format!("{KEY}/"),
            &KEY.replace('/', "//"),
            &KEY.replace("hq", ".."),
            &KEY.replace("mp3", "exe"),
            &KEY.replace("hq.", "hq.hq."),
        ] {
            assert!(bad.parse::<ObjectKey>().is_err(), "{bad}");
        }
    }

    #[test]
    fn extensions_are_unique() {
        for t in ContentType::ALL {
            assert_eq!(ContentType::from_extension(t.extension()), Some(*t));
        }
    }

    proptest! {
        #[test]
        fn whatever_parses_is_canonical(text in "\\PC{0,100}") {
            if let Ok(key) = text.parse::<ObjectKey>() {
                prop_assert_eq!(key.to_string(), text);
            }
        }
    }
}
