//! The plan of which files are made in which order. It is pure, so that it can be tested without making anything.

use tonearm_domain::{Codec, Recipe, RecipeKind};

/// Sound of up to this many seconds is encoded by one process for all its outputs: starting another process takes
/// longer than encoding.
const SHORT_SECONDS: f64 = 20.0;

/// A file to make, and the recipes that need it: if two need the same file, it is made once.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlannedFile {
    pub(super) kind: RecipeKind,
    pub(super) recipes: Vec<Recipe>,
}

/// The facts that are already known about a track.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct KnownFacts {
    /// The duration that the headers claim, in seconds; 0 if they claim none.
    pub(super) claimed_duration: f64,
    /// Whether samples are read without a decoder, so that measuring costs next to nothing.
    pub(super) is_plain: bool,
    /// Whether an earlier run measured duration and loudness.
    pub(super) is_measured: bool,
    /// Whether a cover has to be drawn from the waveform.
    pub(super) needs_picture: bool,
    /// Whether files are played as soon as they are ready, so that small ones are made first.
    pub(super) is_early: bool,
}

/// The files to make, by stage.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    /// Whether the sound has to be measured.
    pub(super) measures: bool,
    /// Encoded by the process that decodes for measuring.
    pub(super) with_measuring: Vec<PlannedFile>,
    /// Started at the same time as measuring.
    pub(super) at_once: Vec<PlannedFile>,
    /// Started after measuring, because they need its results.
    pub(super) after: Vec<PlannedFile>,
    /// Whether the work is so short that everything is recorded together at the end.
    pub(super) is_short: bool,
}

impl Plan {
    pub(super) fn new(recipes: Vec<Recipe>, known: KnownFacts) -> Self {
        let has_claim = known.claimed_duration > 0.0;
        let mut plan = Self {
            measures: false,
            with_measuring: Vec::new(),
            at_once: Vec::new(),
            after: Vec::new(),
            is_short: has_claim && known.claimed_duration <= SHORT_SECONDS,
        };
        for planned in planned_files(recipes) {
            let needs = needs(&planned.kind);
            let is_known = match needs {
                Needs::Nothing => true,
                Needs::Measures => known.is_measured,
                Needs::Waveform => false,
            };
            plan.measures |= needs == Needs::Waveform || !is_known;
            if is_known { plan.at_once.push(planned) } else { plan.after.push(planned) }
        }
        plan.measures |= !known.is_measured || known.needs_picture;
        plan.order(known.is_early);
        if plan.measures {
            plan.share_the_decoding(known.is_plain);
        }
        plan
    }

    /// Sorts the files that take longest first, so that no core idles at the end. Sorts them last if each file counts
    /// as soon as it is ready.
    fn order(&mut self, is_early: bool) {
        for planned_files in [&mut self.at_once, &mut self.after] {
            planned_files.sort_by_key(|planned| {
                let effort = i64::from(effort(&planned.kind));
                if is_early { effort } else { -effort }
            });
        }
    }

    /// Lets the process that decodes for measuring encode too: all files of short sound, else one file, or none if
    /// nothing has to be decoded. It does not take the file that takes longest if there is another: files made after
    /// measuring, such as the cover, are then made at the same time as the longest one.
    fn share_the_decoding(&mut self, is_plain: bool) {
        let is_encoded = |planned: &PlannedFile| match &planned.kind {
            RecipeKind::Transcode(transcode) => transcode.loudness_target.is_none(),
            _ => false,
        };
        if self.is_short {
            let (with, at_once) = self.at_once.drain(..).partition(is_encoded);
            (self.with_measuring, self.at_once) = (with, at_once);
        } else if is_plain {
            // Measuring needs no process and is fast.
        } else {
            let places = self.at_once.iter().enumerate();
            let can_share = places.filter(|(_, planned)| is_encoded(planned));
            if let Some((place, _)) = can_share.take(2).last() {
                self.with_measuring.push(self.at_once.remove(place));
            }
        }
    }

    /// All files, in no particular order.
    pub(super) fn files(&self) -> impl Iterator<Item = &PlannedFile> {
        self.with_measuring.iter().chain(&self.at_once).chain(&self.after)
    }
}

