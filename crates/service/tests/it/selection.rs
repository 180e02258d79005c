//! Keys that are limited to variants list only those, whatever happens to the variants.

use tonearm_domain::{
    ExpiresIn, KeyType, Metadata, Patch, Recipe, RecipeKind, Selection, Source, Track, TrackFile,
    TrackStatus, Transcode, VariantIndex, VariantList,
};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{
    Caller, CreateCollection, CreateKey, CreateTrack, GrantPlaySession, OpenedPlaySession, PlaySessionScope,
    Refusal, UpdateKey, UpdateRecipe, UpdateTrack,
};

use crate::on_both;
use crate::station::{FOR_EVER, Node, Station};

on_both!(
    a_recipe_that_is_gone_widens_nothing,
    a_new_recipe_counts_at_once_on_every_node,
    sessions_are_shown_with_what_they_list,
    a_renamed_variant_has_its_new_name_everywhere,
    rights_follow_the_recipe_and_not_its_name,
    a_key_that_was_read_before_a_rename_opens_nothing_else,
    a_session_that_was_read_before_a_rename_opens_nothing_else,
    names_that_were_given_up_are_not_stored,
    a_changed_order_reaches_tracks_that_are_ready,
    a_session_of_one_track_survives_its_move,
    variants_of_tracks_are_named_within_the_scope_of_a_key,
    a_thousand_names_can_be_asked_for_and_no_more,
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
    for scope in scopes {
        for asked in [&[][..], &["hq"], &["preview"]] {
            assert_eq!(files(&grant(node, &caller, scope, asked).await.unwrap()), ["teaser"]);
        }
    }
    node.library.remove_recipe(&station.caller, preview).await.unwrap();
    for scope in scopes {
        for asked in [&[][..], &["hq"], &["preview"]] {
            let refused = grant(node, &caller, scope, asked).await.unwrap_err();
            assert!(matches!(refused, Refusal::Invalid { field: "variants", .. }), "{refused}");
            assert!(refused.to_string().contains("preview"), "{refused}");
            assert_eq!(files(&grant(node, &both, scope, asked).await.unwrap()), ["lq"]);
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

async fn a_renamed_variant_has_its_new_name_everywhere(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (node, caller, track) = (&station.node, &station.caller, &station.track);
    let whole = PlaySessionScope::Track(track.id);
    let key =
        CreateKey { variants: Selection::one(index("preview")), ..CreateKey::new(KeyType::Share, "Sample") };
    let key = node.library.create_key(caller, key).await.unwrap().text;
    node.playback.redirect_share(track.id, key.reveal(), None).await.unwrap();

    let (hq, preview) = (recipe(&station, "hq").await, recipe(&station, "preview").await);
    let rename = async |recipe: &Recipe, name: &str| {
        let update = UpdateRecipe { index: Patch::Set(index(name)), ..UpdateRecipe::default() };
        node.library.update_recipe(caller, recipe.id, update).await.unwrap();
    };
    rename(&preview, "sample").await;
    assert_eq!(files(&grant(node, caller, whole, &["sample"]).await.unwrap()), ["sample"]);
    assert_eq!(files(&grant(node, caller, whole, &[]).await.unwrap()), ["hq", "lq", "sample"]);
    node.playback.redirect_share(track.id, key.reveal(), None).await.unwrap();
    // The freed name belongs to another recipe.
    rename(&hq, "preview").await;
    assert_eq!(files(&grant(node, caller, whole, &[]).await.unwrap()), ["preview", "lq", "sample"]);
    let manifest = node.catalog.manifest(caller.organization_id, track.index).await.unwrap();
    let named = |name: &str| manifest.file(&index(name), tonearm_domain::ContentType::Mp3).is_some();
    assert_eq!(["preview", "sample", "hq"].map(named), [true, true, false]);
}

/// A freed name that is given to another recipe opens it to nobody who had a right to the first.
async fn rights_follow_the_recipe_and_not_its_name(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (node, caller, track) = (&station.node, &station.caller, &station.track);
    let limited = |key_type, names: &[&str]| {
        let list = VariantList::new(names.iter().map(|name| index(name))).unwrap();
        CreateKey { variants: Selection::Only(list), ..CreateKey::new(key_type, "Limited") }
    };
    let share = node.library.create_key(caller, limited(KeyType::Share, &["preview"])).await.unwrap();
    let player = node.library.create_key(caller, limited(KeyType::Player, &["lq", "preview"])).await.unwrap();
    let shared = async || {
        let url = node.playback.redirect_share(track.id, share.text.reveal(), None).await;
        url.map(|url| url.split('?').next().unwrap().to_owned())
    };
    let sample = shared().await.unwrap();
    let session =
        grant(node, &Caller::from(&player.key), PlaySessionScope::Track(track.id), &[]).await.unwrap();
    let session = session.session.id;
    let listed = async || {
        let (_, playable) = node.playback.play_track(session, track.id, None).await.unwrap();
        playable.variants.iter().map(|it| it.file.recipe.index.to_string()).collect::<Vec<_>>()
    };
    let of_key = async |id| {
        let key = node.library.key(caller, id).await.unwrap();
        key.variants.only().unwrap().iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(listed().await, ["lq", "preview"]);

    let (hq, preview) = (recipe(&station, "hq").await, recipe(&station, "preview").await);
    let rename = async |recipe: &Recipe, name: &str| {
        let update = UpdateRecipe { index: Patch::Set(index(name)), ..UpdateRecipe::default() };
        node.library.update_recipe(caller, recipe.id, update).await.unwrap();
    };
    rename(&preview, "sample").await;
    rename(&hq, "preview").await;
    assert_eq!(shared().await.unwrap(), sample);
    assert_eq!(listed().await, ["lq", "sample"]);
    assert_eq!(of_key(share.key.id).await, ["sample"]);
    assert_eq!(of_key(player.key.id).await, ["lq", "sample"]);

    node.library.remove_recipe(caller, preview.id).await.unwrap();
    rename(&hq, "sample").await;
    assert!(matches!(shared().await, Err(Refusal::NotFound(_))));
    assert_eq!(listed().await, ["lq"]);
    assert_eq!(of_key(player.key.id).await, ["lq"]);
    // Nothing is not "all".
    assert!(of_key(share.key.id).await.is_empty());
    node.library.remove_recipe(caller, recipe(&station, "lq").await.id).await.unwrap();
    assert!(of_key(player.key.id).await.is_empty() && listed().await.is_empty());
    let nothing = Caller::from(&node.library.key(caller, player.key.id).await.unwrap());
    for asked in [&[][..], &["sample"]] {
        let refused = grant(node, &nothing, PlaySessionScope::Track(track.id), asked).await;
        assert!(matches!(refused, Err(Refusal::Invalid { field: "variants", .. })));
    }
}

async fn rename(station: &Station, recipe: &Recipe, name: &str) {
    let update = UpdateRecipe { index: Patch::Set(index(name)), ..UpdateRecipe::default() };
    station.node.library.update_recipe(&station.caller, recipe.id, update).await.unwrap();
}

/// Another node remembers keys for a second. A session that it opens meanwhile lists what the key lists now.
async fn a_key_that_was_read_before_a_rename_opens_nothing_else(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (node, track) = (&station.node, &station.track);
    let remembered = player(&station, &["preview"]).await;
    let (hq, preview) = (recipe(&station, "hq").await, recipe(&station, "preview").await);
    rename(&station, &preview, "sample").await;
    rename(&station, &hq, "preview").await;

    for scope in [PlaySessionScope::Track(track.id), PlaySessionScope::Collection(track.collection_id)] {
        for asked in [&[][..], &["preview"], &["preview", "sample"]] {
            let opened = grant(node, &remembered, scope, asked).await.unwrap();
            assert_eq!(opened.session.variants, Selection::one(index("sample")), "{asked:?}");
            let stored = node.catalog.play_session(opened.session.id).await.unwrap().unwrap();
            assert_eq!(stored.variants, Selection::one(index("sample")));
            assert_eq!(files(&opened), ["sample"]);
        }
    }
    node.library.remove_recipe(&station.caller, preview.id).await.unwrap();
    let refused = grant(node, &remembered, PlaySessionScope::Track(track.id), &[]).await;
    assert!(matches!(refused, Err(Refusal::Invalid { field: "variants", .. })));
}

/// Another node remembers keys and sessions for a second, and reads the files of a track meanwhile.
async fn a_session_that_was_read_before_a_rename_opens_nothing_else(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (caller, track) = (&station.caller, &station.track);
    let scope = PlaySessionScope::Collection(track.collection_id);
    let session = grant(&station.node, caller, scope, &["preview", "lq"]).await.unwrap().session.id;
    let limited = player(&station, &["lq", "preview"]).await;
    let narrow = grant(&station.node, &limited, scope, &["preview"]).await.unwrap().session.id;
    // Its key was limited later.
    let all = station.node.library.create_key(caller, CreateKey::new(KeyType::Player, "")).await.unwrap().key;
    let wide = grant(&station.node, &Caller::from(&all), scope, &[]).await.unwrap().session.id;
    let update = UpdateKey { variants: Patch::Set(Selection::one(index("preview"))), ..UpdateKey::default() };
    station.node.library.update_key(caller, all.id, update).await.unwrap();
    let share =
        CreateKey { variants: Selection::one(index("preview")), ..CreateKey::new(KeyType::Share, "") };
    let share = station.node.library.create_key(caller, share).await.unwrap().text;
    // What one track has of its own.
    let kind = RecipeKind::Transcode(Transcode::default());
    let own = Recipe { track_id: Some(track.id), index: index("own"), kind, ..recipe(&station, "hq").await };
    let own = Recipe { id: tonearm_fixtures::ambient().0.record_id(), ..own };
    let tx = station.node.catalog.begin().await.unwrap();
    tx.insert_recipe(&own).await.unwrap();
    tx.commit().await.unwrap();
    let of_own = grant(&station.node, caller, scope, &["own"]).await.unwrap().session.id;
    let other = Node::start(&station.database, FOR_EVER).await;
    let unknown = tonearm_fixtures::ambient().0.record_id();
    for session in [session, narrow, wide, of_own] {
        assert!(other.playback.play_track(session, unknown, None).await.is_err());
    }
    assert!(other.playback.redirect_share(unknown, share.reveal(), None).await.is_err());
    let (hq, preview) = (recipe(&station, "hq").await, recipe(&station, "preview").await);
    rename(&station, &preview, "sample").await;
    rename(&station, &hq, "preview").await;

    let (_, playable) = other.playback.play_track(session, track.id, None).await.unwrap();
    let listed: Vec<_> = playable.variants.iter().map(|variant| variant.file.recipe.id).collect();
    assert_eq!(listed, [preview.id, recipe(&station, "lq").await.id]);
    let tx = station.node.catalog.begin().await.unwrap();
    assert!(tx.soft_delete_recipe(own.organization_id, own.id, own.created_at).await.unwrap());
    tx.commit().await.unwrap();
    rename(&station, &recipe(&station, "lq").await, "own").await;
    for session in [narrow, wide] {
        let (_, playable) = other.playback.play_track(session, track.id, None).await.unwrap();
        let listed: Vec<_> = playable.variants.iter().map(|variant| variant.file.recipe.id).collect();
        assert_eq!(listed, [preview.id]);
    }
    let (_, playable) = other.playback.play_track(of_own, track.id, None).await.unwrap();
    assert!(playable.variants.is_empty());
    let path = |url: &str| url.split('?').next().unwrap().to_owned();
    let shared = other.playback.redirect_share(track.id, share.reveal(), None).await.unwrap();
    let known = station.node.playback.redirect_share(track.id, share.reveal(), None).await.unwrap();
    assert_eq!(path(&shared), path(&known));
}

/// What a session lists is decided with the recipes as they are when it is written.
async fn names_that_were_given_up_are_not_stored(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (caller, track) = (&station.caller, &station.track);
    let other = Node::start(&station.database, FOR_EVER).await;
    let hq = recipe(&station, "hq").await;
    // This node remembers the recipes.
    let scope = PlaySessionScope::Collection(track.collection_id);
    grant(&other, caller, scope, &["hq"]).await.unwrap();
    for name in ["hq-1", "hq-2"] {
        rename(&station, &hq, name).await;
        let opened = grant(&other, caller, scope, &["hq", "hq-1", "hq-2", "lq"]).await.unwrap();
        let listed = opened.session.variants.only().unwrap().iter().map(ToString::to_string);
        assert_eq!(listed.collect::<Vec<_>>(), [name, "lq"]);
    }
}

async fn a_changed_order_reaches_tracks_that_are_ready(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (node, caller) = (&station.node, &station.caller);
    let whole = PlaySessionScope::Track(station.track.id);
    let recipes = node.catalog.recipes(caller.organization_id).await.unwrap();
    let order: Vec<_> = recipes.iter().rev().map(|recipe| recipe.id).collect();
    node.library.order_recipes(caller, &order).await.unwrap();
    assert_eq!(files(&grant(node, caller, whole, &[]).await.unwrap()), ["preview", "lq", "hq"]);
    let update = UpdateRecipe { position: Patch::Set(99), ..UpdateRecipe::default() };
    node.library.update_recipe(caller, recipe(&station, "preview").await.id, update).await.unwrap();
    assert_eq!(files(&grant(node, caller, whole, &[]).await.unwrap()), ["lq", "hq", "preview"]);
}

async fn a_session_of_one_track_survives_its_move(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (node, caller, track) = (&station.node, &station.caller, &station.track);
    let session = grant(node, caller, PlaySessionScope::Track(track.id), &[]).await.unwrap().session;
    let of_collection = PlaySessionScope::Collection(track.collection_id);
    let of_collection = grant(node, caller, of_collection, &[]).await.unwrap().session;
    let create = CreateCollection { title: "Second".to_owned(), ..CreateCollection::default() };
    let second = node.library.create_collection(caller, create).await.unwrap().0.collection.id;
    let update = UpdateTrack { collection_id: Patch::Set(second), ..UpdateTrack::default() };
    node.library.update_track(caller, track.id, update).await.unwrap();

    let opened = node.playback.play_session(caller, session.id).await.unwrap();
    assert_eq!(files(&opened), ["hq", "lq", "preview"]);
    assert!(!opened.tracks.is_empty());
    node.playback.play_track(session.id, track.id, None).await.unwrap();
    let gone = node.playback.play_track(of_collection.id, track.id, None).await;
    assert!(matches!(gone, Err(Refusal::NotFound(_))), "{:?}", gone.err());
}

/// Several tracks may have a variant of their own with one name.
async fn variants_of_tracks_are_named_within_the_scope_of_a_key(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (node, caller, track) = (&station.node, &station.caller, &station.track);
    let key = station.made_by(recipe(&station, "original").await).object().unwrap().clone();
    let source = Source { key, size: 1, sha256: [1; 32] };
    let create = CreateTrack {
        collection_id: Some(track.collection_id),
        file_name: "other.wav".to_owned(),
        ..CreateTrack::default()
    };
    let other = node.library.create_track(caller, create).await.unwrap().0.track;
    let kind = RecipeKind::Transcode(Transcode::default());
    for own in [track, &other] {
        let tx = node.catalog.begin().await.unwrap();
        let read = tx.track(caller.organization_id, own.id).await.unwrap().unwrap();
        let (status, source) = (TrackStatus::Ready, Some(source.clone()));
        tx.update_track(&Track { status, source, ..read }).await.unwrap();
        tx.commit().await.unwrap();
        node.library.add_variant(caller, own.id, index("teaser"), kind.clone()).await.unwrap();
    }
    let share = |title: &str| CreateKey {
        variants: Selection::one(index("teaser")),
        ..CreateKey::new(KeyType::Share, title)
    };
    let of_all = node.library.create_key(caller, share("All")).await.unwrap();
    let scope = (Some(track.collection_id), Some(track.id));
    let of_one = CreateKey { collection_id: scope.0, track_id: scope.1, ..share("One") };
    let of_one = node.library.create_key(caller, of_one).await.unwrap();
    for own in [track, &other] {
        let recipes = node.catalog.recipes_for_track(caller.organization_id, own.id).await.unwrap();
        let recipe = recipes.into_iter().find(|recipe| recipe.index == index("teaser")).unwrap();
        let tx = node.catalog.begin().await.unwrap();
        let read = tx.track(caller.organization_id, own.id).await.unwrap().unwrap();
        tx.put_track_file(&TrackFile { track_id: own.id, ..station.made_by(recipe) }).await.unwrap();
        tx.update_track(&Track { status: TrackStatus::Ready, ..read }).await.unwrap();
        tx.commit().await.unwrap();
        let opens = async |key: &str| node.playback.redirect_share(own.id, key, None).await.is_ok();
        assert!(opens(of_all.text.reveal()).await);
        assert_eq!(opens(of_one.text.reveal()).await, own.id == track.id);
    }
}

/// Names that no variant has are ignored, whatever they contain; a key may not have them. Each is looked for among the
/// variants of all tracks, while others wait.
async fn a_thousand_names_can_be_asked_for_and_no_more(database: TestDatabase) {
    let station = Station::open(database, FOR_EVER).await;
    let (node, caller) = (&station.node, &station.caller);
    let many: Vec<String> = (0..998).map(|number| format!("v{number}")).collect();
    let mut asked: Vec<&str> = many.iter().map(String::as_str).collect();
    asked.extend(["a\0b", "hq"]);
    let scope = PlaySessionScope::Collection(station.track.collection_id);
    let opened = grant(node, caller, scope, &asked).await.unwrap();
    assert_eq!(files(&opened), ["hq"]);
    asked.push("lq");
    let refused = grant(node, caller, scope, &asked).await.unwrap_err();
    assert_eq!(refused.to_string(), "variants: cannot name more than 1000 variants");
    let variants = VariantList::new(many.iter().map(|name| index(name))).map(Selection::Only).unwrap();
    let create = CreateKey { variants, ..CreateKey::new(KeyType::Player, "Many") };
    match node.library.create_key(caller, create).await {
        Err(Refusal::Invalid { field, message }) => {
            assert!(field == "variants" && message.len() < 1000, "{} bytes", message.len());
        }
        other => panic!("{other:?}"),
    }
    let many = (0..1001).map(|number| index(&format!("v{number}")));
    let variants = VariantList::new(many).map(Selection::Only).unwrap();
    let create = CreateKey { variants, ..CreateKey::new(KeyType::Player, "Too many") };
    let refused = node.library.create_key(caller, create).await.err().unwrap();
    assert!(matches!(refused, Refusal::Invalid { field: "variants", .. }), "{refused}");
}
