//! Roles and memberships.
use tonearm_fixtures::{TestDatabase, Victims};

use crate::house::House;

/// As that of one of two owners who remove each other. The page reads none of the form but its secret.
#[tokio::test]
async fn a_form_whose_transaction_is_ended_is_run_again() {
    let database = TestDatabase::migrated_postgres(tonearm_fixtures::migrate!()).await;
    let victims = Victims::of(&database.url);
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let members = house.path("/members");
    for (nth, name) in [(1, "One"), (2, "Two"), (3, "Three")] {
        house.invited(&mut owner, name, "owner").await;
        let email = format!("{}@example.com", name.to_lowercase());
        let id = house.people.person_by_email(&email).await.unwrap().id;
        let form = owner.get(&members).await;
        victims.choose(nth);
        let secret = form.form_secret();
        let removed =
            owner.post(&house.path(&format!("/members/{id}/remove")), &[("form_secret", &secret)]).await;
        assert!(victims.is_struck());
        assert_eq!(removed.status, 303, "{nth}: {}", removed.html);
        assert_eq!(house.people.members(&house.owner()).await.unwrap().members.len(), 1);
    }
}

crate::on_both!(roles_reach_no_further, other_organizations_are_not_there, there_is_always_an_owner);

async fn roles_reach_no_further(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let mut editor = house.invited(&mut owner, "Ed", "editor").await;
    let mut viewer = house.invited(&mut owner, "Vi", "viewer").await;
    for (path, for_owner, for_editor, for_viewer) in [
        ("/library", 200, 200, 200),
        ("/keys", 200, 200, 403),
        ("/keys/new", 200, 200, 403),
        ("/organization", 200, 403, 403),
        ("/members", 200, 403, 403),
        ("/variants", 200, 403, 403),
        ("/webhooks", 200, 403, 403),
        ("/transcription", 200, 403, 403),
        ("/audit", 200, 403, 403),
        ("/audit.ndjson", 200, 403, 403),
        ("/usage", 200, 200, 200),
        ("/usage.csv", 200, 200, 200),
        ("/nothing", 404, 404, 404),
    ] {
        let path = house.path(path);
        assert_eq!(owner.get(&path).await.status, for_owner, "{path}");
        assert_eq!(editor.get(&path).await.status, for_editor, "{path}");
        assert_eq!(viewer.get(&path).await.status, for_viewer, "{path}");
    }
    let library = house.path("/library");
    for (path, fields) in [
        ("/organization", [("name", "Mine"), ("player_color", "#000000")]),
        ("/members", [("role", "owner"), ("email", "")]),
        ("/organization/cover", [("a", ""), ("b", "")]),
    ] {
        for browser in [&mut editor, &mut viewer] {
            let page = browser.submit(&library, &house.path(path), &fields).await;
            assert_eq!(page.status, 403, "{path}");
            assert!(page.html.contains("Only owners can open this"), "{}", page.html);
        }
    }
    assert!(!owner.get(&library).await.html.contains("Mine"));
}

async fn other_organizations_are_not_there(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let mut other = house.invited(&mut owner, "Ed", "owner").await;
    let second = house.library.create_organization("Second").await.unwrap().organization.id;
    for path in ["/library", "/keys", "/organization", "/members"] {
        assert_eq!(other.get(&format!("/dashboard/{second}{path}")).await.status, 404);
        assert_eq!(owner.get(&format!("/dashboard/{second}{path}")).await.status, 200);
    }
    assert_eq!(other.get("/dashboard/not-an-id/library").await.status, 404);
    let action = format!("/dashboard/{second}/organization");
    let fields = [("name", "Mine"), ("player_color", "#000000")];
    assert_eq!(other.submit(&house.path("/library"), &action, &fields).await.status, 404);
    // A member of several organizations can switch between them.
    assert!(owner.get(&house.path("/library")).await.html.contains(&format!("/dashboard/{second}/library")));
}

async fn there_is_always_an_owner(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let members = house.path("/members");
    let id = owner.get(&members).await.between("/members/", "/role");
    for (action, fields) in [("role", vec![("role", "viewer")]), ("remove", vec![])] {
        let page = owner.submit(&members, &house.path(&format!("/members/{id}/{action}")), &fields).await;
        assert_eq!(page.status, 409);
        assert!(page.html.contains("This is the only owner"), "{}", page.html);
    }
    let mut second = house.invited(&mut owner, "Bea", "owner").await;
    let page = second.submit(&members, &house.path(&format!("/members/{id}/remove")), &[]).await;
    assert_eq!(page.status, 303);
    assert_eq!(owner.get(&members).await.status, 404, "whoever was removed sees nothing of it");
    // A withdrawn invitation cannot be used.
    let page = second.submit(&members, &members, &[("role", "viewer")]).await;
    let link = page.between("<code id=\"link\">https://audio.example.com", "</code>");
    let invitation = page.between("/invitations/", "/withdraw");
    second.submit(&members, &house.path(&format!("/invitations/{invitation}/withdraw")), &[]).await;
    assert_eq!(house.browser().get(&link).await.status, 404);
}
