//! Entry point of the crate: probing, measuring and encoding with ffmpeg.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tonearm_domain::{Colour, ContentType, FileData, LevelsSettings, Outage, WaveformVideo};
use tonearm_telemetry::Purpose;

use crate::analyse::{Analyser, Analysis};
use crate::confinement::{Confinement, ConfinementPolicy};
use crate::entry::Entry;
use crate::error::MediaError;
use crate::glance::{self, HeaderScan};
use crate::limits::{MediaLimits, RunScope};
use crate::memory::{self, Division, MemoryBudget};
use crate::pcm::Pcm;
use crate::pictures::Pictures;
use crate::probe::Probe;
use crate::process::Invocation;
use crate::render::{Output, Progress, Rendered};
use crate::rendering::Rendering;
use crate::tools::Tools;
use crate::turns::Turns;
use crate::{args, probe, render, sandbox, tools, video, wav_header, webp};

/// Which tools are used, and how much of the machine they get.
#[derive(Debug, Clone)]
pub struct MediaConfig {
    /// ffmpeg: a path, or a name to look for in `PATH`.
    pub ffmpeg: PathBuf,
    /// ffprobe, in the same way.
    pub ffprobe: PathBuf,
    /// How many child processes decode and encode at once, across all tracks; at least 1. Best the number of
    /// cores. One more runs for an organization that has none of them.
    pub concurrency: usize,
    /// How much each of them may use.
    pub limits: MediaLimits,
    /// Bytes of memory that all of them may use together. Where that is not enough for each to have its limit, they get
    /// less.
    pub memory: u64,
    /// How they have to be confined.
    pub confinement: ConfinementPolicy,
}

impl MediaConfig {
    /// ffmpeg and ffprobe from `PATH`, and as many processes as there are cores.
    pub fn find() -> Self {
        Self {
            ffmpeg: PathBuf::from("ffmpeg"),
            ffprobe: PathBuf::from("ffprobe"),
            concurrency: std::thread::available_parallelism().map_or(1, usize::from),
            limits: MediaLimits::default(),
            memory: memory::memory_for_processes(),
            confinement: ConfinementPolicy::default(),
        }
    }
}

/// Sound in, sound out. Clones share one budget of processes.
///
/// Calls run a child process, confined to its input and one output folder, without network, under limits.
/// Dropping a call's future kills its process. Organizations take turns; an organization's calls get theirs in the order
/// in which they were first polled.
#[derive(Debug, Clone)]
pub struct Media {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    config: MediaConfig,
    turns: Turns,
    budget: MemoryBudget,
    policy: Arc<ConfinementPolicy>,
    pictures: Pictures,
}

impl Media {
    /// With this configuration. Nothing is run yet; see [`Media::check`].
    pub fn new(mut config: MediaConfig) -> Self {
        config.ffmpeg = find_program(&config.ffmpeg);
        config.ffprobe = find_program(&config.ffprobe);
        let Division { limits, encoders, budget } =
            Division::of(config.memory, config.concurrency, config.limits);
        config.limits = limits;
        let turns = Turns::new(encoders);
        let policy = Arc::new(config.confinement.clone());
        let pictures = Pictures::new(Arc::clone(&policy), config.memory);
        Self { inner: Arc::new(Inner { config, turns, budget, policy, pictures }) }
    }

    /// What looks at pictures, confined in the same way.
    pub fn pictures(&self) -> Pictures {
        self.inner.pictures.clone()
    }

    /// What this kernel enforces on child processes. [`MediaError::Outage`] where no child of this program can be
    /// started; see [`crate::serve_if_confined`].
    pub async fn confinement(&self) -> Result<Confinement, MediaError> {
        Confinement::find_out(&self.inner.policy).await
    }

    /// How many child processes decode and encode at once.
    pub fn concurrency(&self) -> usize {
        self.inner.config.concurrency.max(1)
    }

    /// Checks that the tools start and can do what is needed. [`MediaError::Outage`] says what is missing and
    /// how to get it.
    pub async fn check(&self) -> Result<Tools, MediaError> {
        let config = &self.inner.config;
        // Nothing would start, and another ffmpeg would be no better.
        if self.inner.policy.is_required && !sandbox::is_complete() {
            let sentence = format!("ffmpeg is not started: {}.", sandbox::NOT_CONFINED);
            return Err(MediaError::Outage(Outage::Tools, sentence));
        }
        let help = |error| match error {
            MediaError::Outage(outage, reason) => MediaError::Outage(
                outage,
                format!(
                    "{reason} Install ffmpeg, for example with `apt-get install ffmpeg`, or set media.ffmpeg and media.ffprobe."
                ),
            ),
            other => other,
        };
        let version = self.ask(&config.ffmpeg, "-version").await.map_err(help)?;
        self.ask(&config.ffprobe, "-version").await.map_err(help)?;
        let encoders = self.ask(&config.ffmpeg, "-encoders").await?;
        tools::require_encoders(&encoders)?;
        Ok(Tools {
            version: tools::version(&version),
            encodes_webp: tools::has_encoder(&encoders, "libwebp"),
        })
    }

