//! Accounts: disabled while somebody is signed in, protected by an app, and invitations that the owner tries.

use tonearm_domain::{Clock, Role};
use tonearm_fixtures::TestProvider;
use tonearm_service::Caller;
use tonearm_signing::TotpSecret;

use super::looking::{axe, looked_at};
use super::{Ada, PASSWORD, entered};
use crate::browser::Browser;

impl Ada {
    async fn invites(&self, role: Role) -> String {
        let caller = Caller::owner(self.server.organization_id.parse().unwrap());
        let people = &self.server.node.services().unwrap().people;
        people.invite(&caller, role, "bea@example.com").await.unwrap().url
    }
}

/// Bea, who has joined with a link in her own browser.
async fn bea(link: &str) -> Browser {
    let bea = Browser::open().await;
    bea.goto(link).await;
    bea.type_into("#name", "Bea").await;
    bea.type_into("#password", &entered(PASSWORD)).await;
    bea.shows(".side-wide .here-name", "Test organization").await;
    bea
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_person_is_signed_out_elsewhere_at_once() {
    let ada = Ada::comes_in(&[]).await;
    let bea = bea(&ada.invites(Role::Editor).await).await;
    let browser = &ada.browser;
    browser.click(".side-wide a[href='/dashboard/people']").await;
    browser.shows("h1", "People").await;
    let open =
        "[...document.querySelectorAll('tbody a')].find((link) => link.textContent.includes('Bea')).click();";
    browser.run(open, Vec::new()).await;
    browser.shows("h1", "Bea").await;
    browser.shows("#sessions", "Chrome").await;
    browser.click("form[action$='/disable'] button").await;
    browser.shows("dialog[open]", "Disable the account of Bea?").await;
    browser.click("dialog[open] .danger").await;
    browser.shows("[role=status]", "Account disabled.").await;
    browser.shows("h1", "Disabled").await;
    let wrong = looked_at(browser, axe().as_deref(), "account-disabled").await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    bea.client.refresh().await.unwrap();
    bea.shows("h1", "Sign in").await;
    bea.type_into("#email", "bea@example.com").await;
    bea.type_into("#password", &entered(PASSWORD)).await;
    bea.shows("[role=alert]", "This account is disabled").await;
    browser.click("form[action$='/enable'] button").await;
    browser.shows("[role=status]", "Account enabled.").await;
    bea.type_into("#password", &entered(PASSWORD)).await;
    bea.shows(".side-wide .here-name", "Test organization").await;
    bea.close().await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_promoted_demoted_signed_out_and_removed() {
    let ada = Ada::comes_in(&[]).await;
    let bea = bea(&ada.invites(Role::Editor).await).await;
    let (browser, people) = (&ada.browser, format!("{}/dashboard/people", ada.server.node.public_url()));
    browser.goto(&people).await;
    let open =
        "[...document.querySelectorAll('tbody a')].find((link) => link.textContent.includes('Bea')).click();";
    browser.run(open, Vec::new()).await;
    browser.shows("h1", "Bea").await;
    let decides = async |form: &str, question: &str, done: &str| {
        browser.click(&format!("form[action$='/{form}'] [type=submit]")).await;
        browser.shows("dialog[open]", question).await;
        browser.click("dialog[open] .danger").await;
        browser.shows("[role=status]", done).await;
    };
    decides("administrator", "Make Bea an administrator?", "is now an administrator.").await;
    bea.goto(&people).await;
    bea.shows("h1", "People").await;
    decides("administrator", "Remove administrator rights from Bea?", "is no longer an administrator.").await;
    bea.goto(&people).await;
    bea.shows("body", "Only administrators").await;

    decides("end-sessions", "End all sessions of Bea?", "All sessions ended.").await;
    bea.goto(&format!("{}/library", ada.base)).await;
    bea.shows("h1", "Sign in").await;
    bea.type_into("#email", "bea@example.com").await;
    bea.type_into("#password", &entered(PASSWORD)).await;
    bea.shows(".side-wide .here-name", "Test organization").await;

    decides("remove", "Remove the account of Bea? You cannot undo this.", "Account removed.").await;
    bea.client.refresh().await.unwrap();
    bea.shows("h1", "Sign in").await;
    bea.type_into("#email", "bea@example.com").await;
    bea.type_into("#password", &entered(PASSWORD)).await;
    bea.shows("[role=alert]", "password").await;
    bea.close().await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_is_set_up_and_asked_for() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    browser.click(".side-wide .who a").await;
    browser.click("a[href$='/second-factor']").await;
    browser.type_into("#current", &entered(PASSWORD)).await;
    browser.shows("h2", "Scan the code").await;
    let (axe, mut wrong) = (axe(), Vec::new());
    wrong.extend(looked_at(browser, axe.as_deref(), "second-factor-scan").await);
    let drawn = "return document.querySelector('.qr').getBoundingClientRect().width > 150;";
    assert_eq!(browser.run(drawn, Vec::new()).await, true);
    let app = TotpSecret::from_base32(&browser.text("#secret").await).unwrap();
    browser.type_into("#code", &entered(&app.code_at(ada.server.clock.now()))).await;
    browser.shows("h1", "On").await;
    wrong.extend(looked_at(browser, axe.as_deref(), "second-factor-on").await);
    let codes = browser.text("#recovery-codes").await;
    let recovery = codes.split_whitespace().next().unwrap().to_owned();
    browser.click(".side-wide .who button").await;
    ada.signs_in(PASSWORD).await;
    browser.shows("h1", "Two-factor authentication").await;
    wrong.extend(looked_at(browser, axe.as_deref(), "sign-in-code").await);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    browser.type_into("#code", &entered("000000")).await;
    browser.shows("[role=alert]", "The code is wrong").await;
    // The code that was just used cannot be used again.
    ada.server.clock.advance_seconds(30);
    browser.type_into("#code", &entered(&app.code_at(ada.server.clock.now()))).await;
    browser.shows(".side-wide .here-name", "Test organization").await;
    browser.click(".side-wide .who button").await;
    ada.signs_in(PASSWORD).await;
    browser.shows("h1", "Two-factor authentication").await;
    browser.type_into("#code", &entered(&recovery)).await;
    browser.shows(".side-wide .here-name", "Test organization").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_at_a_provider_is_linked_and_signs_in() {
    let (provider, folder) = (TestProvider::start().await, tempfile::tempdir().unwrap());
    let secret = folder.path().join("client_secret");
    std::fs::write(&secret, format!("{}\n", TestProvider::SECRET)).unwrap();
    let ada = Ada::comes_in(&[
        ("TONEARM_OIDC_ISSUER", &provider.issuer()),
        ("TONEARM_OIDC_CLIENT_ID", TestProvider::CLIENT),
        ("TONEARM_OIDC_CLIENT_SECRET_FILE", secret.to_str().unwrap()),
        ("TONEARM_OIDC_NAME", "Example ID"),
    ])
    .await;
    let (browser, axe, mut wrong) = (&ada.browser, axe(), Vec::new());
    let at_provider = async || {
        browser.shows("h1", "Example ID").await;
        browser.click("#approve").await;
    };
    // An account of the provider that nobody has linked belongs to nobody, whatever its email address is.
    browser.click(".side-wide .who button").await;
    browser.shows("h1", "Sign in").await;
    wrong.extend(looked_at(browser, axe.as_deref(), "sign-in-provider").await);
    browser.click("a[href*='/sign-in/oidc']").await;
    at_provider().await;
    browser.shows("[role=alert]", "has a password").await;
    wrong.extend(looked_at(browser, axe.as_deref(), "sign-in-refused").await);

    let sign_in = format!("{}/dashboard/sign-in", ada.server.node.public_url());
    browser.goto(&sign_in).await;
    ada.signs_in(PASSWORD).await;
    browser.click(".side-wide .who a").await;
    browser.type_into("#link_current", PASSWORD).await;
    browser.click("#identities form[action$='/identities'] button").await;
    at_provider().await;
    browser.shows("#identities td", &provider.issuer()).await;
    wrong.extend(looked_at(browser, axe.as_deref(), "profile-linked").await);

    browser.click(".side-wide .who button").await;
    browser.shows("h1", "Sign in").await;
    browser.click("a[href*='/sign-in/oidc']").await;
    at_provider().await;
    browser.shows(".side-wide .here-name", "Test organization").await;
    // If the provider is unavailable, users with a password can still sign in.
    browser.click(".side-wide .who button").await;
    provider.set_away(true);
    browser.shows("h1", "Sign in").await;
    browser.click("a[href*='/sign-in/oidc']").await;
    at_provider().await;
    browser.shows("body", "Example ID cannot be reached at the moment.").await;
    browser.goto(&sign_in).await;
    ada.signs_in(PASSWORD).await;
    browser.shows(".side-wide .here-name", "Test organization").await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_that_its_owner_tries_still_works() {
    let ada = Ada::comes_in(&[]).await;
    let (browser, link) = (&ada.browser, ada.invites(Role::Viewer).await);
    browser.goto(&link).await;
    browser.shows(".notice", "The invitation was not used.").await;
    let bea = bea(&link).await;
    bea.shows(".side-wide .here-role", "viewer").await;
    browser.client.refresh().await.unwrap();
    browser.shows("h1", "This link is no longer valid").await;
    bea.close().await;
    ada.leaves().await;
}
