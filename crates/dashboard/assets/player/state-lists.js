// Events about lists and tracks: what is opened, chosen and loaded.

import { pickSource } from "./playback.js";
import { refuse, skip, stop } from "./state-failures.js";
import { INITIAL } from "./state-initial.js";
import { begin, chosen, close, durationOf, following, isOn, place, request, silence, tell } from "./state-steps.js";

/** Seconds before the end at which the next track is loaded. */
const AHEAD_SECONDS = 20;

/** Takes a track, and plays it if it is wanted. */
function arrive(state, track, act) {
  const next = place(state, track);
  if (next.sourceIndex < 0) return skip(next, "missing", act);
  tell(next, act, "trackchange", { title: track.title, subtitle: track.subtitle ?? null, cover: track.cover });
  return next.isPending ? begin(next, act) : next;
}

/** Fresh URLs for the track that is shown. */
function renewed(state, sources, act) {
  const { label } = state.track.sources[state.sourceIndex] ?? {};
  const next = { ...state, track: { ...state.track, sources }, isThere: false, isStale: false };
  next.sourceIndex = pickSource(sources, label ?? state.quality, state.tried);
  if (next.sourceIndex < 0) return skip(next, "missing", act);
  return next.isPending && !next.isOpen ? begin({ ...next, problem: null }, act) : { ...next, problem: null };
}

/** Another session that has the current track: everything stays as it is. */
function resumed(state, { tracks, first }, act) {
  const { id } = chosen(state);
  const index = Math.max(0, tracks.findIndex((track) => track.id === id));
  const isPending = state.isPending || Boolean(state.problem?.resumes);
  const next = { ...state, tracks, index, isPending, problem: null, retries: 0, failed: [], ahead: null };
  const isShown = state.track?.id === id;
  // What is open has the URLs of the session before.
  if (isShown && next.isOpen) {
    const stale = { ...next, isStale: true };
    return isPending && !state.isPlaying ? begin(stale, act) : stale;
  }
  if (isShown && first?.id === id) return renewed(next, first.sources, act);
  if (first?.id === id) return arrive(next, first, act);
  if (!isShown) return request(next, "track", act);
  if (isPending) return request({ ...next, isRenewed: true }, "renewal", act);
  return { ...next, isStale: true };
}

/** Lets go of what was opened. */
function drop(state, act) {
  if (state.isPending) act("settle", { kind: "aborted" });
  return silence(close(state, act), act);
}

/** Another track of the list, which is not loaded yet. */
export function select(state, index, isWanted, act) {
  act("keepCalm");
  return {
    ...silence(state, act), index, isPending: isWanted, isPlaying: false, isOpen: false,
    position: 0, seekFrom: null, problem: null, notice: null, retries: 0,
  };
}

/** Goes to another track of the list. */
export function choose(state, index, isWanted, act) {
  const ready = isWanted && state.ahead?.index === index ? state.ahead.track : null;
  if (!ready || state.now > ready.sources[0].until) return request(select(close(state, act), index, isWanted, act), "track", act);
  const next = select(state, index, isWanted, act);
  // The answer that is awaited is of no interest any more, unless it is a list.
  const asked = state.isSwitching ? request(next, "open", act) : { ...next, turn: state.turn + 1, isLoading: false };
  return arrive(asked, ready, act);
}

/** Loads the following track shortly before it is needed. */
export function lookAhead(state, act) {
  const left = durationOf(state) - state.position;
  const index = following(state);
  if (!state.isPlaying || state.ahead || index < 0 || !(left < AHEAD_SECONDS)) return state;
  act("loadAhead", { index, id: state.tracks[index].id, turn: state.turn });
  return { ...state, ahead: { index, track: null } };
}

export const lists = {
  /** The element names another source, or the same kind of source that continues (`isSwitch`). */
  open(state, { isSwitch }, act) {
    act("keepCalm");
    if (isSwitch && chosen(state)) {
      const next = { ...state, renewals: state.renewals + 1, isExpiryTold: false, isRenewing: false };
      return { ...request({ ...next, isSwitching: false }, "open", act), isSwitching: true };
    }
    drop(state, act);
    return request({ ...INITIAL, turn: state.turn, quality: state.quality }, "open", act);
  },

  /** The element names no source. */
  empty(state, _, act) {
    act("keepCalm");
    drop(state, act);
    return { ...INITIAL, turn: state.turn + 1, quality: state.quality };
  },

  opened(state, { turn, title, tracks, first }, act) {
    if (turn !== state.turn) return state;
    const list = tracks.length > 0 || !first ? tracks : [first];
    const current = state.isSwitching ? chosen(state)?.id : undefined;
    const answered = { ...state, isLoading: false, isSwitching: false };
    if (list.some(({ id }) => id === current)) return resumed(answered, { tracks: list, first }, act);
    const base = state.isSwitching ? drop(answered, act) : answered;
    const next = {
      ...base, tracks: list, title: title ?? "", failed: [], skips: 0, skipped: [], notice: null, position: 0,
      index: Math.max(0, tracks.findIndex(({ id }) => id === first?.id)),
    };
    if (list.length === 0) return refuse({ ...next, track: null }, "empty", act);
    if (!first) return request(next, "track", act);
    const placed = place(next, first);
    if (placed.sourceIndex < 0) return skip(placed, "missing", act);
    return placed.isPending ? begin(placed, act) : placed;
  },

  /** Titles that were asked for one by one, or tracks that follow. */
  listed(state, { tracks }) {
    return tracks.length >= state.tracks.length ? { ...state, tracks } : state;
  },

  choose(state, { index, isWanted }, act) {
    if (index < 0 || index >= state.tracks.length) return state;
    return choose({ ...state, skips: 0, skipped: [] }, index, isWanted, act);
  },

  loaded(state, { turn, track }, act) {
    if (turn !== state.turn) return state;
    const next = { ...state, isLoading: false };
    return state.step === "renewal" ? renewed(next, track.sources, act) : arrive(next, track, act);
  },

  notLoaded(state, { turn, kind }, act) {
    if (turn !== state.turn) return state;
    // A list that is opened in place of another one is still wanted.
    const next = { ...state, isLoading: false };
    return kind === "missing" && state.step !== "open" ? skip(next, kind, act) : stop(next, kind, act);
  },

  loadedAhead(state, { turn, index, track }, act) {
    if (turn !== state.turn || state.ahead?.index !== index) return state;
    const source = track.sources[pickSource(track.sources, state.quality, [])];
    if (!source) return state;
    act("prepareSound", { url: source.url });
    return { ...state, ahead: { index, track } };
  },

  quality(state, { index }, act) {
    const source = state.track?.sources[index];
    if (!source || index === state.sourceIndex) return state;
    const next = { ...close(state, act), sourceIndex: index, quality: source.label, tried: [], isPending: isOn(state) };
    return state.isOpen && isOn(state) ? begin(next, act) : next;
  },
};
