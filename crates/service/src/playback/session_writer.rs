//! Writes new play sessions. Sessions that arrive at the same time share a commit.

use std::collections::{BTreeSet, HashMap};
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard, oneshot};
use tonearm_catalog::{Catalog, CatalogError, Record, Transaction, acting_secret};
use tonearm_domain::{ApiKeyId, OrganizationId, PlaySession};

use super::listable::{Selecting, Wanted};
use super::record_room::RecordRoom;
use crate::refusal::{INVALID_API_KEY, Refusal};
use crate::request_turns::own_turn_of;

/// The most sessions in one commit: far below the number of parameters that databases accept in one statement.
const LARGEST_BATCH: usize = 500;

/// What became of a session in a batch.
#[derive(Default)]
enum Written {
    /// It was written with what it lists. `None` if it was not, because no variant that it may list exists.
    Lists(Option<Box<PlaySession>>),
    /// It was not written, because the secret with which it is opened has ended, or is just being ended, or because the
    /// recipes that it names are being changed.
    #[default]
    Left,
}

type Outcome = Result<Written, CatalogError>;

/// A new session. Without `wanted`, it lists what its record says.
#[derive(Clone)]
struct New {
    session: PlaySession,
    wanted: Option<Wanted>,
    /// The key with which it is opened, and the SHA-256 of the secret. `None` if its transaction is judged otherwise.
    secret: Option<(ApiKeyId, [u8; 32])>,
}

/// A commit waits for the disk, so one commit for each session would limit how many can be granted in a second.
/// Sessions that arrive during a commit wait for it to end and then share the next one. A session that arrives alone is
/// written at once.
#[derive(Clone)]
pub(super) struct SessionWriter {
    catalog: Catalog,
    waiting: Arc<Mutex<Vec<Waiting>>>,
    turn: Arc<AsyncMutex<()>>,
    room: Arc<RecordRoom>,
}

struct Waiting {
    new: Arc<New>,
    done: oneshot::Sender<Outcome>,
}

impl SessionWriter {
    pub(super) fn new(catalog: Catalog) -> Self {
        Self { catalog, waiting: Arc::default(), turn: Arc::default(), room: Arc::default() }
    }

    /// Returns the session with what it lists, once it is durable. Without `wanted`, that is what its record says. Returns
    /// `None` if it is not written, because no variant that it may list exists.
    pub(super) async fn write(
        &self,
        session: PlaySession,
        wanted: Option<Wanted>,
    ) -> Result<Option<PlaySession>, Refusal> {
        let new = New { session, wanted, secret: None };
        if self.catalog.is_as_one() {
            // Committed together with the response to its request. Other requests must not wait for that.
            return self.write_in_request(new).await;
        }
        // A batch belongs to no request, so its transaction is not judged.
        self.room.admit(&self.catalog, new.session.organization_id).await?;
        let new = Arc::new(New { secret: acting_secret(), ..new });
        let (done, mut is_done) = oneshot::channel();
        self.lock().push(Waiting { new: Arc::clone(&new), done });
        let outcome = tokio::select! {
            biased;
            outcome = &mut is_done => outcome,
            turn = Arc::clone(&self.turn).lock_owned() => {
                // A separate task: others wait for this batch even if this caller goes away.
                tokio::spawn(self.clone().write_batch(turn));
                is_done.await
            }
        };
        match outcome {
            Ok(Ok(Written::Lists(session))) => Ok(session.map(|session| *session)),
            Ok(Ok(Written::Left)) => {
                // It waits in the database, with a connection.
                let _turn = own_turn_of(new.session.organization_id).await?;
                self.write_in_request(New { secret: None, ..New::clone(&new) }).await
            }
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(Refusal::Internal("the task that writes play sessions ended early".into())),
        }
    }

    /// Writes a session in a transaction of its request, which waits until it is known whether the key has ended.
    async fn write_in_request(&self, new: New) -> Result<Option<PlaySession>, Refusal> {
        match self.commit_one(&Arc::new(new)).await? {
            Written::Lists(session) => Ok(session.map(|session| *session)),
            Written::Left => Err(INVALID_API_KEY),
        }
    }

