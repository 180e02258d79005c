//! Finding deliveries that have waited for too long.

use super::prelude::*;

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    let waiting = Expr::col("due_at").is_not_null();
    Step::expand("m0024_retention").index(index("webhook_delivery", &["queued_at"]).and_where(waiting).take())
}
