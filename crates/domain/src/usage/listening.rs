//! Rules for when deliveries count as a listen, and how much was heard.

use serde::{Deserialize, Serialize};

use super::{Played, Segments};
use crate::timestamp::Timestamp;

/// The minimum audio for a listen, in microseconds: a minute, as in the podcast measurement guidelines of the IAB.
const LISTEN_MICROS: u64 = 60_000_000;

/// The minimum percentage of shorter audio for a listen. It is below 100 because players do not fetch tags at the end
/// of a file.
const WHOLE_PERCENT: u64 = 95;

/// How many short excerpts of a track are followed for each listener. A track has one or two previews.
const MOST_EXCERPTS: usize = 8;

/// The longest time for which a listener is assumed to play audio that was delivered ahead.
const MOST_AHEAD_MILLIS: i64 = 600_000;

/// The part of its track that a file contains, in milliseconds of the track.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSound {
    /// The length of the track.
    pub track_millis: u64,
    /// The start of the file.
    pub start_millis: u64,
    /// The end of the file; not before its start.
    pub end_millis: u64,
}

impl FileSound {
    /// A file with the whole track.
    pub const fn whole(track_millis: u64) -> Self {
        Self { track_millis, start_millis: 0, end_millis: track_millis }
    }

    const fn millis(self) -> u64 {
        self.end_millis.saturating_sub(self.start_millis)
    }

    /// Whether less than the whole file is a listen only if it is all of a part of the track.
    fn is_short_excerpt(self) -> bool {
        self != Self::whole(self.track_millis) && most_of(self.millis()) < LISTEN_MICROS
    }

    /// Converts parts of the file to parts of the track.
    fn segments(self, of_file: Segments) -> Segments {
        if self.track_millis == 0 || self.end_millis <= self.start_millis {
            return Segments::default();
        }
        if self == Self::whole(self.track_millis) {
            return of_file;
        }
        let share = |millis: u64| millis as f64 / self.track_millis as f64;
        of_file.of_excerpt(share(self.start_millis), share(self.end_millis))
    }
}

/// The microseconds of sound of a certain length that are enough for all of it.
const fn most_of(millis: u64) -> u64 {
    millis.saturating_mul(1000) / 100 * WHOLE_PERCENT
}

/// Milliseconds heard of something: the delivered audio, but at most the duration of the parts that it came from. So
/// bytes that two nodes delivered to the same listener count about once. The result is rounded, so that a file that was
/// counted in many parts adds up to its whole duration.
fn heard(taken_micros: u64, segments: Segments, millis: u64) -> u64 {
    let most = millis.div_ceil(u64::from(Segments::COUNT)).saturating_mul(segments.count().into());
    (taken_micros.saturating_add(500) / 1000).min(most).min(millis)
}

/// What one listener received of a short excerpt, such as a preview: all of it is a listen, and nothing else of the
/// track makes up for what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExcerptHeard {
    /// The start of the excerpt in its track.
    pub start_millis: u64,
    /// Its end.
    pub end_millis: u64,
    /// Delivered audio, in microseconds.
    pub taken_micros: u64,
    /// The parts of the excerpt that it came from.
    pub segments: Segments,
}

/// The playback of one track by one listener on one day, over all nodes and variants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listening {
    /// Delivered audio, in microseconds. Each node counts its own deliveries, so the sum may exceed the duration of the
    /// track.
    pub taken_micros: u64,
    /// The parts of the track that it came from.
    pub segments: Segments,
    /// The milliseconds that were counted as delivered. Files of a track may differ in length.
    pub delivered_millis: u64,
    /// The milliseconds of the track that players reported as played. Empty if none reported anything.
    pub played: Played,
    /// Whether it counts as a listen.
    pub is_listen: bool,
    /// Until when the listener is assumed to be playing.
    pub playing_until: Option<Timestamp>,
    /// What was received of short excerpts of the track. Files of the same part of the track count together.
    pub excerpts: Vec<ExcerptHeard>,
}

/// The increments from a delivery, or from what a player reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ListenedSince {
    /// Milliseconds that were not delivered before.
    pub delivered_millis: u64,
    /// Milliseconds that were delivered to a listener whose player reports what it plays.
    pub reported_millis: u64,
    /// Milliseconds that were played of these, as far as they were delivered.
    pub played_millis: u64,
    /// Whether it has become a listen.
    pub is_listen: bool,
}

