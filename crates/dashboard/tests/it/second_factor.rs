//! Two-factor authentication: set up, requested, and lost.
use tonearm_domain::Clock;
use tonearm_fixtures::TestDatabase;
use tonearm_signing::TotpSecret;

use crate::browser::{Browser, Page};
use crate::house::{House, PASSWORD, PUBLIC_URL};

crate::on_both!(
    a_code_is_asked_for_after_the_password,
    a_recovery_code_works_once,
    codes_are_guessed_slowly,
    a_challenge_ends,
    a_link_for_a_new_password_is_no_way_around,
    setting_up_needs_the_password_and_a_code,
    an_administrator_resets_it,
);

const EMAIL: &str = "ada@example.com";
const PAGE: &str = "/dashboard/profile/second-factor";

/// The secret in an app that has scanned the page.
fn scanned(page: &Page) -> TotpSecret {
    TotpSecret::from_base32(&page.between("<code id=\"secret\">", "</code>")).unwrap()
}

/// Sets up two-factor authentication; returns the app's secret and the recovery codes.
async fn set_up(house: &House, browser: &mut Browser) -> (TotpSecret, Vec<String>) {
    let page = browser.submit(PAGE, PAGE, &[("current", PASSWORD)]).await;
    assert_eq!(page.status, 200, "{}", page.html);
    assert!(page.html.contains("<svg class=\"qr\""), "{}", page.html);
    let app = scanned(&page);
    let code = app.code_at(house.clock.now());
    let page = browser.submit(PAGE, &format!("{PAGE}/confirm"), &[("code", &code)]).await;
    assert_eq!(page.status, 200, "{}", page.html);
    let codes = page.between("<code id=\"recovery-codes\">", "</code>");
    let codes: Vec<String> = codes.split_whitespace().map(str::to_owned).collect();
    assert_eq!(codes.len(), 10);
    house.clock.advance_seconds(60);
    (app, codes)
}

async fn password(browser: &mut Browser) -> Page {
    let fields = [("email", EMAIL), ("password", PASSWORD), ("next", "/dashboard/profile")];
    browser.post("/dashboard/sign-in", &fields).await
}

async fn code(browser: &mut Browser, code: &str) -> Page {
    let fields = [("code", code), ("next", "/dashboard/profile")];
    browser.post("/dashboard/sign-in/code", &fields).await
}

async fn a_code_is_asked_for_after_the_password(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let (app, _) = set_up(&house, &mut ada).await;
    let mut other = house.browser();
    assert_eq!(other.get("/dashboard/sign-in/code").await.location, "/dashboard/sign-in");
    let asked = password(&mut other).await;
    assert_eq!(
        (asked.status, asked.location.as_str()),
        (303, "/dashboard/sign-in/code?next=%2Fdashboard%2Fprofile")
    );
    assert_eq!(other.cookie("__Host-tonearm"), None);
    assert_eq!(other.get("/dashboard/profile").await.status, 303, "the password alone is not enough");
    assert!(other.get(&asked.location).await.html.contains("Two-factor authentication"));
    let wrong = code(&mut other, "000000").await;
    assert_eq!(wrong.status, 422);
    assert!(wrong.html.contains("The code is wrong or was already used."), "{}", wrong.html);
    let right = app.code_at(house.clock.now());
    let spaced = format!("{} {}", &right[..3], &right[3..]);
    let mut same = other.clone();
    let entered = code(&mut other, &spaced).await;
    assert_eq!((entered.status, entered.location.as_str()), (303, "/dashboard/profile"));
    assert_eq!(other.cookie("__Host-tonearm_challenge"), None);
    assert_eq!(other.get("/dashboard/profile").await.status, 200);
    // A code cannot be used a second time, for example by somebody who saw it.
    assert_eq!(code(&mut same, &right).await.status, 422);
    // Once it is turned off, the password is enough.
    house.clock.advance_seconds(60);
    let right = app.code_at(house.clock.now());
    let off = ada.submit(PAGE, &format!("{PAGE}/remove"), &[("removing", &right)]).await;
    assert_eq!(off.status, 303, "{}", off.html);
    assert_eq!(password(&mut house.browser()).await.location, "/dashboard/profile");
}

async fn a_recovery_code_works_once(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let (app, codes) = set_up(&house, &mut ada).await;
    for (typed, status) in [(codes[0].to_uppercase().replace('-', " "), 303), (codes[0].clone(), 422)] {
        let mut other = house.browser();
        password(&mut other).await;
        assert_eq!(code(&mut other, &typed).await.status, status);
    }
    assert!(ada.get("/dashboard/profile").await.html.contains("9 of 10 recovery codes left"));
    let right = app.code_at(house.clock.now());
    let page = ada.submit(PAGE, &format!("{PAGE}/recovery-codes"), &[("renewing", &right)]).await;
    let fresh = page.between("<code id=\"recovery-codes\">", "</code>");
    assert!(!fresh.contains(&codes[1]), "{fresh}");
    let mut other = house.browser();
    password(&mut other).await;
    assert_eq!(code(&mut other, &codes[1]).await.status, 422, "the old ones are replaced");
    assert_eq!(code(&mut other, fresh.split_whitespace().next().unwrap()).await.status, 303);
    let entries = house.catalog.audit_entries(None, &Default::default(), None, 100).await.unwrap();
    for action in ["second_factor_enable", "recovery_code_use", "recovery_codes_renew", "sign_in_failed"] {
        assert!(entries.iter().any(|entry| entry.action == format!("person.{action}")), "{action}");
    }
}

