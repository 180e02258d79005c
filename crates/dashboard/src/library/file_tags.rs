//! What the file of a track tells: its tags, its chapters and its lyrics.

use tonearm_domain::TrackInfo;

use crate::amount::clock;

/// What the file of a track tells.
pub(super) struct FileTags {
    /// What is known by a name that people know.
    pub(super) tags: Vec<(&'static str, String)>,
    pub(super) chapters: Vec<ChapterRow>,
    pub(super) lyrics: Option<String>,
    /// The language that the file says it is in; empty where it does not.
    pub(super) language: String,
}

/// A chapter and where it begins.
pub(super) struct ChapterRow {
    pub(super) start: String,
    /// The same in seconds.
    pub(super) seconds: f64,
    pub(super) title: String,
}

impl FileTags {
    pub(super) fn of(info: TrackInfo) -> Self {
        let tags = info.read_tags();
        let language = tags.language.clone().unwrap_or_default();
        let named = [
            ("Title", tags.title),
            ("Artist", tags.artist),
            ("Album", tags.album),
            ("Album artist", tags.album_artist),
            ("Track", tags.track.shown()),
            ("Disc", tags.disc.shown()),
            ("Composer", tags.composer),
            ("Genre", tags.genre),
            ("Year", tags.year.map(|year| year.to_string())),
            ("Publisher", tags.publisher),
            ("Language", tags.language),
            ("Comment", tags.comment),
        ];
        let chapters = info.chapters.into_iter().enumerate().map(|(n, chapter)| ChapterRow {
            start: clock(chapter.start),
            seconds: chapter.start,
            title: chapter.title.unwrap_or_else(|| format!("Chapter {}", n + 1)),
        });
        Self {
            tags: named.into_iter().filter_map(|(name, text)| Some((name, text?))).collect(),
            chapters: chapters.collect(),
            lyrics: tags.lyrics,
            language,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.chapters.is_empty() && self.lyrics.is_none()
    }
}
