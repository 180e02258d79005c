//! Pictures are received into temporary files, so that slow senders take no memory.

use std::error::Error;
use std::io::{self, ErrorKind, SeekFrom};
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout_at};
use tokio_util::io::ReaderStream;
use tonearm_domain::{ByteBudget, FairPermit, FairSemaphore, HeldBytes, OrganizationId};
use tonearm_telemetry::Budget;

use super::Uploads;
use crate::refusal::Refusal;

/// Bytes of all pictures that are being received.
const MOST_RECEIVED_BYTES: u64 = 1 << 30;

/// How many pictures are in memory at once: those that are decoded, and the next ones.
const MOST_LOADED: usize = 4;

/// How long a body may take besides the time for its bytes.
const LEAST_TIME: Duration = Duration::from_secs(60);

/// Bytes per second that a body must have on average.
const LEAST_BYTES_PER_SECOND: u64 = 16 * 1024;

/// What is received, and how much of it.
#[derive(Debug, Clone, Copy)]
pub struct ReceiveTerms {
    /// Whose it is.
    pub organization_id: OrganizationId,
    /// Maximum number of bytes.
    pub limit: u64,
    /// The announced number of bytes.
    pub announced: Option<u64>,
}

/// A body in a temporary file, which is removed with this.
pub struct ReceivedFile {
    file: File,
    bytes: u64,
    organization_id: OrganizationId,
    held: HeldBytes,
}

/// A picture in memory.
pub struct LoadedPicture {
    /// Its bytes.
    pub bytes: Bytes,
    _permit: FairPermit,
}

/// The body did not arrive in time.
#[derive(Debug, thiserror::Error)]
#[error("the body did not arrive within {} seconds", .0.as_secs())]
struct TooSlow(Duration);

/// Receives pictures.
#[derive(Clone)]
pub(super) struct Receiving {
    /// Where temporary files are.
    pub(super) folder: PathBuf,
    /// The bytes in temporary files, by organization.
    budget: ByteBudget,
    /// The places for pictures in memory, by organization.
    loaded: FairSemaphore,
}

impl Default for Receiving {
    fn default() -> Self {
        Self {
            folder: std::env::temp_dir(),
            budget: ByteBudget::new(MOST_RECEIVED_BYTES, || tonearm_telemetry::displaced(Budget::Pictures)),
            loaded: FairSemaphore::new(MOST_LOADED, 0),
        }
    }
}

impl Uploads {
    /// Sets the folder for temporary files.
    pub fn with_temporary_files(self, folder: PathBuf) -> Self {
        Self { receiving: Receiving { folder, ..self.receiving }, ..self }
    }

    /// Receives a body. Fails if it is too large or too slow, or if the organization is receiving too much already.
    pub async fn receive_picture<S, E>(&self, terms: ReceiveTerms, chunks: S) -> Result<ReceivedFile, Refusal>
    where
        S: Stream<Item = Result<Bytes, E>>,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        self.receiving.receive(terms, chunks).await
    }

    /// Reads a picture into memory, once few others are there.
    pub async fn load_picture(&self, picture: ReceivedFile) -> Result<LoadedPicture, Refusal> {
        self.receiving.load(picture).await
    }
}

