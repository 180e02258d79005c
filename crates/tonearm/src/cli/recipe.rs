//! `tonearm recipe`

use std::time::Duration;

use clap::Subcommand;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};
use tonearm_domain::{Ambient, CachePolicy, OrganizationId, Patch, RecipeKind, RecipeType, VariantIndex};
use tonearm_service::{Caller, Library, RecipeView, UpdateRecipe};

use super::table::Table;
use super::{Failure, print};
use crate::{Config, Services};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List an organization's recipes
    List {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// Print JSON, one recipe per line
        #[arg(long)]
        json: bool,
    },
    /// Add a recipe for all tracks uploaded from now on
    Add(Add),
    /// Change a recipe's settings
    Set(Set),
    /// Render a recipe for existing tracks, in the background
    Render {
        #[command(flatten)]
        which: Which,
        /// Wait until the rendering is done, and show its progress
        #[arg(long)]
        wait: bool,
    },
    /// Remove a recipe and its files
    Remove(Which),
}

#[derive(Debug, clap::Args)]
pub(super) struct Which {
    /// The organization's id
    #[arg(long)]
    org: OrganizationId,
    /// Index of the recipe, such as hq
    index: VariantIndex,
}

#[derive(Debug, clap::Args)]
pub(super) struct Add {
    #[command(flatten)]
    which: Which,
    /// Type: transcode, preview, levels, waveform_image, waveform_video, original or cover
    #[arg(long = "type", value_name = "TYPE")]
    recipe_type: String,
    /// Setting, such as codec=opus or bitrate=96; repeatable; see docs/recipes.md
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    settings: Vec<(String, Value)>,
    /// Who may cache its files: private (listeners only) or public (CDNs, too); see docs/cdn.md
    #[arg(long, value_name = "POLICY", default_value = "private")]
    cache: CachePolicy,
    /// Also render it for existing tracks
    #[arg(long)]
    render_existing: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct Set {
    #[command(flatten)]
    which: Which,
    /// Setting to change, such as codec=opus or bitrate=96; repeatable
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = setting)]
    settings: Vec<(String, Value)>,
    /// New index
    #[arg(long, value_name = "INDEX")]
    rename: Option<VariantIndex>,
    /// Who may cache its files: private (listeners only) or public (CDNs, too); see docs/cdn.md
    #[arg(long, value_name = "POLICY")]
    cache: Option<CachePolicy>,
    /// Render it again for existing tracks
    #[arg(long)]
    render_existing: bool,
}

/// Parses `NAME=VALUE`. A value that is not valid JSON is read as text.
fn setting(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
    Ok((name.to_owned(), value))
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let services = Services::open(config, ambient).await?;
    let library = &services.library;
    match command {
        Command::List { org, json } => list(library, &services.owner(org).await?, json).await,
        Command::Add(add) => {
            let caller = services.owner(add.which.org).await?;
            let kind = kind(Map::new(), &add.recipe_type, add.settings)?;
            let recipe = library.add_recipe(&caller, add.which.index, kind, add.cache).await?;
            if add.json {
                print::json(&json!({"variant_id": recipe.id, "index": recipe.index}));
            } else {
                print::outln!("added {} ({})", recipe.index, recipe.kind.recipe_type().title());
            }
            if add.render_existing { render(library, &caller, recipe.id).await } else { Ok(()) }
        }
        Command::Set(set) => {
            let caller = services.owner(set.which.org).await?;
            let recipe = find(library, &caller, &set.which.index).await?.recipe;
            let Ok(Value::Object(now)) = serde_json::to_value(&recipe.kind) else {
                return Err(Failure::failed("the recipe's settings cannot be read"));
            };
            let update = UpdateRecipe {
                kind: Patch::Set(kind(now, recipe.kind.recipe_type().as_str(), set.settings)?),
                index: set.rename.map_or(Patch::Keep, Patch::Set),
                cache: set.cache.map_or(Patch::Keep, Patch::Set),
                ..UpdateRecipe::default()
            };
            let recipe = library.update_recipe(&caller, recipe.id, update).await?;
            if set.render_existing { render(library, &caller, recipe.id).await } else { Ok(()) }
        }
        Command::Render { which, wait: waits } => {
            let caller = services.owner(which.org).await?;
            let recipe = find(library, &caller, &which.index).await?.recipe;
            render(library, &caller, recipe.id).await?;
            if waits { wait(library, &caller, &which.index).await } else { Ok(()) }
        }
        Command::Remove(which) => {
            let caller = services.owner(which.org).await?;
            let recipe = find(library, &caller, &which.index).await?.recipe;
            library.remove_recipe(&caller, recipe.id).await?;
            print::outln!("removed {}; its files are being removed in the background", which.index);
            Ok(())
        }
    }
}

