// The form that all sources of tracks are brought into.

import { t } from "./texts.js";

/**
 * @typedef {{ url: string, type: string, label: string, isAble?: boolean }} Source `isAble`: the browser may be able to play it
 * @typedef {{ start: number, end: number, title: string }} Chapter seconds of what is heard
 * @typedef {{ id: string, title: string, subtitle?: string, duration: number }} Listed
 * @typedef {Listed & { colours: { light?: string, dark?: string }, cover: Record<string, string>, levels: number[],
 *   chapters: Chapter[], captions: string | null, sources: Source[] }} Track
 */

/** The levels of the part of a track that is heard. */
export function levelsOf(levels, duration, part) {
  if (!part || !(duration > 0)) return levels;
  const at = (seconds) => Math.round((seconds / duration) * levels.length);
  return levels.slice(at(part.start), Math.max(at(part.start) + 1, at(part.end)));
}

/** The chapters that are heard, by the time of the part. @returns {Chapter[]} */
export function chaptersOf(chapters, part) {
  const { start: from, end: to } = part ?? { start: 0, end: Infinity };
  return (chapters ?? [])
    .map(({ start, end, title }, at) => ({ start, end, title: title || t("Chapter {number}", { number: at + 1 }) }))
    .filter(({ start, end }) => start < to && end > from)
    .map(({ start, end, title }) => ({ start: Math.max(0, start - from), end: Math.min(end, to) - from, title }));
}

/** What both kinds of data name alike. @returns {Partial<Track>} */
export function playable(track, levels, part) {
  return {
    colours: { light: track.player_color_light, dark: track.player_color_dark },
    duration: part ? part.end - part.start : track.duration,
    levels: levelsOf(levels ?? [], track.duration, part),
    chapters: chaptersOf(track.chapters ?? track.info?.chapters, part),
  };
}

/**
 * The index of the source to play: the chosen quality, otherwise the first that the browser may be able to play,
 * otherwise the first; -1 if all were tried.
 * @param {Source[]} sources @param {string | null} quality @param {number[]} tried
 */
export function pickSource(sources, quality, tried) {
  const left = sources.map((_, at) => at).filter((at) => !tried.includes(at));
  const able = left.filter((at) => sources[at].isAble !== false);
  return able.find((at) => sources[at].label === quality) ?? able[0] ?? left[0] ?? -1;
}
