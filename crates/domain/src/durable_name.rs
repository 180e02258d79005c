//! Names of a track's files that stay the same when the files are rendered again.
//!
//! The form is `{organization}/{folder}/track_{variant}.{extension}`. The part before `_` is known as soon as the track
//! has been created, so that an integrator can store it and sign URLs later without another request. Such a name refers
//! to the newest object of the variant; the [manifest](TrackManifest) of the track maps the name to this object.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::OrganizationId;
use crate::object_key::{ContentType, ObjectFile, ObjectKey, ObjectKeyError, three_parts};
use crate::short_id::ShortId;
use crate::variant_index::VariantIndex;

/// The last segment of a base path.
const STEM: &str = "track";

/// The label of manifests among the objects of a track.
const MANIFEST: &str = "manifest";

/// The name of the newest file of a variant. Each name has exactly one spelling.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DurableName {
    /// The organization that owns the track.
    pub organization_id: OrganizationId,
    /// The track's `index`.
    pub folder: ShortId,
    /// The variant's `index`.
    pub variant: VariantIndex,
    /// The content type, from the extension. It must be the content type of the file.
    pub content_type: ContentType,
}

impl DurableName {
    /// The common prefix of all durable names of a track: `{organization}/{folder}/track`.
    pub fn base_path(organization_id: OrganizationId, folder: ShortId) -> String {
        format!("{organization_id}/{folder}/{STEM}")
    }
}

impl fmt::Display for DurableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { organization_id, folder, variant, content_type } = self;
        write!(f, "{organization_id}/{folder}/{STEM}_{variant}.{}", content_type.extension())
    }
}

impl FromStr for DurableName {
    type Err = ObjectKeyError;
    fn from_str(text: &str) -> Result<Self, ObjectKeyError> {
        let [organization, folder, file] = three_parts(text, '/')?;
        let file = file.strip_prefix(STEM).and_then(|rest| rest.strip_prefix('_')).ok_or(ObjectKeyError)?;
        let (variant, extension) = file.split_once('.').ok_or(ObjectKeyError)?;
        let name = Self {
            organization_id: organization.parse().map_err(|_| ObjectKeyError)?,
            folder: folder.parse().map_err(|_| ObjectKeyError)?,
            variant: variant.parse().map_err(|_| ObjectKeyError)?,
            content_type: ContentType::from_extension(extension).ok_or(ObjectKeyError)?,
        };
        // A UUID in upper case parses too, but is not the canonical spelling.
        if name.to_string() == text { Ok(name) } else { Err(ObjectKeyError) }
    }
}

/// The target of a delivery URL's path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DeliveryPath {
    /// One object, which never changes.
    Object(ObjectKey),
    /// The newest file of a variant.
    Durable(DurableName),
}

impl DeliveryPath {
    /// The organization that owns it.
    pub const fn organization_id(&self) -> OrganizationId {
        match self {
            Self::Object(key) => key.organization_id,
            Self::Durable(name) => name.organization_id,
        }
    }
}

impl fmt::Display for DeliveryPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(key) => key.fmt(f),
            Self::Durable(name) => name.fmt(f),
        }
    }
}

impl FromStr for DeliveryPath {
    type Err = ObjectKeyError;
    fn from_str(text: &str) -> Result<Self, ObjectKeyError> {
        match text.parse() {
            Ok(key) => Ok(Self::Object(key)),
            Err(ObjectKeyError) => text.parse().map(Self::Durable),
        }
    }
}

/// Maps a track's durable names to objects.
///
/// In the store, each generation is a JSON object of its own; the highest generation is in use. It contains file names
/// without their folder, so that it cannot refer to the files of another track.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackManifest {
    files: BTreeMap<VariantIndex, ObjectFile>,
}

impl TrackManifest {
    /// Maximum size of a manifest in the store, in bytes: about 2,000 variants.
    pub const MAX_BYTES: u64 = 256 * 1024;

    /// Builds a manifest from the rendered objects of a track, each with its variant.
    pub fn of(made: impl IntoIterator<Item = (VariantIndex, ObjectKey)>) -> Self {
        Self { files: made.into_iter().map(|(variant, key)| (variant, key.file)).collect() }
    }

    /// The file that a variant's name refers to, if it was rendered and has this content type.
    pub fn file(&self, variant: &VariantIndex, content_type: ContentType) -> Option<&ObjectFile> {
        self.files.get(variant).filter(|file| file.content_type == content_type)
    }

    /// Whether it contains this file.
    pub fn contains(&self, file: &ObjectFile) -> bool {
        self.files.values().any(|contained| contained == file)
    }

    /// The number of files.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether it contains no files.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The key of the object with a generation of a track's manifest.
    pub fn key(organization_id: OrganizationId, folder: ShortId, generation: Generation) -> ObjectKey {
        let file = ObjectFile {
            label: VariantIndex::from_static(MANIFEST),
            version: generation.version(),
            content_type: ContentType::Json,
        };
        ObjectKey { organization_id, folder, file }
    }

    /// The generation of a manifest object; `None` for other objects.
    ///
    /// A file of a variant named `manifest` could be mistaken for a manifest if its random version consists of digits
    /// only. Its content is not a manifest, so readers skip it.
    pub fn generation(key: &ObjectKey) -> Option<Generation> {
        let ObjectFile { label, version, content_type } = &key.file;
        if label.as_str() != MANIFEST || *content_type != ContentType::Json {
            return None;
        }
        Generation::parse(version)
    }
}

