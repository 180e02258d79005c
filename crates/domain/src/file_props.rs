//! The properties of a file that clients show: its codec, its bitrate, and the settings it was rendered with. No
//! property is ever null.

use std::borrow::Cow;

use serde::Serialize;

use crate::object_key::ContentType;
use crate::recipe::RecipeKind;
use crate::track::TrackInfo;
use crate::track_file::{FileData, FileOutcome, TrackFile};

/// The properties of a file that clients show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileProps {
    /// The codec, such as `mp3`, `pcm_s16le` or `h264`; of files without one, the format, such as `png` or `json`.
    pub codec: Cow<'static, str>,
    /// Kilobits per second of the file, on average; 0 where a bitrate has no meaning, such as for pictures. At most the
    /// bitrate that was asked for: a short file is larger only by its headers.
    pub bitrate: u32,
    /// Whether the recipe keeps two channels; for an original, whether it has more than one channel.
    pub is_stereo: bool,
    /// Whether the tags of the source are left out.
    pub is_strip_tags: bool,
    /// Whether the cover in the source is left out.
    pub is_strip_cover: bool,
}

impl FileProps {
    /// The properties of a file, rendered or failed. `info` is the result of probing the track's source, `duration` the
    /// duration of the track in seconds.
    pub fn of(file: &TrackFile, info: &TrackInfo, duration: f64) -> Self {
        let plain = |codec: Cow<'static, str>| Self {
            codec,
            bitrate: 0,
            is_stereo: false,
            is_strip_tags: false,
            is_strip_cover: false,
        };
        let extension = |otherwise: ContentType| {
            let made = match &file.outcome {
                FileOutcome::Made { key, .. } => key.file.content_type,
                FileOutcome::Failed { .. } => otherwise,
            };
            made.extension().into()
        };
        match &file.recipe.kind {
            RecipeKind::Original {} => of_source(file, info, duration, extension(ContentType::Binary)),
            RecipeKind::Levels(levels) => plain(extension(levels.format.content_type())),
            RecipeKind::WaveformImage(_) => plain(extension(ContentType::Png)),
            RecipeKind::WaveformVideo(_) => plain("h264".into()),
            RecipeKind::Cover(_) => plain(match extension(ContentType::Jpeg) {
                Cow::Borrowed("jpg") => "jpeg".into(),
                other => other,
            }),
            kind @ (RecipeKind::Transcode(_) | RecipeKind::Preview(_)) => {
                // Both kinds have these settings.
                let settings = kind.transcode().cloned().unwrap_or_default();
                Self {
                    codec: settings.codec.as_str().into(),
                    bitrate: match (settings.nominal_bitrate().map(u32::from), mean_bitrate(file, duration)) {
                        (Some(asked), 0) => asked,
                        (Some(asked), mean) => mean.min(asked),
                        (None, mean) => mean,
                    },
                    is_stereo: settings.is_stereo,
                    is_strip_tags: settings.is_strip_tags,
                    is_strip_cover: settings.is_strip_cover,
                }
            }
        }
    }
}

/// The properties of the upload itself, from probing. `format` is used if probing found no codec.
fn of_source(file: &TrackFile, info: &TrackInfo, duration: f64, format: Cow<'static, str>) -> FileProps {
    let bitrate = info.bit_rate.filter(|rate| *rate > 0).map(|rate| rate as f64 / 1000.0);
    FileProps {
        codec: info.codec.clone().filter(|codec| !codec.is_empty()).map_or(format, Cow::Owned),
        bitrate: bitrate.map_or_else(|| mean_bitrate(file, duration), |rate| rate.round() as u32),
        is_stereo: info.channels.is_some_and(|channels| channels > 1),
        is_strip_tags: false,
        is_strip_cover: false,
    }
}

