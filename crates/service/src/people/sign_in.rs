//! Sign-in, sessions and sign-out.

use std::net::IpAddr;

use tonearm_catalog::Transaction;
use tonearm_domain::{
    Actor, AuditAction, EmailAddress, Origin, Password, Person, PersonId, SignIn, SignInId, Timestamp,
};
use tonearm_signing::Token;

use super::passwords::{self, HashingPermit};
use super::throttle::Subjects;
use super::{Entry, People};
use crate::audit::{self, AuditedAction};
use crate::refusal::Refusal;

/// The device from which a person signs in.
#[derive(Debug, Clone, Default)]
pub struct Device {
    /// The network address.
    pub address: Option<IpAddr>,
    /// The `User-Agent` of the browser.
    pub user_agent: Option<String>,
    /// The secret of the device cookie, which was set when somebody signed in with this device before.
    pub token: Option<Token>,
}

/// A person who has just signed in.
#[derive(Debug)]
pub struct SignedIn {
    /// The person.
    pub person: Person,
    /// The token for the session cookie.
    pub token: Token,
    /// The secret for the device cookie, which lasts for
    /// [`KnownDevice::LIFETIME`](tonearm_domain::KnownDevice::LIFETIME).
    pub device: Token,
}

/// A person who is still signed in.
#[derive(Debug, Clone)]
pub struct Resumed {
    /// The person.
    pub person: Person,
    /// The session: when it began, and from where.
    pub sign_in: SignIn,
}

/// A person whose password was just verified, and the hash that it matched.
struct Verified {
    person: Person,
    hash: String,
}

/// Why a sign-in failed.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// There is no such account, or the password is wrong. The response is the same in both cases.
    #[error("the email address or the password is wrong")]
    Wrong,
    /// The password is right, but the account is disabled.
    #[error("this account is disabled; ask an administrator")]
    Disabled,
    /// The code is neither one of the authenticator app nor an unused recovery code.
    #[error("the code is wrong or was already used")]
    WrongCode,
    /// The password was entered too long ago, or was changed since.
    #[error("this took too long; sign in again")]
    ChallengeOver,
    /// Too many attempts failed.
    #[error("{}", too_many(*.0))]
    TooMany(i64),
    /// Anything else.
    #[error(transparent)]
    Refusal(#[from] Refusal),
}

fn too_many(seconds: i64) -> String {
    match (seconds + 59) / 60 {
        ..=1 => "too many failed attempts; try again in 1 minute".to_owned(),
        minutes => format!("too many failed attempts; try again in {minutes} minutes"),
    }
}

impl From<tonearm_catalog::CatalogError> for SignInError {
    fn from(error: tonearm_catalog::CatalogError) -> Self {
        Self::Refusal(error.into())
    }
}

impl People {
    /// Signs a person in with a password, or requests a code if the person has a second factor.
    ///
    /// An attempt is counted before its password is checked, in a transaction of its own. So concurrent attempts on any
    /// nodes cannot bypass the limit, and no lock is held while a password is hashed. The limit is also checked before
    /// the attempt waits for a hashing permit, so that clients at their limit do not take permits from others.
    pub async fn sign_in(&self, email: &str, password: String, device: Device) -> Result<Entry, SignInError> {
        let email: EmailAddress = email.parse().map_err(|_| SignInError::Wrong)?;
        let known = self.known_device(&email, &device).await?;
        let subjects = match &known {
            Some((token, _)) => Subjects::of_device(token),
            None => Subjects::of_stranger(&email, device.address),
        };
        if let Some(seconds) = self.wait(&subjects).await? {
            return Err(SignInError::TooMany(seconds));
        }
        let turn = match &known {
            Some((_, id)) => self.passwords.permit(self.known(*id).await?).await,
            None => self.passwords.permit_for_stranger(device.address).await,
        };
        let turn = turn.ok_or(SignInError::TooMany(60))?;
        self.begin_attempt(&subjects).await?.map_err(SignInError::TooMany)?;
        let verified = self.verified(&turn, &email, password).await?;
        drop(turn);
        let verified = match verified {
            Ok(verified) => verified,
            Err(person) => {
                let origin = Origin { actor: Actor::Stranger, address: device.address };
                self.note_failure(&subjects, person.as_ref(), origin).await?;
                return Err(SignInError::Wrong);
            }
        };
        self.enter(verified, &subjects, device, known.map(|(token, _)| token)).await
    }

    /// The person with this email address and password. The error has the person with this address, if any.
    async fn verified(
        &self,
        turn: &HashingPermit,
        email: &EmailAddress,
        password: String,
    ) -> Result<Result<Verified, Option<Person>>, Refusal> {
        let found = self.catalog.person_with_password(email).await?;
        let (person, hash) = found.map_or((None, None), |(person, hash)| (Some(person), Some(hash)));
        let is_right = match Password::claimed(password) {
            Some(password) => self.passwords.verify(turn, password, hash.clone()).await?,
            None => false,
        };
        Ok(match (person, hash) {
            (Some(person), Some(hash)) if is_right => Ok(Verified { person, hash }),
            (person, _) => Err(person),
        })
    }

