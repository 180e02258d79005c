//! Lists that people leaf through: what they are searched by, how they are sorted, and where a page begins.

use crate::short_id::ShortId;
use crate::tags::holds_lyrics;
use crate::track::{Track, TrackInfo};

/// Characters of a track's text that are searched.
const MOST_SEARCHED: usize = 2000;
/// Characters that titles are sorted by.
const MOST_SORTED: usize = 100;
/// Words of a search that count, and characters of each.
const MOST_WORDS: usize = 8;
const LONGEST_WORD: usize = 64;

/// How a list of tracks is sorted. Ids decide where two tracks are alike, so that every order is total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TrackSort {
    /// As players show them. Only a collection has such an order; elsewhere the newest come first.
    #[default]
    Order,
    /// By title, from a to z.
    Title,
    /// The newest first.
    Newest,
    /// The longest first.
    Longest,
    /// Those that need somebody first, then those in the making, then those that are ready.
    Status,
}

/// How a list of collections is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CollectionSort {
    /// The oldest first.
    #[default]
    Oldest,
    /// The newest first.
    Newest,
    /// By title, from a to z.
    Title,
}

/// Where a page of a list begins. The row that is named may have moved or be deleted meanwhile: what counts is where
/// it would stand now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cursor<Id> {
    /// At the first row.
    #[default]
    First,
    /// Right after this row.
    After(Id),
    /// So that it ends right before this row.
    Before(Id),
}

impl<Id> Cursor<Id> {
    /// The same place, with the row named in another way.
    pub fn map<Other>(self, name: impl FnOnce(Id) -> Other) -> Cursor<Other> {
        match self {
            Self::First => Cursor::First,
            Self::After(id) => Cursor::After(name(id)),
            Self::Before(id) => Cursor::Before(name(id)),
        }
    }
}

/// Which page of a list: searched, sorted, from a place on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageQuery<Sort, Id> {
    /// Only what holds all these words.
    pub words: Option<SearchWords>,
    /// In which order.
    pub sort: Sort,
    /// From where on.
    pub cursor: Cursor<Id>,
    /// Most rows.
    pub limit: u32,
}

/// How many rows there are in all. Beyond a bound they are not counted, as counting them would take longer than
/// finding a page of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    /// As many as this.
    Exactly(u64),
    /// More than this.
    MoreThan(u64),
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// Its rows.
    pub rows: Vec<T>,
    /// Whether there are rows before it.
    pub has_before: bool,
    /// Whether there are rows after it.
    pub has_after: bool,
    /// How many rows the whole list has.
    pub total: Total,
}

impl<T> Page<T> {
    /// The same page with other rows, one for each.
    pub fn map<U>(self, each: impl FnMut(T) -> U) -> Page<U> {
        Page {
            rows: self.rows.into_iter().map(each).collect(),
            has_before: self.has_before,
            has_after: self.has_after,
            total: self.total,
        }
    }
}

impl TrackSort {
    /// Every order.
    pub const ALL: [Self; 5] = [Self::Order, Self::Title, Self::Newest, Self::Longest, Self::Status];

    /// The order as text, as in addresses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Title => "title",
            Self::Newest => "newest",
            Self::Longest => "longest",
            Self::Status => "status",
        }
    }

    /// The order for tracks of many collections.
    pub const fn across_collections(self) -> Self {
        match self {
            Self::Order => Self::Newest,
            other => other,
        }
    }
}

impl CollectionSort {
    /// Every order.
    pub const ALL: [Self; 3] = [Self::Oldest, Self::Newest, Self::Title];

    /// The order as text, as in addresses.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Oldest => "oldest",
            Self::Newest => "newest",
            Self::Title => "title",
        }
    }
}

/// The words of a search, folded as what they are compared with. All of them have to be found, each anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchWords {
    words: Vec<String>,
    index: Option<ShortId>,
}

impl SearchWords {
    /// From what somebody typed; nothing where there is no word in it. Words beyond the eighth do not narrow.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words: Vec<String> = Vec::new();
        for word in fold(text).split(' ').filter(|word| !word.is_empty()) {
            let word = cut(word, LONGEST_WORD).to_owned();
            if words.len() < MOST_WORDS && !words.contains(&word) {
                words.push(word);
            }
        }
        let index = text.trim().parse().ok();
        (!words.is_empty()).then_some(Self { words, index })
    }

    /// The short id of a track that this may be. It is found as a whole: any two letters are in some short id.
    pub fn index(&self) -> Option<ShortId> {
        self.index
    }

    /// Each word; at least one, none of them empty.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Whether a folded text holds all of them.
    pub fn are_in(&self, folded: &str) -> bool {
        let begins_word = |word: &str| folded.split(' ').any(|own| own.starts_with(word));
        self.iter().all(|word| if is_beginning(word) { begins_word(word) } else { folded.contains(word) })
    }
}

