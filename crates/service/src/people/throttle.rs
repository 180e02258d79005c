//! Counting attempts that failed, so that nobody tries passwords out.

use std::net::IpAddr;

use tonearm_catalog::Transaction;
use tonearm_domain::{
    AuditAction, AuditEntry, EmailAddress, FailedSignIns, Origin, Person, PersonId, SignInId,
};
use tonearm_signing::{Token, subject_hash};

use super::People;
use crate::refusal::Refusal;

/// Under what an attempt counts.
pub(super) struct Subjects {
    /// Whose failures are forgotten when the attempt succeeds: those of an account, a device or a sign-in.
    own: Option<([u8; 32], u32)>,
    address: Option<[u8; 32]>,
}

impl Subjects {
    /// Accounts that do not exist count too, so that waiting tells nobody which ones do.
    pub(super) fn of_stranger(email: &EmailAddress, address: Option<IpAddr>) -> Self {
        Self {
            own: Some((subject_hash("account", email.as_str()), FailedSignIns::ACCOUNT)),
            address: address.and_then(subject_of_address),
        }
    }

    /// Who comes back from a provider is nobody yet, and counts by the address alone.
    pub(super) fn of_provider(address: Option<IpAddr>) -> Self {
        Self { own: None, address: address.and_then(subject_of_address) }
    }

    /// A device that the account's owner has signed in with counts alone, so that strangers who guess at the account, or
    /// from the same address, do not keep the owner out.
    pub(super) fn of_device(token: &Token) -> Self {
        Self { own: Some((subject_hash("device", &token.reveal()), FailedSignIns::DEVICE)), address: None }
    }

    /// Somebody who is signed in and repeats the password counts alone, for the same reason.
    pub(super) fn of_sign_in(id: SignInId) -> Self {
        Self { own: Some((subject_hash("sign_in", &id.to_string()), FailedSignIns::DEVICE)), address: None }
    }

    /// Whoever knows the password and enters codes counts by the account.
    pub(super) fn of_code(id: PersonId) -> Self {
        Self { own: Some((subject_hash("code", &id.to_string()), FailedSignIns::ACCOUNT)), address: None }
    }

    /// The same on a device that the account's owner has signed in with, which counts alone.
    pub(super) fn of_code_on(token: &Token) -> Self {
        Self {
            own: Some((subject_hash("code_on_device", &token.reveal()), FailedSignIns::DEVICE)),
            address: None,
        }
    }

    fn limited(&self) -> impl Iterator<Item = (&[u8; 32], u32)> {
        let own = self.own.iter().map(|(own, most)| (own, *most));
        own.chain(self.address.iter().map(|address| (address, FailedSignIns::ADDRESS)))
    }
}

/// The machine's own address is that of a proxy, which is everybody.
fn subject_of_address(address: IpAddr) -> Option<[u8; 32]> {
    let address = network(address);
    (!address.is_loopback()).then(|| subject_hash("address", &address.to_string()))
}

/// An IPv6 customer has a whole /64 of addresses, which count as one.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if !v6.is_loopback() => IpAddr::V6((v6.to_bits() & (u128::MAX << 64)).into()),
        other => other,
    }
}

impl People {
    /// Counts an attempt before it is looked at, so that many at once are no way around the limits. It counts as failed
    /// until [`People::forgive`]. Where there were too many, the seconds until another one is looked at.
    pub(super) async fn begin_attempt(&self, subjects: &Subjects) -> Result<Result<(), i64>, Refusal> {
        let now = self.ambient.now();
        let tx = self.catalog.begin().await?;
        // The address comes last everywhere, so nobody waits for anybody who waits.
        for (subject, most) in subjects.limited() {
            let earlier = tx.failed_sign_ins_to_change(subject, now).await?;
            match FailedSignIns::with_attempt(Some(earlier), most, now) {
                Ok(counted) => tx.put_failed_sign_ins(subject, counted).await?,
                Err(seconds) => return Ok(Err(seconds)),
            }
        }
        tx.commit().await?;
        Ok(Ok(()))
    }

    /// The seconds until another attempt is looked at, where there were too many. Asked before an attempt waits for its
    /// turn: those that are refused anyway take neither turns nor locks.
    pub(super) async fn wait(&self, subjects: &Subjects) -> Result<Option<i64>, Refusal> {
        let now = self.ambient.now();
        let mut longest = None;
        for (subject, most) in subjects.limited() {
            let failed = self.catalog.failed_sign_ins(subject).await?;
            longest = longest.max(failed.and_then(|failed| failed.wait(most, now)));
        }
        Ok(longest)
    }

    /// Takes back that an attempt was counted, and forgets the failures of the account or device: what one person got right says
    /// nothing of others at the same address.
    pub(super) async fn forgive(&self, tx: &Transaction, subjects: &Subjects) -> Result<(), Refusal> {
        if let Some((own, _)) = &subjects.own {
            tx.delete_failed_sign_ins(own).await?;
        }
        if let Some(address) = &subjects.address {
            tx.uncount_sign_in(address).await?;
        }
        Ok(())
    }

    /// Notes that an attempt failed, and writes it down. A line is written also where there is no such account, so
    /// that both cases take the same time; it does not tell what was typed.
    pub(super) async fn note_failure(
        &self,
        subjects: &Subjects,
        person: Option<&Person>,
        origin: Origin,
    ) -> Result<(), Refusal> {
        let now = self.ambient.now();
        let tx = self.catalog.begin().await?;
        for (subject, _) in subjects.limited() {
            tx.note_failed_sign_in(subject, now).await?;
        }
        let entry = AuditEntry {
            id: self.ambient.record_id(),
            organization_id: None,
            at: now,
            origin,
            action: AuditAction::SignInFailed,
            subject_id: person.map(|person| person.id.uuid()),
            title: person.map(|person| person.email.as_str().to_owned()),
        };
        tx.audit(&entry).await?;
        Ok(tx.commit().await?)
    }
}
