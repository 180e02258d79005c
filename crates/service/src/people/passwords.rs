//! Password hashing. It is slow and needs much memory on purpose, so it runs on blocking threads, a few at a time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonearm_domain::{ClientAddress, FairPermit, FairSemaphore, Held, Password, PersonId, Shares};
use uuid::Uuid;

use super::People;
use crate::refusal::Refusal;

/// The number of concurrent hashes. Each takes a core for some 20 ms and 19 MiB.
const AT_ONCE: usize = 2;
/// The maximum number of strangers, and of people who are known, that hash or wait. No site and no organization has
/// more than its share.
const WAITING: u64 = 32;
/// The maximum number of callers that wait for the turn of one person.
const WAITING_FOR_ONE: usize = 32;

/// The hash of people who were created without a password. No password matches it.
pub(super) const NONE: &str = "!";

#[derive(Clone)]
pub(super) struct Passwords {
    running: FairSemaphore,
    strangers: Shares,
    known: Shares,
    /// The turn of each known person or link.
    turns: Arc<Mutex<Turns>>,
}

/// The people, and makerless links, who hash or wait: the turn of each, and how many callers want it.
type Turns = HashMap<Uuid, (Arc<Semaphore>, usize)>;

/// Somebody who is known by a device, a sign-in or a link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// The id of the person, or of a link that nobody made.
    id: Uuid,
    /// Those with the same one share places: the organization that the person joined first, if any.
    share: Uuid,
}

impl Known {
    /// A link that nobody made.
    pub(super) const fn link(id: Uuid) -> Self {
        Self { id, share: id }
    }
}

/// Whose permits are counted together.
#[derive(Hash)]
enum Holder {
    Known(Uuid),
    /// All networks that one stranger can have, if the address is known.
    Stranger(Option<IpAddr>),
}

/// The right to hash one password.
pub(super) struct HashingPermit {
    _running: FairPermit,
    _place: Held,
    _turn: Option<(OwnedSemaphorePermit, Interest)>,
}

/// Somebody who wants a turn of a known person.
struct Interest(Arc<Mutex<Turns>>, Uuid);

impl Drop for Interest {
    fn drop(&mut self) {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, wanted)) = turns.get_mut(&self.1) {
            *wanted -= 1;
            if *wanted == 0 {
                turns.remove(&self.1);
            }
        }
    }
}

impl People {
    /// How a person is counted when a password is hashed.
    pub(super) async fn known(&self, person: PersonId) -> Result<Known, Refusal> {
        let memberships = self.catalog.memberships_of(person).await?;
        // Ids grow with time.
        let first = memberships.iter().map(|membership| membership.organization_id.uuid()).min();
        Ok(Known { id: person.uuid(), share: first.unwrap_or(person.uuid()) })
    }
}

impl Passwords {
    pub(super) fn new() -> Self {
        Self {
            running: FairSemaphore::new(AT_ONCE, 0),
            strangers: Shares::new(WAITING),
            known: Shares::new(WAITING),
            turns: Arc::default(),
        }
    }

    /// Waits for a permit for somebody who is known. Those of one person wait for each other. `None` if too many callers
    /// wait already.
    pub(super) async fn permit(&self, known: Known) -> Option<HashingPermit> {
        let (turn, interest) = self.interest(known.id)?;
        let turn = turn.acquire_owned().await.ok()?;
        let place = self.known.take(known.share)?;
        let running = self.running.acquire(Holder::Known(known.share)).await;
        Some(HashingPermit { _running: running, _place: place, _turn: Some((turn, interest)) })
    }

