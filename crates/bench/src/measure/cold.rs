//! Time to the first bytes of objects in a bucket, for objects that were never fetched before and for objects that
//! were. References: the same objects requested from the bucket itself, and from a node that has them in a folder.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use futures::StreamExt as _;
use std::time::Instant;
use tonearm_blobs::Blobs;
use tonearm_domain::{Ambient, ContentType, ObjectFile, ObjectKey};
use tonearm_fixtures::S3Server;
use tonearm_signing::{DeliveryTerms, Secrets, UrlSigner};
use tonearm_testkit::Program;

use crate::http::Visitor;
use crate::noise;
use crate::plan::{Plan, Sides};
use crate::report::{Goal, Row, Unit};
use crate::stage;

/// The size of a track of a few minutes.
const OBJECT_BYTES: usize = 4_000_000;

pub(super) const SECRET: &str = "a secret of an edge that is measured and of nothing else";

/// A node that only delivers.
pub(super) struct EdgeNode {
    program: Program,
    visitor: Visitor,
}

impl EdgeNode {
    async fn start(data_dir: &Path, storage_url: &str) -> Result<Self> {
        Self::start_with(data_dir, storage_url, &[]).await
    }

    pub(super) async fn start_with(
        data_dir: &Path,
        storage_url: &str,
        settings: &[(&'static str, &str)],
    ) -> Result<Self> {
        let mut program = Program::new(&stage::binary()?, data_dir);
        for (name, value) in settings {
            program.set(name, value);
        }
        for (name, value) in [
            ("TONEARM_ROLES", "edge"),
            ("TONEARM_LOG_FILTER", "warn"),
            ("TONEARM_SECRET", SECRET),
            ("TONEARM_STORAGE_URL", storage_url),
        ] {
            program.set(name, value);
        }
        program.start().await;
        let visitor = Visitor::connect(&program.url())?;
        Ok(Self { program, visitor })
    }

    /// Reads a whole object.
    pub(super) fn read(&mut self, path: &str) -> Result<()> {
        self.first_byte(path).map(drop)
    }

    /// Milliseconds until the first byte of an object's body.
    fn first_byte(&mut self, path: &str) -> Result<f64> {
        let begun = Instant::now();
        let status = self.visitor.first_byte(path)?;
        let milliseconds = begun.elapsed().as_secs_f64() * 1e3;
        ensure!(status == 200, "{path} is answered with {status}: {}", self.program.log());
        self.visitor.finish()?;
        Ok(milliseconds)
    }
}

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let (folder, ambient) = (tempfile::tempdir()?, tonearm::ambient::system());
    let bucket = S3Server::start();
    let far = Blobs::open(&bucket.url().parse()?).await?;
    let near_url = format!("file://{}", folder.path().join("objects").display());
    let near = Blobs::open(&near_url.parse()?).await?;
    let content = Bytes::from(noise::bytes(OBJECT_BYTES));
    let keys: Vec<_> = (0..=plan.cold_objects).map(|_| new_key(&ambient)).collect();
    for key in &keys {
        far.put_bytes(key, content.clone()).await?;
        near.put_bytes(key, content.clone()).await?;
    }
    let signer = UrlSigner::new(Secrets::parse(SECRET)?);
    let path = |key| signer.sign_delivery(key, DeliveryTerms::default(), ambient.now());
    let mut at_bucket = EdgeNode::start(&folder.path().join("a"), &bucket.url()).await?;
    let mut at_folder = EdgeNode::start(&folder.path().join("b"), &near_url).await?;

    let mut cold = Sides { tonearm: Vec::new(), reference: Vec::new() };
    let mut hot = Sides { tonearm: Vec::new(), reference: Vec::new() };
    for (number, key) in keys.iter().enumerate() {
        let direct = first_byte_of_bucket(&far, key).await?;
        let delivered = at_bucket.first_byte(&path(key))?;
        at_folder.first_byte(&path(key))?;
        let again = (at_bucket.first_byte(&path(key))?, at_folder.first_byte(&path(key))?);
        // The first object is not counted: it includes the time to open connections that all others reuse.
        if number > 0 {
            cold.reference.push(direct);
            cold.tonearm.push(delivered);
            hot.tonearm.push(again.0);
            hot.reference.push(again.1);
        }
    }
    let row = |name: &str, sides: &Sides<f64>, reference| Row {
        name: format!("{name}: first byte from a bucket"),
        unit: Unit::Milliseconds,
        figures: sides.medians(|milliseconds| *milliseconds),
        reference,
        goal: Some(Goal::AtMost(1.2)),
    };
    Ok(vec![row("cold", &cold, "the bucket itself"), row("hot", &hot, "from a folder")])
}

/// Milliseconds until the first byte of an object, requested from the bucket itself by the client that the node uses,
/// too.
async fn first_byte_of_bucket(bucket: &Blobs, key: &ObjectKey) -> Result<f64> {
    let begun = Instant::now();
    let mut body = bucket.get(key, None).await?.context("the object was put")?.stream;
    body.next().await.context("the object is not empty")??;
    let milliseconds = begun.elapsed().as_secs_f64() * 1e3;
    while let Some(chunk) = body.next().await {
        chunk?;
    }
    Ok(milliseconds)
}

pub(super) fn new_key(ambient: &Ambient) -> ObjectKey {
    let label = "hq".parse().expect("a word is a label");
    let file = ObjectFile { label, version: ambient.short_id(), content_type: ContentType::Mp3 };
    ObjectKey { organization_id: ambient.record_id(), folder: ambient.short_id(), file }
}
