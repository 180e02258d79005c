//! Pages that people come back to.

use super::Ada;

const FRAME: &str = "document.querySelector('iframe.page-frame:not([hidden])')?.contentDocument";

impl Ada {
    /// Presses the button that deletes the collection of the page.
    async fn presses_delete(&self) {
        // The bar may cover it.
        let press = "document.querySelector('form[action$=\"/delete\"] .danger').click();";
        self.browser.run(press, Vec::new()).await;
    }
}

/// During playback, pages are opened in a frame, so that the page below stays as it was.
#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_asked_each_time_and_its_answer_is_sent() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let collection = ada.has_tracks("Songs of the tide", &["ebb.wav"]).await;
    ada.opens(&format!("/collections/{collection}")).await;
    browser.click("[data-track] [data-play]").await;
    browser.shows(".bar .words", "ebb").await;

    ada.presses_delete().await;
    browser.click("dialog[open] .danger").await;
    browser.until(&format!("{FRAME}?.querySelector('[data-toast]')?.textContent.includes('deleted')")).await;
    ada.clicks_in_frame("form.undo button").await;
    browser.until(&format!("{FRAME}?.querySelector('[data-toast]')?.textContent.includes('Restored')")).await;
    browser.client.back().await.unwrap();
    browser.until(&format!("{FRAME}?.querySelector('h1')?.textContent === 'Library'")).await;
    browser.client.back().await.unwrap();
    browser.until("document.querySelector('iframe.page-frame')?.hidden").await;

    ada.presses_delete().await;
    browser.shows("dialog[open] p", "Delete").await;
    browser.click("dialog[open] button[autofocus]").await;
    ada.server.client.get(&format!("/v1/collection/{collection}")).await.ok();
    // Its answer is sent, however soon it is given.
    ada.presses_delete().await;
    browser.click("dialog[open] .danger").await;
    browser.until(&format!("{FRAME}?.querySelector('[data-toast]')?.textContent.includes('deleted')")).await;
    ada.leaves().await;
}
