// The queue: the player's list, which changes during playback. Everything here is pure.

import { reduce as reducePlayer } from "../player/state.js";

/** @typedef {import("../player/playback.js").Listed} Listed */
/** @typedef {{ tracks: Listed[], index: number }} Queue `index` is the chosen track */

/** Most tracks in the queue. */
export const MOST_TRACKS = 500;

/** The player's reducer, with two more events: `load` opens a list, `arrange` changes the current one. */
export function reduce(state, event) {
  return OWN[event.type]?.(state, event) ?? reducePlayer(state, event);
}

const OWN = { load, arrange };

/** A list that is known, unlike those that the player asks its source for. */
function load(state, { tracks, index, isWanted }) {
  const emptied = reducePlayer(state, { type: "empty" });
  const chosen = reducePlayer({ ...emptied.state, tracks }, { type: "choose", index, isWanted });
  return { state: chosen.state, commands: [...emptied.commands, ...chosen.commands] };
}

/** `index` is where the chosen track is in `tracks`; -1: it was removed, and `next` takes its place. */
function arrange(state, { tracks, index, next }) {
  if (tracks.length === 0) return reducePlayer(state, { type: "empty" });
  const isWanted = state.isPlaying || state.isPending;
  // A track that was loaded ahead may not be the next one any more. Its answer, if it is still awaited, is ignored.
  const turn = state.isLoading ? state.turn : state.turn + 1;
  const listed = { ...state, tracks, turn, ahead: null };
  if (index >= 0) return { state: { ...listed, index }, commands: [] };
  const chosen = Math.min(next, tracks.length - 1);
  return reducePlayer({ ...listed, index: chosen }, { type: "choose", index: chosen, isWanted: isWanted && next < tracks.length });
}

/** Tracks added at a place. */
export function inserted({ tracks, index }, at, added) {
  const list = [...tracks.slice(0, at), ...added, ...tracks.slice(at)];
  return { tracks: list, index: at <= index ? index + added.length : index, next: 0 };
}

/** Without the track at a place. */
export function removed({ tracks, index }, at) {
  const list = tracks.filter((_, place) => place !== at);
  return { tracks: list, index: at === index ? -1 : index - Number(at < index), next: at };
}

/** The track at `from` stands at `to` afterwards. */
export function moved({ tracks, index }, from, to) {
  const list = tracks.filter((_, place) => place !== from);
  list.splice(to, 0, tracks[from]);
  const shifted = index - Number(from < index);
  return { tracks: list, index: index === from ? to : shifted + Number(to <= shifted), next: 0 };
}

/** What is kept of a queue, as text. */
export function written({ tracks, index }, position, isOn) {
  const listed = tracks.map(({ id, title, subtitle, duration }) => ({ id, title, subtitle, duration }));
  return JSON.stringify({ tracks: listed, index, position, isOn });
}

/** What was kept, if it is a queue. */
export function read(text) {
  let kept;
  try {
    kept = JSON.parse(text);
  } catch {
    return null;
  }
  const { tracks, index, position } = kept ?? {};
  const isTrack = (track) => typeof track?.id === "string" && typeof track.title === "string";
  if (!Array.isArray(tracks) || tracks.length === 0 || tracks.length > MOST_TRACKS || !tracks.every(isTrack)) return null;
  if (!Number.isInteger(index) || index < 0 || index >= tracks.length) return null;
  return { tracks, index, position: position >= 0 ? Number(position) : 0, isOn: kept.isOn === true };
}
