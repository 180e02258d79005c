//! The pictures of a track: its cover and its waveform images.

use tonearm_domain::{
    Colour, ContentType, Cover, CoverOrigin, CoverSettings, CoverSize, FileData, Inputs, LevelsSettings,
    PlacedCover, Theme, ThemeColour, Track, WaveformImage, WaveformVideo,
};
use tonearm_media::{MediaError, Rendered, RunScope};
use tonearm_signal::{CoverImage, Covers};

use super::analysis::{Analysed, drawn_levels};
use super::files::{Made, MadeCover};
use super::plan::PlannedFile;
use super::run_context::RunContext;
use super::stop::Stop;
use crate::library::covers;
use crate::processing::job_error::JobError;
use crate::processing::runner::Processing;
use crate::track_view::TrackParents;

/// What a track may take from the art in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CoverTerms {
    pub(super) takes_cover: bool,
    pub(super) takes_theme: bool,
}

impl CoverTerms {
    pub(super) fn of(parents: &TrackParents, track: &Track) -> Self {
        let Inputs { takes_cover, takes_theme, .. } = parents.inputs(track);
        Self { takes_cover, takes_theme }
    }
}

/// Whether a track has a cover that was uploaded before its source, and no placeholder beside it.
pub(super) fn needs_placeholder(track: &Track) -> bool {
    let is_uploaded = track.cover.is_some_and(|cover| cover.origin == CoverOrigin::Uploaded);
    is_uploaded && track.placeholder.is_none() && !Analysed::is_recorded(track)
}

impl Processing {
    /// Makes the cover of a track that has none: from the art in its file if that may be used, else drawn from its
    /// waveform and colour. A cover that was uploaded earlier is kept; a placeholder is drawn beside it for when it may
    /// not be shown.
    pub(super) async fn make_cover(
        &self,
        context: &RunContext<'_>,
        analysed: &Analysed,
    ) -> Result<Option<MadeCover>, JobError> {
        let track = &context.track;
        if needs_placeholder(track) {
            return self.make_placeholder(track, analysed).await.map(Some);
        }
        if track.cover.is_some() {
            return Ok(None);
        }
        let parents = TrackParents::of(&self.catalog, track.organization_id, track.collection_id)
            .await
            .map_err(JobError::from)?;
        let CoverTerms { takes_cover, takes_theme } = CoverTerms::of(&parents, track);
        let found = match takes_cover || takes_theme {
            true => self.embedded_cover(context).await?,
            false => None,
        };
        let (images, theme) = found.map_or_else(Default::default, |found| (found.images, found.theme));
        let theme = if takes_theme { theme } else { Vec::new() };
        let (images, origin) = if takes_cover && !images.is_empty() {
            (images, CoverOrigin::Embedded)
        } else {
            let levels = analysed.bars(&LevelsSettings::default()).to_vec();
            let drawn = self.draw_placeholder(&parents, track, &theme, levels).await?;
            (drawn, CoverOrigin::Generated)
        };
        let cover = self.store_cover(track, origin, &images).await?;
        Ok(Some(MadeCover::new(cover, theme, false, (&parents, track))))
    }

    /// Draws a placeholder beside the track's cover, whose colours stay.
    pub(super) async fn make_placeholder(
        &self,
        track: &Track,
        analysed: &Analysed,
    ) -> Result<MadeCover, JobError> {
        let parents = TrackParents::of(&self.catalog, track.organization_id, track.collection_id)
            .await
            .map_err(JobError::from)?;
        let theme = track.theme.found.clone();
        let levels = analysed.bars(&LevelsSettings::default()).to_vec();
        let drawn = self.draw_placeholder(&parents, track, &theme, levels).await?;
        let cover = self.store_cover(track, CoverOrigin::Generated, &drawn).await?;
        Ok(MadeCover::new(cover, theme, true, (&parents, track)))
    }

    pub(super) async fn store_cover(
        &self,
        track: &Track,
        origin: CoverOrigin,
        images: &[CoverImage],
    ) -> Result<Cover, JobError> {
        let cover = Cover { version: self.ambient.short_id(), origin };
        covers::store(&self.blobs, track.organization_id, track.index, cover, images).await?;
        Ok(cover)
    }

    /// Draws the listed sizes of a cover from a waveform, in the colour that applies given the colours found.
    pub(super) async fn draw_placeholder(
        &self,
        parents: &TrackParents,
        track: &Track,
        found: &[ThemeColour],
        levels: Vec<f64>,
    ) -> Result<Vec<CoverImage>, JobError> {
        let theme = Theme { found: found.to_vec(), ..track.theme.clone() };
        let colour = parents.view(Track { theme, ..track.clone() }).colours.base;
        let draw = move || tonearm_signal::placeholder(colour, &levels, &CoverSize::LISTED);
        tokio::task::spawn_blocking(draw).await.map_err(JobError::internal)
    }

