//! A waveform as the outline of an SVG path, drawn on the server.

/// Units from one bar to the next; a bar is drawn as a line of two units.
const STEP: usize = 3;
/// Bars of a waveform.
const BARS: usize = 60;
/// Height of the drawing. Whole numbers are enough for it, which keeps pages short.
const HEIGHT: usize = 64;
/// Width of the drawing.
const WIDTH: usize = BARS * STEP - 1;

/// The box that an outline is drawn in.
pub(crate) fn view_box() -> String {
    format!("0 0 {WIDTH} {HEIGHT}")
}

/// One bar for each share of the levels, as high as its loudest level; empty if there are no levels.
///
/// The path goes down one bar and up the next. It uses relative commands, which take the fewest characters: pages have
/// many waveforms.
pub(crate) fn outline(levels: &[f64]) -> String {
    if levels.is_empty() {
        return String::new();
    }
    let loudest = levels.iter().copied().fold(0.0001, f64::max);
    let mut path = String::with_capacity(BARS * 9);
    let middle = HEIGHT as isize / 2;
    let mut pen = middle;
    for bar in 0..BARS {
        let from = bar * levels.len() / BARS;
        let to = ((bar + 1) * levels.len() / BARS).clamp(from + 1, levels.len().max(from + 1));
        let share = levels.get(from..to).unwrap_or_default();
        let level = share.iter().copied().fold(0.0, f64::max) / loudest;
        let half = ((level * HEIGHT as f64 / 2.0).round() as isize).clamp(1, middle);
        let length = if bar % 2 == 0 { 2 * half } else { -2 * half };
        let start = middle - length / 2;
        if bar == 0 {
            path.push_str(&format!("M1 {start}v{length}"));
        } else {
            let (step, rise) = (STEP, start - pen);
            let space = if rise < 0 { "" } else { " " };
            path.push_str(&format!("m{step}{space}{rise}v{length}"));
        }
        pen = start + length;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bars of a path: where each stands, and its top and bottom.
    fn bars(path: &str) -> Vec<(i32, i32, i32)> {
        let (mut x, mut y) = (0, 0);
        let bar = |part: &str| {
            let (start, length) = part.split_once('v').unwrap();
            let sign = start.find([' ', '-']).unwrap();
            let number = |text: &str| text.trim().parse::<i32>().unwrap();
            (x, y) = (x + number(&start[..sign]), y + number(&start[sign..]));
            let from = y;
            y += number(length);
            (x, from.min(y), from.max(y))
        };
        path.split(['M', 'm']).skip(1).map(bar).collect()
    }

    #[test]
    fn a_waveform_has_all_its_bars() {
        assert_eq!(outline(&[]), "");
        assert!(outline(&[0.0, f64::NAN, 1.0]).starts_with("M1 31v2m3 0v-2"));
        for count in [1, 7, 60, 320, 321] {
            let path = outline(&vec![0.5; count]);
            let expected: Vec<_> = (0..60).map(|bar| (bar * 3 + 1, 0, 64)).collect();
            assert_eq!(bars(&path), expected, "{count}");
        }
    }

    #[test]
    fn bars_are_as_high_as_their_levels() {
        let levels: Vec<f64> = (1..=60).map(|bar| f64::from(bar * 7 % 61) / 60.0).collect();
        let path = outline(&levels);
        let expected = levels.iter().enumerate().map(|(bar, level)| {
            let half = (level * 32.0).round() as i32;
            (bar as i32 * 3 + 1, 32 - half, 32 + half)
        });
        assert_eq!(bars(&path), expected.collect::<Vec<_>>(), "{path}");
        assert!(path.len() < 60 * 9, "{path}");
    }
}
