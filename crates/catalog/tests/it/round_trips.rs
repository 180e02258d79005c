//! Stored records are read back unchanged.

use serde_json::json;
use tonearm_domain::{
    Chapter, Codec, Colour, CoverSettings, FileData, FileOutcome, KeyScope, KeyType, Levels, LevelsSettings,
    Metric, MissedLoudness, NamedRecipes, PreviewLength, PreviewSettings, RecipeKind, Selection, TrackFile,
    Transcode, Utterance, VariantIndex, VariantList, WaveformImage, WaveformVideo,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    organizations,
    creators,
    collections,
    tracks,
    every_kind_of_recipe,
    files,
    sessions,
    keys,
    words_with_times,
    the_largest_metadata,
    nul_characters_from_files_and_programs,
);

async fn organizations(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (bare, mut full) = (bare_organization(&ambient), full_organization(&ambient));
    let tx = catalog.begin().await.unwrap();
    tx.insert_organization(&bare).await.unwrap();
    tx.insert_organization(&full).await.unwrap();
    assert_eq!(tx.organization(full.id).await.unwrap(), Some(full.clone()));
    tx.commit().await.unwrap();
    assert_eq!(catalog.organization(bare.id).await.unwrap(), Some(bare.clone()));
    assert_eq!(catalog.organizations().await.unwrap(), [bare, full.clone()]);

    full.name = "Renamed".to_owned();
    full.cover = None;
    full.webhook_url = None;
    full.theme = tonearm_domain::Theme::default();
    let tx = catalog.begin().await.unwrap();
    tx.update_organization(&full).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.organization(full.id).await.unwrap(), Some(full));
    assert_eq!(catalog.organization(ambient.record_id()).await.unwrap(), None);
}

async fn creators(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, other) = (bare_organization(&ambient), bare_organization(&ambient));
    let mut creator = creator(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_organization(&organization).await.unwrap();
    tx.insert_organization(&other).await.unwrap();
    tx.insert_creator(&creator).await.unwrap();
    assert_eq!(tx.creator(organization.id, creator.id).await.unwrap(), Some(creator.clone()));
    creator.organization_index = "42".to_owned();
    creator.updated_at = ambient.now().plus_seconds(9);
    tx.update_creator(&creator).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.creator(organization.id, creator.id).await.unwrap(), Some(creator.clone()));
    assert_eq!(catalog.creator(other.id, creator.id).await.unwrap(), None);
}

async fn collections(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, other) = (bare_organization(&ambient), bare_organization(&ambient));
    let creator = creator(&ambient, &organization);
    let bare = bare_collection(&ambient, &organization);
    let mut full = full_collection(&ambient, &organization, &creator);
    let tx = catalog.begin().await.unwrap();
    tx.insert_organization(&organization).await.unwrap();
    tx.insert_organization(&other).await.unwrap();
    tx.insert_creator(&creator).await.unwrap();
    tx.insert_collection(&bare).await.unwrap();
    tx.insert_collection(&full).await.unwrap();
    assert_eq!(tx.collection(organization.id, full.id).await.unwrap(), Some(full.clone()));
    full.player_colour = None;
    full.cover = Some(cover(&ambient, tonearm_domain::CoverOrigin::Uploaded));
    full.title = "Renamed".to_owned();
    tx.update_collection(&full).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.collection(organization.id, bare.id).await.unwrap(), Some(bare.clone()));
    assert_eq!(catalog.collection(organization.id, full.id).await.unwrap(), Some(full));
    assert_eq!(catalog.collection(other.id, bare.id).await.unwrap(), None);
}