/// The number of times a track's manifest was written, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(u64);

impl Generation {
    /// The highest number with twelve digits.
    const MAX: u64 = 999_999_999_999;

    /// From a number; `None` outside 1..=999999999999.
    pub fn new(number: u64) -> Option<Self> {
        (1..=Self::MAX).contains(&number).then_some(Self(number))
    }

    /// As a number.
    pub const fn number(self) -> u64 {
        self.0
    }

    /// The previous generation; `None` for the first.
    pub fn previous(self) -> Option<Self> {
        Self::new(self.0 - 1)
    }

    fn version(self) -> ShortId {
        format!("{:012}", self.0).parse().expect("twelve digits are a short id")
    }

    fn parse(version: &ShortId) -> Option<Self> {
        let text = version.as_str();
        if !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Self::new(text.parse().ok()?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAME: &str = "018f0000-0000-7000-8000-000000000001/abcdefghij01/track_hq.mp3";
    const KEY: &str = "018f0000-0000-7000-8000-000000000001/abcdefghij01/hq.zyxwvutsrq98.mp3";

    #[test]
    fn one_spelling_each() {
        let name: DurableName = NAME.parse().unwrap();
        assert_eq!(name.to_string(), NAME);
        assert_eq!(name.variant.as_str(), "hq");
        assert!(NAME.starts_with(&DurableName::base_path(name.organization_id, name.folder)));
        let long: DurableName = NAME.replace("hq", "own_preview-2").parse().unwrap();
        assert_eq!(long.variant.as_str(), "own_preview-2");
        for bad in [
            "",
            "track_hq.mp3",
            &NAME.to_uppercase(),
            &NAME.replace("018f", "018F"),
            &NAME.replace("track_hq", "trackhq"),
            &NAME.replace("track_hq", "track_"),
            &NAME.replace("track_hq", "hq"),
            &NAME.replace("hq", ".."),
            &NAME.replace("mp3", "exe"),
            &NAME.replace(".mp3", ""),
            &NAME.replace(".mp3", ".hq.mp3"),
            &format!("/{NAME}"),
            &format!("{NAME}/"),
            KEY,
        ] {
            assert!(bad.parse::<DurableName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_path_is_an_object_or_a_durable_name() {
        assert!(matches!(KEY.parse(), Ok(DeliveryPath::Object(_))));
        assert!(matches!(NAME.parse(), Ok(DeliveryPath::Durable(_))));
        for path in [KEY, NAME] {
            let path = path.parse::<DeliveryPath>().unwrap();
            assert_eq!(path.to_string().parse::<DeliveryPath>().unwrap(), path);
        }
    }

    #[test]
    fn a_generation_is_read_back_from_its_object() {
        let ObjectKey { organization_id, folder, .. } = KEY.parse().unwrap();
        for number in [1, 9, 10, 999_999_999_999] {
            let generation = Generation::new(number).unwrap();
            let key = TrackManifest::key(organization_id, folder, generation);
            assert_eq!(key.to_string().parse::<ObjectKey>().unwrap(), key);
            assert_eq!(TrackManifest::generation(&key), Some(generation));
        }
        assert_eq!(Generation::new(0), None);
        assert_eq!(Generation::new(1_000_000_000_000), None);
        assert_eq!(Generation::new(1).unwrap().previous(), None);
        for other in [
            KEY,
            &KEY.replace("hq", "manifest").replace("mp3", "json"),
            &KEY.replace("hq.zyxwvutsrq98.mp3", "manifest.000000000000.json"),
            &KEY.replace("hq.zyxwvutsrq98.mp3", "manifest.000000000001.mp3"),
        ] {
            assert_eq!(TrackManifest::generation(&other.parse().unwrap()), None, "{other}");
        }
    }

    #[test]
    fn a_manifest_names_files_by_variant_and_extension() {
        let json = r#"{"files":{"hq":"hq.zyxwvutsrq98.mp3","original":"source.zyxwvutsrq99.wav"}}"#;
        let manifest: TrackManifest = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&manifest).unwrap(), json);
        let find = |variant: &str, content_type| manifest.file(&variant.parse().unwrap(), content_type);
        assert_eq!(find("hq", ContentType::Mp3).unwrap().to_string(), "hq.zyxwvutsrq98.mp3");
        assert_eq!(find("original", ContentType::Wav).unwrap().to_string(), "source.zyxwvutsrq99.wav");
        assert_eq!(find("hq", ContentType::Wav), None);
        assert_eq!(find("lq", ContentType::Mp3), None);
        for bad in [r#"{"files":{"hq":"../secret"}}"#, r#"{"files":{"hq":"a/hq.zyxwvutsrq98.mp3"}}"#, "[]"] {
            assert!(serde_json::from_str::<TrackManifest>(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn whatever_parses_is_canonical(text in "\\PC{0,100}") {
            if let Ok(path) = text.parse::<DeliveryPath>() {
                prop_assert_eq!(path.to_string(), text);
            }
        }

        #[test]
        fn names_are_read_back(variant in "[a-z0-9_-]{2,64}", place in 0..ContentType::ALL.len()) {
            let extension = ContentType::ALL[place].extension();
            let text = NAME.replace("hq.mp3", &format!("{variant}.{extension}"));
            let name = text.parse::<DurableName>().unwrap();
            prop_assert_eq!(name.to_string(), text);
        }
    }
}
