//! Administrators managing accounts, and invitations that other people open.
use tonearm_fixtures::TestDatabase;

use crate::browser::{Browser, Page};
use crate::house::{House, PASSWORD, PUBLIC_URL};

crate::on_both!(
    a_disabled_person_is_out_at_once,
    a_removed_person_is_gone_and_what_they_made_stays,
    the_last_owner_and_the_last_administrator_stay,
    only_administrators_manage_people,
    an_administrator_makes_password_links,
    sessions_are_ended_and_the_person_comes_back,
    people_are_found_in_pages,
    an_invitation_is_used_only_by_accepting_it,
    an_invitation_ends_with_the_account_that_made_it,
);

async fn id_of(house: &House, email: &str) -> String {
    house.people.person_by_email(email).await.unwrap().id.to_string()
}

/// Submits an action on the account of a person.
async fn act(browser: &mut Browser, id: &str, action: &str, fields: &[(&str, &str)]) -> Page {
    let page = format!("/dashboard/people/{id}");
    browser.submit(&page, &format!("{page}/{action}"), fields).await
}

async fn a_disabled_person_is_out_at_once(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let mut bea = house.invited(&mut ada, "Bea", "editor").await;
    let (id, library) = (id_of(&house, "bea@example.com").await, house.path("/library"));
    assert_eq!(bea.get(&library).await.status, 200);
    assert_eq!(act(&mut ada, &id, "disable", &[]).await.status, 303);
    assert_eq!(bea.get(&library).await.status, 303);
    let refused = bea.sign_in("bea@example.com", PASSWORD).await;
    assert_eq!(refused.status, 422);
    assert!(refused.html.contains("This account is disabled"), "{}", refused.html);
    // A caller who does not know the password does not learn this.
    let guess = [("email", "bea@example.com"), ("password", "a wrong guess")];
    assert!(house.browser().post("/dashboard/sign-in", &guess).await.html.contains("is wrong"));
    assert!(house.people.new_password_link("bea@example.com").await.is_err());
    let page = ada.get(&format!("/dashboard/people/{id}")).await;
    assert!(page.html.contains("Not signed in anywhere."), "{}", page.html);
    assert_eq!(act(&mut ada, &id, "enable", &[]).await.status, 303);
    assert_eq!(bea.sign_in("bea@example.com", PASSWORD).await.status, 303);
    assert_eq!(bea.get(&library).await.status, 200, "the role is still there");
}

async fn a_removed_person_is_gone_and_what_they_made_stays(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let mut bea = house.invited(&mut ada, "Bea", "owner").await;
    let new = house.path("/keys/new");
    let made = bea.submit(&new, &new, &[("type", "api"), ("title", "Made by Bea")]).await;
    assert_eq!(made.status, 200, "{}", made.html);
    let id = id_of(&house, "bea@example.com").await;
    let removed = act(&mut ada, &id, "remove", &[]).await;
    assert_eq!((removed.status, removed.location.as_str()), (303, "/dashboard/people"));
    assert_eq!(bea.get(&house.path("/library")).await.status, 303);
    assert_eq!(bea.sign_in("bea@example.com", PASSWORD).await.status, 422);
    assert_eq!(ada.get(&format!("/dashboard/people/{id}")).await.status, 404);
    assert!(ada.get(&house.path("/keys")).await.html.contains("Made by Bea"));
    let log = ada.get(&house.path("/audit")).await.html;
    assert!(log.contains("Former member") && log.contains("member.remove"), "{log}");
    assert!(!ada.get(&house.path("/members")).await.html.contains("bea@example.com"));
    // The address is free again.
    house.invited(&mut ada, "Bea", "viewer").await;
}

