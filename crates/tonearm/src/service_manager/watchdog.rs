//! Notifies the service manager regularly while the service answers.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tonearm_server::Places;

/// The beginning of a successful response over plain HTTP.
const ANSWER: &[u8] = b"HTTP/1.1 200";

/// Sends requests to the service over its own socket, as any client does. A process that runs does not prove that it
/// answers.
pub(crate) struct Watchdog {
    pub(crate) address: SocketAddr,
    pub(crate) has_tls: bool,
    /// The places for connections.
    pub(crate) places: Arc<Places>,
}

impl Watchdog {
    /// Checks and notifies for ever, if the service manager has a watchdog; otherwise does nothing.
    pub(crate) async fn watch(self) -> Infallible {
        let Some(patience) = patience(std::process::id(), |name| std::env::var(name).ok()) else {
            return std::future::pending().await;
        };
        // The service is not killed if one response is late or lost.
        let every = patience / 3;
        let mut ticks = interval(every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if self.answers(every).await {
                super::notify_alive();
            } else {
                tracing::warn!(
                    "the service does not respond to its own health request; not sending the watchdog notification"
                );
            }
        }
    }

    /// Whether the service answers in time. A service that has reached its maximum number of connections counts as
    /// answering, because it answers those.
    async fn answers(&self, within: Duration) -> bool {
        match timeout(within, self.ask()).await {
            Ok(Ok(is_answer)) => is_answer,
            Ok(Err(_)) | Err(_) => self.places.is_full(),
        }
    }

    /// Sends a request without TLS. If the service uses TLS, the alert that it responds with is enough.
    async fn ask(&self) -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(reachable(self.address)).await?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await?;
        let mut head = [0; ANSWER.len()];
        let needed = if self.has_tls { 1 } else { head.len() };
        stream.read_exact(&mut head[..needed]).await?;
        Ok(self.has_tls || head == ANSWER)
    }
}

/// The address at which a service is reached from its own machine, even if it listens on all addresses.
pub(crate) fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

/// How long the service manager waits for a notification, if it has a watchdog (sd_watchdog_enabled(3)).
fn patience(own_id: u32, variable: impl Fn(&str) -> Option<String>) -> Option<Duration> {
    let number = |name: &str| variable(name)?.parse::<u64>().ok();
    let is_meant = variable("WATCHDOG_PID").is_none() || number("WATCHDOG_PID") == Some(own_id.into());
    number("WATCHDOG_USEC").filter(|micros| is_meant && *micros > 0).map(Duration::from_micros)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use tonearm_domain::StoredAddresses;

    use super::*;

    async fn answers(address: SocketAddr, free: usize, has_tls: bool) -> bool {
        let watchdog = Watchdog { address, has_tls, places: Places::new(free, StoredAddresses::Whole) };
        watchdog.answers(Duration::from_millis(300)).await
    }

    /// A service that sends `answer` to every request.
    async fn answering(answer: &'static [u8]) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = [0; 16];
                stream.read_exact(&mut request).await.unwrap();
                stream.write_all(answer).await.unwrap();
            }
        });
        address
    }

    #[tokio::test]
    async fn only_an_answer_counts_unless_all_places_are_taken() {
        let good = answering(b"HTTP/1.1 200 OK\r\n\r\n").await;
        assert!(answers(good, 1, false).await);
        let broken = answering(b"HTTP/1.1 500 Internal Server Error\r\n\r\n").await;
        assert!(!answers(broken, 1, false).await);
        let alert = answering(b"\x15\x03\x03\x00\x02\x02\x0a").await;
        assert!(!answers(alert, 1, false).await);
        assert!(answers(alert, 1, true).await);
        // The kernel accepts the connection, but no process answers.
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = silent.local_addr().unwrap();
        assert!(!answers(address, 1, false).await);
        assert!(answers(address, 0, false).await, "it answers all the others");
    }

    #[test]
    fn the_manager_says_whether_and_how_often() {
        let found = |variables: &[(&str, &str)]| {
            patience(77, |name| {
                variables.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned())
            })
        };
        let minute = ("WATCHDOG_USEC", "60000000");
        assert_eq!(found(&[minute]), Some(Duration::from_secs(60)));
        assert_eq!(found(&[minute, ("WATCHDOG_PID", "77")]), Some(Duration::from_secs(60)));
        assert_eq!(found(&[minute, ("WATCHDOG_PID", "78")]), None);
        assert_eq!(found(&[("WATCHDOG_USEC", "0")]), None);
        assert_eq!(found(&[]), None);
    }

    #[test]
    fn all_addresses_are_reached_by_the_loopback_one() {
        let reached = |address: &str| reachable(address.parse().unwrap()).to_string();
        assert_eq!(reached("0.0.0.0:80"), "127.0.0.1:80");
        assert_eq!(reached("[::]:80"), "[::1]:80");
        assert_eq!(reached("192.0.2.1:80"), "192.0.2.1:80");
    }
}
