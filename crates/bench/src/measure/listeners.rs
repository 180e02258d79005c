//! Ten thousand listeners who read almost nothing of the file they requested, and the memory that this takes.
//! Reference: nginx.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::{Resource, getrlimit, setrlimit};
use socket2::{Domain, Protocol, Socket, Type};

use super::MEGABYTE;
use super::hosted::{FILE_BYTES, FileAddress, Hosted, noise_of};
use crate::memory;
use crate::plan::{Plan, Sides, median};
use crate::report::{Goal, Row, Unit};

/// Bytes that each listener reads, once at the beginning and once when all are connected.
const SIP: usize = 1024;

/// Maximum size of a segment sent to a listener, as over Ethernet. Over loopback, segments have up to 64 KB. The kernel
/// lets a sender keep some twenty of them, so ten thousand connections would need more memory than the kernel has for
/// all of TCP.
const SEGMENT_BYTES: u32 = 1460;

/// Size of a listener's receive buffer in bytes.
const RECEIVE_BYTES: usize = 16 * 1024;

/// How long a listener waits for the next bytes before the run fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time after which the server has nothing left to do for waiting listeners.
const SETTLED: Duration = Duration::from_secs(2);

/// How often another client fetches the file while the listeners are connected.
const FETCHES: usize = 15;

/// Files that this process has open in addition to the connections.
const OTHER_FILES: u64 = 200;

/// The cost of a server with all listeners connected. Memory is in megabytes.
struct ListenerCost {
    memory: f64,
    /// The median time in milliseconds for another client to fetch the whole file in the meantime.
    other_ms: f64,
}

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    allow_open_files(plan.listeners)?;
    let hosted = Hosted::start(&noise_of(FILE_BYTES)).await?;
    let sides = Sides {
        tonearm: vec![listen(plan, &hosted.tonearm, &hosted.stage.processes())?],
        reference: vec![listen(plan, &hosted.reference, &hosted.files.processes())?],
    };
    let row = |property: &str, unit, figures, goal| Row {
        name: format!("listeners, {}: {property}", plan.listeners),
        unit,
        figures,
        reference: hosted.files.name(),
        goal,
    };
    Ok(vec![
        row("memory", Unit::Megabytes, sides.medians(|s| s.memory), Some(Goal::Within(200.0))),
        row("10 MB for somebody else", Unit::Milliseconds, sides.medians(|s| s.other_ms), None),
    ])
}

/// The memory in megabytes of a service to which all listeners are connected.
pub(super) async fn memory_of_listeners(plan: &Plan) -> Result<f64> {
    let hosted = Hosted::start(&noise_of(FILE_BYTES)).await?;
    Ok(listen(plan, &hosted.tonearm, &hosted.stage.processes())?.memory)
}

fn listen(plan: &Plan, place: &FileAddress, processes: &[u32]) -> Result<ListenerCost> {
    let base_url = &place.base_url;
    let host = base_url.strip_prefix("http://").with_context(|| format!("{base_url} is no http URL"))?;
    let request = format!("GET {} HTTP/1.1\r\nHost: {host}\r\n\r\n", place.path);
    let mut listeners = Vec::with_capacity(plan.listeners);
    for _ in 0..plan.listeners {
        let mut socket = connect(host.parse()?)?;
        socket.write_all(request.as_bytes())?;
        listeners.push(socket);
    }
    let mut sip = [0; SIP];
    for round in 0..2 {
        for (number, socket) in listeners.iter_mut().enumerate() {
            socket.read_exact(&mut sip).with_context(|| {
                format!("listener {number} of {} gets nothing from {base_url}", plan.listeners)
            })?;
            ensure!(round > 0 || sip.starts_with(b"HTTP/1.1 200 "), "a listener was refused");
        }
    }
    std::thread::sleep(SETTLED);
    let memory = memory::resident(processes)? as f64 / MEGABYTE;
    let fetches: Vec<f64> = (0..FETCHES).map(|_| fetch(place)).collect::<Result<_>>()?;
    Ok(ListenerCost { memory, other_ms: median(fetches) })
}

/// Milliseconds it takes to fetch the whole file.
fn fetch(place: &FileAddress) -> Result<f64> {
    let begun = Instant::now();
    let reply = crate::http::get(&place.url())?;
    ensure!(reply.status == 200 && reply.body_bytes as f64 > FILE_BYTES * 0.99, "the file did not come");
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}

pub(super) fn connect(address: SocketAddr) -> Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_tcp_mss(SEGMENT_BYTES)?;
    socket.set_recv_buffer_size(RECEIVE_BYTES)?;
    socket.connect(&address.into())?;
    socket.set_read_timeout(Some(PATIENCE))?;
    Ok(socket.into())
}

/// Raises the limit of open files: each connection is an open file.
pub(super) fn allow_open_files(connections: usize) -> Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    let needed = connections as u64 + OTHER_FILES;
    ensure!(
        limit.maximum.is_none_or(|most| most >= needed),
        "only {} files may be open; allow {needed} with `ulimit -Hn`",
        limit.maximum.unwrap_or_default()
    );
    Ok(())
}
