//! The `/v1` interface: router, extractors that authenticate and authorise, one endpoint per file with its request
//! and response types, and errors.
//!
//! This crate makes no decisions: an endpoint parses a request into the types of `tonearm-domain`, calls one use case
//! of `tonearm-service`, and converts the result into the format that clients rely on. `error.rs` alone maps refusals
//! to HTTP.

mod accept;
mod address;
mod app;
mod bearer;
mod cors;
mod docs;
mod endpoint;
mod error;
mod extract;
mod interim;
mod openapi;
mod rate_limit;
mod repeat;
mod request_id;
mod router;
mod shapes;

pub use app::{ApiSettings, App, AppParts};
pub use error::ApiError;
pub use extract::sentence;
pub use interim::{InterimResponse, InterimResponses};
pub use rate_limit::{RateLimits, limit_pages};
pub use router::{document, router, routes};
pub use shapes::write_listed_track;
