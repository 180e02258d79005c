// What happens when a track, a list or a sound fails: try what may help, then say what is wrong, and let the list go on.

import { pickSource } from "./playback.js";
import { isPassing, sentenceOf } from "./problem.js";
import { choose, select } from "./state-lists.js";
import { begin, chosen, close, following, isOn, isOutdated, isShown, request, silence, tell } from "./state-steps.js";

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;
/** With the pauses between them, about an hour without a network. */
const MOST_RETRIES = 64;
/** Tries, for about a minute, after which the next track may be available although this one is not. */
const PATIENT_TRIES = 5;
/** Tracks that are skipped in a row without a pause. */
const SKIPS_AT_ONCE = 2;
/** So many tracks in a row that the server has are not at fault: the browser cannot play sound, or nothing is delivered. */
const ALIKE = 2;
/** Sessions that the page may give before one of them is heard. */
const MOST_RENEWALS = 3;
/** How long a page may take to renew a session that it said it would. */
const RENEWAL_MS = 30_000;

/** `MediaError.MEDIA_ERR_…` */
export const NETWORK = 2;
export const DECODE = 3;
export const NOT_SUPPORTED = 4;
/** What `Sound` makes of a device that fails. */
export const DEVICE = 5;

function trouble(state, kind, more = {}) {
  const title = kind === "empty" ? state.title : chosen(state)?.title ?? "";
  return { kind, title, isRetrying: false, isQuiet: false, resumes: state.isPending || Boolean(state.problem?.resumes), ...more };
}

function tellError(state, kind, act) {
  tell(state, act, "error", { kind, message: sentenceOf({ kind, title: trouble(state, kind).title }) });
}

function retryLater(failures, act) {
  act("retryLater", { after: Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) });
}

/** Gives up: the sentence stays until somebody acts. */
export function refuse(state, kind, act) {
  const problem = trouble(state, kind);
  if (kind !== "empty") tellError(state, kind, act);
  if (state.isPending) act("settle", { kind, title: problem.title });
  const next = state.isPlaying ? { ...state, isPending: false } : silence(close(state, act), act);
  return { ...next, problem };
}

/** A track that cannot be played: the list goes on with the next one if sound is wanted. */
export function skip(state, kind, act) {
  const { id, title = "" } = chosen(state) ?? {};
  const add = (ids) => (id && !ids.includes(id) ? [...ids, id] : ids);
  const isThere = kind !== "missing";
  const skipped = isThere ? add(state.skipped) : state.skipped;
  const isAlike = isThere && skipped.length >= ALIKE;
  const next = { ...state, skipped, failed: add(state.failed) };
  if (!state.isPending) return refuse(next, kind, act);
  const index = following(next);
  if (isAlike) next.failed = next.failed.filter((other) => !skipped.includes(other));
  const said = isAlike && !isPassing(kind) ? "device" : kind;
  if (index < 0) return isAlike ? startOver(next, said, act) : refuse(next, kind, act);
  tellError(state, said, act);
  const pace = { skips: state.skips + 1, retries: state.retries };
  if (state.skips < SKIPS_AT_ONCE && !isAlike) return { ...choose(next, index, true, act), ...pace, notice: { kind, title } };
  const waiting = { ...select(close(next, act), index, true, act), ...pace, problem: trouble(state, said, { isRetrying: true }) };
  retryLater(Math.max(0, state.skips - SKIPS_AT_ONCE), act);
  return waiting;
}

/** The place of the first track that was skipped, or of the chosen one. */
export function firstSkipped({ index, skipped, tracks }) {
  return skipped.length >= ALIKE ? Math.max(0, tracks.findIndex(({ id }) => skipped.includes(id))) : index;
}

/** Waits, and begins anew with what was skipped. */
function startOver(state, kind, act) {
  const { retries } = state;
  const first = select(close(state, act), firstSkipped(state), true, act);
  return stop({ ...first, retries, skipped: [], step: "track" }, kind, act);
}

/** What is heard is sound: what failed before it is forgotten. */
export function steady(state) {
  const { failed } = state;
  const id = chosen(state)?.id;
  return {
    ...state, isRenewed: false, isThere: false, retries: 0, renewals: 0, skips: 0, skipped: [],
    failed: failed.includes(id) ? failed.filter((other) => other !== id) : failed,
  };
}

