//! History does not matter: what an organization shows at rest is what a new one shows that was given only the last
//! state.
//!
//! A history is a random sequence of uploads, replacements, recipes that are added, changed, renamed, moved and
//! removed, tracks that move, colours, covers, things that are deleted and restored, and jobs that are slow or killed. `TONEARM_HISTORIES` sets how many are
//! tried for each database, and `TONEARM_HISTORY` tries a single one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::TryStreamExt;
use sha2::{Digest, Sha256};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonearm_domain::{
    CachePolicy, Codec, CollectionId, Colour, CoverOwner, CoverSettings, CoverSize, ExpiresIn, FileOutcome,
    LevelsSettings, Metadata, Meter, ObjectKey, Patch, PersonId, RecipeKind, ReplacementState, SourceSlot,
    TrackId, Transcode, VariantId, WaveformImage,
};
use tonearm_fixtures::audio::{Id3, Signal, WavSpec, wav, with_id3};
use tonearm_fixtures::{Dice, TestDatabase};
use tonearm_media::MediaConfig;
use tonearm_service::{
    Caller, CreateCollection, CreateTrack, GrantPlaySession, JobRun, LookupLimits, Lookups, PlaySessionScope,
    Playback, UpdateCollection, UpdateOrganization, UpdateRecipe, UpdateTrack,
};
use uuid::Uuid;

use crate::bulk::stored_manifest;
use crate::on_both;
use crate::replacements::folders_below;
use crate::workshop::{Workshop, write_program, write_scripts};

on_both!(only_the_last_state_matters);

/// Histories for each database in the normal run.
const HISTORIES: u64 = 10;
const STEPS: u64 = 16;
/// Histories that run at once, each over a database of its own.
const LANES: usize = 4;

/// What a colour, a cover or a permission belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Organization,
    Collection(usize),
    Track(usize),
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Upload {
        sound: u64,
        into: usize,
    },
    Replace {
        track: usize,
        sound: u64,
    },
    Add {
        name: usize,
        bitrate: u16,
    },
    Change {
        recipe: usize,
        bitrate: u16,
    },
    Rename {
        recipe: usize,
        name: usize,
    },
    ToFront {
        recipe: usize,
    },
    Remove {
        recipe: usize,
    },
    Render {
        recipe: usize,
    },
    Move {
        track: usize,
        into: usize,
    },
    Paint {
        owner: Owner,
        colour: usize,
    },
    Cover {
        owner: Owner,
        picture: usize,
    },
    Uncover {
        owner: Owner,
    },
    Allow {
        owner: Owner,
        cover: bool,
        theme: bool,
    },
    /// Not of an organization.
    Trash {
        owner: Owner,
    },
    Restore {
        owner: Owner,
    },
    /// A job begins, and is slow.
    Begin,
    /// The slow job goes on to its end.
    GoOn,
    /// The worker of the slow job dies.
    Die,
    /// All waiting jobs run.
    Work,
}

const NAMES: [&str; 4] = ["north", "east", "south", "west"];
const BITRATES: [u16; 3] = [24, 32, 48];
const COLOURS: [(u8, u8, u8); 3] = [(200, 30, 40), (20, 150, 60), (40, 60, 210)];

fn colour(number: usize) -> Colour {
    let (red, green, blue) = COLOURS[number];
    Colour::new(red, green, blue)
}

fn pick(dice: &mut Dice, count: usize) -> usize {
    dice.below(count.max(1))
}

