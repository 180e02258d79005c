// Seconds as people read and hear them.

import { language } from "./texts.js";

const UNITS = ["hour", "minute", "second"];

/** Hours, minutes and seconds. */
function split(seconds) {
  const whole = Math.max(0, Math.floor(seconds < Infinity ? seconds : 0));
  return [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
}

/** `75` as `1:15`, `3700` as `1:01:40`. */
export function clock(seconds) {
  const [h, m, s] = split(seconds);
  const two = (n) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** `75` as `1 minute 15 seconds`, in the language of the page, for screen readers. */
export function spoken(seconds) {
  const parts = split(seconds);
  const said = UNITS.map((unit, at) => parts[at].toLocaleString(language, { style: "unit", unit, unitDisplay: "long" }));
  return said.filter((_, at) => parts[at] > 0).join(" ") || said[2];
}

/** `01:02.500` and `1:00:02.500` as seconds. */
export function seconds(text) {
  return text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
}