    /// A sentence about each kind of work that this ffmpeg lacks parts for.
    pub async fn lacking_parts(&self) -> Result<Vec<String>, MediaError> {
        let mut sentences = Vec::new();
        for (option, work, names) in tools::PARTS {
            let lacking = tools::lacking(&self.ask(&self.inner.config.ffmpeg, option).await?, names);
            if !lacking.is_empty() {
                let (kind, names) = (option.trim_start_matches('-'), lacking.join(", "));
                sentences.push(format!(
                    "this ffmpeg lacks {kind} that {work} need: {names}; install a full build, such as Debian's"
                ));
            }
        }
        Ok(sentences)
    }

    async fn ask(&self, program: &Path, option: &str) -> Result<String, MediaError> {
        let args = ["-hide_banner", option].map(OsString::from).into();
        let invocation = self.invocation(program, args, &RunScope::default(), 0.0, 0);
        invocation.run(&RunScope::default().cancel, tools::read_text).await
    }

    /// What a file holds. [`MediaError::NotAudio`] where there is no sound in it that can be decoded.
    ///
    /// This is quick, and does not wait behind encoders for its turn.
    pub async fn probe(&self, input: &Path, scope: &RunScope) -> Result<Probe, MediaError> {
        let (input, size) = self.open(input).await?;
        if scope.cancel.is_cancelled() {
            return Err(MediaError::Cancelled);
        }
        if let Some(probe) = wav_header::read(&input, size).await? {
            return Ok(probe);
        }
        let glance = HeaderScan::at(&input, size).await?;
        let answer = match self.ask_ffprobe(&input, size, glance.entry, scope).await {
            Ok(probe) if glance.entry.is_some() || glance.is_beginning || !probe.is_bare() => {
                return Ok(probe.with(glance, glance.entry));
            }
            answer @ (Ok(_) | Err(MediaError::NotAudio(_) | MediaError::Failed(_))) => answer,
            Err(error) => return Err(error),
        };
        // It begins with something else than sound.
        match glance::search(&input).await? {
            Some(entry) => {
                let found = self.ask_ffprobe(&input, size, Some(entry), scope).await;
                Ok(found?.with(glance, Some(entry)))
            }
            None => answer.map(|probe| probe.with(glance, None)),
        }
    }

    async fn ask_ffprobe(
        &self,
        input: &Path,
        size: u64,
        entry: Option<Entry>,
        scope: &RunScope,
    ) -> Result<Probe, MediaError> {
        let _place = self.memory_slot(scope).await?;
        let invocation = Invocation {
            limits: self.inner.config.limits.of(scope.tier, 0.0, size),
            ..self.probing(input.to_owned(), args::probe_args(input, entry), scope)
        };
        Probe::from_json(&invocation.run(&scope.cancel, probe::read_answer).await?)
    }

