//! The first steps in an empty library.

use tonearm_fixtures::TestDatabase;

use crate::house::House;

crate::on_both!(
    a_library_is_named_and_its_collection_made_once,
    what_is_missing_is_named_beside_its_field,
    only_editors_set_a_library_up,
    the_sign_in_page_says_where_the_first_link_is,
);

async fn a_library_is_named_and_its_collection_made_once(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let first = ada.get("/dashboard/start").await;
    assert_eq!((first.status, first.location.as_str()), (303, house.path("/start").as_str()));
    let start = house.path("/start");
    let page = ada.submit(&start, &start, &[("name", "Harbour Radio"), ("title", "Morning show")]).await;
    assert_eq!(page.status, 303, "{}", page.html);
    let named = ada.get(&page.location).await;
    assert!(named.html.contains("Add a track to Morning show"), "{}", named.html);
    assert!(named.html.contains("Harbour Radio"), "{}", named.html);

    // Going back corrects the name, and creates no second collection.
    assert!(ada.get(&start).await.html.contains("value=\"Morning show\""));
    let again = ada.submit(&start, &start, &[("name", "Harbour Radio"), ("title", "Evening show")]).await;
    assert_eq!(again.location, page.location);
    assert!(ada.get(&house.path("/library")).await.html.contains("1 collection"));

    let id = page.location.rsplit('/').next().unwrap().parse().unwrap();
    house.track(id, "first.wav").await;
    assert_eq!(ada.get(&start).await.location, house.path("/library"), "it is not empty any more");
    let early = ada.submit(&page.location, &format!("{}/link", page.location), &[]).await;
    assert_eq!(early.status, 200, "{}", early.html);
    assert!(early.html.contains("Add a track to Evening show"), "no link before there is sound");
}

async fn what_is_missing_is_named_beside_its_field(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let start = house.path("/start");
    let page = ada.submit(&start, &start, &[("name", "Harbour Radio"), ("title", " ")]).await;
    assert_eq!(page.status, 422, "{}", page.html);
    assert!(page.html.contains("id=\"title-problem\""), "{}", page.html);
    assert!(page.html.contains("value=\"Harbour Radio\""), "what was typed stays: {}", page.html);
    let page = ada.submit(&start, &start, &[("name", ""), ("title", "Morning show")]).await;
    assert_eq!(page.status, 422, "{}", page.html);
    assert!(page.html.contains("value=\"Morning show\""), "{}", page.html);
    assert!(ada.get(&house.path("/library")).await.html.contains("No collections yet"));
}

async fn only_editors_set_a_library_up(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let start = house.path("/start");
    let mut viewer = house.invited(&mut ada, "Vera", "viewer").await;
    assert_eq!(viewer.get(&start).await.status, 403);
    assert_eq!(viewer.get("/dashboard/start").await.location, "/dashboard");
    let library = viewer.get(&house.path("/library")).await;
    assert!(library.html.contains("Ask an editor") && !library.html.contains("Get started"));

    let mut editor = house.invited(&mut ada, "Eda", "editor").await;
    let page = editor.get(&start).await;
    assert!(!page.html.contains("name=\"name\""), "only owners name the organization: {}", page.html);
    let page = editor.submit(&start, &start, &[("name", "Mine"), ("title", "Morning show")]).await;
    assert_eq!(page.status, 303, "{}", page.html);
    let page = editor.get(&page.location).await;
    assert!(page.html.contains("Example Radio") && !page.html.contains("Mine"), "{}", page.html);
}

async fn the_sign_in_page_says_where_the_first_link_is(database: TestDatabase) {
    let house = House::open(database).await;
    let mut stranger = house.browser();
    assert!(stranger.get("/dashboard/sign-in").await.html.contains("There is no account yet"));
    house.administrator().await;
    assert!(!stranger.get("/dashboard/sign-in").await.html.contains("There is no account yet"));
}