async fn the_last_owner_and_the_last_administrator_stay(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let mut bea = house.invited(&mut ada, "Bea", "owner").await;
    let (own, id) = (id_of(&house, "ada@example.com").await, id_of(&house, "bea@example.com").await);
    for (action, fields, told) in [
        ("disable", vec![], "You cannot disable your own account"),
        ("remove", vec![], "You cannot remove your own account"),
        ("administrator", vec![("to", "no")], "Ada is the only administrator who can sign in"),
    ] {
        let page = act(&mut ada, &own, action, &fields).await;
        assert_eq!(page.status, 409, "{action}");
        assert!(page.html.contains(told), "{}", page.html);
    }
    // Ada leaves the organization to Bea, who is then its only owner.
    let members = house.path("/members");
    assert_eq!(ada.submit("/dashboard/profile", &format!("{members}/{own}/remove"), &[]).await.status, 303);
    for action in ["disable", "remove"] {
        let page = act(&mut ada, &id, action, &[]).await;
        assert_eq!(page.status, 409);
        assert!(page.html.contains("Bea is the only owner of “Example Radio”"), "{}", page.html);
        assert_eq!(bea.get(&members).await.status, 200);
    }
    let page = act(&mut ada, &id, "disable", &[("takes_over", "on")]).await;
    assert_eq!(page.status, 303, "{}", page.html);
    assert_eq!(ada.get(&members).await.status, 200);
    // A disabled owner does not count when another owner wants to leave.
    let page = ada.submit(&members, &format!("{members}/{own}/remove"), &[]).await;
    assert_eq!(page.status, 409);
    // A disabled administrator does not count either.
    act(&mut ada, &id, "enable", &[]).await;
    assert_eq!(act(&mut ada, &id, "administrator", &[("to", "yes")]).await.status, 303);
    act(&mut ada, &id, "disable", &[]).await;
    assert_eq!(act(&mut ada, &own, "administrator", &[("to", "no")]).await.status, 409);
    act(&mut ada, &id, "enable", &[]).await;
    let page = act(&mut ada, &own, "administrator", &[("to", "no")]).await;
    assert_eq!((page.status, page.location.as_str()), (303, "/dashboard/profile"));
    assert_eq!(ada.get("/dashboard/people").await.status, 403);
}

async fn only_administrators_manage_people(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let mut bea = house.invited(&mut ada, "Bea", "owner").await;
    let own = id_of(&house, "ada@example.com").await;
    let account = format!("/dashboard/people/{own}");
    assert_eq!(house.browser().get("/dashboard/people").await.status, 303);
    for path in ["/dashboard/people", &account] {
        let page = bea.get(path).await;
        assert_eq!(page.status, 403, "{path}");
        assert!(page.html.contains("Only administrators can do this."), "{}", page.html);
    }
    for action in ["disable", "enable", "remove", "end-sessions", "reset-password", "administrator"] {
        let action = format!("{account}/{action}");
        assert_eq!(bea.submit("/dashboard/profile", &action, &[("to", "no")]).await.status, 403, "{action}");
        let forged = ada.post(&action, &[("to", "no")]).await;
        assert_eq!(forged.status, 403, "without the form secret: {action}");
    }
    assert!(!bea.get("/dashboard/profile").await.html.contains("/dashboard/people"));
    assert!(ada.get("/dashboard/profile").await.html.contains("/dashboard/people"));
}

async fn an_administrator_makes_password_links(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let mut bea = house.invited(&mut ada, "Bea", "viewer").await;
    let id = id_of(&house, "bea@example.com").await;
    let page = act(&mut ada, &id, "reset-password", &[]).await;
    let link = page.between("<code id=\"link\">", "</code>");
    let path = link.strip_prefix(PUBLIC_URL).unwrap();
    let mut other = house.browser();
    assert_eq!(other.post(path, &[("password", "something quite new")]).await.status, 303);
    assert_eq!(bea.get("/dashboard/profile").await.status, 303, "whoever was in is out");
}

async fn sessions_are_ended_and_the_person_comes_back(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let mut bea = house.invited(&mut ada, "Bea", "viewer").await;
    let id = id_of(&house, "bea@example.com").await;
    assert_eq!(act(&mut ada, &id, "end-sessions", &[]).await.status, 303);
    assert_eq!(bea.get("/dashboard/profile").await.status, 303);
    assert_eq!(bea.sign_in("bea@example.com", PASSWORD).await.status, 303);
    let filter = tonearm_service::AuditFilter::default();
    let entries = house.catalog.audit_entries(None, &filter, None, 10).await.unwrap();
    assert!(entries.iter().any(|entry| entry.action == "person.end_sessions"), "{entries:?}");
}

