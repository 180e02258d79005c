//! The `/v1` interface: router, extractors that authenticate and authorise, one endpoint per file with its request
//! and response types, and errors.
//!
//! Nothing is decided here: an endpoint takes a request apart into the types of `tonearm-domain`, calls one use case
//! of `tonearm-service` and puts its result into the shape that clients rely on. What a refusal means in HTTP is told
//! in one place, `error.rs`.

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
pub use interim::{InterimResponse, InterimResponses};
pub use rate_limit::{RateLimits, limit_pages};
pub use router::{document, router, routes};
pub use shapes::write_listed_track;
