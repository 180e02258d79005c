//! Detects clients that do not read what they are sent, or send nothing.

use std::ffi::c_int;
use std::io::{self, IoSlice};
use std::os::fd::{AsRawFd as _, BorrowedFd, RawFd};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use rustix::ioctl::{Getter, Opcode, ioctl};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

use crate::limits::{CHECKS_PER_DEADLINE, ClientDeadlines};
use crate::lingering::Lingering;
use crate::pace::Pace;
use crate::places::Seat;

/// How often it is checked whether a client has received everything before its connection is closed.
const LOOK_AT_QUEUE: Duration = Duration::from_millis(20);

/// Why the connection of a client is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseReason {
    /// It sent no request.
    Silent,
    /// It accepted nothing of what it was sent, or too little.
    Stalled,
    /// Its place was given to a client with fewer connections.
    Displaced,
}

/// The progress of a connection. It is cheap to maintain: each write costs a store or two, and no timer is touched.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    socket: Option<Socket>,
    seat: Option<Arc<Seat>>,
    written: AtomicU64,
    blocked: AtomicBool,
    /// The value of `written` at the end of the last response.
    answers: AtomicU64,
    /// Number of heads that were waited for.
    heads: AtomicU64,
    waits_for_head: AtomicBool,
    closing: AtomicBool,
    /// Whether the last request has a body, of which a part may still be on its way.
    has_body: AtomicBool,
    /// The deadline for the first request of the connection, counted from when it was accepted.
    first_head_by: Option<Instant>,
    has_begun: AtomicBool,
}

impl Progress {
    /// The progress of a connection over this socket, which must stay open as long as the progress is used.
    pub(crate) fn over(socket: Socket) -> Self {
        // A connection that was handed over may have unacknowledged bytes that its previous owner has written.
        let queued = socket.queued();
        let (written, answers) = (AtomicU64::new(queued), AtomicU64::new(queued));
        Self { socket: Some(socket), written, answers, ..Self::default() }
    }

    /// The same, of the connection in this place.
    pub(crate) fn of(self, seat: &Arc<Seat>) -> Self {
        Self { seat: Some(Arc::clone(seat)), ..self }
    }

    /// The same, with a deadline for the first request; none if it has already arrived.
    pub(crate) fn with_first_head_by(self, first_head_by: Option<Instant>) -> Self {
        Self { first_head_by, ..self }
    }

    /// The deadline for the first request; none if it has arrived.
    pub(crate) fn first_head_by(&self) -> Option<Instant> {
        self.first_head_by.filter(|_| !self.has_begun.load(Ordering::Relaxed))
    }

    /// Completes when the client has accepted nothing, or sent nothing, for as long as it may or a quarter longer,
    /// although there was something to accept or to send; when it accepts too little; or when it loses its place. The deadline for the first
    /// request covers all steps before it, so that a client does not get it for TLS and for the request separately.
    pub(crate) async fn given_up(&self, patience: ClientDeadlines) -> CloseReason {
        tokio::select! {
            why = self.stalled(patience) => why,
            () = self.first_head_missed(patience) => CloseReason::Silent,
            () = self.displaced() => CloseReason::Displaced,
        }
    }

    async fn displaced(&self) {
        match &self.seat {
            Some(seat) => seat.displaced().await,
            None => std::future::pending().await,
        }
    }

    async fn first_head_missed(&self, patience: ClientDeadlines) {
        if let Some(by) = self.first_head_by() {
            sleep_until(patience.fair(by)).await;
            if self.first_head_by().is_some() {
                return;
            }
        }
        std::future::pending().await
    }

    async fn stalled(&self, patience: ClientDeadlines) -> CloseReason {
        let tick = patience.head.min(patience.send) / CHECKS_PER_DEADLINE;
        let (mut send_stall, mut receive_stall) = (StallTimer::default(), StallTimer::default());
        let mut idle = StallTimer::default();
        let (mut pace, mut counted) = (Pace::default(), 0);
        loop {
            tokio::time::sleep(tick).await;
            let (all, waits) = (self.taken(), self.blocked.load(Ordering::Relaxed));
            send_stall.observe(all, waits, tick);
            // A client that still receives the last response is not silent. Bytes sent after it belong to no response.
            let heads = self.heads.load(Ordering::Relaxed);
            let answered = all.min(self.answers.load(Ordering::Relaxed));
            receive_stall.observe(heads.wrapping_add(answered), self.waits_for_head(), tick);
            if let Some(seat) = &self.seat {
                idle.observe(heads.wrapping_add(all), seat.is_idle(), tick);
                seat.set_idle_for(idle.lasted);
            }
            let more = all.saturating_sub(counted);
            counted += more;
            // Only while it is blocked without a break: a client that has accepted everything starts again.
            let trickles = if waits {
                pace.wait(tick);
                pace.pass(more);
                pace.is_too_slow(patience, 1)
            } else {
                pace = Pace::default();
                false
            };
            if trickles || send_stall.lasted >= patience.send {
                return CloseReason::Stalled;
            }
            if receive_stall.lasted >= patience.head {
                return CloseReason::Silent;
            }
        }
    }