impl Receiving {
    async fn receive<S, E>(&self, terms: ReceiveTerms, chunks: S) -> Result<ReceivedFile, Refusal>
    where
        S: Stream<Item = Result<Bytes, E>>,
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        let ReceiveTerms { organization_id, limit, announced } = terms;
        let too_large = || Refusal::TooLarge { limit };
        let expected = announced.unwrap_or(limit);
        if expected > limit {
            return Err(too_large());
        }
        let time = LEAST_TIME + Duration::from_secs(expected / LEAST_BYTES_PER_SECOND);
        let deadline = Instant::now() + time;
        let mut held = self.budget.holder(organization_id);
        let folder = self.folder.clone();
        let made = spawn_blocking(move || tempfile::tempfile_in(folder)).await;
        let mut file =
            File::from_std(made.map_err(io::Error::other).and_then(|made| made).map_err(refuse_file)?);
        let mut chunks = pin!(chunks);
        let mut bytes = 0;
        loop {
            let next = timeout_at(deadline, held.during(chunks.next())).await;
            let next = next.map_err(|_| Refusal::Interrupted(TooSlow(time).into()))?;
            let Some(chunk) = next.ok_or(Refusal::Busy)? else { break };
            let chunk = chunk.map_err(|error| Refusal::Interrupted(error.into()))?;
            bytes += chunk.len() as u64;
            if bytes > limit {
                return Err(too_large());
            }
            if !held.grow(chunk.len() as u64) {
                return Err(Refusal::Busy);
            }
            file.write_all(&chunk).await.map_err(refuse_file)?;
        }
        file.flush().await.map_err(refuse_file)?;
        file.seek(SeekFrom::Start(0)).await.map_err(refuse_file)?;
        Ok(ReceivedFile { file, bytes, organization_id, held })
    }

    async fn load(&self, mut picture: ReceivedFile) -> Result<LoadedPicture, Refusal> {
        let turn = self.loaded.acquire(picture.organization_id);
        let permit = picture.held.during(turn).await.ok_or(Refusal::Busy)?;
        let mut bytes = Vec::with_capacity(usize::try_from(picture.bytes).unwrap_or(0));
        picture.file.read_to_end(&mut bytes).await.map_err(refuse_file)?;
        Ok(LoadedPicture { bytes: bytes.into(), _permit: permit })
    }
}

impl ReceivedFile {
    /// Its bytes.
    pub fn into_stream(self) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
        ReaderStream::new(self.file)
    }
}

fn refuse_file(error: io::Error) -> Refusal {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Refusal::Full(error.into()),
        _ => Refusal::Unavailable(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures::stream;
    use tonearm_domain::{RecordId, Timestamp};

    use super::*;

    fn terms(organization: u8, announced: Option<u64>) -> ReceiveTerms {
        let now = Timestamp::from_unix_seconds(1_900_000_000).unwrap();
        let organization_id = OrganizationId::from_parts(now, [organization; 10]);
        ReceiveTerms { organization_id, limit: 1 << 20, announced }
    }

    /// A body of so many chunks of 1000 bytes, with a pause before each.
    fn body(chunks: usize, pause: Duration) -> impl Stream<Item = Result<Bytes, Infallible>> {
        stream::iter(0..chunks).then(move |_| async move {
            tokio::time::sleep(pause).await;
            Ok(Bytes::from_static(&[7; 1000]))
        })
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_body_is_given_up_sooner_the_smaller_it_is() {
        let receiving = Receiving::default();
        let second = Duration::from_secs(1);
        for (announced, seconds) in [(Some(1000), 60), (None, 124)] {
            let begun = Instant::now();
            let refused = receiving.receive(terms(1, announced), body(1000, second)).await.err();
            assert!(matches!(refused, Some(Refusal::Interrupted(_))), "{refused:?}");
            assert_eq!(begun.elapsed().as_secs(), seconds);
        }
        let received = receiving.receive(terms(1, None), body(100, second)).await.unwrap();
        assert_eq!(receiving.load(received).await.unwrap().bytes, vec![7; 100_000]);
        let refused = receiving.receive(terms(1, None), body(1049, Duration::ZERO)).await.err();
        assert!(matches!(refused, Some(Refusal::TooLarge { limit: 1_048_576 })), "{refused:?}");
    }

    #[tokio::test]
    async fn an_organization_does_not_fill_the_disk() {
        let receiving = Receiving { budget: ByteBudget::new(100_000, || {}), ..Receiving::default() };
        let receive =
            |organization, chunks| receiving.receive(terms(organization, None), body(chunks, Duration::ZERO));
        let [first, second] = [receive(1, 50).await.unwrap(), receive(1, 50).await.unwrap()];
        assert!(matches!(receive(1, 1).await, Err(Refusal::Busy)));
        let other = receive(2, 50).await.unwrap();
        assert!(receiving.load(other).await.is_ok());
        // The first picture made room, and takes no place in memory.
        let mut places = Vec::new();
        for _ in 0..MOST_LOADED {
            places.push(receiving.loaded.acquire(terms(3, None).organization_id).await);
        }
        assert!(matches!(receiving.load(first).await, Err(Refusal::Busy)));
        drop(places);
        assert!(receiving.load(second).await.is_ok());
    }
}
