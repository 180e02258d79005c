//! Calls to other people's servers: webhook delivery and transcription, behind the SSRF guard.
//!
//! A URL that somebody entered is called by our machines, from inside our network. So every call goes through
//! [`Outbound`], which looks at where it really leads: names are looked up once and the connection goes to the
//! addresses that were checked, addresses that are not public are refused in every notation, ports of other
//! protocols too, redirects are not followed, and time and bytes are bounded.

mod address;
mod guard;
mod names;
mod outbound;
mod transcribe;
mod webhook;

pub use guard::GuardError;
pub use names::Names;
pub use outbound::{Answer, CallError, CallLimits, Outbound};
pub use transcribe::{Heard, TranscribeCall, TranscribeError};
pub use webhook::{WebhookCall, WebhookSecret};
