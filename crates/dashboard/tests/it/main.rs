//! What the dashboard promises, asked over HTTP on SQLite and on PostgreSQL alike.

#![allow(clippy::unwrap_used, reason = "what a test prepares must succeed; clippy only knows test functions")]

mod browser;
mod forms;
mod house;
mod keys;
mod links;
mod members;
mod settings;
mod signing_in;

/// Makes two tests of each case: one in a house on a fresh SQLite file, one on a fresh PostgreSQL database.
macro_rules! on_both {
    ($($case:ident),* $(,)?) => {
        mod sqlite {
            $(
                #[tokio::test]
                async fn $case() {
                    Box::pin(super::$case(crate::house::Place::sqlite())).await;
                }
            )*
        }
        mod postgres {
            $(
                #[tokio::test]
                async fn $case() {
                    Box::pin(super::$case(crate::house::Place::postgres().await)).await;
                }
            )*
        }
    };
}
pub(crate) use on_both;
