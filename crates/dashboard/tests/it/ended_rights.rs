//! Sign-ins, roles and offices that end while a form is on its way: nothing is done on them.

use http::Request;
use tonearm_domain::{PersonId, Role};
use tonearm_fixtures::{LateBody, TestDatabase};
use tonearm_service::OwnerlessOrganizations;

use crate::browser::{Browser, Page};
use crate::house::{House, PASSWORD};

crate::on_both!(
    a_form_that_arrives_late_invites_nobody,
    a_script_that_arrives_late_changes_nothing,
    a_former_owner_makes_no_key_with_a_form_that_arrives_late,
    an_administrator_who_was_demoted_meanwhile_gets_no_link,
    a_former_administrator_creates_no_organization_with_a_form_that_arrives_late,
    signing_out_twice_at_once_signs_out,
);

/// How a right ends.
#[derive(Debug, Clone, Copy)]
enum End {
    SignedOutEverywhere,
    Disabled,
    Demoted,
    Removed,
}

const ENDS: [End; 4] = [End::SignedOutEverywhere, End::Disabled, End::Demoted, End::Removed];

struct Scene {
    house: House,
    ada: Browser,
    bea: Browser,
    bea_id: PersonId,
}

impl Scene {
    /// An administrator, and another owner of the organization.
    async fn open(database: TestDatabase) -> Self {
        let house = House::open(database).await;
        let mut ada = house.administrator().await;
        let bea = house.invited(&mut ada, "Bea", "owner").await;
        let bea_id = house.people.person_by_email("bea@example.com").await.unwrap().id;
        Self { house, ada, bea, bea_id }
    }

    async fn end(&self, end: End) {
        let (people, owner, id) = (&self.house.people, self.house.owner(), self.bea_id);
        let person = people.person(id).await.unwrap();
        match end {
            End::SignedOutEverywhere => people.sign_out_everywhere(&person, false, None).await.unwrap(),
            End::Disabled => {
                let by = tonearm_domain::Origin::command_line();
                people.disable_person(by, id, OwnerlessOrganizations::Refuse).await.unwrap();
            }
            End::Demoted => people.set_role(&owner, id, Role::Editor).await.unwrap(),
            End::Removed => people.remove_member(&owner, id).await.unwrap(),
        }
    }

    /// Lets Bea do again what she may do as an owner.
    async fn begin_again(&mut self) {
        let (people, owner) = (&self.house.people, self.house.owner());
        people.enable_person(tonearm_domain::Origin::command_line(), self.bea_id).await.unwrap();
        if people.set_role(&owner, self.bea_id, Role::Owner).await.is_err() {
            let link = people.invite(&owner, Role::Owner, "").await.unwrap();
            let path = link.url.strip_prefix(crate::house::PUBLIC_URL).unwrap();
            self.bea.sign_in("bea@example.com", PASSWORD).await;
            let joined = self.bea.submit(path, path, &[("accept_as", &self.bea_id.to_string())]).await;
            assert_eq!(joined.status, 303, "{}", joined.html);
        }
        self.bea.sign_in("bea@example.com", PASSWORD).await;
    }

    async fn open_invitations(&self) -> usize {
        self.house.people.members(&self.house.owner()).await.unwrap().invitations.len()
    }
}

async fn a_form_that_arrives_late_invites_nobody(database: TestDatabase) {
    let mut scene = Scene::open(database).await;
    let path = scene.house.path("/members");
    for end in ENDS {
        let secret = scene.bea.get(&path).await.form_secret();
        let fields = [("form_secret", secret.as_str()), ("role", "owner"), ("email", "")];
        let (body, late) = LateBody::new(serde_urlencoded::to_string(fields).unwrap());
        let request = Request::post(&path)
            .header("origin", crate::house::PUBLIC_URL)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(body)
            .unwrap();
        let before = scene.open_invitations().await;
        let mut bea = scene.bea.clone();
        let ended = late.arrives_after(async {
            scene.end(end).await;
        });
        let (page, ()) = tokio::join!(bea.send(request), ended);
        assert!(matches!(page.status, 303 | 403 | 404), "{end:?}: {} {}", page.status, page.html);
        assert!(
            page.location.is_empty() || page.location.starts_with("/dashboard/sign-in"),
            "{}",
            page.location
        );
        assert_eq!(scene.open_invitations().await, before, "{end:?}");
        scene.begin_again().await;
    }
    let invited = scene.bea.submit(&path, &path, &[("role", "viewer")]).await;
    assert_eq!(invited.status, 200, "{}", invited.html);
}

