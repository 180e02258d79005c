//! Requests through an edge node, over a real folder and a real S3 server.

#![allow(clippy::disallowed_methods, reason = "tests lose objects on purpose")]
// A failure while a test is being prepared fails the test, outside #[test] functions too.
#![allow(clippy::unwrap_used)]

mod conditions;
mod counting;
mod durable;
mod forms;
mod mapped;
mod node;
mod objects;
mod outages;
mod ranges;
mod refusals;
mod repeated;
mod shared_caches;
mod socket;

/// Makes a module's `async fn name(node: &Node)` two tests each: over a folder and over S3.
macro_rules! over_both_stores {
    ($($name:ident),* $(,)?) => {
        mod folder {
            $(#[tokio::test]
            async fn $name() {
                super::$name(&crate::node::Node::over_folder().await).await;
            })*
        }
        mod s3 {
            $(#[tokio::test]
            async fn $name() {
                super::$name(&crate::node::Node::over_s3().await).await;
            })*
        }
    };
}
pub(crate) use over_both_stores;