    /// Signs in a person whose password was verified. The password may have been changed or the person disabled since
    /// then, so this is checked here with the person locked.
    async fn enter(
        &self,
        verified: Verified,
        subjects: &Subjects,
        device: Device,
        device_token: Option<Token>,
    ) -> Result<Entry, SignInError> {
        let origin = Origin { actor: Actor::Stranger, address: device.address };
        let tx = self.catalog.begin().await?;
        self.forgive(&tx, subjects).await?;
        let now = tx.person_with_password(verified.person.id).await?;
        let person = match now {
            Some((person, hash)) if hash == verified.hash => person,
            _ => {
                drop(tx);
                self.note_failure(subjects, Some(&verified.person), origin).await?;
                return Err(SignInError::Wrong);
            }
        };
        if !person.is_active() {
            drop(tx);
            self.note_failure(subjects, Some(&person), origin).await?;
            return Err(SignInError::Disabled);
        }
        let entry = self.let_in_or_ask(&tx, person, &verified.hash, None, device, device_token).await?;
        tx.commit().await?;
        Ok(entry)
    }

    /// The person whose session cookie has this token, if the session is still valid. Its use is recorded periodically.
    pub async fn resume(&self, token: &Token) -> Result<Option<Resumed>, Refusal> {
        let Some((sign_in, person)) = self.catalog.sign_in_by_hash(&token.hash()).await? else {
            return Ok(None);
        };
        let now = self.ambient.now();
        if !sign_in.is_valid_at(now) || !person.is_active() {
            return Ok(None);
        }
        if sign_in.is_worth_noting_at(now) {
            self.catalog.note_sign_in_seen(sign_in.id, now).await?;
        }
        Ok(Some(Resumed { person, sign_in }))
    }

    /// Ends one sign-in of a person, whose request comes from `address`.
    pub async fn sign_out(
        &self,
        person: &Person,
        id: SignInId,
        address: Option<IpAddr>,
    ) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        if tx.delete_sign_in(person.id, id).await? {
            self.record_of_person(&tx, AuditAction::SignOut, person, address).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Ends every sign-in of a person, in every browser, forgets the person's devices, and ends the links that the person
    /// made, and what the person uploads and imports. `unlinking` also unlinks the accounts at the provider, if the person
    /// has a password to sign in with.
    pub async fn sign_out_everywhere(
        &self,
        person: &Person,
        unlinking: bool,
        address: Option<IpAddr>,
    ) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        let Some((person, hash)) = tx.person_with_password(person.id).await? else { return Ok(()) };
        end_sign_ins(&tx, person.id, None, self.ambient.now()).await?;
        if unlinking && hash != passwords::NONE {
            self.unlink_all_identities(&tx, &person, address).await?;
        }
        self.record_of_person(&tx, AuditAction::SignOut, &person, address).await?;
        Ok(tx.commit().await?)
    }

    /// Signs a person in. `device_token` is the secret of a known device. Without it, the device becomes known under a
    /// new secret.
    pub(super) async fn let_in(
        &self,
        tx: &Transaction,
        person: Person,
        device: Device,
        device_token: Option<Token>,
    ) -> Result<SignedIn, Refusal> {
        let (token, now) = (self.token(), self.ambient.now());
        let sign_in = SignIn {
            id: self.ambient.record_id(),
            person_id: person.id,
            address: device.address,
            user_agent: device.user_agent.map(|text| text.chars().take(300).collect()),
            created_at: now,
            seen_at: now,
        };
        tx.insert_sign_in(&sign_in, &token.hash()).await?;
        self.record_of_person(tx, AuditAction::SignIn, &person, sign_in.address).await?;
        let device = self.remember_device(tx, person.id, device_token).await?;
        Ok(SignedIn { person, token, device })
    }

    /// Records in the audit log what a person did to the own account. The entry belongs to no organization.
    pub(super) async fn record_of_person(
        &self,
        tx: &Transaction,
        action: AuditAction,
        person: &Person,
        address: Option<IpAddr>,
    ) -> Result<(), Refusal> {
        let origin = Origin { actor: Actor::Person(person.id), address };
        let done = AuditedAction { action, subject_id: person.id.uuid(), title: person.email.as_str() };
        Ok(audit::record_of(tx, &self.ambient, None, origin, done).await?)
    }
}

