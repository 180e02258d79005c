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

/// One bar for each share of the levels, as high as the loudest of it; nothing where there are no levels.
pub(crate) fn outline(levels: &[f64]) -> String {
    if levels.is_empty() {
        return String::new();
    }
    let loudest = levels.iter().copied().fold(0.0001, f64::max);
    let mut path = String::with_capacity(BARS * 12);
    for bar in 0..BARS {
        let from = bar * levels.len() / BARS;
        let to = ((bar + 1) * levels.len() / BARS).clamp(from + 1, levels.len().max(from + 1));
        let share = levels.get(from..to).unwrap_or_default();
        let level = share.iter().copied().fold(0.0, f64::max) / loudest;
        let half = ((level * HEIGHT as f64 / 2.0).round() as usize).clamp(1, HEIGHT / 2);
        let (x, middle) = (bar * STEP + 1, HEIGHT / 2);
        path.push_str(&format!("M{x} {}V{}", middle - half, middle + half));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waveform_has_all_its_bars() {
        assert_eq!(outline(&[]), "");
        assert!(outline(&[0.0, f64::NAN, 1.0]).starts_with("M1 31V33"));
        for count in [1, 7, 60, 320, 321] {
            let path = outline(&vec![0.5; count]);
            assert_eq!(path.matches('V').count(), BARS, "{count}");
            assert!(path.starts_with("M1 0V64M4 0V64"), "{path}");
        }
    }
}
