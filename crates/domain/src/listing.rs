//! Paged lists: search, sorting and cursors.

use unicode_normalization::UnicodeNormalization;

use crate::short_id::ShortId;
use crate::tags::holds_lyrics;
use crate::track::{Track, TrackInfo};

/// Characters of a track's text that are searched.
const MOST_SEARCHED: usize = 2000;
/// Characters that titles are sorted by.
const MOST_SORTED: usize = 100;
/// Maximum number of words of a search, and maximum lengths of each and of all in characters.
const MOST_WORDS: usize = 8;
const LONGEST_WORD: usize = 64;
const LONGEST_TEXT: usize = 2_000;
/// What a phrase is between.
const QUOTES: [char; 4] = ['"', '“', '”', '„'];

/// How a list of tracks is sorted. Ties are broken by id, so that every order is total.
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
    /// Tracks that need attention first, then tracks being processed, then ready tracks.
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

/// The position of a page in a list. The named row may have moved or been deleted since; the position that it would
/// have now is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cursor<Id> {
    /// At the first row.
    #[default]
    First,
    /// Right after this row.
    After(Id),
    /// The page that ends right before this row.
    Before(Id),
}

impl<Id> Cursor<Id> {
    /// Converts the id of the row.
    pub fn map<Other>(self, name: impl FnOnce(Id) -> Other) -> Cursor<Other> {
        match self {
            Self::First => Cursor::First,
            Self::After(id) => Cursor::After(name(id)),
            Self::Before(id) => Cursor::Before(name(id)),
        }
    }
}

/// A request for a page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageQuery<Sort, Id> {
    /// Only rows that contain all these words.
    pub words: Option<SearchWords>,
    /// The order.
    pub sort: Sort,
    /// The position of the page.
    pub cursor: Cursor<Id>,
    /// Maximum number of rows.
    pub limit: u32,
}

/// The total number of rows. Beyond a limit they are not counted, because counting would take longer than fetching a
/// page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    /// Exactly this many.
    Exactly(u64),
    /// More than this many.
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
    /// Converts each row of the page.
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

    /// The order to use for tracks of several collections.
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

/// The words and phrases of a search, as plain as the text they are compared with. A match contains all of them, each at
/// any position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchWords {
    words: Vec<String>,
    index: Option<ShortId>,
}

impl SearchWords {
    /// Parses a search text; none if it contains no word. What is in quotation marks is one word. Words after the eighth, and
    /// what follows the first 2,000 characters, are ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words: Vec<String> = Vec::new();
        let text_plain = plain(cut(text, LONGEST_TEXT));
        let mut rest = text_plain.as_str();
        while !rest.is_empty() && words.len() < MOST_WORDS {
            let (word, after) = phrase(rest).unwrap_or_else(|| rest.split_once(' ').unwrap_or((rest, "")));
            rest = after.trim_start();
            let word = cut(word.trim(), LONGEST_WORD).to_owned();
            if !word.is_empty() && !words.contains(&word) {
                words.push(word);
            }
        }
        let index = text.trim().parse().ok();
        (!words.is_empty()).then_some(Self { words, index })
    }

    /// The search text as a short id of a track, if it is one. Short ids match only as a whole, because any two letters
    /// occur in some short id.
    pub fn index(&self) -> Option<ShortId> {
        self.index
    }

    /// Whether each word is anywhere in one of the texts as they were written.
    pub fn are_within(&self, texts: &[&str]) -> bool {
        let texts: Vec<String> = texts.iter().map(|text| plain(text)).collect();
        self.iter().all(|word| texts.iter().any(|text| text.contains(word)))
    }

    /// The words: at least one, none of them empty.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }

    /// Whether a search text contains all words.
    pub fn are_in(&self, text: &str) -> bool {
        let is_in =
            |word| if is_beginning(word) { Self::begins_word(text, word) } else { text.contains(word) };
        self.iter().all(is_in)
    }

    fn begins_word(text: &str, word: &str) -> bool {
        text.split(' ').any(|own| own.starts_with(word))
    }
}

/// The phrase in quotation marks at the beginning of a text, and what follows it. Quotation marks within words are part of
/// them, such as those of `12"`.
fn phrase(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix(QUOTES)?;
    let ends = inner.match_indices(QUOTES).map(|(at, mark)| (&inner[..at], &inner[at + mark.len()..]));
    ends.into_iter().find(|(_, after)| after.is_empty() || after.starts_with(' '))
}

