//! Valid indexes of recipes, and what happens to files when recipes change.

use tonearm_catalog::{CatalogError, Record};
use tonearm_domain::{FileData, Recipe, RecipeKind, TrackFile, VariantIndex};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    an_index_is_taken_once,
    an_index_is_free_again,
    one_index_asked_for_at_once,
    files_remember_their_recipe,
    a_recipe_has_one_file_of_a_track,
);

async fn an_index_is_taken_once(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let (other, _) = stored_collection(&catalog, &ambient).await;
    let one = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let two = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let general = |index| recipe(&ambient, &organization, None, index, 0);
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&general("hq")).await.unwrap();
    tx.insert_recipe(&general("lq")).await.unwrap();
    tx.insert_recipe(&recipe(&ambient, &organization, Some(&one), "own", 0)).await.unwrap();
    // Other tracks and other organizations may use the same index.
    tx.insert_recipe(&recipe(&ambient, &organization, Some(&two), "own", 0)).await.unwrap();
    tx.insert_recipe(&recipe(&ambient, &other, None, "hq", 0)).await.unwrap();

    let unseen = catalog.recipes(organization.id).await.unwrap();
    assert!(unseen.is_empty(), "nothing is seen before the commit");
    tx.commit().await.unwrap();
    let recipes = catalog.recipes(organization.id).await.unwrap();
    let mut renamed = recipes.into_iter().find(|recipe| recipe.index.as_str() == "hq").unwrap();
    renamed.index = VariantIndex::from_static("lq");
    let tx = catalog.begin().await.unwrap();
    let refusals = [
        tx.insert_recipe(&general("hq")).await.unwrap_err(),
        tx.insert_recipe(&general("own")).await.unwrap_err(),
        tx.insert_recipe(&recipe(&ambient, &organization, Some(&one), "own", 0)).await.unwrap_err(),
        tx.insert_recipe(&recipe(&ambient, &organization, Some(&one), "hq", 0)).await.unwrap_err(),
        tx.update_recipe(&renamed).await.unwrap_err(),
    ];
    for refusal in refusals {
        assert_eq!(refusal.to_string(), "a variant with this index already exists");
    }
}

async fn an_index_is_free_again(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let general = recipe(&ambient, &organization, None, "hq", 0);
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&general).await.unwrap();
    tx.insert_recipe(&recipe(&ambient, &organization, Some(&track), "own", 0)).await.unwrap();
    assert!(tx.soft_delete_recipe(organization.id, general.id, ambient.now()).await.unwrap());
    assert!(tx.soft_delete_track(organization.id, track.id, ambient.now()).await.unwrap());
    tx.insert_recipe(&recipe(&ambient, &organization, None, "hq", 0)).await.unwrap();
    tx.insert_recipe(&recipe(&ambient, &organization, None, "own", 0)).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.recipes(organization.id).await.unwrap().len(), 2);
}

/// Half of the recipes are for the organization, half for one track: the unique indexes alone would let two through.
async fn one_index_asked_for_at_once(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let attempts = (0..16).map(|n| {
        let own = (n % 2 == 0).then_some(&track);
        let (catalog, recipe) = (catalog.clone(), recipe(&ambient, &organization, own, "hq", 0));
        tokio::spawn(async move {
            let tx = catalog.begin().await?;
            tx.insert_recipe(&recipe).await?;
            tx.commit().await
        })
    });
    let outcomes: Vec<Result<(), CatalogError>> =
        futures::future::join_all(attempts).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    for refusal in outcomes.into_iter().filter_map(Result::err) {
        assert!(matches!(refusal, CatalogError::Taken(Record::VariantIndex)), "{refusal:?}");
    }
}

async fn files_remember_their_recipe(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let then = recipe(&ambient, &organization, None, "hq", 4);
    let file = made_file(&ambient, &track, &then, FileData::NONE);
    let mut now = then.clone();
    now.index = VariantIndex::from_static("renamed");
    now.kind = RecipeKind::Original {};
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&then).await.unwrap();
    tx.put_track_file(&file).await.unwrap();
    tx.update_recipe(&now).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.recipe(organization.id, now.id).await.unwrap(), Some(now.clone()));
    // The settings are those that the file was made with, the name that of the recipe.
    let named = Recipe { index: now.index.clone(), ..then };
    let file = TrackFile { recipe: named, ..file };
    let files = catalog.files_of_track(track.id).await.unwrap();
    assert_eq!(files, std::slice::from_ref(&file));
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_recipe(organization.id, now.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(catalog.files_of_track(track.id).await.unwrap(), [], "they are not read any more");
    assert_eq!(catalog.files_of_track_even_deleted(track.id).await.unwrap(), [file]);
}

async fn a_recipe_has_one_file_of_a_track(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let recipe = recipe(&ambient, &organization, None, "hq", 0);
    let failed = tonearm_domain::TrackFile {
        outcome: tonearm_domain::FileOutcome::Failed { reason: "Out of memory.".to_owned() },
        ..made_file(&ambient, &track, &recipe, FileData::NONE)
    };
    let made = made_file(&ambient, &track, &recipe, FileData::Picture { width: 1, height: 2, colour: None });
    for file in [&failed, &made, &failed, &made] {
        let tx = catalog.begin().await.unwrap();
        tx.put_track_file(file).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(catalog.files_of_track(track.id).await.unwrap(), std::slice::from_ref(file));
    }
}
