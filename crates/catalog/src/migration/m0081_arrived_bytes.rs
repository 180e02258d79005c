//! Finds the uploads of an organization: the bytes that have arrived count in its quota.

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0081_arrived_bytes").index(index("upload", &["organization_id"]))
}
