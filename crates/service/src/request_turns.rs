//! Turns of organizations at the requests that a node answers.

use std::hash::Hash;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request};
use tokio::time::timeout;
use tonearm_catalog::Purpose;
use tonearm_domain::{Actor, Ambient, FairPermit, FairSemaphore, Held, OrganizationId, PersonId, Shares};

use crate::caller::Caller;
use crate::collected_body::CollectedBody;
use crate::refusal::Refusal;

/// Requests of keys and members that are answered or wait.
const MOST_REQUESTS: u64 = 4096;

/// The longest time that a request waits for its turn.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// The requests of keys and members on this node.
static REQUESTS: LazyLock<RequestTurns> = LazyLock::new(of_callers);

/// Those that only end something, which wait for no others.
static ENDS: LazyLock<RequestTurns> = LazyLock::new(of_callers);

fn of_callers() -> RequestTurns {
    let at_once = requests_at_once();
    RequestTurns::new(MOST_REQUESTS, FairSemaphore::new(at_once, at_once))
}

tokio::task_local! {
    /// The turn of the running request, once its caller is known.
    static TURN: Mutex<Option<(Holder, Turn)>>;
}

/// Whose turns are counted together.
#[derive(Debug, Clone, Copy, Hash)]
enum Holder {
    Organization(OrganizationId),
    /// Whoever ends something, so that no member or key of an organization keeps another from doing so, or acts for
    /// themselves.
    Alone(Actor),
}

/// How many requests of keys and members a node answers at once. For holders that have no turn, there are as many again.
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

    /// Waits for the turn of a holder; `None` if it has its share of the requests, or has waited for ten seconds.
    pub async fn take(&self, holder: impl Hash) -> Option<Turn> {
        let request = self.requests.take(&holder)?;
        let permit = timeout(LONGEST_WAIT, self.at_once.acquire(&holder)).await.ok()?;
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
    // Whoever has read the body before keeps it there.
    let collected = parts.extensions.get_or_insert_default::<CollectedBody>().clone();
    if body.is_end_stream() {
        collected.keep(&Bytes::new());
    }
    let head = (!parts.method.is_safe()).then(|| parts.clone());
    let first = run(Request::from_parts(parts, body));
    let again = || Some(run(Request::from_parts(head.clone()?, collected.get()?.into())));
    TURN.scope(Mutex::default(), tonearm_catalog::in_request(ambient, purpose, first, again)).await
}

/// Waits until it is the turn of a caller's request to take processors and the database: of its organization or, if the
/// request only ends something, of the caller alone. Does nothing outside of [`in_request`], or if the request has its
/// turn.
pub async fn take_turn(caller: &Caller) -> Result<(), Refusal> {
    let ends = tonearm_catalog::purpose() == Some(Purpose::End);
    let organization = Holder::Organization(caller.organization_id);
    take(if ends { Holder::Alone(caller.origin.actor) } else { organization }).await
}

/// The same for a person who acts for no organization.
pub async fn take_turn_of_person(id: PersonId) -> Result<(), Refusal> {
    take(Holder::Alone(Actor::Person(id))).await
}

/// The same for the holder of an upload session of an organization.
pub(crate) async fn take_turn_of(organization: OrganizationId) -> Result<(), Refusal> {
    take(Holder::Organization(organization)).await
}

/// Waits for a turn of an organization outside of [`in_request`], for the holder of an upload URL or an upload session.
pub(crate) async fn turn_of(organization: OrganizationId) -> Result<Turn, Refusal> {
    REQUESTS.take(Holder::Organization(organization)).await.ok_or_else(too_many)
}

/// The turn of the running request or, outside of [`in_request`], one of its own.
pub(crate) async fn own_turn_of(organization: OrganizationId) -> Result<Option<Turn>, Refusal> {
    match TURN.try_with(|_| ()) {
        Ok(()) => take_turn_of(organization).await.map(|()| None),
        Err(_) => turn_of(organization).await.map(Some),
    }
}

fn too_many() -> Refusal {
    Refusal::Unavailable("too many requests of the organization wait".into())
}

async fn take(holder: Holder) -> Result<(), Refusal> {
    if TURN.try_with(|own| locked(own).is_some()).unwrap_or(true) {
        return Ok(());
    }
    let turns = match holder {
        Holder::Organization(_) => &REQUESTS,
        Holder::Alone(_) => &ENDS,
    };
    let turn = turns.take(holder).await;
    let turn = turn.ok_or_else(too_many)?;
    let _ = TURN.try_with(|own| *locked(own) = Some((holder, turn)));
    Ok(())
}

/// Waits for a client or for another service in a request, which takes another turn after it.
pub async fn without_turn<T>(wait: impl Future<Output = T>) -> Result<T, Refusal> {
    let own = TURN.try_with(|own| locked(own).take().map(|(holder, _)| holder));
    let done = wait.await;
    if let Ok(Some(holder)) = own {
        take(holder).await?;
    }
    Ok(done)
}

fn locked<T>(turn: &Mutex<T>) -> MutexGuard<'_, T> {
    turn.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::pin::Pin;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures::FutureExt as _;
    use http_body_util::Full;

    use super::*;

    static TAKEN: AtomicUsize = AtomicUsize::new(0);

    type Running = Pin<Box<dyn Future<Output = ()>>>;

    /// Requests that end something wait neither for those that add nor for those of others that end something.
    #[tokio::test]
    async fn what_ends_something_does_not_wait() {
        let (ambient, _) = tonearm_fixtures::ambient();
        let organization = ambient.record_id();
        let caller = || Caller::person(organization, ambient.record_id::<PersonId>());
        let ask = |caller: &Caller, method: Method| -> Running {
            let (caller, ambient) = (caller.clone(), ambient.clone());
            let run = move |_| {
                let caller = caller.clone();
                async move {
                    take_turn(&caller).await.unwrap();
                    TAKEN.fetch_add(1, Ordering::Relaxed);
                    pending::<()>().await;
                }
            };
            let request = Request::builder().method(method).body(Full::<Bytes>::default()).unwrap();
            Box::pin(async move { in_request(ambient, request, run).await })
        };
        let has_turn = |request: &mut Running| {
            let before = TAKEN.load(Ordering::Relaxed);
            assert!(request.as_mut().now_or_never().is_none());
            TAKEN.load(Ordering::Relaxed) > before
        };
        let (editor, owner) = (caller(), caller());
        let mut held = Vec::new();
        for method in [Method::POST, Method::DELETE] {
            for _ in 0..requests_at_once() {
                let mut request = ask(&editor, method.clone());
                assert!(has_turn(&mut request));
                held.push(request);
            }
            assert!(!has_turn(&mut ask(&editor, method)));
        }
        assert!(!has_turn(&mut ask(&owner, Method::POST)), "it is of the same organization");
        assert!(has_turn(&mut ask(&owner, Method::DELETE)));
    }
}
