//! Runs each escape attempt in a confined process and in an unconfined one. If it is refused only in the confined one,
//! the confinement refuses it.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::confinement::{Confinement, try_escapes};
use crate::confinement_policy::ConfinementPolicy;
use crate::escapes::{Escape, Outcome};
use crate::sandbox::landlock_abi;

/// Makes the same attempts in an unconfined child of this program.
fn try_freely(escapes: &[Escape]) -> Vec<Outcome> {
    let mut command = Command::new("/proc/self/exe");
    command.args(["confined", "escapes"]).args(escapes.iter().flat_map(Escape::words));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| Outcome::of(line.parse().unwrap())).collect()
}

/// A folder below a system folder, if this user may create one.
fn beneath_the_system() -> Option<tempfile::TempDir> {
    ["/opt", "/usr/local/share", "/usr/local"]
        .into_iter()
        .find_map(|folder| tempfile::Builder::new().prefix("tonearm-walls-").tempdir_in(folder).ok())
}

#[tokio::test]
async fn no_way_out_is_open() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    std::fs::write(&secret, "s").unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    udp.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let path = outside.path().join("socket");
    let name = format!("tonearm-test-{}", std::process::id());
    let _unix = UnixListener::bind(&path).unwrap();
    let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let service = std::process::id();

    // Attempts that any user can make without confinement, and whether Landlock is needed to refuse them.
    let certain = [
        (true, Escape::Read(secret.clone())),
        (true, Escape::Read(outside.path().to_owned())),
        (true, Escape::Read(format!("/proc/{service}/environ").into())),
        (true, Escape::Write(outside.path().join("new"))),
        (true, Escape::Write(secret.clone())),
        (false, Escape::Permit(secret.clone())),
        (false, Escape::Empty(secret.clone())),
        (false, Escape::Tcp(tcp.local_addr().unwrap().port())),
        (false, Escape::Udp(udp.local_addr().unwrap().port())),
        (false, Escape::Unix(path)),
        (false, Escape::Abstract(name)),
        (false, Escape::Leave),
        (false, Escape::Idle),
        (false, Escape::Signal(service)),
        (false, Escape::Pin(service)),
    ];
    // Attempts that may be refused without confinement too, for example in containers.
    let others = [
        (true, Escape::Read(format!("/proc/{service}/mem").into())),
        (false, Escape::ReadMemory(service)),
        (false, Escape::Mount),
        (false, Escape::Keys),
        (false, Escape::Ring),
        (false, Escape::BecomeRoot),
        (false, Escape::Trace),
    ];
    let count_of_certain = certain.len();
    let (by_landlock, escapes): (Vec<bool>, Vec<Escape>) = certain.into_iter().chain(others).unzip();

    let confined = try_escapes(&escapes, &Arc::default()).await.unwrap();
    assert!(!outside.path().join("new").exists(), "nothing was written outside");
    assert_eq!(std::fs::read(&secret).unwrap(), b"s");
    udp.recv_from(&mut [0]).expect_err("nothing arrived");
    let free = try_freely(&escapes);
    udp.recv_from(&mut [0]).expect("the attempt is a real one");
    assert_eq!(free.len(), escapes.len());
    assert_eq!(std::fs::read(&secret).unwrap(), b"", "here it was emptied");
    for (place, escape) in escapes.iter().enumerate() {
        if place < count_of_certain {
            assert_eq!(free[place], Outcome::LetThrough(0), "{escape:?} without walls");
        }
        if landlock_abi().is_some() || !by_landlock[place] {
            assert_eq!(confined[place], Outcome::Refused, "{escape:?}");
        }
    }
}

#[tokio::test]
async fn what_is_private_is_closed_beneath_folders_of_the_system() {
    let Some(folder) = beneath_the_system().filter(|_| landlock_abi().is_some()) else {
        return;
    };
    let file = |name: &str| folder.path().join(name);
    for name in ["data", "link-to"] {
        std::fs::create_dir(file(name)).unwrap();
    }
    std::os::unix::fs::symlink(file("data"), file("link")).unwrap();
    for name in ["data/tonearm.db", "library.so", "key.pem"] {
        std::fs::write(file(name), "x").unwrap();
    }
    let read = |path: PathBuf| Escape::Read(path);
    let escapes =
        ["data/tonearm.db", "data", "link/tonearm.db", "key.pem", "library.so"].map(|name| read(file(name)));
    let closed = ConfinementPolicy { private: vec![file("link"), file("key.pem")], ..Default::default() };
    let found = try_escapes(&escapes, &Arc::new(closed)).await.unwrap();
    assert_eq!(found[..4], [Outcome::Refused; 4]);
    assert_eq!(found[4], Outcome::LetThrough(0), "what lies beside it is read");
    let open = try_escapes(&escapes, &Arc::default()).await.unwrap();
    assert_eq!(open, [Outcome::LetThrough(0); 5], "what is not private is read");
}

#[tokio::test]
async fn the_kernel_of_this_machine_is_told_of_as_it_is() {
    let found = Confinement::find_out(&Arc::default()).await.unwrap();
    let [files, others @ ..] = found.walls();
    assert_eq!(files.is_enforced, landlock_abi().is_some());
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        assert!(others.iter().all(|report| report.is_enforced), "{found}");
    }
    let is_required = ConfinementPolicy { is_required: true, ..ConfinementPolicy::default() };
    let started = try_escapes(&[Escape::Read(Path::new("/").into())], &Arc::new(is_required)).await;
    assert_eq!(started.is_ok(), landlock_abi().is_some());
}
