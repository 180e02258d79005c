//! Signing in with an OpenID Connect provider: who gets in, and which accounts belong to whom.

use serde_json::json;
use tonearm_domain::Clock;
use tonearm_fixtures::TestDatabase;
use tonearm_signing::TotpSecret;

use crate::browser::{Browser, Page};
use crate::house::{House, PASSWORD, PUBLIC_URL};
use crate::provider::{ForHouse, TestProvider};

crate::on_both!(
    oidc_a_linked_account_is_known_whatever_its_address,
    oidc_an_address_with_a_password_is_not_linked_by_itself,
    oidc_links_end_with_a_password_link_and_by_administrators,
    oidc_without_a_provider_there_is_no_way,
    oidc_addresses_have_to_be_verified,
    oidc_nobody_new_gets_in_uninvited,
    oidc_an_invitation_is_accepted,
    oidc_domains_and_joining,
    oidc_a_disabled_person_stays_out,
    oidc_a_code_is_asked_for_still,
    oidc_accounts_are_linked_and_unlinked,
    oidc_an_account_is_one_persons,
    oidc_an_address_links_only_once,
    oidc_a_challenge_ends_with_the_account_that_began_it,
    oidc_what_stays_linked_is_said_and_can_be_unlinked,
);

const PROFILE: &str = "/dashboard/profile";

pub(crate) async fn house(database: TestDatabase, provider: &TestProvider) -> House {
    House::open_with(database, |ambient| Some(provider.for_sign_in(ambient))).await
}

pub(crate) fn assert_in(page: &Page) {
    assert_eq!((page.status, page.location.as_str()), (303, PROFILE), "{}", page.html);
}

async fn actions(house: &House) -> Vec<String> {
    let entries = house.catalog.audit_entries(None, &Default::default(), None, 100).await.unwrap();
    entries.into_iter().map(|entry| entry.action).collect()
}

/// The administrator, whose account at the provider is linked.
pub(crate) async fn linked(house: &House, provider: &TestProvider) -> Browser {
    let mut ada = house.administrator().await;
    assert_in(&link(provider, &mut ada, json!({})).await);
    ada
}

async fn oidc_a_linked_account_is_known_whatever_its_address(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    let mut ada = linked(&house, &provider).await;
    let mut browser = house.browser();
    let page = browser.get("/dashboard/sign-in?next=/dashboard/profile").await;
    assert!(page.html.contains("Sign in with Example ID"), "{}", page.html);
    assert!(page.html.contains("/dashboard/sign-in/oidc?next=%2Fdashboard%2Fprofile"), "{}", page.html);
    assert_in(&provider.enter(&mut browser, json!({ "email": "Ada@Example.com" })).await);
    assert!(browser.get(PROFILE).await.html.contains("ada@example.com"));
    assert_eq!(browser.cookie("__Host-tonearm_attempt"), None);
    // The account stays linked to the person, whatever email address it reports later.
    let mut later = house.browser();
    let moved = json!({ "email": "countess@example.org", "email_verified": false });
    assert_in(&provider.enter(&mut later, moved).await);
    let profile = ada.get(PROFILE).await.html;
    assert!(profile.contains(&provider.issuer()) && profile.contains("countess@example.org"), "{profile}");
    let actions = actions(&house).await;
    let count = |action: &str| actions.iter().filter(|found| *found == action).count();
    assert_eq!((count("person.identity_link"), count("person.identity_use")), (1, 2), "{actions:?}");
    assert_eq!(count("person.sign_in"), 3, "{actions:?}");
    // A person who is signed in already is redirected at once.
    assert_in(&later.get("/dashboard/sign-in/oidc?next=/dashboard/profile").await);
}

