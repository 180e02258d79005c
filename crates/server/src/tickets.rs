//! Session tickets: a client can resume its TLS session at any node, and after a restart.

use std::fmt;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::server::ProducesTickets;
use tonearm_domain::Ambient;
use tonearm_signing::{Secrets, TicketKeys};

/// Tickets of TLS 1.3 are sealed under keys that all nodes derive. The content of such a ticket cannot decrypt a
/// connection: new keys are exchanged when a session is resumed.
///
/// With TLS 1.2, a ticket can decrypt its connections. Its keys must not be derivable from the master secret years
/// later, so these tickets are sealed under random keys that never leave the process, and sessions resume only at this
/// node.
pub(crate) struct Tickets {
    shared: TicketKeys,
    own: Arc<dyn ProducesTickets>,
    ambient: Ambient,
}

impl Tickets {
    pub(crate) fn new(secrets: &Secrets, ambient: Ambient) -> Result<Self, rustls::Error> {
        Ok(Self { shared: TicketKeys::new(secrets), own: ring::Ticketer::new()?, ambient })
    }
}

impl ProducesTickets for Tickets {
    fn enabled(&self) -> bool {
        true
    }

    fn lifetime(&self) -> u32 {
        TicketKeys::WINDOW.min(self.own.lifetime())
    }

    fn encrypt(&self, plain: &[u8]) -> Option<Vec<u8>> {
        match is_of_tls13(plain) {
            true => self.shared.seal(self.ambient.now(), self.ambient.random(), plain),
            false => self.own.encrypt(plain),
        }
    }

    fn decrypt(&self, ticket: &[u8]) -> Option<Vec<u8>> {
        let shared = self.shared.open(self.ambient.now(), ticket);
        shared.or_else(|| self.own.decrypt(ticket))
    }
}

impl fmt::Debug for Tickets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tickets")
    }
}

