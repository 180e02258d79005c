//! An OpenID Connect provider on a free port. What a person does on its pages is done by its methods.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use http::{HeaderMap, StatusCode};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::task::JoinHandle;
use tonearm_domain::Ambient;
use tonearm_outbound::{ClientSecret, IdentityProvider, Outbound, ProviderSettings};
use tonearm_service::SignInProvider;

use crate::browser::{Browser, Page};
use crate::house::PUBLIC_URL;

const CLIENT: &str = "tonearm";
const SECRET: &str = "a secret/with: odd characters";
/// After all that tests do.
const END: i64 = 2_200_000_000;

/// How a token is made other than it should be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Forgery {
    #[default]
    None,
    /// Signed with a key that the provider does not have, under the name of one that it has.
    OtherKey,
    /// Not signed at all.
    NoSignature,
    /// Signed with the client's secret.
    SharedSecret,
    /// Changed after it was signed.
    Altered,
}

struct Book {
    issuer: String,
    key: EcdsaKeyPair,
    key_id: String,
    /// What the token of each code says, and the challenge that its verifier must meet.
    codes: HashMap<String, (Value, String)>,
    forgery: Forgery,
    is_away: bool,
    is_silent: bool,
    key_requests: usize,
}

pub(crate) struct TestProvider {
    book: Arc<Mutex<Book>>,
    task: JoinHandle<()>,
}

impl Drop for TestProvider {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn new_key() -> EcdsaKeyPair {
    let random = SystemRandom::new();
    let bytes = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, bytes.as_ref(), &random).unwrap()
}

impl TestProvider {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let book = Arc::new(Mutex::new(Book {
            issuer: format!("http://{}/realms/main", listener.local_addr().unwrap()),
            key: new_key(),
            key_id: "first".to_owned(),
            codes: HashMap::new(),
            forgery: Forgery::None,
            is_away: false,
            is_silent: false,
            key_requests: 0,
        }));
        let router = Router::new()
            .route("/realms/main/.well-known/openid-configuration", get(discovery))
            .route("/realms/main/keys", get(keys))
            .route("/realms/main/token", post(token))
            .with_state(Arc::clone(&book));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { book, task }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap()
    }

    pub(crate) fn issuer(&self) -> String {
        self.book().issuer.clone()
    }

    /// For a house.
    pub(crate) fn for_sign_in(&self, ambient: &Ambient) -> SignInProvider {
        self.with_deadline(ambient, Duration::from_secs(60))
    }

    pub(crate) fn with_deadline(&self, ambient: &Ambient, deadline: Duration) -> SignInProvider {
        let settings = ProviderSettings {
            issuer: self.issuer().parse().unwrap(),
            client_id: CLIENT.to_owned(),
            client_secret: Some(ClientSecret::new(SECRET.to_owned())),
            scopes: ["openid", "email", "profile"].map(str::to_owned).to_vec(),
        };
        let back = format!("{PUBLIC_URL}/dashboard/sign-in/oidc/return");
        let outbound = Outbound::new(true).unwrap();
        let provider = IdentityProvider::with_deadline(settings, &back, outbound, ambient.clone(), deadline);
        SignInProvider::new(provider.unwrap(), "Example ID".to_owned())
    }

    pub(crate) fn forge(&self, forgery: Forgery) {
        self.book().forgery = forgery;
    }

    /// From now on it answers with errors of its own, or no longer does.
    pub(crate) fn set_away(&self, is_away: bool) {
        self.book().is_away = is_away;
    }

    /// From now on it takes connections and says nothing.
    pub(crate) fn fall_silent(&self) {
        self.book().is_silent = true;
    }

    /// Signs with another key from now on.
    pub(crate) fn change_key(&self, name: &str) {
        let mut book = self.book();
        (book.key, book.key_id) = (new_key(), name.to_owned());
    }

    pub(crate) fn key_requests(&self) -> usize {
        self.book().key_requests
    }

    /// A person signs in at the address that a browser was sent to. Gives the path that the browser comes back to. `claims`
    /// are of the account, and replace what the token would say otherwise; null leaves it out.
    pub(crate) fn sign_in(&self, address: &str, claims: Value) -> String {
        let (start, query) = address.split_once('?').unwrap();
        let mut book = self.book();
        assert_eq!(start, format!("{}/authorize", book.issuer));
        let asked: HashMap<String, String> = serde_urlencoded::from_str(query).unwrap();
        for (name, value) in [
            ("response_type", "code"),
            ("client_id", CLIENT),
            ("code_challenge_method", "S256"),
            ("redirect_uri", &format!("{PUBLIC_URL}/dashboard/sign-in/oidc/return")),
            ("scope", "openid email profile"),
        ] {
            assert_eq!(asked[name], value, "{name}");
        }
        let mut token = json!({
            "iss": book.issuer, "aud": CLIENT, "exp": END, "iat": END - 600, "nonce": asked["nonce"],
            "sub": "ada-at-the-provider", "email": "ada@example.com", "email_verified": true, "name": "Ada L.",
        });
        for (name, value) in claims.as_object().unwrap() {
            token[name] = value.clone();
        }
        token.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        let code = format!("code-{}", book.codes.len());
        book.codes.insert(code.clone(), (token, asked["code_challenge"].clone()));
        let query = serde_urlencoded::to_string([("code", &code), ("state", &asked["state"])]).unwrap();
        format!("/dashboard/sign-in/oidc/return?{query}")
    }

    /// The whole way, in a browser where nobody is signed in.
    pub(crate) async fn enter(&self, browser: &mut Browser, claims: Value) -> Page {
        let sent = browser.get("/dashboard/sign-in/oidc?next=/dashboard/profile").await;
        assert_eq!(sent.status, 303, "{}", sent.html);
        let back = self.sign_in(&sent.location, claims);
        browser.get(&back).await
    }
}