async fn oidc_an_address_with_a_password_is_not_linked_by_itself(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    let mut ada = house.administrator().await;
    // Eve joins with another person's address, before that person signs in.
    let mut eve = house.invited(&mut ada, "Victor", "editor").await;
    let victor = json!({ "sub": "victor", "email": "victor@example.com" });
    let refused = provider.enter(&mut house.browser(), victor.clone()).await;
    assert_eq!(refused.status, 403);
    assert!(refused.html.contains("There is an account for victor@example.com here that has a password."));
    assert_eq!(house.catalog.identity(&provider.issuer(), "victor").await.unwrap(), None);
    // Eve links an account of her own; the password link that Victor gets ends her password, her session and her account.
    assert_in(&link(&provider, &mut eve, json!({ "sub": "eve" })).await);
    let reset = house.people.new_password_link("victor@example.com").await.unwrap();
    let path = reset.url.strip_prefix(PUBLIC_URL).unwrap();
    let mut own = house.browser();
    let chosen = own.post(path, &[("password", "a password of his own")]).await;
    assert_eq!(chosen.status, 303, "{}", chosen.html);
    assert_eq!(eve.get(PROFILE).await.status, 303);
    assert_eq!(
        provider
            .enter(&mut house.browser(), json!({ "sub": "eve", "email": "eve@example.com" }))
            .await
            .status,
        403
    );
    assert_in(&link_with(&provider, &mut own, "a password of his own", victor.clone()).await);
    assert_in(&provider.enter(&mut house.browser(), victor).await);
}

async fn oidc_links_end_with_a_password_link_and_by_administrators(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    let mut ada = house.administrator().await;
    let mut bea = house.invited(&mut ada, "Bea", "viewer").await;
    let action = format!("{PROFILE}/identities");
    for wrong in ["", "not the password"] {
        let page = bea.submit(PROFILE, &action, &[("link_current", wrong)]).await;
        assert_eq!(page.status, 422, "{wrong:?}");
        assert!(
            page.html.contains("id=\"link_current-problem\"") && !page.headers.contains_key("refresh"),
            "{}",
            page.html
        );
    }
    let account = json!({ "sub": "bea" });
    assert_in(&link(&provider, &mut bea, account.clone()).await);
    let id = house.people.person_by_email("bea@example.com").await.unwrap().id;
    let account_page = format!("/dashboard/people/{id}");
    assert_eq!(bea.get(&account_page).await.status, 403);
    let shown = ada.get(&account_page).await;
    let identity = shown.between("/identities/", "/unlink");
    let unlink = format!("{account_page}/identities/{identity}/unlink");
    assert_eq!(
        bea.submit(PROFILE, &unlink, &[]).await.status,
        403,
        "only administrators unlink what is not their own"
    );
    assert_in(&provider.enter(&mut house.browser(), account.clone()).await);
    let unlinked = ada.submit(&account_page, &unlink, &[]).await;
    assert_eq!((unlinked.status, unlinked.location.as_str()), (303, account_page.as_str()));
    assert!(!ada.get(&account_page).await.html.contains("/identities/"));
    assert_eq!(bea.get(PROFILE).await.status, 303, "sessions that the account may have begun have ended");
    assert_eq!(provider.enter(&mut house.browser(), account).await.status, 403);
}

async fn oidc_without_a_provider_there_is_no_way(database: TestDatabase) {
    let house = House::open(database).await;
    house.administrator().await;
    let mut browser = house.browser();
    assert!(!browser.get("/dashboard/sign-in").await.html.contains("/dashboard/sign-in/oidc"));
    for path in ["/dashboard/sign-in/oidc", "/dashboard/sign-in/oidc/return?code=a&state=b"] {
        assert_eq!(browser.get(path).await.status, 404, "{path}");
    }
}

async fn oidc_addresses_have_to_be_verified(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    house.administrator().await;
    // Added by an administrator, and still without a password.
    house.people.add_person("Cleo", "cleo@example.com", false).await.unwrap();
    for claims in [
        json!({ "email": "cleo@example.com", "email_verified": false }),
        json!({ "email": "cleo@example.com", "email_verified": null }),
        json!({ "email": null }),
        json!({ "email": "nonsense" }),
    ] {
        let mut browser = house.browser();
        let page = provider.enter(&mut browser, claims.clone()).await;
        assert_eq!(page.status, 403, "{claims}");
        assert!(page.html.contains("Example ID has not verified your email address."), "{}", page.html);
        assert_eq!(browser.get(PROFILE).await.status, 303, "{claims}");
    }
    // Text is not a boolean: to some it is true whatever it says.
    for text in ["true", "false"] {
        let claims = json!({ "email": "cleo@example.com", "email_verified": text });
        let page = provider.enter(&mut house.browser(), claims).await;
        assert_eq!(page.status, 422, "{text}");
        assert!(page.html.contains("Example ID did not confirm who you are."), "{}", page.html);
    }
    // An address with the Kelvin sign is another one.
    house.people.add_person("Kim", "kim@example.com", false).await.unwrap();
    for email in ["\u{212a}im@example.com", "cleo@\u{212a}example.com"] {
        let page = provider.enter(&mut house.browser(), json!({ "sub": "eve", "email": email })).await;
        assert_eq!(page.status, 403, "{email}");
    }
    let verified = json!({ "email": "Cleo@Example.com" });
    assert_in(&provider.enter(&mut house.browser(), verified).await);
}

