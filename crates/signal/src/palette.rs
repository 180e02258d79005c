//! The dominant colours of a picture.
//!
//! k-means in Oklab (B. Ottosson 2020, <https://bottosson.github.io/posts/oklab/>), a space in which distances
//! correspond to perceived differences. The pixels are first counted in a coarse cube, so that the time does not grow
//! with the picture. The seeds are chosen by a rule instead of randomly, so the same picture always gives the same
//! palette.

use tonearm_domain::{Colour, ThemeColour};

/// Bits of a channel that are distinguished when counting.
const BITS: u32 = 5;
const CELLS: usize = 1 << (3 * BITS);
/// Rounds after which the clusters hardly move.
const ROUNDS: usize = 12;
/// Initial clusters; more than a palette has, as some are merged and some are too small.
const CLUSTERS: usize = 12;
/// Colours closer than this look alike.
const ALIKE: f64 = 0.07;
/// A smaller share of the picture is an edge, or noise of the encoder.
const SMALLEST_SHARE: f64 = 0.005;

/// The dominant colours of a picture in 8-bit RGB, three bytes a pixel: at most eight, the largest area first. Areas
/// are shares of the whole picture. Colours that look alike are merged, and colours that cover less than half a per
/// cent are left out. Empty for a picture without pixels.
pub fn palette(rgb: &[u8]) -> Vec<ThemeColour> {
    let points = count(rgb);
    let total: f64 = points.iter().map(|point| point.weight).sum();
    let mut clusters = merge(cluster(&points));
    clusters.retain(|cluster| cluster.weight >= total * SMALLEST_SHARE);
    // Equal areas are sorted by colour, so that the order is deterministic.
    clusters.sort_by(|a, b| b.weight.total_cmp(&a.weight).then(a.colour().rgb.cmp(&b.colour().rgb)));
    clusters.truncate(ThemeColour::MOST);
    clusters.iter().map(|cluster| ThemeColour::of(cluster.colour(), cluster.weight / total)).collect()
}

/// A colour in Oklab with the number of pixels that have it.
#[derive(Debug, Clone, Copy)]
struct Point {
    lab: [f64; 3],
    weight: f64,
}

impl Point {
    fn distance2(&self, other: &Self) -> f64 {
        let [l, a, b] = [0, 1, 2].map(|i| self.lab[i] - other.lab[i]);
        l * l + a * a + b * b
    }

    /// The mean of two, by their weights.
    fn merged(&self, other: &Self) -> Self {
        let weight = self.weight + other.weight;
        let mean = |i: usize| (self.lab[i] * self.weight + other.lab[i] * other.weight) / weight;
        Self { lab: [0, 1, 2].map(mean), weight }
    }

    fn colour(&self) -> Colour {
        from_oklab(self.lab)
    }
}

/// The means of the pixels in every non-empty cell of the cube, in the order of the cells.
fn count(rgb: &[u8]) -> Vec<Point> {
    let mut cells = vec![[0_u64; 4]; CELLS];
    for &[r, g, b] in rgb.as_chunks::<3>().0 {
        let place =
            [r, g, b].iter().fold(0, |cell, channel| (cell << BITS) | usize::from(channel >> (8 - BITS)));
        let cell = &mut cells[place];
        for (sum, value) in cell.iter_mut().zip([1, u64::from(r), u64::from(g), u64::from(b)]) {
            *sum += value;
        }
    }
    let point = |[n, r, g, b]: [u64; 4]| {
        let weight = n as f64;
        let mean = [r, g, b].map(|sum| sum as f64 / weight / 255.0);
        Point { lab: to_oklab(mean), weight }
    };
    cells.into_iter().filter(|[n, ..]| *n > 0).map(point).collect()
}

/// Weighted k-means.
fn cluster(points: &[Point]) -> Vec<Point> {
    let mut centres = seeds(points);
    for _ in 0..ROUNDS {
        let mut sums = vec![([0.0; 3], 0.0); centres.len()];
        for point in points {
            let (sum, weight) = &mut sums[nearest(&centres, point)];
            for (sum, value) in sum.iter_mut().zip(point.lab) {
                *sum += value * point.weight;
            }
            *weight += point.weight;
        }
        for (centre, (sum, weight)) in centres.iter_mut().zip(sums) {
            if weight > 0.0 {
                centre.lab = sum.map(|sum| sum / weight);
            }
            centre.weight = weight;
        }
    }
    centres.retain(|centre| centre.weight > 0.0);
    centres
}

