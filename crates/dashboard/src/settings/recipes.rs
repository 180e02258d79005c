//! Variants: what is rendered for every track.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde_json::json;
use tonearm_domain::{
    CachePolicy, Metric, Recipe, RecipeKind, RecipeSettings, RecipeType, Rendering, Total, VariantId,
    VariantIndex,
};
use tonearm_service::{RecipeView, TrackInRendering};

use crate::app::Dashboard;
use crate::error::PageError;
use crate::flash::Flash;
use crate::form::{Fields, Problems};
use crate::page::{Frame, Section, render, render_with};
use crate::path::PathId;
use crate::recipe_text::{sound_line, type_title};
use crate::session::{Member, Owner};
use crate::text::{Message, t, translate};

#[derive(Template)]
#[template(path = "settings/recipes.html")]
struct RecipesPage {
    frame: Frame,
    rows: Vec<RecipeRow>,
    removed: Vec<RemovedRow>,
    form: RecipeForm,
    problems: Problems,
}

struct RecipeRow {
    id: String,
    index: String,
    kind: Message,
    settings: String,
    rendering: Option<RenderingRow>,
}

/// A recipe that is being removed.
struct RemovedRow {
    index: String,
    kind: Message,
    /// How many files it still has.
    left: Message,
}

struct RenderingRow {
    percent: u8,
    done: u64,
    total: u64,
    failed: u64,
    is_over: bool,
    /// The tracks being rendered, and their progress.
    making: Option<Message>,
}

/// The form as it was filled in; empty fields use the defaults.
#[derive(Default)]
struct RecipeForm {
    index: String,
    kind: String,
    codec: String,
    bitrate: String,
    is_mono: bool,
    loudness: String,
    seconds: String,
    start: String,
    samples: String,
    metric: String,
    is_public: bool,
}

pub(super) async fn page(State(app): State<Dashboard>, member: Member<Owner>) -> Result<Response, PageError> {
    Ok(render(&RecipesPage::of(&app, &member, RecipeForm::usual(), Problems::default()).await?))
}

pub(super) async fn add(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    fields: Fields,
) -> Result<Response, PageError> {
    let form = RecipeForm::read(&fields);
    let problems = match form.parse() {
        Err(problems) => problems,
        Ok((index, kind)) => {
            match app.library.add_recipe(&member.caller(), index, kind, form.cache()).await {
                Ok(_) => return Ok(Flash::RecipeAdded.then(&member.path("/variants"))),
                Err(refusal) => Problems::of(refusal)?,
            }
        }
    };
    let page = RecipesPage::of(&app, &member, form, problems).await?;
    Ok(render_with(StatusCode::UNPROCESSABLE_ENTITY, &page))
}

pub(super) async fn remove(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(id): PathId<VariantId>,
) -> Result<Response, PageError> {
    app.library.remove_recipe(&member.caller(), id).await?;
    Ok(Flash::RecipeRemoved.then(&member.path("/variants")))
}

pub(super) async fn render_existing(
    State(app): State<Dashboard>,
    member: Member<Owner>,
    PathId(id): PathId<VariantId>,
) -> Result<Response, PageError> {
    app.library.render_existing(&member.caller(), id).await?;
    Ok(Flash::RenderQueued.then(&member.path("/variants")))
}

impl RecipeForm {
    fn usual() -> Self {
        let text = str::to_owned;
        Self {
            kind: text("transcode"),
            codec: text("aac"),
            bitrate: text("128"),
            seconds: text("30"),
            start: text("25"),
            samples: text("320"),
            metric: text("peak"),
            ..Self::default()
        }
    }

    fn read(fields: &Fields) -> Self {
        let text = |name: &str| fields.text(name).to_owned();
        Self {
            index: text("index"),
            kind: text("kind"),
            codec: text("codec"),
            bitrate: text("bitrate"),
            is_mono: fields.is_ticked("is_mono"),
            loudness: text("loudness"),
            seconds: text("seconds"),
            start: text("start"),
            samples: text("samples"),
            metric: text("metric"),
            is_public: fields.is_ticked("is_public"),
        }
    }

    fn cache(&self) -> CachePolicy {
        if self.is_public { CachePolicy::Public } else { CachePolicy::Private }
    }

