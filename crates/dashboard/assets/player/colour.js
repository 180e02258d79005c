// What reads on the player colour.

/** WCAG relative luminance of `#rrggbb`. */
function luminance(hex) {
  const channels = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
  const [r, g, b] = channels.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Black or white, whichever reads better on `hex`. */
export function readableOn(hex) {
  return luminance(hex) <= 0.179 ? "#ffffff" : "#000000";
}

/** Whether text is a colour such as `#e8590c`. */
export function isColour(text) {
  return /^#[0-9a-f]{6}$/i.test(text);
}
