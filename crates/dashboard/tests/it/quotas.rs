//! Quotas are shown to members, and a refused upload says why.

use serde_json::Value;
use tonearm_domain::Patch;
use tonearm_fixtures::TestDatabase;
use tonearm_service::{Caller, UpdateQuotas};

use crate::house::House;

crate::on_both!(quotas_are_shown_with_what_is_used, a_refused_upload_says_why);

async fn set(house: &House, update: UpdateQuotas) {
    house.library.set_quotas(&Caller::owner(house.organization_id), update).await.unwrap();
}

async fn quotas_are_shown_with_what_is_used(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let pages = [house.path("/usage"), house.path("/organization")];
    for page in &pages {
        assert!(!owner.get(page).await.html.contains("Quotas"), "nothing is limited");
    }
    set(&house, UpdateQuotas { bytes: Patch::Set(2_000_000), tracks: Patch::Set(0), ..Default::default() })
        .await;
    for page in &pages {
        let html = owner.get(page).await.html;
        let quotas = html.split_once("<h2>Quotas</h2>").unwrap().1;
        assert!(quotas.contains("value=\"0\" aria-label=\"Storage: 0 B of 2.0 MB used\""), "{quotas}");
        assert!(quotas.contains("value=\"100\" aria-label=\"Tracks: 0 of 0 used\""), "{quotas}");
        assert_eq!(quotas.matches(">Full</span>").count(), 1, "{quotas}");
        assert!(!quotas.contains("Minutes:"), "{quotas}");
    }
    let mut viewer = house.invited(&mut owner, "Vi", "viewer").await;
    assert!(viewer.get(&pages[0]).await.html.contains("<h2>Quotas</h2>"));
}

async fn a_refused_upload_says_why(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, id) = (house.administrator().await, house.collection("Small").await);
    set(&house, UpdateQuotas { tracks: Patch::Set(1), ..Default::default() }).await;
    let (page, uploads) =
        (house.path(&format!("/collections/{id}")), house.path(&format!("/collections/{id}/uploads")));
    let fields = |key| [("file_name", "a.wav"), ("session", ""), ("key", key)];
    let begun = browser.submit(&page, &uploads, &fields("1")).await;
    assert_eq!(begun.status, 200, "{}", begun.html);
    let refused = browser.submit(&page, &uploads, &fields("2")).await;
    assert_eq!(refused.status, 403);
    let said: Value = serde_json::from_str(&refused.html).unwrap();
    let said = said["message"].as_str().unwrap();
    assert!(
        said.starts_with("This exceeds the organization’s quota for tracks: 1 of 1") && said.ends_with('.'),
        "{said}"
    );
    assert!(refused.headers["content-type"].to_str().unwrap().starts_with("application/json"));
}
