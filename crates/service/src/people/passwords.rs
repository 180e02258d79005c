//! Password hashing. It is slow and needs much memory on purpose, so it runs on blocking threads, a few at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonearm_domain::Password;
use uuid::Uuid;

use crate::refusal::Refusal;

/// The number of concurrent hashes. Each takes a core for some 20 ms and 19 MiB.
const AT_ONCE: usize = 2;
/// The maximum number of callers that hash or wait. More are refused.
const WAITING: usize = 32;
/// The number of these places that are reserved for known people. Strangers never take them, however many there are.
const RESERVED: usize = 8;

/// The hash of people who were created without a password. No password matches it.
pub(super) const NONE: &str = "!";

#[derive(Clone)]
pub(super) struct Passwords {
    running: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    strangers: Arc<Semaphore>,
    known: Arc<Mutex<Known>>,
}

/// The people, and makerless links, who hash or wait: the turn of each, and how many callers want it.
type Known = HashMap<Uuid, (Arc<Semaphore>, usize)>;

/// The right to hash one password.
pub(super) struct HashingPermit {
    _running: OwnedSemaphorePermit,
    _queue: OwnedSemaphorePermit,
    _place: Place,
}

/// A place among those who hash or wait. Each person has one at a time, so that nobody takes the places of others.
enum Place {
    Stranger(#[allow(dead_code, reason = "it is released when it is dropped")] OwnedSemaphorePermit),
    Known(
        #[allow(dead_code, reason = "it is released when it is dropped")] OwnedSemaphorePermit,
        #[allow(dead_code, reason = "it is released when it is dropped")] Interest,
    ),
}

/// Somebody who wants a turn of a known person.
struct Interest(Arc<Mutex<Known>>, Uuid);

impl Drop for Interest {
    fn drop(&mut self) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, wanted)) = known.get_mut(&self.1) {
            *wanted -= 1;
            if *wanted == 0 {
                known.remove(&self.1);
            }
        }
    }
}

impl Passwords {
    pub(super) fn new() -> Self {
        Self {
            running: Arc::new(Semaphore::new(AT_ONCE)),
            queue: Arc::new(Semaphore::new(WAITING)),
            strangers: Arc::new(Semaphore::new(WAITING - RESERVED)),
            known: Arc::default(),
        }
    }

    /// Waits for a permit for somebody who is known by a device, a sign-in or a link: the id of the person, or of the
    /// link if nobody made it. Those of one person wait for each other. `None` if too many callers wait already.
    pub(super) async fn permit(&self, id: Uuid) -> Option<HashingPermit> {
        let (turn, interest) = self.interest(id)?;
        let turn = turn.acquire_owned().await.ok()?;
        self.wait_for_permit(Place::Known(turn, interest)).await
    }

    fn interest(&self, id: Uuid) -> Option<(Arc<Semaphore>, Interest)> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (turn, wanted) = known.entry(id).or_insert_with(|| (Arc::new(Semaphore::new(1)), 0));
        if *wanted >= WAITING {
            return None;
        }
        *wanted += 1;
        Some((Arc::clone(turn), Interest(Arc::clone(&self.known), id)))
    }

    /// Waits for a permit for a stranger. `None` if too many callers wait already.
    pub(super) async fn permit_for_stranger(&self) -> Option<HashingPermit> {
        let place = Arc::clone(&self.strangers).try_acquire_owned().ok()?;
        self.wait_for_permit(Place::Stranger(place)).await
    }

    async fn wait_for_permit(&self, place: Place) -> Option<HashingPermit> {
        let queue = Arc::clone(&self.queue).try_acquire_owned().ok()?;
        let running = Arc::clone(&self.running).acquire_owned().await.ok()?;
        Some(HashingPermit { _running: running, _queue: queue, _place: place })
    }

    /// Hashes a new password with a fresh salt, in the place of a person or of a makerless link.
    pub(super) async fn hash(&self, id: Uuid, password: Password, salt: [u8; 16]) -> Result<String, Refusal> {
        let _turn = self.permit(id).await.ok_or_else(too_many)?;
        blocking(move || hash(&password, salt)).await
    }

    /// Whether the text is the password of a person who is known by a link.
    pub(super) async fn is_current(
        &self,
        id: Uuid,
        text: String,
        stored: Option<String>,
    ) -> Result<bool, Refusal> {
        let turn = self.permit(id).await.ok_or_else(too_many)?;
        match Password::claimed(text) {
            Some(password) => self.verify(&turn, password, stored).await,
            None => Ok(false),
        }
    }

    /// Whether the password matches this hash. Without a hash, the same work is done, so that the response time does
    /// not reveal whether the account exists.
    pub(super) async fn verify(
        &self,
        _turn: &HashingPermit,
        password: Password,
        stored: Option<String>,
    ) -> Result<bool, Refusal> {
        blocking(move || match stored.as_deref().filter(|hash| *hash != NONE) {
            Some(stored) => {
                let parsed =
                    PasswordHash::new(stored).map_err(|error| Refusal::Internal(error.to_string().into()))?;
                Ok(argon2()?.verify_password(password.as_bytes(), &parsed).is_ok())
            }
            None => hash(&password, [0; 16]).map(|_| false),
        })
        .await
    }
}

