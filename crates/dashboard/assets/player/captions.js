// WebVTT: the words of a track with their times.

import { seconds } from "./time.js";

/** @typedef {{ start: number, end: number, title: string }} Cue */

const TIMING = /^((?:\d+:)?\d\d:\d\d\.\d{3})\s+-->\s+((?:\d+:)?\d\d:\d\d\.\d{3})/;
const MOST_CUES = 20_000;
const ENTITIES = { amp: "&", lt: "<", gt: ">", nbsp: "\u00a0" };

/** The cues of a WebVTT file as plain text, in order. What is no cue is left out. @returns {Cue[]} */
export function parseCaptions(text) {
  const cues = [];
  for (const block of text.replace(/\r\n?/g, "\n").split(/\n{2,}/)) {
    const lines = block.split("\n");
    const at = lines.findIndex((line) => TIMING.test(line));
    if (at < 0 || cues.length >= MOST_CUES) continue;
    const [, start, end] = /** @type {string[]} */ (TIMING.exec(lines[at]));
    const title = plain(lines.slice(at + 1).join(" "));
    if (title) cues.push({ start: seconds(start), end: seconds(end), title });
  }
  return cues.sort((one, other) => one.start - other.start);
}

function plain(markup) {
  return markup
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|nbsp);/g, (_, name) => ENTITIES[name])
    .trim();
}