    /// Decodes the whole sound once and measures it, in memory that does not grow with its length. `progress` is
    /// told the finished share, as far as the headers say how much there is.
    ///
    /// Plain samples need no process, and do not wait for a turn: they are measured in a hundredth of the time that
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
        let turn = self.turn(scope).await?;
        let (input, size) = self.open(input).await?;
        let args = args::pcm_args(&input, probe, &[]);
        let invocation = Invocation {
            niceness: turn.niceness(),
            input: Some(input),
            purpose: Purpose::Measure,
            otherwise: "The audio could not be decoded.",
            ..self.ffmpeg(args, scope, probe.duration, size)
        };
        let analysis = invocation.run(&scope.cancel, move |stdout| analyser.consume(stdout)).await;
        drop(turn);
        analysis
    }

    /// [`Media::analyse`], and in the same process, from the same decoding, what [`Media::render`] does for each of
    /// `outputs`. All or nothing: where one cannot be made, neither is the rest.
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
        let turn = self.turn(scope).await?;
        let (input, size) = self.open(input).await?;
        let folder = fresh_folder(scratch).await?;
        let analyser = Analyser::new(probe, levels, progress);
        let outputs: Vec<(Output<'_>, PathBuf)> = outputs
            .iter()
            .enumerate()
            .map(|(place, output)| (*output, file_in(folder.path(), &format!("out-{place}"), output)))
            .collect();
        let args = args::pcm_args(&input, probe, &outputs);
        let invocation = Invocation {
            niceness: turn.niceness(),
            input: Some(input),
            folder: Some(folder.path().to_owned()),
            purpose: Purpose::Encode,
            otherwise: "The audio could not be decoded or encoded.",
            ..self.ffmpeg(args, scope, probe.duration, size)
        };
        let analysis = invocation.run(&scope.cancel, move |stdout| analyser.consume(stdout)).await?;
        drop(turn);
        let mut rendered = Vec::new();
        for (output, path) in outputs {
            let size = render::check_output(&path, true).await?;
            let written = analysis.duration - output.window.map_or(0.0, |(start, _)| start);
            let data = output.data(written.max(0.0), None);
            rendered.push(Rendered { path, content_type: output.content_type(), size, data });
        }
        // From here on the folder is the caller's, with the files in it.
        let _ = folder.keep();
        Ok((analysis, rendered))
    }

    /// Makes the file of a transcode or preview in a fresh folder inside `scratch`. `duration` is the track's, in
    /// seconds, best as [`Media::analyse`] found it. `progress` is told the finished share.
    ///
    /// A loudness target is met by one gain, with a limiter where that would lift peaks above -1 dBTP; what
    /// `probe.info` knows of loudness and true peak is not measured again. Where the target cannot be reached, `data`
    /// says so. Sound that has no loudness gets no gain.
    #[expect(clippy::too_many_arguments, reason = "each is another thing, and callers have them apart")]
    pub async fn render(
        &self,
        input: &Path,
        probe: &Probe,
        duration: f64,
        output: Output<'_>,
        scratch: &Path,
        scope: &RunScope,
        progress: Option<Progress>,
    ) -> Result<Rendered, MediaError> {
        let (turn, progress) =
            (self.turn(scope).await?, progress.map(|progress| Arc::new(Mutex::new(progress))));
        let (input, size) = self.open(input).await?;
        let mut best = Err(MediaError::no_sound());
        for &reading in render::readings(output.window, probe, duration) {
            let rendering = Rendering {
                media: self,
                input: &input,
                size,
                probe,
                duration,
                output,
                reading,
                scope,
                turn: &turn,
                folder: fresh_folder(scratch).await?,
                progress: progress.clone(),
            };
            match rendering.make().await {
                Ok((rendered, true)) => return Ok(rendered),
                Ok((rendered, false)) => best = Ok(rendered),
                Err(error @ (MediaError::NotAudio(_) | MediaError::Failed(_))) => best = best.or(Err(error)),
                Err(error) => return Err(error),
            }
        }
        best
    }

    /// Makes a video of the waveform in a fresh folder inside `scratch`. `levels` are amplitudes 0..=1, best
    /// [`crate::bars_across`] of them.
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
        let turn = self.turn(scope).await?;
        let (input, size) = self.open(input).await?;
        let folder = fresh_folder(scratch).await?;
        let pictures = video::draw(settings, colour, levels, folder.path()).await?;
        let path = folder.path().join("out.mp4");
        let args = video::video_args(settings, &pictures, &input, &path, probe, duration);
        // Every frame is worth about as much as a fortieth of a second of sound is elsewhere.
        let effort = duration * (1.0 + f64::from(settings.frame_rate) / 4.0);
        let invocation = Invocation {
            niceness: turn.niceness(),
            input: Some(input),
            folder: Some(folder.path().to_owned()),
            purpose: Purpose::Video,
            otherwise: "The video could not be encoded.",
            ..self.ffmpeg(args, scope, effort, size)
        };
        let follow = move |stdout| render::follow(stdout, duration, progress.as_ref());
        let written = invocation.run(&scope.cancel, follow).await?;
        drop(turn);
        let size = render::check_output(&path, written > 0).await?;
        let _ = folder.keep();
        let data = FileData::Picture { width: settings.width, height: settings.height };
        Ok(Rendered { path, content_type: ContentType::Mp4, size, data })
    }

    /// Covers, given as JPEG or another form that [`Pictures::covers`] takes, as WebP, in their order.
    /// [`MediaError::Failed`] where this ffmpeg has no encoder for it; see [`Tools::encodes_webp`].
    pub async fn webp(
        &self,
        pictures: Vec<Vec<u8>>,
        scratch: &Path,
        scope: &RunScope,
    ) -> Result<Vec<Vec<u8>>, MediaError> {
        if pictures.is_empty() {
            return Ok(Vec::new());
        }
        let turn = self.turn(scope).await?;
        let folder = fresh_folder(scratch).await?;
        let frames = webp::unpack(&self.pictures(), pictures, folder.path()).await?;
        let invocation = Invocation {
            niceness: turn.niceness(),
            folder: Some(folder.path().to_owned()),
            purpose: Purpose::Picture,
            otherwise: "The picture could not be encoded as WebP.",
            ..self.ffmpeg(webp::webp_args(&frames), scope, 0.0, 0)
        };
        invocation.run(&scope.cancel, tools::read_text).await?;
        let mut encoded = Vec::new();
        for frame in frames {
            encoded.push(tokio::fs::read(frame.webp).await?);
        }
        Ok(encoded)
    }

    /// A run of ffprobe.
    pub(crate) fn probing(&self, input: PathBuf, args: Vec<OsString>, scope: &RunScope) -> Invocation {
        Invocation {
            input: Some(input),
            purpose: Purpose::Probe,
            otherwise: "The file could not be analysed.",
            ..self.invocation(&self.inner.config.ffprobe, args, scope, 0.0, 0)
        }
    }

    /// A run of ffmpeg on `seconds` of sound in so many bytes.
    pub(crate) fn ffmpeg(
        &self,
        args: Vec<OsString>,
        scope: &RunScope,
        seconds: f64,
        bytes: u64,
    ) -> Invocation {
        self.invocation(&self.inner.config.ffmpeg, args, scope, seconds, bytes)
    }

    fn invocation(
        &self,
        program: &Path,
        args: Vec<OsString>,
        scope: &RunScope,
        seconds: f64,
        bytes: u64,
    ) -> Invocation {
        Invocation {
            program: program.to_owned(),
            args,
            stdin: None,
            input: None,
            folder: None,
            may_fork: false,
            purpose: Purpose::Test,
            policy: Arc::clone(&self.inner.policy),
            limits: self.inner.config.limits.of(scope.tier, seconds, bytes),
            niceness: 0,
            otherwise: "The program failed.",
        }
    }

    /// The turns at the encoders.
    pub(crate) fn turns(&self) -> &Turns {
        &self.inner.turns
    }

    /// The memory of all processes.
    pub(crate) fn budget(&self) -> &MemoryBudget {
        &self.inner.budget
    }

    /// The input's absolute path, as the child runs in another folder, and its size.
    pub(crate) async fn open(&self, input: &Path) -> Result<(PathBuf, u64), MediaError> {
        let size = tokio::fs::metadata(input).await?.len();
        if size == 0 {
            return Err(MediaError::NotAudio("The file is empty.".to_owned()));
        }
        Ok((std::path::absolute(input)?, size))
    }
}