impl Step {
    fn random(dice: &mut Dice, last: &Last) -> Self {
        let (recipes, tracks) = (last.recipes.len(), last.tracks.len());
        let owner = |dice: &mut Dice| match dice.below(4) {
            0 => Owner::Organization,
            1 => Owner::Collection(pick(dice, 2)),
            _ => Owner::Track(pick(dice, tracks)),
        };
        let (recipe, track) = (pick(dice, recipes), pick(dice, tracks));
        let (name, bitrate) = (pick(dice, NAMES.len()), BITRATES[pick(dice, BITRATES.len())]);
        match dice.below(34) {
            0 | 1 => Self::Upload { sound: dice.number() >> 24, into: pick(dice, 2) },
            2 => Self::Replace { track, sound: dice.number() >> 24 },
            3 | 4 => Self::Add { name, bitrate },
            5..=7 => Self::Change { recipe, bitrate },
            8 | 9 => Self::Rename { recipe, name },
            10 | 11 => Self::ToFront { recipe },
            12 => Self::Remove { recipe },
            13..=15 => Self::Render { recipe },
            16 | 17 => Self::Move { track, into: pick(dice, 2) },
            18 | 19 => Self::Paint { owner: owner(dice), colour: pick(dice, COLOURS.len()) },
            20 => Self::Cover { owner: owner(dice), picture: pick(dice, COLOURS.len()) },
            21 => Self::Uncover { owner: owner(dice) },
            22 => Self::Allow { owner: owner(dice), cover: dice.below(2) == 0, theme: dice.below(2) == 0 },
            23..=25 => Self::Begin,
            26 => Self::GoOn,
            27 => Self::Die,
            28 => Self::Trash { owner: owner(dice) },
            29..=31 => Self::Restore { owner: owner(dice) },
            _ => Self::Work,
        }
    }
}

/// The colour, the cover and the permissions of an owner.
#[derive(Debug, Clone, Copy, Default)]
struct Look {
    colour: Option<usize>,
    picture: Option<usize>,
    refuses_cover: bool,
    refuses_theme: bool,
}

#[derive(Debug, Clone, Copy)]
struct LastTrack {
    id: TrackId,
    sound: u64,
    collection: usize,
}

#[derive(Debug, Clone, Copy)]
struct LastRecipe {
    id: VariantId,
    name: usize,
    bitrate: u16,
}

/// The state of an organization as far as people set it.
#[derive(Debug, Clone, Default)]
struct Last {
    /// In their order.
    recipes: Vec<LastRecipe>,
    tracks: Vec<LastTrack>,
    looks: BTreeMap<Owner, Look>,
    /// The collections and tracks that were deleted by themselves.
    trash: BTreeSet<Owner>,
}

/// An organization.
struct House {
    owner: Caller,
    collections: [CollectionId; 2],
    last: Last,
}

struct World {
    workshop: Arc<Workshop>,
    playback: Playback,
    folder: PathBuf,
}

/// What players and people get of a track.
#[derive(Debug, PartialEq)]
struct Shown {
    status: String,
    colour: Colour,
    /// The names in the order of a session that asks for none, with the content of the files.
    listed: Vec<(String, String)>,
    /// Every file by the name under which a session asks for it.
    asked: BTreeMap<String, String>,
    cover: String,
}

/// A sound of its own for each number. Every other one has art. With three channels, every file is measured by the
/// encoder's script; samples that are read without a decoder would draw another waveform.
fn sound(number: u64) -> Vec<u8> {
    let signal = Signal::Noise { seed: number, amplitude: 0.5 };
    let plain = wav(&WavSpec { seconds: 0.05, sample_rate: 8000, channels: 3, bits: 16, signal });
    if number.is_multiple_of(2) {
        return plain;
    }
    let art = picture(pick(&mut Dice(number), COLOURS.len()));
    let frame = [b"\0image/jpeg\0\x03\0".as_slice(), &art].concat();
    with_id3(&plain, &Id3::new(3).frame(b"APIC", &frame))
}

pub(crate) fn picture(number: usize) -> Bytes {
    static DRAWN: LazyLock<Vec<Bytes>> = LazyLock::new(|| {
        let drawn =
            |number| tonearm_signal::placeholder(colour(number), &[0.5, 1.0, 0.2], &[CoverSize::Small]);
        (0..COLOURS.len()).map(|number| Bytes::from(drawn(number).remove(0).jpeg)).collect()
    });
    DRAWN[number].clone()
}

fn transcode(bitrate: u16) -> RecipeKind {
    RecipeKind::Transcode(Transcode { codec: Codec::Mp3, bitrate, ..Transcode::default() })
}

