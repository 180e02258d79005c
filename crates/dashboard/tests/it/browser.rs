//! A browser as the server sees it: it keeps cookies and sends its origin.

use std::collections::HashMap;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::response::Response;
use http::header::{CONTENT_SECURITY_POLICY, LOCATION, SET_COOKIE};
use http::{HeaderMap, Request};
use tower::ServiceExt;

/// The response.
pub(crate) struct Page {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) location: String,
    pub(crate) html: String,
}

impl Page {
    /// The text between the first occurrence of `start` and the next occurrence of `end`.
    pub(crate) fn between(&self, start: &str, end: &str) -> String {
        let (_, rest) = self.html.split_once(start).unwrap_or_else(|| panic!("no {start} in {}", self.html));
        rest.split_once(end).unwrap().0.to_owned()
    }

    /// The titles of the tracks in the page's list, in order.
    pub(crate) fn titles(&self) -> Vec<String> {
        let rows = self.html.split("<li data-track=").skip(1);
        rows.map(|row| {
            row.split_once("<strong><bdi>").unwrap().1.split_once("</bdi></strong>").unwrap().0.to_owned()
        })
        .collect()
    }

    /// The URL of the next (`next`) or the previous (`prev`) page, if there is one.
    pub(crate) fn link(&self, rel: &str) -> Option<String> {
        let (_, rest) = self.html.split_once(&format!("rel=\"{rel}\" href=\""))?;
        Some(rest.split_once('"').unwrap().0.replace("&#38;", "&").replace("&amp;", "&"))
    }

    /// The form secret of the page's forms.
    pub(crate) fn form_secret(&self) -> String {
        self.between("name=\"form_secret\" value=\"", "\"")
    }
}

#[derive(Clone)]
pub(crate) struct Browser {
    router: Router,
    cookies: HashMap<String, String>,
    /// The value of `Accept-Language`. If it is empty, the header is not sent.
    languages: String,
}

impl Browser {
    pub(crate) fn new(router: Router) -> Self {
        Self { router, cookies: HashMap::new(), languages: String::new() }
    }

    /// The same browser with all its cookies, at another node.
    pub(crate) fn at(self, router: Router) -> Self {
        Self { router, ..self }
    }

    /// The browser of somebody who reads these languages.
    pub(crate) fn reading(mut self, languages: &str) -> Self {
        languages.clone_into(&mut self.languages);
        self
    }

    /// Submits the sign-in form.
    pub(crate) async fn sign_in(&mut self, email: &str, password: &str) -> Page {
        self.post("/dashboard/sign-in", &[("email", email), ("password", password)]).await
    }

    pub(crate) async fn get(&mut self, path: &str) -> Page {
        self.send(Request::get(path).body(Body::empty()).unwrap()).await
    }

    /// Submits a form as a page of the dashboard would, with the form secret of the page it is on.
    pub(crate) async fn submit(&mut self, page: &str, action: &str, fields: &[(&str, &str)]) -> Page {
        let secret = self.get(page).await.form_secret();
        let mut all = vec![("form_secret", secret.as_str())];
        all.extend_from_slice(fields);
        self.post(action, &all).await
    }

    /// Sends only these fields, with the dashboard's own origin.
    pub(crate) async fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> Page {
        self.post_from("https://audio.example.com", path, fields).await
    }

    /// Submits a form with this origin.
    pub(crate) async fn post_from(&mut self, origin: &str, path: &str, fields: &[(&str, &str)]) -> Page {
        let request = Request::post(path)
            .header("origin", origin)
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Body::from(serde_urlencoded::to_string(fields).unwrap()))
            .unwrap();
        self.send(request).await
    }

    /// Sends a request with the cookies, and returns the response with its body unread.
    pub(crate) async fn open(&self, mut request: Request<Body>) -> Response {
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let headers = request.headers_mut();
        headers.insert("host", "audio.example.com".parse().unwrap());
        if !self.languages.is_empty() {
            headers.insert("accept-language", self.languages.parse().unwrap());
        }
        if !cookies.is_empty() {
            headers.insert("cookie", cookies.join("; ").parse().unwrap());
        }
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// Sends a request with the cookies. Checks every page for what all pages have in common.
    pub(crate) async fn send(&mut self, request: Request<Body>) -> Page {
        let response = self.open(request).await;
        let (parts, body) = response.into_parts();
        for cookie in parts.headers.get_all(SET_COOKIE) {
            let (pair, terms) = cookie.to_str().unwrap().split_once(';').unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            for term in ["HttpOnly", "SameSite=Lax", "Secure"] {
                assert_eq!(terms.matches(term).count(), 1, "{term} of {name}: {terms}");
            }
            if terms.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        let html = String::from_utf8_lossy(&to_bytes(body, 1_000_000).await.unwrap()).into_owned();
        if html.starts_with("<!doctype html>") {
            let policy = parts.headers[CONTENT_SECURITY_POLICY].to_str().unwrap();
            assert!(
                policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"),
                "{policy}"
            );
            assert_eq!(parts.headers["cache-control"], "no-store");
            assert!(!html.contains("<style") && !html.contains(" style=") && !html.contains(" onclick="));
            assert!(html.len() < 100_000, "{} bytes", html.len());
        }
        let location = parts.headers.get(LOCATION).map_or("", |value| value.to_str().unwrap()).to_owned();
        Page { status: parts.status.as_u16(), headers: parts.headers, location, html }
    }

    /// Sets a cookie that no page has set.
    pub(crate) fn set_cookie(&mut self, name: &str, value: &str) {
        self.cookies.insert(name.to_owned(), value.to_owned());
    }

    pub(crate) fn cookie(&self, name: &str) -> Option<&String> {
        self.cookies.get(name)
    }
}
