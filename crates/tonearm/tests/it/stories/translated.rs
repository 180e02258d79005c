//! Scripts and the player speak the language of the page.

use reqwest::Method;
use serde_json::json;
use tonearm_fixtures::country_database;

use super::listener::{BUTTON, Listening};
use super::{Ada, hears};
use crate::browser::Browser;
use crate::{eventually, text};

/// Makes the browser prefer a language.
async fn prefers(browser: &Browser, language: &str) {
    let agent = browser.run("return navigator.userAgent;", Vec::new()).await;
    let preference = json!({ "userAgent": agent, "acceptLanguage": language });
    browser.command("Network.setUserAgentOverride", preference).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_player_of_a_share_page_says_what_is_wrong_in_the_language_of_the_listener() {
    let listening = Listening::to(&["ebb.wav", "flood.wav"]).await;
    let browser = listening.browser();
    for (language, play, copied) in [
        ("de-AT", "Abspielen", "Kopiert"),
        ("fr", "Lire", "Copié"),
        ("es-MX", "Reproducir", "Copiado"),
        ("pt", "Play", "Copied"),
    ] {
        prefers(browser, language).await;
        browser.goto(&listening.link).await;
        browser.until(&format!("{BUTTON} === '{play}'")).await;
        browser.run("document.querySelector('details.embed:last-of-type').open = true;", Vec::new()).await;
        browser.until("document.querySelector('[data-copy-field]:not([hidden])')").await;
        browser
            .run(
                "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async () => {} } });",
                Vec::new(),
            )
            .await;
        browser.click("[data-copy-field]").await;
        browser.shows("[data-copy-field]", copied).await;
    }
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_without_its_sentences_is_english_and_plays() {
    let listening = Listening::to(&["ebb.wav"]).await;
    let browser = listening.browser();
    prefers(browser, "de").await;
    browser.command("Network.enable", json!({})).await;
    browser.command("Network.setBlockedURLs", json!({ "urls": ["*/texts-de.js"] })).await;
    browser.goto(&listening.link).await;
    browser.until(&format!("{BUTTON} === 'Play'")).await;
    listening.presses_play().await;
    hears(browser).await;
    listening.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_of_the_dashboard_speak_german() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let (_, collection) = ada.has_a_track("ebb.wav").await;
    prefers(browser, "de").await;
    ada.opens(&format!("/collections/{collection}")).await;
    let label = |css: &str| format!("document.querySelector('{css}')?.getAttribute('aria-label')");
    browser.until(&format!("{} === 'ebb abspielen'", label("[data-play]"))).await;
    browser.run("document.querySelector('.side-wide [data-shortcuts]').click();", Vec::new()).await;
    browser.shows(".shortcuts h2", "Tastenkürzel").await;
    browser.run("document.querySelector('dialog').close();", Vec::new()).await;
    browser.click("[data-play]").await;
    browser.until(&format!("{} === 'Anhalten'", label(".bar-play"))).await;
    browser.until(&format!("{} === 'ebb anhalten'", label("[data-play]"))).await;
    let told = browser
        .run("return document.querySelector('.bar-seek input').getAttribute('aria-valuetext');", Vec::new())
        .await;
    assert!(told.as_str().is_some_and(|told| told.ends_with(" von 30 Sekunden")), "{told}");
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn countries_have_their_names_in_the_language_of_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("countries.mmdb");
    std::fs::write(&path, country_database(&[("127.0.0.0/8", "DE")])).unwrap();
    let ada = Ada::comes_in(&[("TONEARM_USAGE_COUNTRY_DATABASE", path.to_str().unwrap())]).await;
    let (track, _) = ada.has_a_track("ebb.wav").await;
    let client = &ada.server.client;
    let asked = json!({"track_id": track, "variants": ["hq"]});
    let session = client.post("/v1/play_session/track", &asked).await.ok();
    let request = client.request(Method::GET, text(&session, "/first_track/variants/0/url"));
    let request = request.header("user-agent", "Mozilla/5.0 (X11; Linux x86_64) Firefox/120.0");
    assert_eq!(client.send(request).await.status, 200);
    eventually("the listen is counted", async || {
        client.get("/v1/listens?group=country").await.ok()["count"] == 1
    })
    .await;
    for (language, name) in
        [("en-GB", "Germany"), ("de-AT", "Deutschland"), ("fr", "Allemagne"), ("es-MX", "Alemania")]
    {
        prefers(&ada.browser, language).await;
        ada.opens("/usage").await;
        let shown = format!("document.querySelector('[data-country]')?.textContent === '{name}'");
        ada.browser.until(&shown).await;
    }
    ada.leaves().await;
}