/// The mean bitrate of a rendered file in kilobits per second, from its size and duration; 0 if one of them is unknown.
fn mean_bitrate(file: &TrackFile, duration: f64) -> u32 {
    let FileOutcome::Made { size, data, .. } = &file.outcome else {
        return 0;
    };
    let seconds = match data {
        FileData::Preview { duration, .. } => *duration,
        _ => duration,
    };
    if seconds > 0.0 { (*size as f64 * 8.0 / 1000.0 / seconds).round() as u32 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cover::CoverSettings;
    use crate::preview::PreviewSettings;
    use crate::recipe::Recipe;
    use crate::timestamp::Timestamp;
    use crate::transcode::{Codec, Transcode};
    use crate::variant_index::VariantIndex;
    use crate::waveform::{LevelsSettings, WaveformImage, WaveformVideo};
    use crate::{FileId, OrganizationId, RecordId, TrackId, VariantId};

    fn file(kind: RecipeKind, extension: &str, data: FileData) -> TrackFile {
        let now = Timestamp::from_unix_millis(0).unwrap();
        let organization_id = OrganizationId::from_parts(now, [1; 10]);
        let key = format!("{organization_id}/abcdefghij01/any.abcdefghij02.{extension}").parse().unwrap();
        TrackFile {
            id: FileId::from_parts(now, [2; 10]),
            track_id: TrackId::from_parts(now, [3; 10]),
            recipe: Recipe {
                id: VariantId::from_parts(now, [4; 10]),
                organization_id,
                track_id: None,
                index: VariantIndex::from_static("any"),
                kind,
                position: 0,
                cache: crate::CachePolicy::Private,
                created_at: now,
            },
            outcome: FileOutcome::Made { key, size: 1_000_000, sha256: None, file_name: String::new(), data },
            created_at: now,
        }
    }

    fn props_of(kind: RecipeKind, extension: &str, data: FileData, info: &TrackInfo) -> (String, u32) {
        let props = FileProps::of(&file(kind, extension, data), info, 10.0);
        (props.codec.into_owned(), props.bitrate)
    }

    #[test]
    fn every_kind_of_file_has_a_codec_and_a_bitrate() {
        let none = || FileData::NONE;
        let info = TrackInfo {
            codec: Some("pcm_s16le".to_owned()),
            bit_rate: Some(705_600),
            channels: Some(2),
            ..TrackInfo::default()
        };
        let transcode = |codec| Transcode { codec, ..Transcode::default() };
        let preview = |codec| {
            let json = serde_json::json!({"preview_type": "seconds", "codec": codec});
            RecipeKind::Preview(serde_json::from_value::<PreviewSettings>(json).unwrap())
        };
        let part =
            FileData::Preview { duration: 4.0, capture_start: 0.0, capture_end: 4.0, missed_loudness: None };
        for (kind, extension, data, codec, bitrate) in [
            (RecipeKind::Transcode(transcode(Codec::Mp3)), "mp3", none(), "mp3", 128),
            (
                RecipeKind::Transcode(Transcode { bitrate: 900, ..transcode(Codec::Opus) }),
                "opus",
                none(),
                "opus",
                800,
            ),
            (RecipeKind::Transcode(transcode(Codec::Flac)), "flac", none(), "flac", 800),
            (RecipeKind::Transcode(transcode(Codec::Wav)), "wav", none(), "wav", 800),
            (preview("opus"), "opus", part.clone(), "opus", 128),
            (preview("flac"), "flac", part, "flac", 2000),
            (RecipeKind::Original {}, "wav", none(), "pcm_s16le", 706),
            (RecipeKind::Levels(LevelsSettings::default()), "json", none(), "json", 0),
            (RecipeKind::WaveformImage(WaveformImage::default()), "png", none(), "png", 0),
            (RecipeKind::WaveformVideo(WaveformVideo::default()), "mp4", none(), "h264", 0),
            (RecipeKind::Cover(CoverSettings::default()), "jpg", none(), "jpeg", 0),
            (RecipeKind::Cover(CoverSettings::default()), "webp", none(), "webp", 0),
        ] {
            let name = format!("{kind:?}");
            assert_eq!(props_of(kind, extension, data, &info), (codec.to_owned(), bitrate), "{name}");
        }
    }

    #[test]
    fn what_probing_did_not_find_is_worked_out() {
        let info = TrackInfo::default();
        assert_eq!(props_of(RecipeKind::Original {}, "mp3", FileData::NONE, &info), ("mp3".to_owned(), 800));
        let mut failed = file(RecipeKind::Original {}, "mp3", FileData::NONE);
        failed.outcome = FileOutcome::Failed { reason: "no".to_owned() };
        let props = FileProps::of(&failed, &info, 10.0);
        assert_eq!((props.codec.as_ref(), props.bitrate), ("bin", 0));
    }
}
