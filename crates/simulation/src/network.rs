//! The network between nodes and the database: a proxy for each node, which counts statements and can cut connections.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use anyhow::Result;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::counts::Counts;
use crate::purpose::Purpose;
use crate::time::DatabaseClock;
use crate::wire::{ClientRequest, Messages, Prepared};

/// Everything between the nodes and the database. Clones share the same network.
#[derive(Clone)]
pub(crate) struct Network(Arc<Inner>);

struct Inner {
    database: SocketAddr,
    clock: DatabaseClock,
    counts: Counts,
    is_up: watch::Sender<bool>,
    /// Connections that listen for notices.
    listeners: Mutex<Vec<Weak<Expected>>>,
}

/// Answers and notices that a connection is still waiting for.
struct Expected {
    answers: AtomicI64,
    notices: AtomicI64,
    counts: Counts,
}

impl Expected {
    fn add_answer(&self, more: i64) {
        self.answers.fetch_add(more, Ordering::AcqRel);
        self.counts.wait(more);
    }

    fn add_notice(&self, more: i64) {
        self.notices.fetch_add(more, Ordering::AcqRel);
        self.counts.wait(more);
    }

    fn forget_notices(&self) {
        self.counts.wait(-self.notices.swap(0, Ordering::AcqRel));
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        self.forget_notices();
        self.counts.wait(-*self.answers.get_mut());
    }
}

/// The link from one node to the database.
pub(crate) struct Link {
    pub(crate) address: SocketAddr,
    is_up: watch::Sender<bool>,
}

impl Link {
    /// Cuts the link permanently.
    pub(crate) fn cut(&self) {
        self.is_up.send_replace(false);
    }
}

impl Network {
    pub(crate) fn new(database: SocketAddr, clock: DatabaseClock, counts: Counts) -> Self {
        let (is_up, listeners) = (watch::Sender::new(true), Mutex::default());
        Self(Arc::new(Inner { database, clock, counts, is_up, listeners }))
    }

    /// Sets whether the database is available. While it is not, all connections are cut and new ones are refused.
    pub(crate) fn set_database(&self, is_up: bool) {
        self.0.is_up.send_replace(is_up);
    }

    /// Creates a link for a node, on which each message from the node takes `delay`.
    pub(crate) async fn link(&self, delay: Duration) -> Result<Link> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, is_up) = (listener.local_addr()?, watch::Sender::new(true));
        let (network, of_link) = (self.clone(), is_up.subscribe());
        tokio::spawn(async move {
            loop {
                // An error affects only the connection that was not accepted.
                if let Ok((client, _)) = listener.accept().await {
                    tokio::spawn(pass(client, network.clone(), of_link.clone(), delay));
                }
            }
        });
        Ok(Link { address, is_up })
    }

    fn add_listener(&self, expected: &Arc<Expected>) {
        let mut listeners = self.0.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| listener.strong_count() > 0);
        listeners.push(Arc::downgrade(expected));
    }

    /// Records that a notice was sent: all listening connections will receive it.
    fn expect_notice(&self) {
        let listeners = self.0.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.iter().filter_map(Weak::upgrade).for_each(|expected| expected.add_notice(1));
    }

    /// Stops waiting for notices: a connection that began to listen while a notice was sent may have missed it.
    pub(crate) fn forget_notices(&self) {
        let listeners = self.0.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.iter().filter_map(Weak::upgrade).for_each(|expected| expected.forget_notices());
    }
}

async fn pass(client: TcpStream, network: Network, mut of_link: watch::Receiver<bool>, delay: Duration) {
    let mut of_database = network.0.is_up.subscribe();
    if !*of_link.borrow_and_update() || !*of_database.borrow_and_update() {
        return reset(&client);
    }
    let Ok(server) = TcpStream::connect(network.0.database).await else { return reset(&client) };
    drop((client.set_nodelay(true), server.set_nodelay(true)));
    let mut connection = Connection::new(client, server, network, delay);
    tokio::select! {
        () = connection.run() => {}
        _ = of_link.changed() => reset(&connection.client),
        _ = of_database.changed() => reset(&connection.client),
    }
}

