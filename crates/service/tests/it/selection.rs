//! Keys that are limited to variants list only those, whatever happens to the variants.

use tonearm_domain::{
    ExpiresIn, KeyType, Metadata, Patch, Recipe, RecipeKind, Selection, Transcode, VariantIndex, VariantList,
};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{
    Caller, CreateKey, GrantPlaySession, OpenedPlaySession, PlaySessionScope, Refusal, UpdateRecipe,
};

use crate::on_both;
use crate::station::{FOR_EVER, Node, Station};

on_both!(
    a_recipe_that_is_gone_widens_nothing,
    a_new_recipe_counts_at_once_on_every_node,
    sessions_are_shown_with_what_they_list,
);

fn index(name: &str) -> VariantIndex {
    name.parse().unwrap()
}

/// The caller of a player key that is limited to these variants.
async fn player(station: &Station, variants: &[&str]) -> Caller {
    let variants = VariantList::new(variants.iter().map(|name| index(name))).map(Selection::Only).unwrap();
    let create = CreateKey { variants, is_downloadable: true, ..CreateKey::new(KeyType::Player, "Player") };
    Caller::from(&station.node.library.create_key(&station.caller, create).await.unwrap().key)
}

async fn grant(
    node: &Node,
    caller: &Caller,
    scope: PlaySessionScope,
    asked: &[&str],
) -> Result<OpenedPlaySession, Refusal> {
    let variants = asked.iter().map(ToString::to_string).collect();
    let grant = GrantPlaySession {
        scope,
        variants,
        organization_index: None,
        metadata: Metadata::default(),
        is_downloadable: true,
        expires_in: ExpiresIn::default(),
    };
    node.playback.grant_play_session(caller, grant).await
}

fn files(opened: &OpenedPlaySession) -> Vec<&str> {
    opened.first.as_ref().unwrap().variants.iter().map(|file| file.file.recipe.index.as_str()).collect()
}

async fn recipe(station: &Station, name: &str) -> Recipe {
    let recipes = station.node.catalog.recipes(station.caller.organization_id).await.unwrap();
    recipes.into_iter().find(|recipe| recipe.index.as_str() == name).unwrap()
}

async fn a_recipe_that_is_gone_widens_nothing(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (node, track) = (&station.node, &station.track);
    let scopes = [PlaySessionScope::Collection(track.collection_id), PlaySessionScope::Track(track.id)];
    let (caller, both) = (player(&station, &["preview"]).await, player(&station, &["preview", "lq"]).await);
    let mut sessions = Vec::new();
    for scope in scopes {
        let opened = grant(node, &caller, scope, &[]).await.unwrap();
        assert_eq!(files(&opened), ["preview"]);
        sessions.push(opened.session.id);
    }
    let preview = recipe(&station, "preview").await.id;
    let renamed = UpdateRecipe { index: Patch::Set(index("teaser")), ..UpdateRecipe::default() };
    node.library.update_recipe(&station.caller, preview, renamed).await.unwrap();
    for remove in [false, true] {
        if remove {
            node.library.remove_recipe(&station.caller, preview).await.unwrap();
        }
        for scope in scopes {
            for asked in [&[][..], &["hq"], &["preview"]] {
                let refused = grant(node, &caller, scope, asked).await.unwrap_err();
                assert!(matches!(refused, Refusal::Invalid { field: "variants", .. }), "{refused}");
                assert!(refused.to_string().contains("preview"), "{refused}");
                assert_eq!(files(&grant(node, &both, scope, asked).await.unwrap()), ["lq"]);
            }
        }
    }
    for id in sessions {
        let (_, playable) = node.playback.play_track(id, track.id, None).await.unwrap();
        assert!(playable.variants.is_empty());
        for name in ["hq", "lq", "preview", "original"] {
            assert!(node.playback.download(id, track.id, name, None).await.is_err(), "{name}");
        }
    }
}

/// Each node caches recipes for a short time.
async fn a_new_recipe_counts_at_once_on_every_node(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let other = Node::start(&station.database, FOR_EVER).await;
    let scope = PlaySessionScope::Collection(station.track.collection_id);
    grant(&other, &station.caller, scope, &["hq"]).await.unwrap();
    let kind = RecipeKind::Transcode(Transcode::default());
    let made = station
        .node
        .library
        .add_recipe(&station.caller, index("teaser"), kind, tonearm_domain::CachePolicy::default())
        .await
        .unwrap();
    station.make(made).await;
    let caller = player(&station, &["teaser"]).await;
    let opened = grant(&other, &caller, scope, &[]).await.unwrap();
    assert_eq!(opened.session.variants, Selection::one(index("teaser")));
    let stored = other.catalog.play_session(opened.session.id).await.unwrap().unwrap();
    assert_eq!(stored.variants, Selection::one(index("teaser")));
}

async fn sessions_are_shown_with_what_they_list(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (node, track) = (&station.node, &station.track);
    let kind = RecipeKind::Transcode(Transcode::default());
    // Created without the use case, which would queue its processing.
    let own = Recipe { track_id: Some(track.id), index: index("own"), kind, ..recipe(&station, "hq").await };
    let own = Recipe { id: tonearm_fixtures::ambient().0.record_id(), ..own };
    let tx = node.catalog.begin().await.unwrap();
    tx.insert_recipe(&own).await.unwrap();
    tx.commit().await.unwrap();
    station.make(own).await;
    let shown = async |scope, asked: &[&str]| {
        let opened = grant(node, &station.caller, scope, asked).await.unwrap();
        opened.session.variants.only().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let (of_track, of_collection) =
        (PlaySessionScope::Track(track.id), PlaySessionScope::Collection(track.collection_id));
    assert_eq!(shown(of_track, &[]).await, ["hq", "lq", "preview", "own"]);
    assert_eq!(shown(of_collection, &[]).await, ["hq", "lq", "preview"]);
    assert_eq!(shown(of_collection, &["own", "lq"]).await, ["own", "lq"]);
}
