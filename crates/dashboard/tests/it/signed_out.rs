//! Requests after a sign-in has ended: people return to their page, and scripts get an error.

use axum::body::Body;
use http::Request;
use http::request::Builder;
use tonearm_fixtures::TestDatabase;

use crate::house::{House, PASSWORD, PUBLIC_URL};

crate::on_both!(
    forms_of_strangers_lead_back_to_their_page,
    scripts_are_told_and_not_led_to_a_page,
    a_page_goes_on_with_the_secret_of_the_next_sign_in,
    pages_without_an_icon_have_that_of_the_dashboard,
    addresses_with_a_slash_at_the_end_lead_to_the_page,
);

async fn forms_of_strangers_lead_back_to_their_page(database: TestDatabase) {
    let house = House::open(database).await;
    house.administrator().await;
    let mut stranger = house.browser();
    let (page, action) = (house.path("/webhooks?state=failed"), house.path("/webhooks/track/set"));
    for (referer, expected) in [
        (Some(format!("{PUBLIC_URL}{page}")), Some(&page)),
        (Some(format!("https://evil.example{page}")), None),
        (Some("https://audio.example.com@evil.example/dashboard/".to_owned()), None),
        (Some(format!("{PUBLIC_URL}/share/abc")), None),
        (None, None),
    ] {
        let mut request = Request::post(&action).header("sec-fetch-site", "same-origin");
        if let Some(referer) = &referer {
            request = request.header("referer", referer);
        }
        let answer = stranger.send(request.body(Body::empty()).unwrap()).await;
        let next = expected.map(|page| ("next", page.as_str()));
        let query: Vec<_> = next.into_iter().chain([("unsaved", "1")]).collect();
        let expected = format!("/dashboard/sign-in?{}", serde_urlencoded::to_string(query).unwrap());
        assert_eq!((answer.status, answer.location), (303, expected), "{referer:?}");
    }
    let asked = stranger.get("/dashboard/sign-in?unsaved=1").await;
    assert!(asked.html.contains("What you submitted was not saved."), "{}", asked.html);
    let fields = [("email", "ada@example.com"), ("password", PASSWORD), ("next", page.as_str())];
    assert_eq!(stranger.post("/dashboard/sign-in", &fields).await.location, page);
}

fn by_script(request: Builder) -> Request<Body> {
    request
        .header("sec-fetch-site", "same-origin")
        .header("sec-fetch-mode", "cors")
        .body(Body::empty())
        .unwrap()
}

async fn scripts_are_told_and_not_led_to_a_page(database: TestDatabase) {
    let house = House::open(database).await;
    house.administrator().await;
    let collection = house.collection("Season").await;
    let track = house.track(collection, "a.wav").await;
    let get = [
        "/progress".to_owned(),
        "/colours?colour=%23ffffff".to_owned(),
        format!("/tracks/{track}/state.json"),
        format!("/tracks/{track}/row"),
        format!("/tracks/{track}/player.json"),
        format!("/collections/{collection}"),
    ];
    let requests = get.iter().map(|path| Request::get(house.path(path)));
    let post = Request::post(house.path(&format!("/collections/{collection}/uploads")));
    for request in requests.chain([post, Request::get("/dashboard/session.json")]) {
        let request = by_script(request);
        let path = request.uri().path().to_owned();
        let answer = house.browser().send(request).await;
        assert_eq!((answer.status, answer.location.as_str()), (401, ""), "{path}");
        assert_eq!(answer.headers["content-type"], "application/json", "{path}");
        assert_eq!(
            answer.html, "{\"message\":\"Your session has expired. Sign in again to continue.\"}",
            "{path}"
        );
    }
}

async fn a_page_goes_on_with_the_secret_of_the_next_sign_in(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let collection = house.collection("Season").await;
    let page = browser.get(&house.path(&format!("/collections/{collection}"))).await;
    let person = page.between("data-person=\"", "\"");
    let old = page.form_secret();
    browser.submit("/dashboard/profile", "/dashboard/sign-out", &[]).await;
    browser.sign_in("ada@example.com", PASSWORD).await;
    let begin = |secret: &str| {
        Request::post(house.path(&format!("/collections/{collection}/uploads")))
            .header("sec-fetch-site", "same-origin")
            .header("x-form-secret", secret)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from("file_name=a.wav"))
            .unwrap()
    };
    assert_eq!(browser.send(begin(&old)).await.status, 401);
    let session = browser.send(by_script(Request::get("/dashboard/session.json"))).await;
    let session: serde_json::Value = serde_json::from_str(&session.html).unwrap();
    assert_eq!(session["person_id"], person.as_str());
    assert_eq!(browser.send(begin(session["form_secret"].as_str().unwrap())).await.status, 200);
}

async fn pages_without_an_icon_have_that_of_the_dashboard(database: TestDatabase) {
    let house = House::open(database).await;
    let mut stranger = house.browser();
    let answer = stranger.get("/favicon.ico").await;
    assert_eq!(answer.status, 307);
    let icon = stranger.get(&answer.location).await;
    assert_eq!((icon.status, &icon.headers["content-type"]), (200, &"image/svg+xml".parse().unwrap()));
}

async fn addresses_with_a_slash_at_the_end_lead_to_the_page(database: TestDatabase) {
    let house = House::open(database).await;
    let mut stranger = house.browser();
    for (typed, page) in [
        ("/dashboard/", "/dashboard"),
        ("/dashboard/?a=b", "/dashboard?a=b"),
        ("/dashboard/library//", "/dashboard/library"),
        ("/dashboard//evil.example/", "/dashboard//evil.example"),
        ("/docs/", "/docs"),
        ("/docs/tracks/", "/docs/tracks"),
    ] {
        let answer = stranger.get(typed).await;
        assert_eq!((answer.status, answer.location.as_str()), (308, page), "{typed}");
    }
}
