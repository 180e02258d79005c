//! Every page is accessible, is not heavy, and has its picture taken. Each group of pages has its own test, because one
//! test for all would take minutes.

use std::path::{Path, PathBuf};

use serde_json::json;
use tonearm_domain::{KeyType, Role};
use tonearm_service::Caller;

use super::gallery::Gallery;
use super::looking::{VIEWS, axe, barriers, checked_views, keep, looked_at, wrong_with};
use crate::browser::Browser;

/// The name and the address of a page.
pub(super) type Page = (&'static str, String);

impl Gallery {
    /// Pages that anybody may see.
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
            ("embed-light", format!("{url}/embed/{track}/{track_key}?theme=light")),
            ("embed-dark", format!("{url}/embed/{track}/{track_key}?theme=dark")),
            ("docs", format!("{url}/docs")),
            ("docs-collections", format!("{url}/docs/collections")),
        ]
    }

    async fn invitation_for_a_stranger(&self) -> String {
        let services = self.ada.server.node.services().unwrap();
        let caller = Caller::owner(self.ada.server.organization_id.parse().unwrap());
        services.people.invite(&caller, Role::Viewer, "stranger@example.com").await.unwrap().url
    }

    /// Pages for owners about collections, tracks and listens.
    pub(super) fn pages_of_the_library(&self) -> Vec<Page> {
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
        ];
        self.of_the_organization(pages)
    }

    /// Pages for owners with settings, and with records beside the library.
    pub(super) fn pages_of_settings(&self) -> Vec<Page> {
        let pages = [
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
        self.of_the_organization(pages)
    }

    fn of_the_organization(&self, pages: impl IntoIterator<Item = (&'static str, String)>) -> Vec<Page> {
        pages.into_iter().map(|(name, path)| (name, format!("{}{path}", self.ada.base))).collect()
    }
}

impl Gallery {
    /// Pages for administrators about people, and pages whose addresses contain an id or a secret.
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

impl Gallery {
    /// Opens the page that changes all tracks of a collection. Forms lead there.
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

/// Checks pages one after another, and reports everything that is wrong.
async fn are_light_and_without_barriers(gallery: &Gallery, pages: &[Page]) {
    let (axe, mut wrong) = (axe(), Vec::new());
    for page in pages {
        wrong.extend(wrong_with(&gallery.ada.browser, axe.as_deref(), page).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_for_strangers_are_light_and_without_barriers() {
    let gallery = Box::pin(Gallery::open()).await;
    are_light_and_without_barriers(&gallery, &gallery.pages_for_strangers().await).await;
    gallery.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_the_library_are_light_and_without_barriers() {
    let gallery = Box::pin(Gallery::open()).await;
    gallery.ada.uses_the_first_link().await;
    are_light_and_without_barriers(&gallery, &gallery.pages_of_the_library()).await;
    gallery.ada.leaves().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_settings_are_light_and_without_barriers() {
    let gallery = Box::pin(Gallery::open()).await;
    gallery.ada.uses_the_first_link().await;
    are_light_and_without_barriers(&gallery, &gallery.pages_of_settings()).await;
    gallery.ada.leaves().await;
}

/// Pages for administrators, and pages that a form leads to.
#[tokio::test(flavor = "multi_thread")]
async fn pages_behind_forms_and_for_administrators_are_light_and_without_barriers() {
    let (gallery, axe) = (Box::pin(Gallery::open()).await, axe());
    gallery.ada.uses_the_first_link().await;
    let browser = &gallery.ada.browser;
    if let Some(axe) = &axe {
        browser
            .run("document.querySelector('main').append(document.createElement('button'));", Vec::new())
            .await;
        let found = barriers(browser, axe).await;
        assert_eq!(found[0]["id"], "button-name", "a button without a name is a barrier: {found:?}");
    }
    let pages = gallery.pages_for_administrators().await;
    are_light_and_without_barriers(&gallery, &pages).await;
    let mut wrong = Vec::new();
    for action in ["move", "position", "retitle", "cover"] {
        gallery.selects_for(action).await;
        wrong.extend(looked_at(browser, axe.as_deref(), action).await);
    }
    let (_, edit_key) = pages.iter().find(|(name, _)| *name == "edit-key").unwrap();
    gallery.rotates_a_key(edit_key).await;
    wrong.extend(looked_at(browser, axe.as_deref(), "rotated-key").await);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    gallery.ada.leaves().await;
}

/// The bar with its queue, the menu of a row, the actions for a selection, and the list of shortcuts.
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
        for view in checked_views() {
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

/// Saves pictures of all pages to `TONEARM_PICTURES`, for people to look at.
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
    take(browser, &folder, &gallery.pages_of_the_library()).await;
    take(browser, &folder, &gallery.pages_of_settings()).await;
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