async fn tracks(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let creator = creator(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_creator(&creator).await.unwrap();
    tx.commit().await.unwrap();
    let mut bare = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let full = stored_track(&catalog, full_track(&ambient, &collection, &creator)).await;
    assert_eq!((bare.order, full.order), (1, 2));
    assert_eq!(catalog.track(organization.id, bare.id).await.unwrap(), Some(bare.clone()));
    assert_eq!(catalog.track(organization.id, full.id).await.unwrap(), Some(full.clone()));
    assert_eq!(catalog.track(ambient.record_id(), full.id).await.unwrap(), None);

    // An update changes every mutable field, but neither order nor place.
    let place_of = |t: &tonearm_domain::Track| (t.id, t.index, t.order, t.created_at);
    let (id, index, order, created_at) = place_of(&bare);
    bare = tonearm_domain::Track {
        id,
        index,
        order: 99,
        created_at: ambient.now().plus_seconds(5),
        ..full_track(&ambient, &collection, &creator)
    };
    let tx = catalog.begin().await.unwrap();
    tx.update_track(&bare).await.unwrap();
    bare.order = order;
    bare.created_at = created_at;
    assert_eq!(tx.track(organization.id, id).await.unwrap(), Some(bare.clone()));
    tx.commit().await.unwrap();
    assert_eq!(catalog.track(organization.id, id).await.unwrap(), Some(bare));
}

async fn every_kind_of_recipe(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let seconds =
        PreviewLength::Seconds { preview_seconds: 30.5, preview_min_percent: 1.0, preview_max_percent: 99.0 };
    let kinds = [
        ("transcode", RecipeKind::Transcode(Transcode { codec: Codec::Flac, ..Transcode::default() })),
        (
            "preview",
            RecipeKind::Preview(PreviewSettings {
                transcode: Transcode::default(),
                length: seconds,
                preview_start_percent: 0.0,
            }),
        ),
        (
            "levels",
            RecipeKind::Levels(LevelsSettings {
                num_samples: 100_000,
                metric: Metric::Rms,
                ..LevelsSettings::default()
            }),
        ),
        ("image", RecipeKind::WaveformImage(WaveformImage::default())),
        ("video", RecipeKind::WaveformVideo(WaveformVideo::default())),
        ("original", RecipeKind::Original {}),
        ("cover", RecipeKind::Cover(CoverSettings::default())),
    ];
    let mut recipes = vec![recipe(&ambient, &organization, None, "percent", -1)];
    recipes.extend(kinds.into_iter().zip(0..).map(|((index, kind), position)| tonearm_domain::Recipe {
        kind,
        ..recipe(&ambient, &organization, None, index, position)
    }));
    recipes.push(recipe(&ambient, &organization, Some(&track), "own", -5));
    let tx = catalog.begin().await.unwrap();
    for recipe in &recipes {
        tx.insert_recipe(recipe).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(catalog.recipes_for_track(organization.id, track.id).await.unwrap(), recipes);
    let own = recipes.pop().unwrap();
    assert_eq!(catalog.recipe(organization.id, own.id).await.unwrap(), Some(own));
    assert_eq!(catalog.recipes(organization.id).await.unwrap(), recipes);
}

async fn files(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let data = [
        FileData::NONE,
        FileData::None { missed_loudness: Some(MissedLoudness::new(-16.0, None, Some(-1.1))) },
        FileData::Preview {
            duration: 30.0,
            capture_start: 12.345,
            capture_end: 42.345,
            missed_loudness: Some(MissedLoudness::new(-16.0, Some(-17.25), Some(-1.04))),
        },
        FileData::Levels(Levels::new([0.0, 0.123, 1.0], Metric::Rms, 132_300)),
        FileData::Picture { width: 1800, height: 280, colour: Some(Colour::new(1, 2, 3)) },
    ];
    let mut files: Vec<TrackFile> = data
        .into_iter()
        .zip(0..)
        .map(|(data, position)| {
            let recipe = recipe(&ambient, &organization, None, "xx", position);
            made_file(&ambient, &track, &recipe, data)
        })
        .collect();
    let own = recipe(&ambient, &organization, Some(&track), "own", -3);
    files.push(TrackFile {
        outcome: FileOutcome::Failed { reason: HOSTILE.to_owned() },
        ..made_file(&ambient, &track, &own, FileData::NONE)
    });
    let tx = catalog.begin().await.unwrap();
    for file in files.iter().rev() {
        tx.put_track_file(file).await.unwrap();
    }
    assert_eq!(tx.files_of_track(track.id).await.unwrap(), files);
    tx.commit().await.unwrap();
    assert_eq!(catalog.files_of_track(track.id).await.unwrap(), files);
    let asked = [track.id, ambient.record_id()];
    assert_eq!(catalog.files_of_tracks(&asked).await.unwrap(), files);
    assert_eq!(catalog.files_of_tracks(&[]).await.unwrap(), []);
}

async fn sessions(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let creator = creator(&ambient, &organization);
    let bare_play = play_session(&ambient, &collection);
    let full_play = tonearm_domain::PlaySession {
        creator_id: Some(creator.id),
        track_id: Some(track.id),
        variants: Selection::Only(VariantList::new(["hq", "lq"].map(VariantIndex::from_static)).unwrap()),
        recipes: tonearm_domain::NamedRecipes::UNKNOWN,
        organization_index: Some(HOSTILE.to_owned()),
        metadata: rich_metadata(),
        is_downloadable: true,
        api_key_id: Some(ambient.record_id()),
        handle: Some(ambient.record_id()),
        ..play_session(&ambient, &collection)
    };
    let bare_upload = upload_session(&ambient, &collection);
    let full_upload = tonearm_domain::UploadSession {
        creator_id: Some(creator.id),
        organization_index: Some(HOSTILE.to_owned()),
        metadata: rich_metadata(),
        person_id: Some(ambient.record_id()),
        api_key_id: Some(ambient.record_id()),
        handle: Some(ambient.record_id()),
        ..upload_session(&ambient, &collection)
    };
    let tx = catalog.begin().await.unwrap();
    tx.insert_creator(&creator).await.unwrap();
    for session in [&bare_play, &full_play] {
        tx.insert_play_sessions(std::slice::from_ref(session)).await.unwrap();
    }
    for session in [&bare_upload, &full_upload] {
        tx.insert_upload_session(session).await.unwrap();
    }
    tx.commit().await.unwrap();
    for session in [bare_play, full_play] {
        assert_eq!(catalog.play_session(session.id).await.unwrap(), Some(session));
    }
    for session in [bare_upload, full_upload] {
        assert_eq!(catalog.upload_session(session.id).await.unwrap(), Some(session));
    }
    assert_eq!(catalog.play_session(ambient.credential_id()).await.unwrap(), None);
}

async fn keys(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let creator = creator(&ambient, &organization);
    let scopes = [
        (KeyType::Api, KeyScope::Organization),
        (KeyType::Player, KeyScope::Collection(collection.id)),
        (KeyType::Uploader, KeyScope::Collection(collection.id)),
        (KeyType::Share, KeyScope::Track(collection.id, track.id)),
    ];
    let mut keys = vec![(api_key(&ambient, &organization), ambient.random::<32>())];
    keys.extend(scopes.map(|(key_type, scope)| {
        let key = tonearm_domain::ApiKey {
            key_type,
            scope,
            creator_id: Some(creator.id),
            variants: Selection::one(VariantIndex::from_static("hq")),
            recipes: NamedRecipes::of([(VariantIndex::from_static("hq"), ambient.record_id())]),
            is_downloadable: true,
            allowed_origins: tonearm_domain::AllowedOrigins::from_list(Some(vec![
                "https://example.com".parse().unwrap(),
            ]))
            .unwrap(),
            expires_at: Some(ambient.now().plus_seconds(1)),
            revoked_at: Some(ambient.now()),
            last_used_at: Some(ambient.now()),
            made_by: Some(ambient.record_id()),
            ..api_key(&ambient, &organization)
        };
        (key, ambient.random())
    }));
    let tx = catalog.begin().await.unwrap();
    tx.insert_creator(&creator).await.unwrap();
    for (key, hash) in &keys {
        tx.insert_api_key(key, hash).await.unwrap();
    }
    tx.commit().await.unwrap();
    for (key, hash) in &keys {
        assert_eq!(catalog.api_key_by_hash(hash).await.unwrap().as_ref(), Some(key));
    }
    assert_eq!(catalog.api_key_by_hash(&[0; 32]).await.unwrap(), None);
    let mut expected: Vec<_> = keys.into_iter().map(|(key, _)| key).collect();
    expected.sort_by_key(|key| key.id);
    assert_eq!(catalog.api_keys(organization.id).await.unwrap(), expected);
}

async fn words_with_times(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    assert_eq!(catalog.track_words(track.id).await.unwrap(), []);
    let said = |start: f64, text: &str| Utterance { start, end: start + 0.25, text: text.to_owned() };
    let write = async |words: &[Utterance]| {
        let tx = catalog.begin().await.unwrap();
        tx.put_track_words(track.id, words).await.unwrap();
        tx.commit().await.unwrap();
        catalog.track_words(track.id).await.unwrap()
    };
    let first = [said(0.0, HOSTILE), said(1234.5, "Und weiter.")];
    assert_eq!(write(&first).await, first);
    assert_eq!(write(&first[1..]).await, first[1..]);
    assert_eq!(write(&[]).await, []);
    write(&first).await;
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_track(organization.id, track.id, ambient.now()).await.unwrap();
    tx.purge_track(organization.id, track.id, ambient.now(), tonearm_catalog::PurgedTitles::Removed)
        .await
        .unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.track_words(track.id).await.unwrap(), [], "words go with the track");
}

/// As large as the domain allows, with numbers for which PostgreSQL would write five times as many digits.
async fn the_largest_metadata(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    for value in [json!({"a": "🎧".repeat(16_382)}), json!({"a": vec![1e16; 10_000]})] {
        let mut track = bare_track(&ambient, &collection);
        track.metadata = metadata(value);
        let track = stored_track(&catalog, track).await;
        let read = catalog.track(organization.id, track.id).await.unwrap().unwrap();
        assert_eq!(read.metadata, track.metadata);
    }
}

async fn nul_characters_from_files_and_programs(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let mut track = bare_track(&ambient, &collection);
    track.info.tags.insert("a\0b".to_owned(), "\0".to_owned());
    track.info.chapters = vec![Chapter { start: 0.0, end: 1.0, title: Some("c\0d".to_owned()) }];
    track.status_reason = Some("ffmpeg said \0".to_owned());
    let track = stored_track(&catalog, track).await;
    let read = catalog.track(organization.id, track.id).await.unwrap().unwrap();
    assert_eq!(read.info.tags.get("a\u{FFFD}b").map(String::as_str), Some("\u{FFFD}"));
    assert_eq!(read.info.chapters[0].title.as_deref(), Some("c\u{FFFD}d"));
    assert_eq!(read.status_reason.as_deref(), Some("ffmpeg said \u{FFFD}"));
}
