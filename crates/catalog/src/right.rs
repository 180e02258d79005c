//! The right on which a request acts, judged again in the transactions that write.
//!
//! A request is judged by its head first, so that nothing is read for strangers. Its body may arrive much later, and the
//! key may be revoked or the person removed in between. [`Catalog::begin`](crate::Catalog::begin) therefore judges the
//! right of the running request again. On PostgreSQL, what it depends on stays locked, so that whoever ends the right waits
//! for the transaction and then sees what it wrote. These locks are given in the order in which they were asked for: nobody
//! keeps a right by using it all the time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use sea_orm::EntityTrait;
use tokio::task::JoinHandle;
use tonearm_domain::{
    Ambient, ApiKey, ApiKeyId, Membership, OrganizationId, PersonId, Role, SignIn, SignInId, Timestamp,
};
use tracing::Instrument as _;

use crate::column::moment;
use crate::entity::{api_key, membership, old_api_key, sign_in};
use crate::error::CatalogError;
use crate::query::one;
use crate::transaction::Transaction;
use crate::victims::again_if_victim;

tokio::task_local! {
    /// The request of the running task. A task that is spawned inside does not inherit it.
    static REQUEST: Arc<Request>;
}

struct Request {
    ambient: Ambient,
    purpose: Mutex<Purpose>,
    right: Mutex<Option<Right>>,
    /// Whether the database ended a transaction in favour of others, and nothing was put aside since.
    is_victim: AtomicBool,
    /// Whether a transaction was committed, or may have been, that must not be run again.
    has_committed: AtomicBool,
    /// The number of transactions that it holds.
    held: AtomicUsize,
}

/// What the writes of a request are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// They may add records, for which there must be room.
    Add,
    /// They remove something, end a right, or sign a person in or out. They are possible without room, too.
    End,
}

/// The credential on which a request acts, as it was judged by the head of the request.
#[derive(Debug, Clone)]
pub enum Right {
    /// An API key.
    Key {
        /// Its record.
        key: Arc<ApiKey>,
        /// The SHA-256 of the secret that was sent.
        hash: [u8; 32],
    },
    /// An upload session of an organization. Those who write look at the session itself again.
    Session(OrganizationId),
    /// A person who is signed in.
    SignIn {
        /// The sign-in.
        id: SignInId,
        /// The person.
        person_id: PersonId,
        /// What the person needs for the request besides being signed in.
        office: Office,
    },
}

/// What a signed-in person needs for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Office {
    /// Nothing else.
    None,
    /// To be an administrator.
    Administrator,
    /// At least this role in an organization.
    Member(OrganizationId, Role),
}

/// Why a right has ended since the head of the request was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedRight {
    /// The key was revoked, has expired, or was given another secret.
    Key,
    /// The key allows less than before.
    KeyLimits,
    /// The person was signed out or disabled.
    SignIn,
    /// The person is no longer a member of the organization.
    Membership,
    /// The person's role no longer suffices.
    Role,
    /// The person is no longer an administrator.
    Administrator,
}

/// Runs the work of a request. What it writes depends on the right that [`act_on`] names, on free space, and on the room
/// that its organization has. [`act_for`] may name another purpose.
///
/// If the database ended one of its transactions in favour of others and it committed none, what `again` returns is run
/// instead, from the beginning. So whatever the work does outside of its transactions comes after one that it commits,
/// or may happen twice.
pub async fn in_request<F: Future>(
    ambient: Ambient,
    purpose: Purpose,
    work: F,
    mut again: impl FnMut() -> Option<F>,
) -> F::Output {
    let attempt = |work: F| {
        let request = Arc::new(Request {
            ambient: ambient.clone(),
            purpose: Mutex::new(purpose),
            right: Mutex::default(),
            is_victim: AtomicBool::new(false),
            has_committed: AtomicBool::new(false),
            held: AtomicUsize::new(0),
        });
        async move {
            let output = REQUEST.scope(Arc::clone(&request), work).await;
            let is_lost =
                request.is_victim.load(Ordering::Relaxed) && !request.has_committed.load(Ordering::Relaxed);
            (output, is_lost)
        }
    };
    again_if_victim(&ambient, attempt(work), || again().map(attempt), |(_, is_lost)| *is_lost).await.0
}

