//! Changes in the library are shown without reloading, and items deleted by mistake are restored.

use super::{Ada, half_a_minute};

#[tokio::test(flavor = "multi_thread")]
async fn a_row_tells_how_far_its_track_is_and_what_came_of_it() {
    let ada = Ada::comes_in(&[]).await;
    let (browser, client) = (&ada.browser, &ada.server.client);
    let collection = client.collection("Songs of the tide").await;
    let track = client.upload(&collection, "ebb.wav", half_a_minute(220.0)).await;
    // The page may open before or after the track is processed. In both cases it shows that the track is ready in the
    // end.
    ada.opens(&format!("/collections/{collection}")).await;
    browser.run("window.sameDocument = true;", Vec::new()).await;
    browser.until("document.querySelector('.tracks svg.wave path')").await;
    browser.shows(".tracks .badge", "Ready").await;
    browser.until("window.sameDocument").await;
    client.settled(&track).await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_deleted_by_mistake_comes_back() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    let (track, collection) = ada.has_a_track("ebb.wav").await;
    ada.opens(&format!("/tracks/{track}")).await;
    browser.click("form[action$='/delete'] button").await;
    browser.click("dialog .danger").await;
    browser.shows(".toast", "Track deleted.").await;
    browser.shows(".empty h2", "No tracks yet").await;
    browser.click(".undo button").await;
    browser.shows(".toast", "Restored.").await;
    browser.in_player(".play:not([disabled])").await;

    // Once more, later, from the list of deleted items.
    ada.opens(&format!("/collections/{collection}")).await;
    browser.click("form[action$='/delete'] button").await;
    browser.click("dialog .danger").await;
    browser.click(".undo a").await;
    browser.shows("table", "Songs of the tide").await;
    browser.click(".row-actions button").await;
    browser.shows(".toast", "Restored.").await;
    browser.shows(".tracks", "ebb").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_colours_companions_follow_it() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    ada.opens("/organization").await;
    let choose = "
        const input = document.querySelector('#player_color');
        input.value = '#ffe000';
        input.dispatchEvent(new Event('input', { bubbles: true }));";
    browser.run(choose, Vec::new()).await;
    let light = "#ffe000".parse::<tonearm_domain::Colour>().unwrap().companions().light;
    browser.shows(".companions", &light.to_string()).await;
    ada.leaves().await;
}
