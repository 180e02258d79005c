//! Work that ends early: cancelled, dropped, over its limits, or ended with the service.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tokio::sync::watch;
use tonearm_domain::{Codec, Outage, RecipeKind, Transcode};
use tonearm_fixtures::audio::WavSpec;
use tonearm_media::{LimitTier, Media, MediaConfig, MediaError, Output, Probe, RunScope, TierLimits};

use crate::bench::{Bench, limits, long_noise, no_time};

fn slow() -> RecipeKind {
    RecipeKind::Transcode(Transcode { codec: Codec::Aac, ..Transcode::default() })
}

/// The probe of a file, as if the file had to be decoded.
async fn encoded(bench: &Bench, input: &Path) -> Probe {
    Probe { pcm: None, ..bench.probe(input).await.unwrap() }
}

/// Whether another process is running whose arguments contain all of these.
fn is_running(parts: &[&[u8]]) -> bool {
    let own = std::process::id().to_string();
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let has = |part: &&[u8]| arguments.windows(part.len()).any(|window| window == *part);
        entry.file_name() != *own && parts.iter().all(has)
    })
}

fn is_named_by_a_process(path: &Path) -> bool {
    is_running(&[path.as_os_str().as_encoded_bytes()])
}

async fn until(mut condition: impl FnMut() -> bool) {
    while !condition() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn calling_off_leaves_nothing() {
    let bench = Bench::new();
    let input = bench.wav("long.wav", &long_noise(5.0));
    let probe = bench.probe(&input).await.unwrap();
    let scope = RunScope::default();
    let (progress, mut watched) = watch::channel(0.0);
    let kind = slow();
    let output = Output::of(&kind, 300.0).unwrap();
    let tell = Box::new(move |share| {
        progress.send_replace(share);
    });
    let work = bench.media.render(&input, &probe, 300.0, output, bench.path(), &scope, Some(tell));
    let call_off = async {
        watched.changed().await.unwrap();
        assert!(is_named_by_a_process(&input));
        scope.cancel.cancel();
    };
    let (result, ()) = tokio::join!(work, call_off);
    assert!(matches!(result, Err(MediaError::Cancelled)), "{result:?}");
    assert!(!is_named_by_a_process(&input));
    let left: Vec<_> = std::fs::read_dir(bench.path()).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "only the input is left: {left:?}");
}

#[tokio::test]
async fn what_is_called_off_does_not_start() {
    let bench = Bench::new();
    let input = bench.wav("a.wav", &WavSpec::default());
    let scope = RunScope::default();
    scope.cancel.cancel();
    let result = bench.media.probe(&input, &scope).await;
    assert!(matches!(result, Err(MediaError::Cancelled)));
}

#[tokio::test]
async fn time_that_runs_out_without_being_used_is_not_the_files_fault() {
    let bench = Bench::with_limits(limits(no_time()));
    let input = bench.wav("a.wav", &WavSpec::default());
    let probe = encoded(&bench, &input).await;
    let result = bench.media.analyse(&input, &probe, &[], &RunScope::default(), None).await;
    assert!(matches!(result, Err(MediaError::Outage(Outage::Overload, _))), "{result:?}");
}

#[tokio::test]
async fn a_result_may_not_grow_without_end_but_once_more_with_more_room() {
    let small = TierLimits { output: 300_000, ..TierLimits::default() };
    let bench = Bench::with_limits(limits(small));
    // 882 kB of PCM: too large for the limits of the first tier, but not for four times as much.
    let input = bench.wav("a.wav", &WavSpec { seconds: 5.0, ..WavSpec::default() });
    let probe = bench.probe(&input).await.unwrap();
    let kind = RecipeKind::Transcode(Transcode { codec: Codec::Wav, ..Transcode::default() });
    for (tier, works) in [(LimitTier::Normal, false), (LimitTier::Fallback, true)] {
        let scope = RunScope { tier, ..RunScope::default() };
        let output = Output::of(&kind, 5.0).unwrap();
        let result = bench.media.render(&input, &probe, 5.0, output, bench.path(), &scope, None).await;
        match result {
            Ok(rendered) => assert!(works && rendered.size > 882_000),
            Err(error) => assert!(!works && matches!(error, MediaError::LimitHit(_)), "{error:?}"),
        }
    }
}

#[tokio::test]
async fn memory_is_bounded() {
    let mut worked = Vec::new();
    for mib in (4..=64).step_by(4) {
        let tight = TierLimits { memory: mib << 20, ..TierLimits::default() };
        let bench = Bench::with_limits(limits(tight));
        let input = bench.wav("a.wav", &WavSpec::default());
        let probe = encoded(&Bench::new(), &input).await;
        let result = bench.media.analyse(&input, &probe, &[], &RunScope::default(), None).await;
        // Too little memory for the program itself is not the file's fault either.
        let is_blameless =
            matches!(result, Err(MediaError::LimitHit(_) | MediaError::Outage(Outage::Tools, _)));
        assert!(result.is_ok() || is_blameless, "{mib} MiB: {result:?}");
        worked.push(result.is_ok());
    }
    assert!(!worked[0] && worked[15], "{worked:?}");
    assert!(worked.is_sorted(), "{worked:?}");
}

const SERVICE: &str = "TONEARM_TEST_SERVICE_INPUT";

/// Not a test of its own: the service that the next test kills.
#[tokio::test]
#[ignore = "run by a_killed_service_takes_its_children_along"]
async fn service() {
    let Some(input) = std::env::var_os(SERVICE) else {
        return;
    };
    let bench = Bench::new();
    let _ = bench.render(Path::new(&input), 300.0, &slow()).await;
}

#[tokio::test]
async fn a_killed_service_takes_its_children_along() {
    let bench = Bench::new();
    let input = bench.wav("long.wav", &long_noise(5.0));
    let encodes = || is_running(&[input.as_os_str().as_encoded_bytes(), b"-progress"]);
    let mut service = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ending::service", "--ignored"])
        .env(SERVICE, &input)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until(|| {
        assert_eq!(service.try_wait().unwrap(), None, "the service ended by itself");
        encodes()
    })
    .await;
    service.kill().unwrap();
    service.wait().unwrap();
    until(|| !is_named_by_a_process(&input)).await;
}

fn script(folder: &Path, name: &str, text: &str) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[tokio::test]
async fn tools_that_fail_on_a_good_sound_are_found_out() {
    let scope = RunScope::default();
    let bench = Bench::new();
    bench.media.self_test(bench.path(), &scope).await.unwrap();
    let broken = script(
        bench.path(),
        "broken",
        "#!/bin/sh\necho Invalid data found when processing input >&2\nexit 1\n",
    );
    for config in [
        MediaConfig { ffmpeg: broken.clone(), ..MediaConfig::find() },
        MediaConfig { ffprobe: broken.clone(), ..MediaConfig::find() },
        MediaConfig { ffmpeg: bench.path().join("missing"), ..MediaConfig::find() },
    ] {
        let result = Media::new(config).self_test(bench.path(), &scope).await;
        assert!(matches!(result, Err(MediaError::Outage(Outage::Tools, _))), "{result:?}");
    }
}
