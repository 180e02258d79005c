//! Links that can be used once to get in.
use tonearm_fixtures::TestDatabase;

use crate::house::{House, PASSWORD, PUBLIC_URL};

crate::on_both!(
    the_first_administrator_comes_in_once,
    a_forgotten_password_is_replaced,
    what_is_typed_is_checked,
    administrators_make_organizations,
);

async fn the_first_administrator_comes_in_once(database: TestDatabase) {
    let house = House::open(database).await;
    let [one, other] = [(); 2].map(|()| house.people.first_administrator_link());
    let (one, other) = (one.await.unwrap().unwrap().url, other.await.unwrap().unwrap().url);
    let path = |link: &str| link.strip_prefix(PUBLIC_URL).unwrap().to_owned();
    let mut browser = house.browser();
    assert!(browser.get(&path(&one)).await.html.contains("Welcome to Tonearm"));
    let fields = [("name", "Ada"), ("email", "ada@example.com"), ("password", PASSWORD)];
    assert_eq!(browser.post(&path(&one), &fields).await.status, 303);
    assert_eq!(
        browser.get(&house.path("/members")).await.status,
        200,
        "the organization is the administrator's"
    );
    for dead in [&one, &other] {
        let fields = [("name", "Eve"), ("email", "eve@example.com"), ("password", PASSWORD)];
        assert_eq!(house.browser().get(&path(dead)).await.status, 404);
        assert_eq!(house.browser().post(&path(dead), &fields).await.status, 404);
    }
    assert!(house.people.first_administrator_link().await.unwrap().is_none());
    assert_eq!(house.browser().get("/dashboard/link/nonsense").await.status, 404);
}

async fn a_forgotten_password_is_replaced(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let old = house.people.new_password_link("ada@example.com").await.unwrap().url;
    let link = house.people.new_password_link("ADA@example.com").await.unwrap().url;
    let path = |link: &str| link.strip_prefix(PUBLIC_URL).unwrap().to_owned();
    let mut other = house.browser();
    let new = [("password", "something quite new")];
    assert_eq!(other.post(&path(&old), &new).await.status, 404, "a newer link was made");
    assert_eq!(other.post(&path(&link), &new).await.status, 303);
    assert_eq!(other.get("/dashboard/profile").await.status, 200);
    assert_eq!(browser.get("/dashboard/profile").await.status, 303, "whoever was in is out");
    assert_eq!(house.browser().post(&path(&link), &new).await.status, 404, "it worked once");
    assert!(house.people.new_password_link("nobody@example.com").await.is_err());
    let late = house.people.new_password_link("ada@example.com").await.unwrap().url;
    house.clock.advance_seconds(24 * 3600);
    assert_eq!(house.browser().get(&path(&late)).await.status, 404);
}

async fn what_is_typed_is_checked(database: TestDatabase) {
    let house = House::open(database).await;
    let link = house.people.first_administrator_link().await.unwrap().unwrap().url;
    let path = link.strip_prefix(PUBLIC_URL).unwrap();
    for (field, fields) in [
        ("name", [("name", ""), ("email", "a@example.com"), ("password", PASSWORD)]),
        ("email", [("name", "A"), ("email", "nowhere"), ("password", PASSWORD)]),
        ("password", [("name", "A"), ("email", "a@example.com"), ("password", "short")]),
        (
            "password",
            [("name", "A"), ("email", "long.name@example.com"), ("password", "Long.Name@example.com")],
        ),
    ] {
        let page = house.browser().post(path, &fields).await;
        assert_eq!(page.status, 422);
        assert!(page.html.contains(&format!("id=\"{field}-problem\"")), "{}", page.html);
    }
    assert_eq!(house.browser().get(path).await.status, 200, "it still works");
}

async fn administrators_make_organizations(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let page = ada
        .submit("/dashboard/profile", "/dashboard/profile/organizations", &[("organization", "Second")])
        .await;
    assert_eq!(page.status, 303);
    assert!(ada.get(&page.location).await.html.contains("Second"));
    let mut bea = house.invited(&mut ada, "Bea", "owner").await;
    let page = bea
        .submit("/dashboard/profile", "/dashboard/profile/organizations", &[("organization", "Third")])
        .await;
    assert_eq!(page.status, 403);
    // The administrator also has access to an organization that was created outside the dashboard.
    let made = house.library.create_organization("Fourth").await.unwrap().organization.id;
    assert_eq!(ada.get(&format!("/dashboard/{made}/library")).await.status, 200);
    assert_eq!(bea.get(&format!("/dashboard/{made}/library")).await.status, 404);
}