/// Whether a search word matches only at the beginning of words. This applies to one or two ASCII letters or digits,
/// which a trigram index cannot find elsewhere. It does not apply to scripts without spaces, where two characters can
/// be a word.
pub fn is_beginning(word: &str) -> bool {
    word.len() < 3 && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Normalises text for comparing: without differences of case and of spelling, such as a letter with an accent and a
/// letter followed by an accent (NFKC), and with single spaces.
pub fn fold(text: &str) -> String {
    let text = text.replace('\0', " ");
    let folded = match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        // Some letters become others only in upper case (`ſ` and `s`), and some only in lower case (`ẞ` and `ß`).
        false => text
            .nfkd()
            .flat_map(char::to_lowercase)
            .flat_map(char::to_uppercase)
            .flat_map(char::to_lowercase)
            .nfkc()
            .collect(),
    };
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Normalises text for searching and sorting: [`fold`] without accents, so that `bose` finds `Böse`. Both databases compare
/// what it returns byte by byte.
fn plain(text: &str) -> String {
    let folded = fold(text);
    if folded.is_ascii() {
        return folded;
    }
    let mut bare = String::with_capacity(folded.len());
    for letter in folded.nfkd() {
        match letter {
            // Marks of letters in Latin, Greek and Cyrillic. In other scripts, marks tell words apart.
            '\u{300}'..='\u{36f}' => {}
            'æ' => bare.push_str("ae"),
            'đ' => bare.push('d'),
            'ł' => bare.push('l'),
            'ø' => bare.push('o'),
            'œ' => bare.push_str("oe"),
            letter => bare.push(letter),
        }
    }
    // An accent by itself stands on a space.
    fold(&bare)
}

/// The first characters of a text.
fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

/// The sort key of a title.
pub fn sort_title(title: &str) -> String {
    cut(&plain(title), MOST_SORTED).to_owned()
}

impl Track {
    /// The sort key of its title, the one that players show.
    pub fn sort_title(&self) -> String {
        sort_title(self.shown_title())
    }

    /// The text that searches match: its titles and names, the caller's own id and the tags of its file.
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

/// The tags that searches match, the most relevant ones first, because the length is limited. Lyrics are excluded: they
/// would match too many searches. Tracks of earlier versions have lyrics under the names that containers use.
fn searched_tags(info: &TrackInfo) -> impl Iterator<Item = &str> {
    const FIRST: [&str; 8] =
        ["title", "artist", "album", "album_artist", "genre", "composer", "year", "publisher"];
    let first = FIRST.iter().filter_map(|name| info.tags.get(*name));
    let is_rest = |name: &str| !holds_lyrics(name) && !FIRST.contains(&name);
    let rest = info.tags.iter().filter(move |(name, _)| is_rest(name)).map(|(_, value)| value);
    first.chain(rest).map(String::as_str)
}

/// Joins the parts that searches match into one text. It begins with a space, so that every word in it follows a space. The
/// beginnings of words that follow a sign, as in `#7` or `(live)`, are added as words of their own, as far as there is room:
/// searches for one or two letters match the beginnings of words alone (see [`is_beginning`]).
pub fn search_text<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut texts: Vec<String> = Vec::new();
    for part in parts.into_iter().map(plain) {
        // Tags often repeat the title.
        if !part.is_empty() && !texts.contains(&part) {
            texts.push(part);
        }
    }
    let joined = texts.join(" ");
    let written = cut(&joined, MOST_SEARCHED).trim_end();
    let mut text = format!(" {written}");
    let mut room = MOST_SEARCHED - written.chars().count();
    for inner in inner_beginnings(written) {
        if SearchWords::begins_word(&text, inner) {
            continue;
        }
        let Some(left) = room.checked_sub(2 + inner.len()) else { break };
        // The sign keeps phrases from matching across added words.
        (room, text) = (left, text + "\u{1f} " + inner);
    }
    text
}

/// The first one or two ASCII letters or digits after each sign.
fn inner_beginnings(text: &str) -> impl Iterator<Item = &str> {
    let after_sign = text.split(|letter: char| !letter.is_alphanumeric());
    after_sign.filter_map(|word| {
        let length = word.bytes().take(2).take_while(u8::is_ascii_alphanumeric).count();
        (length > 0).then(|| &word[..length])
    })
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
        assert_eq!(words("  Ärger\tim  PARADIES ärger"), ["arger", "im", "paradies"]);
        assert_eq!(words(" \n\0 "), Vec::<String>::new());
        assert_eq!(words("a b c d e f g h i").len(), MOST_WORDS);
        assert_eq!(words(&"é".repeat(1000)), ["e".repeat(LONGEST_WORD)]);
        assert_eq!(words(&format!("{}x", "a ".repeat(LONGEST_TEXT / 2))), ["a"]);
        assert!(SearchWords::parse("take wav").unwrap().are_in("a take.wav"));
        assert!(!SearchWords::parse("take mp3").unwrap().are_in("a take.wav"));
        assert!(SearchWords::parse("ΟΔΟΣ").unwrap().are_in(&search_text(["Οδοσήμανση"])));
        for (text, is_in) in
            [("s", true), ("so", true), ("2", true), ("on", false), ("g", false), ("#", true), ("歌", true)]
        {
            assert_eq!(
                SearchWords::parse(text).unwrap().are_in(&search_text(["A Song #2 的歌"])),
                is_in,
                "{text}"
            );
        }
    }

    #[test]
    fn a_word_begins_after_a_sign() {
        let text = search_text([r#"The "B" side (II) #7 take.wav"#, "it's"]);
        assert_eq!(text, " the \"b\" side (ii) #7 take.wav it's\u{1f} b\u{1f} ii\u{1f} 7\u{1f} wa");
        for word in ["b", "ii", "I", "7", "wa", r#"The "B" side"#] {
            assert!(SearchWords::parse(word).unwrap().are_in(&text), "{word}");
        }
        for word in ["e", "ak", "77", "\"b ii\"", "\"it's b\""] {
            assert!(!SearchWords::parse(word).unwrap().are_in(&text), "{word}");
        }
    }

    #[test]
    fn words_in_quotation_marks_are_a_phrase() {
        for (text, expected) in [
            ("\"Slow  Train\"", &["slow train"][..]),
            ("the \"slow train\" „wav“ “new”", &["the", "slow train", "wav", "new"]),
            ("\"slow train", &["\"slow", "train"]),
            ("7\" and 12\" mix", &["7\"", "and", "12\"", "mix"]),
            ("\"12\" mix\" \"\"", &["12", "mix\""]),
            ("\" \"", &[]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        let slow_train = SearchWords::parse("\"slow train\"").unwrap();
        assert!(slow_train.are_in(&search_text(["A Slow Train"])));
        assert!(!slow_train.are_in(&search_text(["Train, slow"])));
    }

    #[test]
    fn accents_tell_no_words_apart() {
        for (one, other) in [
            ("Böse", "bose"),
            ("ё", "Е"),
            ("İSTANBUL", "istanbul"),
            ("ısı", "ISI"),
            ("Ｂｏ̈ｓｅ", "BOSE"),
            ("Łódź Ørsted Œuvre Ǽ đ", "lodz orsted oeuvre ae d"),
            ("ᾳ", "ΑΙ"),
            ("a ´ b", "a b"),
        ] {
            assert_eq!(plain(one), plain(other), "{one} {other}");
        }
        // Here, a mark makes another letter.
        assert_ne!(plain("が"), plain("か"));
        for letter in (0..0x2_0000).filter_map(char::from_u32).map(|letter| letter.to_string()) {
            let once = plain(&letter);
            assert_eq!(plain(&once), once, "{letter}");
            assert_eq!(plain(&fold(&letter)), once, "{letter}");
        }
    }

    #[test]
    fn every_spelling_of_a_letter_is_the_same() {
        for (one, other) in [
            ("é", "e\u{301}"),
            ("Ḱ", "k\u{301}"),
            ("µ", "μ"),
            ("ſ", "S"),
            ("ΟΔΟΣ", "οδος"),
            ("STRASSE", "Straße"),
            ("ẞ", "ß"),
            ("ﬁ", "FI"),
            ("Ａ１", "a1"),
            ("가", "\u{1100}\u{1161}"),
            ("a\u{a0}b", "a b"),
        ] {
            assert_eq!(fold(one), fold(other), "{one} {other}");
        }
        assert_ne!(fold("é"), fold("e"));
        for letter in (0..0x2_0000).filter_map(char::from_u32).map(|letter| letter.to_string()) {
            let folded = fold(&letter);
            for other in [
                letter.to_lowercase(),
                letter.to_uppercase(),
                letter.nfc().collect(),
                letter.nfd().collect(),
                folded.clone(),
            ] {
                assert!(other == letter || fold(&other) == folded, "{letter} {other}");
            }
        }
    }

    #[test]
    fn what_is_searched_is_said_once() {
        assert_eq!(search_text(["A  Song", "", "a song", "B\0C"]), " a song b c");
        assert_eq!(search_text(["é".repeat(3000).as_str()]).chars().count(), MOST_SEARCHED + 1);
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
            let once = plain(&text);
            prop_assert_eq!(plain(&once), once.clone());
            prop_assert!(sort_title(&text).chars().count() <= MOST_SORTED);
        }

        /// Stored texts are folded again by an upgrade.
        #[test]
        fn searched_texts_stay_as_they_are(text in "[a-c(#. é]{0,80}", times in 1_usize..40) {
            let text = search_text([text.repeat(times).trim_end()]);
            prop_assert!(text.chars().count() <= MOST_SEARCHED + 1);
            prop_assert_eq!(search_text([text.trim_end()]), text);
        }
    }
}
