//! The program: configuration, command line, and the wiring of what a node does.
// They panic where nobody reads; see `cli/print.rs`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod acceptor;
mod acme_tls;
pub mod ambient;
mod arriving;
mod cli;
mod config;
mod connected;
mod direct;
mod front;
mod health;
mod http1;
mod http2;
mod http_date;
mod interim;
mod lanes;
mod log;
mod manifests;
mod metrics;
mod node;
mod opening;
mod pace;
mod parts;
mod progress;
mod provider;
mod proxies;
mod rewound;
mod scratch;
mod secret;
mod server;
mod service_manager;
mod start_error;
mod tickets;
mod tls;
mod traces;
pub mod upkeep;

pub use cli::main;
pub use config::{
    AcmeTerms, ByteSize, Config, ConfigError, OidcConfig, Overrides, Role, SecretFile, TraceConfig,
    TraceHeaders,
};
pub use node::Node;
pub use parts::Parts;
pub use proxies::{ForwardedHeader, Network, TrustedProxies};
pub use server::ServerLimits;
pub use start_error::StartError;
pub use tls::{TlsError, TlsFiles};
