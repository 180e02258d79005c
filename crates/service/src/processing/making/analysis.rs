//! The results of measuring a sound, and the requested waveforms.

use tonearm_domain::{Chapter, LevelsSettings, RecipeKind, Track, TrackInfo};
use tonearm_media::{Analysis, MediaError, Output, Probe, Rendered, Waveform};
use tonearm_signal::bars_across;

use super::plan::{Plan, PlannedFile};
use super::recording::Measured;
use super::run_context::RunContext;
use super::stop::Stop;
use crate::processing::runner::Processing;

/// The known facts about a sound after it was measured.
pub(super) struct Analysed {
    /// The probe, with the counted duration and the measured loudness.
    pub(super) probe: Probe,
    /// The requested waveforms, by their settings.
    waveforms: Vec<(LevelsSettings, Waveform)>,
}

impl Analysed {
    fn new(probe: &Probe, settings: Vec<LevelsSettings>, analysis: Analysis) -> Self {
        let mut probe = probe.clone();
        probe.duration = analysis.duration;
        probe.info.loudness_lufs = analysis.loudness_lufs;
        probe.info.true_peak_dbtp = analysis.true_peak_dbtp;
        probe.info.is_truncated = analysis.is_truncated;
        // The chapters of the probe end where the headers claim that the sound ends.
        probe.info.chapters = Chapter::plausible(probe.told_chapters.clone(), probe.duration);
        Self { probe, waveforms: settings.into_iter().zip(analysis.levels).collect() }
    }

    /// The results that an earlier run measured and recorded.
    pub(super) fn recorded(context: &RunContext<'_>) -> Self {
        let probe = remembered(&context.probe, context.track.duration, &context.track.info);
        Self { probe, waveforms: Vec::new() }
    }

    /// Whether an earlier run measured a track.
    pub(super) fn is_recorded(track: &Track) -> bool {
        track.duration > 0.0
    }

    /// The results to record.
    pub(super) fn measured(&self) -> Measured {
        Measured { duration: self.probe.duration, info: self.probe.info.clone() }
    }

    pub(super) fn waveform(&self, settings: &LevelsSettings) -> Option<&Waveform> {
        self.waveforms.iter().find(|(own, _)| own == settings).map(|(_, waveform)| waveform)
    }

    /// The amplitudes from which bars are drawn. Empty if the waveform was not measured.
    pub(super) fn bars(&self, settings: &LevelsSettings) -> &[f64] {
        let levels = self.waveform(settings).and_then(Waveform::levels);
        levels.map(|levels| levels.levels.as_slice()).unwrap_or_default()
    }
}

/// The results of a new probe, combined with what an earlier run recorded. Earlier versions recorded no chapters: if
/// there are none, the chapters found now are used.
fn remembered(fresh: &Probe, duration: f64, recorded: &TrackInfo) -> Probe {
    let mut probe = fresh.clone();
    probe.duration = duration;
    probe.info = recorded.clone();
    if probe.info.chapters.is_empty() {
        probe.info.chapters = Chapter::plausible(fresh.told_chapters.clone(), duration);
    }
    probe
}

/// The levels from which a picture of this width, in pixels, is drawn.
pub(super) fn drawn_levels(width: u32) -> LevelsSettings {
    LevelsSettings { num_samples: bars_across(width), ..LevelsSettings::default() }
}

/// Every waveform that the files of a plan need. The placeholder cover is drawn from the default one, so that is always
/// included.
fn wanted(plan: &Plan) -> Vec<LevelsSettings> {
    let mut settings = vec![LevelsSettings::default()];
    for planned in plan.files() {
        let own = match &planned.kind {
            RecipeKind::Levels(own) => own.clone(),
            RecipeKind::WaveformImage(image) => drawn_levels(image.width),
            RecipeKind::WaveformVideo(video) => drawn_levels(video.width),
            _ => continue,
        };
        if !settings.contains(&own) {
            settings.push(own);
        }
    }
    settings
}