    /// The covers made from the art in the source, if any.
    async fn embedded_cover(&self, context: &RunContext<'_>) -> Result<Option<Covers>, MediaError> {
        // Reading the tags of a file takes a process of its own.
        if !context.probe.may_have_tags() {
            return Ok(None);
        }
        covers::embedded(&self.media.pictures(), context.track.organization_id, context.input()).await
    }

    /// The player colour of a track: its own, or an inherited one.
    async fn colour(&self, context: &RunContext<'_>) -> Result<Colour, JobError> {
        let track = &context.track;
        let parents = TrackParents::of(&self.catalog, track.organization_id, track.collection_id)
            .await
            .map_err(JobError::from)?;
        Ok(parents.view(track.clone()).colours.base)
    }

    pub(super) async fn draw_image(
        &self,
        context: &RunContext<'_>,
        settings: &WaveformImage,
        analysed: &Analysed,
    ) -> Result<Made, Stop> {
        let colour = self.colour(context).await?;
        let levels = analysed.bars(&drawn_levels(settings.width)).to_vec();
        let drawn_in = settings.color.is_none().then_some(colour);
        let data = FileData::Picture { width: settings.width, height: settings.height, colour: drawn_in };
        let settings = settings.clone();
        let draw = move || tonearm_signal::waveform_image(&settings, colour, &levels);
        let png = tokio::task::spawn_blocking(draw).await?.map_err(MediaError::from)?;
        Ok(Made::Bytes(png.into(), ContentType::Png, data))
    }

    pub(super) async fn render_video(
        &self,
        context: &RunContext<'_>,
        planned: &PlannedFile,
        settings: &WaveformVideo,
        analysed: &Analysed,
        scope: &RunScope,
    ) -> Result<Made, Stop> {
        let colour = self.colour(context).await?;
        let progress = context.board.follow(planned.recipes.clone());
        let rendered = self
            .media
            .waveform_video(
                context.input(),
                &analysed.probe,
                analysed.probe.duration,
                settings,
                colour,
                analysed.bars(&drawn_levels(settings.width)),
                context.scratch(),
                scope,
                Some(progress),
            )
            .await?;
        let colour = settings.color.is_none().then_some(colour);
        let data = FileData::Picture { width: settings.width, height: settings.height, colour };
        Ok(Made::Rendered(Rendered { data, ..rendered }))
    }

    /// The cover as a file: the picture that players show for the track. If its own cover is not made yet, that is the
    /// art in its file if it may be used, else an inherited cover, else a drawn one.
    pub(super) async fn cut_cover(
        &self,
        context: &RunContext<'_>,
        settings: &CoverSettings,
        analysed: Option<&Analysed>,
    ) -> Result<Made, Stop> {
        let size = settings.size;
        let data = FileData::Picture { width: size.side(), height: size.side(), colour: None };
        let track = &context.track;
        let parents = TrackParents::of(&self.catalog, track.organization_id, track.collection_id).await;
        let parents = parents.map_err(JobError::from)?;
        let found = match track.cover.is_none() && CoverTerms::of(&parents, track).takes_cover {
            true => self.embedded_cover(context).await?,
            false => None,
        };
        let jpeg = match (found, parents.view(track.clone()).cover) {
            (Some(found), _) => {
                found.images.into_iter().find(|image| image.size == size).map(|image| image.jpeg)
            }
            (None, Some(PlacedCover { cover, folder })) => {
                let key = cover.key(track.organization_id, folder, size);
                self.stored(&key, context.scratch()).await?
            }
            (None, None) => None,
        };
        let jpeg = match jpeg {
            Some(jpeg) => jpeg,
            None => self.drawn_cover(context, size, analysed).await?,
        };
        Ok(Made::Bytes(jpeg.into(), ContentType::Jpeg, data))
    }

    async fn drawn_cover(
        &self,
        context: &RunContext<'_>,
        size: CoverSize,
        analysed: Option<&Analysed>,
    ) -> Result<Vec<u8>, Stop> {
        let colour = self.colour(context).await?;
        let levels = analysed.map(|analysed| analysed.bars(&LevelsSettings::default()).to_vec());
        Ok(draw_size(colour, levels.unwrap_or_default(), size).await?)
    }
}

/// One size of a drawn cover, as JPEG.
pub(super) async fn draw_size(
    colour: Colour,
    levels: Vec<f64>,
    size: CoverSize,
) -> Result<Vec<u8>, JobError> {
    let draw = move || tonearm_signal::placeholder(colour, &levels, &[size]);
    let drawn = tokio::task::spawn_blocking(draw).await.map_err(JobError::internal)?;
    let missing = || JobError::internal("the cover could not be drawn");
    drawn.into_iter().next().map(|image| image.jpeg).ok_or_else(missing)
}
