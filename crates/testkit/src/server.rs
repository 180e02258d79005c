//! A node in this process, with either pair of backends.

use std::collections::HashMap;

use tempfile::TempDir;
use tonearm::{Config, Node, Overrides};
use tonearm_domain::Ambient;
use tonearm_fixtures::{ManualClock, PostgresDatabase, S3Server, copy_postgres, copy_sqlite, migrate};

use crate::logs::{self, LogCheck};
use crate::secrets::Secrets;
use crate::{Client, Program};

/// Where a node stores its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// SQLite and a folder.
    Embedded,
    /// PostgreSQL and S3.
    Distributed,
}

/// The master secret of nodes without one of their own.
const SECRET: &str = "the master secret of all nodes of a test";

/// A running node with its data, which is removed on drop.
pub struct TestServer {
    /// The node.
    pub node: Node,
    /// Its clock.
    pub clock: ManualClock,
    /// The organization made for the test.
    pub organization_id: String,
    /// A client with a key of type `api` to that organization.
    pub client: Client,
    /// Its time and randomness.
    pub ambient: Ambient,
    config: Config,
    environment: HashMap<String, String>,
    _data: TempDir,
    _database: Option<PostgresDatabase>,
    _s3: Option<S3Server>,
    _log: LogCheck,
}

impl TestServer {
    /// Starts a node with `backend`.
    pub async fn start(backend: Backend) -> Self {
        Self::start_with(backend, &[]).await
    }

    /// Starts a node with `backend` and additional `TONEARM_*` variables.
    pub async fn start_with(backend: Backend, variables: &[(&str, &str)]) -> Self {
        logs::keep();
        let data = tempfile::tempdir().unwrap();
        let (database, s3) = match backend {
            Backend::Embedded => {
                copy_sqlite(&data.path().join("tonearm.db"), migrate!()).await;
                (None, None)
            }
            Backend::Distributed => (Some(copy_postgres(migrate!()).await), Some(S3Server::start())),
        };
        let mut environment: HashMap<String, String> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        if let Some(database) = &database {
            environment.insert("TONEARM_DATABASE_URL".to_owned(), database.url.clone());
        }
        environment.entry("TONEARM_SECRET".to_owned()).or_insert_with(|| SECRET.to_owned());
        if let Some(s3) = &s3 {
            environment.insert("TONEARM_STORAGE_URL".to_owned(), s3.url());
        }
        let overrides = Overrides {
            data_dir: Some(data.path().to_owned()),
            listen: Some("127.0.0.1:0".to_owned()),
            ..Overrides::default()
        };
        let config = Config::load(&overrides, |name| environment.get(name).cloned()).unwrap();
        let (ambient, clock) = tonearm_fixtures::ambient();
        let node = Box::pin(Node::start(&config, ambient.clone())).await.unwrap();
        let library = &node.services().unwrap().library;
        let created = library.create_organization("Test organization").await.unwrap();
        let organization_id = created.organization.id.to_string();
        let client = Client::new(node.public_url(), created.api_key.reveal());
        let secrets = Secrets::default();
        environment.iter().for_each(|(name, value)| secrets.note_variable(name, value));
        let log = LogCheck(secrets);
        Self {
            node,
            clock,
            organization_id,
            client,
            config,
            environment,
            ambient,
            _data: data,
            _database: database,
            _s3: s3,
            _log: log,
        }
    }

    /// The program on the same data, for its command line.
    pub fn program(&self, binary: &std::path::Path) -> Program {
        let mut program = Program::new(binary, self.data_dir());
        self.environment.iter().for_each(|(name, value)| program.set(name, value));
        program
    }

    /// The folder in which the node stores its data.
    pub fn data_dir(&self) -> &std::path::Path {
        self._data.path()
    }

    /// Another node on the same data, with roles of its own.
    pub async fn another_node(&self, roles: Vec<tonearm::Role>) -> Node {
        self.another_node_with(|config| config.roles = roles).await
    }

    /// Another node on the same data, with a changed configuration.
    pub async fn another_node_with(&self, change: impl FnOnce(&mut Config)) -> Node {
        let mut config = self.config.clone();
        change(&mut config);
        Box::pin(Node::start(&config, self.ambient.clone())).await.unwrap()
    }

    /// The configuration of the node.
    pub fn config(&self) -> &Config {
        &self.config
    }
}
