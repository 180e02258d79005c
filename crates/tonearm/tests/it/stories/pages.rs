//! Every page: none keeps anybody out, none is heavy, and all can be looked at.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tonearm_domain::{KeyType, Role};
use tonearm_service::Caller;

use super::gallery::Gallery;
use crate::browser::Browser;

/// Most bytes of a page with its styles and scripts, as they are before compression.
const MOST_BYTES: u64 = 135_000;

/// Looks for barriers and gives back those that matter, each with where it is.
const LOOK: &str = "
    const [done] = [...arguments].slice(-1);
    axe.run(document, { resultTypes: ['violations'] }).then(
        ({ violations }) => done(violations
            .filter(({ impact }) => impact === 'serious' || impact === 'critical')
            .map(({ id, help, nodes }) => ({ id, help, nodes: nodes.map((node) => [node.html, node.failureSummary]) }))),
        (error) => done([{ id: 'axe', help: String(error) }]),
    );";

/// What a page and its styles and scripts weigh. Pictures and sound are not counted.
const WEIGH: &str = "
    const told = performance.getEntriesByType('resource')
        .filter(({ initiatorType, name }) => ['link', 'script', 'other'].includes(initiatorType) || /\\.(js|css)$/.test(name));
    const page = performance.getEntriesByType('navigation')[0];
    return [page, ...told].map(({ decodedBodySize }) => decodedBodySize).reduce((sum, size) => sum + size);";

/// What cannot be seen in the window without scrolling sideways, and cells of tables that something else covers.
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

/// Ends with the frame after the next.
const DRAWN: &str =
    "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));";

