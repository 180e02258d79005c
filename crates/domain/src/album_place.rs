//! Positions of uploaded tracks on their albums, and the order of tracks by these positions.

use crate::listing::fold;
use crate::track::TrackInfo;

/// Characters of an album's title that distinguish it from other albums.
const LONGEST_ALBUM: usize = 200;

/// The position of a track on its album, read from its tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlbumPosition {
    /// The album, in lower case; 1..=200 characters.
    pub album: String,
    /// Grows with the disc, then with the track.
    pub place: i64,
}

impl TrackInfo {
    /// The position on its album; none without an album or a track number. Without a disc number, the first disc is
    /// assumed.
    pub fn album_place(&self) -> Option<AlbumPosition> {
        let tags = self.read_tags();
        let number = tags.track.number?;
        let disc = tags.disc.number.unwrap_or(1);
        let album: String = fold(&tags.album?).chars().take(LONGEST_ALBUM).collect();
        (!album.is_empty()).then(|| AlbumPosition { album, place: i64::from(disc) << 16 | i64::from(number) })
    }
}

/// Sorts tracks by place. Returns the new order of each `(order, place)`: the existing orders, redistributed among the
/// tracks. Tracks with the same place keep the sequence of the input.
pub fn arranged(tracks: &[(i64, i64)]) -> Vec<i64> {
    let mut orders: Vec<i64> = tracks.iter().map(|(order, _)| *order).collect();
    orders.sort_unstable();
    let mut wanted: Vec<usize> = (0..tracks.len()).collect();
    wanted.sort_by_key(|track| tracks[*track].1);
    let mut new: Vec<(usize, i64)> = wanted.into_iter().zip(orders).collect();
    new.sort_unstable();
    new.into_iter().map(|(_, order)| order).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tags::Tags;

    fn place(tags: &[(&str, &str)]) -> Option<AlbumPosition> {
        let tags = Tags::kept(tags.iter().copied());
        TrackInfo { tags, ..TrackInfo::default() }.album_place()
    }

    #[test]
    fn discs_come_before_tracks() {
        let of = |disc, track| place(&[("ALBUM", "a"), ("DISC", disc), ("TRACK", track)]).unwrap().place;
        assert!(of("1", "9999") < of("2/2", "1"));
        assert!(of("2", "1") < of("2", "02/9"));
        assert_eq!(of("0", "3"), of("1", "3"));
        assert_eq!(place(&[("album", "a"), ("disc", "2")]), None);
        assert_eq!(place(&[("album", "a"), ("track", "A1")]), None);
        let albums = ["The  Album", "THE ALBUM "].map(|album| place(&[("album", album), ("track", "1")]));
        assert_eq!(albums[0], albums[1]);
        assert_eq!(albums[0].as_ref().unwrap().album, "the album");
    }

    #[test]
    fn what_is_on_no_album_has_no_place() {
        assert_eq!(place(&[("track", "1")]), None);
        assert_eq!(place(&[("album", " \n"), ("track", "1"), ("disc", "2")]), None);
    }

    proptest! {
        #[test]
        fn the_same_orders_are_given_again(
            places in prop::collection::vec(0..6_i64, 1..20),
            from in 0..100_i64,
            step in 1..4_i64,
        ) {
            // The tracks are passed sorted by id; their orders are arbitrary.
            let count = places.len() as i64;
            let order = |n: usize| from + step * ((n as i64 * 7 + from) % count);
            prop_assume!(count % 7 != 0);
            let tracks: Vec<(i64, i64)> =
                places.iter().enumerate().map(|(n, place)| (order(n), *place)).collect();
            let new = arranged(&tracks);
            let sorted = |mut orders: Vec<i64>| {
                orders.sort_unstable();
                orders
            };
            let before = tracks.iter().map(|(order, _)| *order).collect();
            prop_assert_eq!(sorted(new.clone()), sorted(before));
            let again: Vec<(i64, i64)> = new.iter().copied().zip(places.iter().copied()).collect();
            for (n, one) in again.iter().enumerate() {
                for other in &again[n + 1..] {
                    prop_assert!((one.1 <= other.1) == (one.0 < other.0));
                }
            }
            prop_assert_eq!(arranged(&again), new.clone());
            // Any subset of sorted tracks is sorted too, so a caller that knows only some of the tracks changes
            // nothing.
            prop_assert_eq!(arranged(&again[again.len() / 2..]), new[again.len() / 2..].to_vec());
        }
    }
}
