//! A real browser, driven through a driver of the test's own: Chromium, and before releases Firefox and WebKit.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fantoccini::actions::{
    InputSource, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions, PointerAction,
};
use fantoccini::elements::Element;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::TempDir;
use tonearm_fixtures::{EVENTUALLY, free_port};
use url::{ParseError, Url};

/// A wait that takes longer than this never ends. A busy machine may need half a minute to process an upload.
const PATIENCE: Duration = EVENTUALLY;

/// A browser with a fresh profile. Close it at the end; the driver ends with it.
pub(crate) struct Browser {
    pub(crate) client: Client,
    kind: Kind,
    driver: Child,
    _profile: TempDir,
}

impl Browser {
    pub(crate) async fn open() -> Self {
        let profile = TempDir::with_prefix("tonearm-browser-").unwrap();
        let kind = Kind::chosen();
        let (driver, port) = kind.start_driver();
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(kind.capabilities(profile.path()).as_object().unwrap().clone())
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .unwrap();
        Self { client, kind, driver, _profile: profile }
    }

    /// Waits for the first element that a selector matches.
    pub(crate) async fn find(&self, css: &str) -> Element {
        let wait = self.client.wait().at_most(PATIENCE);
        wait.for_element(Locator::Css(css)).await.unwrap_or_else(|error| panic!("{css}: {error}"))
    }

    pub(crate) async fn text(&self, css: &str) -> String {
        self.find(css).await.text().await.unwrap()
    }

    /// Waits until the first element that the selector matches shows this text. A submitted form may take some time to
    /// load the next page.
    pub(crate) async fn shows(&self, css: &str, text: &str) {
        self.wait_for(css, text, Duration::from_millis(50), async || {}).await;
    }

    async fn wait_for(&self, css: &str, text: &str, pause: Duration, between: impl AsyncFn()) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            // During a page change, an element may disappear before it is read.
            let seen = self.find(css).await.text().await.unwrap_or_default();
            if seen.contains(text) {
                return;
            }
            assert!(Instant::now() < deadline, "{css} says {seen:?}, not {text:?}");
            tokio::time::sleep(pause).await;
            between().await;
        }
    }

    pub(crate) async fn type_into(&self, css: &str, text: &str) {
        let typed = self.find(css).await.send_keys(text).await;
        typed.unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    pub(crate) async fn click(&self, css: &str) {
        self.find(css).await.click().await.unwrap_or_else(|error| panic!("{css}: {error}"));
    }

    pub(crate) async fn goto(&self, url: &str) {
        self.client.goto(url).await.unwrap();
    }

    /// Reloads the page until the first element that the selector matches shows this text, for data that is stored a
    /// moment later.
    pub(crate) async fn shows_in_time(&self, css: &str, text: &str) {
        let reload = async || self.client.refresh().await.unwrap();
        self.wait_for(css, text, Duration::from_millis(200), reload).await;
    }

    /// Runs a script and returns its result. The script runs as if it were part of the page, and no security policy
    /// blocks it.
    pub(crate) async fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.client.execute(script, arguments).await.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// Sends a command of the browser's DevTools protocol, such as `Emulation.setEmulatedMedia`.
    pub(crate) async fn command(&self, name: &'static str, parameters: Value) -> Value {
        self.client
            .issue_cmd(DevTools { name, parameters })
            .await
            .unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Waits until an expression is true in the page.
    pub(crate) async fn until(&self, expression: &str) {
        let (deadline, script) = (Instant::now() + PATIENCE, format!("return Boolean({expression});"));
        // During a page change, there may be no page that evaluates the expression.
        while !matches!(self.client.execute(&script, Vec::new()).await, Ok(Value::Bool(true))) {
            assert!(Instant::now() < deadline, "this does not become true: {expression}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits for an element of the player on the page.
    pub(crate) async fn in_player(&self, css: &str) -> Element {
        self.until(&format!("document.querySelector('tonearm-player')?.shadowRoot?.querySelector('{css}')"))
            .await;
        let player = self.find("tonearm-player").await.shadow_root().await.unwrap();
        player.find(Locator::Css(css)).await.unwrap()
    }

    /// Clicks on an element at a distance from its left edge, given as a share of its width.
    pub(crate) async fn click_at(&self, element: Element, share: f64) {
        let (.., width, _) = element.rectangle().await.unwrap();
        let x = (share - 0.5) * width;
        let mouse = MouseActions::new("mouse".to_owned())
            .then(PointerAction::MoveToElement { element, duration: None, x, y: 0.0 })
            .then(PointerAction::Down { button: MOUSE_BUTTON_LEFT })
            .then(PointerAction::Up { button: MOUSE_BUTTON_LEFT });
        self.client.perform_actions(mouse).await.unwrap();
    }

    /// Types keys one after another, into whatever has the focus.
    pub(crate) async fn strike(&self, keys: &str) {
        let strike = |actions: KeyActions, value| {
            actions.then(KeyAction::Down { value }).then(KeyAction::Up { value })
        };
        let keys = keys.chars().fold(KeyActions::new("keyboard".to_owned()), strike);
        self.client.perform_actions(keys).await.unwrap();
    }

    /// Fails if a script of a page has thrown what nothing caught.
    pub(crate) async fn close(mut self) {
        if self.kind == Kind::Chromium {
            let log = self.client.issue_cmd(Log).await.unwrap();
            let thrown = log.as_array().unwrap().iter().filter(|line| line["source"] == "javascript");
            assert_eq!(thrown.collect::<Vec<_>>(), [] as [&Value; 0], "nothing caught this");
        }
        self.client.clone().close().await.unwrap();
        self.driver.kill().unwrap();
        self.driver.wait().unwrap();
    }
}

#[derive(Debug)]
struct DevTools {
    name: &'static str,
    parameters: Value,
}

impl WebDriverCompatibleCommand for DevTools {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        let body = json!({ "cmd": self.name, "params": self.parameters });
        (Method::POST, Some(body.to_string()))
    }
}

/// What pages have logged.
#[derive(Debug)]
struct Log;

impl WebDriverCompatibleCommand for Log {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({ "type": "browser" }).to_string()))
    }
}

