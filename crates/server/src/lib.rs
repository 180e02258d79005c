//! The HTTP server: everything between the socket and the edge or the router, and logging and tracing.
//!
//! Connections begin in `serve`, which hands each to a delivery thread or to the runtime. Requests for objects are
//! answered without hyper if possible (`direct`), everything else by hyper (`http1`) or h2 (`http2`), through `front`.

mod acceptor;
mod acme_tls;
mod connected;
mod deadline_body;
mod direct;
mod front;
mod http1;
mod http2;
mod http_date;
mod interim;
mod lanes;
mod limits;
mod lingering;
pub mod log;
mod pace;
mod paced_body;
mod places;
mod prefixed_stream;
mod progress;
mod proxies;
pub mod request_metrics;
mod serve;
mod server;
mod tickets;
pub mod tls;
pub mod traces;
mod unread_body;

pub use acme_tls::AcmeTls;
pub use front::{Front, FrontParts};
pub use limits::ServerLimits;
pub use places::Places;
pub use proxies::{ForwardedHeader, Network, TrustedProxies};
pub use serve::serve;
pub use server::Server;

/// The allocator of the program. It is set in this crate because the crate of the program is not optimized, nor would
/// be the code that is compiled around each allocation: range requests were a fifth slower.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
