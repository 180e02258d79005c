//! Devices that people have signed in with before. Who guesses at an account from elsewhere does not keep its owner out
//! there.

use tonearm_catalog::Transaction;
use tonearm_domain::{EmailAddress, KnownDevice, PersonId};
use tonearm_signing::Token;

use super::{Device, People};
use crate::refusal::Refusal;

impl People {
    /// The secret of a device's cookie, if the owner of the account has signed in there.
    pub(super) async fn known_device(
        &self,
        email: &EmailAddress,
        device: &Device,
    ) -> Result<Option<Token>, Refusal> {
        let Some(token) = &device.token else { return Ok(None) };
        let found = self.catalog.known_device(&token.hash(), email).await?;
        let now = self.ambient.now();
        Ok(found.filter(|found| found.is_valid_at(now)).map(|_| token.clone()))
    }

    /// Makes the device known from which a person was let in, and gives the secret for its cookie. A secret that was not
    /// this person's is never made the person's: somebody else may have put it there.
    pub(super) async fn remember_device(
        &self,
        tx: &Transaction,
        person_id: PersonId,
        device_token: Option<Token>,
    ) -> Result<Token, Refusal> {
        let token = device_token.unwrap_or_else(|| self.token());
        tx.put_known_device(KnownDevice { person_id, seen_at: self.ambient.now() }, &token.hash()).await?;
        tx.limit_known_devices(person_id, KnownDevice::MOST).await?;
        Ok(token)
    }
}