async fn oidc_nobody_new_gets_in_uninvited(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    // The first administrator cannot be created this way either.
    for _ in 0..2 {
        let stranger = json!({ "sub": "eve", "email": "eve@example.com" });
        let page = provider.enter(&mut house.browser(), stranger).await;
        assert_eq!(page.status, 403);
        assert!(page.html.contains("There is no account for eve@example.com here."), "{}", page.html);
        if house.people.is_unclaimed().await.unwrap() {
            house.administrator().await;
        }
    }
    assert_eq!(house.people.everybody().await.unwrap().len(), 1);
}

async fn invite(house: &House, by: &mut Browser, email: &str) -> String {
    let fields = [("role", "editor"), ("email", email)];
    let page = by.submit(&house.path("/members"), &house.path("/members"), &fields).await;
    let link = page.between("<code id=\"link\">", "</code>");
    link.strip_prefix(PUBLIC_URL).unwrap().to_owned()
}

async fn oidc_an_invitation_is_accepted(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    let mut ada = house.administrator().await;
    let path = invite(&house, &mut ada, "bea@example.com").await;
    let mut bea = house.browser();
    let page = bea.get(&path).await;
    assert!(page.html.contains("Join with Example ID"), "{}", page.html);
    let address = page.between("<p><a class=\"button\" href=\"", "\"").replace("&#38;", "&");
    // An account with an address other than the invited one is refused.
    let sent = house.browser().get(&address).await;
    assert_eq!(sent.status, 303);
    let other = json!({ "sub": "cleo", "email": "cleo@example.com" });
    assert_eq!(provider.enter(&mut house.browser(), other).await.status, 403);
    let sent = bea.get(&address).await;
    let claims = json!({ "sub": "bea", "email": "bea@example.com", "name": "Bea\u{7} B." });
    let back = provider.sign_in(&sent.location, claims);
    let page = bea.get(&back).await;
    assert_eq!((page.status, page.location.as_str()), (303, "/dashboard"), "{}", page.html);
    assert_eq!(bea.get(&house.path("/library")).await.status, 200);
    assert_eq!(bea.get(&house.path("/members")).await.status, 403, "an editor, as invited");
    let profile = bea.get(PROFILE).await.html;
    assert!(profile.contains("value=\"Bea B.\"") && profile.contains("You have no password."), "{profile}");
    assert_eq!(house.browser().get(&path).await.status, 404, "it was used");
}

async fn oidc_domains_and_joining(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let domains = vec!["Example.org".to_owned(), "example.net".to_owned()];
    let nowhere = "0192f0c1-2b3c-7d4e-8f50-617283940a1b".parse().unwrap();
    let only = domains.clone();
    let house = House::open_with(database, |ambient| {
        Some(provider.for_sign_in(ambient).only_from(only).joining(nowhere))
    })
    .await;
    house.administrator().await;
    let foreign = provider.enter(&mut house.browser(), json!({})).await;
    assert_eq!(foreign.status, 403);
    assert!(foreign.html.contains("The domain of your email address"), "{}", foreign.html);
    for email in ["bea@sub.example.org", "bea@example.org.evil.example", "bea@notexample.org"] {
        let page = provider.enter(&mut house.browser(), json!({ "sub": "bea", "email": email })).await;
        assert!(page.html.contains("The domain of your email address"), "{email}: {}", page.html);
    }
    let unverified = json!({ "sub": "bea", "email": "bea@example.org", "email_verified": false });
    let page = provider.enter(&mut house.browser(), unverified).await;
    assert!(page.html.contains("has not verified"), "{}", page.html);
    // An organization that does not exist cannot be joined.
    let bea = json!({ "sub": "bea", "email": "bea@example.org" });
    assert_eq!(provider.enter(&mut house.browser(), bea.clone()).await.status, 403);
    let join = house.organization_id;
    let joining =
        house.reopened_with(|ambient| Some(provider.for_sign_in(ambient).only_from(domains).joining(join)));
    let mut browser = Browser::new(joining);
    assert_in(&provider.enter(&mut browser, bea).await);
    assert_eq!(browser.get(&house.path("/library")).await.status, 200);
    assert_eq!(browser.get(&house.path("/keys")).await.status, 403, "a viewer");
}