/** A problem that is not the track's. */
export function stop(state, kind, act) {
  // The clock may have told the page of it before.
  if (kind === "session" && state.renewals < MOST_RENEWALS && (state.isRenewing || !state.isExpiryTold)) {
    if (!state.isRenewing) act("tellExpiry");
    return { ...state, isExpiryTold: true, problem: trouble(state, kind, { isQuiet: true }) };
  }
  if (!isPassing(kind) || state.retries >= MOST_RETRIES) return refuse(state, kind, act);
  const isPatient = kind === "unavailable" && state.step !== "open" && state.retries >= PATIENT_TRIES;
  if (isPatient && state.isPending && following(state) >= 0) return skip(state, kind, act);
  if (state.retries === 0) tellError(state, kind, act);
  retryLater(state.retries, act);
  return { ...state, retries: state.retries + 1, problem: trouble(state, kind, { isRetrying: true }) };
}

/** Asks again for what failed. */
export function retry(state, act) {
  act("keepCalm");
  if (state.problem?.kind === "session") return request({ ...state, isExpiryTold: false, problem: null }, state.step ?? "open", act);
  if (state.step === "open" || !chosen(state)) return request(state, "open", act);
  if (!isShown(state)) return request(state, "track", act);
  const failed = state.failed.filter((id) => id !== state.track.id);
  return request({ ...close(state, act), failed, tried: [], isRenewed: true, isPending: isOn(state) }, "renewal", act);
}

/** The audio element cannot go on. A URL that has run out looks like any other failure, so URLs are renewed first. */
export function soundFailed(state, { code }, act) {
  const isPending = isOn(state);
  const next = { ...close(state, act), isPending, steadyFrom: state.position };
  // Whoever plays it will hear of it.
  if (!isPending) return next;
  if (code === DEVICE) return stop({ ...next, step: "renewal" }, "device", act);
  const isOld = isOutdated(state) || state.isSwitching;
  if (code === DECODE && !isOld && hasOther(state)) return tryOther(next, act);
  if (isOld || !state.isRenewed) return request({ ...next, isRenewed: true }, "renewal", act);
  if (state.isThere) return judged(next, faultOf(code, state), act);
  act("diagnose", { turn: state.turn, url: state.track.sources[state.sourceIndex].url, code });
  return { ...next, isLoading: true };
}

/** Two files of the only track that cannot be decoded are not damaged. */
function faultOf(code, { tracks, tried }) {
  if (code === NETWORK) return "unavailable";
  if (code !== DECODE) return "unsupported";
  return tracks.length < 2 && tried.length > 0 ? "device" : "damaged";
}

/** It is known why a sound fails. */
function judged(state, kind, act) {
  if (isPassing(kind)) return stop({ ...state, step: "renewal" }, kind, act);
  return state.isPending && hasOther(state) ? tryOther(state, act) : skip(state, kind, act);
}

function otherSource({ track, quality, tried, sourceIndex }) {
  return pickSource(track.sources, quality, [...tried, sourceIndex]);
}

function hasOther(state) {
  const { isAble } = state.track.sources[otherSource(state)] ?? { isAble: false };
  return isAble !== false;
}

function tryOther(state, act) {
  return begin({ ...state, tried: [...state.tried, state.sourceIndex], sourceIndex: otherSource(state) }, act);
}

export const failures = {
  /** Why the sound fails although its URL is fresh; `kind` is null if the server delivers it. */
  diagnosed(state, { turn, kind, code }, act) {
    if (turn !== state.turn) return state;
    const next = { ...state, isLoading: false };
    // The server may have come back just now.
    if (!kind && code === NOT_SUPPORTED && state.isPending) return begin({ ...next, isThere: true }, act);
    return judged(next, kind ?? faultOf(code, state), act);
  },

  /** Where an open source is wanted, its time does not advance. */
  watched(state, _, act) {
    if (state.watched === null) return state;
    const next = { ...state, watched: null };
    return state.position === state.watched ? soundFailed(next, { code: NETWORK }, act) : next;
  },

  /** Whether the page said that it renews the session (`isHandled`). */
  expiryTold(state, { isHandled }, act) {
    if (isHandled) act("waitForRenewal", { after: RENEWAL_MS });
    const next = { ...state, isRenewing: isHandled };
    return state.problem?.isQuiet && !isHandled ? refuse(next, "session", act) : next;
  },

  /** The page did not renew the session in time. When the session is needed again, the page is told again. */
  notRenewed(state, _, act) {
    if (!state.isRenewing) return state;
    const next = { ...state, isExpiryTold: false, isRenewing: false };
    return state.problem?.isQuiet ? refuse(next, "session", act) : next;
  },
};
