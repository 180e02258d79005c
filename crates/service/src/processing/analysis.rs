//! What measuring a sound found, and the waveforms that were asked for.

use tonearm_domain::{LevelsSettings, RecipeKind, Track};
use tonearm_media::{Analysis, MediaError, Output, Probe, Rendered, Waveform, bars_across};

use super::Processing;
use super::plan::{Piece, Plan};
use super::stop::Stop;
use super::workbench::Workbench;

/// A claimed duration that is further off than this, in seconds, is a wrong one.
const WRONG_BY: f64 = 0.05;

/// What is known of a sound once it was measured.
pub(super) struct Analysed {
    /// With the counted duration and the measured loudness.
    pub(super) probe: Probe,
    /// The waveforms asked for, by their settings.
    waveforms: Vec<(LevelsSettings, Waveform)>,
}

impl Analysed {
    fn new(probe: &Probe, settings: Vec<LevelsSettings>, analysis: Analysis) -> Self {
        let mut probe = probe.clone();
        probe.duration = analysis.duration;
        probe.info.loudness_lufs = analysis.loudness_lufs;
        probe.info.true_peak_dbtp = analysis.true_peak_dbtp;
        Self { probe, waveforms: settings.into_iter().zip(analysis.levels).collect() }
    }

    /// What an earlier run measured and recorded.
    pub(super) fn recorded(bench: &Workbench<'_>) -> Self {
        let mut probe = bench.probe.clone();
        probe.duration = bench.track.duration;
        probe.info = bench.track.info.clone();
        Self { probe, waveforms: Vec::new() }
    }

    /// Whether an earlier run measured a track.
    pub(super) fn is_recorded(track: &Track) -> bool {
        track.duration > 0.0
    }

    pub(super) fn waveform(&self, settings: &LevelsSettings) -> Option<&Waveform> {
        self.waveforms.iter().find(|(own, _)| own == settings).map(|(_, waveform)| waveform)
    }

    /// The amplitudes to draw so many bars from; none where the waveform was not measured.
    pub(super) fn bars(&self, settings: &LevelsSettings) -> &[f64] {
        let levels = self.waveform(settings).and_then(Waveform::levels);
        levels.map(|levels| levels.levels.as_slice()).unwrap_or_default()
    }

    /// Whether a duration is near enough the true one.
    pub(super) fn confirms(&self, duration: f64) -> bool {
        (self.probe.duration - duration).abs() <= WRONG_BY
    }
}

/// The levels that a picture of so many pixels' width is drawn from.
pub(super) fn drawn_levels(width: u32) -> LevelsSettings {
    LevelsSettings { num_samples: bars_across(width), ..LevelsSettings::default() }
}

/// Every waveform that a plan's pieces are made of. The placeholder cover is drawn from one too, so there is always
/// the default one.
fn wanted(plan: &Plan) -> Vec<LevelsSettings> {
    let mut settings = vec![LevelsSettings::default()];
    for piece in plan.pieces() {
        let own = match &piece.kind {
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
    /// Decodes the source once: for every waveform that is asked for, the loudness and the true duration, and for
    /// what is encoded on the way. Gives, beside what was measured, the files of `with_measuring` in their order;
    /// none of them where they could not be made that way.
    pub(super) async fn analyse(
        &self,
        bench: &Workbench<'_>,
        plan: &Plan,
    ) -> Result<(Analysed, Option<Vec<Rendered>>), Stop> {
        let settings = wanted(plan);
        if !plan.with_measuring.is_empty() {
            match self.analyse_and_render(bench, &plan.with_measuring, &settings).await {
                Ok((analysis, rendered)) => {
                    return Ok((Analysed::new(&bench.probe, settings, analysis), Some(rendered)));
                }
                Err(error @ (MediaError::Cancelled | MediaError::Outage(..))) => return Err(error.into()),
                // One encoder may be at fault. Alone, it is clear which; and alone, decoding says what it found.
                Err(error) => {
                    tracing::debug!(track_id = %bench.track.id, %error, "encoding while measuring failed");
                }
            }
        }
        let analyse = |scope| self.media.analyse(bench.input(), &bench.probe, &settings, scope, None);
        let analysis = match analyse(&bench.scope).await {
            Err(MediaError::LimitHit(reason)) if self.fall_back(bench.run, &bench.track).await? => {
                tracing::info!(track_id = %bench.track.id, reason, "measuring once more with larger limits");
                analyse(&bench.larger_scope()).await
            }
            other => other,
        };
        match analysis.map_err(Stop::from) {
            Ok(analysis) => Ok((Analysed::new(&bench.probe, settings, analysis), None)),
            Err(Stop::Job(error)) => Err(error.into()),
            Err(stop) => {
                self.may_blame(bench).await?;
                Err(stop)
            }
        }
    }

    async fn analyse_and_render(
        &self,
        bench: &Workbench<'_>,
        pieces: &[Piece],
        settings: &[LevelsSettings],
    ) -> Result<(Analysis, Vec<Rendered>), MediaError> {
        let outputs: Vec<Output<'_>> = pieces
            .iter()
            .map(|piece| Output::of(&piece.kind, bench.probe.duration))
            .collect::<Result<_, _>>()?;
        let recipes = pieces.iter().flat_map(|piece| piece.recipes.clone()).collect();
        self.media
            .analyse_and_render(
                bench.input(),
                &bench.probe,
                settings,
                &outputs,
                bench.scratch(),
                &bench.scope,
                Some(bench.board.follow(recipes)),
            )
            .await
    }
}