async fn codes_are_guessed_slowly(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let (app, _) = set_up(&house, &mut ada).await;
    let mut stranger = house.browser();
    password(&mut stranger).await;
    for number in 0..10 {
        assert_eq!(code(&mut stranger, &format!("00000{number}")).await.status, 422);
    }
    let right = app.code_at(house.clock.now());
    let refused = code(&mut stranger, &right).await;
    assert_eq!(refused.status, 429);
    assert!(refused.headers.contains_key("retry-after"));
    // Entering the password again allows no more guesses.
    password(&mut stranger).await;
    assert_eq!(code(&mut stranger, &right).await.status, 429);
    // The owner can still sign in on a known device.
    let mut owner = ada.clone();
    owner.submit("/dashboard/profile", "/dashboard/sign-out", &[]).await;
    password(&mut owner).await;
    assert_eq!(code(&mut owner, &right).await.status, 303);
}

async fn a_challenge_ends(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let (app, _) = set_up(&house, &mut ada).await;
    let mut other = house.browser();
    password(&mut other).await;
    let mut late = other.clone();
    house.clock.advance_seconds(300);
    let over = code(&mut late, &app.code_at(house.clock.now())).await;
    assert!(over.status == 422 && over.html.contains("This took too long; sign in again."), "{}", over.html);
    // Changing the password ends it too.
    password(&mut other).await;
    let fields = [("current", PASSWORD), ("password", "another good one")];
    let changed = ada.submit("/dashboard/profile", "/dashboard/profile/password", &fields).await;
    assert_eq!(changed.status, 303, "{}", changed.html);
    let right = app.code_at(house.clock.now());
    assert!(code(&mut other, &right).await.html.contains("sign in again"));
    other.set_cookie("__Host-tonearm_challenge", "00ff");
    assert!(code(&mut other, &right).await.html.contains("sign in again"));
}

async fn a_link_for_a_new_password_is_no_way_around(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let (app, _) = set_up(&house, &mut ada).await;
    let link = house.people.new_password_link(EMAIL).await.unwrap().url;
    let mut other = house.browser();
    let page =
        other.post(link.strip_prefix(PUBLIC_URL).unwrap(), &[("password", "something quite new")]).await;
    assert!(page.location.starts_with("/dashboard/sign-in/code"), "{}", page.location);
    assert_eq!(other.get("/dashboard/profile").await.status, 303);
    assert_eq!(code(&mut other, &app.code_at(house.clock.now())).await.status, 303);
}

async fn setting_up_needs_the_password_and_a_code(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let wrong = ada.submit(PAGE, PAGE, &[("current", "a wrong guess")]).await;
    assert!(wrong.status == 422 && wrong.html.contains("This password is incorrect."), "{}", wrong.html);
    let begun = ada.submit(PAGE, PAGE, &[("current", PASSWORD)]).await;
    let wrong = ada.submit(PAGE, &format!("{PAGE}/confirm"), &[("code", "000000")]).await;
    assert!(wrong.status == 422 && wrong.html.contains("id=\"code-problem\""), "{}", wrong.html);
    let both = [begun, wrong].map(|page| page.between("<code id=\"secret\">", "</code>"));
    assert_eq!(both[0], both[1], "the app need not scan again");
    // An unfinished setup does not require a code.
    assert_eq!(password(&mut house.browser()).await.location, "/dashboard/profile");
    for action in ["remove", "recovery-codes"] {
        let fields = [("removing", "000000"), ("renewing", "000000")];
        assert_eq!(ada.submit(PAGE, &format!("{PAGE}/{action}"), &fields).await.status, 422, "{action}");
    }
    for action in ["", "/confirm", "/remove", "/recovery-codes"] {
        let forged = ada.post(&format!("{PAGE}{action}"), &[("current", PASSWORD)]).await;
        assert_eq!(forged.status, 403, "without the form secret: {action}");
    }
}

async fn an_administrator_resets_it(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    set_up(&house, &mut ada).await;
    let mut bea = house.invited(&mut ada, "Bea", "viewer").await;
    set_up(&house, &mut bea).await;
    let id = house.people.person_by_email("bea@example.com").await.unwrap().id;
    let account = format!("/dashboard/people/{id}");
    let reset = ada.submit(&account, &format!("{account}/reset-second-factor"), &[]).await;
    assert_eq!(reset.status, 303, "{}", reset.html);
    assert_eq!(bea.get("/dashboard/profile").await.status, 303);
    let fields = [("email", "bea@example.com"), ("password", PASSWORD)];
    assert_eq!(bea.post("/dashboard/sign-in", &fields).await.location, "/dashboard");
    let again = ada.submit(&account, &format!("{account}/reset-second-factor"), &[]).await;
    assert_eq!(again.status, 409);
}
