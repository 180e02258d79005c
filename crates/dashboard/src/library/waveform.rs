//! A waveform as the outline of an SVG path, drawn on the server.

/// Units of a bar and of the gap after it.
const BAR: f64 = 2.0;
const GAP: f64 = 1.0;
/// Bars of a waveform.
const BARS: usize = 60;
/// Height of the drawing.
pub(super) const HEIGHT: f64 = 28.0;
/// Width of the drawing.
pub(super) const WIDTH: f64 = BARS as f64 * (BAR + GAP) - GAP;

/// One bar for each share of the levels, as high as the loudest of it; nothing where there are no levels.
pub(super) fn outline(levels: &[f64]) -> String {
    if levels.is_empty() {
        return String::new();
    }
    let loudest = levels.iter().copied().fold(0.0001, f64::max);
    let mut path = String::with_capacity(BARS * 24);
    for bar in 0..BARS {
        let from = bar * levels.len() / BARS;
        let to = ((bar + 1) * levels.len() / BARS).clamp(from + 1, levels.len().max(from + 1));
        let share = levels.get(from..to).unwrap_or_default();
        let level = share.iter().copied().fold(0.0, f64::max) / loudest;
        let height = (level * HEIGHT).max(1.0);
        let (x, top) = (bar as f64 * (BAR + GAP), (HEIGHT - height) / 2.0);
        path.push_str(&format!("M{x:.0} {top:.1}h{BAR:.0}v{height:.1}h-{BAR:.0}z"));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waveform_has_all_its_bars() {
        assert_eq!(outline(&[]), "");
        for count in [1, 7, 60, 320, 321] {
            let path = outline(&vec![0.5; count]);
            assert_eq!(path.matches('z').count(), BARS, "{count}");
            assert!(path.starts_with("M0 0.0h2v28.0h-2z"), "{path}");
        }
    }
}