async fn people_are_found_in_pages(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    for number in 0..60 {
        house.clock.advance_seconds(1);
        let name = format!("Person {number:02} <b>%");
        house.people.add_person(&name, &format!("p{number:02}@example.com"), false).await.unwrap();
    }
    let first = ada.get("/dashboard/people").await;
    assert!(
        first.html.contains("p48@example.com") && !first.html.contains("p49@example.com"),
        "{}",
        first.html
    );
    assert!(!first.html.contains("<b>%"));
    let next = first.between("rel=\"next\" href=\"", "\"").replace("&#38;", "&");
    let second = ada.get(&format!("/dashboard/people{next}")).await;
    assert!(second.html.contains("p59@example.com") && !second.html.contains("p48@example.com"));
    let found = ada.get("/dashboard/people?q=P57+%25").await;
    assert!(found.html.contains("p57@example.com") && !found.html.contains("p58@example.com"));
    let none = ada.get("/dashboard/people?q=_57").await;
    assert!(none.html.contains("Nobody found"), "{}", none.html);
}

/// Creates an invitation as an owner, and returns its path.
async fn invitation(house: &House, owner: &mut Browser, email: &str) -> String {
    let members = house.path("/members");
    let page = owner.submit(&members, &members, &[("role", "editor"), ("email", email)]).await;
    page.between("<code id=\"link\">https://audio.example.com", "</code>")
}

async fn an_invitation_is_used_only_by_accepting_it(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let link = invitation(&house, &mut ada, "bea@example.com").await;
    let own = id_of(&house, "ada@example.com").await;
    // The owner can open the link without using it up, whatever is sent.
    let page = ada.get(&link).await;
    assert!(page.html.contains("The invitation was not used."), "{}", page.html);
    assert!(!page.html.contains("accept_as"), "{}", page.html);
    for fields in [vec![], vec![("accept_as", own.as_str())], vec![("password", PASSWORD)]] {
        assert_eq!(ada.post(&link, &fields).await.status, 409, "{fields:?}");
    }
    // A person who is signed in is asked first, even if the page was opened before they signed in.
    let second = house.library.create_organization("Second").await.unwrap().organization.id;
    let other = format!("/dashboard/{second}/members");
    let page = ada.submit(&other, &other, &[("role", "viewer"), ("email", "")]).await;
    let elsewhere = page.between("<code id=\"link\">https://audio.example.com", "</code>");
    let mut cleo = house.browser();
    let fields = [("name", "Cleo"), ("email", "cleo@example.com"), ("password", PASSWORD)];
    assert_eq!(cleo.post(&elsewhere, &fields).await.status, 303);
    let page = cleo.get(&link).await;
    assert!(page.html.contains("This invitation was made for bea@example.com."), "{}", page.html);
    let asked = cleo.post(&link, &fields).await;
    assert_eq!(asked.status, 409);
    assert!(asked.html.contains("Accept as Cleo"), "{}", asked.html);
    let stranger = cleo.post(&link, &[("accept_as", own.as_str())]).await;
    assert_eq!(stranger.status, 409, "the page was somebody else's");
    let cleos = id_of(&house, "cleo@example.com").await;
    let signed_out = house.browser().post(&link, &[("accept_as", cleos.as_str())]).await;
    assert!(signed_out.html.contains("Your name"), "{}", signed_out.html);
    // Signing out leads back to the invitation.
    let page = cleo.submit(&link, "/dashboard/sign-out", &[("next", &link)]).await;
    assert_eq!(page.location, link);
    let page = cleo.get(&link).await;
    assert!(page.html.contains(&format!("/dashboard/sign-in?next={link}")), "{}", page.html);
    let fields = [("email", "cleo@example.com"), ("password", PASSWORD), ("next", link.as_str())];
    assert_eq!(cleo.post("/dashboard/sign-in", &fields).await.location, link);
    let accepted = cleo.post(&link, &[("accept_as", cleos.as_str())]).await;
    assert_eq!((accepted.status, accepted.location), (303, house.path("/library")));
    assert_eq!(cleo.get(&house.path("/library")).await.status, 200);
    assert_eq!(house.browser().get(&link).await.status, 404, "it worked once");
}

async fn an_invitation_ends_with_the_account_that_made_it(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let mut bea = house.invited(&mut ada, "Bea", "owner").await;
    let (by_bea, by_ada) = (invitation(&house, &mut bea, "").await, invitation(&house, &mut ada, "").await);
    let id = id_of(&house, "bea@example.com").await;
    act(&mut ada, &id, "disable", &[]).await;
    assert_eq!(house.browser().get(&by_bea).await.status, 404);
    assert_eq!(house.browser().get(&by_ada).await.status, 200);
}