    async fn write_batch(self, turn: OwnedMutexGuard<()>) {
        let batch = self.take();
        let (news, waiting): (Vec<_>, Vec<_>) =
            batch.into_iter().map(|waiting| (waiting.new, waiting.done)).unzip();
        if news.is_empty() {
            return;
        }
        let mut together = self.commit(&news, false).await;
        let may_succeed =
            |error: &CatalogError| error.is_victim() || news.len() > 1 && may_end_otherwise_alone(error);
        let mut is_each_tried = together.as_ref().is_err_and(may_succeed);
        for (place, (new, done)) in news.iter().zip(waiting).enumerate() {
            let outcome = match &mut together {
                Ok(written) => Ok(written.get_mut(place).map_or(Written::Left, mem::take)),
                Err(error) if is_each_tried => self.commit_alone(new, error).await,
                Err(error) => Err(same(error)),
            };
            // If the database becomes unavailable meanwhile, it is not tried again for each of the others.
            if let (true, Err(error)) = (is_each_tried, &outcome)
                && is_outage(error)
            {
                is_each_tried = false;
                if !together.as_ref().is_err_and(|error| matches!(error, CatalogError::UnknownOutcome(_))) {
                    together = Err(same(error));
                }
            }
            // A caller that has gone away ignores the result.
            drop(done.send(outcome));
        }
        drop(turn);
    }

    /// Writes these sessions, except for those whose secret has ended. The others keep theirs until it is done: whoever ends
    /// a secret then sees its sessions. Unless it `waits`, it leaves those that name recipes which somebody is changing, so
    /// that nobody else waits for them.
    async fn commit(&self, news: &[Arc<New>], waits: bool) -> Result<Vec<Written>, CatalogError> {
        let tx = self.catalog.begin().await?;
        let secrets: BTreeSet<_> = news.iter().filter_map(|new| new.secret).collect();
        let held = tx.hold_secrets(&secrets).await?;
        let mut selecting = Selecting::new(&tx);
        let mut free = HashMap::new();
        let (mut written, mut sessions) = (Vec::with_capacity(news.len()), Vec::with_capacity(news.len()));
        for New { session, wanted, secret } in news.iter().map(|new| &**new) {
            if secret.is_some_and(|(_, hash)| !held.contains(hash.as_slice())) {
                written.push(Written::Left);
                continue;
            }
            if wanted.is_some() && !waits && !is_free(&tx, &mut free, session.organization_id).await? {
                written.push(Written::Left);
                continue;
            }
            let session = match wanted {
                Some(wanted) => selecting.select(session, wanted).await?,
                None => Some(session.clone()),
            };
            sessions.extend(session.clone());
            written.push(Written::Lists(session.map(Box::new)));
        }
        if !sessions.is_empty() {
            tx.insert_play_sessions(&sessions).await?;
        }
        tx.commit().await?;
        Ok(written)
    }

    async fn commit_one(&self, new: &Arc<New>) -> Outcome {
        Ok(self.commit(std::slice::from_ref(new), true).await?.pop().unwrap_or_default())
    }

    /// Writes one session of a batch that failed. Ids are random. If an id is taken after a batch whose outcome is
    /// unknown, that batch was committed.
    async fn commit_alone(&self, new: &Arc<New>, failed: &CatalogError) -> Outcome {
        match self.commit(std::slice::from_ref(new), false).await {
            Err(CatalogError::Taken(Record::PlaySession))
                if matches!(failed, CatalogError::UnknownOutcome(_)) =>
            {
                let stored = self.catalog.play_session(new.session.id).await?;
                Ok(Written::Lists(stored.map(Box::new)))
            }
            outcome => Ok(outcome?.pop().unwrap_or_default()),
        }
    }

