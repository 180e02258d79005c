//! Our signatures, verified by the library that receivers use.

use bytes::Bytes;
use tonearm_domain::EventKind;
use tonearm_outbound::{WebhookCall, WebhookSecret};

#[test]
fn receivers_accept_either_secret() {
    let (ambient, _) = tonearm_fixtures::ambient();
    let secrets = [[1; 32], [2; 32]].map(WebhookSecret::from_bytes);
    let body = "{\"a\":\"ü🎧\"}";
    let call = WebhookCall {
        url: "https://example.com".to_owned(),
        delivery_id: ambient.record_id(),
        event: EventKind::TrackStatusChanged,
        body: Bytes::from(body),
        secrets: secrets.to_vec(),
        trace: None,
    };
    let now = ambient.now();
    let headers = call.headers(now);
    let value = |name: &str| &headers.iter().find(|(own, _)| *own == name).unwrap().1;
    assert_eq!(value("x-adn-event"), "track.status_changed");
    assert_eq!(*value("webhook-timestamp"), now.unix_seconds().to_string());
    let signed = |secret: &WebhookSecret| {
        let oracle = standardwebhooks::Webhook::new(&secret.reveal()).unwrap();
        oracle.sign(value("webhook-id"), now.unix_seconds(), body.as_bytes()).unwrap()
    };
    assert_eq!(*value("webhook-signature"), format!("{} {}", signed(&secrets[0]), signed(&secrets[1])));
    assert!(!format!("{call:?}").contains(&secrets[0].reveal()));
}