    fn interest(&self, id: Uuid) -> Option<(Arc<Semaphore>, Interest)> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        let (turn, wanted) = turns.entry(id).or_insert_with(|| (Arc::new(Semaphore::new(1)), 0));
        if *wanted >= WAITING_FOR_ONE {
            return None;
        }
        *wanted += 1;
        Some((Arc::clone(turn), Interest(Arc::clone(&self.turns), id)))
    }

    /// Waits for a permit for a stranger. `None` if too many callers wait already.
    pub(super) async fn permit_for_stranger(&self, address: Option<IpAddr>) -> Option<HashingPermit> {
        let site = address.map(|address| ClientAddress::from(address).site());
        let place = self.strangers.take(site)?;
        let running = self.running.acquire(Holder::Stranger(site)).await;
        Some(HashingPermit { _running: running, _place: place, _turn: None })
    }

    /// Hashes a new password with a fresh salt.
    pub(super) async fn hash(
        &self,
        known: Known,
        password: Password,
        salt: [u8; 16],
    ) -> Result<String, Refusal> {
        let _turn = self.permit(known).await.ok_or_else(too_many)?;
        blocking(move || hash(&password, salt)).await
    }

    /// Whether the text is the password of a person who is known by a link.
    pub(super) async fn is_current(
        &self,
        known: Known,
        text: String,
        stored: Option<String>,
    ) -> Result<bool, Refusal> {
        let turn = self.permit(known).await.ok_or_else(too_many)?;
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
        let hash = passwords.hash(known(0, 0), password("correct horse"), [7; 16]).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        let turn = passwords.permit(known(0, 0)).await.unwrap();
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

    fn known(person: usize, organization: usize) -> Known {
        Known { id: Uuid::from_u128(person as u128), share: Uuid::from_u128(organization as u128) }
    }

    /// Whoever floods, from one network or as all members of an organization, leaves places for others, whose turn is
    /// next.
    #[tokio::test]
    async fn nobody_takes_the_places_of_others() {
        let passwords = Passwords::new();
        let network = |number: u8| Some(IpAddr::from([192, 0, number, 1]));
        let mut waiting: Vec<_> = (0..100)
            .flat_map(|number| {
                let (strangers, members) = (passwords.clone(), passwords.clone());
                [
                    async move { strangers.permit_for_stranger(network(2)).await }.boxed(),
                    async move { members.permit(known(number, 1000)).await }.boxed(),
                ]
            })
            .collect();
        let mut held = Vec::new();
        let mut refused = 0;
        for caller in &mut waiting {
            match caller.now_or_never() {
                Some(Some(permit)) => held.push(permit),
                Some(None) => refused += 1,
                None => {}
            }
        }
        assert_eq!((held.len(), refused), (2, 168), "each has half of 32 places");
        let mut others =
            [passwords.permit_for_stranger(network(3)).boxed(), passwords.permit(known(100, 1001)).boxed()];
        for other in &mut others {
            assert!(other.now_or_never().is_none(), "it waits, but is not sent away");
        }
        drop(held);
        for other in &mut others {
            assert!(other.now_or_never().is_some(), "whoever has the fewest permits is next");
        }
    }

    /// People who were invited by one person arrive at the same moment.
    #[tokio::test]
    async fn those_of_one_person_wait_for_each_other() {
        let passwords = Passwords::new();
        let first = passwords.permit(known(0, 0)).await.unwrap();
        let mut second = Box::pin(passwords.permit(known(0, 0)));
        assert!((&mut second).now_or_never().is_none());
        assert!(passwords.permit(known(1, 0)).now_or_never().is_some(), "it takes no place of others");
        drop(first);
        drop(second.await.unwrap());
        assert!(passwords.turns.lock().unwrap().is_empty());
        let mut waiting: Vec<_> =
            (0..WAITING_FOR_ONE).map(|_| Box::pin(passwords.permit(known(0, 0)))).collect();
        let polled: Vec<_> = waiting.iter_mut().map(|turn| turn.now_or_never()).collect();
        assert_eq!(polled.iter().filter(|turn| turn.is_some()).count(), 1);
        assert!(matches!(passwords.permit(known(0, 0)).now_or_never(), Some(None)), "too many");
    }

    #[tokio::test]
    async fn a_person_has_one_place() {
        let passwords = Passwords::new();
        let held = passwords.permit(known(1, 0)).await.unwrap();
        for _ in 0..100 {
            assert!(passwords.permit(known(1, 0)).now_or_never().is_none());
        }
        let other = passwords.permit(known(2, 0)).await.unwrap();
        // One who waits and is gone has left the place, too.
        let mut gone = Box::pin(passwords.permit(known(3, 0)));
        assert!((&mut gone).now_or_never().is_none());
        drop(gone);
        drop((held, other));
        for number in [1, 2, 3] {
            assert!(passwords.permit(known(number, 0)).await.is_some(), "{number}");
        }
        assert!(passwords.turns.lock().unwrap().is_empty());
    }
}