impl Book {
    fn public_key(&self) -> Value {
        let point = self.key.public_key().as_ref();
        let part = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        json!({
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": self.key_id,
            "x": part(&point[1..33]), "y": part(&point[33..65]),
        })
    }

    fn token(&self, claims: &Value) -> String {
        let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let algorithm = match self.forgery {
            Forgery::NoSignature => "none",
            Forgery::SharedSecret => "HS256",
            _ => "ES256",
        };
        let header = part(&json!({ "alg": algorithm, "kid": self.key_id, "typ": "JWT" }));
        let signed = format!("{header}.{}", part(claims));
        let (random, other) = (SystemRandom::new(), new_key());
        let signature = match self.forgery {
            Forgery::NoSignature => Vec::new(),
            Forgery::SharedSecret => {
                let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, SECRET.as_bytes());
                ring::hmac::sign(&key, signed.as_bytes()).as_ref().to_vec()
            }
            Forgery::OtherKey => other.sign(&random, signed.as_bytes()).unwrap().as_ref().to_vec(),
            _ => self.key.sign(&random, signed.as_bytes()).unwrap().as_ref().to_vec(),
        };
        let signed = match self.forgery {
            Forgery::Altered => {
                let mut altered = claims.clone();
                altered["sub"] = json!("somebody-else");
                format!("{header}.{}", part(&altered))
            }
            _ => signed,
        };
        format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature))
    }
}

type Shared = State<Arc<Mutex<Book>>>;

/// What every page begins with: whether there is an answer at all.
async fn trouble(book: &Mutex<Book>) -> Option<Response> {
    let (is_silent, is_away) = {
        let book = book.lock().unwrap();
        (book.is_silent, book.is_away)
    };
    if is_silent {
        std::future::pending::<()>().await;
    }
    is_away.then(|| StatusCode::SERVICE_UNAVAILABLE.into_response())
}

async fn discovery(State(book): Shared) -> Response {
    if let Some(trouble) = trouble(&book).await {
        return trouble;
    }
    let issuer = book.lock().unwrap().issuer.clone();
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256", "HS256", "none"],
    }))
    .into_response()
}

async fn keys(State(book): Shared) -> Response {
    if let Some(trouble) = trouble(&book).await {
        return trouble;
    }
    let mut book = book.lock().unwrap();
    book.key_requests += 1;
    Json(json!({ "keys": [book.public_key()] })).into_response()
}

async fn token(
    State(book): Shared,
    headers: HeaderMap,
    Form(form): Form<HashMap<String, String>>,
) -> Response {
    if let Some(trouble) = trouble(&book).await {
        return trouble;
    }
    let mut book = book.lock().unwrap();
    let refuse = |error: &str| (StatusCode::BAD_REQUEST, Json(json!({ "error": error }))).into_response();
    let encoded = |text: &str| serde_urlencoded::to_string([("", text)]).unwrap().split_off(1);
    let client = format!("{}:{}", encoded(CLIENT), encoded(SECRET));
    if headers["authorization"] != format!("Basic {}", BASE64_STANDARD.encode(client)).as_str() {
        return refuse("invalid_client");
    }
    assert_eq!(form["redirect_uri"], format!("{PUBLIC_URL}/dashboard/sign-in/oidc/return"));
    let Some((claims, challenge)) = book.codes.get(&form["code"]).cloned() else {
        return refuse("invalid_grant");
    };
    let met = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    if form["grant_type"] != "authorization_code" || met != challenge {
        return refuse("invalid_grant");
    }
    book.codes.insert(form["code"].clone(), (Value::Null, String::new()));
    let token = book.token(&claims);
    Json(json!({ "access_token": "unused", "token_type": "Bearer", "expires_in": 60, "id_token": token }))
        .into_response()
}