/// Closes a connection as the kernel does for a port on which no process listens.
fn reset(socket: &TcpStream) {
    // If this fails, the connection is closed without a reset.
    drop(socket2::SockRef::from(socket).set_linger(Some(Duration::ZERO)));
}

struct Connection {
    client: TcpStream,
    server: TcpStream,
    network: Network,
    delay: Duration,
    expected: Arc<Expected>,
    prepared: Prepared,
    transaction: Transaction,
    /// Which kinds of statements the server has not answered yet.
    is_notice: bool,
    is_listening: bool,
}

/// The purpose of the statements of a transaction.
#[derive(Default)]
struct Transaction {
    is_open: bool,
    purpose: Option<Purpose>,
}

impl Connection {
    fn new(client: TcpStream, server: TcpStream, network: Network, delay: Duration) -> Self {
        let counts = network.0.counts.clone();
        let expected = Arc::new(Expected { answers: AtomicI64::new(0), notices: AtomicI64::new(0), counts });
        let (prepared, transaction) = (Prepared::default(), Transaction::default());
        Self {
            client,
            server,
            network,
            delay,
            expected,
            prepared,
            transaction,
            is_notice: false,
            is_listening: false,
        }
    }

    /// Passes bytes on until one side closes.
    async fn run(&mut self) {
        let (mut asked, mut answered) = (Messages::of_client(), Messages::of_server());
        let (mut questions, mut answers) = (vec![0; 16 * 1024], vec![0; 64 * 1024]);
        loop {
            tokio::select! {
                count = self.client.read(&mut questions) => {
                    let Ok(count @ 1..) = count else { return };
                    if !self.delay.is_zero() {
                        tokio::time::sleep(self.delay).await;
                    }
                    asked.take(&questions[..count], |tag, body| self.note_question(tag, body));
                    let is_set = self.network.0.clock.set().await.is_ok();
                    if !is_set || self.server.write_all(&questions[..count]).await.is_err() {
                        return;
                    }
                }
                count = self.server.read(&mut answers) => {
                    let Ok(count @ 1..) = count else { return };
                    if self.client.write_all(&answers[..count]).await.is_err() {
                        return;
                    }
                    answered.take(&answers[..count], |tag, _| self.note_answer(tag));
                    self.network.0.counts.moved();
                }
            }
        }
    }

    fn note_question(&mut self, tag: u8, body: &[u8]) {
        for asked in self.prepared.read(tag, body) {
            match asked {
                ClientRequest::Statement(sql) => self.note_statement(&sql),
                ClientRequest::Answer => self.expected.add_answer(1),
                ClientRequest::Nothing => {}
            }
        }
    }

    fn note_statement(&mut self, sql: &str) {
        self.is_notice |= sql.contains("pg_notify");
        self.is_listening |= sql.starts_with("LISTEN");
        let counts = self.network.0.counts.clone();
        // All statements of a transaction are counted for the purpose of its first statement.
        let transaction = &mut self.transaction;
        match Purpose::of(sql) {
            None if sql.starts_with("BEGIN") => *transaction = Transaction { is_open: true, purpose: None },
            None => {
                let ended = std::mem::take(transaction);
                counts.statement(ended.purpose.unwrap_or(Purpose::Other), sql);
            }
            Some(purpose) if transaction.is_open => {
                if transaction.purpose.is_none() {
                    counts.statement(purpose, "BEGIN");
                }
                counts.statement(*transaction.purpose.get_or_insert(purpose), sql);
            }
            Some(purpose) => counts.statement(purpose, sql),
        }
    }

    /// `Z`: the server is ready for the next statement. `A`: a notice.
    fn note_answer(&mut self, tag: u8) {
        match tag {
            b'Z' => {
                if std::mem::take(&mut self.is_listening) {
                    self.network.add_listener(&self.expected);
                }
                if std::mem::take(&mut self.is_notice) {
                    self.network.expect_notice();
                }
                self.expected.add_answer(-1);
            }
            b'A' => self.expected.add_notice(-1),
            _ => {}
        }
    }
}
