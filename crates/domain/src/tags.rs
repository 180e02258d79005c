//! Tags of a file, mapped from the names of each container to one vocabulary.

use std::collections::BTreeMap;

use crate::tag_values::{Numbered, language, line, lines, year};
use crate::track::TrackInfo;

/// Maximum number of tags that are stored for a file, and maximum length of each in characters.
const MOST_TAGS: usize = 64;
const LONGEST_TAG: usize = 1000;
/// Maximum number of characters of lyrics: synchronised lyrics of a long song have about as many.
const LONGEST_LYRICS: usize = 20_000;

/// The names that containers use for a tag, in lower case and without spaces, `_`, `-` and `/`. Earlier names have
/// priority.
const TITLE: &[&str] = &["title", "tit2", "inam", "name"];
const ARTIST: &[&str] = &["artist", "tpe1", "iart", "author", "performer", "wmauthor"];
const ALBUM: &[&str] = &["album", "talb", "iprd", "wmalbumtitle"];
const ALBUM_ARTIST: &[&str] = &["albumartist", "tpe2", "wmalbumartist", "ensemble"];
const COMPOSER: &[&str] = &["composer", "tcom", "wmcomposer", "writer"];
const GENRE: &[&str] = &["genre", "tcon", "ignr", "wmgenre"];
const PUBLISHER: &[&str] = &["publisher", "tpub", "wmpublisher", "label", "organization"];
const COMMENT: &[&str] = &["comment", "comm", "icmt", "description"];
const TRACK: &[&str] = &["track", "tracknumber", "trck", "itrk", "wmtracknumber", "partnumber"];
const TRACK_TOTAL: &[&str] = &["tracktotal", "totaltracks", "trackcount", "totalparts"];
const DISC: &[&str] = &["disc", "discnumber", "disk", "disknumber", "tpos", "partofset", "wmpartofset"];
const DISC_TOTAL: &[&str] = &["disctotal", "totaldiscs", "disccount", "disktotal"];
/// The year of this release has priority over the year of the original release.
const YEAR: &[&str] = &[
    "date",
    "year",
    "tdrc",
    "tyer",
    "tdrl",
    "icrd",
    "wmyear",
    "releasedate",
    "originaldate",
    "originalyear",
    "tdor",
    "tory",
];
const LANGUAGE: &[&str] = &["language", "tlan", "ilng", "wmlanguage", "lang"];
const LYRICS: &[&str] =
    &["lyrics", "unsyncedlyrics", "unsynchronisedlyrics", "uslt", "wmlyrics", "syncedlyrics"];
/// The prefix of ID3 lyrics, whose name contains the language: `lyrics-eng`.
const LYRICS_IN: &str = "lyrics-";

/// The tags of a file in the common vocabulary. Texts are trimmed, limited in length, and without control characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    /// The title. At most 1000 characters, like all texts except the lyrics.
    pub title: Option<String>,
    /// The performer.
    pub artist: Option<String>,
    /// The album.
    pub album: Option<String>,
    /// The artist of the album.
    pub album_artist: Option<String>,
    /// The composer.
    pub composer: Option<String>,
    /// The track number on its disc, and the total.
    pub track: Numbered,
    /// The disc number, and the total.
    pub disc: Numbered,
    /// The genre, as it is written in the file.
    pub genre: Option<String>,
    /// The year of release, 1000..=9999.
    pub year: Option<u16>,
    /// The language (BCP 47).
    pub language: Option<String>,
    /// The words that are sung or read, with line breaks; at most 20,000 characters.
    pub lyrics: Option<String>,
    /// The comment. It may have several lines.
    pub comment: Option<String>,
    /// The label or publisher.
    pub publisher: Option<String>,
}

/// Normalises the name of a tag, so that spellings of different containers compare equal.
fn fold(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '_' | '-' | '/')).flat_map(char::to_lowercase).collect()
}

/// Whether a tag with this lower-case name contains lyrics.
pub(crate) fn holds_lyrics(name: &str) -> bool {
    name.starts_with(LYRICS_IN) || LYRICS.contains(&fold(name).as_str())
}

impl Tags {
    /// The names that [`Tags::named`] returns.
    pub const NAMES: [&str; 15] = [
        "title",
        "artist",
        "album",
        "album_artist",
        "composer",
        "genre",
        "publisher",
        "comment",
        "track_number",
        "track_total",
        "disc_number",
        "disc_total",
        "year",
        "language",
        "lyrics",
    ];