/// The form secret of a script is in a header, so its role is judged before its body is read.
async fn a_script_that_arrives_late_changes_nothing(database: TestDatabase) {
    let mut scene = Scene::open(database).await;
    let path = scene.house.path("/members");
    for end in ENDS {
        let secret = scene.bea.get(&path).await.form_secret();
        let before = scene.open_invitations().await;
        let end_it = async || scene.end(end).await;
        let page = send_late(&scene.bea, &path, &secret, "role=owner&email=", end_it).await;
        let expected = match end {
            End::SignedOutEverywhere | End::Disabled => 401,
            End::Demoted | End::Removed => 403,
        };
        assert_eq!(page.status, expected, "{end:?}: {}", page.html);
        assert_eq!(scene.open_invitations().await, before, "{end:?}");
        scene.begin_again().await;
    }
}

/// A script's form that arrives after something has happened.
async fn send_late(
    browser: &Browser,
    path: &str,
    secret: &str,
    form: &str,
    meanwhile: impl AsyncFnOnce(),
) -> Page {
    let (body, late) = LateBody::new(form);
    let request = Request::post(path)
        .header("sec-fetch-site", "same-origin")
        .header("x-form-secret", secret)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body)
        .unwrap();
    let mut browser = browser.clone();
    tokio::join!(browser.send(request), late.arrives_after(meanwhile())).0
}

/// An editor may use the form, for fewer types of keys than an owner.
async fn a_former_owner_makes_no_key_with_a_form_that_arrives_late(database: TestDatabase) {
    let mut scene = Scene::open(database).await;
    let path = scene.house.path("/keys/new");
    let form = "type=api&title=Kept&variants=hq";
    let secret = scene.bea.get(&path).await.form_secret();
    let kept = async || scene.house.library.keys(&scene.house.owner()).await.unwrap().len();
    let before = kept().await;
    let page = send_late(&scene.bea, &path, &secret, form, async || scene.end(End::Demoted).await).await;
    assert_eq!((page.status, kept().await), (403, before), "{}", page.html);
    scene.begin_again().await;
    let secret = scene.bea.get(&path).await.form_secret();
    let page = send_late(&scene.bea, &path, &secret, form, async || ()).await;
    let keys = scene.house.library.keys(&scene.house.owner()).await.unwrap();
    assert_eq!((page.status, keys.len()), (200, before + 1), "{}", page.html);
}

async fn a_former_administrator_creates_no_organization_with_a_form_that_arrives_late(
    database: TestDatabase,
) {
    let mut scene = Scene::open(database).await;
    let by = tonearm_domain::Origin::command_line();
    scene.house.people.set_administrator(by, scene.bea_id, true).await.unwrap();
    let secret = scene.bea.get("/dashboard/profile").await.form_secret();
    let demote = async || scene.house.people.set_administrator(by, scene.bea_id, false).await.unwrap();
    let page =
        send_late(&scene.bea, "/dashboard/profile/organizations", &secret, "organization=Kept", demote).await;
    assert_eq!(page.status, 403, "{}", page.html);
    assert_eq!(scene.house.library.organizations().await.unwrap().len(), 1);
}

async fn an_administrator_who_was_demoted_meanwhile_gets_no_link(database: TestDatabase) {
    let mut scene = Scene::open(database).await;
    let by = tonearm_domain::Origin::command_line();
    scene.house.people.set_administrator(by, scene.bea_id, true).await.unwrap();
    let ada = scene.house.people.person_by_email("ada@example.com").await.unwrap().id;
    let secret = scene.ada.get("/dashboard/profile").await.form_secret();
    let (body, late) = LateBody::new(format!("form_secret={secret}"));
    let request = Request::post(format!("/dashboard/people/{}/reset-password", scene.bea_id))
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body)
        .unwrap();
    let ended = late.arrives_after(async {
        scene.house.people.set_administrator(by, ada, false).await.unwrap();
    });
    let mut browser = scene.ada.clone();
    let (page, ()) = tokio::join!(browser.send(request), ended);
    assert_eq!(page.status, 403, "{}", page.html);
    assert!(!page.html.contains("/link/"), "{}", page.html);
}

/// Two clicks are two requests of one sign-in, the second of which finds that it has ended.
async fn signing_out_twice_at_once_signs_out(database: TestDatabase) {
    let mut scene = Scene::open(database).await;
    let secret = scene.bea.get("/dashboard/profile").await.form_secret();
    let sign_out = |mut browser: Browser| {
        let secret = secret.clone();
        async move { browser.post("/dashboard/sign-out", &[("form_secret", &secret)]).await }
    };
    let (first, second) = tokio::join!(sign_out(scene.bea.clone()), sign_out(scene.bea.clone()));
    for page in [&first, &second] {
        assert!(matches!(page.status, 303 | 401), "{}", page.html);
    }
    assert!(first.status == 303 || second.status == 303);
    assert_eq!(scene.bea.get("/dashboard/profile").await.status, 303);
}