async fn list(library: &Library, caller: &Caller, as_json: bool) -> Result<(), Failure> {
    let json = |RecipeView { recipe, rendering }: &RecipeView| {
        json!({
            "variant_id": recipe.id,
            "index": recipe.index,
            "recipe": recipe.kind,
            "cache": recipe.cache,
            "rendering": rendering.as_ref().map(|rendering| json!({
                "percent": rendering.percent(),
                "total": rendering.total,
                "done": rendering.done,
                "failed": rendering.failed,
                "started_at": rendering.started_at,
                "finished_at": rendering.finished_at,
            })),
        })
    };
    let row = |RecipeView { recipe, rendering }: &RecipeView| {
        let rendered = rendering.as_ref().map_or_else(String::new, |rendering| {
            format!("{} %, {} of {} failed", rendering.percent(), rendering.failed, rendering.done)
        });
        let kind = recipe.kind.recipe_type();
        let cache = recipe.cache.as_str().to_owned();
        [recipe.index.to_string(), kind.as_str().to_owned(), settings_of(&recipe.kind), cache, rendered]
    };
    RECIPES.list(&library.recipes(caller).await?, as_json, json, row);
    Ok(())
}

const RECIPES: Table<5> =
    Table { columns: ["INDEX", "TYPE", "SETTINGS", "CACHE", "RENDERING"], empty: "There are no recipes." };

/// Settings as they are given on the command line.
fn settings_of(kind: &RecipeKind) -> String {
    let Ok(Value::Object(fields)) = serde_json::to_value(kind) else { return String::new() };
    let shown = fields.iter().filter(|(name, value)| *name != "variant_type_id" && !value.is_null());
    let words: Vec<String> = shown
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name}={text}"),
            other => format!("{name}={other}"),
        })
        .collect();
    words.join(" ")
}

/// Builds a recipe from the current settings `now`, overridden by `settings`. An unknown setting is an error.
fn kind(
    mut now: Map<String, Value>,
    recipe_type: &str,
    settings: Vec<(String, Value)>,
) -> Result<RecipeKind, Failure> {
    now.insert("variant_type_id".to_owned(), recipe_type.into());
    if recipe_type == RecipeType::Preview.as_str() {
        now.entry("preview_type").or_insert_with(|| "seconds".into());
    }
    let wanted: Vec<String> = settings.iter().map(|(name, _)| name.clone()).collect();
    now.extend(settings);
    let kind: RecipeKind = serde_json::from_value(Value::Object(now))
        .map_err(|error| Failure::Usage(format!("invalid settings: {error}")))?;
    let known = serde_json::to_value(&kind).map_err(Failure::failed)?;
    match wanted.iter().find(|name| known.get(name.as_str()).is_none()) {
        None => Ok(kind),
        Some(name) => Err(Failure::Usage(format!("{recipe_type} has no setting {name}"))),
    }
}

async fn find(library: &Library, caller: &Caller, index: &VariantIndex) -> Result<RecipeView, Failure> {
    let found = library.recipes(caller).await?.into_iter().find(|view| view.recipe.index == *index);
    found.ok_or_else(|| Failure::failed(format!("there is no recipe {index}")))
}

async fn render(library: &Library, caller: &Caller, id: tonearm_domain::VariantId) -> Result<(), Failure> {
    let rendering = library.render_existing(caller, id).await?;
    print::outln!(
        "rendering {} tracks in the background; `tonearm recipe list` shows the progress",
        rendering.total
    );
    Ok(())
}

async fn wait(library: &Library, caller: &Caller, index: &VariantIndex) -> Result<(), Failure> {
    let bar = ProgressBar::new(0).with_style(
        ProgressStyle::with_template("{bar:40} {pos} of {len} tracks, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    loop {
        let Some(rendering) = find(library, caller, index).await?.rendering else { break };
        bar.set_length(rendering.total.max(rendering.done));
        bar.set_position(rendering.done);
        if rendering.finished_at.is_some() {
            bar.finish();
            print::outln!("{} tracks, {} failed", rendering.done, rendering.failed);
            break;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(recipe_type: &str, settings: &[&str]) -> Result<RecipeKind, Failure> {
        let settings = settings.iter().map(|text| setting(text).unwrap()).collect();
        kind(Map::new(), recipe_type, settings)
    }

    #[test]
    fn settings_make_recipes() {
        let Ok(RecipeKind::Transcode(transcode)) = made("transcode", &["codec=opus", "bitrate=96"]) else {
            panic!("no transcode")
        };
        assert_eq!((transcode.codec, transcode.bitrate), (tonearm_domain::Codec::Opus, 96));
        assert!(matches!(made("preview", &["preview_seconds=12.5"]), Ok(RecipeKind::Preview(_))));
        let image = made("waveform_image", &["width=640", "color=#ff0000"]);
        assert!(matches!(image, Ok(RecipeKind::WaveformImage(image)) if image.width == 640));
        for (recipe_type, settings) in [
            ("transcode", &["codec=cassette"][..]),
            ("transcode", &["loudness=3"]),
            ("levels", &["num_samples=many"]),
            ("anything", &[]),
        ] {
            assert!(matches!(made(recipe_type, settings), Err(Failure::Usage(_))), "{settings:?}");
        }
    }

    #[test]
    fn settings_are_shown_as_they_are_given() {
        let Ok(kind) = made("cover", &["size=large"]) else { panic!("no cover") };
        assert_eq!(settings_of(&kind), "size=large");
    }
}
