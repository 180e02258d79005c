//! Organizations share the encoders, however long their work is.

use std::path::Path;

use tonearm_domain::{Codec, OrganizationId, RecipeKind, Transcode};
use tonearm_fixtures::ambient;
use tonearm_fixtures::audio::WavSpec;
use tonearm_media::{Media, MediaConfig, Output, Rendered, RunScope};

use crate::bench::{Bench, long_noise};

async fn render(bench: &Bench, input: &Path, organization_id: OrganizationId) -> Rendered {
    let scope = RunScope { organization_id, ..RunScope::default() };
    let probe = bench.probe(input).await.unwrap();
    let kind = RecipeKind::Transcode(Transcode { codec: Codec::Aac, ..Transcode::default() });
    let output = Output::of(&kind, probe.duration).unwrap();
    bench.media.render(input, &probe, probe.duration, output, bench.path(), &scope, None).await.unwrap()
}

/// With one encoder and an extra one, two organizations have both. Neither is delayed for good.
#[tokio::test]
async fn a_third_organization_does_not_wait_for_the_long_work_of_two() {
    let bench =
        Bench { media: Media::new(MediaConfig { concurrency: 1, ..MediaConfig::find() }), ..Bench::new() };
    let (long, short) =
        (bench.wav("long.wav", &long_noise(4.0)), bench.wav("short.wav", &WavSpec::default()));
    let (ambient, _) = ambient();
    let [first, second, third] = [(); 3].map(|()| ambient.record_id());
    let mut first = Box::pin(render(&bench, &long, first));
    let mut second = Box::pin(render(&bench, &long, second));
    tokio::select! {
        biased;
        _ = &mut first => panic!("the first one's work was done first"),
        _ = &mut second => panic!("the second one's work was done first"),
        rendered = async {
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            render(&bench, &short, third).await
        } => assert!(rendered.size > 0),
    }
    for rendered in [first.await, second.await] {
        let duration = bench.probe(&rendered.path).await.unwrap().duration;
        assert!((duration - 240.0).abs() < 0.2, "{duration}");
    }
}
