//! Limits failed attempts, against password guessing.

use std::net::IpAddr;

use tonearm_catalog::Transaction;
use tonearm_domain::{
    AuditAction, AuditEntry, ClientAddress, EmailAddress, FailedSignIns, Origin, Person, SignInId,
};
use tonearm_signing::{Token, subject_hash};

use super::People;
use crate::refusal::Refusal;

/// The subjects under which an attempt is counted.
pub(super) struct Subjects {
    /// An account, a device or a sign-in. Its failures are forgotten when an attempt succeeds.
    own: Option<([u8; 32], u32)>,
    address: Option<[u8; 32]>,
}

impl Subjects {
    /// Accounts that do not exist are counted too, so that the limit does not reveal which ones exist.
    pub(super) fn of_stranger(email: &EmailAddress, address: Option<IpAddr>) -> Self {
        Self {
            own: Some((subject_hash("account", email.as_str()), FailedSignIns::ACCOUNT)),
            address: address.and_then(subject_of_address),
        }
    }

    /// A return from the provider is not tied to an account yet, so it is counted by network address only.
    pub(super) fn of_provider(address: Option<IpAddr>) -> Self {
        Self { own: None, address: address.and_then(subject_of_address) }
    }

    /// A device with which the account's owner has signed in is counted by itself, so that strangers who guess the
    /// password, or come from the same address, cannot lock the owner out.
    pub(super) fn of_device(token: &Token) -> Self {
        Self { own: Some((subject_hash("device", &token.reveal()), FailedSignIns::DEVICE)), address: None }
    }

    /// A signed-in person who repeats the password is counted by the sign-in, for the same reason.
    pub(super) fn of_sign_in(id: SignInId) -> Self {
        Self { own: Some((subject_hash("sign_in", &id.to_string()), FailedSignIns::DEVICE)), address: None }
    }

    fn limited(&self) -> impl Iterator<Item = (&[u8; 32], u32)> {
        let own = self.own.iter().map(|(own, most)| (own, *most));
        own.chain(self.address.iter().map(|address| (address, FailedSignIns::ADDRESS)))
    }
}

/// A loopback address is that of a proxy, which all clients share, so it is not counted.
fn subject_of_address(address: IpAddr) -> Option<[u8; 32]> {
    let address = ClientAddress::from(address).network();
    (!address.is_loopback()).then(|| subject_hash("address", &address.to_string()))
}

impl People {
    /// Counts an attempt before it is checked, so that concurrent attempts cannot bypass the limits. It counts as
    /// failed until [`People::forgive`]. If there were too many attempts, the inner error has the seconds until the
    /// next one is allowed.
    pub(super) async fn begin_attempt(&self, subjects: &Subjects) -> Result<Result<(), i64>, Refusal> {
        let now = self.ambient.now();
        let tx = self.catalog.begin().await?;
        // The address always comes last. With the same lock order everywhere, there are no deadlocks.
        for (subject, most) in subjects.limited() {
            let earlier = tx.failed_sign_ins_to_change(subject, now).await?;
            match FailedSignIns::with_attempt(Some(earlier), most, now) {
                Ok(counted) => tx.put_failed_sign_ins(subject, counted).await?,
                Err(seconds) => return Ok(Err(seconds)),
            }
        }
        // If the request is run again, the attempt counts once more.
        tx.commit_repeatably().await?;
        Ok(Ok(()))
    }

    /// The seconds until the next attempt is allowed, if there were too many. It is called before an attempt waits for
    /// a permit, so that refused attempts take neither permits nor locks.
    pub(super) async fn wait(&self, subjects: &Subjects) -> Result<Option<i64>, Refusal> {
        let now = self.ambient.now();
        let mut longest = None;
        for (subject, most) in subjects.limited() {
            let failed = self.catalog.failed_sign_ins(subject).await?;
            longest = longest.max(failed.and_then(|failed| failed.wait(most, now)));
        }
        Ok(longest)
    }

    /// Reverts the count of an attempt, and forgets the failures of the account or device. Other failures of the
    /// address stay: the success of one person says nothing about others at the same address.
    pub(super) async fn forgive(&self, tx: &Transaction, subjects: &Subjects) -> Result<(), Refusal> {
        if let Some((own, _)) = &subjects.own {
            tx.delete_failed_sign_ins(own).await?;
        }
        if let Some(address) = &subjects.address {
            tx.uncount_sign_in(address).await?;
        }
        Ok(())
    }

    /// Records a failed attempt, also in the audit log. An entry is written even if there is no such account, so that
    /// both cases take the same time. It does not contain what was typed.
    pub(super) async fn note_failure(
        &self,
        subjects: &Subjects,
        person: Option<&Person>,
        origin: Origin,
    ) -> Result<(), Refusal> {
        let tx = self.catalog.begin().await?;
        for (subject, _) in subjects.limited() {
            tx.note_failed_sign_in(subject, self.ambient.now()).await?;
        }
        self.record_failure(&tx, person, origin).await?;
        Ok(tx.commit().await?)
    }

    /// Records a failed attempt in the audit log, where it stays long: strangers do not fill the last of a disk with them.
    pub(super) async fn record_failure(
        &self,
        tx: &Transaction,
        person: Option<&Person>,
        origin: Origin,
    ) -> Result<(), Refusal> {
        if self.catalog.admit_to_disk().is_err() {
            return Ok(());
        }
        let entry = AuditEntry {
            id: self.ambient.record_id(),
            organization_id: None,
            at: self.ambient.now(),
            origin,
            action: AuditAction::SignInFailed,
            subject_id: person.map(|person| person.id.uuid()),
            title: person.map(|person| person.email.as_str().to_owned()),
        };
        Ok(tx.audit(&entry).await?)
    }
}
