// Steps that several events have in common. Each returns the next state.

import { pickSource } from "./playback.js";

/** What the list, or a source without a list, calls the chosen track. */
export function chosen(state) {
  return state.tracks[state.index] ?? state.track;
}

/** The index of the next track that may be playable; -1 if there is none. */
export function following(state) {
  return state.tracks.findIndex(({ id }, at) => at > state.index && !state.failed.includes(id));
}

/** Whether somebody wants sound. */
export function isOn(state) {
  return state.isPlaying || state.isPending;
}

/** Whether the URLs have ended, or belong to a session that was replaced. */
export function isOutdated(state) {
  return state.isStale || state.now > state.track.sources[state.sourceIndex].until;
}

/** Whether the track that is shown is the chosen one. */
export function isShown(state) {
  return state.track?.id === chosen(state)?.id;
}

/** Seconds that are heard in all. */
export function durationOf(state) {
  return (isShown(state) ? state.track : chosen(state))?.duration ?? 0;
}

/** Dispatches an event about the chosen track. */
export function tell(state, act, event, detail = {}) {
  act("tell", { event, detail: { id: chosen(state)?.id, ...detail } });
}

/**
 * Asks for the data of the chosen track; `renewal` asks for fresh URLs of the track that is shown. A list that is being
 * opened comes first: its answer asks for what is chosen by then.
 */
export function request(state, wanted, act) {
  if (state.isSwitching && state.isLoading) return state;
  const step = state.isSwitching ? "open" : wanted;
  const turn = state.turn + 1;
  if (step === "open") act("openSource", { turn, preferred: chosen(state)?.id });
  else act("loadTrack", { turn, id: chosen(state).id, isFresh: step === "renewal" });
  return { ...state, turn, step, isLoading: true };
}

/** Takes a track that was loaded, at the place that was sought meanwhile. Nothing is heard before `begin`. */
export function place(state, track) {
  const position = state.position < track.duration ? state.position : 0;
  return {
    ...state, track, problem: null, sourceIndex: pickSource(track.sources, state.quality, []), tried: [],
    isRenewed: false, isThere: false, isStale: false, position, steadyFrom: position, seekFrom: null, quarters: 0, ahead: null,
  };
}

/** Starts the track that is shown, at the position. */
export function begin(state, act) {
  const next = { ...state, isPending: true };
  if (isOutdated(state)) return request({ ...close(next, act), isRenewed: true }, "renewal", act);
  act("claim");
  if (!state.isOpen) act("openSound", { url: state.track.sources[state.sourceIndex].url, at: state.position });
  act("play");
  return { ...next, isOpen: true };
}

/** Removes the sound from the audio element. */
export function close(state, act) {
  if (state.isOpen || state.ahead) act("closeSound");
  return { ...state, isOpen: false, isPlaying: false, isWaiting: false, ahead: null };
}

/** Nothing is heard any more. */
export function silence(state, act) {
  if (state.isHeard) tell(state, act, "pause", { position: state.position });
  return { ...state, isHeard: false, isPending: false, isWaiting: false };
}