/// The browsers that tests know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Chromium,
    Firefox,
    /// WebKitGTK.
    WebKit,
}

impl Kind {
    /// Chromium, unless `TONEARM_BROWSER` names another (`make browsers`).
    fn chosen() -> Self {
        match std::env::var("TONEARM_BROWSER").as_deref() {
            Ok("firefox") => Self::Firefox,
            Ok("webkit") => Self::WebKit,
            _ => Self::Chromium,
        }
    }

    fn capabilities(self, profile: &Path) -> Value {
        match self {
            Self::Chromium => chromium(profile),
            Self::Firefox => {
                json!({ "moz:firefoxOptions": { "binary": "/usr/bin/firefox-esr", "args": ["-headless"] } })
            }
            Self::WebKit => json!({ "webkitgtk:browserOptions": { "args": ["--automation"] } }),
        }
    }

    /// Starts a driver. It does not choose its port itself: chromedriver takes one that is free on `::1`, and ends if
    /// another program has it on 127.0.0.1.
    fn start_driver(self) -> (Child, u16) {
        let port = free_port();
        let program = match self {
            Self::Chromium => "chromedriver",
            Self::Firefox => "geckodriver",
            Self::WebKit => "WebKitWebDriver",
        };
        let driver = Command::new(program)
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{program}: {error}; see `make browsers` and `make test`"));
        listens(port);
        (driver, port)
    }
}

fn chromium(profile: &Path) -> Value {
    let folder = format!("--user-data-dir={}", profile.display());
    let arguments = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        // A microphone that beeps, which pages may use without asking.
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        "--window-size=1280,900",
        &folder,
    ];
    json!({
        "goog:chromeOptions": { "args": arguments },
        "goog:loggingPrefs": { "browser": "SEVERE" },
    })
}

/// Waits until something listens on a port.
fn listens(port: u16) {
    let deadline = Instant::now() + PATIENCE;
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < deadline, "nothing listens on {port}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
