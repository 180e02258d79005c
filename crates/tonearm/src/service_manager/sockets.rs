//! The socket that a service manager passes on (socket activation).

use std::net::TcpListener;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

use socket2::{Domain, Socket, Type};

/// The name of the socket for requests: `FileDescriptorName=` in its unit.
const NAME: &str = "http";

/// The first descriptor that is passed on, `SD_LISTEN_FDS_START`.
const FIRST: RawFd = 3;

/// Why the sockets that were passed on cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum SocketError {
    /// There is more than one socket, or it is for something else.
    #[error(
        "the service manager passed on sockets that Tonearm does not know: {0}. It serves one, whose \
         FileDescriptorName= is http or not set; ListenStream=8080 listens on all IPv4 and IPv6 addresses"
    )]
    Unknown(String),
    /// It is not a socket that accepts TCP connections.
    #[error("the service manager passed on something that is not a listening TCP socket; use ListenStream=")]
    NotListening,
    /// A variable does not follow sd_listen_fds(3).
    #[error("{0} is not a number; the service manager has to set it")]
    Variable(&'static str),
    /// A system call on the socket failed.
    #[error("cannot use the socket of the service manager: {0}")]
    System(String),
}

impl From<std::io::Error> for SocketError {
    fn from(error: std::io::Error) -> Self {
        Self::System(error.to_string())
    }
}

/// The listening socket that a service manager passed on, if there is one.
///
/// Must be called once, before this process opens any other file: see the `SAFETY` comment inside.
pub(crate) fn inherited_socket() -> Result<Option<TcpListener>, SocketError> {
    let names = names(std::process::id(), |name| std::env::var(name).ok())?;
    let Some(position) = the_one_for_requests(&names)? else {
        return Ok(None);
    };
    // Only one socket is passed on, so it is the first. The line above refuses more than one.
    let descriptor = FIRST + RawFd::try_from(position).map_err(|_| SocketError::NotListening)?;
    // SAFETY: `LISTEN_PID` is the id of this process, so its service manager opened as many descriptors from 3 on as
    // `LISTEN_FDS` says, for this process to own. Nothing else in it owns this one: this is called once, before the
    // process opens any other, and a number that the manager opened is not given out again.
    let socket = Socket::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
    let is_tcp = matches!(socket.domain()?, Domain::IPV4 | Domain::IPV6) && socket.r#type()? == Type::STREAM;
    if !is_tcp || !socket.is_listener()? {
        return Err(SocketError::NotListening);
    }
    socket.set_cloexec(true)?;
    socket.set_nonblocking(true)?;
    Ok(Some(socket.into()))
}

/// The names of the sockets that were passed on to the process with this id, in order.
fn names(own_id: u32, variable: impl Fn(&str) -> Option<String>) -> Result<Vec<String>, SocketError> {
    let number = |name: &'static str| {
        let text = variable(name).filter(|text| !text.is_empty());
        text.map(|text| text.parse::<u32>().map_err(|_| SocketError::Variable(name))).transpose()
    };
    // Sockets that were meant for a parent of this process were closed when this process was started.
    if number("LISTEN_PID")? != Some(own_id) {
        return Ok(Vec::new());
    }
    let count = number("LISTEN_FDS")?.unwrap_or(0);
    let given = variable("LISTEN_FDNAMES").unwrap_or_default();
    let mut given = given.split(':').map(str::to_owned);
    // The number is limited because more than one socket is refused anyway.
    Ok((0..count.min(100)).map(|_| given.next().unwrap_or_default()).collect())
}

/// The position of the socket for requests. Any other socket is refused: its connections would not be accepted, and its
/// clients would wait forever.
fn the_one_for_requests(names: &[String]) -> Result<Option<usize>, SocketError> {
    match names {
        [] => Ok(None),
        [name] if is_for_requests(name) => Ok(Some(0)),
        _ => {
            let shown = names.iter().map(|name| if name.is_empty() { "unnamed" } else { name });
            Err(SocketError::Unknown(shown.collect::<Vec<_>>().join(", ")))
        }
    }
}

/// Without `FileDescriptorName=`, a socket has the name of its unit.
fn is_for_requests(name: &str) -> bool {
    matches!(name, NAME | "" | "unknown") || name.ends_with(".socket")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(variables: &[(&str, &str)]) -> Result<Option<usize>, SocketError> {
        let variable =
            |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned());
        the_one_for_requests(&names(77, variable)?)
    }

    #[test]
    fn one_socket_for_requests_is_taken_and_others_are_refused() {
        let own = ("LISTEN_PID", "77");
        assert_eq!(found(&[]), Ok(None));
        assert_eq!(found(&[own, ("LISTEN_FDS", "0")]), Ok(None));
        assert_eq!(found(&[("LISTEN_PID", "1"), ("LISTEN_FDS", "1")]), Ok(None), "another process's");
        for name in ["http", "tonearm.socket", "unknown", ""] {
            assert_eq!(found(&[own, ("LISTEN_FDS", "1"), ("LISTEN_FDNAMES", name)]), Ok(Some(0)), "{name}");
        }
        assert_eq!(found(&[own, ("LISTEN_FDS", "1")]), Ok(Some(0)));
        let other = found(&[own, ("LISTEN_FDS", "1"), ("LISTEN_FDNAMES", "ftp")]);
        assert_eq!(other, Err(SocketError::Unknown("ftp".to_owned())));
        let two = found(&[own, ("LISTEN_FDS", "2"), ("LISTEN_FDNAMES", "http")]);
        assert_eq!(two, Err(SocketError::Unknown("http, unnamed".to_owned())));
        assert_eq!(found(&[own, ("LISTEN_FDS", "one")]), Err(SocketError::Variable("LISTEN_FDS")));
        assert_eq!(found(&[("LISTEN_PID", "self")]), Err(SocketError::Variable("LISTEN_PID")));
    }
}
