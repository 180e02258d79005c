//! Links that users create for others: played by them, in the chosen colours, until they are revoked.

use fantoccini::key::Key;
use tonearm_domain::Colour;

use super::{Ada, entered, hears};
use crate::browser::Browser;

impl Ada {
    /// Makes a share link to a track and returns the address of its page.
    async fn shares(&self, track: &str) -> String {
        self.opens(&format!("/keys/new?type=share&track={track}")).await;
        self.browser.type_into("#title", &entered("For the press")).await;
        self.browser.shows("#key", "_s").await;
        self.browser.text(".copy-line code").await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_share_link_is_heard_elsewhere_until_it_is_revoked() {
    let ada = Ada::comes_in(&[]).await;
    let (track, _) = ada.has_a_track("ebb.wav").await;
    let link = ada.shares(&track).await;
    assert!(link.contains(&format!("/share/{track}/")), "{link}");

    let guest = Browser::open().await;
    guest.goto(&link).await;
    guest.shows("h1", "ebb").await;
    guest.in_player(".play:not([disabled])").await.click().await.unwrap();
    hears(&guest).await;

    let browser = &ada.browser;
    ada.opens("/keys?type=share").await;
    browser.shows("tbody", "For the press").await;
    browser.click("tbody button.danger").await;
    browser.shows("#confirm-question", "Revoke “For the press”?").await;
    // The dialog focuses the button that does no harm.
    let focused = browser.client.active_element().await.unwrap();
    assert_eq!(focused.text().await.unwrap(), "Cancel");
    focused.send_keys(&char::from(Key::Escape).to_string()).await.unwrap();
    browser.click("tbody button.danger").await;
    browser.click("dialog button.danger").await;
    browser.shows("[data-toast]", "Key revoked.").await;
    ada.opens("/keys?state=revoked").await;
    browser.shows("tbody", "For the press").await;

    guest.client.refresh().await.unwrap();
    guest.shows("h1", "Link not available").await;
    guest.close().await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_colour_that_is_chosen_is_the_players_colour() {
    let ada = Ada::comes_in(&[]).await;
    let (track, _) = ada.has_a_track("ebb.wav").await;
    let link = ada.shares(&track).await;
    let browser = &ada.browser;
    ada.opens(&format!("/tracks/{track}")).await;
    browser.click("[name=own_color]").await;
    browser.find("#player_color").await.send_keys("#f2e205").await.unwrap();
    browser.click(&format!("form[action$='/tracks/{track}'] button.primary")).await;
    browser.shows("[data-toast]", "Changes saved.").await;

    let light = Colour::new(0xf2, 0xe2, 0x05).companions().light;
    assert_ne!(light, Colour::new(0xf2, 0xe2, 0x05), "it is too pale for a light page as it is");
    let guest = Browser::open().await;
    guest.goto(&link).await;
    let play = guest.in_player(".play:not([disabled])").await;
    let seen = play.css_value("background-color").await.unwrap();
    let [red, green, blue] = light.rgb;
    assert_eq!(seen, format!("rgba({red}, {green}, {blue}, 1)"));
    guest.close().await;
    ada.leaves().await;
}
