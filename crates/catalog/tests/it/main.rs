//! What the catalog promises, tried on SQLite and on PostgreSQL alike.

#![allow(clippy::unwrap_used, reason = "a test that cannot be prepared has failed")]

mod aggregates;
mod changes;
mod concurrency;
mod deletion;
mod events;
mod jobs;
mod leases;
mod opening;
mod place;
mod plans;
mod progress;
mod recipes;
mod round_trips;
mod samples;
mod signing_keys;
mod tracks;
mod usage;

/// Makes two tests of each case: one on a fresh SQLite file, one on a fresh PostgreSQL database.
macro_rules! on_both {
    ($($case:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $case() {
                    super::$case(crate::place::Place::sqlite()).await;
                }
            )*
        }
        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $case() {
                    super::$case(crate::place::Place::postgres().await).await;
                }
            )*
        }
    };
}
pub(crate) use on_both;
