//! The metadata in a track's file: its tags, its chapters and its lyrics.

use tonearm_domain::{Numbered, TrackInfo};

use crate::amount::clock;
use crate::text::{Message, t};

/// The metadata in a track's file.
pub(super) struct FileTags {
    /// Tags with names for people.
    pub(super) tags: Vec<(Message, String)>,
    pub(super) chapters: Vec<ChapterRow>,
    pub(super) lyrics: Option<String>,
    /// The language that the file declares; empty if it declares none.
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
            ("track-tag-title", tags.title),
            ("track-tag-artist", tags.artist),
            ("track-tag-album", tags.album),
            ("track-tag-album-artist", tags.album_artist),
            ("track-tag-track", place(tags.track)),
            ("track-tag-disc", place(tags.disc)),
            ("track-tag-composer", tags.composer),
            ("track-tag-genre", tags.genre),
            ("track-tag-year", tags.year.map(|year| year.to_string())),
            ("track-tag-publisher", tags.publisher),
            ("track-tag-language", tags.language),
            ("track-tag-comment", tags.comment),
        ];
        let chapters = info.chapters.into_iter().enumerate().map(|(n, chapter)| ChapterRow {
            start: clock(chapter.start),
            seconds: chapter.start,
            title: chapter.title.unwrap_or_else(|| t("track-chapter").with("number", n + 1).into()),
        });
        Self {
            tags: named.into_iter().filter_map(|(id, text)| Some((t(id), text?))).collect(),
            chapters: chapters.collect(),
            lyrics: tags.lyrics,
            language,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.chapters.is_empty() && self.lyrics.is_none()
    }
}

/// The number of a track or a disc: `3`, or `3 of 12`.
fn place(numbered: Numbered) -> Option<String> {
    let number = numbered.number?.to_string();
    let Some(total) = numbered.total else { return Some(number) };
    Some(t("track-tag-place").with("number", number).with("total", total.to_string()).into())
}
