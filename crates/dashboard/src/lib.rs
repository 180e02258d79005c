//! Pages for people, rendered on the server.
//!
//! A page takes a request apart, calls use cases of `tonearm-service` and puts their results into a template. Who may
//! do what is told by the type of an extractor: [`session::Member`]. What every request goes through is in
//! `router.rs`; nothing that changes anything is reached without the check in `csrf.rs`.

mod amount;
mod app;
mod asker;
mod assets;
mod audit;
mod cookie;
mod cover;
mod csrf;
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