/// What must be known before a file can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// The counted duration, by which a preview is placed and the last chapter ends, or the loudness.
    Measures,
    Waveform,
}

fn needs(kind: &RecipeKind) -> Needs {
    match kind {
        RecipeKind::Original {} | RecipeKind::Cover(_) => Needs::Nothing,
        RecipeKind::Transcode(transcode)
            if transcode.loudness_target.is_none() && transcode.is_strip_tags =>
        {
            Needs::Nothing
        }
        RecipeKind::Transcode(_) | RecipeKind::Preview(_) => Needs::Measures,
        RecipeKind::Levels(_) | RecipeKind::WaveformImage(_) | RecipeKind::WaveformVideo(_) => {
            Needs::Waveform
        }
    }
}

/// The rank of how long making a file takes, measured with a few minutes of music.
fn effort(kind: &RecipeKind) -> u8 {
    let of_codec = |codec| match codec {
        Codec::Wav => 2,
        Codec::Flac => 3,
        Codec::Ogg => 6,
        Codec::Mp3 => 7,
        Codec::Opus => 8,
        Codec::Aac => 9,
    };
    match kind {
        RecipeKind::Original {} | RecipeKind::Levels(_) | RecipeKind::Cover(_) => 0,
        RecipeKind::WaveformImage(_) => 1,
        RecipeKind::Preview(_) => 4,
        RecipeKind::Transcode(transcode) => of_codec(transcode.codec),
        RecipeKind::WaveformVideo(_) => 20,
    }
}

