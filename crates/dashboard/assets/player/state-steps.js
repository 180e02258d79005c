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

/** Seconds that are heard in all. */
export function durationOf(state) {
  return state.track?.duration ?? 0;
}

/** Dispatches an event about the chosen track. */
export function tell(state, act, event, detail = {}) {
  act("tell", { event, detail: { id: chosen(state)?.id, ...detail } });
}

/** Asks for the data of the chosen track; `renewal` asks for fresh URLs of the track that is shown. */
export function request(state, step, act) {
  const turn = state.turn + 1;
  if (step === "open") act("openSource", { turn, preferred: chosen(state)?.id });
  else act("loadTrack", { turn, id: chosen(state).id, isFresh: step === "renewal" });
  return { ...state, turn, step, isLoading: true };
}

/** Takes a track that was loaded. Nothing is heard before `begin`. */
export function place(state, track) {
  return {
    ...state, track, isLoading: false, isSwitching: false, problem: null, retries: 0, sourceIndex: pickSource(track.sources, state.quality, []),
    tried: [], isRenewed: false, isStale: false, isOpen: false, position: 0, seekFrom: null, quarters: 0, ahead: null,
  };
}

/** Starts the track that is shown, at the position. */
export function begin(state, act) {
  const next = { ...state, isPending: true };
  if (!state.isOpen && state.isStale) return request({ ...next, isRenewed: true }, "renewal", act);
  act("claim");
  if (!state.isOpen) act("openSound", { url: state.track.sources[state.sourceIndex].url, at: state.position });
  act("play");
  return { ...next, isOpen: true };
}

/** Removes the sound from the audio element. */
export function close(state, act) {
  act("closeSound");
  return { ...state, isOpen: false, isPlaying: false, isWaiting: false, ahead: null };
}

/** Nothing is heard any more. */
export function silence(state, act) {
  if (state.isHeard) tell(state, act, "pause", { position: state.position });
  return { ...state, isHeard: false, isPending: false, isWaiting: false };
}
