//! Uploads from a page during failures: of the request, the page or the sign-in.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Ada, half_a_minute};
use crate::browser::Browser;

/// Drops a WAV file of about two megabytes of noise, always the same one.
pub(super) const DROP: &str = "
    const size = 2_000_000;
    const bytes = new DataView(new ArrayBuffer(44 + size));
    const text = (at, value) => [...value].forEach((c, i) => bytes.setUint8(at + i, c.charCodeAt(0)));
    text(0, 'RIFF'); bytes.setUint32(4, 36 + size, true); text(8, 'WAVEfmt ');
    bytes.setUint32(16, 16, true); bytes.setUint16(20, 1, true); bytes.setUint16(22, 1, true);
    bytes.setUint32(24, 44100, true); bytes.setUint32(28, 88200, true);
    bytes.setUint16(32, 2, true); bytes.setUint16(34, 16, true);
    text(36, 'data'); bytes.setUint32(40, size, true);
    let seed = 1;
    for (let at = 44; at < 44 + size; at += 4) bytes.setUint32(at, (seed = (seed * 1103515245 + 12345) >>> 0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes.buffer], 'noise.wav', { type: 'audio/wav', lastModified: 1_700_000_000_000 }));
    for (const name of ['dragenter', 'dragover', 'drop']) {
        document.querySelector(arguments[0]).dispatchEvent(
            new DragEvent(name, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }";

/// The uploaded share of the file, as the page shows it.
const SHARE: &str = "document.querySelector('.uploads progress')?.value";

/// Records the method and the URL of each request for the upload of a file.
const WATCH: &str = "
    window.methods = [];
    const open = XMLHttpRequest.prototype.open;
    XMLHttpRequest.prototype.open = function (method, address, ...rest) {
        window.methods.push(method);
        window.address = address;
        return open.call(this, method, address, ...rest);
    };";

/// Limits uploads to this many bytes per second; -1 for no limit, 0 for no network.
async fn network(browser: &Browser, bytes_a_second: i64) {
    browser.command("Network.enable", json!({})).await;
    let conditions = json!({
        "offline": bytes_a_second == 0,
        "latency": 0,
        "downloadThroughput": -1,
        "uploadThroughput": bytes_a_second,
    });
    browser.command("Network.emulateNetworkConditions", conditions).await;
}

async fn opens_a_collection(ada: &Ada) {
    let browser = &ada.browser;
    browser.type_into("#title", "Songs of the tide").await;
    browser.click("main form button.primary").await;
    browser.shows(".empty h2", "No tracks yet").await;
    browser.until("document.querySelector('.drop button')?.hidden").await;
}

async fn has_one_track(browser: &Browser) {
    browser.until("document.querySelector('.uploads .badge.good')").await;
    browser.client.refresh().await.unwrap();
    browser.until("document.querySelector('.tracks svg.wave path')").await;
    let rows = browser.run("return document.querySelectorAll('.tracks a.row').length;", Vec::new()).await;
    assert_eq!(rows, json!(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_goes_on_when_its_request_has_ended() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    opens_a_collection(&ada).await;
    browser.run(WATCH, Vec::new()).await;
    network(browser, 300_000).await;
    // Files can be dropped anywhere on the page.
    browser.run(DROP, vec![json!("h1")]).await;
    browser.until(&format!("{SHARE} > 0.2")).await;
    browser
        .until("/MB\\/s · (.* left|almost done)/.test(document.querySelector('.uploads .speed').textContent)")
        .await;
    // A client that requests the offset ends the running request, as a client with a dead connection does.
    let address = browser.run("return window.address;", Vec::new()).await;
    let client = &ada.server.client;
    let asked = client.request(Method::HEAD, address.as_str().unwrap());
    assert_eq!(client.send(asked).await.status, 204);
    browser.shows(".uploads .badge", "Connection lost").await;
    network(browser, -1).await;
    has_one_track_after_resuming(browser).await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_uploaded_without_what_is_not_audio() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    opens_a_collection(&ada).await;
    browser.until("document.querySelector('.drop').offsetHeight > 120").await;
    let folder = tempfile::tempdir().unwrap();
    for name in ["10 flood.wav", "2 ebb.wav"] {
        std::fs::write(folder.path().join(name), half_a_minute(220.0)).unwrap();
    }
    std::fs::write(folder.path().join("notes.txt"), "No sound.").unwrap();
    let data = json!({ "items": [], "files": [folder.path()], "dragOperationsMask": 1 });
    for kind in ["dragEnter", "dragOver", "drop"] {
        let event = json!({ "type": kind, "x": 640, "y": 400, "data": data });
        browser.command("Input.dispatchDragEvent", event).await;
    }
    browser.shows(".note", "“notes.txt” is not audio and was left out.").await;
    browser.until("document.querySelectorAll('.uploads .badge.good').length === 2").await;
    let titles = "[...document.querySelectorAll('.tracks strong')].map(({ textContent }) => textContent)";
    browser.until(&format!("{titles}.join() === '2 ebb,10 flood'")).await;
    // The list has the place.
    browser.until("document.querySelector('.drop').offsetHeight < 100").await;
    ada.leaves().await;
}

/// The rest was appended: the file was not sent again.
async fn has_one_track_after_resuming(browser: &Browser) {
    browser.until("document.querySelector('.uploads .badge.good')").await;
    let methods = browser.run("return window.methods;", Vec::new()).await;
    assert!(methods.as_array().unwrap().contains(&Value::from("PATCH")), "{methods}");
    has_one_track(browser).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_goes_on_after_its_page_was_closed() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    opens_a_collection(&ada).await;
    let page = browser.client.current_url().await.unwrap();
    network(browser, 300_000).await;
    browser.run(DROP, vec![json!("body")]).await;
    browser.until(&format!("{SHARE} > 0.2")).await;
    ada.opens("/library").await;
    network(browser, -1).await;
    browser.goto(page.as_str()).await;
    browser.shows("main .note", "The upload of “noise.wav” was interrupted").await;
    browser.run(WATCH, Vec::new()).await;
    browser.run(DROP, vec![json!("body")]).await;
    has_one_track_after_resuming(browser).await;
    // The upload is forgotten once it is complete.
    browser.until("!document.querySelector('main .note')").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_goes_on_after_signing_in_again() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    opens_a_collection(&ada).await;
    ada.is_signed_out().await;
    browser.run(DROP, vec![json!(".drop")]).await;
    ada.signs_in_elsewhere("Songs of the tide").await;
    has_one_track(browser).await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn uploads_begin_when_the_network_is_back() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    opens_a_collection(&ada).await;
    network(browser, 0).await;
    let folder = tempfile::tempdir().unwrap();
    let files = ["1 ebb.wav", "2 slack.wav", "3 flow.wav", "4 flood.wav"].map(|name| {
        let file = folder.path().join(name);
        std::fs::write(&file, half_a_minute(220.0)).unwrap();
        file.to_str().unwrap().to_owned()
    });
    browser.type_into("#files", &files.join("\n")).await;
    browser.shows(".uploads .badge", "Connection lost. Trying again…").await;
    // Paused and cancelled ones do not keep the others.
    browser.click(".uploads li:nth-child(1) button").await;
    browser.shows(".uploads li:nth-child(1) .badge", "Paused").await;
    browser.click(".uploads li:nth-child(2) button + button").await;
    browser.until("document.querySelectorAll('.uploads li').length === 3").await;
    network(browser, -1).await;
    browser.until("document.querySelectorAll('.uploads .badge.good').length === 2").await;
    browser.shows(".uploads li:nth-child(1) .badge", "Paused").await;
    browser.click(".uploads li:nth-child(1) button").await;
    browser.until("document.querySelectorAll('.uploads .badge.good').length === 3").await;
    let titles = "[...document.querySelectorAll('.tracks strong')].map(({ textContent }) => textContent)";
    browser.until(&format!("{titles}.sort().join() === '1 ebb,3 flow,4 flood'")).await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_is_cancelled() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    opens_a_collection(&ada).await;
    network(browser, 300_000).await;
    browser.run(DROP, vec![json!(".drop")]).await;
    browser.until(&format!("{SHARE} > 0.1")).await;
    browser.click(".uploads button + button").await;
    browser.until("!document.querySelector('.uploads li')").await;
    network(browser, -1).await;
    browser.shows_in_time(".empty h2", "No tracks yet").await;
    ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_gone_is_told_and_leaves_nothing() {
    let ada = Ada::comes_in(&[]).await;
    let browser = &ada.browser;
    opens_a_collection(&ada).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("noise.wav");
    let noise: Vec<u8> = (0..2_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    std::fs::write(&file, noise).unwrap();
    browser.run(WATCH, Vec::new()).await;
    network(browser, 300_000).await;
    browser.type_into("#files", file.to_str().unwrap()).await;
    browser.until(&format!("{SHARE} > 0.1")).await;
    std::fs::write(&file, b"another file").unwrap();
    // The running request ends, and the next one would send a file that nobody has chosen.
    let address = browser.run("return window.address;", Vec::new()).await;
    let client = &ada.server.client;
    client.send(client.request(Method::HEAD, address.as_str().unwrap())).await;
    network(browser, -1).await;
    browser.shows(".uploads .badge.bad", "The file cannot be read.").await;
    browser.shows_in_time(".empty h2", "No tracks yet").await;
    ada.leaves().await;
}
