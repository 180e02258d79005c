//! Organizations share the processors for the pages behind share links: whoever has a link may request them, and a long
//! list takes tens of milliseconds.

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tonearm_domain::FairSemaphore;
use tonearm_service::RequestTurns;

use super::policy::Framing;
use super::refused::Refused;

/// Requests that wait or are answered.
const MOST_REQUESTS: u64 = 512;

/// Larger than any page.
const MOST_BYTES: usize = 16 << 20;

/// Two answers at once for each processor: while one reads from the database, another is rendered.
pub(super) fn turns() -> RequestTurns {
    turns_of(2 * std::thread::available_parallelism().map_or(1, usize::from))
}

fn turns_of(at_once: usize) -> RequestTurns {
    RequestTurns::new(MOST_REQUESTS, FairSemaphore::new(at_once, 0))
}

/// Answers a request when it is the turn of the organization whose key is in its path. Its turn ends when the page is
/// rendered, however slowly it is read.
pub(super) async fn in_turn(State(turns): State<RequestTurns>, request: Request, next: Next) -> Response {
    let turn = turns.take(organization_in(request.uri().path())).await;
    let Some(_turn) = turn else { return Refused::AWAY.page(Framing::Open) };
    let (parts, body) = next.run(request).await.into_parts();
    match to_bytes(body, MOST_BYTES).await {
        Ok(bytes) => Response::from_parts(parts, Body::from(bytes)),
        Err(error) => {
            tracing::error!(%error, "a public page could not be written");
            Refused::AWAY.page(Framing::Open)
        }
    }
}

/// A key begins with the id of its organization; nothing else in these paths has an underscore.
fn organization_in(path: &str) -> Option<&str> {
    let key = path.split('/').find(|part| part.contains('_'))?;
    key.split('_').next()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use axum::Router;
    use axum::middleware::from_fn_with_state;
    use axum::routing::get;
    use futures::future::join_all;
    use http::StatusCode;
    use tower::ServiceExt;

    use super::*;

    /// The organizations of requests in the order in which they were answered, one at a time, and the statuses.
    async fn answered(requests: &[&str]) -> (Vec<String>, Vec<StatusCode>) {
        let order: Arc<Mutex<Vec<String>>> = Arc::default();
        let answer = {
            let order = Arc::clone(&order);
            async move |request: Request| {
                tokio::time::sleep(Duration::from_millis(75)).await;
                order.lock().unwrap().push(organization_in(request.uri().path()).unwrap().to_owned());
            }
        };
        let router = Router::new()
            .route("/share/{first}", get(answer))
            .layer(from_fn_with_state(turns_of(1), in_turn));
        let send = |organization: &&str| {
            let request = Request::get(format!("/share/{organization}_s1")).body(Body::empty()).unwrap();
            router.clone().oneshot(request)
        };
        let answers = join_all(requests.iter().map(send)).await;
        let statuses = answers.into_iter().map(|answer| answer.unwrap().status()).collect();
        let order = order.lock().unwrap().clone();
        (order, statuses)
    }

    #[tokio::test(start_paused = true)]
    async fn an_organization_does_not_wait_for_the_flood_of_another() {
        let requests: Vec<&str> = std::iter::repeat_n("many", 64).chain(["few"; 2]).collect();
        let (order, statuses) = answered(&requests).await;
        assert_eq!(order[..4], ["many", "few", "many", "few"]);
        assert!(statuses.iter().all(|status| *status == StatusCode::OK));
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_have_their_share_or_wait_too_long_are_sent_away() {
        let requests: Vec<&str> = std::iter::repeat_n("many", 300).chain(["few"; 2]).collect();
        let (order, statuses) = answered(&requests).await;
        assert!((130..=136).contains(&order.len()), "as many as are answered within ten seconds: {order:?}");
        assert!(statuses[256..300].iter().all(|status| *status == StatusCode::SERVICE_UNAVAILABLE));
        assert_eq!(statuses[300..], [StatusCode::OK; 2]);
    }

    #[test]
    fn keys_are_found_in_paths() {
        let id = "0197b0b5-0000-7000-8000-000000000000";
        assert_eq!(organization_in("/share/7abc_sXYZ_1"), Some("7abc"));
        assert_eq!(organization_in(&format!("/embed/{id}/7abc_sXYZ/player.json")), Some("7abc"));
        assert_eq!(organization_in("/share/nothing"), None);
    }
}
