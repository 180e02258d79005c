//! Short descriptions of recipes.

use tonearm_domain::{Codec, Recipe, RecipeType};

use crate::text::{Message, t};

/// The name of a recipe and a description of its output.
pub(crate) fn recipe_line(recipe: &Recipe) -> String {
    match sound_line(recipe) {
        Some(sound) => format!("{} · {sound}", recipe.index),
        None => format!("{} · {}", recipe.index, type_title(recipe.kind.recipe_type())),
    }
}

/// A short description of the audio that a recipe encodes; `None` if it encodes none.
pub(crate) fn sound_line(recipe: &Recipe) -> Option<String> {
    let transcode = recipe.kind.transcode()?;
    let codec = match transcode.codec {
        Codec::Aac => "AAC",
        Codec::Mp3 => "MP3",
        Codec::Ogg => "Ogg Vorbis",
        Codec::Opus => "Opus",
        Codec::Flac => "FLAC",
        Codec::Wav => "WAV",
    };
    let rate = transcode.nominal_bitrate().map(|rate| format!(" {rate} kbit/s")).unwrap_or_default();
    let sound = format!("{codec}{rate}");
    Some(match recipe.kind.recipe_type() {
        RecipeType::Preview => t("variants-part").with("sound", sound).into(),
        _ => sound,
    })
}

/// The name of a type of variants.
pub(crate) fn type_title(recipe_type: RecipeType) -> Message {
    t(match recipe_type {
        RecipeType::Transcode => "variants-transcode",
        RecipeType::Preview => "variants-preview",
        RecipeType::Levels => "variants-levels",
        RecipeType::WaveformImage => "variants-waveform-image",
        RecipeType::WaveformVideo => "variants-waveform-video",
        RecipeType::Original => "variants-original",
        RecipeType::Cover => "library-cover",
    })
}
