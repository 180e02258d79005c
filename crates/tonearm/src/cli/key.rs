//! `tonearm key`

use clap::Subcommand;
use serde_json::json;
use tonearm_domain::{
    AllowedOrigins, Ambient, ApiKey, ApiKeyId, CollectionId, CreatorId, KeyOverlap, KeyType, OrganizationId,
    PageOrigin, Selection, Timestamp, TrackId, VariantIndex, VariantList,
};
use tonearm_service::{Caller, CreateKey, Library, MadeByKey};

use super::table::Table;
use super::{Failure, print};
use crate::{Config, Services};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create an API key; it is shown only once
    Create(Create),
    /// List an organization's API keys
    List {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// Print JSON, one key per line
        #[arg(long)]
        json: bool,
    },
    /// Rotate the secret of an API key; the new one is shown only once, the old one keeps working for a while
    Rotate {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// The key's id
        #[arg(long, value_name = "ID")]
        key: ApiKeyId,
        /// Hours for which the old secret works, up to 720; 0 ends it now
        #[arg(long, value_name = "HOURS", default_value = "24")]
        overlap: KeyOverlap,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// End the old secret of an API key that was rotated
    EndOld {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// The key's id
        #[arg(long, value_name = "ID")]
        key: ApiKeyId,
    },
    /// Revoke an API key
    Revoke {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// The key's id
        #[arg(long, value_name = "ID")]
        key: ApiKeyId,
        /// Also revoke what the key made: keys, signing keys, webhooks and credentials of import buckets
        #[arg(long)]
        made: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct Create {
    /// The organization's id
    #[arg(long)]
    org: OrganizationId,
    /// Type: api, player, uploader or share
    #[arg(long = "type", value_name = "TYPE")]
    key_type: KeyType,
    /// Title of the key
    #[arg(long, default_value = "")]
    title: String,
    /// Limit the key to this collection
    #[arg(long, value_name = "ID")]
    collection: Option<CollectionId>,
    /// Limit the key to this track of the collection
    #[arg(long, value_name = "ID")]
    track: Option<TrackId>,
    /// Creator to whom everything created with the key is attributed
    #[arg(long, value_name = "ID")]
    creator: Option<CreatorId>,
    /// Variant that the key may list; repeatable; exactly one for share keys [default: all]
    #[arg(long = "variant", value_name = "INDEX")]
    variants: Vec<VariantIndex>,
    /// Allow downloads in play sessions created with the key
    #[arg(long)]
    downloads: bool,
    /// Origin whose pages may use the key, such as https://www.example.com; repeatable [default: all]
    #[arg(long = "origin", value_name = "ORIGIN")]
    origins: Vec<PageOrigin>,
    /// Time at which the key expires, such as 2030-01-31T12:00:00Z
    #[arg(long, value_name = "RFC3339")]
    expires_at: Option<Timestamp>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let services = Services::open(config, ambient).await?;
    let library = &services.library;
    match command {
        Command::Create(args) => create(library, &services.owner(args.org).await?, args).await?,
        Command::List { org, json } => {
            list(library, ambient.now(), &services.owner(org).await?, json).await?
        }
        Command::Rotate { org, key, overlap, json } => {
            rotate(library, &services.owner(org).await?, key, overlap, json).await?;
        }
        Command::EndOld { org, key } => {
            library.end_old_secret(&services.owner(org).await?, key).await?;
        }
        Command::Revoke { org, key, made } => {
            revoke(library, &services.owner(org).await?, key, made).await?;
        }
    }
    Ok(())
}

async fn create(library: &Library, caller: &Caller, args: Create) -> Result<(), Failure> {
    let as_json = args.json;
    let created = library.create_key(caller, args.key()?).await?;
    let (id, text) = (created.key.id, created.text.reveal());
    if as_json {
        print::json(&json!({"api_key_id": id, "api_key": text}));
    } else {
        print::outln!("key id   {id}\nAPI key  {text}\n\nThe key is shown only once.");
    }
    Ok(())
}

const KEYS: Table<5> =
    Table { columns: ["KEY", "TYPE", "STATE", "EXPIRES", "TITLE"], empty: "There are no API keys." };

async fn list(library: &Library, now: Timestamp, caller: &Caller, as_json: bool) -> Result<(), Failure> {
    let keys = library.keys(caller).await?;
    let old = library.old_secrets(caller, &keys).await?;
    let json = |key: &ApiKey| {
        json!({
            "api_key_id": key.id,
            "api_key_type_id": key.key_type,
            "title": key.title,
            "collection_id": key.scope.collection(),
            "track_id": key.scope.track(),
            "creator_id": key.creator_id,
            "variants": key.variants.only(),
            "is_downloadable": key.is_downloadable,
            "allowed_origins": key.allowed_origins.only(),
            "expires_at": key.expires_at,
            "revoked_at": key.revoked_at,
            "state": key.state_at(now).as_str(),
            "old_secret_until": old.get(&key.id),
            "created_at": key.created_at,
        })
    };
    let row = |key: &ApiKey| {
        let expires = key.expires_at.map_or("never".to_owned(), |at| at.to_string());
        let (key_type, state) = (key.key_type.as_str().to_owned(), key.state_at(now).as_str().to_owned());
        [key.id.to_string(), key_type, state, expires, key.title.clone()]
    };
    KEYS.list(&keys, as_json, json, row);
    Ok(())
}

async fn rotate(
    library: &Library,
    caller: &Caller,
    key: ApiKeyId,
    overlap: KeyOverlap,
    as_json: bool,
) -> Result<(), Failure> {
    let rotated = library.rotate_key(caller, key, overlap).await?;
    let text = rotated.text.reveal();
    if as_json {
        print::json(&json!({"api_key_id": key, "api_key": text, "old_secret_until": rotated.old_until}));
    } else {
        let old = rotated.old_until.map_or("ended".to_owned(), |at| format!("works until {at}"));
        print::outln!("key id   {key}\nAPI key  {text}\nold key  {old}\n\nThe key is shown only once.");
    }
    Ok(())
}

async fn revoke(library: &Library, caller: &Caller, key: ApiKeyId, with_made: bool) -> Result<(), Failure> {
    if with_made {
        let (_, made) = library.revoke_key_and_made(caller, key).await?;
        print::outln!("also revoked: {}", listed(made));
        return Ok(());
    }
    library.revoke_key(caller, key).await?;
    if let Some(made) = library.made_by_keys(caller, &[key]).await?.remove(&key) {
        print::outln!("still there, made by this key: {}\n`--made` revokes them, too", listed(made));
    }
    Ok(())
}

fn listed(MadeByKey { api_keys, signing_keys, webhooks, import_buckets }: MadeByKey) -> String {
    format!(
        "API keys: {api_keys}, signing keys: {signing_keys}, webhooks: {webhooks}, credentials for buckets: {import_buckets}"
    )
}

impl Create {
    fn key(self) -> Result<CreateKey, Failure> {
        // If no origin is given, all are allowed.
        let origins = Some(self.origins).filter(|origins| !origins.is_empty());
        let allowed_origins = AllowedOrigins::from_list(origins)
            .map_err(|error| Failure::Usage(format!("--origin {error}")))?;
        Ok(CreateKey {
            key_type: self.key_type,
            title: self.title,
            collection_id: self.collection,
            track_id: self.track,
            creator_id: self.creator,
            variants: VariantList::new(self.variants).map_or(Selection::All, Selection::Only),
            is_downloadable: self.downloads,
            allowed_origins,
            expires_at: self.expires_at,
        })
    }
}
