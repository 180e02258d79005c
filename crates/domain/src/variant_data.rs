//! Data of a file that clients receive in addition to its settings: the part of the track that it contains, and a
//! missed loudness target.

use serde::Serialize;

use crate::object_key::ContentType;
use crate::track_file::{FileData, MissedLoudness};

/// Additional data of a file. Only previews, and files that missed a loudness target, have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantData {
    /// The part of the track; only for previews.
    #[serde(flatten)]
    pub part: Option<Part>,
    /// A loudness target that could not be reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed_loudness: Option<MissedLoudness>,
}

/// The part of the track that a preview contains, in seconds of the track.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    /// Its length.
    pub duration: f64,
    /// Where it starts.
    pub capture_start: f64,
    /// Where it ends.
    pub capture_end: f64,
    /// The extension of the file, such as `mp3`.
    pub extension: &'static str,
    /// The content type of the file, such as `audio/mpeg`.
    pub content_type: &'static str,
}

impl VariantData {
    /// The data of a file of this type; none if there is none.
    pub fn of(data: &FileData, content_type: ContentType) -> Option<Self> {
        let (part, missed_loudness) = (Part::of(data, content_type), data.missed_loudness());
        (part.is_some() || missed_loudness.is_some()).then_some(Self { part, missed_loudness })
    }
}

impl Part {
    fn of(data: &FileData, content_type: ContentType) -> Option<Self> {
        let &FileData::Preview { duration, capture_start, capture_end, .. } = data else {
            return None;
        };
        let (extension, content_type) = (content_type.extension(), content_type.mime());
        Some(Self { duration, capture_start, capture_end, extension, content_type })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::*;

    #[test]
    fn only_what_is_special_is_told() {
        let json_of = |data: &FileData| to_value(VariantData::of(data, ContentType::Mp3)).unwrap();
        assert_eq!(json_of(&FileData::NONE), json!(null));
        let missed_loudness = Some(MissedLoudness::new(-16.0, Some(-18.204), None));
        let missed = json!({"target_lufs": -16.0, "loudness_lufs": -18.2, "true_peak_dbtp": null});
        assert_eq!(json_of(&FileData::None { missed_loudness }), json!({"missed_loudness": missed}));
        let mut preview = json!({
            "duration": 2.0, "capture_start": 1.0, "capture_end": 3.0,
            "extension": "mp3", "content_type": "audio/mpeg",
        });
        let part = |missed_loudness| FileData::Preview {
            duration: 2.0,
            capture_start: 1.0,
            capture_end: 3.0,
            missed_loudness,
        };
        assert_eq!(json_of(&part(None)), preview);
        preview["missed_loudness"] = missed;
        assert_eq!(json_of(&part(missed_loudness)), preview);
    }

    /// Rows of earlier versions can be read, and new rows can be read by them.
    #[test]
    fn a_row_of_before_is_read() {
        let read = |json: &str| serde_json::from_str::<FileData>(json).unwrap();
        assert_eq!(read(r#"{"kind":"none"}"#), FileData::NONE);
        assert_eq!(serde_json::to_string(&FileData::NONE).unwrap(), r#"{"kind":"none"}"#);
        let preview = r#"{"kind":"preview","duration":2.0,"capture_start":1.0,"capture_end":3.0}"#;
        assert_eq!(serde_json::to_string(&read(preview)).unwrap(), preview);
    }
}