/// A name and an address.
pub(super) type Page = (&'static str, String);

impl Gallery {
    /// What everybody may see.
    pub(super) async fn pages_for_strangers(&self) -> Vec<Page> {
        let url = self.ada.server.node.public_url();
        let (track, track_key, collection_key) = (&self.track, &self.track_key, &self.collection_key);
        vec![
            ("sign-in", format!("{url}/dashboard/sign-in")),
            ("first-password", self.ada.first_link().await.unwrap()),
            ("dead-link", format!("{url}/dashboard/link/none")),
            ("invitation", self.invitation_for_a_stranger().await),
            ("share-track", format!("{url}/share/{track}/{track_key}")),
            ("share-collection", format!("{url}/share/{collection_key}")),
            ("share-refused", format!("{url}/share/{track}/none")),
            ("embed-track", format!("{url}/embed/{track}/{track_key}")),
            ("embed-collection", format!("{url}/embed/{collection_key}")),
        ]
    }

    async fn invitation_for_a_stranger(&self) -> String {
        let services = self.ada.server.node.services().unwrap();
        let caller = Caller::owner(self.ada.server.organization_id.parse().unwrap());
        services.people.invite(&caller, Role::Viewer, "stranger@example.com").await.unwrap().url
    }

    /// What an owner may see.
    pub(super) fn pages_for_owners(&self) -> Vec<Page> {
        let pages = [
            ("library", "/library".to_owned()),
            ("library-search", "/library?q=harbour".to_owned()),
            ("start", "/start".to_owned()),
            ("start-add", format!("/start/{}", self.empty_collection)),
            ("start-embed", format!("/start/{}", self.collection)),
            ("collection", format!("/collections/{}", self.collection)),
            ("collection-empty", format!("/collections/{}", self.empty_collection)),
            ("track", format!("/tracks/{}", self.track)),
            ("track-spoken", format!("/tracks/{}", self.spoken_track)),
            ("track-failed", format!("/tracks/{}", self.failed_track)),
            ("track-incomplete", format!("/tracks/{}", self.incomplete_track)),
            ("track-share", format!("/tracks/{}/share", self.track)),
            ("collection-share", format!("/collections/{}/share", self.collection)),
            ("transcript", format!("/tracks/{}/transcript", self.spoken_track)),
            ("tracks", "/tracks".to_owned()),
            ("tracks-found", "/tracks?q=waltz&sort=title".to_owned()),
            ("trash", "/trash".to_owned()),
            ("usage", "/usage".to_owned()),
            ("usage-drop-off", format!("/usage/tracks/{}", self.track)),
            ("keys", "/keys".to_owned()),
            ("new-key-share", "/keys/new?type=share".to_owned()),
            ("new-key-found", "/keys/new?type=share&find=the".to_owned()),
            ("new-key-player", "/keys/new?type=player".to_owned()),
            ("signing-keys", "/signing-keys".to_owned()),
            ("new-key-api", "/keys/new?type=api".to_owned()),
            ("variants", "/variants".to_owned()),
            ("webhooks", "/webhooks".to_owned()),
            ("delivery", format!("/webhooks/deliveries/{}", self.delivery)),
            ("transcription", "/transcription".to_owned()),
            ("members", "/members".to_owned()),
            ("audit", "/audit".to_owned()),
            ("organization", "/organization".to_owned()),
            ("profile", "/profile".to_owned()),
            ("nothing", "/nothing".to_owned()),
        ];
        pages.into_iter().map(|(name, path)| (name, format!("{}{path}", self.ada.base))).collect()
    }
}

impl Gallery {
    /// What an administrator sees of people, and pages whose addresses hold an id or a secret.
    async fn pages_for_administrators(&self) -> Vec<Page> {
        let services = self.ada.server.node.services().unwrap();
        let caller = Caller::owner(self.ada.server.organization_id.parse().unwrap());
        let url = self.ada.server.node.public_url();
        let own = services.people.everybody().await.unwrap()[0].id;
        let (bea, _) = services.people.add_person("Bea", "bea@example.com", false).await.unwrap();
        let keys = services.library.keys(&caller).await.unwrap();
        let key = keys.iter().find(|key| key.key_type == KeyType::Api).unwrap().id;
        let invitation = services.people.invite(&caller, Role::Editor, "cleo@example.com").await.unwrap().url;
        vec![
            ("people", format!("{url}/dashboard/people")),
            ("status", format!("{url}/dashboard/status")),
            ("account-own", format!("{url}/dashboard/people/{own}")),
            ("account", format!("{url}/dashboard/people/{}", bea.id)),
            ("second-factor", format!("{}/profile/second-factor", self.ada.base)),
            ("edit-key", format!("{}/keys/{key}", self.ada.base)),
            ("keys-revoked", format!("{}/keys?state=revoked", self.ada.base)),
            ("invitation-own", invitation),
        ]
    }
}

/// How a page is looked at.
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

    /// Waits until what follows the size of the window has followed: scripts hear of it with the next frame.
    async fn has_drawn(&self) {
        self.client.execute_async(DRAWN, Vec::new()).await.unwrap();
    }

    /// Opens a page and waits until it is all there.
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

/// axe-core, once `make test` has fetched it; nothing for those who chose to do without.
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

/// What keeps people out of the page that is shown.
pub(super) async fn barriers(browser: &Browser, axe: &str) -> Vec<Value> {
    browser.run(axe, Vec::new()).await;
    let found = browser.client.execute_async(LOOK, Vec::new()).await.unwrap();
    found.as_array().unwrap().clone()
}

impl Gallery {
    /// Opens the page on which all tracks of a collection are changed; forms lead there.
    async fn selects_for(&self, action: &str) {
        let browser = &self.ada.browser;
        browser.views(VIEWS[0]).await;
        browser.opens(&format!("{}/collections/{}", self.ada.base, self.collection)).await;
        browser.run("document.querySelector('[data-selecting]').click();", Vec::new()).await;
        browser.run("document.querySelector('[data-select-all] input').click();", Vec::new()).await;
        browser.click(&format!("[data-selection-actions] [value={action}]")).await;
        browser.until("location.pathname.endsWith('/selection')").await;
    }

    /// Opens the page that shows a new secret once; a form leads there.
    async fn rotates_a_key(&self, page: &str) {
        let browser = &self.ada.browser;
        browser.views(VIEWS[0]).await;
        browser.opens(page).await;
        browser.click("form[action$='/rotate'] button").await;
        browser.until("location.pathname.endsWith('/rotate')").await;
    }
}

/// What is wrong with the page that is shown, as text; nothing where nothing is. Takes pictures of it into `TONEARM_PICTURES`.
pub(super) async fn looked_at(browser: &Browser, axe: Option<&str>, name: &str) -> Vec<String> {
    let (pictures, mut wrong) = (std::env::var_os("TONEARM_PICTURES").map(PathBuf::from), Vec::new());
    // An open page follows the window and the colours of the system.
    for view in VIEWS {
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

/// What is wrong with a page, as text; nothing where nothing is.
async fn wrong_with(browser: &Browser, axe: Option<&str>, (name, address): &Page) -> Vec<String> {
    let mut wrong = Vec::new();
    browser.views(VIEWS[0]).await;
    browser.opens(address).await;
    let weight = browser.run(WEIGH, Vec::new()).await.as_u64().unwrap();
    if weight > MOST_BYTES {
        wrong.push(format!("{name}: {weight} bytes"));
    }
    for view in [VIEWS[0], VIEWS[3]] {
        browser.views(view).await;
        let found = browser.run(OUT_OF_SIGHT, Vec::new()).await;
        let found = found.as_array().unwrap().iter().filter_map(Value::as_str);
        wrong.extend(found.map(|told| format!("{name}, {}: {told}", view.name)));
    }
    wrong.extend(looked_at(browser, axe, name).await);
    wrong
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_light_and_without_barriers() {
    let axe = axe();
    let gallery = Box::pin(Gallery::open()).await;
    let (browser, mut wrong) = (&gallery.ada.browser, Vec::new());
    for page in gallery.pages_for_strangers().await {
        wrong.extend(wrong_with(browser, axe.as_deref(), &page).await);
    }
    browser.views(VIEWS[0]).await;
    gallery.ada.uses_the_first_link().await;
    if let Some(axe) = &axe {
        browser
            .run("document.querySelector('main').append(document.createElement('button'));", Vec::new())
            .await;
        let found = barriers(browser, axe).await;
        assert_eq!(found[0]["id"], "button-name", "a button without a name is a barrier: {found:?}");
    }
    let mut pages = gallery.pages_for_owners();
    pages.extend(gallery.pages_for_administrators().await);
    let (_, edit_key) = pages.iter().find(|(name, _)| *name == "edit-key").unwrap().clone();
    for page in pages {
        wrong.extend(wrong_with(browser, axe.as_deref(), &page).await);
    }
    for action in ["move", "position", "retitle", "cover"] {
        gallery.selects_for(action).await;
        wrong.extend(looked_at(browser, axe.as_deref(), action).await);
    }
    gallery.rotates_a_key(&edit_key).await;
    wrong.extend(looked_at(browser, axe.as_deref(), "rotated-key").await);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    gallery.ada.leaves().await;
}

/// The bar with its queue, the menu of a row, what can be done with a selection, and the list of shortcuts.
#[tokio::test(flavor = "multi_thread")]
async fn the_bar_and_the_selection_are_without_barriers() {
    let gallery = Gallery::open().await;
    let (browser, axe) = (&gallery.ada.browser, axe());
    gallery.ada.uses_the_first_link().await;
    let page = format!("{}/collections/{}", gallery.ada.base, gallery.collection);
    browser.opens(&page).await;
    browser.click("[data-play]").await;
    let begin = "
        document.querySelector('[data-selecting]').click();
        document.querySelectorAll('.pick')[1].click();
        document.querySelectorAll('[data-more]')[2].click();";
    browser.run(begin, Vec::new()).await;
    browser.until("document.querySelector('.popup button')").await;
    if let Some(axe) = &axe {
        assert!(barriers(browser, axe).await.is_empty(), "the menu of a row");
    }
    browser.until("window.tonearmBar.here?.player.duration > 0").await;
    browser.run("document.querySelector('[aria-controls=bar-queue]').click();", Vec::new()).await;
    let folder = std::env::var_os("TONEARM_PICTURES").map(PathBuf::from);
    let mut wrong = Vec::new();
    for (name, step) in
        [("bar", "true"), ("shortcuts", "document.querySelector('.side-wide [data-shortcuts]').click()")]
    {
        browser.run(step, Vec::new()).await;
        for view in VIEWS {
            browser.views(view).await;
            let wide = "return document.documentElement.scrollWidth > innerWidth;";
            if browser.run(wide, Vec::new()).await == json!(true) {
                wrong.push(format!("{name}, {}: the page is wider than the window", view.name));
            }
            if let Some(axe) = &axe {
                wrong.extend(
                    barriers(browser, axe).await.iter().map(|found| format!("{}: {found}", view.name)),
                );
            }
            if let Some(folder) = &folder {
                let shot = browser.command("Page.captureScreenshot", json!({ "format": "png" })).await;
                keep(&folder.join(format!("{name}.{}.png", view.name)), &shot);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    gallery.ada.leaves().await;
}

/// Takes pictures of all pages into `TONEARM_PICTURES`, for people to look at.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it checks nothing; `make pictures` runs it"]
async fn pictures_of_every_page() {
    let folder =
        PathBuf::from(std::env::var_os("TONEARM_PICTURES").expect("TONEARM_PICTURES names a folder"));
    std::fs::create_dir_all(&folder).unwrap();
    let gallery = Box::pin(Gallery::open()).await;
    let browser = &gallery.ada.browser;
    let strangers = gallery.pages_for_strangers().await;
    take(browser, &folder, &strangers).await;
    browser.views(VIEWS[0]).await;
    gallery.ada.uses_the_first_link().await;
    take(browser, &folder, &gallery.pages_for_owners()).await;
    let pages = gallery.pages_for_administrators().await;
    take(browser, &folder, &pages).await;
    for action in ["move", "position", "retitle", "cover"] {
        gallery.selects_for(action).await;
        looked_at(browser, None, action).await;
    }
    let (_, edit_key) = pages.iter().find(|(name, _)| *name == "edit-key").unwrap();
    gallery.rotates_a_key(edit_key).await;
    looked_at(browser, None, "rotated-key").await;
    gallery.ada.leaves().await;
}

async fn take(browser: &Browser, folder: &Path, pages: &[Page]) {
    for view in VIEWS {
        browser.views(view).await;
        for (name, address) in pages {
            browser.opens(address).await;
            let shot = json!({ "format": "png", "captureBeyondViewport": true });
            let shot = browser.command("Page.captureScreenshot", shot).await;
            keep(&folder.join(format!("{name}.{}.png", view.name)), &shot);
        }
    }
}

pub(super) fn keep(path: &Path, shot: &Value) {
    use base64::Engine;
    let picture = base64::prelude::BASE64_STANDARD.decode(shot["data"].as_str().unwrap()).unwrap();
    std::fs::write(path, picture).unwrap();
}
