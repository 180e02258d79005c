//! Invalid sign-ins with an OpenID Connect provider: forged tokens, states of other browsers, a provider that is
//! unavailable.

use std::time::Duration;

use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;

use crate::browser::Browser;
use crate::house::House;
use crate::oidc::{assert_in, house, link, linked};
use crate::provider::{ForHouse, Forgery, TestProvider};

crate::on_both!(
    oidc_tokens_have_to_hold,
    oidc_states_are_of_one_browser_and_work_once,
    oidc_an_attempt_ends,
    oidc_refusals_are_told_apart,
    oidc_a_provider_that_is_away_is_nobodys_fault,
    oidc_new_keys_are_fetched_once_a_minute,
    oidc_failures_count_by_address,
);

const PROFILE: &str = "/dashboard/profile";
const ATTEMPT: &str = "__Host-tonearm_attempt";
const BEGIN: &str = "/dashboard/sign-in/oidc?next=/dashboard/profile";

async fn assert_out(browser: &mut Browser) {
    assert_eq!(browser.get(PROFILE).await.status, 303);
}

async fn oidc_tokens_have_to_hold(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    linked(&house, &provider).await;
    let said = |claims: Value| (Forgery::None, claims);
    for (forgery, claims) in [
        said(json!({ "nonce": "another" })),
        said(json!({ "nonce": null })),
        said(json!({ "aud": "another client" })),
        said(json!({ "aud": ["tonearm", "another client"] })),
        said(json!({ "exp": 1_893_455_999 })),
        said(json!({ "azp": "another client" })),
        said(json!({ "iat": 1_893_456_120 })),
        said(json!({ "iat": 2_100_000_000 })),
        said(json!({ "sub": "" })),
        said(json!({ "sub": "x".repeat(256) })),
        (Forgery::OtherKey, json!({})),
        (Forgery::NoSignature, json!({})),
        (Forgery::SharedSecret, json!({})),
        (Forgery::Altered, json!({})),
    ] {
        provider.forge(forgery);
        let mut browser = house.browser();
        let page = provider.enter(&mut browser, claims.clone()).await;
        assert_eq!(page.status, 422, "{forgery:?} {claims}: {}", page.html);
        assert!(page.html.contains("Example ID did not confirm who you are."), "{}", page.html);
        assert_out(&mut browser).await;
    }
    provider.forge(Forgery::None);
    let other = provider.enter(&mut house.browser(), json!({ "iss": "https://id.example.org" })).await;
    assert_eq!(other.status, 422);
    assert!(other.html.contains("does not come from the provider"), "{}", other.html);
    // The clock of the provider may be a little ahead.
    let good = json!({ "azp": TestProvider::CLIENT, "iat": 1_893_456_030 });
    assert_in(&provider.enter(&mut house.browser(), good).await);
}

async fn oidc_states_are_of_one_browser_and_work_once(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    linked(&house, &provider).await;
    let mut victim = house.browser();
    let mut attacker = house.browser();
    let begun = attacker.get(BEGIN).await.location;
    let back = provider.sign_in(&begun, json!({}));
    // The attacker's callback URL in the victim's browser, with and without a sign-in attempt of its own.
    for _ in 0..2 {
        let page = victim.get(&back).await;
        assert_eq!(page.status, 422);
        assert!(page.html.contains("began in another browser"), "{}", page.html);
        assert_out(&mut victim).await;
        victim.get(BEGIN).await;
    }
    let (mut again, mut anew) = (attacker.clone(), attacker.clone());
    assert_in(&attacker.get(&back).await);
    // A used state in the same browser, whose cookie was copied before it was removed, even with an unused code.
    let fresh = provider.sign_in(&begun, json!({}));
    for (browser, back) in [(&mut again, &back), (&mut anew, &fresh)] {
        assert_eq!(browser.get(back).await.status, 422);
        assert_out(browser).await;
    }
    // An attempt that was refused is used up, too.
    for refused in ["code=unknown", "error=access_denied"] {
        let mut browser = house.browser();
        let begun = browser.get(BEGIN).await.location;
        let back = provider.sign_in(&begun, json!({}));
        let (_, state) = back.split_once("state=").unwrap();
        let state = state.split('&').next().unwrap();
        let mut kept = browser.clone();
        let page = browser.get(&format!("/dashboard/sign-in/oidc/return?{refused}&state={state}")).await;
        assert!(page.status >= 400, "{refused}: {}", page.status);
        assert_eq!(kept.get(&back).await.status, 422, "{refused}");
        assert_out(&mut kept).await;
    }
    // Forged or modified cookies.
    let mut liar = house.browser();
    let begun = liar.get(BEGIN).await.location;
    let back = provider.sign_in(&begun, json!({}));
    let sealed = liar.cookie(ATTEMPT).unwrap().clone();
    let last = if sealed.ends_with('0') { "1" } else { "0" };
    for cookie in ["", "00", "nonsense", &format!("{}{last}", &sealed[..sealed.len() - 1])] {
        liar.set_cookie(ATTEMPT, cookie);
        assert_eq!(liar.get(&back).await.status, 422, "{cookie}");
    }
    liar.set_cookie(ATTEMPT, &sealed);
    assert_in(&liar.get(&back).await);
}

