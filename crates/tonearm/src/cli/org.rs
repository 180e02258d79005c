//! `tonearm org`

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use bytes::Bytes;
use clap::{Subcommand, ValueEnum};
use serde_json::json;
use tonearm_domain::{Ambient, Organization, OrganizationId, Patch};
use tonearm_service::{QuotaView, UpdateOrganization, UpdateQuotas};

use super::table::Table;
use super::{Failure, print};
use crate::{ByteSize, Config, Services};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Create an organization with the default recipes and an API key of type api
    Create {
        /// Name of the organization
        #[arg(long)]
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List organizations
    List {
        /// Print JSON, one organization per line
        #[arg(long)]
        json: bool,
    },
    /// Change an organization's settings; an empty value clears a setting
    Set(Settings),
    /// Show an organization's quotas and what is used of them
    Quota {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the key that signs an organization's delivery URLs, for CDNs that verify them
    DeliveryKey {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct Settings {
    /// The organization's id
    #[arg(long)]
    org: OrganizationId,
    /// Name of the organization
    #[arg(long)]
    name: Option<String>,
    /// Whether tracks can be played during processing, with the files that are finished
    #[arg(long, value_enum)]
    early_sound: Option<Switch>,
    /// Player colour, such as #1a2b3c
    #[arg(long, value_name = "HEX")]
    player_color: Option<tonearm_domain::Colour>,
    /// Subtitle shown by players
    #[arg(long, value_name = "TEXT")]
    player_subtitle: Option<String>,
    /// Default cover, a JPEG, PNG, WebP or GIF file
    #[arg(long, value_name = "FILE")]
    cover: Option<PathBuf>,
    #[command(flatten)]
    quotas: QuotaArguments,
}

#[derive(Debug, Clone, Copy, clap::Args)]
struct QuotaArguments {
    /// Maximum size of all sources, files and covers, such as 10GiB; 0 for nothing more, none for no limit
    #[arg(long, value_name = "SIZE", value_parser = limit::<ByteSize>)]
    quota_bytes: Option<Limit<ByteSize>>,
    /// Maximum number of tracks; 0 for no more, none for no limit
    #[arg(long, value_name = "NUMBER", value_parser = limit::<u32>)]
    quota_tracks: Option<Limit<u32>>,
    /// Maximum length of all tracks in minutes; 0 for no more, none for no limit
    #[arg(long, value_name = "NUMBER", value_parser = limit::<u32>)]
    quota_minutes: Option<Limit<u32>>,
}

/// A quota as given on the command line: a number, or `none`.
#[derive(Debug, Clone, Copy)]
struct Limit<T>(Option<T>);

fn limit<T: FromStr<Err: Display>>(text: &str) -> Result<Limit<T>, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    text.parse().map(|limit| Limit(Some(limit))).map_err(|error| format!("{error}; or none, for no limit"))
}

impl QuotaArguments {
    fn into_update(self) -> UpdateQuotas {
        UpdateQuotas {
            bytes: patch(self.quota_bytes, |size| size.0),
            tracks: patch(self.quota_tracks, u64::from),
            minutes: patch(self.quota_minutes, u64::from),
        }
    }
}

fn patch<T>(limit: Option<Limit<T>>, number: impl FnOnce(T) -> u64) -> Patch<u64> {
    match limit {
        None => Patch::Keep,
        Some(Limit(None)) => Patch::Clear,
        Some(Limit(Some(limit))) => Patch::Set(number(limit)),
    }
}

const ORGANIZATIONS: Table<3> =
    Table { columns: ["ORGANIZATION", "CREATED", "NAME"], empty: "There are no organizations." };

const QUOTAS: Table<3> = Table { columns: ["QUOTA", "USED", "LIMIT"], empty: "There are no quotas." };

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Switch {
    On,
    Off,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let services = Services::open(config, ambient).await?;
    let library = &services.library;
    match command {
        Command::Create { name, json: as_json } => {
            let created = library.create_organization(&name).await?;
            let (id, key) = (created.organization.id, created.api_key.reveal());
            if as_json {
                print::json(&json!({"organization_id": id, "api_key": key}));
            } else {
                print::outln!("organization  {id}\nAPI key       {key}\n\nThe key is shown only once.");
            }
        }
        Command::List { json: as_json } => {
            list(&library.organizations().await?, as_json);
        }
        Command::DeliveryKey { org } => {
            let organization = services.owner(org).await?.organization_id;
            print::outln!("{}", services.signer.delivery_key(organization));
        }
        Command::Quota { org, json: as_json } => {
            let caller = services.owner(org).await?;
            show(library.quotas(&caller).await?, as_json);
        }
        Command::Set(settings) => {
            let caller = services.owner(settings.org).await?;
            let (cover, quotas) = (settings.cover.clone(), settings.quotas.into_update());
            library.update_organization(&caller, settings.org, settings.into_update()).await?;
            if !quotas.is_empty() {
                library.set_quotas(&caller, quotas).await?;
            }
            if let Some(file) = cover {
                let uploads = services.open_uploads(config, ambient).await?;
                uploads.set_organization_cover(&caller, read(&file)?).await?;
            }
        }
    }
    Ok(())
}

fn list(organizations: &[Organization], as_json: bool) {
    let json = |organization: &Organization| {
        json!({
            "organization_id": organization.id,
            "name": organization.name,
            "created_at": organization.created_at,
        })
    };
    let row = |organization: &Organization| {
        [organization.id.to_string(), organization.created_at.to_string(), organization.name.clone()]
    };
    ORGANIZATIONS.list(organizations, as_json, json, row);
}

fn show(QuotaView { quotas, used, record_limits, records }: QuotaView, as_json: bool) {
    let rows = [
        ("bytes", used.bytes, quotas.bytes),
        ("tracks", used.tracks, quotas.tracks),
        ("minutes", used.minutes(), quotas.minutes),
        ("records", records.records, record_limits.records),
        ("metadata", records.metadata, record_limits.metadata),
    ];
    if as_json {
        let quota = |(name, used, limit): (&str, u64, Option<u64>)| {
            (name.to_owned(), json!({"limit": limit, "used": used}))
        };
        print::json(&rows.into_iter().map(quota).collect::<serde_json::Map<_, _>>().into());
    } else {
        let number = |limit: Option<u64>| limit.map_or_else(|| "none".to_owned(), |limit| limit.to_string());
        QUOTAS.print(&rows.map(|(name, used, limit)| [name.to_owned(), used.to_string(), number(limit)]));
    }
}

impl Settings {
    fn into_update(self) -> UpdateOrganization {
        UpdateOrganization {
            name: self.name.map_or(Patch::Keep, Patch::Set),
            is_early_sound: self
                .early_sound
                .map_or(Patch::Keep, |switch| Patch::Set(matches!(switch, Switch::On))),
            player_colour: self.player_color.map_or(Patch::Keep, Patch::Set),
            player_subtitle: self.player_subtitle.map_or(Patch::Keep, Patch::Set),
            ..UpdateOrganization::default()
        }
    }
}

fn read(file: &Path) -> Result<Bytes, Failure> {
    let bytes =
        std::fs::read(file).map_err(|error| Failure::Failed(format!("{}: {error}", file.display())))?;
    Ok(bytes.into())
}
