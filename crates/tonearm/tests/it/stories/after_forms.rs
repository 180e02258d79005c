//! Pages that only a form leads to: data that is shown once, and forms with problems. Also empty pages.

use serde_json::json;

use super::looking::{axe, looked_at};
use super::{Ada, PASSWORD};

/// Submits the form whose address ends with this text, with fields filled in, as a browser without scripts would.
const SEND: &str = "
    const [action, fields] = arguments;
    const form = [...document.forms].find((form) => new URL(form.action).pathname.endsWith(action) && form.method === 'post');
    for (const [name, value] of Object.entries(fields)) form.elements[name].value = value;
    form.submit();";

/// The name and the path of a page, the end of the form's address, its fields, and a selector and the text that it
/// shows on the next page.
type Form = (&'static str, &'static str, &'static str, serde_json::Value, &'static str, &'static str);

fn forms() -> [Form; 13] {
    let (secret, problem) = (".secret", ".problem");
    [
        ("created-key-api", "/keys/new?type=api", "/keys/new", json!({"title": "Backend"}), secret, "Copy"),
        ("created-key-player", "/keys/new?type=player", "/keys/new", json!({"title": "Web"}), secret, "Copy"),
        (
            "key-problem",
            "/keys/new?type=api",
            "/keys/new",
            json!({"title": "Old", "expires_at": "2001-01-01T00:00"}),
            "#expires_at-problem",
            "",
        ),
        ("created-signing-key", "/signing-keys", "/signing-keys", json!({"title": "Site"}), secret, "Copy"),
        ("webhook-problem", "/webhooks", "/track/set", json!({"url": "http://127.0.0.1/"}), problem, ""),
        ("webhook-set", "/webhooks", "/track/set", json!({"url": "https://example.com/a"}), "main", "saved"),
        ("webhook-secret", "/webhooks", "/track/secret", json!({}), "main", "whsec_"),
        ("variant-problem", "/variants", "/variants", json!({"index": "hq"}), problem, ""),
        ("transcription-problem", "/transcription", "/transcription", json!({"model": " "}), problem, ""),
        ("member-problem", "/members", "/members", json!({"email": "nobody"}), problem, ""),
        ("member-invited", "/members", "/members", json!({"email": "bea@example.com"}), "main", "Copy"),
        ("collection-problem", "/library", "/library", json!({"title": ""}), problem, ""),
        (
            "password-problem",
            "/profile",
            "/password",
            json!({"current": PASSWORD, "password": "x"}),
            problem,
            "",
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_follow_a_form_are_without_barriers() {
    let ada = Ada::comes_in(&[]).await;
    let (browser, axe, mut wrong) = (&ada.browser, axe(), Vec::new());
    for (name, page, action, fields, place, said) in forms() {
        ada.opens(page).await;
        browser.run("window.isBefore = true;", Vec::new()).await;
        browser.run(SEND, vec![json!(action), fields]).await;
        browser.until("!window.isBefore && document.readyState === 'complete'").await;
        browser.shows(place, said).await;
        wrong.extend(looked_at(browser, axe.as_deref(), name).await);
    }
    for (name, page) in [
        ("library-without-collections", "/library"),
        ("tracks-none-found", "/tracks?q=nothing"),
        ("library-none-found", "/library?q=nothing"),
        ("keys-none-found", "/keys?q=nothing"),
        ("trash-empty", "/trash"),
        ("usage-empty", "/usage"),
        ("audit-none-found", "/audit?q=nothing"),
    ] {
        ada.opens(page).await;
        browser.find("h1").await;
        wrong.extend(looked_at(browser, axe.as_deref(), name).await);
    }
    browser.goto(&format!("{}/dashboard/people?q=nothing", ada.server.node.public_url())).await;
    browser.shows("h2", "Nobody found").await;
    wrong.extend(looked_at(browser, axe.as_deref(), "people-none-found").await);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    ada.leaves().await;
}
