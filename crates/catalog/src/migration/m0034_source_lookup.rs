//! Finds tracks by the SHA-256 of their source, so that a program can check whether a file exists before it uploads it.

use super::prelude::*;

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    let by_source = index("track", &["organization_id", "source_sha256", "id"])
        .name("living_track_by_organization_id_source_sha256_id")
        .and_where(Expr::col("deleted_at").is_null())
        .and_where(Expr::col("source_sha256").is_not_null())
        .take();
    Step::expand("m0034_source_lookup").index(by_source)
}
