//! The program: configuration, command line, and the wiring of what a node does.

pub mod ambient;
mod cli;
mod config;
mod front;
mod health;
mod log;
mod node;
mod progress;
mod proxies;
mod scratch;
mod secret;
mod server;
mod tls;
mod upkeep;

pub use cli::main;
pub use config::{ByteSize, Config, ConfigError, Overrides, Role};
pub use node::{Node, Parts, StartError};
pub use proxies::{ForwardedHeader, Network, TrustedProxies};
pub use server::ServerLimits;
pub use tls::{TlsError, TlsFiles};
