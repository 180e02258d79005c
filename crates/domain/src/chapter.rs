//! Chapters: named parts of a track, as declared in its file.

use serde::{Deserialize, Serialize};

use crate::tag_values::line;

/// Maximum number of chapters that are stored for a track, and maximum length of a title in characters.
const MOST_CHAPTERS: usize = 1000;
const LONGEST_TITLE: usize = 200;
/// Maximum total size of all titles of a track, in bytes.
const MOST_TITLES: usize = 64 << 10;
/// The latest end of a chapter in audio of unknown duration, in seconds.
const LATEST_END: f64 = 1e7;

/// A part of the audio that its file declares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chapter {
    /// Where it begins, in seconds.
    pub start: f64,
    /// Where it ends, in seconds.
    pub end: f64,
    /// Its title; at most 200 characters, and at most 64 KiB of UTF-8 for all chapters of a track together.
    pub title: Option<String>,
}

impl Chapter {
    /// A chapter as a file declares it. The times are not checked; the title becomes one line of at most 200
    /// characters.
    pub fn claimed(start: f64, end: f64, title: Option<&str>) -> Self {
        Self { start, end, title: title.and_then(|title| line(title, LONGEST_TITLE)) }
    }

    /// Corrects the chapters that a file declares for audio of `duration` seconds (0: unknown). The result is sorted,
    /// without empty or overlapping chapters, within the audio, and has at most 1000 chapters. Times are whole
    /// milliseconds. A missing or invalid end becomes the start of the next chapter. Of two chapters with the same
    /// start, the first that has a length is used. Once all titles together exceed 64 KiB, further chapters have no title.
    pub fn plausible(claimed: Vec<Self>, duration: f64) -> Vec<Self> {
        let latest = latest_end(duration);
        let mut chapters: Vec<Self> = claimed
            .into_iter()
            .filter(|chapter| !chapter.start.is_nan())
            .map(|chapter| Self { start: milliseconds(chapter.start.max(0.0)), ..chapter })
            .filter(|chapter| chapter.start < latest)
            .collect();
        let is_empty = |chapter: &Self| chapter.end <= chapter.start;
        chapters.sort_by(|one, other| {
            one.start.total_cmp(&other.start).then(is_empty(one).cmp(&is_empty(other)))
        });
        chapters.dedup_by(|later, earlier| later.start == earlier.start);
        let next: Vec<f64> = chapters.iter().skip(1).map(|chapter| chapter.start).chain([latest]).collect();
        chapters.truncate(MOST_CHAPTERS);
        for (chapter, next) in chapters.iter_mut().zip(next) {
            let own = milliseconds(chapter.end);
            chapter.end = if own > chapter.start { own.min(next) } else { next };
        }
        bound_titles(&mut chapters);
        chapters
    }
}

/// Reduces every title to one line of limited length. Drops the title that would exceed the total size, and all titles
/// after it.
fn bound_titles(chapters: &mut [Chapter]) {
    let mut bytes = 0;
    for chapter in chapters {
        let title = chapter.title.take().and_then(|title| line(&title, LONGEST_TITLE));
        bytes += title.as_ref().map_or(0, String::len);
        chapter.title = title.filter(|_| bytes <= MOST_TITLES);
    }
}

/// The last whole millisecond of audio of this duration.
fn latest_end(duration: f64) -> f64 {
    if !(duration > 0.0 && duration < LATEST_END) {
        return LATEST_END;
    }
    let rounded = milliseconds(duration);
    if rounded > duration { milliseconds(rounded - 0.001) } else { rounded }
}

/// Rounds to whole milliseconds. NaN stays NaN.
fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chapter(start: f64, end: f64, title: &str) -> Chapter {
        Chapter { start, end, title: Some(title.to_owned()) }
    }

    #[test]
    fn what_is_sound_stays() {
        let claimed = vec![chapter(0.0, 1.5, "One"), chapter(1.5, 3.0, "Two")];
        assert_eq!(Chapter::plausible(claimed.clone(), 3.0), claimed);
        // The last chapter often ends slightly after the audio.
        assert_eq!(Chapter::plausible(claimed, 2.99)[1].end, 2.99);
    }

    #[test]
    fn what_cannot_be_is_set_right_or_left_out() {
        let claimed = vec![
            chapter(f64::NAN, 1.0, "nowhere"),
            chapter(20.0, 30.0, "behind the end"),
            chapter(5.0, 4.0, "ends before it begins"),
            chapter(-3.0, 6.0, "\u{202e} reaches\ninto the next "),
            chapter(5.0, 6.0, "begins with it, and has a length"),
            chapter(5.0, 7.0, "begins with another"),
            chapter(8.0, f64::INFINITY, " "),
            chapter(f64::INFINITY, 9.0, "never"),
        ];
        let expected = [
            chapter(0.0, 5.0, "reaches into the next"),
            chapter(5.0, 6.0, "begins with it, and has a length"),
            Chapter { start: 8.0, end: 10.0, title: None },
        ];
        assert_eq!(Chapter::plausible(claimed, 10.0), expected);
    }

    #[test]
    fn there_are_bounds() {
        let many = (0..5000).map(|n| chapter(f64::from(n), f64::from(n) + 1.0, &"é".repeat(999))).collect();
        let kept = Chapter::plausible(many, 0.0);
        assert_eq!((kept.len(), kept[999].end), (MOST_CHAPTERS, 1000.0));
        let titles: Vec<&String> = kept.iter().filter_map(|kept| kept.title.as_ref()).collect();
        assert!(titles.iter().all(|title| title.chars().count() == LONGEST_TITLE));
        // Each has 400 bytes.
        assert_eq!(titles.len(), MOST_TITLES / 400);
        assert!(kept[..titles.len()].iter().all(|kept| kept.title.is_some()), "the first ones have theirs");
        assert_eq!(Chapter::plausible(kept.clone(), 0.0), kept);
    }

    #[test]
    fn titles_are_claimed_in_one_line() {
        let claimed = Chapter::claimed(1.0, f64::NAN, Some(&"a\nbc".repeat(999)));
        assert_eq!(
            claimed.title.map(|title| (title.chars().count(), title.contains('\n'))),
            Some((200, false))
        );
        assert_eq!(Chapter::claimed(0.0, 1.0, Some(" ")).title, None);
    }

    proptest! {
        #[test]
        fn they_follow_each_other(
            claimed in prop::collection::vec((any::<f64>(), any::<f64>()), 0..40),
            near in prop::collection::vec((-1.0..20.0_f64, -1.0..20.0_f64), 0..40),
            duration in prop::sample::select(vec![0.0, 0.001, 7.123_456, 12.0, f64::NAN, f64::INFINITY]),
        ) {
            let claimed = claimed.into_iter().chain(near);
            let claimed = claimed.map(|(start, end)| Chapter { start, end, title: None }).collect();
            let kept = Chapter::plausible(claimed, duration);
            let latest = if duration > 0.0 && duration.is_finite() { duration } else { LATEST_END };
            for chapter in &kept {
                prop_assert!(0.0 <= chapter.start && chapter.start < chapter.end && chapter.end <= latest);
            }
            prop_assert!(kept.windows(2).all(|two| two[0].end <= two[1].start));
            prop_assert_eq!(Chapter::plausible(kept.clone(), duration), kept);
        }
    }
}