/// The largest point, then repeatedly the point that the seeds so far represent worst, by number of pixels and
/// distance.
fn seeds(points: &[Point]) -> Vec<Point> {
    let mut misfit = vec![f64::INFINITY; points.len()];
    let mut seeds: Vec<Point> = Vec::with_capacity(CLUSTERS);
    while seeds.len() < CLUSTERS {
        let error = |index: &usize| match seeds.len() {
            0 => points[*index].weight,
            _ => misfit[*index] * points[*index].weight,
        };
        let Some(worst) = (0..points.len()).max_by(|a, b| error(a).total_cmp(&error(b)).then(b.cmp(a)))
        else {
            break;
        };
        if !seeds.is_empty() && error(&worst) <= 0.0 {
            break;
        }
        let seed = points[worst];
        for (misfit, point) in misfit.iter_mut().zip(points) {
            *misfit = misfit.min(seed.distance2(point));
        }
        seeds.push(seed);
    }
    seeds
}

fn nearest(centres: &[Point], point: &Point) -> usize {
    let mut best = (0, f64::INFINITY);
    for (index, centre) in centres.iter().enumerate() {
        let distance = centre.distance2(point);
        if distance < best.1 {
            best = (index, distance);
        }
    }
    best.0
}

/// Joins the closest two clusters until none look alike.
fn merge(mut clusters: Vec<Point>) -> Vec<Point> {
    loop {
        let pairs = (0..clusters.len()).flat_map(|a| (a + 1..clusters.len()).map(move |b| (a, b)));
        let distance = |(a, b): (usize, usize)| clusters[a].distance2(&clusters[b]);
        match pairs.min_by(|x, y| distance(*x).total_cmp(&distance(*y))) {
            Some((a, b)) if distance((a, b)) < ALIKE * ALIKE => {
                let gone = clusters.remove(b);
                clusters[a] = clusters[a].merged(&gone);
            }
            _ => return clusters,
        }
    }
}

/// From sRGB 0..=1.
fn to_oklab(rgb: [f64; 3]) -> [f64; 3] {
    let [r, g, b] =
        rgb.map(|value| if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) });
    let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b).cbrt();
    let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b).cbrt();
    let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b).cbrt();
    [
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    ]
}

fn from_oklab([lightness, a, b]: [f64; 3]) -> Colour {
    let l = (lightness + 0.3963377774 * a + 0.2158037573 * b).powi(3);
    let m = (lightness - 0.1055613458 * a - 0.0638541728 * b).powi(3);
    let s = (lightness - 0.0894841775 * a - 1.2914855480 * b).powi(3);
    let channel = |linear: f64| {
        let value =
            if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
        (value * 255.0).round().clamp(0.0, 255.0) as u8
    };
    Colour::new(
        channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
        channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
        channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn oklab_there_and_back(rgb: [u8; 3]) {
            let lab = to_oklab(rgb.map(|channel| f64::from(channel) / 255.0));
            prop_assert_eq!(from_oklab(lab).rgb, rgb);
        }

        #[test]
        fn palettes_keep_their_promises(rgb in prop::collection::vec(any::<u8>(), 0..3000)) {
            let theme = palette(&rgb);
            prop_assert_eq!(&theme, &palette(&rgb));
            prop_assert_eq!(theme.is_empty(), rgb.len() < 3);
            prop_assert!(theme.len() <= ThemeColour::MOST);
            prop_assert!(theme.is_sorted_by(|a, b| a.area >= b.area));
            prop_assert!(theme.iter().map(|colour| colour.area).sum::<f64>() <= 1.0 + 1e-9);
            for colour in &theme {
                for share in [colour.area, colour.lightness, colour.saturation] {
                    prop_assert!((0.0..=1.0).contains(&share), "{:?}", colour);
                }
            }
        }
    }

    #[test]
    fn what_looks_alike_is_one_colour() {
        let shades = [[200, 30, 30], [203, 33, 31], [20, 20, 120]].concat();
        let theme = palette(&shades);
        assert_eq!(theme.len(), 2, "{theme:?}");
        assert!((theme[0].area - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn one_colour_is_a_palette() {
        let theme = palette(&[7, 8, 9].repeat(1000));
        assert_eq!(theme, [ThemeColour::of(Colour::new(7, 8, 9), 1.0)]);
    }
}
