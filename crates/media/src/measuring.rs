//! Measuring sound, alone or together with its first renders.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tonearm_domain::{Codec, LevelsSettings};
use tonearm_telemetry::Purpose;

use crate::analyse::{Analyser, Analysis, count_frames};
use crate::error::MediaError;
use crate::limits::RunScope;
use crate::media::{Media, fresh_folder};
use crate::pcm::Pcm;
use crate::probe::Probe;
use crate::process::Invocation;
use crate::render::{Output, Progress, Rendered};
use crate::rendering::write_chapters;
use crate::{args, lame_tag, render};

impl Media {
    /// Decodes the whole sound once and measures it, in memory that does not grow with its length. `progress` receives
    /// the finished share, as far as the headers declare the length.
    ///
    /// Plain samples need no process and do not wait for a permit: measuring them takes a hundredth of the time that
    /// encoders take.
    pub async fn analyse(
        &self,
        input: &Path,
        probe: &Probe,
        levels: &[LevelsSettings],
        scope: &RunScope,
        progress: Option<Progress>,
    ) -> Result<Analysis, MediaError> {
        let analyser = Analyser::new(probe, levels, progress);
        if let Some(pcm) = probe.pcm {
            return read_directly(self.open(input).await?.0, pcm, analyser, scope).await;
        }
        let permit = self.encoder_permit(scope).await?;
        let (input, size) = self.open(input).await?;
        let args = args::pcm_args(&input, probe, &[], None);
        let invocation = Invocation {
            permits: Some(permit),
            input: Some(input),
            purpose: Purpose::Measure,
            otherwise: "The audio could not be decoded.",
            ..self.ffmpeg(args, scope, probe.duration, size)
        };
        invocation.run(&scope.cancel, move |stdout| analyser.consume(stdout)).await
    }

    /// Does what [`Media::analyse`] does and, in the same process and from the same decoding, what [`Media::render`]
    /// does for each of `outputs`. All or nothing: if one output cannot be rendered, the whole call fails.
    #[expect(clippy::too_many_arguments, reason = "each is another thing, and callers have them apart")]
    pub async fn analyse_and_render(
        &self,
        input: &Path,
        probe: &Probe,
        levels: &[LevelsSettings],
        outputs: &[Output<'_>],
        scratch: &Path,
        scope: &RunScope,
        progress: Option<Progress>,
    ) -> Result<(Analysis, Vec<Rendered>), MediaError> {
        let permit = self.encoder_permit(scope).await?;
        let (input, size) = self.open(input).await?;
        let probe = &looked_through(&input, probe, scope).await?;
        let folder = fresh_folder(scratch).await?;
        let analyser = Analyser::new(probe, levels, progress);
        let outputs: Vec<(Output<'_>, PathBuf)> = outputs
            .iter()
            .enumerate()
            .map(|(place, output)| (*output, file_in(folder.path(), &format!("out-{place}"), output)))
            .collect();
        let chapters = write_chapters(folder.path(), probe, outputs.iter().map(|(output, _)| output)).await?;
        let args = args::pcm_args(&input, probe, &outputs, chapters.as_deref());
        let run = |args| Invocation {
            permits: Some(Arc::clone(&permit)),
            input: Some(input.clone()),
            purpose: Purpose::Encode,
            otherwise: "The audio could not be decoded or encoded.",
            ..self.ffmpeg(args, scope, probe.duration, size)
        };
        let invocation = Invocation { folder: Some(folder.path().to_owned()), ..run(args) };
        let analysis = invocation.run(&scope.cancel, move |stdout| analyser.consume(stdout)).await?;
        let mut rendered = Vec::new();
        for (output, path) in outputs {
            let size = render::check_output(&path, true).await?;
            if output.settings.codec == Codec::Mp3 {
                let channels = args::channels_of(probe, &output);
                let count = async || {
                    let invocation = run(args::encoder_pcm_args(&input, probe, &output, None));
                    invocation.run(&scope.cancel, move |stdout| count_frames(stdout, channels)).await
                };
                lame_tag::correct(&path, args::keeps_level(probe, &output, None), count).await?;
            }
            let written = output.seconds(analysis.duration);
            let data = output.data(written, None);
            rendered.push(Rendered { path, content_type: output.content_type(), size, data });
        }
        // From here on the caller owns the folder with the files in it.
        let _ = folder.keep();
        Ok((analysis, rendered))
    }
}

/// The probe of a file whose plain samples were looked at.
pub(crate) async fn looked_through(
    input: &Path,
    probe: &Probe,
    scope: &RunScope,
) -> Result<Probe, MediaError> {
    let mut probe = probe.clone();
    if let Some(pcm) = probe.pcm.filter(|_| probe.may_be_impossible) {
        let (input, cancel) = (input.to_owned(), scope.cancel.clone());
        let looked = tokio::task::spawn_blocking(move || pcm.are_possible(&input, &cancel));
        probe.may_be_impossible = !looked.await.map_err(std::io::Error::other)??;
    }
    Ok(probe)
}

/// Measures samples that need no decoder. Dropping the future stops it.
async fn read_directly(
    input: PathBuf,
    pcm: Pcm,
    analyser: Analyser,
    scope: &RunScope,
) -> Result<Analysis, MediaError> {
    let cancel = scope.cancel.child_token();
    let _dropped = cancel.clone().drop_guard();
    let read = move || analyser.measure(pcm.open(&input)?, pcm.encoding, &cancel);
    tokio::task::spawn_blocking(read).await.map_err(std::io::Error::other)?
}

fn file_in(folder: &Path, name: &str, output: &Output<'_>) -> PathBuf {
    folder.join(name).with_extension(output.content_type().extension())
}