fn too_many() -> Refusal {
    Refusal::Unavailable("too many passwords to hash".into())
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Refusal::Internal(error.into()))?
}

fn hash(password: &Password, salt: [u8; 16]) -> Result<String, Refusal> {
    let hash: PasswordHash = argon2()?
        .hash_password_with_salt(password.as_bytes(), &salt)
        .map_err(|error| Refusal::Internal(error.to_string().into()))?;
    Ok(hash.to_string())
}

/// The parameters that OWASP's Password Storage Cheat Sheet recommends for argon2id: 19 MiB, two passes, one lane.
fn argon2() -> Result<Argon2<'static>, Refusal> {
    let params =
        Params::new(19 * 1024, 2, 1, None).map_err(|error| Refusal::Internal(error.to_string().into()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    fn password(text: &str) -> Password {
        Password::claimed(text.to_owned()).unwrap()
    }

    #[tokio::test]
    async fn a_hash_knows_its_password() {
        let passwords = Passwords::new();
        let hash = passwords.hash(Uuid::nil(), password("correct horse"), [7; 16]).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        let turn = passwords.permit(Uuid::nil()).await.unwrap();
        for (text, stored, expected) in [
            ("correct horse", Some(hash.clone()), true),
            ("correct horsf", Some(hash), false),
            ("correct horse", Some(NONE.to_owned()), false),
            ("!", Some(NONE.to_owned()), false),
            ("correct horse", None, false),
        ] {
            assert_eq!(passwords.verify(&turn, password(text), stored).await.unwrap(), expected);
        }
    }

    #[tokio::test]
    async fn strangers_leave_places_for_people_who_are_known() {
        let passwords = Passwords::new();
        let held =
            (passwords.permit_for_stranger().await.unwrap(), passwords.permit_for_stranger().await.unwrap());
        let mut waiting: Vec<_> =
            (2..WAITING - RESERVED).map(|_| Box::pin(passwords.permit_for_stranger())).collect();
        for turn in &mut waiting {
            assert!(turn.now_or_never().is_none(), "both turns are taken");
        }
        assert!(passwords.permit_for_stranger().await.is_none());
        let mut known = Box::pin(passwords.permit(Uuid::nil()));
        assert!((&mut known).now_or_never().is_none(), "it waits, but is not sent away");
        drop((held, waiting));
        assert!(known.await.is_some());
    }

    fn person(number: usize) -> Uuid {
        Uuid::from_u128(number as u128)
    }

    /// People who were invited by one person arrive at the same moment.
    #[tokio::test]
    async fn those_of_one_person_wait_for_each_other() {
        let passwords = Passwords::new();
        let first = passwords.permit(person(0)).await.unwrap();
        let mut second = Box::pin(passwords.permit(person(0)));
        assert!((&mut second).now_or_never().is_none());
        assert_eq!(passwords.queue.available_permits(), WAITING - 1, "it takes no place of others");
        assert!(passwords.permit(person(1)).now_or_never().is_some());
        drop(first);
        drop(second.await.unwrap());
        assert!(passwords.known.lock().unwrap().is_empty());
        let mut waiting: Vec<_> = (0..WAITING).map(|_| Box::pin(passwords.permit(person(0)))).collect();
        let polled: Vec<_> = waiting.iter_mut().map(|turn| turn.now_or_never()).collect();
        assert_eq!(polled.iter().filter(|turn| turn.is_some()).count(), 1);
        assert!(matches!(passwords.permit(person(0)).now_or_never(), Some(None)), "too many");
    }

    #[tokio::test]
    async fn the_queue_is_bounded() {
        let passwords = Passwords::new();
        let _held = (passwords.permit(person(0)).await.unwrap(), passwords.permit(person(1)).await.unwrap());
        let waiting: Vec<_> = (2..WAITING).map(|number| (passwords.clone(), number)).collect();
        let waiting: Vec<_> = waiting
            .into_iter()
            .map(|(passwords, number)| {
                tokio::spawn(async move { passwords.permit(person(number)).await.is_some() })
            })
            .collect();
        while passwords.queue.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert!(passwords.permit(person(WAITING)).await.is_none());
        waiting.into_iter().for_each(|task| task.abort());
    }

    #[tokio::test]
    async fn a_person_has_one_place() {
        let passwords = Passwords::new();
        let held = passwords.permit(person(1)).await.unwrap();
        for _ in 0..WAITING {
            assert!(passwords.permit(person(1)).now_or_never().is_none());
        }
        let other = passwords.permit(person(2)).await.unwrap();
        // One who waits and is gone has left the place, too.
        let mut gone = Box::pin(passwords.permit(person(3)));
        assert!((&mut gone).now_or_never().is_none());
        drop(gone);
        drop((held, other));
        for number in [1, 2, 3] {
            assert!(passwords.permit(person(number)).await.is_some(), "{number}");
        }
        assert!(passwords.known.lock().unwrap().is_empty());
    }
}
