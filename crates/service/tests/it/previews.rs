//! The same recipe and source give the same preview, whenever it is made. With the real ffmpeg.

use bytes::BytesMut;
use futures::TryStreamExt;
use tonearm_domain::{
    CachePolicy, Codec, FileData, FileOutcome, PreviewLength, PreviewSettings, RecipeKind, TrackStatus,
    Transcode,
};
use tonearm_fixtures::TestDatabase;
use tonearm_fixtures::audio::{WavSpec, transcode, write_wav};
use tonearm_media::MediaConfig;

use crate::workshop::Workshop;

#[tokio::test(flavor = "multi_thread")]
async fn a_rendered_preview_begins_where_one_made_with_the_track_begins() {
    let database = TestDatabase::migrated_sqlite(tonearm_fixtures::migrate!()).await;
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain.wav");
    // Longer than what one process encodes together.
    let spec = WavSpec { seconds: 24.0, sample_rate: 22_050, channels: 1, ..WavSpec::default() };
    write_wav(&spec, &plain).unwrap();
    let mut sources = Vec::new();
    for (name, args) in [("song.mp3", ["-c:a", "libmp3lame"]), ("song.m4a", ["-c:a", "aac"])] {
        let encoded = folder.path().join(name);
        transcode(&plain, &encoded, &args).await;
        sources.push((name, std::fs::read(encoded).unwrap()));
    }
    let workshop =
        Workshop::open_with(&database, tempfile::tempdir().unwrap(), None, MediaConfig::find()).await;
    for (name, source) in sources {
        let (owner, id) = workshop.create().await;
        for view in workshop.library.recipes(&owner).await.unwrap() {
            workshop.library.remove_recipe(&owner, view.recipe.id).await.unwrap();
        }
        let preview = RecipeKind::Preview(PreviewSettings {
            transcode: Transcode { codec: Codec::Wav, ..Transcode::default() },
            length: PreviewLength::Seconds {
                preview_seconds: 2.0,
                preview_min_percent: 0.0,
                preview_max_percent: 50.0,
            },
            preview_start_percent: 25.0,
        });
        let add = async |index: &str| {
            let (index, cache) = (index.parse().unwrap(), CachePolicy::default());
            workshop.library.add_recipe(&owner, index, preview.clone(), cache).await.unwrap()
        };
        add("with-the-track").await;
        workshop.send(&owner, id, source).await.unwrap();
        workshop.run_all().await;
        let later = add("later").await;
        workshop.library.render_existing(&owner, later.id).await.unwrap();
        workshop.run_all().await;
        let track = workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap();
        assert_eq!(track.status, TrackStatus::Ready, "{name}: {:?}", track.status_reason);
        let mut made = Vec::new();
        for file in workshop.catalog.files_of_track(id).await.unwrap() {
            let FileOutcome::Made { key, data, .. } = file.outcome else { panic!("{name}: {file:?}") };
            let FileData::Preview { capture_start, .. } = data else { panic!("{name}: {data:?}") };
            let body = workshop.blobs.get(&key, None).await.unwrap().unwrap();
            let bytes: BytesMut = body.stream.try_collect().await.unwrap();
            made.push((capture_start, bytes));
        }
        let [first, second] = made.as_slice() else { panic!("{name}: {} files", made.len()) };
        assert_eq!(first.0, second.0, "{name} begins elsewhere");
        assert!(first.1 == second.1, "{name} sounds different");
    }
}
