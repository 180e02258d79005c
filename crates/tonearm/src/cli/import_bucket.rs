//! `tonearm import-bucket`

use std::io::{IsTerminal, Read};

use clap::Subcommand;
use serde_json::json;
use tonearm_domain::{AccessKeyId, Ambient, BucketName, BucketRegion, LimitOffset, OrganizationId};
use tonearm_service::{ImportBucketView, SetImportBucket};

use super::Failure;
use super::table::Table;
use crate::config::command_secret;
use crate::{Config, Services};

/// Maximum bytes read of a secret.
const LONGEST_INPUT: u64 = 64 * 1024;

/// The variable with the secret, unless it comes from a file or from standard input. It is not a command-line argument,
/// because other users of the machine could read it.
const SECRET: &str = "TONEARM_IMPORT_SECRET_ACCESS_KEY";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Set the credentials for a bucket; the secret access key is in TONEARM_IMPORT_SECRET_ACCESS_KEY, in the file that
    /// TONEARM_IMPORT_SECRET_ACCESS_KEY_FILE names, or on standard input
    Set(Set),
    /// List the buckets that an organization has credentials for, without the secrets
    List {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// Print JSON, one bucket per line
        #[arg(long)]
        json: bool,
    },
    /// Remove the credentials for a bucket; queued imports from it will fail
    Remove {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// Name of the bucket
        #[arg(long)]
        bucket: BucketName,
    },
}

const BUCKETS: Table<5> = Table {
    columns: ["BUCKET", "STORE", "REGION", "ACCESS KEY ID", "SECRET"],
    empty: "There are no credentials for buckets.",
};

#[derive(Debug, clap::Args)]
pub(super) struct Set {
    /// The organization's id
    #[arg(long)]
    org: OrganizationId,
    /// Name of the bucket
    #[arg(long)]
    bucket: BucketName,
    /// URL of an S3-compatible store [default: Amazon S3]
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Region of the bucket [default: us-east-1]
    #[arg(long)]
    region: Option<BucketRegion>,
    /// Access key id, which belongs to the secret access key
    #[arg(long, value_name = "ID")]
    access_key_id: AccessKeyId,
    /// Keep the stored secret access key, and read none
    #[arg(long)]
    keep_secret: bool,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    match command {
        Command::Set(Set { org, bucket, endpoint, region, access_key_id, keep_secret }) => {
            let secret_access_key = if keep_secret { None } else { Some(secret()?) };
            let set = SetImportBucket { endpoint, region, access_key_id, secret_access_key };
            let services = Services::open(config, ambient).await?;
            services.import_buckets.set(&services.owner(org).await?, bucket, set).await?;
        }
        Command::List { org, json } => list(config, ambient, org, json).await?,
        Command::Remove { org, bucket } => {
            let services = Services::open(config, ambient).await?;
            services.import_buckets.remove(&services.owner(org).await?, &bucket).await?;
        }
    }
    Ok(())
}

fn secret() -> Result<String, Failure> {
    if let Some(secret) = command_secret(SECRET, |name| std::env::var(name).ok())? {
        return Ok(secret);
    }
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        let message = format!(
            "the secret access key is missing: set {SECRET} or {SECRET}_FILE, or send it on standard input"
        );
        return Err(Failure::Usage(message));
    }
    let mut secret = String::new();
    stdin.lock().take(LONGEST_INPUT).read_to_string(&mut secret).map_err(Failure::failed)?;
    Ok(secret)
}

async fn list(config: &Config, ambient: &Ambient, org: OrganizationId, as_json: bool) -> Result<(), Failure> {
    let services = Services::open(config, ambient).await?;
    // An organization has credentials for fewer buckets than fit on one page.
    let page = LimitOffset::new(Some(200), None).map_err(Failure::failed)?;
    let (_, found) = services.import_buckets.page(&services.owner(org).await?, page).await?;
    let json = |bucket: &ImportBucketView| {
        json!({
            "bucket": bucket.bucket,
            "endpoint": bucket.endpoint,
            "region": bucket.region,
            "access_key_id": bucket.access_key_id,
            "has_secret": bucket.has_secret,
            "created_at": bucket.created_at,
            "expires_at": bucket.expires_at,
        })
    };
    let row = |bucket: &ImportBucketView| {
        [
            bucket.bucket.to_string(),
            bucket.endpoint.clone().unwrap_or_else(|| "Amazon S3".to_owned()),
            bucket.region.to_string(),
            bucket.access_key_id.as_str().to_owned(),
            if bucket.has_secret { "stored" } else { "cannot be decrypted" }.to_owned(),
        ]
    };
    BUCKETS.list(&found, as_json, json, row);
    Ok(())
}
