//! A real browser: Chromium, driven through a chromedriver of the test's own.

use std::io::{BufRead, BufReader};
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
use url::{ParseError, Url};

/// A wait that takes longer than this never ends. A busy machine may need half a minute to process an upload.
const PATIENCE: Duration = Duration::from_secs(90);

/// A browser with a fresh profile. Close it at the end; the driver ends with it.
pub(crate) struct Browser {
    pub(crate) client: Client,
    driver: Child,
    _profile: TempDir,
}

impl Browser {
    pub(crate) async fn open() -> Self {
        let (driver, port) = start_driver();
        let profile = TempDir::with_prefix("tonearm-chromium-").unwrap();
        let folder = format!("--user-data-dir={}", profile.path().display());
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
        let options = json!({ "goog:chromeOptions": { "args": arguments } });
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(options.as_object().unwrap().clone())
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .unwrap();
        Self { client, driver, _profile: profile }
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
        self.find(css).await.send_keys(text).await.unwrap();
    }

    pub(crate) async fn click(&self, css: &str) {
        self.find(css).await.click().await.unwrap();
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

    pub(crate) async fn close(mut self) {
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

/// Starts a driver on a free port. The driver prints the port.
fn start_driver() -> (Child, u16) {
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver is needed: tools/need chromedriver chromium-driver");
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let port = lines.find_map(|line| {
        let line = line.ok()?;
        line.split_once("started successfully on port ")?.1.trim_end_matches('.').parse().ok()
    });
    // The driver must be able to go on printing.
    std::thread::spawn(move || lines.for_each(drop));
    (driver, port.expect("chromedriver says its port"))
}
