//! Checks of how a page looks: at the width of a desktop and of a phone, in light and dark, for accessibility, weight
//! and content that is out of sight.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::pages::Page;
use crate::browser::Browser;

/// The most bytes of a page with its styles and scripts, before compression.
const MOST_BYTES: u64 = 135_500;

/// Finds accessibility problems and returns the serious and critical ones, each with its location.
const LOOK: &str = "
    const [done] = [...arguments].slice(-1);
    axe.run(document, { resultTypes: ['violations'] }).then(
        ({ violations }) => done(violations
            .filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map((node) => [node.html, node.failureSummary]) }))),
        (error) => done([{ id: 'axe', help: String(error) }]),
    );";

/// The size of a page and its styles and scripts. Pictures and audio are not counted.
const WEIGH: &str = "
    const told = performance.getEntriesByType('resource')
        .filter(({ initiatorType, name }) => ['link', 'script', 'other'].includes(initiatorType) || /\\.(js|css)$/.test(name));
    const page = performance.getEntriesByType('navigation')[0];
    return [page, ...told].map(({ decodedBodySize }) => decodedBodySize).reduce((sum, size) => sum + size);";

/// Content that cannot be seen without scrolling sideways, and table cells that another element covers.
pub(super) const OUT_OF_SIGHT: &str = "
    const said = (element) => `${element.tagName} ${element.className} ${element.textContent.trim().slice(0, 40)}`;
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways');
    for (const element of document.querySelectorAll('main *')) {
        const { left, right, width } = element.getBoundingClientRect();
        if (!width || element.closest('.hidden, pre, svg, thead') || (left >= 0 && right <= innerWidth)) continue;
        found.push(`outside of the window: ${said(element)}`);
    }
    for (const cell of document.querySelectorAll('td, tbody th')) {
        // What is folded away has a place all the same.
        if (!cell.checkVisibility()) continue;
        cell.scrollIntoView({ block: 'center' });
        const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        while (words.nextNode()) {
            const text = words.currentNode;
            if (!text.data.trim() || text.parentElement.closest('.hidden')) continue;
            const range = document.createRange();
            range.selectNodeContents(text);
            for (const box of [...range.getClientRects()].filter(({ width }) => width > 2)) {
                const seen = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
                if (!cell.contains(seen)) found.push(`covered: ${said(cell)}`);
            }
        }
    }
    scrollTo(0, 0);
    return [...new Set(found)];";

/// Ends with the second frame from now.
const DRAWN: &str =
    "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));";

/// The conditions in which a page is viewed.
#[derive(Clone, Copy)]
pub(super) struct View {
    pub(super) name: &'static str,
    width: u32,
    height: u32,
}

pub(super) const VIEWS: [View; 4] = [
    View { name: "wide-light", width: 1440, height: 1000 },
    View { name: "phone-dark", width: 390, height: 844 },
    View { name: "wide-dark", width: 1440, height: 1000 },
    View { name: "phone-light", width: 390, height: 844 },
];

/// A window at four times its size, as people with low vision use it.
const NARROW: View = View { name: "narrow-light", width: 320, height: 568 };

impl Browser {
    pub(super) async fn views(&self, view: View) {
        let is_phone = view.width < 600;
        let screen = json!({
            "width": view.width, "height": view.height, "mobile": is_phone,
            "deviceScaleFactor": if is_phone { 2 } else { 1 },
        });
        self.command("Emulation.setDeviceMetricsOverride", screen).await;
        let scheme = if view.name.ends_with("dark") { "dark" } else { "light" };
        let features = json!([
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.command("Emulation.setEmulatedMedia", json!({ "features": features })).await;
        self.has_drawn().await;
    }

    /// Waits until the page has reacted to the size of the window. Scripts are notified with the next frame.
    async fn has_drawn(&self) {
        self.client.execute_async(DRAWN, Vec::new()).await.unwrap();
    }

    /// Opens a page and waits until it has loaded completely.
    pub(super) async fn opens(&self, address: &str) {
        self.goto(address).await;
        self.until(
            "[...document.images].every((image) => image.complete || image.loading === 'lazy') && \
             [...document.querySelectorAll('tonearm-player')].every((player) => player.duration > 0)",
        )
        .await;
        self.has_drawn().await;
    }
}

/// The script of axe-core, once `make test` has fetched it. `None` for users who chose to do without.
pub(super) fn axe() -> Option<String> {
    if std::env::var_os("TONEARM_WITHOUT_AXE").is_some() {
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/axe");
    let script = std::fs::read_to_string(folder.join("node_modules/axe-core/axe.min.js"));
    Some(
        script
            .expect("axe-core is not there: run tools/axe/fetch, or set TONEARM_WITHOUT_AXE=1 to do without"),
    )
}

/// The accessibility problems of the current page.
pub(super) async fn barriers(browser: &Browser, axe: &str) -> Vec<Value> {
    browser.run(axe, Vec::new()).await;
    let found = browser.client.execute_async(LOOK, Vec::new()).await.unwrap();
    found.as_array().unwrap().clone()
}

/// Two views that have both widths and both colour schemes between them; all four if pictures are taken.
pub(super) fn checked_views() -> impl Iterator<Item = View> {
    let most = if std::env::var_os("TONEARM_PICTURES").is_some() { VIEWS.len() } else { 2 };
    VIEWS.into_iter().take(most)
}

/// What is wrong with the current page, as text; empty if nothing is. Saves pictures of it to `TONEARM_PICTURES`.
pub(super) async fn looked_at(browser: &Browser, axe: Option<&str>, name: &str) -> Vec<String> {
    let (pictures, mut wrong) = (std::env::var_os("TONEARM_PICTURES").map(PathBuf::from), Vec::new());
    // An open page follows changes of the window and of the system's colours.
    for view in checked_views() {
        browser.views(view).await;
        let found = match axe {
            Some(axe) => barriers(browser, axe).await,
            None => Vec::new(),
        };
        for barrier in found {
            wrong.push(format!("{name}, {}: {}", view.name, serde_json::to_string_pretty(&barrier).unwrap()));
        }
        if let Some(folder) = &pictures {
            std::fs::create_dir_all(folder).unwrap();
            let shot = browser.command("Page.captureScreenshot", json!({ "format": "png" })).await;
            keep(&folder.join(format!("{name}.{}.png", view.name)), &shot);
        }
    }
    browser.views(VIEWS[0]).await;
    wrong
}

/// What is wrong with a page, as text; empty if nothing is.
pub(super) async fn wrong_with(browser: &Browser, axe: Option<&str>, (name, address): &Page) -> Vec<String> {
    let mut wrong = Vec::new();
    browser.views(VIEWS[0]).await;
    browser.opens(address).await;
    let weight = browser.run(WEIGH, Vec::new()).await.as_u64().unwrap();
    if weight > MOST_BYTES {
        wrong.push(format!("{name}: {weight} bytes"));
    }
    for view in [VIEWS[0], VIEWS[3], NARROW] {
        browser.views(view).await;
        let found = browser.run(OUT_OF_SIGHT, Vec::new()).await;
        let found = found.as_array().unwrap().iter().filter_map(Value::as_str);
        wrong.extend(found.map(|told| format!("{name}, {}: {told}", view.name)));
    }
    wrong.extend(looked_at(browser, axe, name).await);
    wrong
}

pub(super) fn keep(path: &Path, shot: &Value) {
    use base64::Engine;
    let picture = base64::prelude::BASE64_STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
    std::fs::write(path, picture).unwrap();
}