    /// The settings are assembled in the API's format, so that their rules exist in one place.
    fn parse(&self) -> Result<(VariantIndex, RecipeKind), Problems> {
        let mut problems = Problems::default();
        let index = self.index.parse::<VariantIndex>();
        if index.is_err() {
            problems.add("index", &t("variants-bad-name").to_string());
        }
        let mut settings = RecipeSettings::new();
        let mut number = |name: &'static str, key: &str, text: &str| {
            if text.is_empty() {
                return;
            }
            match text.replace(',', ".").parse::<serde_json::Number>() {
                Ok(value) => {
                    settings.insert(key.to_owned(), value.into());
                }
                Err(_) => problems.add(name, &t("variants-no-number").to_string()),
            }
        };
        if self.is_sound() {
            number("bitrate", "bitrate", &self.bitrate);
            number("loudness", "loudness_target", &self.loudness);
        }
        if self.kind == "preview" {
            number("seconds", "preview_seconds", &self.seconds);
            number("start", "preview_start_percent", &self.start);
        }
        if self.kind == "levels" {
            number("samples", "num_samples", &self.samples);
            settings.insert("metric".to_owned(), json!(self.metric));
        }
        if self.is_sound() {
            settings.insert("codec".to_owned(), json!(self.codec));
            settings.insert("is_stereo".to_owned(), json!(!self.is_mono));
        }
        if self.kind == "preview" {
            settings.insert("preview_type".to_owned(), json!("seconds"));
        }
        let recipe_type = RecipeType::ALL.into_iter().find(|own| own.as_str() == self.kind);
        match (index, recipe_type) {
            (Ok(index), Some(recipe_type)) if problems.is_none() => {
                let kind = RecipeKind::from_settings(recipe_type, &settings);
                let wrong = |field: &str, problem: String| format!("{field} {}", translate(&problem));
                kind.map(|kind| (index, kind))
                    .map_err(|error| Problems::one("", &wrong(error.field(), error.to_string())))
            }
            (_, None) if problems.is_none() => Err(Problems::one("", &t("variants-choose-type").to_string())),
            _ => Err(problems),
        }
    }

    fn is_sound(&self) -> bool {
        matches!(self.kind.as_str(), "transcode" | "preview")
    }
}

impl RecipesPage {
    async fn of(
        app: &Dashboard,
        member: &Member<Owner>,
        form: RecipeForm,
        problems: Problems,
    ) -> Result<Self, PageError> {
        let recipes = app.library.recipes(&member.caller()).await?;
        let removed = app.library.recipes_being_removed(&member.caller()).await?;
        let is_rendered =
            |view: &RecipeView| view.rendering.as_ref().is_some_and(|it| it.finished_at.is_none());
        let making = match recipes.iter().any(is_rendered) {
            true => app.library.tracks_in_rendering(&member.caller()).await?,
            false => Vec::new(),
        };
        Ok(Self {
            frame: member.frame(t("base-variants"), Section::Recipes),
            rows: recipes.into_iter().map(|view| RecipeRow::of(view, &making)).collect(),
            removed: removed.into_iter().map(RemovedRow::of).collect(),
            form,
            problems,
        })
    }

    fn kinds(&self) -> [(&'static str, Message); 7] {
        [
            ("transcode", "variants-whole-track"),
            ("preview", "variants-part-of-track"),
            ("levels", "variants-waveform-data"),
            ("waveform_image", "variants-waveform-image"),
            ("waveform_video", "variants-waveform-video"),
            ("original", "variants-uploaded-file"),
            ("cover", "library-cover"),
        ]
        .map(|(kind, title)| (kind, t(title)))
    }

    fn codecs(&self) -> [(&'static str, String); 6] {
        let lossless = |codec: &'static str| t("variants-lossless").with("codec", codec).to_string();
        [
            ("aac", "AAC".to_owned()),
            ("mp3", "MP3".to_owned()),
            ("opus", "Opus".to_owned()),
            ("ogg", "Ogg Vorbis".to_owned()),
            ("flac", lossless("FLAC")),
            ("wav", lossless("WAV")),
        ]
    }
}

impl RemovedRow {
    fn of((recipe, left): (Recipe, Total)) -> Self {
        let left = match left {
            Total::Exactly(files) => t("variants-left").with("count", files),
            Total::MoreThan(files) => t("variants-more-left").with("count", files),
        };
        Self { index: recipe.index.to_string(), kind: type_title(recipe.kind.recipe_type()), left }
    }
}

impl RenderingRow {
    fn of(rendering: &Rendering, making: &[u8]) -> Self {
        let sum: usize = making.iter().map(|percent| usize::from(*percent)).sum();
        let average = sum.checked_div(making.len());
        let progress = |percent| t("variants-making").with("count", making.len()).with("percent", percent);
        Self {
            percent: rendering.percent_with(making),
            done: rendering.done,
            total: rendering.total,
            failed: rendering.failed,
            is_over: rendering.finished_at.is_some(),
            making: average.map(progress),
        }
    }
}

impl RecipeRow {
    fn of(view: RecipeView, making: &[TrackInRendering]) -> Self {
        let own = making.iter().filter(|track| track.variant_id == view.recipe.id);
        let own: Vec<u8> = own.map(|track| track.percent).collect();
        let rendering = view.rendering.as_ref().map(|rendering| RenderingRow::of(rendering, &own));
        let recipe = view.recipe;
        let settings = match &recipe.kind {
            RecipeKind::Levels(levels) => {
                let id = match levels.metric {
                    Metric::Peak => "variants-peak-levels",
                    Metric::Rms => "variants-rms-levels",
                };
                Some(t(id).with("count", levels.num_samples).into())
            }
            _ => sound_line(&recipe),
        };
        let cached = match recipe.cache {
            CachePolicy::Private => None,
            CachePolicy::Public => Some(t("variants-cached").into()),
        };
        let settings: Vec<String> = settings.into_iter().chain(cached).collect();
        Self {
            id: recipe.id.to_string(),
            kind: type_title(recipe.kind.recipe_type()),
            index: recipe.index.to_string(),
            settings: settings.join(" · "),
            rendering,
        }
    }
}
