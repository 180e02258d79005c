//! Requests that are refused.

use axum::body::Body;
use http::{Method, Request};
use tonearm_domain::TrackId;
use tonearm_signing::{DeliveryTerms, Secrets, UploadGrant, UploadTarget, UrlSigner};
use tower::ServiceExt as _;

use crate::node::{Answer, Node};

#[tokio::test]
async fn nothing_is_sent_without_a_genuine_signature() {
    let node = Node::over_folder().await;
    let key = node.store(100).await;
    let url = node.url(&key);
    let other_key = node.store(100).await;
    let stranger = UrlSigner::new(Secrets::from_bytes([2; 32]));
    let other_file = url.replace(&key.to_string(), &other_key.to_string());
    for forged in [
        format!("/{key}"),
        format!("/{key}?"),
        format!("/{key}?verify="),
        format!("{url}x"),
        format!("{url}&x=1"),
        url.replace("?verify", "?ttl=86400&verify"),
        url.replace("?verify", "?attachment=a&verify"),
        url.replace("verify", "VERIFY"),
        other_file,
        stranger.sign_delivery(&key, DeliveryTerms::default(), node.ambient.now()),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let answer = node.request(method.clone(), &forged, &[]).await;
            assert_eq!(answer.status, 401, "{forged}");
            assert_eq!(answer.header("www-authenticate"), Some("SignedUrl"));
            if method == Method::GET {
                answer.assert_error(401, "signature_invalid");
            } else {
                assert!(answer.body.is_empty());
            }
        }
    }
    assert_eq!(node.request(Method::GET, &url, &[]).await.status, 200);
}

#[tokio::test]
async fn urls_expire() {
    let node = Node::over_folder().await;
    let key = node.store(100).await;
    let hour = node.url(&key);
    let terms = DeliveryTerms { ttl: Some(30), ..DeliveryTerms::default() };
    let half_minute = node.signer.sign_delivery(&key, terms, node.ambient.now());
    node.clock.advance_seconds(29);
    assert_eq!(node.request(Method::GET, &half_minute, &[]).await.status, 200);
    node.clock.advance_seconds(1);
    node.request(Method::GET, &half_minute, &[]).await.assert_error(401, "url_expired");
    node.clock.advance_seconds(3569);
    assert_eq!(node.request(Method::GET, &hour, &[]).await.status, 200);
    node.clock.advance_seconds(1);
    node.request(Method::GET, &hour, &[]).await.assert_error(401, "url_expired");
}

#[tokio::test]
async fn an_upload_url_delivers_nothing() {
    let node = Node::over_folder().await;
    let grant = UploadGrant {
        organization_id: node.ambient.record_id(),
        target: UploadTarget::Source(node.ambient.record_id::<TrackId>()),
    };
    let url = node.signer.sign_upload(grant, 3600, node.ambient.now());
    node.request(Method::GET, &url, &[]).await.assert_error(404, "not_found");
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let node = Node::over_folder().await;
    let missing = node.key(tonearm_domain::ContentType::Mp3);
    node.get(&missing, &[]).await.assert_error(404, "not_found");
    let key = node.store(1).await;
    for path in ["/", "/index.html", "/../../etc/passwd", &format!("/{key}/"), &format!("//{key}")] {
        node.request(Method::GET, path, &[]).await.assert_error(404, "not_found");
    }
    let percent_encoded = node.url(&key).replacen("/hq", "/%68q", 1);
    node.request(Method::GET, &percent_encoded, &[]).await.assert_error(404, "not_found");
}

#[tokio::test]
async fn other_methods_are_refused() {
    let node = Node::over_folder().await;
    let url = node.url(&node.store(1).await);
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::TRACE] {
        let answer = node.request(method, &url, &[]).await;
        answer.assert_error(405, "method_not_allowed");
        assert_eq!(answer.header("allow"), Some("GET, HEAD, OPTIONS"));
    }
}

#[tokio::test]
async fn browsers_may_ask_first() {
    let node = Node::over_folder().await;
    let key = node.key(tonearm_domain::ContentType::Mp3);
    let headers = [
        ("origin", "https://player.example"),
        ("access-control-request-method", "GET"),
        ("access-control-request-headers", "range,if-range"),
    ];
    let answer = node.request(Method::OPTIONS, &format!("/{key}"), &headers).await;
    assert_eq!(answer.status, 204);
    assert!(answer.body.is_empty());
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(answer.header("access-control-allow-methods"), Some("GET, HEAD, OPTIONS"));
    assert_eq!(answer.header("access-control-max-age"), Some("86400"));
    let allowed = answer.header("access-control-allow-headers").unwrap();
    for name in ["Range", "If-Range", "Authorization", "Content-Type"] {
        assert!(allowed.split(", ").any(|allowed| allowed == name), "{name}");
    }
}

#[tokio::test]
async fn the_router_serves_objects_and_its_health() {
    let node = Node::over_folder().await;
    let url = node.url(&node.store(5).await);
    let router = node.edge.clone().router();
    let get = async |url: &str| {
        let request = Request::get(url).body(Body::empty()).unwrap();
        Answer::read(router.clone().oneshot(request).await.unwrap()).await
    };
    assert_eq!(get(&url).await.body, crate::node::content(5));
    let healthy = get("/healthz").await;
    assert_eq!(healthy.status, 200);
    assert_eq!(healthy.body, r#"{"ok":true}"#);
    assert!(healthy.header("x-request-id").is_some());
    get("/elsewhere").await.assert_error(404, "not_found");
}

#[tokio::test]
async fn not_knowing_the_keys_of_an_organization_is_not_a_refusal() {
    let node = Node::over_folder().await;
    let key = node.store(100).await;
    let own = node.url(&key);
    let id = node.ambient.short_id();
    let issued = node.ambient.now().unix_seconds();
    let named = format!("/{key}?kid={id}&verify={issued}-{}", "A".repeat(43));
    let unnamed = format!("/{key}?verify={issued}-{}", "A".repeat(43));
    node.signer.honour_until(&[], node.ambient.now());
    for url in [&named, &unnamed] {
        let answer = node.request(Method::GET, url, &[]).await;
        assert_eq!(answer.header("retry-after"), Some("5"), "{url}");
        assert_eq!(answer.header("www-authenticate"), None, "{url}");
        answer.assert_error(503, "signing_keys_unavailable");
    }
    assert_eq!(node.request(Method::GET, &own, &[]).await.status, 200);
    node.signer.honour(&[]);
    for url in [&named, &unnamed] {
        node.request(Method::GET, url, &[]).await.assert_error(401, "signature_invalid");
    }
}
