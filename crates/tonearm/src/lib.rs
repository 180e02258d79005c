//! The program: configuration, command line, and the wiring of what a node does.

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
mod lanes;
mod log;
mod manifests;
mod node;
mod opening;
mod pace;
mod parts;
mod progress;
mod proxies;
mod rewound;
mod scratch;
mod secret;
mod server;
mod start_error;
mod tickets;
mod tls;
mod upkeep;

pub use cli::main;
pub use config::{ByteSize, Config, ConfigError, Overrides, Role};
pub use node::Node;
pub use parts::Parts;
pub use proxies::{ForwardedHeader, Network, TrustedProxies};
pub use server::ServerLimits;
pub use start_error::StartError;
pub use tls::{TlsError, TlsFiles};
