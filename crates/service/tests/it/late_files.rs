//! Files that are made for tracks that are ready: what is recorded, and what receivers of webhooks are told.

use futures::TryStreamExt as _;
use tonearm_domain::{
    CachePolicy, Colour, CoverSettings, CoverSize, Patch, RecipeKind, TrackId, TrackStatus, Transcode,
    WebhookKind,
};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{Caller, CreateTrack, DeliveryQuery, UpdateOrganization, UpdateRecipe, UpdateTrack};

use crate::on_both;
use crate::workshop::{FAILING_BITRATE, Workshop, sound};

on_both!(
    drawn_covers_of_every_size_follow_the_colour,
    a_track_that_gets_a_file_by_a_rendering_is_reported,
    the_reason_of_a_status_has_the_present_name_of_a_variant,
);

const SIZES: [(&str, CoverSize); 2] = [("square", CoverSize::Regular), ("poster", CoverSize::Large)];

async fn pictures(workshop: &Workshop, track: TrackId) -> Vec<Vec<u8>> {
    let files = workshop.catalog.files_of_track(track).await.unwrap();
    let mut pictures = Vec::new();
    for (name, _) in SIZES {
        let file = files.iter().find(|file| file.recipe.index.as_str() == name).unwrap();
        let object = workshop.blobs.get(file.object().unwrap(), None).await.unwrap().unwrap();
        pictures.push(object.stream.try_collect::<Vec<_>>().await.unwrap().concat());
    }
    pictures
}

async fn drawn_covers_of_every_size_follow_the_colour(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, first) = workshop.create().await;
    for (name, size) in SIZES {
        let kind = RecipeKind::Cover(CoverSettings { size });
        let add = workshop.library.add_recipe(&owner, name.parse().unwrap(), kind, CachePolicy::Private);
        add.await.unwrap();
    }
    workshop.send(&owner, first, sound()).await.unwrap();
    workshop.run_all().await;
    let before = pictures(&workshop, first).await;
    let green: Colour = "#00aa33".parse().unwrap();
    let update = UpdateOrganization { player_colour: Patch::Set(green), ..UpdateOrganization::default() };
    workshop.library.update_organization(&owner, owner.organization_id, update).await.unwrap();
    workshop.run_all().await;
    let after = pictures(&workshop, first).await;
    assert!(before.iter().zip(&after).all(|(before, after)| before != after));

    // A track that is uploaded in this state has the same pictures.
    let collection =
        workshop.catalog.track(owner.organization_id, first).await.unwrap().unwrap().collection_id;
    let create = CreateTrack {
        collection_id: Some(collection),
        file_name: "tone.wav".to_owned(),
        ..CreateTrack::default()
    };
    let second = workshop.library.create_track(&owner, create).await.unwrap().0.track.id;
    workshop.send(&owner, second, sound()).await.unwrap();
    workshop.run_all().await;
    assert_eq!(pictures(&workshop, second).await, after);

    // Without levels, the cover is drawn from the source.
    let recipes = workshop.catalog.recipes(owner.organization_id).await.unwrap();
    let levels = recipes.iter().find(|recipe| recipe.index.as_str() == "levels").unwrap().id;
    workshop.library.remove_recipe(&owner, levels).await.unwrap();
    let blue =
        UpdateTrack { player_colour: Patch::Set("#0000ff".parse().unwrap()), ..UpdateTrack::default() };
    workshop.library.update_track(&owner, first, blue).await.unwrap();
    workshop.run_all().await;
    let last = pictures(&workshop, first).await;
    assert!(after.iter().zip(&last).all(|(before, after)| before != after));
}

async fn reported(workshop: &Workshop, owner: &Caller) -> usize {
    workshop.webhooks.deliveries(owner, DeliveryQuery::default(), None, 50).await.unwrap().len()
}

async fn a_track_that_gets_a_file_by_a_rendering_is_reported(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.create().await;
    let track = workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap();
    workshop.give_cover(&track).await;
    workshop.webhooks.set(&owner, WebhookKind::Track, "http://127.0.0.1:8080/hook".into()).await.unwrap();
    workshop.send(&owner, id, sound()).await.unwrap();
    workshop.run_all().await;
    assert_eq!(reported(&workshop, &owner).await, 1);
    let kind = RecipeKind::Transcode(Transcode::default());
    let add = workshop.library.add_recipe(&owner, "late".parse().unwrap(), kind, CachePolicy::Private);
    let late = add.await.unwrap().id;
    for (bitrate, expected) in [(None, 2), (None, 2), (Some(64), 3), (Some(FAILING_BITRATE), 3)] {
        if let Some(bitrate) = bitrate {
            let kind = RecipeKind::Transcode(Transcode { bitrate, ..Transcode::default() });
            let update = UpdateRecipe { kind: Patch::Set(kind), ..UpdateRecipe::default() };
            workshop.library.update_recipe(&owner, late, update).await.unwrap();
        }
        workshop.library.render_existing(&owner, late).await.unwrap();
        workshop.run_all().await;
        assert_eq!(reported(&workshop, &owner).await, expected, "{bitrate:?}");
    }
}

async fn the_reason_of_a_status_has_the_present_name_of_a_variant(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, first) = workshop.create().await;
    let track = async |id| workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap();
    let kind = RecipeKind::Transcode(Transcode { bitrate: FAILING_BITRATE, ..Transcode::default() });
    let add = workshop.library.add_recipe(&owner, "large".parse().unwrap(), kind, CachePolicy::Private);
    let large = add.await.unwrap().id;
    let create = CreateTrack {
        collection_id: Some(track(first).await.collection_id),
        file_name: "tone.wav".to_owned(),
        ..CreateTrack::default()
    };
    let second = workshop.library.create_track(&owner, create).await.unwrap().0.track.id;
    workshop.give_cover(&track(second).await).await;
    workshop.send(&owner, second, sound()).await.unwrap();
    workshop.run_all().await;
    let before = track(second).await;
    assert_eq!(before.status, TrackStatus::Incomplete);
    let (name, reason) = before.status_reason.as_deref().unwrap().split_once(": ").unwrap();
    assert_eq!(name, "large");
    let update = UpdateRecipe { index: Patch::Set("master".parse().unwrap()), ..UpdateRecipe::default() };
    workshop.library.update_recipe(&owner, large, update).await.unwrap();
    workshop.run_all().await;
    let after = track(second).await;
    assert_eq!(after.status, TrackStatus::Incomplete);
    assert_eq!(after.status_reason, Some(format!("master: {reason}")));
}