impl ListenedSince {
    /// Adds further increments.
    pub fn include(&mut self, more: Self) {
        self.delivered_millis = self.delivered_millis.saturating_add(more.delivered_millis);
        self.reported_millis = self.reported_millis.saturating_add(more.reported_millis);
        self.played_millis = self.played_millis.saturating_add(more.played_millis);
        self.is_listen |= more.is_listen;
    }

    fn since(self, before: Self) -> Self {
        Self {
            delivered_millis: self.delivered_millis.saturating_sub(before.delivered_millis),
            reported_millis: self.reported_millis.saturating_sub(before.reported_millis),
            played_millis: self.played_millis.saturating_sub(before.played_millis),
            is_listen: self.is_listen,
        }
    }
}

impl Listening {
    /// Adds `bytes` new bytes of a file of `size` bytes, which were delivered until `now`. Files of unknown duration
    /// add nothing.
    pub fn take(
        &mut self,
        sound: FileSound,
        (bytes, size): (u64, u64),
        of_file: Segments,
        now: Timestamp,
    ) -> ListenedSince {
        let before = self.counted();
        let delivered_before = self.delivered_of(sound.track_millis);
        let size = u128::from(size.max(1));
        let file_micros = u128::from(sound.millis()) * 1000;
        let micros = (file_micros * u128::from(bytes).min(size) + size / 2) / size;
        let micros = u64::try_from(micros).unwrap_or(u64::MAX);
        self.taken_micros = self.taken_micros.saturating_add(micros);
        self.segments |= sound.segments(of_file);
        let delivered = self.delivered_of(sound.track_millis);
        let new = delivered.saturating_sub(delivered_before);
        self.delivered_millis = self.delivered_millis.saturating_add(new);
        let mut since = self.counted().since(before);
        let enough = LISTEN_MICROS.min(most_of(sound.track_millis));
        let is_enough = enough > 0 && delivered.saturating_mul(1000) >= enough;
        let is_all = sound.is_short_excerpt() && self.takes_all(sound, micros, of_file);
        since.is_listen = !self.is_listen && (is_enough || is_all);
        self.is_listen |= since.is_listen;
        if since.delivered_millis > 0 {
            let from = self.playing_until.map_or(now, |until| until.max(now));
            let ahead = i64::try_from(since.delivered_millis).unwrap_or(i64::MAX).min(MOST_AHEAD_MILLIS);
            let latest = now.plus_millis(MOST_AHEAD_MILLIS);
            self.playing_until = Some(from.plus_millis(ahead).min(latest));
        }
        since
    }

    /// Adds the milliseconds of a file that its player has played.
    pub fn play(&mut self, sound: FileSound, of_file: &Played) -> ListenedSince {
        let before = self.counted();
        for range in of_file.ranges() {
            let of_track = |millis: u64| sound.start_millis.saturating_add(millis).min(sound.end_millis);
            self.played.add(of_track(range.start)..of_track(range.end));
        }
        self.counted().since(before)
    }

    /// Adds what was delivered of a short excerpt. Returns whether it is all of it by now.
    fn takes_all(&mut self, sound: FileSound, micros: u64, of_file: Segments) -> bool {
        let FileSound { start_millis, end_millis, .. } = sound;
        let is_same =
            |known: &ExcerptHeard| (known.start_millis, known.end_millis) == (start_millis, end_millis);
        let at = self.excerpts.iter().position(is_same).unwrap_or_else(|| {
            // The one that was begun first makes room.
            let surplus = (self.excerpts.len() + 1).saturating_sub(MOST_EXCERPTS);
            self.excerpts.drain(..surplus);
            let segments = Segments::default();
            self.excerpts.push(ExcerptHeard { start_millis, end_millis, taken_micros: 0, segments });
            self.excerpts.len() - 1
        });
        let excerpt = &mut self.excerpts[at];
        excerpt.taken_micros = excerpt.taken_micros.saturating_add(micros);
        excerpt.segments |= of_file;
        let heard = heard(excerpt.taken_micros, excerpt.segments, sound.millis());
        sound.millis() > 0 && heard.saturating_mul(1000) >= most_of(sound.millis())
    }

    /// Milliseconds delivered of a track of this length.
    fn delivered_of(&self, track_millis: u64) -> u64 {
        heard(self.taken_micros, self.segments, track_millis)
    }

    /// The parts of a track of this length that were heard: played if that is known, and delivered.
    pub fn parts_heard(segments: Segments, played: &Played, track_millis: u64) -> Segments {
        if played.is_empty() {
            return segments;
        }
        let parts = played.ranges().iter().map(|range| Segments::of_bytes(range, track_millis));
        segments & parts.fold(Segments::default(), |sum, parts| sum | parts)
    }

