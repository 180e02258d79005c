//! Pictures of a track: its cover, and drawings of its waveform.

use tonearm_domain::{
    Colour, ContentType, Cover, CoverOrigin, CoverSettings, CoverSize, FileData, LevelsSettings, Theme,
    Track, WaveformImage, WaveformVideo,
};
use tonearm_media::RunScope;

use super::analysis::{Analysed, drawn_levels};
use super::files::{Made, MadeCover};
use super::plan::Piece;
use super::stop::Stop;
use super::workbench::Workbench;
use super::{JobError, Processing};
use crate::covers;
use crate::track_view::Surroundings;

/// Whether a track has a cover that was uploaded before its sound, and nothing drawn beside it.
pub(super) fn needs_placeholder(track: &Track) -> bool {
    let is_uploaded = track.cover.is_some_and(|cover| cover.origin == CoverOrigin::Uploaded);
    is_uploaded && track.placeholder.is_none() && !Analysed::is_recorded(track)
}

impl Processing {
    /// Makes the cover that a track without one gets: from the art in its file where that may be used, else drawn
    /// from its waveform and colour. One that was uploaded before is kept; for when it may not be shown, there is a
    /// drawn one beside it.
    pub(super) async fn make_cover(
        &self,
        bench: &Workbench<'_>,
        analysed: &Analysed,
    ) -> Result<Option<MadeCover>, JobError> {
        let track = &bench.track;
        let is_beside = needs_placeholder(track);
        if track.cover.is_some() && !is_beside {
            return Ok(None);
        }
        let surroundings =
            Surroundings::of(&self.catalog, track.organization_id, track.collection_id).await?;
        let Surroundings { organization, collection } = &surroundings;
        let takes_cover = organization.is_cover_overridable
            && collection.is_cover_overridable
            && track.is_cover_overridable;
        let takes_theme = organization.is_theme_overridable
            && collection.is_theme_overridable
            && track.is_theme_overridable;
        let looks_inside = !is_beside && (takes_cover || takes_theme);
        let found = match looks_inside {
            true => covers::embedded(&self.media.pictures(), bench.input()).await?,
            false => None,
        };
        let (images, theme) = found.map_or_else(Default::default, |found| (found.images, found.theme));
        let theme = match (is_beside, takes_theme) {
            (true, _) => track.theme.found.clone(),
            (false, true) => theme,
            (false, false) => Vec::new(),
        };
        let (images, origin) = if takes_cover && !images.is_empty() {
            (images, CoverOrigin::Embedded)
        } else {
            let theme = Theme { found: theme.clone(), ..track.theme.clone() };
            let track = Track { theme, ..track.clone() };
            let colour = surroundings.view(track).colours.base;
            let levels = analysed.bars(&LevelsSettings::default()).to_vec();
            let draw = move || tonearm_media::placeholder(colour, &levels, &CoverSize::LISTED);
            (tokio::task::spawn_blocking(draw).await.map_err(JobError::internal)?, CoverOrigin::Generated)
        };
        let cover = Cover { version: self.ambient.short_id(), origin };
        covers::store(&self.blobs, track.organization_id, track.index, cover, images).await?;
        Ok(Some(MadeCover { cover, theme }))
    }

    /// The colour that counts for a track.
    async fn colour(&self, bench: &Workbench<'_>) -> Result<Colour, JobError> {
        let track = &bench.track;
        let surroundings =
            Surroundings::of(&self.catalog, track.organization_id, track.collection_id).await?;
        Ok(surroundings.view(track.clone()).colours.base)
    }

    pub(super) async fn draw_image(
        &self,
        bench: &Workbench<'_>,
        settings: &WaveformImage,
        analysed: &Analysed,
    ) -> Result<Made, Stop> {
        let colour = self.colour(bench).await?;
        let levels = analysed.bars(&drawn_levels(settings.width)).to_vec();
        let data = FileData::Picture { width: settings.width, height: settings.height };
        let settings = settings.clone();
        let draw = move || tonearm_media::waveform_image(&settings, colour, &levels);
        let png = tokio::task::spawn_blocking(draw).await??;
        Ok(Made::Bytes(png.into(), ContentType::Png, data))
    }

    pub(super) async fn render_video(
        &self,
        bench: &Workbench<'_>,
        piece: &Piece,
        settings: &WaveformVideo,
        analysed: &Analysed,
        scope: &RunScope,
    ) -> Result<Made, Stop> {
        let colour = self.colour(bench).await?;
        let progress = bench.board.follow(piece.recipes.clone());
        let rendered = self
            .media
            .waveform_video(
                bench.input(),
                &analysed.probe,
                analysed.probe.duration,
                settings,
                colour,
                analysed.bars(&drawn_levels(settings.width)),
                bench.scratch(),
                scope,
                Some(progress),
            )
            .await?;
        Ok(Made::Rendered(rendered))
    }

    /// The cover as a file of its own: the track's uploaded one, else the art in its file, else a drawn one.
    pub(super) async fn cut_cover(
        &self,
        bench: &Workbench<'_>,
        settings: &CoverSettings,
        analysed: Option<&Analysed>,
    ) -> Result<Made, Stop> {
        let size = settings.size;
        let data = FileData::Picture { width: size.side(), height: size.side() };
        let uploaded = bench.track.cover.filter(|cover| cover.origin == CoverOrigin::Uploaded);
        let jpeg = match uploaded {
            Some(cover) => self.stored_cover(bench, cover, size).await?,
            None => {
                let found = covers::embedded(&self.media.pictures(), bench.input()).await?;
                found.and_then(|found| found.images.into_iter().find(|image| image.size == size))
            }
            .map(|image| image.jpeg),
        };
        let jpeg = match jpeg {
            Some(jpeg) => jpeg,
            None => self.drawn_cover(bench, size, analysed).await?,
        };
        Ok(Made::Bytes(jpeg.into(), ContentType::Jpeg, data))
    }

    async fn stored_cover(
        &self,
        bench: &Workbench<'_>,
        cover: Cover,
        size: CoverSize,
    ) -> Result<Option<Vec<u8>>, JobError> {
        let key = cover.key(bench.track.organization_id, bench.track.index, size);
        self.stored(&key, bench.scratch()).await
    }

    async fn drawn_cover(
        &self,
        bench: &Workbench<'_>,
        size: CoverSize,
        analysed: Option<&Analysed>,
    ) -> Result<Vec<u8>, Stop> {
        let colour = self.colour(bench).await?;
        let levels = analysed.map(|analysed| analysed.bars(&LevelsSettings::default()).to_vec());
        let levels = levels.unwrap_or_default();
        let draw = move || tonearm_media::placeholder(colour, &levels, &[size]);
        let drawn = tokio::task::spawn_blocking(draw).await?;
        let missing = || Stop::Job(JobError::internal("the cover could not be drawn"));
        drawn.into_iter().next().map(|image| image.jpeg).ok_or_else(missing)
    }
}
