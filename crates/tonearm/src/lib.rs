//! The program: configuration, command line, and the wiring of what a node does.
// They panic where nobody reads; see `cli/print.rs`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod ambient;
mod cli;
mod config;
mod health;
mod manifests;
mod metrics;
mod node;
mod opening;
mod parts;
mod provider;
mod scratch;
mod secret;
mod service_manager;
mod start_error;
pub mod upkeep;

pub use cli::main;
pub use config::{AcmeTerms, ByteSize, Config, ConfigError, OidcConfig, Overrides, Role, SecretFile};
pub use node::Node;
pub use parts::Parts;
pub use start_error::StartError;
