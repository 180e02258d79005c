//! Turns of organizations at the requests that a node answers.

use std::hash::Hash;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use tokio::time::timeout;
use tonearm_catalog::Purpose;
use tonearm_domain::{Ambient, FairPermit, FairSemaphore, Held, OrganizationId, Shares};

use crate::collected_body::CollectedBody;
use crate::refusal::Refusal;

/// Requests of keys and members that are answered or wait.
const MOST_REQUESTS: u64 = 4096;

/// The longest time that a request waits for its turn.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The requests of keys and members on this node.
static REQUESTS: LazyLock<RequestTurns> = LazyLock::new(|| {
    let at_once = requests_at_once();
    RequestTurns::new(MOST_REQUESTS, FairSemaphore::new(at_once, at_once))
});

tokio::task_local! {
    /// The turn of the running request, once its organization is known.
    static TURN: Mutex<Option<(OrganizationId, Turn)>>;
}

/// How many requests of keys and members a node answers at once. For organizations that have no turn, there are as many
/// again.
pub fn requests_at_once() -> usize {
    4 * available_parallelism().map_or(2, usize::from).max(2)
}

/// Requests that wait for their turn. Whoever has the fewest turns goes next. Clones share them.
#[derive(Debug, Clone)]
pub struct RequestTurns {
    requests: Shares,
    at_once: FairSemaphore,
}

/// The turn of a request, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    _request: Held,
    _permit: FairPermit,
}

impl RequestTurns {
    /// At most `most` requests that are answered or wait.
    pub fn new(most: u64, at_once: FairSemaphore) -> Self {
        Self { requests: Shares::new(most), at_once }
    }

    /// Waits for the turn of an organization; `None` if it has its share of the requests, or has waited for ten seconds.
    pub async fn take(&self, organization: impl Hash) -> Option<Turn> {
        let request = self.requests.take(&organization)?;
        let permit = timeout(LONGEST_WAIT, self.at_once.acquire(&organization)).await.ok()?;
        Some(Turn { _request: request, _permit: permit })
    }
}

/// Runs a request so that what it writes depends on the right on which it acts, and again with the body that it has read
/// if the database ended its transaction in favour of others: see [`tonearm_catalog::in_request`]. The method says what
/// the writes are for, unless the route does (see [`act_for`](crate::act_for)). Its turn ends with it.
pub async fn in_request<B, F>(
    ambient: Ambient,
    request: Request<B>,
    run: impl Fn(Request<B>) -> F,
) -> F::Output
where
    B: http_body::Body + From<Bytes>,
    F: Future,
{
    let (mut parts, body) = request.into_parts();
    let purpose = if parts.method == Method::DELETE { Purpose::End } else { Purpose::Add };
    let collected = CollectedBody::default();
    if body.is_end_stream() {
        collected.keep(&Bytes::new());
    }
    parts.extensions.insert(collected.clone());
    let head = (!parts.method.is_safe()).then(|| parts.clone());
    let first = run(Request::from_parts(parts, body));
    let again = || Some(run(Request::from_parts(head.clone()?, collected.get()?.into())));
    TURN.scope(Mutex::default(), tonearm_catalog::in_request(ambient, purpose, first, again)).await
}

/// Waits until it is the turn of an organization's request to take processors and the database. Does nothing outside of
/// [`in_request`], or if the request has its turn.
pub async fn take_turn(organization_id: OrganizationId) -> Result<(), Refusal> {
    if TURN.try_with(|own| locked(own).is_some()).unwrap_or(true) {
        return Ok(());
    }
    let turn = REQUESTS.take(organization_id).await;
    let turn =
        turn.ok_or_else(|| Refusal::Unavailable("too many requests of the organization wait".into()))?;
    let _ = TURN.try_with(|own| *locked(own) = Some((organization_id, turn)));
    Ok(())
}

/// Waits for a client in a request, which takes another turn after it.
pub async fn without_turn<T>(wait: impl Future<Output = T>) -> Result<T, Refusal> {
    let own = TURN.try_with(|own| locked(own).take().map(|(organization_id, _)| organization_id));
    let done = wait.await;
    if let Ok(Some(organization_id)) = own {
        take_turn(organization_id).await?;
    }
    Ok(done)
}

fn locked<T>(turn: &Mutex<T>) -> MutexGuard<'_, T> {
    turn.lock().unwrap_or_else(PoisonError::into_inner)
}
