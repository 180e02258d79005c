//! When an account of a provider was first linked to a person. Afterwards, no account is linked by its address alone.

use super::columns::big_integer_null;
use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0057_claimed_people").change(Migration).backfill("person", CLAIMED)
}

/// Linked accounts may have been unlinked since, so the audit log is asked.
const CLAIMED: &str = "UPDATE person SET claimed_at = created_at WHERE {batch} AND (\
                       id IN (SELECT person_id FROM person_identity) OR \
                       id IN (SELECT subject_id FROM audit_entry WHERE action = 'person.identity_link'))";

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        add(db, "person", big_integer_null("claimed_at")).await
    }
}
