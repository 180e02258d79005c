//! Valid indexes of recipes, and what happens to files when recipes change.

use sea_orm::{ConnectionTrait, Statement};
use tonearm_catalog::{CatalogError, Record, SessionPage};
use tonearm_domain::{
    Ambient, ApiKey, Collection, FileData, KeyScope, NamedRecipes, PlaySession, Recipe, RecipeKind,
    Selection, TrackFile, VariantIndex, VariantList,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    an_index_is_taken_once,
    an_index_is_free_again,
    one_index_asked_for_at_once,
    sessions_list_recipes_and_not_names,
    keys_list_recipes_and_not_names,
    sessions_of_earlier_versions_follow_a_new_name,
    files_remember_their_recipe,
    a_recipe_has_one_file_of_a_track,
);

/// A session that lists show.
fn shown(ambient: &Ambient, collection: &Collection) -> PlaySession {
    PlaySession { handle: Some(ambient.record_id()), ..play_session(ambient, collection) }
}

fn names(names: &[&'static str]) -> Selection {
    let names = names.iter().map(|name| VariantIndex::from_static(name));
    Selection::Only(VariantList::new(names).unwrap())
}

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

/// A recipe that a session lists may change its name, and others may get that name, without a change of the session.
async fn sessions_list_recipes_and_not_names(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let mut hq = recipe(&ambient, &organization, None, "hq", 0);
    let lq = recipe(&ambient, &organization, None, "lq", 1);
    let recipes = NamedRecipes::of([&hq, &lq].map(|recipe| (recipe.index.clone(), recipe.id)));
    let variants = names(&["own", "hq", "lq"]);
    let session = PlaySession { variants, recipes, ..shown(&ambient, &collection) };
    let all = PlaySession { variants: Selection::All, ..shown(&ambient, &collection) };
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&hq).await.unwrap();
    tx.insert_recipe(&lq).await.unwrap();
    tx.insert_recipe(&recipe(&ambient, &organization, Some(&track), "own", 0)).await.unwrap();
    tx.insert_play_sessions(&[session.clone(), all.clone()]).await.unwrap();
    tx.commit().await.unwrap();
    let raw = database.raw().await;
    let stored = async || {
        let text = "SELECT CAST(selection AS text) AS s FROM play_session WHERE selection IS NOT NULL";
        let statement = Statement::from_string(raw.get_database_backend(), text);
        let row = raw.query_one_raw(statement).await.unwrap().unwrap();
        row.try_get::<String>("", "s").unwrap()
    };
    let before = stored().await;
    let listed = async |expected: &[&str]| {
        let read = catalog.play_session(session.id).await.unwrap().unwrap().variants;
        assert_eq!(read.only().unwrap().iter().map(VariantIndex::as_str).collect::<Vec<_>>(), expected);
        let page = SessionPage { before: None, limit: 10 };
        let page = catalog.play_sessions(organization.id, page, ambient.now()).await.unwrap();
        let of = |id| page.iter().find(|it| it.id == id).unwrap().variants.clone();
        assert_eq!((of(session.id), of(all.id)), (read, Selection::All));
    };
    listed(&["own", "hq", "lq"]).await;

    let rename = async |recipe: &mut Recipe, name: &'static str| {
        let from = recipe.index.clone();
        recipe.index = VariantIndex::from_static(name);
        let tx = catalog.begin().await.unwrap();
        tx.update_recipe(recipe).await.unwrap();
        tx.rename_in_selections(organization.id, &from, &recipe.index).await.unwrap();
        tx.commit().await.unwrap();
    };
    rename(&mut hq, "best").await;
    listed(&["own", "best", "lq"]).await;
    let tx = catalog.begin().await.unwrap();
    let mut other = recipe(&ambient, &organization, None, "hq", 2);
    tx.insert_recipe(&other).await.unwrap();
    assert!(tx.soft_delete_recipe(organization.id, lq.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    listed(&["own", "best"]).await;
    // The track's own variant is gone, and its name belongs to a recipe.
    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.own_variants(organization.id, KeyScope::Organization, &["own"]).await.unwrap().len(), 1);
    for own in tx.recipes_for_track(organization.id, track.id).await.unwrap() {
        if own.track_id.is_some() {
            assert!(tx.soft_delete_recipe(organization.id, own.id, ambient.now()).await.unwrap());
        }
    }
    tx.commit().await.unwrap();
    rename(&mut other, "own").await;
    listed(&["best"]).await;
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_recipe(organization.id, hq.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    listed(&[]).await;
    assert_eq!(stored().await, before, "no session was written");
}

/// A version without the ids of recipes may change the names alone, which then count.
async fn keys_list_recipes_and_not_names(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let hq = recipe(&ambient, &organization, None, "hq", 0);
    let recipes = NamedRecipes::of([(hq.index.clone(), hq.id)]);
    let key = ApiKey { variants: names(&["own", "hq"]), recipes, ..api_key(&ambient, &organization) };
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&hq).await.unwrap();
    tx.insert_api_key(&key, &[1; 32]).await.unwrap();
    tx.commit().await.unwrap();
    let raw = database.raw().await;
    let read = async || {
        let key = catalog.api_key(organization.id, key.id).await.unwrap().unwrap();
        (key.variants, key.recipes)
    };
    let change = async |from: &'static str, to: Option<&'static str>| {
        let (from, to) = (VariantIndex::from_static(from), to.map(VariantIndex::from_static));
        let tx = catalog.begin().await.unwrap();
        match to {
            Some(to) => tx.rename_in_selections(organization.id, &from, &to).await.unwrap(),
            None => tx.remove_from_selections(organization.id, &from).await.unwrap(),
        }
        tx.commit().await.unwrap();
    };
    let best = NamedRecipes::of([(VariantIndex::from_static("best"), hq.id)]);
    assert_eq!(read().await, (key.variants.clone(), key.recipes.clone()));
    change("hq", Some("best")).await;
    assert_eq!(read().await, (names(&["own", "best"]), best.clone()));
    change("own", None).await;
    assert_eq!(read().await, (names(&["best"]), best));
    raw.execute_unprepared("UPDATE api_key SET selection = '[\"lq\"]'").await.unwrap();
    assert_eq!(read().await, (names(&["lq"]), NamedRecipes::UNKNOWN));
    change("lq", Some("low")).await;
    assert_eq!(read().await, (names(&["low"]), NamedRecipes::UNKNOWN));
    // What is damaged stops no rename.
    let damage = match database.url.starts_with("sqlite") {
        true => "UPDATE api_key SET recipes = '{'",
        false => "UPDATE api_key SET recipes = '[1]'",
    };
    raw.execute_unprepared(damage).await.unwrap();
    change("low", Some("lower")).await;
}

async fn sessions_of_earlier_versions_follow_a_new_name(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let session = PlaySession { variants: names(&["hq", "lq"]), ..play_session(&ambient, &collection) };
    let tx = catalog.begin().await.unwrap();
    tx.insert_play_sessions(std::slice::from_ref(&session)).await.unwrap();
    tx.commit().await.unwrap();
    database.raw().await.execute_unprepared("UPDATE play_session SET recipes = NULL").await.unwrap();
    let [hq, lq, best] = ["hq", "lq", "best"].map(VariantIndex::from_static);
    let tx = catalog.begin().await.unwrap();
    tx.rename_in_selections(organization.id, &hq, &best).await.unwrap();
    tx.remove_from_selections(organization.id, &lq).await.unwrap();
    tx.commit().await.unwrap();
    let read = catalog.play_session(session.id).await.unwrap().unwrap();
    assert_eq!(read.variants, Selection::one(best));
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
