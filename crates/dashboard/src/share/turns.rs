//! Organizations share the processors for the pages behind share links: whoever has a link may request them, and a long
//! list takes tens of milliseconds.

use std::hash::Hash;
use std::net::IpAddr;

use axum::body::{Body, to_bytes};
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use tonearm_domain::{ClientAddress, FairSemaphore, OrganizationId};
use tonearm_service::RequestTurns;

use super::PublicPages;
use super::policy::Framing;
use super::refused::Refused;

/// Requests that wait or are answered.
const MOST_REQUESTS: u64 = 512;

/// Larger than any page.
const MOST_BYTES: usize = 16 << 20;

/// Whose turns are counted together.
#[derive(Hash)]
enum Holder {
    /// The organization of the key.
    Organization(OrganizationId),
    /// Where a request without a valid key comes from.
    Site(Option<IpAddr>),
}

/// Two answers at once for each processor: while one reads from the database, another is rendered.
pub(super) fn turns() -> RequestTurns {
    turns_of(2 * std::thread::available_parallelism().map_or(1, usize::from))
}

fn turns_of(at_once: usize) -> RequestTurns {
    RequestTurns::new(MOST_REQUESTS, FairSemaphore::new(at_once, 0))
}

/// Answers a request when it is the turn of the organization whose key is in its path.
pub(super) async fn in_turn(
    State((turns, pages)): State<(RequestTurns, PublicPages)>,
    parameters: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
    next: Next,
) -> Response {
    let organization = match parameters.ok().as_ref().and_then(key) {
        Some(key) => pages.playback.organization_of(key).await,
        None => None,
    };
    let site = request.extensions().get::<ClientAddress>().map(|client| client.site());
    let holder = organization.map_or(Holder::Site(site), Holder::Organization);
    answer(&turns, holder, request, next).await
}

/// The key in a path: see [`public_routes`](super::public_routes).
fn key(parameters: &RawPathParams) -> Option<&str> {
    let named = |name| parameters.iter().find(|(own, _)| *own == name).map(|(_, value)| value);
    named("share_key").or_else(|| named("first"))
}

/// The turn of a request ends when the page is rendered, however slowly it is read.
async fn answer(turns: &RequestTurns, holder: impl Hash, request: Request, next: Next) -> Response {
    let Some(_turn) = turns.take(holder).await else { return Refused::AWAY.page(Framing::Open) };
    let (parts, body) = next.run(request).await.into_parts();
    match to_bytes(body, MOST_BYTES).await {
        Ok(bytes) => Response::from_parts(parts, Body::from(bytes)),
        Err(error) => {
            tracing::error!(%error, "a public page could not be written");
            Refused::AWAY.page(Framing::Open)
        }
    }
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

    async fn by_path(State(turns): State<RequestTurns>, request: Request, next: Next) -> Response {
        answer(&turns, request.uri().path().to_owned(), request, next).await
    }

    /// The organizations of requests in the order in which they were answered, one at a time, and the statuses.
    async fn answered(requests: &[&str]) -> (Vec<String>, Vec<StatusCode>) {
        let order: Arc<Mutex<Vec<String>>> = Arc::default();
        let page = {
            let order = Arc::clone(&order);
            async move |request: Request| {
                tokio::time::sleep(Duration::from_millis(75)).await;
                order.lock().unwrap().push(request.uri().path()[1..].to_owned());
            }
        };
        let router =
            Router::new().route("/{organization}", get(page)).layer(from_fn_with_state(turns_of(1), by_path));
        let send = |organization: &&str| {
            let request = Request::get(format!("/{organization}")).body(Body::empty()).unwrap();
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

    #[tokio::test]
    async fn a_key_is_the_same_however_it_is_spelled() {
        let told = get(async |parameters: RawPathParams| key(&parameters).unwrap_or_default().to_owned());
        let router = Router::new()
            .route("/share/{first}", told.clone())
            .route("/embed/{first}/{share_key}/player.json", told);
        let paths = ["/share/7abc_sXYZ", "/share/%37%61bc_sXYZ", "/embed/no_key/7abc_sXY%5A/player.json"];
        for path in paths {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let answer = router.clone().oneshot(request).await.unwrap();
            assert_eq!(to_bytes(answer.into_body(), 100).await.unwrap(), "7abc_sXYZ", "{path}");
        }
    }
}