/// Whether a session's state is one of TLS 1.3. rustls begins it with the host's name, if the client sent one, and the
/// version. If that ever changes, all tickets are valid only at this node, and the tests below fail.
fn is_of_tls13(state: &[u8]) -> bool {
    let version = match state {
        [0, rest @ ..] => rest,
        [1, length, rest @ ..] => rest.get(usize::from(*length)..).unwrap_or_default(),
        _ => &[],
    };
    version.starts_with(&[3, 4])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rustls::client::Resumption;
    use rustls::pki_types::pem::PemObject;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
    use rustls::version::{TLS12, TLS13};
    use rustls::{
        ClientConfig, ClientConnection, HandshakeKind, RootCertStore, ServerConfig, ServerConnection,
        SupportedProtocolVersion,
    };
    use tonearm_fixtures::{Certificate, ManualClock};

    use super::*;

    struct Scene {
        client: Arc<ClientConfig>,
        certificate: Certificate,
        ambient: Ambient,
        clock: ManualClock,
        _folder: tempfile::TempDir,
    }

    impl Scene {
        fn set(version: &'static SupportedProtocolVersion) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let certificate = Certificate::make(folder.path());
            let (ambient, clock) = tonearm_fixtures::ambient();
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_file(&certificate.chain).unwrap()).unwrap();
            let mut client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
                .with_protocol_versions(&[version])
                .unwrap()
                .with_root_certificates(roots)
                .with_no_client_auth();
            client.resumption = Resumption::in_memory_sessions(8);
            client.enable_early_data = true;
            Self { client: Arc::new(client), certificate, ambient, clock, _folder: folder }
        }

        fn tickets(&self, secret: &str) -> Arc<dyn ProducesTickets> {
            let secrets = Secrets::parse(secret).unwrap();
            Arc::new(Tickets::new(&secrets, self.ambient.clone()).unwrap())
        }

        /// The kind of handshake with a server that has these tickets. The client keeps the tickets that it gets.
        fn connect(&self, tickets: &Arc<dyn ProducesTickets>) -> HandshakeKind {
            let chain = vec![CertificateDer::from_pem_file(&self.certificate.chain).unwrap()];
            let key = PrivateKeyDer::from_pem_file(&self.certificate.key).unwrap();
            let mut server = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
                .with_safe_default_protocol_versions()
                .unwrap()
                .with_no_client_auth()
                .with_single_cert(chain, key)
                .unwrap();
            server.ticketer = tickets.clone();
            let name = ServerName::try_from("127.0.0.1").unwrap();
            let mut client = ClientConnection::new(self.client.clone(), name).unwrap();
            assert!(client.early_data().is_none(), "no ticket allows early data");
            let mut server = ServerConnection::new(Arc::new(server)).unwrap();
            while client.wants_write() || server.wants_write() {
                let mut bytes = Vec::new();
                while client.wants_write() {
                    client.write_tls(&mut bytes).unwrap();
                }
                server.read_tls(&mut bytes.as_slice()).unwrap();
                server.process_new_packets().unwrap();
                bytes.clear();
                while server.wants_write() {
                    server.write_tls(&mut bytes).unwrap();
                }
                client.read_tls(&mut bytes.as_slice()).unwrap();
                client.process_new_packets().unwrap();
            }
            assert!(!client.is_handshaking() && !server.is_handshaking());
            client.handshake_kind().unwrap()
        }
    }

    const SECRET: &str = "the master secret that all nodes share";
    const OTHER: &str = "the master secret of some other service";

    #[test]
    fn a_session_goes_on_at_another_node_with_the_same_secret() {
        let scene = Scene::set(&TLS13);
        assert_eq!(scene.connect(&scene.tickets(SECRET)), HandshakeKind::Full);
        assert_eq!(scene.connect(&scene.tickets(SECRET)), HandshakeKind::Resumed);
        let rotated = scene.tickets(&format!("{OTHER},{SECRET}"));
        assert_eq!(scene.connect(&rotated), HandshakeKind::Resumed);
        assert_eq!(scene.connect(&scene.tickets(OTHER)), HandshakeKind::Resumed, "the first secret seals");
        assert_eq!(scene.connect(&scene.tickets(SECRET)), HandshakeKind::Full);
    }

    #[test]
    fn a_ticket_ends_with_the_window_after_its_own() {
        let scene = Scene::set(&TLS13);
        let tickets = scene.tickets(SECRET);
        assert_eq!(scene.connect(&tickets), HandshakeKind::Full);
        scene.clock.advance_seconds(TicketKeys::WINDOW.into());
        assert_eq!(scene.connect(&tickets), HandshakeKind::Resumed);
        scene.clock.advance_seconds(2 * i64::from(TicketKeys::WINDOW));
        assert_eq!(scene.connect(&tickets), HandshakeKind::Full);
    }

    #[test]
    fn tickets_of_tls_1_2_never_leave_their_node() {
        let scene = Scene::set(&TLS12);
        let tickets = scene.tickets(SECRET);
        assert_eq!(scene.connect(&tickets), HandshakeKind::Full);
        assert_eq!(scene.connect(&tickets), HandshakeKind::Resumed);
        assert_eq!(scene.connect(&scene.tickets(SECRET)), HandshakeKind::Full);
    }

    /// Changes each ticket before the client gets it.
    #[derive(Debug)]
    struct Spoiling {
        tickets: Arc<dyn ProducesTickets>,
        keeps: prop::sample::Index,
        mask: u8,
    }

    impl ProducesTickets for Spoiling {
        fn enabled(&self) -> bool {
            true
        }
        fn lifetime(&self) -> u32 {
            self.tickets.lifetime()
        }
        fn encrypt(&self, plain: &[u8]) -> Option<Vec<u8>> {
            let mut ticket = self.tickets.encrypt(plain)?;
            let at = self.keeps.index(ticket.len());
            // Truncated if the mask changes nothing.
            match self.mask {
                0 => ticket.truncate(at.max(1)),
                mask => ticket[at] ^= mask,
            }
            Some(ticket)
        }
        fn decrypt(&self, ticket: &[u8]) -> Option<Vec<u8>> {
            self.tickets.decrypt(ticket)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn a_spoiled_ticket_leads_to_a_full_handshake(keeps: prop::sample::Index, mask: u8) {
            let scene = Scene::set(&TLS13);
            let tickets = scene.tickets(SECRET);
            let spoiling: Arc<dyn ProducesTickets> = Arc::new(Spoiling { tickets: tickets.clone(), keeps, mask });
            prop_assert_eq!(scene.connect(&spoiling), HandshakeKind::Full);
            prop_assert_eq!(scene.connect(&tickets), HandshakeKind::Full);
            prop_assert_eq!(scene.connect(&tickets), HandshakeKind::Resumed);
        }
    }

    #[test]
    fn a_state_is_told_by_its_version() {
        for (state, expected) in [
            (&[0, 3, 4, 9][..], true),
            (&[1, 2, b'a', b'b', 3, 4], true),
            (&[0, 3, 3], false),
            (&[1, 2, b'a', b'b', 3, 3], false),
            (&[1, 200, 3, 4], false),
            (&[2, 3, 4], false),
            (&[1], false),
            (&[], false),
        ] {
            assert_eq!(is_of_tls13(state), expected, "{state:?}");
        }
    }
}