    /// What is in the sums. None of it ever becomes less.
    fn counted(&self) -> ListenedSince {
        let delivered_millis = self.delivered_millis;
        let (reported_millis, played_millis) = match self.played.is_empty() {
            true => (0, 0),
            false => (delivered_millis, self.played.millis().min(delivered_millis)),
        };
        ListenedSince { delivered_millis, reported_millis, played_millis, is_listen: false }
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of ranges, of which some have one")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn now() -> Timestamp {
        Timestamp::from_unix_seconds(1_900_000_000).unwrap()
    }

    fn heard(track_seconds: u64, ranges: &[std::ops::Range<u64>]) -> (u64, bool) {
        let mut listening = Listening::default();
        for range in ranges {
            let bytes = (range.end - range.start, 1000);
            let segments = Segments::of_bytes(range, 1000);
            listening.take(FileSound::whole(track_seconds * 1000), bytes, segments, now());
        }
        (listening.delivered_of(track_seconds * 1000), listening.is_listen)
    }

    #[test]
    fn a_listen_is_a_minute_or_all_of_what_is_shorter() {
        // The file has 1000 bytes for ten minutes.
        assert_eq!(heard(600, &[0..99]), (59_400, false));
        assert_eq!(heard(600, &[0..100]), (60_000, true));
        assert_eq!(heard(600, &[0..50, 500..550]), (60_000, true));
        // A quarter of a minute.
        assert_eq!(heard(15, &[0..900]), (13_500, false));
        assert_eq!(heard(15, &[0..1000]), (15_000, true));
        // A header alone.
        assert_eq!(heard(600, &[0..2]), (1200, false));
        // Of unknown length.
        assert_eq!(heard(0, &[0..1000]), (0, false));
    }

    #[test]
    fn the_same_parts_from_two_nodes_are_no_minute() {
        // Each of the 50 parts is twelve seconds.
        let same = vec![0..20; 30];
        assert_eq!(heard(600, &same), (12_000, false));
    }

    #[test]
    fn nothing_is_lost_when_a_file_is_counted_in_parts() {
        let all = Segments::of_bytes(&(0..1), 1) | Segments::of_bytes(&(0..700), 700);
        for parts in [1_u64, 7, 70] {
            let (mut listening, mut sum) = (Listening::default(), 0);
            for _ in 0..parts {
                let part = (700 / parts, 700);
                sum += listening.take(FileSound::whole(120_000), part, all, now()).delivered_millis;
            }
            assert_eq!((sum, listening.delivered_of(120_000)), (120_000, 120_000), "in {parts} parts");
        }
    }

    #[test]
    fn a_preview_is_a_listen_of_its_track() {
        let preview = FileSound { track_millis: 3_600_000, start_millis: 60_000, end_millis: 90_000 };
        let mut listening = Listening::default();
        let all = Segments::of_bytes(&(0..1), 1) | Segments::of_bytes(&(0..1000), 1000);
        let newly = listening.take(preview, (1000, 1000), all, now());
        let delivered = ListenedSince { delivered_millis: 30_000, ..ListenedSince::default() };
        assert_eq!(newly, ListenedSince { is_listen: true, ..delivered });
        assert_eq!(listening.segments.iter().collect::<Vec<_>>(), [0, 1]);
        let again = listening.take(FileSound::whole(3_600_000), (500, 1000), all, now());
        assert!(!again.is_listen && again.delivered_millis > 0);
    }

    #[test]
    fn one_byte_of_a_preview_completes_nothing() {
        let preview = FileSound { track_millis: 600_000, start_millis: 60_000, end_millis: 90_000 };
        let part = |range: &std::ops::Range<u64>| Segments::of_bytes(range, 1000);
        let mut listening = Listening::default();
        // 30 seconds of the whole track.
        assert!(!listening.take(FileSound::whole(600_000), (50, 1000), part(&(0..50)), now()).is_listen);
        assert!(!listening.take(preview, (1, 1000), part(&(0..1)), now()).is_listen);
        // The same bytes from many nodes are not the rest of it.
        for _ in 0..10 {
            assert!(!listening.take(preview, (100, 1000), part(&(0..100)), now()).is_listen);
        }
        // Two files of the same part of the track count together.
        assert!(listening.take(preview, (900, 1000), part(&(100..1000)), now()).is_listen);
    }