async fn oidc_a_disabled_person_stays_out(database: TestDatabase) {
    use tonearm_domain::Origin;
    use tonearm_service::OwnerlessOrganizations::Refuse;
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    house.administrator().await;
    let (person, _) = house.people.add_person("Bea", "bea@example.com", false).await.unwrap();
    let bea = json!({ "sub": "bea", "email": "bea@example.com" });
    let by = Origin::command_line();
    house.people.disable_person(by, person.id, Refuse).await.unwrap();
    let refused = provider.enter(&mut house.browser(), bea.clone()).await;
    assert_eq!(refused.status, 403);
    assert!(refused.html.contains("This account is disabled; ask an administrator."), "{}", refused.html);
    house.people.enable_person(by, person.id).await.unwrap();
    assert_in(&provider.enter(&mut house.browser(), bea.clone()).await);
    house.people.disable_person(by, person.id, Refuse).await.unwrap();
    assert_eq!(provider.enter(&mut house.browser(), bea.clone()).await.status, 403);
    house.people.remove_person(by, person.id, Refuse).await.unwrap();
    let gone = provider.enter(&mut house.browser(), bea).await;
    assert!(gone.html.contains("There is no account for bea@example.com"), "{}", gone.html);
}

async fn oidc_a_code_is_asked_for_still(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    let mut ada = linked(&house, &provider).await;
    let page = format!("{PROFILE}/second-factor");
    let shown = ada.submit(&page, &page, &[("current", PASSWORD)]).await;
    let app = TotpSecret::from_base32(&shown.between("<code id=\"secret\">", "</code>")).unwrap();
    let code = app.code_at(house.clock.now());
    assert_eq!(ada.submit(&page, &format!("{page}/confirm"), &[("code", &code)]).await.status, 200);
    house.clock.advance_seconds(60);
    let mut browser = house.browser();
    let asked = provider.enter(&mut browser, json!({})).await;
    assert_eq!(asked.location, "/dashboard/sign-in/code?next=%2Fdashboard%2Fprofile");
    assert_eq!(browser.get(PROFILE).await.status, 303, "the provider alone is not enough");
    let code = app.code_at(house.clock.now());
    let entered = browser.post("/dashboard/sign-in/code", &[("code", &code), ("next", PROFILE)]).await;
    assert_in(&entered);
    assert_eq!(browser.get(PROFILE).await.status, 200);
}

/// Begins to link an account, as the profile page does. Returns the URL that the browser is sent to.
async fn begin_link(browser: &mut Browser, password: &str) -> String {
    let fields = [("link_current", password)];
    let page = browser.submit(PROFILE, &format!("{PROFILE}/identities"), &fields).await;
    assert_eq!(page.status, 200, "{}", page.html);
    let address = page.headers["refresh"].to_str().unwrap().strip_prefix("0;url=").unwrap();
    address.to_owned()
}

pub(crate) async fn link(provider: &TestProvider, browser: &mut Browser, claims: serde_json::Value) -> Page {
    link_with(provider, browser, PASSWORD, claims).await
}

async fn link_with(
    provider: &TestProvider,
    browser: &mut Browser,
    password: &str,
    claims: serde_json::Value,
) -> Page {
    let address = begin_link(browser, password).await;
    let back = provider.sign_in(&address, claims);
    browser.get(&back).await
}

