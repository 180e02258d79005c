//! Videos of a waveform: two pictures of it, one shown through a mask that moves with the sound.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tonearm_domain::{Colour, ContentType, FileData, WaveformVideo};
use tonearm_signal::video_pictures;
use tonearm_telemetry::Purpose;

use crate::args::{self, Args};
use crate::error::MediaError;
use crate::limits::RunScope;
use crate::media::{Media, fresh_folder};
use crate::probe::Probe;
use crate::process::Invocation;
use crate::render::{self, Output, Progress, Rendered, TagOverrides};

impl Media {
    /// Makes a video of the waveform in a fresh folder inside `scratch`. `levels` are amplitudes 0..=1, preferably from
    /// [`crate::bars_across`].
    #[expect(clippy::too_many_arguments, reason = "each is another thing, and callers have them apart")]
    pub async fn waveform_video(
        &self,
        input: &Path,
        probe: &Probe,
        duration: f64,
        settings: &WaveformVideo,
        colour: Colour,
        levels: &[f64],
        scratch: &Path,
        scope: &RunScope,
        progress: Option<Progress>,
    ) -> Result<Rendered, MediaError> {
        let permit = self.encoder_permit(scope).await?;
        let (input, size) = self.open(input).await?;
        let folder = fresh_folder(scratch).await?;
        let pictures = draw(settings, colour, levels, folder.path()).await?;
        let path = folder.path().join("out.mp4");
        let args = video_args(settings, &pictures, &input, &path, probe, duration);
        // For the limits: a frame costs about as much as a quarter of a second of sound.
        let effort = duration * (1.0 + f64::from(settings.frame_rate) / 4.0);
        let invocation = Invocation {
            permits: Some(permit),
            input: Some(input),
            folder: Some(folder.path().to_owned()),
            purpose: Purpose::Video,
            otherwise: "The video could not be encoded.",
            ..self.ffmpeg(args, scope, effort, size)
        };
        let follow = move |stdout| render::follow(stdout, duration, progress.as_ref());
        let written = invocation.run(&scope.cancel, follow).await?;
        let size = render::check_output(&path, written > 0).await?;
        let _ = folder.keep();
        let data = FileData::Picture { width: settings.width, height: settings.height, colour: None };
        Ok(Rendered { path, content_type: ContentType::Mp4, size, data })
    }
}

/// Writes the pictures into the folder that the process may read, and returns their paths.
async fn draw(
    settings: &WaveformVideo,
    colour: Colour,
    levels: &[f64],
    folder: &Path,
) -> Result<[PathBuf; 3], MediaError> {
    let paths = ["heard", "unheard", "mask"].map(|name| folder.join(name).with_extension("png"));
    let (settings, levels, written) = (settings.clone(), levels.to_vec(), paths.clone());
    let work = move || {
        let pictures = video_pictures(&settings, colour, &levels)?;
        for (path, bytes) in written.iter().zip([pictures.heard, pictures.unheard, pictures.mask]) {
            std::fs::write(path, bytes)?;
        }
        Ok(paths)
    };
    tokio::task::spawn_blocking(work).await.map_err(std::io::Error::other)?
}

/// ffmpeg's arguments to make the video at `path` from the pictures and the sound, which lasts `duration` seconds.
/// Progress goes to stdout.
fn video_args(
    settings: &WaveformVideo,
    pictures: &[PathBuf; 3],
    input: &Path,
    path: &Path,
    probe: &Probe,
    duration: f64,
) -> Vec<OsString> {
    let WaveformVideo { width, frame_rate, has_sound, .. } = settings;
    let mut args = Args::new(args::QUIET_SINGLE).words("-progress pipe:1");
    for picture in pictures {
        args = args.picture(picture, *frame_rate);
    }
    let colours = "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p";
    let still = "loop=loop=-1:size=1:start=0,setpts=N/FR/TB";
    let filter = format!(
        "[0:v]{colours},{still}[heard];\
         [1:v]{colours},{still}[unheard];\
         [2:v]format=gray,{still},crop=w={width}:h=ih:x={width}-{width}*t/{duration:.6}:y=0[mask];\
         [heard][mask]alphamerge[seen];\
         [unheard][seen]overlay=format=yuv420[video]"
    )
    .replace("/FR/", &format!("/{frame_rate}/"));
    let sound = settings.sound();
    if *has_sound {
        args = args.sound(input, probe);
    }
    args = args
        .pair("-filter_complex", filter)
        .words("-map [video] -c:v libx264 -preset veryfast -tune stillimage -crf 23 -threads:v 1")
        .words("-pix_fmt yuv420p -color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709")
        .words("-map_chapters -1 -map_metadata -1")
        .pair("-g", (10 * frame_rate).to_string());
    if *has_sound {
        let output = Output { settings: &sound, window: None, words: TagOverrides::default() };
        args = args::encode_sound(args, 3, probe, &output, None);
    }
    args.pair("-t", format!("{duration:.6}"))
        .words("-fflags +bitexact -flags:v +bitexact -movflags +faststart -f mp4")
        .end(args::file(path))
}