    #[test]
    fn what_was_played_counts_where_a_player_reports_it() {
        let ranges = |ranges: &[std::ops::Range<u64>]| ranges.iter().cloned().collect::<Played>();
        let (sound, all) = (FileSound::whole(600_000), Segments::of_bytes(&(0..1000), 1000));
        let mut listening = Listening::default();
        let mut sum = listening.take(sound, (500, 1000), Segments::of_bytes(&(0..500), 1000), now());
        assert_eq!((sum.delivered_millis, sum.reported_millis, sum.played_millis), (300_000, 0, 0));
        sum.include(listening.play(sound, &ranges(&[0..20_000])));
        sum.include(listening.play(sound, &ranges(&[10_000..30_000, 40_000..50_000])));
        assert_eq!(
            (sum.delivered_millis, sum.reported_millis, sum.played_millis),
            (300_000, 300_000, 40_000)
        );
        let parts = Listening::parts_heard(listening.segments, &listening.played, 600_000);
        assert_eq!(parts.iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        // Never more than was delivered, of the track and beyond its end.
        sum.include(listening.play(sound, &ranges(&[0..u64::MAX])));
        assert_eq!((sum.reported_millis, sum.played_millis), (300_000, 300_000));
        sum.include(listening.take(sound, (500, 1000), all, now()));
        assert_eq!(
            (sum.delivered_millis, sum.reported_millis, sum.played_millis),
            (600_000, 600_000, 600_000)
        );
        // A longer file took the place of this one, and nothing of it was delivered.
        sum.include(listening.play(FileSound::whole(3_000_000), &ranges(&[0..3_000_000])));
        assert_eq!(
            (sum.delivered_millis, sum.reported_millis, sum.played_millis),
            (600_000, 600_000, 600_000)
        );
        // A preview is played where it lies in its track.
        let preview = FileSound { track_millis: 600_000, start_millis: 60_000, end_millis: 90_000 };
        let mut listening = Listening::default();
        listening.play(preview, &ranges(&[0..10_000, 25_000..99_000]));
        assert_eq!(listening.played, ranges(&[60_000..70_000, 85_000..90_000]));
    }

    #[test]
    fn the_excerpts_that_are_followed_are_bounded() {
        let mut listening = Listening::default();
        for start_millis in 0..100 {
            let sound = FileSound { track_millis: 600_000, start_millis, end_millis: 30_000 };
            listening.take(sound, (1, 1000), Segments::of_bytes(&(0..1), 1000), now());
        }
        assert_eq!(listening.excerpts.len(), MOST_EXCERPTS);
    }

    #[test]
    fn what_was_delivered_ahead_is_played_for_its_length() {
        let (sound, all) = (FileSound::whole(600_000), Segments::of_bytes(&(0..1), 1));
        let segments = all | Segments::of_bytes(&(0..1000), 1000);
        let mut listening = Listening::default();
        listening.take(sound, (100, 1000), segments, now());
        assert_eq!(listening.playing_until, Some(now().plus_seconds(60)));
        listening.take(sound, (100, 1000), segments, now());
        assert_eq!(listening.playing_until, Some(now().plus_seconds(120)));
        let later = now().plus_seconds(1000);
        listening.take(sound, (1, 1000), segments, later);
        assert_eq!(listening.playing_until, Some(later.plus_millis(600)));
    }

    proptest! {
        /// The result does not depend on the order in which nodes report, and everything is counted once.
        #[test]
        fn the_order_makes_no_difference(
            taken in proptest::collection::vec((0..1000_u64, 1..1000_u64), 0..20),
            seconds in 0..4000_u64,
            rotation in 0..20_usize,
        ) {
            let fold = |taken: &[(u64, u64)]| {
                let (mut listening, mut sum, mut listens) = (Listening::default(), 0, 0);
                for (start, length) in taken {
                    let range = *start..(start + length).min(1000);
                    let segments = Segments::of_bytes(&range, 1000);
                    let bytes = (range.end - range.start, 1000);
                    let newly = listening.take(FileSound::whole(seconds * 1000), bytes, segments, now());
                    sum += newly.delivered_millis;
                    listens += u64::from(newly.is_listen);
                }
                (listening, sum, listens)
            };
            let (one, sum, listens) = fold(&taken);
            let mut other = taken.clone();
            other.reverse();
            let by = rotation % other.len().max(1);
            other.rotate_left(by);
            let (two, other_sum, other_listens) = fold(&other);
            prop_assert_eq!((one.taken_micros, one.segments), (two.taken_micros, two.segments));
            prop_assert_eq!((sum, listens), (other_sum, other_listens));
            prop_assert_eq!(sum, one.delivered_of(seconds * 1000));
            prop_assert!(listens <= 1 && sum <= seconds * 1000);
        }
    }
}
