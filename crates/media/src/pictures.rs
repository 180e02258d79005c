//! Untrusted pictures, decoded in confined children.

use std::fs::File;
use std::io::{self, PipeReader, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use rustix::fs::MemfdFlags;
use tokio_util::sync::CancellationToken;

use crate::confined::{Job, run_of};
use crate::confinement_policy::ConfinementPolicy;
use crate::error::MediaError;
use crate::memory::memory_for_processes;
use crate::{embedded_art, picture_wire};
use tonearm_domain::{FairSemaphore, OrganizationId};
use tonearm_signal::{Covers, PictureError};

/// Memory for reading tags, in bytes: pictures in tags have at most 20 MiB.
const TAGS_MEMORY: u64 = 128 << 20;

/// Two pictures are decoded at once: each may take memory up to its limit, which is many times its file size.
static DECODING: LazyLock<FairSemaphore> = LazyLock::new(|| FairSemaphore::new(2, 0));

/// Decodes pictures and reads the tags that hold them, each in a confined child of its own: a picture that crashes a
/// decoder or takes it over affects only that child. Costs about 5 ms more than in this process.
///
/// Dropping a call's future ends its child. Calls return [`MediaError::Outage`] if no child can be started.
#[derive(Debug, Clone)]
pub struct Pictures {
    policy: Arc<ConfinementPolicy>,
    /// Memory for a child that decodes, in bytes.
    memory: u64,
}

impl Default for Pictures {
    fn default() -> Self {
        Self::new(Arc::default(), memory_for_processes())
    }
}

impl Pictures {
    /// For a machine that has this many bytes for encoders: each picture may use a sixth of them. A picture that needs
    /// more is too large for this machine.
    pub fn new(policy: Arc<ConfinementPolicy>, bytes: u64) -> Self {
        Self { policy, memory: (bytes / 6).max(TAGS_MEMORY) }
    }

    /// The sizes and the colours of a JPEG, PNG, WebP or GIF (its first frame): turned upright, converted to sRGB,
    /// cropped to a centred square, with transparent parts made white.
    ///
    /// Returns [`MediaError::Unsupported`] if the bytes are no such picture, and [`MediaError::LimitHit`] if it is
    /// larger than 64 megapixels.
    ///
    /// Organizations take turns.
    pub async fn covers(
        &self,
        organization_id: OrganizationId,
        art: impl AsRef<[u8]> + Send + 'static,
    ) -> Result<Covers, MediaError> {
        // If the caller stops waiting, the child is killed and the permit is returned.
        let _permit = DECODING.acquire(organization_id).await;
        let answer = self.run(Job::Covers, in_memory(art).await?, picture_wire::LARGEST_ANSWER).await;
        picture_wire::read_covers(&*answer.map_err(blame_picture)?)
    }

    /// The picture in a file's tags: its front cover, else its first picture; at most 20 MiB, and not decoded. `None`
    /// if there is none, or if the tags cannot be read.
    pub async fn embedded_art(&self, input: &Path) -> Result<Option<Vec<u8>>, MediaError> {
        let input = tokio::fs::File::open(input).await?.into_std().await;
        let most = embedded_art::LARGEST_ART as u64;
        match self.run(Job::Art, input, most).await {
            Ok(art) => Ok(Some(art).filter(|art| !art.is_empty())),
            Err(error @ (MediaError::Outage(..) | MediaError::Cancelled)) => Err(error),
            Err(error) => {
                tracing::debug!(%error, "could not read tags");
                Ok(None)
            }
        }
    }

    /// Writes the RGB pixels of a picture, three bytes each, to a file, and returns its sides.
    pub(crate) async fn pixels(&self, art: Vec<u8>, to: PathBuf) -> Result<(u32, u32), MediaError> {
        let consume = move |mut stdout: PipeReader| {
            let sides = picture_wire::read_sides(&mut stdout);
            let Ok((width, height)) = sides else {
                return Ok((sides, true));
            };
            let length = u64::from(width) * u64::from(height) * 3;
            let written = io::copy(&mut stdout.take(length), &mut File::create(to)?)?;
            Ok((sides, written == length))
        };
        let invocation = run_of(Job::Pixels, Some(in_memory(art).await?), &self.policy, self.memory);
        let outcome = invocation.run(&CancellationToken::new(), consume).await;
        match outcome.map_err(blame_picture)? {
            (Err(error), _) => Err(error),
            (Ok(sides), true) => Ok(sides),
            (Ok(_), false) => Err(PictureError::Unreadable.into()),
        }
    }

    /// Reads all output of a child. It is parsed afterwards, because the exit status of the child takes precedence.
    async fn run(&self, job: Job, stdin: File, most: u64) -> Result<Vec<u8>, MediaError> {
        let consume = move |stdout: PipeReader| {
            let mut answer = Vec::new();
            stdout.take(most).read_to_end(&mut answer)?;
            Ok(answer)
        };
        let memory = if job == Job::Art { TAGS_MEMORY } else { self.memory };
        run_of(job, Some(stdin), &self.policy, memory).run(&CancellationToken::new(), consume).await
    }
}

/// Attributes a child's failure to the picture, unless it was an outage, a limit or a cancellation.
fn blame_picture(error: MediaError) -> MediaError {
    match error {
        MediaError::Outage(..) | MediaError::Cancelled | MediaError::LimitHit(_) => error,
        MediaError::NotAudio(_) | MediaError::Failed(_) | MediaError::Unsupported(_) => {
            PictureError::Unreadable.into()
        }
    }
}

/// A file that exists only in memory, for a child to read.
async fn in_memory(bytes: impl AsRef<[u8]> + Send + 'static) -> Result<File, MediaError> {
    let write = move || {
        let memory = rustix::fs::memfd_create("picture", MemfdFlags::CLOEXEC).map_err(io::Error::from)?;
        let mut file = File::from(memory);
        file.write_all(bytes.as_ref())?;
        file.rewind()?;
        Ok(file)
    };
    tokio::task::spawn_blocking(write).await.map_err(io::Error::other)?
}
