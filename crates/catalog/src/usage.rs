//! Playback counts and their sums.

mod adding;
mod listen_sums;
mod listening;
mod listens;
mod storage;
mod summing;
mod sums;

use sea_orm::EntityTrait;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use tonearm_domain::UsageCounts;

pub(crate) use listening::parse_played;
pub use listens::{DayListens, SubjectListens};
pub use storage::{StorageUsage, TrackStorage};
pub(crate) use summing::{next_day, sum_day};
pub use sums::{DayUsage, TrackUsage, UsageFilter, UsageTracks, VariantUsage};

/// One of the counts.
type Count = fn(&mut UsageCounts) -> &mut u64;

/// The columns that are added up, and what each counts.
const SUMMED: [(&str, Count); 5] = [
    ("stream_redirects", |counts| &mut counts.stream_redirects),
    ("track_fetches", |counts| &mut counts.track_fetches),
    ("downloads", |counts| &mut counts.downloads),
    ("starts", |counts| &mut counts.starts),
    ("bytes", |counts| &mut counts.bytes),
];

/// The maximum number of rows in one statement: nine values each, of the 32,766 that SQLite accepts.
const ROWS: usize = 3000;

/// On a conflict, adds the counts to those of the existing row.
fn adding<E: EntityTrait>(mut key: OnConflict, table: E) -> OnConflict {
    for (name, _) in SUMMED {
        key.value(name, Expr::col((table, name)).add(Expr::col(("excluded", name))));
    }
    key
}
