//! The program: configuration, command line, and the node with its roles.
// These macros panic if nobody reads the output; see `cli/print.rs`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod ambient;
pub mod background_tasks;
mod cli;
mod config;
mod health;
mod manifests;
mod metrics;
mod node;
mod opening;
mod provider;
mod scratch;
mod secret;
mod service_manager;
mod services;
mod start_error;

pub use cli::main;
pub use config::{AcmeTerms, ByteSize, Config, ConfigError, OidcConfig, Overrides, Role, SecretFile};
pub use node::Node;
pub use services::Services;
pub use start_error::StartError;
