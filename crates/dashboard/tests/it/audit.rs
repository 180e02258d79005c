//! Audit log entries about people and settings.

use futures::TryStreamExt;
use tonearm_domain::{AuditAction, AuditEntry, AuditRecord, Origin};
use tonearm_fixtures::TestDatabase;
use tonearm_service::AuditFilter;

use crate::house::{House, PASSWORD};

crate::on_both!(
    members_are_told_of_in_the_audit_log,
    changed_variants_and_withdrawn_invitations_are_told_of,
    what_people_do_to_their_accounts_is_told_of,
    no_link_leads_to_an_empty_page
);

async fn members_are_told_of_in_the_audit_log(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    house.invited(&mut owner, "Ed", "editor").await;
    let page = owner.get(&house.path("/audit")).await;
    for told in ["member.invite", "member.join", "Ada", "Ed"] {
        assert!(page.html.contains(told), "{told} in {}", page.html);
    }
    let only = owner.get(&house.path("/audit.ndjson?action=member.invite")).await;
    assert_eq!(only.headers["content-type"], "application/x-ndjson");
    let lines: Vec<serde_json::Value> =
        only.html.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 1);
    assert_eq!((&lines[0]["action"], &lines[0]["actor"]), (&"member.invite".into(), &"person".into()));
}

async fn changed_variants_and_withdrawn_invitations_are_told_of(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let (variants, members) = (house.path("/variants"), house.path("/members"));
    let fields = [("index", "mobile"), ("kind", "transcode"), ("codec", "opus"), ("bitrate", "48")];
    assert_eq!(owner.submit(&variants, &variants, &fields).await.status, 303);
    let list = owner.get(&variants).await.html;
    let id = list.rsplit_once("/variants/").unwrap().1.split('/').next().unwrap();
    for verb in ["render", "remove"] {
        let action = house.path(&format!("/variants/{id}/{verb}"));
        assert_eq!(owner.submit(&variants, &action, &[]).await.status, 303);
    }
    let invitation =
        owner.submit(&members, &members, &[("role", "viewer")]).await.between("/invitations/", "/withdraw");
    let withdraw = house.path(&format!("/invitations/{invitation}/withdraw"));
    assert_eq!(owner.submit(&members, &withdraw, &[]).await.status, 303);
    for (action, title) in [
        ("variant.create", "mobile"),
        ("variant.render", "mobile"),
        ("variant.delete", "mobile"),
        ("member.withdraw", ""),
    ] {
        let lines = owner.get(&house.path(&format!("/audit.ndjson?action={action}"))).await.html;
        let line: serde_json::Value = serde_json::from_str(&lines).unwrap();
        assert_eq!((&line["actor"], line["title"].as_str().unwrap_or_default()), (&"person".into(), title));
    }
}

async fn what_people_do_to_their_accounts_is_told_of(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let told = async |action: &str| {
        let filter = AuditFilter { action: Some(action.to_owned()), ..AuditFilter::default() };
        house.audit.export_of_none(&filter).try_collect::<Vec<AuditRecord>>().await.unwrap()
    };
    let profile = "/dashboard/profile";
    let change = async |ada: &mut crate::browser::Browser, current: &str| {
        let fields = [("current", current), ("password", "something quite new")];
        ada.submit(profile, "/dashboard/profile/password", &fields).await.status
    };
    assert_eq!(change(&mut ada, "not it at all").await, 422);
    assert_eq!(change(&mut ada, PASSWORD).await, 303);
    assert_eq!(ada.submit(profile, "/dashboard/sign-out", &[]).await.status, 303);
    for (email, password) in [("ada@example.com", PASSWORD), ("eve@example.com", PASSWORD)] {
        ada.sign_in(email, password).await;
    }
    let fields = [("email", "ada@example.com"), ("password", "something quite new")];
    assert_eq!(ada.post("/dashboard/sign-in", &fields).await.status, 303);
    assert_eq!(ada.submit(profile, "/dashboard/profile/sign-out-everywhere", &[]).await.status, 303);

    let adas = Some("ada@example.com".to_owned());
    for (action, expected) in
        [("person.sign_in", 2), ("person.password", 1), ("person.sign_out", 2), ("person.sign_in_failed", 3)]
    {
        assert_eq!(told(action).await.len(), expected, "{action}");
    }
    let mut failed: Vec<_> =
        told("person.sign_in_failed").await.into_iter().map(|line| (line.actor, line.title)).collect();
    failed.sort();
    // For accounts that do not exist, only the attempt is recorded, not the address.
    let stranger = "stranger".to_owned();
    assert_eq!(failed, [("person".to_owned(), adas.clone()), (stranger.clone(), None), (stranger, adas)]);
    // Setting a new password with a link from the command line is recorded too.
    let link = house.people.new_password_link("ada@example.com").await.unwrap().url;
    let path = link.strip_prefix(crate::house::PUBLIC_URL).unwrap();
    assert_eq!(house.browser().post(path, &[("password", "and one more of them")]).await.status, 303);
    assert_eq!(told("person.password").await.len(), 2);
}

/// Adds deletions of tracks to the audit log.
async fn record_deletions(house: &House, number: usize) {
    let ambient = house.ambient();
    let tx = house.catalog.begin().await.unwrap();
    for _ in 0..number {
        let entry = AuditEntry {
            id: ambient.record_id(),
            organization_id: Some(house.organization_id),
            at: ambient.now(),
            origin: Origin::uploader(None, None),
            action: AuditAction::TrackDelete,
            subject_id: None,
            title: None,
        };
        tx.audit(&entry).await.unwrap();
    }
    tx.commit().await.unwrap();
}

async fn no_link_leads_to_an_empty_page(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let (path, row, link) =
        (house.path("/audit?action=track.delete"), "<code>track.delete</code>", "&amp;before=");
    record_deletions(&house, 50).await;
    let page = owner.get(&path).await;
    assert_eq!(page.html.matches(row).count(), 50);
    assert!(!page.html.contains(link), "{}", page.html);
    record_deletions(&house, 1).await;
    let page = owner.get(&path).await;
    assert_eq!(page.html.matches(row).count(), 50);
    let older = owner.get(&format!("{path}&before={}", page.between(link, "\""))).await;
    assert_eq!(older.html.matches(row).count(), 1);
    assert!(!older.html.contains(link), "{}", older.html);
}