impl Processing {
    /// Decodes the source once: for every requested waveform, for the loudness and the true duration, and for files
    /// that are encoded at the same time. Returns the measurements and the files of `with_measuring` in their order, or
    /// `None` instead of the files if they could not be made this way.
    pub(super) async fn analyse(
        &self,
        context: &RunContext<'_>,
        plan: &Plan,
    ) -> Result<(Analysed, Option<Vec<Rendered>>), Stop> {
        let settings = wanted(plan);
        if !plan.with_measuring.is_empty() {
            match self.analyse_and_render(context, &plan.with_measuring, &settings).await {
                Ok((analysis, rendered)) => {
                    return Ok((Analysed::new(&context.probe, settings, analysis), Some(rendered)));
                }
                Err(error @ (MediaError::Cancelled | MediaError::Outage(..))) => return Err(error.into()),
                // One of the encoders may be at fault. Running each on its own shows which one, and decoding on its own
                // reports its own error.
                Err(error) => {
                    tracing::debug!(track_id = %context.track.id, %error, "encoding while measuring failed; trying each on its own");
                }
            }
        }
        let analyse = |scope| {
            let settings = &settings;
            async move { self.media.analyse(context.input(), &context.probe, settings, &scope, None).await }
        };
        match self.within(&context.limits, context.run, &context.track, analyse).await {
            Ok(analysis) => Ok((Analysed::new(&context.probe, settings, analysis), None)),
            Err(Stop::Job(error)) => Err(error.into()),
            Err(stop) => {
                self.may_blame(context).await?;
                Err(stop)
            }
        }
    }

    async fn analyse_and_render(
        &self,
        context: &RunContext<'_>,
        planned_files: &[PlannedFile],
        settings: &[LevelsSettings],
    ) -> Result<(Analysis, Vec<Rendered>), MediaError> {
        let outputs: Vec<Output<'_>> = planned_files
            .iter()
            .map(|planned| Ok(Output::of(&planned.kind, context.probe.duration)?.with_words(context.words())))
            .collect::<Result<_, MediaError>>()?;
        let recipes = planned_files.iter().flat_map(|planned| planned.recipes.clone()).collect();
        self.media
            .analyse_and_render(
                context.input(),
                &context.probe,
                settings,
                &outputs,
                context.scratch(),
                &context.limits.scope(),
                Some(context.board.follow(recipes)),
            )
            .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chapter(start: f64, end: f64) -> Chapter {
        Chapter { start, end, title: None }
    }

    /// The probe of a file whose tags list two chapters of 2 s each.
    fn probe(duration: f64) -> Probe {
        let told = vec![chapter(0.0, 2.0), chapter(2.0, 4.0)];
        let chapters = Chapter::plausible(told.clone(), duration);
        Probe {
            duration,
            info: TrackInfo { chapters, ..TrackInfo::default() },
            told_chapters: told,
            ..Probe::of_sound(8_000, 1)
        }
    }

    fn counted(duration: f64) -> Analysis {
        Analysis {
            duration,
            frames: (duration * 8_000.0) as u64,
            levels: Vec::new(),
            loudness_lufs: None,
            true_peak_dbtp: None,
            is_truncated: false,
        }
    }

    #[test]
    fn chapters_are_judged_by_the_counted_duration() {
        let two = [chapter(0.0, 2.0), chapter(2.0, 4.0)];
        for (claimed, true_duration, expected) in [
            (0.0, 4.0, two.to_vec()),
            (1.0, 4.0, two.to_vec()),
            (4.0, 3.0, vec![chapter(0.0, 2.0), chapter(2.0, 3.0)]),
            (4.0, 1.0, vec![chapter(0.0, 1.0)]),
        ] {
            let found = Analysed::new(&probe(claimed), Vec::new(), counted(true_duration)).probe;
            assert_eq!(found.info.chapters, expected, "{claimed} {true_duration}");
        }
    }

    #[test]
    fn tracks_of_earlier_versions_have_the_chapters_of_their_file() {
        let codec = Some("recorded".to_owned());
        let recorded = TrackInfo { codec: codec.clone(), ..TrackInfo::default() };
        let found = remembered(&probe(0.0), 4.0, &recorded);
        let chapters = vec![chapter(0.0, 2.0), chapter(2.0, 4.0)];
        assert_eq!((found.info.codec, found.info.chapters), (codec, chapters));
        // Recorded chapters stay.
        let recorded = TrackInfo { chapters: vec![chapter(0.0, 3.0)], ..recorded };
        assert_eq!(remembered(&probe(4.0), 4.0, &recorded).info, recorded);
    }
}