fn planned_files(recipes: Vec<Recipe>) -> Vec<PlannedFile> {
    let mut planned_files: Vec<PlannedFile> = Vec::new();
    for recipe in recipes {
        match planned_files.iter_mut().find(|planned| planned.kind == recipe.kind) {
            Some(planned) => planned.recipes.push(recipe),
            None => planned_files.push(PlannedFile { kind: recipe.kind.clone(), recipes: vec![recipe] }),
        }
    }
    planned_files
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tonearm_domain::{
        CoverSettings, LevelsSettings, PreviewLength, PreviewSettings, RecordId, Timestamp, Transcode,
        VariantIndex, WaveformImage, WaveformVideo,
    };

    use super::*;

    fn recipe(place: usize, kind: RecipeKind) -> Recipe {
        let now = Timestamp::from_unix_millis(0).unwrap();
        let mut random = [0; 10];
        random[..8].copy_from_slice(&place.to_be_bytes());
        Recipe {
            id: RecordId::from_parts(now, random),
            organization_id: RecordId::from_parts(now, [0; 10]),
            track_id: None,
            index: format!("variant-{place}").parse::<VariantIndex>().unwrap(),
            kind,
            position: 0,
            cache: tonearm_domain::CachePolicy::Private,
            created_at: now,
        }
    }

    fn kinds() -> impl Strategy<Value = RecipeKind> {
        let transcode = (0..6_usize, 12..=320_u16, any::<bool>()).prop_map(|(codec, bitrate, has_target)| {
            let codec = [Codec::Aac, Codec::Mp3, Codec::Ogg, Codec::Opus, Codec::Flac, Codec::Wav][codec];
            Transcode { codec, bitrate, loudness_target: has_target.then_some(-16.0), ..Transcode::default() }
        });
        let length = PreviewLength::Percent {
            preview_percent: 10.0,
            preview_min_seconds: 0.0,
            preview_max_seconds: 90.0,
        };
        let preview = transcode.clone().prop_map(move |transcode| {
            let length = length.clone();
            RecipeKind::Preview(PreviewSettings { transcode, length, preview_start_percent: 10.0 })
        });
        prop_oneof![
            transcode.prop_map(RecipeKind::Transcode),
            preview,
            Just(RecipeKind::Original {}),
            Just(RecipeKind::Levels(LevelsSettings::default())),
            Just(RecipeKind::Cover(CoverSettings::default())),
            Just(RecipeKind::WaveformImage(WaveformImage::default())),
            Just(RecipeKind::WaveformVideo(WaveformVideo::default())),
        ]
    }

    prop_compose! {
        fn known_facts()(
            claimed_duration in prop_oneof![Just(0.0), 0.1..30.0, 30.0..10_000.0],
            is_plain: bool,
            is_measured: bool,
            needs_picture: bool,
            is_early: bool,
        ) -> KnownFacts {
            KnownFacts { claimed_duration, is_plain, is_measured, needs_picture, is_early }
        }
    }

    proptest! {
        #[test]
        fn every_recipe_is_made_once(kinds in prop::collection::vec(kinds(), 0..12), known in known_facts()) {
            let recipes: Vec<Recipe> =
                kinds.into_iter().enumerate().map(|(place, kind)| recipe(place, kind)).collect();
            let plan = Plan::new(recipes.clone(), known);
            let mut made: Vec<_> = plan.files().flat_map(|planned| &planned.recipes).map(|r| r.id).collect();
            made.sort();
            prop_assert_eq!(made, recipes.iter().map(|recipe| recipe.id).collect::<Vec<_>>());
            let kinds: Vec<_> = plan.files().map(|planned| &planned.kind).collect();
            for (place, kind) in kinds.iter().enumerate() {
                prop_assert!(!kinds[..place].contains(kind));
            }
        }

        #[test]
        fn nothing_is_made_before_what_it_needs_is_known(
            kinds in prop::collection::vec(kinds(), 0..12),
            known in known_facts(),
        ) {
            let recipes = kinds.into_iter().enumerate().map(|(place, kind)| recipe(place, kind)).collect();
            let plan = Plan::new(recipes, known);
            for planned in plan.with_measuring.iter().chain(&plan.at_once) {
                let is_known = match needs(&planned.kind) {
                    Needs::Nothing => true,
                    Needs::Measures => known.is_measured,
                    Needs::Waveform => false,
                };
                prop_assert!(is_known, "{:?}", planned.kind);
            }
            prop_assert!(plan.measures || (plan.with_measuring.is_empty() && known.is_measured));
            prop_assert!(plan.measures || plan.after.is_empty());
            for planned in &plan.with_measuring {
                let is_plain = matches!(&planned.kind, RecipeKind::Transcode(t) if t.loudness_target.is_none());
                prop_assert!(is_plain, "{:?}", planned.kind);
            }
        }
    }

    #[test]
    fn a_new_track_with_the_default_recipes_is_decoded_with_its_second_file() {
        let mp3 = |bitrate| Transcode { codec: Codec::Mp3, bitrate, ..Transcode::default() };
        let recipes = || -> Vec<Recipe> {
            [RecipeKind::Transcode(mp3(256)), RecipeKind::Transcode(mp3(96)), RecipeKind::Original {}]
                .into_iter()
                .chain([RecipeKind::Levels(LevelsSettings::default())])
                .enumerate()
                .map(|(place, kind)| recipe(place, kind))
                .collect()
        };
        let known = KnownFacts {
            claimed_duration: 300.0,
            is_plain: false,
            is_measured: false,
            needs_picture: true,
            is_early: false,
        };
        let plan = Plan::new(recipes(), known);
        assert_eq!(
            (plan.with_measuring.len(), plan.at_once.len(), plan.after.len(), plan.is_short),
            (1, 2, 1, false)
        );
        assert_eq!(plan.with_measuring[0].kind, RecipeKind::Transcode(mp3(96)));
        let one = Plan::new(recipes().split_off(1), known);
        assert_eq!(one.with_measuring[0].kind, RecipeKind::Transcode(mp3(96)));
        // Chapters end where the sound does.
        let with_chapters = RecipeKind::Transcode(Transcode { is_strip_tags: false, ..mp3(96) });
        assert_eq!(Plan::new(vec![recipe(0, with_chapters)], known).after.len(), 1);
        // If nothing has to be decoded, there is no decoding to share.
        let plan = Plan::new(recipes(), KnownFacts { is_plain: true, ..known });
        assert_eq!((plan.with_measuring.len(), plan.at_once.len(), plan.after.len()), (0, 3, 1));
        let plan = Plan::new(recipes(), KnownFacts { claimed_duration: 3.0, ..known });
        assert_eq!(
            (plan.with_measuring.len(), plan.at_once.len(), plan.after.len(), plan.is_short),
            (2, 1, 1, true)
        );
    }
}