async fn oidc_accounts_are_linked_and_unlinked(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    let mut ada = house.administrator().await;
    // The address need be neither verified nor the same, because Ada is signed in on both sides.
    let claims = json!({ "sub": "work", "email": "ada@work.example", "email_verified": false });
    assert_in(&link(&provider, &mut ada, claims.clone()).await);
    let profile = ada.get(PROFILE).await;
    assert!(profile.html.contains("Account linked.") && profile.html.contains("ada@work.example"));
    assert_in(&provider.enter(&mut house.browser(), claims.clone()).await);
    assert_eq!(
        ada.post(&format!("{PROFILE}/identities"), &[]).await.status,
        403,
        "without the form's secret"
    );
    let id = profile.between("/identities/", "/unlink");
    let action = format!("{PROFILE}/identities/{id}/unlink");
    assert_eq!(ada.post(&action, &[]).await.status, 403);
    // Nobody can unlink another person's account.
    let mut bea = house.invited(&mut ada, "Bea", "viewer").await;
    bea.submit(PROFILE, &action, &[]).await;
    assert_in(&provider.enter(&mut house.browser(), claims.clone()).await);
    // A session that the account began ends with the link.
    let mut elsewhere = house.browser();
    assert_in(&provider.enter(&mut elsewhere, claims.clone()).await);
    assert_in(&ada.submit(PROFILE, &action, &[]).await);
    assert_eq!(elsewhere.get(PROFILE).await.status, 303);
    assert!(!ada.get(PROFILE).await.html.contains("ada@work.example"));
    assert_eq!(provider.enter(&mut house.browser(), claims).await.status, 403);
    let actions = actions(&house).await;
    let unlinked = actions.iter().filter(|action| *action == "person.identity_unlink").count();
    assert_eq!(unlinked, 1, "{actions:?}");
    // The only way to sign in of a person without a password cannot be unlinked.
    invite(&house, &mut ada, "cleo@example.com").await;
    let mut cleo = house.browser();
    assert_in(&provider.enter(&mut cleo, json!({ "sub": "cleo", "email": "cleo@example.com" })).await);
    let id = cleo.get(PROFILE).await.between("/identities/", "/unlink");
    let kept = cleo.submit(PROFILE, &format!("{PROFILE}/identities/{id}/unlink"), &[]).await;
    assert_eq!(kept.status, 409);
    assert!(kept.html.contains("This is your only way to sign in"), "{}", kept.html);
    assert_in(&link(&provider, &mut cleo, json!({ "sub": "cleo-2" })).await);
    assert_in(&cleo.submit(PROFILE, &format!("{PROFILE}/identities/{id}/unlink"), &[]).await);
}

async fn oidc_an_account_is_one_persons(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    let mut ada = house.administrator().await;
    let mut bea = house.invited(&mut ada, "Bea", "viewer").await;
    let account = json!({ "sub": "shared" });
    assert_in(&link(&provider, &mut ada, account.clone()).await);
    let taken = link(&provider, &mut bea, account.clone()).await;
    assert_eq!(taken.status, 409);
    assert!(taken.html.contains("is linked to another person"), "{}", taken.html);
    assert_in(&link(&provider, &mut ada, account).await);
    // One person cannot finish a link that another person began: it belongs to another session.
    let address = begin_link(&mut bea, PASSWORD).await;
    let back = provider.sign_in(&address, json!({ "sub": "eve" }));
    bea.submit(PROFILE, "/dashboard/sign-out", &[]).await;
    bea.sign_in("ada@example.com", PASSWORD).await;
    let page = bea.get(&back).await;
    assert_eq!(page.status, 422, "{}", page.html);
    assert_eq!(house.catalog.identity(&provider.issuer(), "eve").await.unwrap(), None);
}

/// A person whom an administrator added, and who has no password yet.
async fn added(house: &House, email: &str) -> String {
    let (person, _) = house.people.add_person("Cleo", email, false).await.unwrap();
    format!("/dashboard/people/{}", person.id)
}

