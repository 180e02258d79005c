//! Messages to systemd and similar service managers, and sockets that these pass on.

use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use tokio::net::UnixDatagram;
use tonearm_fixtures::EVENTUALLY;
use tonearm_testkit::{Client, Program};

use crate::binary;

/// The next message for the service manager.
async fn message(socket: &UnixDatagram) -> String {
    let mut bytes = [0; 1024];
    let received = tokio::time::timeout(EVENTUALLY, socket.recv(&mut bytes)).await;
    let length = received.expect("the service manager is told something").unwrap();
    String::from_utf8(bytes[..length].to_vec()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_told_of_the_start_of_life_and_of_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let mut program = Program::new(binary(), &folder.path().join("data"));
    program.set("NOTIFY_SOCKET", path.to_str().unwrap());
    program.set("WATCHDOG_USEC", "3000000");
    program.spawn();

    let address = program.url().replace("http://", "");
    assert_eq!(
        message(&socket).await,
        format!("READY=1\nSTATUS=Listening on {address}\n"),
        "{}",
        program.log()
    );
    let ready = Client::new(&program.url(), "").get("/readyz").await;
    assert_eq!(ready.status, 200, "it is as ready as it says");
    for _ in 0..3 {
        assert_eq!(message(&socket).await, "WATCHDOG=1\n");
    }
    assert!(program.terminate(), "{}", program.log());
    let mut last = message(&socket).await;
    while last == "WATCHDOG=1\n" {
        last = message(&socket).await;
    }
    assert_eq!(last, "STOPPING=1\nSTATUS=Stopping; waiting for open requests\n");
    let mut rest = [0; 64];
    assert!(socket.try_recv(&mut rest).is_err(), "a service that stops is not watched any more");
}

/// A node with TLS is checked without TLS, and responds with an alert.
async fn lives(settings: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    let mut program = Program::new(binary(), &folder.path().join("data"));
    program.set("NOTIFY_SOCKET", path.to_str().unwrap());
    program.set("WATCHDOG_USEC", "3000000");
    for (variable, value) in settings {
        program.set(variable, value);
    }
    program.spawn();
    assert!(message(&socket).await.starts_with("READY=1\n"), "{}", program.log());
    assert_eq!(message(&socket).await, "WATCHDOG=1\n");
    assert!(program.terminate());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_with_tls_lives_too() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = tonearm_fixtures::Certificate::make(folder.path());
    let (chain, key) = (certificate.chain.to_str().unwrap(), certificate.key.to_str().unwrap());
    lives(&[("TONEARM_TLS_CERT", chain), ("TONEARM_TLS_KEY", key)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_orders_its_certificate_lives_too() {
    let directory = ("TONEARM_TLS_ACME_DIRECTORY", "http://127.0.0.1:9/directory");
    lives(&[("TONEARM_TLS_ACME", "audio.example.com"), directory]).await;
}

/// The program, started as by a service manager that passes on a socket.
struct Activated(Child);

/// A descriptor arrives as standard input and becomes descriptor 3, as sd_listen_fds(3) demands.
fn command(descriptor: impl Into<OwnedFd>, data: &Path, names: &str) -> Command {
    let count = names.split(':').count();
    let script = "export LISTEN_PID=$$; exec \"$@\" 3<&0 </dev/null";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).arg(binary()).arg("--data-dir").arg(data);
    // The program cannot listen on this address.
    command.args(["serve", "--listen", "192.0.2.1:9"]);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("TONEARM_SHUTDOWN_DELAY_SECONDS", "0");
    command.env("LISTEN_FDS", count.to_string()).env("LISTEN_FDNAMES", names);
    command.stdin(Stdio::from(descriptor.into()));
    command
}

impl Activated {
    fn start(listener: &TcpListener, data: &Path) -> Self {
        let mut command = command(listener.try_clone().unwrap(), data, "http");
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn stop(mut self) -> bool {
        let asked = Command::new("kill").arg(self.0.id().to_string()).status().unwrap();
        asked.success() && self.0.wait().unwrap().success()
    }
}

impl Drop for Activated {
    fn drop(&mut self) {
        // Fails if the process has already ended, which is fine.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_connection_is_refused_while_a_service_restarts_on_its_socket() {
    let data = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let ask = || {
        let client = Client::new(&url, "");
        tokio::spawn(async move { client.get("/healthz").await.status })
    };
    // No process accepts connections yet. The socket queues them.
    let early = ask();
    let first = Activated::start(&listener, data.path());
    assert_eq!(early.await.unwrap(), 200);
    assert!(first.stop(), "the first one ends well");
    let between = ask();
    let second = Activated::start(&listener, data.path());
    assert_eq!(between.await.unwrap(), 200);
    assert!(second.stop());
}

#[test]
fn sockets_that_nobody_would_serve_are_refused() {
    let data = tempfile::tempdir().unwrap();
    let listener = || TcpListener::bind("127.0.0.1:0").unwrap();
    let connected = || {
        let listener = listener();
        let address: SocketAddr = listener.local_addr().unwrap();
        std::net::TcpStream::connect(address).unwrap()
    };
    let refused = |mut command: Command, expected: &str| {
        let Output { status, stderr, .. } = command.output().unwrap();
        let said = String::from_utf8(stderr).unwrap();
        assert_eq!((status.code(), said.lines().count()), (Some(1), 1), "{said}");
        assert!(said.contains(expected), "{said}");
    };
    refused(command(listener(), data.path(), "http:metrics"), "does not know: http, metrics");
    refused(command(listener(), data.path(), "ftp"), "does not know: ftp");
    let not_listening = "not a listening TCP socket";
    refused(command(UdpSocket::bind("127.0.0.1:0").unwrap(), data.path(), "http"), not_listening);
    refused(command(connected(), data.path(), "http"), not_listening);
}
