//! What the use cases promise, tried on SQLite and on PostgreSQL alike.

#![allow(clippy::unwrap_used, reason = "a test that cannot be prepared has failed")]

mod cost;
mod freshness;
mod signing_keys;
mod station;
mod usage;

/// Makes two tests of each case: one on a fresh SQLite file, one on a fresh PostgreSQL database.
macro_rules! on_both {
    ($($case:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $case() {
                    Box::pin(super::$case(crate::station::Place::sqlite())).await;
                }
            )*
        }
        mod postgres {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $case() {
                    Box::pin(super::$case(crate::station::Place::postgres().await)).await;
                }
            )*
        }
    };
}
pub(crate) use on_both;