/// Measures samples that need no decoder. Dropping the future ends it.
async fn read_directly(
    input: PathBuf,
    pcm: Pcm,
    analyser: Analyser,
    scope: &RunScope,
) -> Result<Analysis, MediaError> {
    let cancel = scope.cancel.child_token();
    let _dropped = cancel.clone().drop_guard();
    let read = move || {
        let mut file = File::open(input)?;
        file.seek(SeekFrom::Start(pcm.start))?;
        analyser.measure(file.take(pcm.length), pcm.encoding, &cancel)
    };
    tokio::task::spawn_blocking(read).await.map_err(std::io::Error::other)?
}

fn file_in(folder: &Path, name: &str, output: &Output<'_>) -> PathBuf {
    folder.join(name).with_extension(output.content_type().extension())
}

/// A folder that did not exist before, so that ffmpeg never meets a file of somebody else's.
pub(crate) async fn fresh_folder(scratch: &Path) -> Result<tempfile::TempDir, MediaError> {
    let scratch = std::path::absolute(scratch)?;
    let make = move || tempfile::Builder::new().prefix("render-").tempdir_in(scratch);
    Ok(tokio::task::spawn_blocking(make).await.map_err(std::io::Error::other)??)
}

/// The path of a program that may be given by name only. What is not found stays a name, and running it says so.
fn find_program(program: &Path) -> PathBuf {
    if program.components().count() > 1 {
        return std::path::absolute(program).unwrap_or_else(|_| program.to_owned());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .find(|candidate| candidate.is_file())
        .unwrap_or_else(|| program.to_owned())
}