/// Does a part of the running request in a task of its own, on the same right. It goes on if the request is dropped, so
/// that nothing is left half done.
pub fn spawn_in_request<F>(work: F) -> JoinHandle<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let work = work.in_current_span();
    match REQUEST.try_with(Arc::clone) {
        Ok(request) => tokio::spawn(REQUEST.scope(request, work)),
        Err(_) => tokio::spawn(work),
    }
}

/// Notes that the database ended a transaction of the running request in favour of others.
pub(crate) fn note_victim() {
    // Outside of a request there is nothing to note.
    let _ = REQUEST.try_with(|request| request.is_victim.store(true, Ordering::Relaxed));
}

/// Notes that a transaction of the running request was put aside, to be committed later (see [`Catalog::as_one`]).
///
/// [`Catalog::as_one`]: crate::Catalog::as_one
pub(crate) fn note_held() {
    let _ = REQUEST.try_with(|request| request.is_victim.store(false, Ordering::Relaxed));
}

/// Notes the outcome of a commit of the running request.
pub(crate) fn note_commit(outcome: &Result<(), CatalogError>) {
    if outcome.as_ref().is_err_and(CatalogError::is_victim) {
        return note_victim();
    }
    let _ = REQUEST.try_with(|request| request.has_committed.store(true, Ordering::Relaxed));
}

/// A transaction of the running request, if there is one.
pub(crate) struct Holding(Option<Arc<Request>>);