/// Whether a word of a search is only looked for at the beginnings of words: one or two letters or digits of ASCII, which an
/// index over three characters cannot find anywhere else. In scripts without spaces, two characters are a word.
pub fn is_beginning(word: &str) -> bool {
    word.len() < 3 && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Text without what does not matter for finding and sorting: lower case, with single spaces.
pub fn fold(text: &str) -> String {
    // Which small sigma it becomes depends on what follows, which a search does not know.
    let lower = text.replace('\0', " ").to_lowercase().replace('ς', "σ");
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first characters of a text.
fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// What titles are sorted by.
pub fn sort_title(title: &str) -> String {
    cut(&fold(title), MOST_SORTED).to_owned()
}

impl Track {
    /// What it is sorted by among titles: the one that players show.
    pub fn sort_title(&self) -> String {
        sort_title(self.shown_title())
    }

    /// What it is found by: what people call it, the caller's own id and the tags of its file.
    pub fn search_text(&self) -> String {
        let named = [
            self.player_title.as_deref(),
            self.player_subtitle.as_deref(),
            Some(self.file_name.as_str()),
            self.file_name_original.as_deref(),
            self.organization_index.as_deref(),
        ];
        search_text(named.into_iter().flatten().chain(searched_tags(&self.info)))
    }
}

/// What tags a track is found by, the most telling ones first, as there is a bound. Lyrics would find every song,
/// and tracks of earlier versions have them under the names that containers use.
fn searched_tags(info: &TrackInfo) -> impl Iterator<Item = &str> {
    const FIRST: [&str; 8] =
        ["title", "artist", "album", "album_artist", "genre", "composer", "year", "publisher"];
    let first = FIRST.iter().filter_map(|name| info.tags.get(*name));
    let is_rest = |name: &str| !holds_lyrics(name) && !FIRST.contains(&name);
    let rest = info.tags.iter().filter(move |(name, _)| is_rest(name)).map(|(_, value)| value);
    first.chain(rest).map(String::as_str)
}

/// One text of all that something is found by. It begins with a space, as every word in it does.
pub fn search_text<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut folded: Vec<String> = Vec::new();
    for part in parts.into_iter().map(fold) {
        // Tags mostly say again what the title says.
        if !part.is_empty() && !folded.contains(&part) {
            folded.push(part);
        }
    }
    format!(" {}", cut(&folded.join(" "), MOST_SEARCHED))
}

macro_rules! orders_from_text {
    ($($order:ty),*) => {
        $(impl std::str::FromStr for $order {
            type Err = ();
            fn from_str(text: &str) -> Result<Self, ()> {
                Self::ALL.into_iter().find(|order| order.as_str() == text).ok_or(())
            }
        })*
    };
}

orders_from_text!(TrackSort, CollectionSort);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        SearchWords::parse(text).map(|words| words.words).unwrap_or_default()
    }

    #[test]
    fn searches_are_words() {
        assert_eq!(words("  Ärger\tim  PARADIES ärger"), ["ärger", "im", "paradies"]);
        assert_eq!(words(" \n\0 "), Vec::<String>::new());
        assert_eq!(words("a b c d e f g h i").len(), MOST_WORDS);
        assert_eq!(words(&"é".repeat(1000)), ["é".repeat(LONGEST_WORD)]);
        assert!(SearchWords::parse("take wav").unwrap().are_in("a take.wav"));
        assert!(!SearchWords::parse("take mp3").unwrap().are_in("a take.wav"));
        assert!(SearchWords::parse("ΟΔΟΣ").unwrap().are_in(&fold("Οδοσήμανση")));
        for (text, is_in) in
            [("s", true), ("so", true), ("2", false), ("on", false), ("g", false), ("#", true), ("歌", true)]
        {
            assert_eq!(SearchWords::parse(text).unwrap().are_in(&fold("A Song #2 的歌")), is_in, "{text}");
        }
    }

    #[test]
    fn what_is_searched_is_said_once() {
        assert_eq!(search_text(["A  Song", "", "a song", "B\0C"]), " a song b c");
        assert_eq!(search_text([" é".repeat(3000).as_str()]).chars().count(), MOST_SEARCHED + 1);
    }

    #[test]
    fn lyrics_find_nothing_whatever_they_are_called() {
        let names = ["lyrics", "lyrics-eng", "unsyncedlyrics", "uslt", "artist", "mood", "lyricist"];
        let tags = names.map(|name| (name.to_owned(), format!("some {name}"))).into();
        let info = TrackInfo { tags, ..TrackInfo::default() };
        let searched: Vec<&str> = searched_tags(&info).collect();
        assert_eq!(searched, ["some artist", "some lyricist", "some mood"]);
    }

    #[test]
    fn orders_have_one_spelling() {
        for sort in TrackSort::ALL {
            assert_eq!(sort.as_str().parse(), Ok(sort));
            assert_ne!(sort.across_collections(), TrackSort::Order);
        }
        for sort in CollectionSort::ALL {
            assert_eq!(sort.as_str().parse(), Ok(sort));
        }
        assert_eq!("Title".parse::<TrackSort>(), Err(()));
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(text in ".{0,60}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once.clone());
            prop_assert!(sort_title(&text).chars().count() <= MOST_SORTED);
        }
    }
}
