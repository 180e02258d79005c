//! Sums of listens by day: of the organization, its collections and tracks, its share links, the sites with
//! players, and the countries of listeners.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sea_orm::ConnectionTrait;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query, ReturningClause};
use tonearm_domain::{ListenKind, ListenedSince, ListenerKey, ListenerOrigin};
use uuid::Uuid;

use crate::column::byte_count;
use crate::error::CatalogError;
use crate::files::BATCH;
use crate::transaction::Transaction;

/// The most referrers that are counted separately for an organization and a day. Clients can send any.
const MOST_REFERRERS: usize = 200;

/// The subject under which further sites are counted. No site has this name.
pub(super) const OTHER_REFERRERS: &str = "*";

/// What was heard of one track by one listener, and how they came to it.
pub(super) struct Counted {
    pub(super) place: ListenerKey,
    pub(super) collection_id: Uuid,
    pub(super) origin: ListenerOrigin,
    pub(super) newly: ListenedSince,
}

/// Organization, kind, day and subject.
type SumKey = (Uuid, &'static str, i32, String);

/// Organization, day, listener, kind and subject.
type Sighting = (Uuid, i32, i64, &'static str, String);

/// The columns of sums. What is heard is what was delivered, where players reported it, what they played of that: a sum of
/// what was delivered never becomes smaller.
pub(super) const SUMS: [&str; 5] =
    ["listens", "listeners", "heard_millis", "reported_millis", "played_millis"];

/// What is added to one row.
#[derive(Default)]
struct Sums {
    listens: u64,
    listeners: u64,
    since: ListenedSince,
}

/// The counts to be added.
#[derive(Default)]
pub(super) struct ListenSums(Vec<Counted>);

impl ListenSums {
    pub(super) fn add(&mut self, counted: Counted) {
        if counted.newly != ListenedSince::default() {
            self.0.push(counted);
        }
    }
}

impl Counted {
    /// All subjects under which it is counted.
    fn subjects(&self, referrers: &Referrers) -> Vec<(ListenKind, String)> {
        let mut subjects = vec![
            (ListenKind::Organization, String::new()),
            (ListenKind::Collection, self.collection_id.to_string()),
            (ListenKind::Track, self.place.folder.to_string()),
        ];
        if let Some(key) = self.origin.share_key_id {
            subjects.push((ListenKind::ShareLink, key.to_string()));
        }
        if let Some(referrer) = &self.origin.referrer {
            subjects.push((ListenKind::Referrer, referrers.subject(&self.place, referrer.as_str())));
        }
        if let Some(country) = self.origin.country {
            subjects.push((ListenKind::Country, country.to_string()));
        }
        subjects
    }
}

/// The referrers that are counted separately, by organization and day.
#[derive(Default)]
struct Referrers(HashMap<(Uuid, i32), BTreeSet<String>>);

impl Referrers {
    fn subject(&self, place: &ListenerKey, host: &str) -> String {
        let known = self.0.get(&(place.organization_id.uuid(), place.day.number()));
        let is_known = known.is_some_and(|known| known.contains(host));
        if is_known { host.to_owned() } else { OTHER_REFERRERS.to_owned() }
    }
}

impl Transaction {
    /// Adds listens to the sums. Other nodes wait for these rows until the commit.
    pub(super) async fn add_listen_sums(&self, sums: ListenSums) -> Result<(), CatalogError> {
        let referrers = self.referrers(&sums.0).await?;
        let mut counts: BTreeMap<SumKey, Sums> = BTreeMap::new();
        let mut sightings: BTreeSet<Sighting> = BTreeSet::new();
        for counted in &sums.0 {
            let (organization, day) = (counted.place.organization_id.uuid(), counted.place.day.number());
            let newly = counted.newly;
            for (kind, subject) in counted.subjects(&referrers) {
                // For a track, a listener already has at most one listen per day.
                let is_track = kind == ListenKind::Track;
                let sums = counts.entry((organization, kind.as_str(), day, subject.clone())).or_default();
                sums.since.include(newly);
                sums.listens += u64::from(newly.is_listen);
                sums.listeners += u64::from(newly.is_listen && is_track);
                if newly.is_listen && !is_track {
                    let listener = counted.place.listener.hash().cast_signed();
                    sightings.insert((organization, day, listener, kind.as_str(), subject));
                }
            }
        }
        for (organization, day, _, kind, subject) in self.new_sightings(sightings).await? {
            counts.entry((organization, kind, day, subject)).or_default().listeners += 1;
        }
        self.add_listen_rows(counts).await
    }

    async fn referrers(&self, counted: &[Counted]) -> Result<Referrers, CatalogError> {
        let mut named: BTreeMap<(Uuid, i32), BTreeSet<String>> = BTreeMap::new();
        for Counted { place, origin, .. } in counted {
            if let Some(referrer) = &origin.referrer {
                let key = (place.organization_id.uuid(), place.day.number());
                named.entry(key).or_default().insert(referrer.to_string());
            }
        }
        let mut referrers = Referrers::default();
        for ((organization, day), named) in named {
            let select = Query::select()
                .column("subject")
                .from("listen_sum")
                .and_where(Expr::col("organization_id").eq(organization))
                .and_where(Expr::col("kind").eq(ListenKind::Referrer.as_str()))
                .and_where(Expr::col("day").eq(day))
                .limit(MOST_REFERRERS as u64 + 1)
                .take();
            let mut known = BTreeSet::new();
            for row in self.db().query_all(&select).await? {
                known.insert(row.try_get::<String>("", "subject")?);
            }
            for host in named {
                if known.len() < MOST_REFERRERS {
                    known.insert(host);
                }
            }
            referrers.0.insert((organization, day), known);
        }
        Ok(referrers)
    }

    /// Records sightings, and returns those that are new.
    async fn new_sightings(&self, sightings: BTreeSet<Sighting>) -> Result<Vec<Sighting>, CatalogError> {
        const COLUMNS: [&str; 5] = ["organization_id", "day", "listener", "kind", "subject"];
        let sightings: Vec<_> = sightings.into_iter().collect();
        let mut new = Vec::new();
        for chunk in sightings.chunks(BATCH) {
            let mut insert = Query::insert();
            insert.into_table("listener_sighting").columns(COLUMNS);
            for (organization, day, listener, kind, subject) in chunk {
                insert.values_panic([
                    (*organization).into(),
                    (*day).into(),
                    (*listener).into(),
                    (*kind).into(),
                    subject.clone().into(),
                ]);
            }
            insert.on_conflict(OnConflict::columns(COLUMNS).do_nothing().to_owned());
            insert.returning(ReturningClause::Columns(COLUMNS.map(Into::into).to_vec()));
            for row in self.db().query_all(&insert).await? {
                let kind: String = row.try_get("", "kind")?;
                let found = chunk.iter().find(|sighting| sighting.3 == kind).map(|sighting| sighting.3);
                let Some(kind) = found else { continue };
                new.push((
                    row.try_get("", "organization_id")?,
                    row.try_get("", "day")?,
                    row.try_get("", "listener")?,
                    kind,
                    row.try_get("", "subject")?,
                ));
            }
        }
        Ok(new)
    }

    async fn add_listen_rows(&self, counts: BTreeMap<SumKey, Sums>) -> Result<(), CatalogError> {
        let rows: Vec<_> = counts.into_iter().collect();
        for chunk in rows.chunks(BATCH) {
            let mut insert = Query::insert();
            insert
                .into_table("listen_sum")
                .columns(["organization_id", "kind", "day", "subject"].into_iter().chain(SUMS));
            for ((organization, kind, day, subject), counts) in chunk {
                insert.values_panic([
                    (*organization).into(),
                    (*kind).into(),
                    (*day).into(),
                    subject.clone().into(),
                    byte_count(counts.listens).into(),
                    byte_count(counts.listeners).into(),
                    byte_count(counts.since.delivered_millis).into(),
                    byte_count(counts.since.reported_millis).into(),
                    byte_count(counts.since.played_millis).into(),
                ]);
            }
            let mut add = OnConflict::columns(["organization_id", "kind", "day", "subject"]);
            for name in SUMS {
                add.value(name, Expr::col(("listen_sum", name)).add(Expr::col(("excluded", name))));
            }
            insert.on_conflict(add);
            self.db().execute(&insert).await?;
        }
        Ok(())
    }
}
