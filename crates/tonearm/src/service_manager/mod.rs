//! The protocols of a service manager such as systemd: socket activation, notifications and the watchdog.
//!
//! The protocols are sd_notify(3) and sd_listen_fds(3). They are a few lines each; the crates for them wait without a
//! deadline, or change the environment while other threads may read it.

mod sockets;
mod watchdog;

use std::ffi::OsString;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

pub(crate) use sockets::inherited_socket;
pub(crate) use watchdog::{Watchdog, reachable};

/// How long the service manager may take to accept a message.
const DEADLINE: Duration = Duration::from_secs(1);

/// Notifies the service manager that the service has started and where it listens.
pub(crate) fn notify_ready(address: std::net::SocketAddr) {
    notify(&format!("READY=1\nSTATUS=Listening on {address}\n"));
}

/// Notifies the service manager that the service is stopping.
pub(crate) fn notify_stopping() {
    notify("STOPPING=1\nSTATUS=Stopping; waiting for open requests\n");
}

/// Notifies the service manager that the service still answers.
fn notify_alive() {
    notify("WATCHDOG=1\n");
}

/// Sends a message if a service manager listens for it. A failure is only logged.
fn notify(message: &str) {
    if let Some(name) = std::env::var_os("NOTIFY_SOCKET").filter(|name| !name.is_empty())
        && let Err(error) = send(&name, message)
    {
        tracing::warn!(%error, "could not notify the service manager");
    }
}

fn send(name: &OsString, message: &str) -> io::Result<()> {
    // A name that begins with @ is in the abstract namespace of Linux.
    let address = match name.as_bytes().strip_prefix(b"@") {
        Some(name) => SocketAddr::from_abstract_name(name)?,
        None => SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.set_write_timeout(Some(DEADLINE))?;
    socket.send_to_addr(message.as_bytes(), &address).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_at_paths_and_in_the_abstract_namespace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let name = format!("tonearm-test-{}", std::process::id());
        let at_path = UnixDatagram::bind(&path).unwrap();
        let abstract_address = SocketAddr::from_abstract_name(&name).unwrap();
        let in_namespace = UnixDatagram::bind_addr(&abstract_address).unwrap();
        for (socket, name) in [(at_path, path.into_os_string()), (in_namespace, format!("@{name}").into())] {
            send(&name, "READY=1\n").unwrap();
            let mut received = [0; 64];
            let length = socket.recv(&mut received).unwrap();
            assert_eq!(&received[..length], b"READY=1\n");
        }
        assert!(send(&folder.path().join("missing").into_os_string(), "READY=1\n").is_err());
    }
}
