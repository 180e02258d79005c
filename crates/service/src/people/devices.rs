//! Devices with which people have signed in before. Password guesses from elsewhere do not lock the owner of an account
//! out there.

use tonearm_catalog::Transaction;
use tonearm_domain::{EmailAddress, KnownDevice, PersonId};
use tonearm_signing::Token;

use super::{Device, People};
use crate::refusal::Refusal;

impl People {
    /// The secret of a device's cookie and the owner of the account, if the owner has signed in with this device before.
    pub(super) async fn known_device(
        &self,
        email: &EmailAddress,
        device: &Device,
    ) -> Result<Option<(Token, PersonId)>, Refusal> {
        let Some(token) = &device.token else { return Ok(None) };
        let found = self.catalog.known_device(&token.hash(), email).await?;
        let now = self.ambient.now();
        Ok(found.filter(|found| found.is_valid_at(now)).map(|found| (token.clone(), found.person_id)))
    }

    /// Records the device with which a person has signed in, and returns the secret for its cookie. Pass `device_token`
    /// only if it is already this person's: a cookie of unknown origin may have been planted by somebody else.
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
