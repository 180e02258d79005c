//! Writes new play sessions, those that come at the same time in one commit.

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, oneshot};
use tonearm_catalog::{Catalog, CatalogError, Record};
use tonearm_domain::PlaySession;

use crate::Refusal;

/// Most sessions in one commit: far below what databases take as parameters of one statement.
const LARGEST_BATCH: usize = 500;

type Outcome = Result<(), CatalogError>;

/// A commit waits for the disk, so one commit for each session bounds how many can be granted in a second. Whoever
/// comes while a commit is under way waits for it to end, and then goes into the next with all others who came.
/// A session that comes alone is written at once.
#[derive(Clone)]
pub(super) struct SessionWriter {
    catalog: Catalog,
    waiting: Arc<Mutex<Vec<Waiting>>>,
    turn: Arc<AsyncMutex<()>>,
}

struct Waiting {
    session: PlaySession,
    done: oneshot::Sender<Outcome>,
}

impl SessionWriter {
    pub(super) fn new(catalog: Catalog) -> Self {
        Self { catalog, waiting: Arc::default(), turn: Arc::default() }
    }

    /// Returns when the session is durable.
    pub(super) async fn write(&self, session: PlaySession) -> Result<(), Refusal> {
        if self.catalog.is_as_one() {
            // To be committed with the answer of its request, which others must not wait for.
            return Ok(self.commit(&[session]).await?);
        }
        let (done, mut is_done) = oneshot::channel();
        self.lock().push(Waiting { session, done });
        let outcome = tokio::select! {
            biased;
            outcome = &mut is_done => outcome,
            turn = Arc::clone(&self.turn).lock_owned() => {
                // A task of its own: others wait for this batch even if this caller goes away.
                tokio::spawn(self.clone().write_batch(turn));
                is_done.await
            }
        };
        match outcome {
            Ok(written) => Ok(written?),
            Err(_) => Err(Refusal::Internal("the writer of play sessions ended early".into())),
        }
    }

    async fn write_batch(self, turn: OwnedMutexGuard<()>) {
        let batch = self.take();
        let (sessions, waiting): (Vec<_>, Vec<_>) =
            batch.into_iter().map(|waiting| (waiting.session, waiting.done)).unzip();
        let together = if sessions.len() > 1 { Some(self.commit(&sessions).await) } else { None };
        for (session, done) in sessions.into_iter().zip(waiting) {
            let outcome = match &together {
                Some(Ok(())) => Ok(()),
                // One that cannot be written, as its organization is gone, must not stop the others.
                Some(Err(error)) => self.commit_again(session, error).await,
                None => self.commit(&[session]).await,
            };
            // Whoever went away does not want the answer.
            drop(done.send(outcome));
        }
        drop(turn);
    }

    async fn commit(&self, sessions: &[PlaySession]) -> Outcome {
        let tx = self.catalog.begin().await?;
        tx.insert_play_sessions(sessions).await?;
        tx.commit().await
    }

    /// Writes one session of a batch that failed. Ids are random, so an id that is taken after a batch whose outcome
    /// is unknown shows that the batch was committed.
    async fn commit_again(&self, session: PlaySession, failed: &CatalogError) -> Outcome {
        match self.commit(&[session]).await {
            Err(CatalogError::Taken(Record::PlaySession))
                if matches!(failed, CatalogError::UnknownOutcome(_)) =>
            {
                Ok(())
            }
            outcome => outcome,
        }
    }

    fn take(&self) -> Vec<Waiting> {
        let mut waiting = self.lock();
        let later = if waiting.len() > LARGEST_BATCH { waiting.split_off(LARGEST_BATCH) } else { Vec::new() };
        mem::replace(&mut *waiting, later)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Waiting>> {
        // Pushing and taking leave the list whole whatever panics beside it.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tonearm_catalog::ConnectOptions;
    use tonearm_domain::Selection;
    use tonearm_signing::{Secrets, UrlSigner};

    use super::*;
    use crate::{Caller, CreateCollection, Library, Links};

    #[tokio::test]
    async fn one_that_cannot_be_written_stops_no_other() {
        let (_folder, url) = tonearm_fixtures::sqlite_url();
        let catalog = Catalog::connect(&url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
        let (ambient, _) = tonearm_fixtures::ambient();
        let signer = UrlSigner::new(Secrets::from_bytes([1; 32]));
        let delivery_url = "https://cdn.example.com".parse().unwrap();
        let links = Links::new(signer, ambient.clone(), "https://api.example.com", delivery_url);
        let library = Library::new(catalog.clone(), ambient.clone(), links);
        let organization = library.create_organization("Example Radio").await.unwrap().organization;
        let create = CreateCollection { title: "First".to_owned(), ..CreateCollection::default() };
        let (collection, _) =
            library.create_collection(&Caller::owner(organization.id), create).await.unwrap();
        let session = |organization_id| PlaySession {
            id: ambient.credential_id(),
            organization_id,
            creator_id: None,
            collection_id: collection.collection.id,
            track_id: None,
            variants: Selection::All,
            organization_index: None,
            metadata: tonearm_domain::Metadata::default(),
            is_downloadable: false,
            expires_at: ambient.now(),
        };
        let sessions = [session(organization.id), session(ambient.record_id()), session(organization.id)];
        let writer = SessionWriter::new(catalog.clone());
        // Nobody gets the turn before all three wait for it.
        let turn = Arc::clone(&writer.turn).lock_owned().await;
        let writes = tokio::spawn(futures::future::join_all(sessions.clone().map(|session| {
            let writer = writer.clone();
            async move { writer.write(session).await }
        })));
        while writer.lock().len() < sessions.len() {
            tokio::task::yield_now().await;
        }
        drop(turn);
        let written: Vec<bool> = writes.await.unwrap().into_iter().map(|outcome| outcome.is_ok()).collect();
        assert_eq!(written, [true, false, true]);
        for (session, written) in sessions.iter().zip(written) {
            assert_eq!(catalog.play_session(session.id).await.unwrap().is_some(), written);
        }
    }
}