    /// Bytes that the client has received, without those that the kernel still buffers for it, which may be megabytes.
    fn taken(&self) -> u64 {
        let queued = self.socket.map_or(0, Socket::queued);
        self.written.load(Ordering::Relaxed).saturating_sub(queued)
    }

    /// Completes when the client has received everything that was written.
    pub(crate) async fn all_taken(&self) {
        while self.taken() < self.written.load(Ordering::Relaxed) {
            tokio::time::sleep(LOOK_AT_QUEUE).await;
        }
    }

    /// Completes once `stopped` has completed, if no request is being answered. A request that is being answered is the
    /// last.
    pub(crate) async fn idle_after(&self, stopped: impl Future<Output = ()>) {
        stopped.await;
        self.closing.store(true, Ordering::Relaxed);
        if !self.waits_for_head() {
            std::future::pending().await
        }
    }

    /// Records whether the request that is being answered has a body.
    pub(crate) fn note_body(&self, has_body: bool) {
        self.has_body.store(has_body, Ordering::Relaxed);
    }

    /// Records that the next request is waited for.
    pub(crate) fn await_head(&self) {
        self.answers.store(self.written.load(Ordering::Relaxed), Ordering::Relaxed);
        self.heads.store(self.heads.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.waits_for_head.store(true, Ordering::Relaxed);
        self.set_idle(true);
    }

    /// Records that a request was answered, where [`Self::await_head`] is not called.
    pub(crate) fn end_answer(&self) {
        self.set_idle(true);
    }

    fn set_idle(&self, is_idle: bool) {
        if let Some(seat) = &self.seat {
            seat.set_idle(is_idle);
        }
    }

    /// Records that a request has arrived.
    pub(crate) fn begin_answer(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
        self.waits_for_head.store(false, Ordering::Relaxed);
        self.set_idle(false);
    }

    /// Whether no more requests should be answered.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    fn waits_for_head(&self) -> bool {
        self.waits_for_head.load(Ordering::Relaxed)
    }

    /// Records that the socket accepted bytes.
    pub(crate) fn advance(&self, bytes: usize) {
        // Only the connection's own task writes, so no update is lost between the load and the store.
        self.written.store(self.written.load(Ordering::Relaxed) + bytes as u64, Ordering::Relaxed);
        self.blocked.store(false, Ordering::Relaxed);
    }

    /// Whether there are bytes to send that the socket does not accept.
    pub(crate) fn is_blocked(&self) -> bool {
        self.blocked.load(Ordering::Relaxed)
    }

    /// Records that there are bytes to send that the socket does not accept.
    pub(crate) fn block(&self) {
        self.blocked.store(true, Ordering::Relaxed);
    }

    pub(crate) fn note<T>(&self, written: &Poll<io::Result<T>>, count: impl Fn(&T) -> usize) {
        match written {
            Poll::Pending => self.block(),
            Poll::Ready(done) => self.advance(done.as_ref().map_or(0, count)),
        }
    }
}

/// Measures for how long a count has not changed.
#[derive(Debug, Default)]
struct StallTimer {
    seen: u64,
    lasted: Duration,
}

impl StallTimer {
    fn observe(&mut self, count: u64, waits: bool, since: Duration) {
        self.lasted = if waits && count == self.seen { self.lasted + since } else { Duration::ZERO };
        self.seen = count;
    }
}

/// The socket of a connection, for queries to the kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Socket(RawFd);

impl Socket {
    pub(crate) fn of(stream: &TcpStream) -> Self {
        Self(stream.as_raw_fd())
    }

    /// Bytes that were written and that the other end has not acknowledged.
    fn queued(self) -> u64 {
        // SAFETY: a connection's progress is looked at in the task that owns the connection, and no longer than it.
        let socket = unsafe { BorrowedFd::borrow_raw(self.0) };
        // SAFETY: `SIOCOUTQ`, which has the number of `TIOCOUTQ`, stores one int and does nothing else.
        let queued = unsafe { ioctl(socket, Getter::<SIOCOUTQ, c_int>::new()) };
        queued.ok().and_then(|queued| u64::try_from(queued).ok()).unwrap_or(0)
    }
}

/// The same on every Linux except on MIPS, PowerPC and SPARC, where the call fails and all written bytes count as
/// received.
const SIOCOUTQ: Opcode = 0x5411;

/// A connection whose writes are recorded.
#[derive(Debug)]
pub(crate) struct Watched<S> {
    stream: S,
    progress: Arc<Progress>,
    /// Once this side of the connection has ended.
    lingering: Option<Lingering>,
}