/// Ends the sign-ins of a person, except for `but`, forgets all devices, and ends the unused links that the person made and
/// what the person uploads and imports: whoever took over one of the sign-ins may have begun it.
pub(super) async fn end_sign_ins(
    tx: &Transaction,
    id: PersonId,
    but: Option<SignInId>,
    now: Timestamp,
) -> Result<(), Refusal> {
    tx.delete_sign_ins(id, but).await?;
    tx.delete_links_by(id, now).await?;
    tx.end_editing(id, None, now).await?;
    Ok(tx.delete_known_devices(id).await?)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;
    use tonearm_domain::FailedSignIns;
    use tonearm_fixtures::TestDatabase;

    use super::*;

    tonearm_fixtures::on_both!(
        a_sign_in_does_not_outlive_its_password,
        a_sign_in_does_not_outlive_the_account,
        a_password_is_not_changed_by_a_session_that_has_ended,
    );

    const EMAIL: &str = "ada@example.com";
    const PASSWORD: &str = "correct horse battery";

    async fn people(database: &TestDatabase) -> People {
        let catalog =
            tonearm_catalog::Catalog::connect(&database.url.parse().unwrap(), Default::default()).await;
        let (ambient, _) = tonearm_fixtures::ambient();
        let secrets = tonearm_signing::Secrets::parse("a secret for tests that is long enough").unwrap();
        let vault = tonearm_signing::Vault::new(&secrets);
        People::new(catalog.unwrap(), ambient, vault, "https://audio.example.com")
    }

    fn token_of(link: &crate::people::OneTimeLink) -> Token {
        link.url.rsplit_once('/').unwrap().1.parse().unwrap()
    }

    /// The first administrator, who has signed in.
    async fn ada(people: &People) -> SignedIn {
        let link = people.first_administrator_link().await.unwrap().unwrap();
        let (name, email) = ("Ada".to_owned(), EMAIL.to_owned());
        let new = crate::people::NewPerson { name, email, password: PASSWORD.to_owned() };
        people.join(&token_of(&link), new, Device::default()).await.unwrap()
    }

    /// Runs a sign-in up to the point where the password is verified.
    async fn verify(people: &People) -> Verified {
        let turn = people.passwords.permit_for_stranger(None).await.unwrap();
        let email = EMAIL.parse().unwrap();
        people.verified(&turn, &email, PASSWORD.to_owned()).await.unwrap().ok().unwrap()
    }

    async fn enter(people: &People, verified: Verified) -> Result<Option<SignedIn>, SignInError> {
        let subjects = Subjects::of_stranger(&EMAIL.parse().unwrap(), None);
        people.enter(verified, &subjects, Device::default(), None).await.map(Entry::signed_in)
    }

    async fn a_sign_in_does_not_outlive_its_password(database: TestDatabase) {
        let people = people(&database).await;
        ada(&people).await;
        let verified = verify(&people).await;
        let link = people.new_password_link(EMAIL).await.unwrap();
        let new = "another good one".to_owned();
        people.choose_new_password(&token_of(&link), new, Device::default()).await.unwrap();
        let entered = enter(&people, verified).await;
        assert!(matches!(entered, Err(SignInError::Wrong)), "{entered:?}");
    }

    async fn a_sign_in_does_not_outlive_the_account(database: TestDatabase) {
        use crate::people::OwnerlessOrganizations::GiveTo;
        let people = people(&database).await;
        let ada = ada(&people).await;
        let (bea, _) = people.add_person("Bea", "bea@example.com", true).await.unwrap();
        let (first, second) = (verify(&people).await, verify(&people).await);
        let by = Origin::command_line();
        people.disable_person(by, ada.person.id, GiveTo(bea.id)).await.unwrap();
        assert!(people.resume(&ada.token).await.unwrap().is_none());
        let entered = enter(&people, first).await;
        assert!(matches!(entered, Err(SignInError::Disabled)), "{entered:?}");
        people.remove_person(by, ada.person.id, GiveTo(bea.id)).await.unwrap();
        let entered = enter(&people, second).await;
        assert!(matches!(entered, Err(SignInError::Wrong)), "{entered:?}");
    }

    async fn a_password_is_not_changed_by_a_session_that_has_ended(database: TestDatabase) {
        let people = people(&database).await;
        let ada = ada(&people).await;
        let resumed = people.resume(&ada.token).await.unwrap().unwrap();
        people.sign_out_everywhere(&ada.person, false, None).await.unwrap();
        let (current, new) = (PASSWORD.to_owned(), "another good one".to_owned());
        let changed = people.change_password(&resumed, current, new, false, Device::default()).await;
        assert!(matches!(changed, Err(SignInError::Wrong)), "{changed:?}");
        assert!(people.sign_in(EMAIL, PASSWORD.to_owned(), Device::default()).await.is_ok());
    }

    #[tokio::test]
    async fn an_address_at_its_limit_takes_no_turn() {
        let database = TestDatabase::sqlite();
        let people = people(&database).await;
        let device = Device { address: "192.0.2.1".parse().ok(), ..Device::default() };
        let attempt = async |email: &str| people.sign_in(email, "a guess".to_owned(), device.clone()).await;
        for number in 0..FailedSignIns::ADDRESS {
            assert!(matches!(attempt(&format!("{number}@example.com")).await, Err(SignInError::Wrong)));
        }
        // All permits are taken, so a request for one would wait. These attempts are refused before that.
        let permit = || people.passwords.permit_for_stranger(None);
        let _held = (permit().await, permit().await);
        for _ in 0..50 {
            let refused = timeout(Duration::from_secs(20), attempt("ada@example.com")).await.unwrap();
            assert!(matches!(refused, Err(SignInError::TooMany(seconds)) if seconds > 60), "{refused:?}");
        }
    }
}
