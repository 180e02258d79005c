//! Turns of organizations at expensive work that anybody can ask for.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, Weak};

use tokio::sync::{Mutex, OwnedMutexGuard};
use tonearm_domain::OrganizationId;

/// When this many organizations are remembered, those without a turn are forgotten.
const MOST_REMEMBERED: usize = 1024;

/// One turn at a time for each organization: whoever asks for much of one keeps only others of the same one waiting.
#[derive(Default)]
pub(crate) struct Turns(std::sync::Mutex<HashMap<OrganizationId, Weak<Mutex<()>>>>);

impl Turns {
    /// Waits for the organization's turn, which ends when the result is dropped.
    pub(crate) async fn take(&self, id: OrganizationId) -> OwnedMutexGuard<()> {
        let turn = self.turn_of(id);
        turn.lock_owned().await
    }

    fn turn_of(&self, id: OrganizationId) -> Arc<Mutex<()>> {
        // A panic leaves the map usable.
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = turns.get(&id).and_then(Weak::upgrade) {
            return turn;
        }
        if turns.len() >= MOST_REMEMBERED {
            turns.retain(|_, turn| turn.strong_count() > 0);
        }
        let turn = Arc::default();
        turns.insert(id, Arc::downgrade(&turn));
        turn
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use tonearm_domain::{RecordId, Timestamp};

    use super::*;

    fn organization(number: u16) -> OrganizationId {
        let [high, low] = number.to_be_bytes();
        let now = Timestamp::from_unix_seconds(1_900_000_000).unwrap();
        OrganizationId::from_parts(now, [high, low, 0, 0, 0, 0, 0, 0, 0, 0])
    }

    #[tokio::test]
    async fn an_organization_waits_only_for_itself() {
        let turns = Turns::default();
        let first = turns.take(organization(0)).await;
        assert!(turns.take(organization(0)).now_or_never().is_none());
        for number in 1..2000 {
            let turn = tokio::task::unconstrained(turns.take(organization(number)));
            assert!(turn.now_or_never().is_some(), "{number}");
        }
        assert!(turns.0.lock().unwrap().len() <= MOST_REMEMBERED);
        let again = || tokio::task::unconstrained(turns.take(organization(0))).now_or_never();
        assert!(again().is_none(), "a turn that is taken is not forgotten");
        drop(first);
        assert!(again().is_some());
    }
}