impl World {
    async fn open(database: &TestDatabase) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_owned();
        let (ffmpeg, ffprobe) = write_scripts(&path);
        // The sound says with which bitrate it was made. If there is a gate, the encoder waits to be let go on.
        let gate = path.join("gate");
        let script = format!(
            r#"samples=
for word in "$@"; do
    case $word in
        [0-9]*k) rate=$word ;;
        f32le) samples=1 ;;
        file:*.webp) echo picture > "${{word#file:}}" ;;
        file:*/out*)
            out=${{word#file:}}
            if [ -e {gate} ]; then : > "${{out%/*}}/begun"; while [ ! -e "${{out%/*}}/go" ]; do :; done; fi
            echo "sound $rate" > "$out" ;;
    esac
done
if [ "$samples" ]; then exec head -c 4096 /dev/zero; else echo out_time_us=50000; fi"#,
            gate = gate.display()
        );
        write_program(&ffmpeg, &script);
        let config = MediaConfig { ffmpeg, ffprobe, concurrency: 8, ..MediaConfig::find() };
        let workshop = Workshop::open_with(database, folder, None, config).await;
        let limits = LookupLimits { time_to_live: Duration::ZERO, ..LookupLimits::default() };
        let lookups = Lookups::new(workshop.catalog.clone(), limits);
        let playback = Playback::new(
            lookups,
            workshop.ambient.clone(),
            workshop.links.clone(),
            Meter::new(),
            |view, json| serde_json::to_writer(json, &view.title),
        );
        Self { workshop: Arc::new(workshop), playback, folder: path }
    }

    fn gate(&self) -> PathBuf {
        self.folder.join("gate")
    }

    async fn house(&self) -> House {
        let library = &self.workshop.library;
        let organization = library.create_organization("Example Radio").await.unwrap();
        let owner = Caller::owner(organization.organization.id);
        for view in library.recipes(&owner).await.unwrap() {
            library.remove_recipe(&owner, view.recipe.id).await.unwrap();
        }
        for (name, kind) in [
            ("kept", transcode(80)),
            ("levels", RecipeKind::Levels(LevelsSettings::default())),
            ("art", RecipeKind::Cover(CoverSettings { size: CoverSize::Icon })),
            (
                "wave",
                RecipeKind::WaveformImage(WaveformImage { width: 40, height: 20, ..Default::default() }),
            ),
        ] {
            library.add_recipe(&owner, name.parse().unwrap(), kind, CachePolicy::default()).await.unwrap();
        }
        let mut collections = Vec::new();
        for title in ["First", "Second"] {
            let create = CreateCollection { title: title.to_owned(), ..CreateCollection::default() };
            collections.push(library.create_collection(&owner, create).await.unwrap().0.collection.id);
        }
        let house = House { owner, collections: [collections[0], collections[1]], last: Last::default() };
        self.workshop.run_all().await;
        house
    }

    /// Claims the next job and runs it until its encoder waits, or to its end.
    async fn begin(&self) -> Option<JoinHandle<()>> {
        let now = self.workshop.ambient.now();
        let lease = self.workshop.ambient.credential_id();
        let claimed = self.workshop.catalog.claim_job(now, lease, now.plus_seconds(60)).await.unwrap()?;
        std::fs::write(self.gate(), "").unwrap();
        let workshop = Arc::clone(&self.workshop);
        let work = tokio::spawn(async move {
            let run = JobRun { claimed, cancel: CancellationToken::new() };
            if let Err(error) = workshop.processing.run(&run).await {
                let now = workshop.ambient.now();
                workshop.catalog.retry_job(&run.claimed, now, &error.to_string()).await.unwrap();
            }
        });
        while !work.is_finished() && self.encoders_that_wait().is_empty() {
            tokio::task::yield_now().await;
        }
        std::fs::remove_file(self.gate()).unwrap();
        Some(work)
    }

    /// The folders of the encoders that wait.
    fn encoders_that_wait(&self) -> Vec<PathBuf> {
        let folders = folders_below(&self.folder.join("scratch"));
        folders.into_iter().filter(|folder| folder.join("begun").exists()).collect()
    }

    async fn go_on(&self, slow: &mut Option<JoinHandle<()>>) {
        for folder in self.encoders_that_wait() {
            std::fs::write(folder.join("go"), "").unwrap();
        }
        if let Some(work) = slow.take() {
            work.await.unwrap();
        }
    }

    async fn die(&self, slow: &mut Option<JoinHandle<()>>) {
        if let Some(work) = slow.take() {
            work.abort();
            assert!(
                work.await.is_err_and(|error| error.is_cancelled()) || self.encoders_that_wait().is_empty()
            );
            self.workshop.clock.advance_seconds(61);
        }
    }

    /// Does what a step asks for, unless it is refused.
    async fn take(&self, house: &mut House, step: Step, slow: &mut Option<JoinHandle<()>>) {
        let (workshop, owner) = (&self.workshop, house.owner.clone());
        let library = &workshop.library;
        let last = &mut house.last;
        match step {
            Step::Upload { sound: number, into }
                if last.tracks.len() < 2 && Owner::Collection(into).exists(last) =>
            {
                let id = self.create(&owner, house.collections[into]).await;
                workshop.send(&owner, id, sound(number)).await.unwrap();
                last.tracks.push(LastTrack { id, sound: number, collection: into });
            }
            Step::Replace { track, sound: number } if Owner::Track(track).exists(last) => {
                let track = &mut last.tracks[track];
                if let Ok((replacement, _)) = library.replace_source(&owner, track.id, None).await {
                    let slot = SourceSlot {
                        replacement_id: Some(replacement.id),
                        ..SourceSlot::of_track(owner.organization_id, track.id)
                    };
                    workshop.send_to(&owner, slot, sound(number)).await.unwrap();
                    track.sound = number;
                }
            }
            Step::Add { name, bitrate } if last.recipes.len() < 3 => {
                let (index, cache) = (NAMES[name].parse().unwrap(), CachePolicy::default());
                if let Ok(recipe) = library.add_recipe(&owner, index, transcode(bitrate), cache).await {
                    last.recipes.push(LastRecipe { id: recipe.id, name, bitrate });
                }
            }
            Step::Change { recipe, bitrate } if recipe < last.recipes.len() => {
                let recipe = &mut last.recipes[recipe];
                let update = UpdateRecipe { kind: Patch::Set(transcode(bitrate)), ..UpdateRecipe::default() };
                library.update_recipe(&owner, recipe.id, update).await.unwrap();
                recipe.bitrate = bitrate;
            }
            Step::Rename { recipe, name } if recipe < last.recipes.len() => {
                let recipe = &mut last.recipes[recipe];
                let index = Patch::Set(NAMES[name].parse().unwrap());
                let update = UpdateRecipe { index, ..UpdateRecipe::default() };
                if library.update_recipe(&owner, recipe.id, update).await.is_ok() {
                    recipe.name = name;
                }
            }
            Step::ToFront { recipe } if recipe < last.recipes.len() => {
                let recipe = last.recipes.remove(recipe);
                last.recipes.insert(0, recipe);
                self.put_in_order(&owner, last).await;
            }
            Step::Remove { recipe } if recipe < last.recipes.len() => {
                let recipe = last.recipes.remove(recipe);
                library.remove_recipe(&owner, recipe.id).await.unwrap();
            }
            Step::Render { recipe } if recipe < last.recipes.len() => {
                library.render_existing(&owner, last.recipes[recipe].id).await.unwrap();
            }
            Step::Move { track, into }
                if Owner::Track(track).exists(last) && Owner::Collection(into).exists(last) =>
            {
                let collection_id = Patch::Set(house.collections[into]);
                let update = UpdateTrack { collection_id, ..UpdateTrack::default() };
                library.update_track(&owner, last.tracks[track].id, update).await.unwrap();
                last.tracks[track].collection = into;
            }
            Step::Paint { owner: of, colour } if of.exists(last) => {
                last.look(of).colour = Some(colour);
                self.dress(house, of, None).await;
            }
            Step::Cover { owner: of, picture } if of.exists(last) => {
                last.look(of).picture = Some(picture);
                self.dress(house, of, Some(picture)).await;
            }
            Step::Uncover { owner: of } if of.exists(last) && last.look(of).picture.is_some() => {
                let is_removed = self.uncover(house, of).await;
                if is_removed {
                    house.last.look(of).picture = None;
                }
            }
            Step::Allow { owner: of, cover, theme } if of.exists(last) => {
                let look = last.look(of);
                (look.refuses_cover, look.refuses_theme) = (!cover, !theme);
                self.dress(house, of, None).await;
            }
            Step::Trash { owner: of } if of.exists(last) => {
                // What people delete can be restored.
                let person = Caller::person(owner.organization_id, PersonId::from_uuid(Uuid::nil()));
                match of {
                    Owner::Organization => return,
                    Owner::Collection(number) => {
                        library
                            .delete_collection(&person, house.collections[number])
                            .await
                            .map(drop)
                            .unwrap();
                    }
                    Owner::Track(number) => {
                        library.delete_track(&person, last.tracks[number].id).await.map(drop).unwrap();
                    }
                }
                last.trash.insert(of);
            }
            Step::Restore { owner: of } if last.trash.contains(&of) => self.restore(house, of).await,
            Step::Begin if slow.is_none() => *slow = self.begin().await,
            Step::GoOn => self.go_on(slow).await,
            Step::Die => self.die(slow).await,
            Step::Work => workshop.run_all().await,
            _ => {}
        }
    }

    /// Restores a collection, or a track whose collection is not deleted.
    async fn restore(&self, house: &mut House, of: Owner) {
        let (library, owner, last) = (&self.workshop.library, &house.owner, &mut house.last);
        last.trash.remove(&of);
        match of {
            Owner::Collection(number) => {
                library.restore_collection(owner, house.collections[number]).await.map(drop).unwrap();
            }
            _ if !of.exists(last) => _ = last.trash.insert(of),
            Owner::Track(number) => {
                library.restore_track(owner, last.tracks[number].id).await.map(drop).unwrap();
            }
            Owner::Organization => {}
        }
    }

    async fn create(&self, owner: &Caller, collection: CollectionId) -> TrackId {
        let create = CreateTrack {
            collection_id: Some(collection),
            file_name: "tone.wav".to_owned(),
            ..CreateTrack::default()
        };
        self.workshop.library.create_track(owner, create).await.unwrap().0.track.id
    }

    /// The recipes of the history come first, in their order.
    async fn put_in_order(&self, owner: &Caller, last: &Last) {
        let mut order: Vec<VariantId> = last.recipes.iter().map(|recipe| recipe.id).collect();
        for view in self.workshop.library.recipes(owner).await.unwrap() {
            if !order.contains(&view.recipe.id) {
                order.push(view.recipe.id);
            }
        }
        self.workshop.library.order_recipes(owner, &order).await.unwrap();
    }

    /// Gives an owner its colour and its permissions, and a new cover if there is one.
    async fn dress(&self, house: &House, of: Owner, cover: Option<usize>) {
        let (library, owner) = (&self.workshop.library, &house.owner);
        let look = house.last.looks[&of];
        let player_colour = look.colour.map_or(Patch::Keep, |number| Patch::Set(colour(number)));
        let is_cover_overridable = Patch::Set(!look.refuses_cover);
        let is_theme_overridable = Patch::Set(!look.refuses_theme);
        match of {
            Owner::Organization => {
                let update = UpdateOrganization {
                    player_colour,
                    is_cover_overridable,
                    is_theme_overridable,
                    ..UpdateOrganization::default()
                };
                library.update_organization(owner, owner.organization_id, update).await.unwrap();
            }
            Owner::Collection(number) => {
                let update = UpdateCollection {
                    player_colour,
                    is_cover_overridable,
                    is_theme_overridable,
                    ..UpdateCollection::default()
                };
                library.update_collection(owner, house.collections[number], update).await.unwrap();
            }
            Owner::Track(number) => {
                let update = UpdateTrack {
                    player_colour,
                    is_cover_overridable,
                    is_theme_overridable,
                    ..UpdateTrack::default()
                };
                library.update_track(owner, house.last.tracks[number].id, update).await.unwrap();
            }
        }
        if let Some(number) = cover {
            let (origin, organization_id) = (owner.origin, owner.organization_id);
            let of = house.cover_owner(of);
            self.workshop.uploads.accept_cover(origin, organization_id, of, picture(number)).await.unwrap();
        }
    }

    /// Removes a cover. Returns whether that was possible.
    async fn uncover(&self, house: &House, of: Owner) -> bool {
        self.workshop.library.reset_cover(&house.owner, house.cover_owner(of)).await.is_ok()
    }

    /// Lets everything come to rest, with every recipe rendered.
    async fn rest(&self, house: &House) {
        // A job whose workers died waits for minutes.
        self.workshop.clock.advance_seconds(600);
        self.put_in_order(&house.owner, &house.last).await;
        self.workshop.run_all().await;
        for view in self.workshop.library.recipes(&house.owner).await.unwrap() {
            self.workshop.library.render_existing(&house.owner, view.recipe.id).await.unwrap();
        }
        for _ in 0..3 {
            self.workshop.run_all().await;
            self.workshop.clock.advance_seconds(10);
        }
        for view in self.workshop.library.recipes(&house.owner).await.unwrap() {
            assert_eq!(view.rendering.unwrap().percent(), 100, "{}", view.recipe.index);
        }
        for track in &house.last.tracks {
            let replacement =
                self.workshop.catalog.replacement(house.owner.organization_id, track.id).await.unwrap();
            let ended = replacement.is_none_or(|it| it.state == ReplacementState::Completed);
            assert!(ended, "the new source is not in use");
        }
    }

    /// An organization that was given only the last state.
    async fn fresh(&self, last: &Last) -> House {
        let mut house = self.house().await;
        let owner = house.owner.clone();
        for recipe in &last.recipes {
            let (index, cache) = (NAMES[recipe.name].parse().unwrap(), CachePolicy::default());
            let kind = transcode(recipe.bitrate);
            let added = self.workshop.library.add_recipe(&owner, index, kind, cache).await.unwrap();
            house.last.recipes.push(LastRecipe { id: added.id, ..*recipe });
        }
        self.put_in_order(&owner, &house.last).await;
        for track in &last.tracks {
            let id = self.create(&owner, house.collections[track.collection]).await;
            house.last.tracks.push(LastTrack { id, ..*track });
        }
        house.last.looks = last.looks.clone();
        for (of, look) in &last.looks {
            self.dress(&house, *of, look.picture).await;
        }
        for track in &house.last.tracks {
            self.workshop.send(&owner, track.id, sound(track.sound)).await.unwrap();
        }
        house
    }

    async fn shown(&self, house: &House) -> Vec<Shown> {
        let mut shown = Vec::new();
        for track in &house.last.tracks {
            shown.push(self.shown_of(house, track.id).await);
        }
        shown
    }

    async fn shown_of(&self, house: &House, id: TrackId) -> Shown {
        let (owner, organization_id) = (&house.owner, house.owner.organization_id);
        let names = self.workshop.library.recipes(owner).await.unwrap();
        let names: Vec<String> = names.into_iter().map(|view| view.recipe.index.to_string()).collect();
        let track = self.workshop.catalog.track(organization_id, id).await.unwrap().unwrap();
        let published = stored_manifest(&self.workshop, &track).await;
        let current = self.workshop.catalog.manifest(organization_id, track.index).await.unwrap();
        assert_eq!(published, current, "the published manifest is the current one");
        let mut parts = Vec::new();
        for variants in [Vec::new(), names] {
            let grant = GrantPlaySession {
                scope: PlaySessionScope::Track(id),
                variants,
                organization_index: None,
                metadata: Metadata::default(),
                is_downloadable: true,
                expires_in: ExpiresIn::default(),
            };
            let first = self.playback.grant_play_session(owner, grant).await.unwrap().first.unwrap();
            let mut files = Vec::new();
            for variant in &first.variants {
                let FileOutcome::Made { key, .. } = &variant.file.outcome else { panic!() };
                files.push((variant.file.recipe.index.to_string(), self.content(key).await));
            }
            parts.push((files, first));
        }
        let (asked, first) = parts.pop().unwrap();
        let (listed, _) = parts.pop().unwrap();
        let placed = first.track.cover.unwrap();
        let cover = self.content(&placed.cover.key(organization_id, placed.folder, CoverSize::Icon)).await;
        Shown {
            status: format!("{:?}", track.status),
            colour: first.track.colours.base,
            listed,
            asked: asked.into_iter().collect(),
            cover,
        }
    }

    /// The bytes of an object: as text, or their length and the beginning of their hash.
    async fn content(&self, key: &ObjectKey) -> String {
        let body = self.workshop.blobs.get(key, None).await.unwrap().unwrap();
        let bytes: BytesMut = body.stream.try_collect().await.unwrap();
        match str::from_utf8(&bytes) {
            Ok(text) if text.len() < 20 => text.trim().to_owned(),
            _ => format!("{} bytes {:x?}", bytes.len(), &Sha256::digest(&bytes)[..4]),
        }
    }
}

