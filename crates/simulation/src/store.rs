//! A bucket in memory. The age of its objects follows the simulated time, and every request is counted.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Result;
use bytes::{Bytes, BytesMut};
use futures::{TryStreamExt, stream};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::dto::{
    DeleteObjectsInput, DeleteObjectsOutput, DeletedObject, ETag, GetObjectInput, GetObjectOutput,
    ListObjectsV2Input, ListObjectsV2Output, Object, PutObjectInput, PutObjectOutput, StreamingBlob,
    Timestamp as When,
};
use s3s::service::S3ServiceBuilder;
use s3s::{S3, S3Request, S3Response, S3Result, s3_error};
use tokio::net::TcpListener;
use tonearm_domain::Clock as _;

use crate::counts::Counts;
use crate::time::NodeClock;

const BUCKET: &str = "simulated";
const ACCESS_KEY_ID: &str = "simulation";
const SECRET_ACCESS_KEY: &str = "a-secret-of-a-simulation";

/// Most objects in one page of a listing.
const PAGE: usize = 1000;

/// An object's bytes, and when they were stored.
type Stored = (Bytes, When);

/// A bucket in memory.
#[derive(Clone)]
pub(crate) struct Bucket {
    objects: Arc<Mutex<BTreeMap<String, Stored>>>,
    counts: Counts,
    clock: NodeClock,
}

/// Starts the server of the bucket and returns its storage URL.
pub(crate) async fn serve(counts: Counts, clock: NodeClock) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address: SocketAddr = listener.local_addr()?;
    let mut service = S3ServiceBuilder::new(Bucket { objects: Arc::default(), counts, clock });
    service.set_auth(SimpleAuth::from_single(ACCESS_KEY_ID, SECRET_ACCESS_KEY));
    let service = service.build();
    tokio::spawn(async move {
        loop {
            // An error affects only the connection that was not accepted.
            let Ok((socket, _)) = listener.accept().await else { continue };
            let service = service.clone();
            tokio::spawn(async move {
                let connection = Builder::new(TokioExecutor::new());
                // If the connection fails, the client notices it.
                drop(connection.serve_connection(TokioIo::new(socket), service).await);
            });
        }
    });
    Ok(format!(
        "s3://{BUCKET}?endpoint=http://{address}&region=us-east-1&access_key_id={ACCESS_KEY_ID}\
         &secret_access_key={SECRET_ACCESS_KEY}"
    ))
}

/// A request that is being answered.
struct Answering(Counts);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.wait(-1);
    }
}

impl Bucket {
    /// Counts a request by the folder of its key.
    fn answer(&self, kind: &str, key: &str) -> Answering {
        let what = match key.split('/').nth(1) {
            Some("signingkeys0") => "key lists",
            Some("usagebatches") => "usage",
            _ => "other",
        };
        self.counts.request(&format!("{what}: {kind}"));
        self.counts.wait(1);
        Answering(self.counts.clone())
    }

    fn objects(&self) -> MutexGuard<'_, BTreeMap<String, Stored>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> When {
        let millis = u64::try_from(self.clock.now().unix_millis()).unwrap_or(0);
        When::from(UNIX_EPOCH + Duration::from_millis(millis))
    }
}

fn tag(bytes: &Bytes) -> ETag {
    ETag::Strong(format!("{:032x}", bytes.len()))
}

#[async_trait::async_trait]
impl S3 for Bucket {
    async fn put_object(&self, req: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let _answering = self.answer("put", &req.input.key);
        let Some(body) = req.input.body else { return Err(s3_error!(IncompleteBody)) };
        let bytes: BytesMut = body.try_collect().await.map_err(|_| s3_error!(IncompleteBody))?;
        let (bytes, now) = (bytes.freeze(), self.now());
        let output = PutObjectOutput { e_tag: Some(tag(&bytes)), ..PutObjectOutput::default() };
        self.objects().insert(req.input.key, (bytes, now));
        Ok(S3Response::new(output))
    }

    async fn get_object(&self, req: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        let _answering = self.answer("get", &req.input.key);
        let (bytes, modified) =
            self.objects().get(&req.input.key).cloned().ok_or_else(|| s3_error!(NoSuchKey))?;
        let output = GetObjectOutput {
            content_length: i64::try_from(bytes.len()).ok(),
            e_tag: Some(tag(&bytes)),
            last_modified: Some(modified),
            body: Some(StreamingBlob::wrap(stream::iter([Ok::<_, std::io::Error>(bytes)]))),
            ..GetObjectOutput::default()
        };
        Ok(S3Response::new(output))
    }

    async fn list_objects_v2(
        &self,
        req: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        let prefix = req.input.prefix.unwrap_or_default();
        let _answering = self.answer("list", &prefix);
        let after = req.input.continuation_token.or(req.input.start_after).unwrap_or_default();
        let objects = self.objects();
        let mut found = objects.iter().filter(|(key, _)| key.starts_with(&prefix) && **key > after);
        let contents: Vec<Object> = found
            .by_ref()
            .take(PAGE)
            .map(|(key, (bytes, modified))| Object {
                key: Some(key.clone()),
                size: i64::try_from(bytes.len()).ok(),
                e_tag: Some(tag(bytes)),
                last_modified: Some(modified.clone()),
                ..Object::default()
            })
            .collect();
        let is_truncated = found.next().is_some();
        let last = contents.last().and_then(|object| object.key.clone());
        let output = ListObjectsV2Output {
            key_count: i32::try_from(contents.len()).ok(),
            contents: Some(contents),
            is_truncated: Some(is_truncated),
            next_continuation_token: last.filter(|_| is_truncated),
            ..ListObjectsV2Output::default()
        };
        Ok(S3Response::new(output))
    }

    async fn delete_objects(
        &self,
        req: S3Request<DeleteObjectsInput>,
    ) -> S3Result<S3Response<DeleteObjectsOutput>> {
        let keys: Vec<String> = req.input.delete.objects.into_iter().map(|object| object.key).collect();
        let _answering = self.answer("delete", keys.first().map_or("", String::as_str));
        let mut objects = self.objects();
        keys.iter().for_each(|key| drop(objects.remove(key)));
        let deleted =
            keys.into_iter().map(|key| DeletedObject { key: Some(key), ..DeletedObject::default() });
        let output =
            DeleteObjectsOutput { deleted: Some(deleted.collect()), ..DeleteObjectsOutput::default() };
        Ok(S3Response::new(output))
    }
}
