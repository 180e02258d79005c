// What happens when a track, a list or a sound fails: try what may help, then say what is wrong, and let the list go on.

import { pickSource } from "./playback.js";
import { isPassing, sentenceOf } from "./problem.js";
import { choose } from "./state-lists.js";
import { begin, chosen, close, following, request, silence, tell } from "./state-steps.js";

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;
/** With the pauses between them, about an hour without a network. */
const MOST_RETRIES = 64;
/** How long a page may take to renew a session that it said it would. */
const RENEWAL_MS = 30_000;

/** `MediaError.MEDIA_ERR_…` */
export const NETWORK = 2;
const DECODE = 3;

function trouble(state, kind, more = {}) {
  const title = kind === "empty" ? state.title : chosen(state)?.title ?? "";
  return { kind, title, isRetrying: false, isQuiet: false, resumes: state.isPending, ...more };
}

function tellError(state, kind, act) {
  const { title } = trouble(state, kind);
  tell(state, act, "error", { kind, message: sentenceOf(kind, title) });
}

/** Gives up: the sentence stays until somebody acts. */
export function refuse(state, kind, act) {
  const problem = trouble(state, kind);
  if (kind !== "empty") tellError(state, kind, act);
  if (state.isPending) act("settle", { kind, title: problem.title });
  const next = state.isPlaying ? { ...state, isPending: false } : silence(state, act);
  return { ...next, problem };
}

/** A track that cannot be played: the list goes on with the next one if sound is wanted. */
export function skip(state, kind, act) {
  const { id, title = "" } = chosen(state) ?? {};
  const next = { ...state, failed: id && !state.failed.includes(id) ? [...state.failed, id] : state.failed };
  const index = following(next);
  if (!state.isPending || index < 0) return refuse(next, kind, act);
  tellError(state, kind, act);
  return { ...choose(next, index, true, act), notice: { kind, title } };
}

/** A problem that is not the track's. */
export function stop(state, kind, act) {
  // The clock may have told the page of it before.
  if (kind === "session" && (state.isRenewing || !state.isExpiryTold)) {
    if (!state.isRenewing) act("tellExpiry");
    return { ...state, isExpiryTold: true, problem: trouble(state, kind, { isQuiet: true }) };
  }
  if (!isPassing(kind) || state.retries >= MOST_RETRIES) return refuse(state, kind, act);
  const isFirst = state.retries === 0;
  if (isFirst) tellError(state, kind, act);
  act("retryLater", { after: Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** state.retries) });
  return { ...state, retries: state.retries + 1, problem: trouble(state, kind, { isRetrying: true }) };
}

/** Asks again for what failed. */
export function retry(state, act) {
  act("keepCalm");
  if (state.problem?.kind === "session") return request({ ...state, isExpiryTold: false, problem: null }, state.step ?? "open", act);
  if (state.step === "open" || !chosen(state)) return request(state, "open", act);
  if (state.track?.id !== chosen(state).id) return request(state, "track", act);
  const failed = state.failed.filter((id) => id !== state.track.id);
  return request({ ...state, failed, tried: [], isRenewed: true, isOpen: false }, "renewal", act);
}

/** The audio element cannot go on. A URL that has run out looks like any other failure, so URLs are renewed first. */
export function soundFailed(state, { code }, act) {
  const isPending = state.isPending || state.isPlaying;
  const next = { ...close(state, act), isPending, steadyFrom: state.position };
  const tried = [...state.tried, state.sourceIndex];
  const other = pickSource(state.track.sources, state.quality, tried);
  const hasOther = other >= 0 && state.track.sources[other].isAble !== false;
  if (hasOther && (code === DECODE || state.isRenewed)) {
    const swapped = { ...next, tried, sourceIndex: other };
    return isPending ? begin(swapped, act) : swapped;
  }
  if (!state.isRenewed) return request({ ...next, isRenewed: true }, "renewal", act);
  act("diagnose", { turn: state.turn, url: state.track.sources[state.sourceIndex].url, code });
  return { ...next, isLoading: true };
}

export const failures = {
  /** Why the sound fails although its URL is fresh; `kind` is null if the server delivers it. */
  diagnosed(state, { turn, kind, code }, act) {
    if (turn !== state.turn) return state;
    const next = { ...state, isLoading: false };
    const found = kind ?? (code === NETWORK ? "unavailable" : code === DECODE ? "damaged" : "unsupported");
    return isPassing(found) ? stop({ ...next, step: "renewal" }, found, act) : skip(next, found, act);
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
