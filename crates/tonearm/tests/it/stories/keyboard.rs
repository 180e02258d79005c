//! Everything works without a mouse: with Tab, Return, Space and arrow keys. The focus is always visible.

use fantoccini::key::Key;

use super::{AUDIO, Ada, EMAIL, PASSWORD, entered, hears};
use crate::browser::Browser;

/// More than the number of links on any page here.
const MOST_STEPS: usize = 80;

/// Checks the focused element, also inside the player: whether a selector matches it, and whether it looks different
/// from elements without focus.
const FOCUSED: &str = "
    const [css] = arguments;
    let node = document.activeElement;
    while (node.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    if (!node.matches(css)) return 'elsewhere';
    const { outlineStyle, outlineWidth } = getComputedStyle(node);
    const box = node.getBoundingClientRect();
    const isThere = box.width > 0 && box.bottom > 0 && box.top < innerHeight;
    const isMarked = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2;
    return isThere && isMarked ? 'seen' : `not in sight: ${outlineStyle} ${outlineWidth}, ${box.top} of ${innerHeight}`;";

/// Moves the focus forwards or backwards until a selector matches the focused element.
async fn reach(browser: &Browser, step: &str, css: &str) {
    for _ in 0..MOST_STEPS {
        browser.strike(step).await;
        match browser.run(FOCUSED, vec![css.into()]).await.as_str().unwrap() {
            "seen" => return,
            "elsewhere" => {}
            hidden => panic!("{css} has the focus but is {hidden}"),
        }
    }
    panic!("{css} is not reached in {MOST_STEPS} steps");
}

fn key(key: Key) -> String {
    char::from(key).to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_done_by_keyboard() {
    let ada = Ada::comes_in(&[]).await;
    let (browser, tab, enter) = (&ada.browser, &key(Key::Tab), &key(Key::Enter));
    ada.has_a_track("ebb.wav").await;
    reach(browser, tab, ".side-wide .who button").await;
    browser.strike(enter).await;

    // The first field has the focus.
    browser.shows("h1", "Sign in").await;
    browser.until("document.activeElement.id === 'email'").await;
    browser.strike(&format!("{EMAIL}{tab}{}", entered(PASSWORD))).await;
    browser.shows("h1", "Library").await;
    browser.strike(tab).await;
    reach(browser, tab, ".skip").await;
    browser.strike(enter).await;
    browser.until("document.activeElement.id === 'main'").await;

    reach(browser, tab, ".cards a").await;
    browser.strike(enter).await;
    browser.shows("h1", "Songs of the tide").await;
    reach(browser, tab, ".tracks a.row").await;
    browser.strike(enter).await;
    plays_and_seeks(browser, tab, enter).await;

    reach(browser, tab, ".side-wide a[href$='/keys']").await;
    browser.strike(enter).await;
    browser.shows("h1", "Keys and links").await;
    reach(browser, tab, "main a[href$='/keys/new']").await;
    browser.strike(enter).await;
    browser.shows("h1", "New key").await;
    reach(browser, tab, ".tabs a[href$='type=player']").await;
    browser.strike(enter).await;
    browser.shows(".tabs [aria-current]", "Player").await;
    browser.until("document.activeElement.id === 'title'").await;
    browser.strike("Our website").await;
    reach(browser, tab, "[name=is_downloadable]").await;
    browser.strike(" ").await;
    reach(browser, tab, "button.primary").await;
    browser.strike(enter).await;
    browser.shows("#key", "_").await;
    reach(browser, tab, "main a[href$='/keys']").await;
    browser.strike(enter).await;
    browser.shows("tbody", "downloads").await;
    ada.leaves().await;
}

/// On the page of a track of half a minute.
async fn plays_and_seeks(browser: &Browser, tab: &str, enter: &str) {
    browser.in_player(".play:not([disabled])").await;
    reach(browser, tab, ".play").await;
    browser.strike(enter).await;
    hears(browser).await;
    browser.strike(" ").await;
    browser.until(&format!("{AUDIO}.paused")).await;
    reach(browser, tab, ".wave").await;
    for (struck, expected) in [
        (Key::Home, "0"),
        (Key::Right, "5"),
        (Key::Right, "10"),
        (Key::Left, "5"),
        (Key::PageUp, "10"),
        (Key::PageDown, "5"),
        (Key::End, "29.95"),
    ] {
        browser.strike(&key(struck)).await;
        browser.until(&format!("Math.abs({AUDIO}.currentTime - {expected}) < 0.2")).await;
    }
    browser.strike(&key(Key::Home)).await;
    browser.strike(" ").await;
    hears(browser).await;
    browser.strike("k").await;
    browser.until(&format!("{AUDIO}.paused")).await;
}
