//! Everything that is needed to play a track.

use std::collections::BTreeMap;

use serde::Serialize;
use tonearm_domain::{FileId, FileProps, VariantData, VariantIndex};
use tonearm_service::{CoverImage, LevelsJson, Playable, PlayableVariant};
use utoipa::ToSchema;

use super::{PlayedTrack, VariantNames, VariantTypeRecord};

/// Cover, track, waveform and signed URLs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlaybackData {
    /// By size: `icon`, `small`, `regular`.
    cover_image: BTreeMap<&'static str, CoverRecord>,
    track: PlayedTrack,
    #[schema(value_type = tonearm_domain::Levels)]
    levels: LevelsJson,
    variants: Vec<PlayedVariant>,
    /// Where the transcript is as WebVTT, for `<track kind="captions">`. Missing if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    captions_url: Option<String>,
}

/// A square cover in one size.
#[derive(Debug, Serialize, ToSchema)]
struct CoverRecord {
    #[serde(rename = "type")]
    size: &'static str,
    width: u32,
    height: u32,
    url: String,
}

/// A file with its signed URL.
#[derive(Debug, Serialize, ToSchema)]
struct PlayedVariant {
    id: FileId,
    path: String,
    url: String,
    size: u64,
    content_type: &'static str,
    file_name: String,
    is_public: bool,
    props: FileProps,
    data: Option<VariantData>,
    variant: PlayedRecipe,
}

/// The variant of a file.
#[derive(Debug, Serialize, ToSchema)]
struct PlayedRecipe {
    id: tonearm_domain::VariantId,
    index: VariantIndex,
    #[serde(flatten)]
    named: VariantNames,
    variant_type: VariantTypeRecord,
}

impl From<Playable> for PlaybackData {
    fn from(playable: Playable) -> Self {
        Self {
            cover_image: playable
                .cover
                .into_iter()
                .map(|image| (image.size.as_str(), image.into()))
                .collect(),
            track: playable.track.into(),
            levels: playable.levels,
            variants: playable.variants.into_iter().map(Into::into).collect(),
            captions_url: playable.captions_url,
        }
    }
}

impl From<CoverImage> for CoverRecord {
    fn from(CoverImage { size, url }: CoverImage) -> Self {
        Self { size: size.as_str(), width: size.side(), height: size.side(), url }
    }
}

impl From<PlayableVariant> for PlayedVariant {
    fn from(playable: PlayableVariant) -> Self {
        let recipe = playable.file.recipe;
        let content_type = playable.key.file.content_type;
        Self {
            id: playable.file.id,
            path: playable.key.to_string(),
            url: playable.url,
            size: playable.size,
            content_type: content_type.mime(),
            file_name: playable.file_name,
            is_public: false,
            props: playable.props,
            data: VariantData::of(&playable.data, content_type),
            variant: PlayedRecipe {
                id: recipe.id,
                named: VariantNames::of_file(&recipe, content_type),
                variant_type: recipe.kind.recipe_type().into(),
                index: recipe.index,
            },
        }
    }
}