    /// Reads the names and values of a container. If a name occurs twice, its first value is used. The input may be
    /// arbitrary.
    pub fn read<'a>(raw: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let (mut by_name, mut lyrics_in) = (BTreeMap::new(), None);
        for (name, value) in raw.into_iter().filter(|(_, value)| !value.trim().is_empty()) {
            if name.to_lowercase().starts_with(LYRICS_IN) {
                lyrics_in.get_or_insert(value);
            }
            by_name.entry(fold(name)).or_insert(value);
        }
        let all = |names: &'static [&str]| names.iter().filter_map(|name| by_name.get(*name).copied());
        let text = |names| all(names).find_map(|value| line(value, LONGEST_TAG));
        let numbered = |names, totals| {
            let number = all(names).map(Numbered::parse).find(|found| found.number.is_some());
            number.unwrap_or_default().or_total(all(totals).find_map(|value| Numbered::parse(value).number))
        };
        Self {
            title: text(TITLE),
            artist: text(ARTIST),
            album: text(ALBUM),
            album_artist: text(ALBUM_ARTIST),
            composer: text(COMPOSER),
            track: numbered(TRACK, TRACK_TOTAL),
            disc: numbered(DISC, DISC_TOTAL),
            genre: text(GENRE),
            year: all(YEAR).find_map(year),
            language: all(LANGUAGE).find_map(language),
            lyrics: all(LYRICS).chain(lyrics_in).find_map(|value| lines(value, LONGEST_LYRICS)),
            comment: all(COMMENT).find_map(|value| lines(value, LONGEST_TAG)),
            publisher: text(PUBLISHER),
        }
    }

    /// The values that are present, by the names of the vocabulary.
    pub fn named(self) -> impl Iterator<Item = (&'static str, String)> {
        let number = |number: Option<u16>| number.map(|number| number.to_string());
        let values = [
            self.title,
            self.artist,
            self.album,
            self.album_artist,
            self.composer,
            self.genre,
            self.publisher,
            self.comment,
            number(self.track.number),
            number(self.track.total),
            number(self.disc.number),
            number(self.disc.total),
            number(self.year),
            self.language,
            self.lyrics,
        ];
        Self::NAMES.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?)))
    }

    /// The tags of a file that are stored: first those of the vocabulary, then the others by their own names in lower
    /// case; at most 64.
    pub fn kept<'a>(
        raw: impl IntoIterator<Item = (&'a str, &'a str), IntoIter: Clone>,
    ) -> BTreeMap<String, String> {
        let raw = raw.into_iter();
        let standard = Self::read(raw.clone()).named();
        let mut kept: BTreeMap<String, String> =
            standard.map(|(name, value)| (name.to_owned(), value)).collect();
        for (name, value) in raw {
            if kept.len() == MOST_TAGS {
                break;
            }
            let Some(name) = line(&name.to_lowercase(), LONGEST_TAG) else { continue };
            if Self::NAMES.contains(&name.as_str()) || holds_lyrics(&name) || kept.contains_key(&name) {
                continue;
            }
            kept.extend(lines(value, LONGEST_TAG).map(|value| (name, value)));
        }
        kept
    }
}

impl TrackInfo {
    /// Reads the stored tags of the file.
    pub fn read_tags(&self) -> Tags {
        Tags::read(self.tags.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kept(raw: &[(&str, &str)]) -> BTreeMap<String, String> {
        Tags::kept(raw.iter().copied())
    }

    #[test]
    fn containers_have_many_names_for_one_thing() {
        let read = |raw: &[(&str, &str)]| Tags::read(raw.iter().copied());
        let same = [
            read(&[("ALBUMARTIST", "A"), ("TRACKNUMBER", "3"), ("TRACKTOTAL", "12"), ("DISCNUMBER", "1")]),
            read(&[("album_artist", "A"), ("track", "3/12"), ("disc", "1")]),
            read(&[("Album Artist", "A"), ("Track", "03 of 12"), ("TPOS", "1/0")]),
            read(&[
                ("WM/AlbumArtist", "A"),
                ("WM/TrackNumber", "3"),
                ("TotalTracks", "12"),
                ("WM/PartOfSet", "1"),
            ]),
        ];
        for tags in &same {
            assert_eq!(*tags, same[0]);
        }
        assert_eq!(same[0].track, Numbered { number: Some(3), total: Some(12) });
        assert_eq!(read(&[("author", "A"), ("IARt", "B")]).artist.as_deref(), Some("B"));
        assert_eq!(read(&[("originaldate", "1969"), ("DATE", "2024-05-01")]).year, Some(2024));
        assert_eq!(read(&[("date", "0000"), ("TYER", "1999")]).year, Some(1999));
    }

    #[test]
    fn lyrics_are_told_once_and_in_lines() {
        for name in ["lyrics-eng", "LYRICS", "UNSYNCEDLYRICS", "USLT", "Lyrics-XXX", "unsynced lyrics"] {
            let tags = kept(&[(name, "one\r\ntwo\u{0}\n"), ("x", "y")]);
            assert_eq!(tags.get("lyrics").map(String::as_str), Some("one\ntwo"), "{name}");
            assert_eq!(tags.len(), 2, "{name}");
        }
        let tags = kept(&[("lyrics", &"é".repeat(30_000))]);
        assert_eq!(tags["lyrics"].chars().count(), LONGEST_LYRICS);
    }

    #[test]
    fn what_it_knows_is_kept_whatever_else_there_is() {
        let many: Vec<(String, String)> = (0..100).map(|n| (format!("A{n:03}"), "é".repeat(5000))).collect();
        let raw = many.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let tags = Tags::kept(raw.chain([("TITLE", "A\u{0} b "), ("track", "3/12"), ("year", "soon")]));
        assert_eq!((tags.len(), tags["title"].as_str(), tags["track_number"].as_str()), (64, "A b", "3"));
        assert!(tags.values().all(|value| value.chars().count() <= 1000));
        assert_eq!(tags.get("year"), None, "names of the vocabulary hold what it says");
        assert_eq!(kept(&[("track", "A1")])["track"], "A1");
        assert_eq!(kept(&[("", "x"), ("\u{202e}", "x"), ("x", " \n")]), BTreeMap::new());
    }

    proptest! {
        #[test]
        fn anything_may_be_told(raw in prop::collection::vec((".{0,20}", "(?s).{0,40}"), 0..90)) {
            let raw = || raw.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            let tags = Tags::kept(raw());
            prop_assert!(tags.len() <= MOST_TAGS);
            for (name, value) in &tags {
                prop_assert!(!name.is_empty() && !value.trim().is_empty());
                prop_assert!(!value.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
            }
            // Reading the stored tags again gives the same result.
            let again = Tags::kept(tags.iter().map(|(name, value)| (name.as_str(), value.as_str())));
            for name in Tags::NAMES {
                prop_assert_eq!(again.get(name), tags.get(name));
            }
        }
    }
}