async fn oidc_an_attempt_ends(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    linked(&house, &provider).await;
    for (seconds, status) in [(599, 303), (600, 422)] {
        let mut browser = house.browser();
        let begun = browser.get(BEGIN).await.location;
        let back = provider.sign_in(&begun, json!({}));
        house.clock.advance_seconds(seconds);
        assert_eq!(browser.get(&back).await.status, status, "after {seconds} s");
    }
}

async fn oidc_refusals_are_told_apart(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    house.administrator().await;
    for (answer, status, text) in [
        ("error=access_denied", 403, "You cancelled, or Example ID denied you access."),
        ("error=temporarily_unavailable", 503, "Example ID cannot be reached"),
        ("error=unauthorized_client", 503, "is not configured correctly"),
        ("code=unknown", 422, "did not confirm who you are"),
        ("code=", 422, "Start again"),
        ("", 422, "Start again"),
        ("code=a&iss=https://evil.example", 422, "does not come from the provider"),
    ] {
        let mut browser = house.browser();
        let begun = browser.get(BEGIN).await.location;
        let (_, state) = begun.split_once("&state=").unwrap();
        let state = state.split('&').next().unwrap();
        let page = browser.get(&format!("/dashboard/sign-in/oidc/return?{answer}&state={state}")).await;
        assert_eq!(page.status, status, "{answer}: {}", page.html);
        assert!(page.html.contains(text), "{answer}: {}", page.html);
        assert_out(&mut browser).await;
    }
    let mut german = house.browser().reading("de");
    let begun = german.get("/dashboard/sign-in/oidc/return").await;
    assert!(begun.html.contains("Anmeldung mit Example ID fehlgeschlagen"), "{}", begun.html);
}

async fn oidc_a_provider_that_is_away_is_nobodys_fault(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    let mut ada = house.administrator().await;
    provider.set_away(true);
    let away = house.browser().get(BEGIN).await;
    assert_eq!(away.status, 503);
    assert!(away.html.contains("Example ID cannot be reached at the moment."), "{}", away.html);
    provider.set_away(false);
    house.clock.advance_seconds(5);
    assert_in(&link(&provider, &mut ada, json!({})).await);
    let mut browser = house.browser();
    let begun = browser.get(BEGIN).await;
    let back = provider.sign_in(&begun.location, json!({}));
    provider.set_away(true);
    let mut kept = browser.clone();
    assert_eq!(browser.get(&back).await.status, 503, "while the code is exchanged");
    provider.set_away(false);
    assert_in(&kept.get(&back).await);
    assert_in(&provider.enter(&mut browser, json!({})).await);
    let entries = house.catalog.audit_entries(None, &Default::default(), None, 100).await.unwrap();
    assert!(entries.iter().all(|entry| entry.action != "person.sign_in_failed"), "{entries:?}");
    // A provider that never responds is given up.
    provider.fall_silent();
    let hasty = Duration::from_millis(50);
    let router = house.reopened_with(|ambient| Some(provider.with_deadline(ambient, hasty)));
    assert_eq!(Browser::new(router).get(BEGIN).await.status, 503);
}

async fn oidc_new_keys_are_fetched_once_a_minute(database: TestDatabase) {
    let provider = TestProvider::start().await;
    let house = house(database, &provider).await;
    linked(&house, &provider).await;
    assert_in(&provider.enter(&mut house.browser(), json!({})).await);
    assert_in(&provider.enter(&mut house.browser(), json!({})).await);
    assert_eq!(provider.key_requests(), 1);
    provider.change_key("second");
    assert_eq!(
        provider.enter(&mut house.browser(), json!({})).await.status,
        422,
        "asked less than a minute ago"
    );
    assert_eq!(provider.key_requests(), 1);
    house.clock.advance_seconds(60);
    assert_in(&provider.enter(&mut house.browser(), json!({})).await);
    assert_eq!(provider.key_requests(), 2);
    // After an hour, everything is requested again.
    house.clock.advance_seconds(3600);
    assert_in(&provider.enter(&mut house.browser(), json!({})).await);
    assert_eq!(provider.key_requests(), 3);
}

async fn oidc_failures_count_by_address(database: TestDatabase) {
    use tonearm_service::{Device, ProviderAnswer, ProviderSignInError, SignInError};
    let provider = TestProvider::start().await;
    let house: House = house(database, &provider).await;
    house.administrator().await;
    let from = |address: &str| Device { address: address.parse().ok(), ..Device::default() };
    let attempt = async |device| {
        let begun = house.people.begin_provider_sign_in(PROFILE).await.unwrap();
        let (_, state) = begun.url.split_once("&state=").unwrap();
        let attempt = house.people.open_attempt(&begun.sealed, state.split('&').next().unwrap()).unwrap();
        let answer = ProviderAnswer { code: Some("unknown".to_owned()), ..ProviderAnswer::default() };
        house.people.return_from_provider(&attempt, answer, None, device).await.unwrap_err()
    };
    for _ in 0..50 {
        let error = attempt(from("2001:db8::1")).await;
        assert!(matches!(error, ProviderSignInError::Provider(_)), "{error}");
    }
    let error = attempt(from("2001:db8::2")).await;
    assert!(matches!(error, ProviderSignInError::SignIn(SignInError::TooMany(_))), "{error}");
    let error = attempt(from("192.0.2.1")).await;
    assert!(matches!(error, ProviderSignInError::Provider(_)), "{error}");
}