impl Holding {
    pub(crate) fn begin() -> Self {
        let request = REQUEST.try_with(Arc::clone).ok();
        if let Some(request) = &request {
            request.held.fetch_add(1, Ordering::Relaxed);
        }
        Self(request)
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        if let Some(request) = &self.0 {
            request.held.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Panics in builds with debug assertions, and so in tests, if the running request holds a transaction when it asks for
/// another connection: as many such requests as there are connections would wait for each other.
pub(crate) fn require_no_transaction() {
    let is_held = || REQUEST.try_with(|request| request.held.load(Ordering::Relaxed) > 0);
    debug_assert!(
        !is_held().unwrap_or(false),
        "a request asks for a connection while it holds a transaction"
    );
}

/// Names what the writes of the running request are for. Routes do.
pub fn act_for(purpose: Purpose) {
    // Outside of a request nothing is judged.
    let _ = REQUEST.try_with(|request| {
        *request.purpose.lock().unwrap_or_else(PoisonError::into_inner) = purpose;
    });
}

/// What the writes of the running request are for, if it is known.
pub fn purpose() -> Option<Purpose> {
    REQUEST.try_with(|request| *request.purpose.lock().unwrap_or_else(PoisonError::into_inner)).ok()
}

/// From now on, the transactions of the running request are refused once this right has ended. Returns `false` outside
/// of [`in_request`].
#[must_use]
pub fn act_on(right: Right) -> bool {
    let act = |request: &Arc<Request>| {
        let mut current = request.right.lock().unwrap_or_else(PoisonError::into_inner);
        // A session that a request looks at takes nothing from the credential that it was sent with.
        if current.is_none() || !matches!(right, Right::Session(_)) {
            *current = Some(right);
        }
    };
    REQUEST.try_with(act).is_ok()
}

/// The API key on which the running request acts, and the SHA-256 of the secret that was sent.
pub fn acting_secret() -> Option<(ApiKeyId, [u8; 32])> {
    let right =
        REQUEST.try_with(|request| request.right.lock().unwrap_or_else(PoisonError::into_inner).clone());
    match right.ok().flatten() {
        Some(Right::Key { key, hash }) => Some((key.id, hash)),
        _ => None,
    }
}

impl Right {
    /// The organization that it acts for.
    fn organization(&self) -> Option<OrganizationId> {
        match self {
            Self::Key { key, .. } => Some(key.organization_id),
            Self::Session(organization) => Some(*organization),
            Self::SignIn { office: Office::Member(organization, _), .. } => Some(*organization),
            Self::SignIn { .. } => None,
        }
    }
}

/// Refuses a new transaction of a request whose right has ended, or that may add records where there is no room or too
/// little free space.
pub(crate) async fn judge(tx: &Transaction, ends: Option<ApiKeyId>) -> Result<(), CatalogError> {
    let Ok(request) = REQUEST.try_with(Arc::clone) else { return Ok(()) };
    let purpose = *request.purpose.lock().unwrap_or_else(PoisonError::into_inner);
    let right = request.right.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(Right::Key { key, .. }) = &right {
        match ends == Some(key.id) {
            true => tx.take_key(key.id).await?,
            false => tx.hold_key(key.id).await?,
        }
    }
    if let Some(ended) = end_of(tx, right.as_ref(), request.ambient.now()).await? {
        return Err(CatalogError::RightEnded(ended));
    }
    if purpose == Purpose::End {
        return Ok(());
    }
    tx.admit_to_disk()?;
    match right.and_then(|right| right.organization()) {
        Some(organization) => tx.admit_changes(organization).await,
        None => Ok(()),
    }
}

impl Transaction {
    /// Refuses to add records for an organization where there is no room, in a request that could also end something. What
    /// the command line does is always possible.
    pub async fn require_room(&self, organization: OrganizationId) -> Result<(), CatalogError> {
        if REQUEST.try_with(|_| ()).is_err() {
            return Ok(());
        }
        self.admit_to_disk()?;
        self.admit_changes(organization).await
    }
}

async fn end_of(
    tx: &Transaction,
    right: Option<&Right>,
    now: Timestamp,
) -> Result<Option<EndedRight>, CatalogError> {
    match right {
        Some(Right::Key { key, hash }) => end_of_key(tx, key, hash, now).await,
        Some(Right::SignIn { id, person_id, office }) => {
            end_of_sign_in(tx, *id, *person_id, *office, now).await
        }
        Some(Right::Session(_)) | None => Ok(None),
    }
}

/// The key is held.
async fn end_of_key(
    tx: &Transaction,
    judged: &ApiKey,
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<Option<EndedRight>, CatalogError> {
    let Some(row) = api_key::Entity::find_by_id(judged.id.uuid()).one(tx.db()).await? else {
        return Ok(Some(EndedRight::Key));
    };
    let is_current = row.key_hash == hash || is_old_secret(tx, judged, hash, now).await?;
    let key = ApiKey::try_from(row)?;
    if !is_current || !key.is_valid_at(now) {
        return Ok(Some(EndedRight::Key));
    }
    Ok(judged.allows_more_than(&key).then_some(EndedRight::KeyLimits))
}

async fn is_old_secret(
    tx: &Transaction,
    key: &ApiKey,
    hash: &[u8; 32],
    now: Timestamp,
) -> Result<bool, CatalogError> {
    let old = old_api_key::Entity::find_by_id(key.id.uuid()).one(tx.db()).await?;
    let Some(old) = old.filter(|old| old.key_hash == hash) else { return Ok(false) };
    Ok(now < moment("old_api_key.valid_until", old.valid_until)?)
}

/// The person is locked for a change, as by whoever ends a sign-in or a membership of the person. So the writes of one
/// person follow one another. Administrators act on each other: they are all locked first, in one order.
async fn end_of_sign_in(
    tx: &Transaction,
    id: SignInId,
    person_id: PersonId,
    office: Office,
    now: Timestamp,
) -> Result<Option<EndedRight>, CatalogError> {
    if office == Office::Administrator {
        tx.administrators_to_change().await?;
    }
    let person = tx.person(person_id).await?;
    let sign_in: Option<SignIn> = one(tx.db(), sign_in::Entity::find_by_id(id.uuid())).await?;
    let (Some(sign_in), Some(person)) = (sign_in, person) else { return Ok(Some(EndedRight::SignIn)) };
    if sign_in.person_id != person_id || !sign_in.is_valid_at(now) || !person.is_active() {
        return Ok(Some(EndedRight::SignIn));
    }
    let (organization, role) = match office {
        Office::None => return Ok(None),
        Office::Administrator => {
            return Ok((!person.is_administrator).then_some(EndedRight::Administrator));
        }
        Office::Member(organization, role) => (organization, role),
    };
    let select = membership::Entity::find_by_id((organization.uuid(), person_id.uuid()));
    let own: Option<Membership> = one(tx.db(), select).await?;
    Ok(match own {
        None => Some(EndedRight::Membership),
        Some(own) => (own.role < role).then_some(EndedRight::Role),
    })
}