async fn oidc_an_address_links_only_once(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    let mut ada = house.administrator().await;
    let account_page = added(&house, "cleo@example.com").await;
    let of = |sub: &str| json!({ "sub": sub, "email": "cleo@example.com" });
    let mut cleo = house.browser();
    assert_in(&provider.enter(&mut cleo, of("cleo")).await);
    // The address was given to somebody new at the provider.
    let refuse = async |sub: &str| {
        let refused = provider.enter(&mut house.browser(), of(sub)).await;
        assert_eq!(refused.status, 403, "{sub}");
        assert!(refused.html.contains("Another account at Example ID is or was linked"), "{}", refused.html);
    };
    refuse("successor").await;
    // Nor does a link that was ended come back with the next click.
    let identity = ada.get(&account_page).await.between("/identities/", "/unlink");
    ada.submit(&account_page, &format!("{account_page}/identities/{identity}/unlink"), &[]).await;
    for sub in ["cleo", "successor"] {
        refuse(sub).await;
    }
    // An administrator lets Cleo choose a password, with which Cleo links the account again.
    let shown = ada.submit(&account_page, &format!("{account_page}/reset-password"), &[]).await;
    let link = shown.between("<code id=\"link\">", "</code>");
    let chosen = cleo.post(link.strip_prefix(PUBLIC_URL).unwrap(), &[("password", PASSWORD)]).await;
    assert_eq!(chosen.status, 303, "{}", chosen.html);
    assert_in(&link_with(&provider, &mut cleo, PASSWORD, of("cleo")).await);
    assert_in(&provider.enter(&mut house.browser(), of("cleo")).await);
    // The password link that an added person got ends when the person comes in with the provider.
    let (_, unused) = house.people.add_person("Dora", "dora@example.com", false).await.unwrap();
    let dora = json!({ "sub": "dora", "email": "dora@example.com" });
    assert_in(&provider.enter(&mut house.browser(), dora).await);
    assert_eq!(house.browser().get(unused.url.strip_prefix(PUBLIC_URL).unwrap()).await.status, 404);
}

async fn oidc_a_challenge_ends_with_the_account_that_began_it(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    let mut ada = linked(&house, &provider).await;
    let page = format!("{PROFILE}/second-factor");
    let shown = ada.submit(&page, &page, &[("current", PASSWORD)]).await;
    let app = TotpSecret::from_base32(&shown.between("<code id=\"secret\">", "</code>")).unwrap();
    let code = app.code_at(house.clock.now());
    assert_eq!(ada.submit(&page, &format!("{page}/confirm"), &[("code", &code)]).await.status, 200);
    house.clock.advance_seconds(60);
    let mut browser = house.browser();
    assert!(provider.enter(&mut browser, json!({})).await.location.contains("/sign-in/code"));
    let identity = ada.get(PROFILE).await.between("/identities/", "/unlink");
    assert_in(&ada.submit(PROFILE, &format!("{PROFILE}/identities/{identity}/unlink"), &[]).await);
    let code = app.code_at(house.clock.now());
    let late = browser.post("/dashboard/sign-in/code", &[("code", &code)]).await;
    assert!(late.status == 422 && late.html.contains("sign in again"), "{}", late.html);
}

async fn oidc_what_stays_linked_is_said_and_can_be_unlinked(database: TestDatabase) {
    const STAYS: &str = "You can still sign in with these linked accounts: ada@example.com.";
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    let mut ada = house.administrator().await;
    assert!(!ada.get(PROFILE).await.html.contains("name=\"unlink\""));
    assert_in(&link(&provider, &mut ada, json!({})).await);
    let profile = ada.get(PROFILE).await.html;
    assert_eq!(profile.matches(STAYS).count(), 2, "{profile}");
    let change = format!("{PROFILE}/password");
    let fields = [("current", PASSWORD), ("password", "another good one")];
    assert_in(&ada.submit(PROFILE, &change, &fields).await);
    assert_in(&provider.enter(&mut house.browser(), json!({})).await);
    let fields = [("current", "another good one"), ("password", PASSWORD), ("unlink", "on")];
    assert_in(&ada.submit(PROFILE, &change, &fields).await);
    assert_eq!(provider.enter(&mut house.browser(), json!({})).await.status, 403);
    assert_in(&link(&provider, &mut ada, json!({})).await);
    ada.submit(PROFILE, &format!("{PROFILE}/sign-out-everywhere"), &[("unlink", "on")]).await;
    assert_eq!(ada.get(PROFILE).await.status, 303);
    assert_eq!(provider.enter(&mut house.browser(), json!({})).await.status, 403);
    // Without a password, it is the only way in, and stays.
    added(&house, "cleo@example.com").await;
    let claims = json!({ "sub": "cleo", "email": "cleo@example.com" });
    let mut cleo = house.browser();
    assert_in(&provider.enter(&mut cleo, claims.clone()).await);
    let profile = cleo.get(PROFILE).await.html;
    assert!(profile.contains("linked accounts: cleo@example.com") && !profile.contains("name=\"unlink\""));
    cleo.submit(PROFILE, &format!("{PROFILE}/sign-out-everywhere"), &[("unlink", "on")]).await;
    assert_in(&provider.enter(&mut cleo, claims).await);
}