impl<S> Watched<S> {
    pub(crate) fn new(stream: S, progress: Arc<Progress>) -> Self {
        Self { stream, progress, lingering: None }
    }

    pub(crate) fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.progress.note(&written, |count| *count);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.progress.note(&written, |count| *count);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // With TLS, bytes are sent here.
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.progress.note(&flushed, |()| 0);
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { stream, progress, lingering } = &mut *self;
        if lingering.is_none() {
            ready!(Pin::new(&mut *stream).poll_shutdown(context))?;
        }
        if !progress.has_body.load(Ordering::Relaxed) {
            return Poll::Ready(Ok(()));
        }
        lingering.get_or_insert_with(Lingering::begin).poll(stream, context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    const PATIENCE: ClientDeadlines = ClientDeadlines { head: LIMIT, send: LIMIT, bytes_per_second: 0 };

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_found_out() {
        let (near, _far) = duplex(10);
        let progress = Arc::new(Progress::default());
        let mut watched = Watched::new(near, progress.clone());
        let begun = tokio::time::Instant::now();
        tokio::select! {
            _ = watched.write_all(&[0; 11]) => panic!("there was no room"),
            why = progress.given_up(PATIENCE) => assert_eq!(why, CloseReason::Stalled),
        }
        assert!((LIMIT..=LIMIT * 2).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_little_or_has_nothing_to_take_is_left_alone() {
        let (near, mut far) = duplex(10);
        let progress = Arc::new(Progress::default());
        let mut watched = Watched::new(near, progress.clone());
        let slow = async {
            for _ in 0..25 {
                tokio::time::sleep(LIMIT / 2).await;
                far.read_u8().await.unwrap();
            }
        };
        tokio::select! {
            written = watched.write_all(&[0; 30]) => written.unwrap(),
            () = slow => panic!("it was to be written by then"),
            _ = progress.given_up(PATIENCE) => panic!("it was slow, not stalled"),
        }
        let idle = tokio::time::timeout(LIMIT * 10, progress.given_up(PATIENCE)).await;
        assert!(idle.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_too_little_is_cut_off_and_one_that_takes_enough_is_not() {
        for (bytes_per_second, is_given_up) in [(2, false), (4, true)] {
            let (near, mut far) = duplex(10);
            let progress = Arc::new(Progress::default());
            let mut watched = Watched::new(near, progress.clone());
            let takes_three_a_second = async {
                loop {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                    far.read_exact(&mut [0; 3]).await.unwrap();
                }
            };
            let given_up = tokio::select! {
                written = watched.write_all(&[0; 3000]) => written.is_err(),
                () = takes_three_a_second => panic!("it never ends"),
                _ = progress.given_up(ClientDeadlines { bytes_per_second, ..PATIENCE }) => true,
            };
            assert_eq!(given_up, is_given_up, "{bytes_per_second}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_request_has_one_deadline() {
        let accepted = Instant::now();
        tokio::time::sleep(LIMIT / 2).await;
        let progress = Progress::default().with_first_head_by(Some(accepted + LIMIT));
        progress.await_head();
        assert_eq!(progress.given_up(PATIENCE).await, CloseReason::Silent);
        assert_eq!(accepted.elapsed(), LIMIT);
        // A server that is late itself first checks whether something has arrived.
        let progress = Progress::default().with_first_head_by(Some(accepted));
        assert!(futures::FutureExt::now_or_never(progress.given_up(PATIENCE)).is_none());
        // Later requests have their own time.
        let progress = Progress::default().with_first_head_by(Some(Instant::now() + LIMIT / 2));
        progress.await_head();
        progress.begin_answer();
        progress.await_head();
        let begun = Instant::now();
        assert_eq!(progress.given_up(PATIENCE).await, CloseReason::Silent);
        assert!(begun.elapsed() >= LIMIT);
    }

    #[tokio::test]
    async fn what_the_kernel_keeps_is_not_taken() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (far, near) = tokio::join!(TcpStream::connect(listener.local_addr().unwrap()), listener.accept());
        let (mut far, near) = (far.unwrap(), near.unwrap().0);
        let progress = Arc::new(Progress::over(Socket::of(&near)));
        let mut watched = Watched::new(near, progress.clone());
        let block = vec![0; 1 << 20];
        let mut written = 0;
        while let Some(more) = futures::FutureExt::now_or_never(watched.write(&block)) {
            written += more.unwrap();
            tokio::task::yield_now().await;
        }
        let before = progress.taken();
        assert!(before < written as u64, "{before} of {written} are taken");
        let mut taken = vec![0; written];
        far.read_exact(&mut taken).await.unwrap();
        // The last acknowledgement may be on its way.
        while progress.taken() < written as u64 {
            tokio::task::yield_now().await;
        }
    }
}