    fn take(&self) -> Vec<Waiting> {
        let mut waiting = self.lock();
        let later = if waiting.len() > LARGEST_BATCH { waiting.split_off(LARGEST_BATCH) } else { Vec::new() };
        mem::replace(&mut *waiting, later)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Waiting>> {
        // Pushing and taking keep the list consistent even if another thread panics.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether nobody is changing the recipes of an organization.
async fn is_free(
    tx: &Transaction,
    known: &mut HashMap<OrganizationId, bool>,
    organization: OrganizationId,
) -> Result<bool, CatalogError> {
    if let Some(is_free) = known.get(&organization) {
        return Ok(*is_free);
    }
    let is_free = tx.try_hold_recipes(organization).await?;
    known.insert(organization, is_free);
    Ok(is_free)
}

/// Whether the sessions of a failed batch may succeed when written one by one: one of them conflicts with stored rows
/// or refers to deleted rows, or the batch was committed after all. If the database is unavailable, each of them would
/// have to wait.
fn may_end_otherwise_alone(error: &CatalogError) -> bool {
    use CatalogError::{Corrupt, Missing, Taken, UnknownOutcome};
    matches!(error, Missing(_) | Taken(_) | Corrupt(_) | UnknownOutcome(_))
}

fn is_outage(error: &CatalogError) -> bool {
    matches!(error, CatalogError::Full(_) | CatalogError::Unavailable(_) | CatalogError::UnknownOutcome(_))
}

/// The same error for another caller.
fn same(error: &CatalogError) -> CatalogError {
    match error {
        CatalogError::Missing(record) => CatalogError::Missing(*record),
        CatalogError::Taken(record) => CatalogError::Taken(*record),
        CatalogError::RightEnded(ended) => CatalogError::RightEnded(*ended),
        CatalogError::QuotaExceeded(exceeded) => CatalogError::QuotaExceeded(*exceeded),
        CatalogError::Corrupt(sentence) => CatalogError::Corrupt(sentence.clone()),
        CatalogError::Unavailable(source) => CatalogError::Unavailable(source.to_string().into()),
        CatalogError::Full(source) => CatalogError::Full(source.to_string().into()),
        CatalogError::UnknownOutcome(source) => CatalogError::UnknownOutcome(source.to_string().into()),
        CatalogError::Schema(source) => CatalogError::Other(source.to_string().into()),
        CatalogError::Other(source) => CatalogError::Other(source.to_string().into()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tonearm_catalog::{ConnectOptions, Purpose, Right, act_on, in_request};
    use tonearm_domain::{Ambient, CollectionId, KeyOverlap, KeyType, OrganizationId, Selection};
    use tonearm_fixtures::{CommitProxy, Loss, Postgres, TestDatabase};
    use tonearm_signing::{Secrets, UrlSigner};

    use super::*;
    use crate::caller::Caller;
    use crate::delivery::Links;
    use crate::library::{CreateCollection, CreateKey, CreatedKey, Library};

    tonearm_fixtures::on_both!(
        one_that_cannot_be_written_stops_no_other,
        a_taken_id_stops_no_other,
        when_the_database_is_away_all_are_told_at_once,
        a_session_does_not_outlive_its_secret,
    );

    struct Scene {
        catalog: Catalog,
        ambient: Ambient,
        organization_id: OrganizationId,
        collection_id: CollectionId,
        writer: SessionWriter,
        library: Library,
    }

    impl Scene {
        async fn at(url: &str) -> Self {
            let options = ConnectOptions {
                max_connections: 2,
                acquire_timeout: Duration::from_millis(300),
                ..ConnectOptions::default()
            };
            let catalog = Catalog::connect(&url.parse().unwrap(), options).await.unwrap();
            let (ambient, _) = tonearm_fixtures::ambient();
            let signer = UrlSigner::new(Secrets::from_bytes([1; 32]));
            let delivery_url = "https://cdn.example.com".parse().unwrap();
            let links = Links::new(signer, ambient.clone(), "https://api.example.com", delivery_url);
            let library = Library::new(catalog.clone(), ambient.clone(), links);
            let organization = library.create_organization("Example Radio").await.unwrap().organization;
            let create = CreateCollection { title: "First".to_owned(), ..CreateCollection::default() };
            let (collection, _) =
                library.create_collection(&Caller::owner(organization.id), create).await.unwrap();
            let (organization_id, collection_id) = (organization.id, collection.collection.id);
            let writer = SessionWriter::new(catalog.clone());
            Self { catalog, ambient, organization_id, collection_id, writer, library }
        }

        fn session(&self) -> PlaySession {
            PlaySession {
                id: self.ambient.credential_id(),
                organization_id: self.organization_id,
                creator_id: None,
                collection_id: self.collection_id,
                track_id: None,
                variants: Selection::All,
                recipes: tonearm_domain::NamedRecipes::UNKNOWN,
                organization_index: None,
                metadata: tonearm_domain::Metadata::default(),
                is_downloadable: false,
                expires_at: self.ambient.now(),
                api_key_id: None,
                handle: None,
            }
        }

        /// Starts writing these in one batch.
        async fn begin(
            &self,
            sessions: &[PlaySession],
        ) -> Vec<tokio::task::JoinHandle<Result<Option<PlaySession>, Refusal>>> {
            // No writer gets the turn before all of them wait for it.
            let turn = Arc::clone(&self.writer.turn).lock_owned().await;
            let mut writes = Vec::new();
            for session in sessions.iter().cloned() {
                let writer = self.writer.clone();
                writes.push(tokio::spawn(async move { writer.write(session, None).await }));
            }
            while self.writer.lock().len() < sessions.len() {
                tokio::task::yield_now().await;
            }
            drop(turn);
            writes
        }

        /// Writes these in one batch. Returns for each caller whether it succeeded.
        async fn write(&self, sessions: &[PlaySession]) -> Vec<bool> {
            let mut written = Vec::new();
            for write in self.begin(sessions).await {
                written.push(write.await.unwrap().is_ok());
            }
            written
        }

        async fn are_stored(&self, sessions: &[PlaySession]) -> Vec<bool> {
            let mut stored = Vec::new();
            for session in sessions {
                stored.push(self.catalog.play_session(session.id).await.unwrap().is_some());
            }
            stored
        }
    }

    async fn one_that_cannot_be_written_stops_no_other(database: TestDatabase) {
        let scene = Scene::at(&database.url).await;
        let of_nobody = PlaySession { organization_id: scene.ambient.record_id(), ..scene.session() };
        let sessions = [scene.session(), of_nobody, scene.session()];
        assert_eq!(scene.write(&sessions).await, [true, false, true]);
        assert_eq!(scene.are_stored(&sessions).await, [true, false, true]);
    }

    async fn a_taken_id_stops_no_other(database: TestDatabase) {
        let scene = Scene::at(&database.url).await;
        let first = scene.session();
        assert_eq!(scene.write(std::slice::from_ref(&first)).await, [true]);
        let sessions = [scene.session(), first, scene.session()];
        assert_eq!(scene.write(&sessions).await, [true, false, true]);
        assert_eq!(scene.are_stored(&sessions).await, [true; 3]);
    }

    /// The request was judged, and the secret ends before its session is written.
    async fn a_session_does_not_outlive_its_secret(database: TestDatabase) {
        let scene = Scene::at(&database.url).await;
        let owner = Caller::owner(scene.organization_id);
        for overlap_hours in [0, 24] {
            let create = CreateKey::new(KeyType::Player, "Leaked");
            let CreatedKey { key, text } = scene.library.create_key(&owner, create).await.unwrap();
            let sessions = [PlaySession { api_key_id: Some(key.id), ..scene.session() }, scene.session()];
            let turn = Arc::clone(&scene.writer.turn).lock_owned().await;
            let mut writes = Vec::new();
            for (session, is_by_key) in sessions.iter().cloned().zip([true, false]) {
                let (writer, key, hash) = (scene.writer.clone(), Arc::new(key.clone()), text.hash());
                let write = async move {
                    if is_by_key {
                        assert!(act_on(Right::Key { key, hash }));
                    }
                    writer.write(session, None).await
                };
                let ambient = scene.ambient.clone();
                writes.push(tokio::spawn(in_request(ambient, Purpose::Add, Box::pin(write), || None)));
            }
            while scene.writer.lock().len() < sessions.len() {
                tokio::task::yield_now().await;
            }
            let overlap = KeyOverlap::new(overlap_hours).unwrap();
            scene.library.rotate_key(&owner, key.id, overlap).await.unwrap();
            drop(turn);
            let mut are_written = Vec::new();
            for write in writes {
                are_written.push(write.await.unwrap().is_ok());
            }
            let expected = [overlap_hours > 0, true];
            assert_eq!(are_written, expected, "{overlap_hours}");
            assert_eq!(scene.are_stored(&sessions).await, expected, "{overlap_hours}");
        }
    }

    /// Somebody ends a key and is not done yet.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_key_that_is_being_ended_stops_no_other() {
        let database = Postgres::database().await;
        let scene = Scene::at(&database.url).await;
        let owner = Caller::owner(scene.organization_id);
        let create = CreateKey::new(KeyType::Player, "Leaked");
        let CreatedKey { key, text } = scene.library.create_key(&owner, create).await.unwrap();
        let ending = scene.catalog.begin().await.unwrap();
        ending.api_key_to_end(scene.organization_id, key.id).await.unwrap();
        let sessions = [PlaySession { api_key_id: Some(key.id), ..scene.session() }, scene.session()];
        let secret = Some((key.id, text.hash()));
        let news = [secret, None].into_iter().zip(sessions.clone());
        let news: Vec<_> =
            news.map(|(secret, session)| Arc::new(New { session, wanted: None, secret })).collect();
        let written = scene.writer.commit(&news, false).await.unwrap();
        assert!(matches!(written.as_slice(), [Written::Left, Written::Lists(_)]));
        ending.commit().await.unwrap();
        assert!(matches!(scene.writer.commit_one(&news[0]).await.unwrap(), Written::Lists(_)));
        assert_eq!(scene.are_stored(&sessions).await, [true; 2]);
    }

    /// Somebody changes the recipes of an organization and is not done yet.
    #[tokio::test(flavor = "multi_thread")]
    async fn recipes_that_are_being_changed_stop_no_other() {
        let database = Postgres::database().await;
        let scene = Scene::at(&database.url).await;
        let changing = scene.catalog.begin().await.unwrap();
        changing.lock_recipes(scene.organization_id).await.unwrap();
        let wanted = Wanted { requested: vec!["hq".to_owned()], allowed: Selection::All };
        let sessions = [scene.session(), scene.session()];
        let news = [Some(wanted), None].into_iter().zip(sessions.clone());
        let news: Vec<_> =
            news.map(|(wanted, session)| Arc::new(New { session, wanted, secret: None })).collect();
        let written = scene.writer.commit(&news, false).await.unwrap();
        assert!(matches!(written.as_slice(), [Written::Left, Written::Lists(Some(_))]));
        changing.commit().await.unwrap();
        assert!(matches!(scene.writer.commit_one(&news[0]).await.unwrap(), Written::Lists(Some(_))));
        assert_eq!(scene.are_stored(&sessions).await, [true; 2]);
    }

    async fn when_the_database_is_away_all_are_told_at_once(database: TestDatabase) {
        let scene = Scene::at(&database.url).await;
        // All write connections are in use.
        let held = [scene.catalog.begin().await, scene.catalog.begin().await].map(Result::ok);
        let sessions = [scene.session(), scene.session(), scene.session()];
        let mut writes = scene.begin(&sessions).await.into_iter();
        assert!(writes.next().unwrap().await.unwrap().is_err());
        // A new attempt would succeed now.
        drop(held);
        for write in writes {
            assert!(write.await.unwrap().is_err());
        }
        assert_eq!(scene.are_stored(&sessions).await, [false; 3]);
        assert_eq!(scene.write(&sessions).await, [true; 3]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_batch_that_was_committed_after_all_is_written() {
        let proxy = CommitProxy::start().await;
        let scene = Scene::at(&proxy.url).await;
        let sessions = [scene.session(), scene.session(), scene.session()];
        proxy.lose(Loss::Answer);
        assert_eq!(scene.write(&sessions).await, [true; 3]);
        assert!(proxy.has_lost(), "the answer was not lost");
        assert_eq!(scene.are_stored(&sessions).await, [true; 3]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_batch_whose_commit_did_not_arrive_is_written_again() {
        let proxy = CommitProxy::start().await;
        let scene = Scene::at(&proxy.url).await;
        let sessions = [scene.session(), scene.session()];
        proxy.lose(Loss::Commit);
        assert_eq!(scene.write(&sessions).await, [true; 2]);
        assert!(proxy.has_lost(), "the commit was not lost");
        assert_eq!(scene.are_stored(&sessions).await, [true; 2]);
    }
}
