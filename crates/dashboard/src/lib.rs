//! Server-rendered pages for people.
//!
//! A page parses a request, calls use cases of `tonearm-service` and puts their results into a template. The type of an
//! extractor states who may use a page: [`session::Member`]. The middleware of all requests is in `router.rs`; requests
//! that change something always pass the check in `csrf.rs`.

mod amount;
mod app;
mod asker;
mod assets;
mod audit;
mod cookie;
mod cover;
mod csrf;
mod edited;
mod embed;
mod error;
mod flash;
mod form;
mod headers;
mod library;
mod page;
mod paging;
mod path;
mod people;
mod picture;
mod profile;
mod purpose;
mod quota;
mod recipe_text;
mod refusal_text;
mod request_id;
mod router;
mod session;
mod settings;
mod share;
mod sign_in;
mod status;
mod text;
mod usage;
mod visit;
mod waveform;
mod webhooks;

use text::{role, t};

pub use app::Dashboard;
pub use router::router;
pub use share::{PublicPages, public_routes};