impl Last {
    fn look(&mut self, of: Owner) -> &mut Look {
        self.looks.entry(of).or_default()
    }
}

impl Owner {
    fn exists(self, last: &Last) -> bool {
        let is_in_place = match self {
            Self::Organization | Self::Collection(_) => true,
            Self::Track(number) => {
                let track = last.tracks.get(number);
                track.is_some_and(|track| Self::Collection(track.collection).exists(last))
            }
        };
        is_in_place && !last.trash.contains(&self)
    }
}

impl House {
    fn cover_owner(&self, of: Owner) -> CoverOwner {
        match of {
            Owner::Organization => CoverOwner::Organization,
            Owner::Collection(number) => CoverOwner::Collection(self.collections[number]),
            Owner::Track(number) => CoverOwner::Track(self.last.tracks[number].id),
        }
    }
}

/// Returns the history and what differs, if anything does.
async fn differs(world: &World, seed: u64) -> Option<String> {
    let mut dice = Dice(seed);
    let mut house = world.house().await;
    let mut history = vec![Step::Upload { sound: 1, into: 0 }, Step::Add { name: 0, bitrate: BITRATES[0] }];
    let mut slow = None;
    for step in history.clone() {
        world.take(&mut house, step, &mut slow).await;
    }
    for _ in 0..STEPS {
        let step = Step::random(&mut dice, &house.last);
        history.push(step);
        world.take(&mut house, step, &mut slow).await;
    }
    world.go_on(&mut slow).await;
    // Collections come before tracks.
    for of in house.last.trash.clone() {
        world.restore(&mut house, of).await;
    }
    world.rest(&house).await;
    let fresh = world.fresh(&house.last).await;
    world.rest(&fresh).await;
    let (shown, expected) = (world.shown(&house).await, world.shown(&fresh).await);
    let history: Vec<String> = history.iter().map(|step| format!("    {step:?}")).collect();
    (shown != expected)
        .then(|| format!("history {seed}:\n{}\nshows {shown:?}\nexpected {expected:?}", history.join("\n")))
}

/// The histories that matter, and what differs, over a database of their own.
async fn differing(is_sqlite: bool, seeds: impl Iterator<Item = u64>) -> Vec<String> {
    let database = match is_sqlite {
        true => TestDatabase::migrated_sqlite(tonearm_fixtures::migrate!()).await,
        false => TestDatabase::migrated_postgres(tonearm_fixtures::migrate!()).await,
    };
    let world = World::open(&database).await;
    let mut failed = Vec::new();
    for seed in seeds {
        failed.extend(Box::pin(differs(&world, seed)).await);
    }
    failed
}

async fn only_the_last_state_matters(database: TestDatabase) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seeds = match number("TONEARM_HISTORY") {
        Some(seed) => seed..seed + 1,
        None => 0..number("TONEARM_HISTORIES").unwrap_or(HISTORIES),
    };
    let is_sqlite = database.url.starts_with("sqlite");
    let lanes = (0..LANES).map(|lane| {
        let seeds = seeds.clone().skip(lane).step_by(LANES);
        tokio::task::spawn_blocking(move || Handle::current().block_on(differing(is_sqlite, seeds)))
    });
    let lanes: Vec<JoinHandle<Vec<String>>> = lanes.collect();
    let mut failed = Vec::new();
    for lane in lanes {
        failed.extend(lane.await.unwrap());
    }
    assert!(failed.is_empty(), "{} histories matter\n{}", failed.len(), failed.join("\n"));
}
