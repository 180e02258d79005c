// Events of people and of the audio element while a track is heard.

import { isPassing } from "./problem.js";
import { firstSkipped, NETWORK, retry, soundFailed, steady } from "./state-failures.js";
import { choose, lookAhead } from "./state-lists.js";
import { begin, close, durationOf, following, isOn, isOutdated, request, silence, tell } from "./state-steps.js";

/** The very end would only end the track. */
const END_SECONDS = 0.05;
/** Seconds after which a sound that was renewed is healthy, and failures before it are forgotten. */
const STEADY_SECONDS = 5;

/** Dispatches `tonearm-progress` for each quarter that playback went through. */
function quarters(state, position, act) {
  const duration = durationOf(state);
  let told = state.quarters;
  for (let quarter = told + 1; quarter < 4 && duration > 0; quarter += 1) {
    const at = (duration * quarter) / 4;
    if (position < at) break;
    if (state.position <= at) tell(state, act, "progress", { percent: quarter * 25 });
    told = quarter;
  }
  return told;
}

/** A seek is over. */
function arrived(state, position, act) {
  if (state.seekFrom !== null) tell(state, act, "seek", { from: state.seekFrom, to: position });
  return { ...state, position, seekFrom: null };
}

/** What the audio element said, by the name of its event. */
const REPORTS = {
  playing(state, _, act) {
    if (!state.isHeard) tell(state, act, "play", { position: state.position });
    act("settle", {});
    return { ...state, isPending: false, isWaiting: false, isHeard: true, problem: null };
  },

  // Whoever paused it: the button, a phone call, headphones that were pulled out.
  pause(state, { isEnded }, act) {
    if (isEnded || state.isPlaying) return state;
    if (state.isPending) act("settle", { kind: "aborted" });
    return silence(state, act);
  },

  // Not every browser calls it an error that a URL has run out.
  waiting(state, _, act) {
    const next = { ...state, isWaiting: true };
    return isOutdated(state) ? soundFailed(next, { code: NETWORK }, act) : next;
  },

  timeupdate(state, { position, isSeeking }, act) {
    if (isSeeking) return state;
    // A seek to the start before anything is loaded has no event of its own.
    if (state.seekFrom !== null) return arrived(state, position, act);
    const next = { ...state, position, isWaiting: state.isWaiting && position === state.position };
    if (state.isPlaying) {
      next.quarters = quarters(state, position, act);
      if (position > state.steadyFrom + STEADY_SECONDS) return lookAhead(steady(next), act);
    }
    return lookAhead(next, act);
  },

  seeked(state, { position }, act) {
    return arrived(state, position, act);
  },

  ended(state, _, act) {
    if (state.quarters < 4) tell(state, act, "progress", { percent: 100 });
    const next = { ...steady(state), isPlaying: false, position: durationOf(state) };
    const index = following(state);
    if (index >= 0) {
      tell(next, act, "ended");
      return choose({ ...next, isHeard: false }, index, true, act);
    }
    const silent = silence(next, act);
    tell(silent, act, "ended");
    act("seekSound", { to: 0 });
    return { ...silent, position: 0, quarters: 0 };
  },

  error: soundFailed,
};

/** Somebody asks for it: what failed before does not count. */
function asked(state) {
  return { ...state, index: firstSkipped(state), retries: 0, renewals: 0, skips: 0, skipped: [] };
}

export const listening = {
  play(state, _, act) {
    if (state.isPlaying && !state.isPending) {
      act("settle", {});
      return state;
    }
    if (state.problem) return retry(asked({ ...state, isPending: true }), act);
    if (state.isPending) return state;
    if (state.isLoading && !state.isOpen) {
      act("claim");
      return { ...state, isPending: true };
    }
    if (state.sourceIndex >= 0) return begin({ ...state, notice: null }, act);
    act("settle", { kind: "empty" });
    return state;
  },

  pause(state, _, act) {
    if (state.isPending) act("settle", { kind: "aborted" });
    if (state.isOpen) act("pause");
    act("keepCalm");
    const problem = state.problem && { ...state.problem, isRetrying: false, isQuiet: false, resumes: false };
    const next = { ...state, problem, isPending: false, isPlaying: false };
    // An element that plays reports the pause itself.
    return state.isPlaying ? next : silence(next, act);
  },

  /** The player has left the page, where no button would stop it. */
  gone(state, _, act) {
    const paused = listening.pause(state, _, act);
    act("release");
    return silence(close(paused, act), act);
  },

  seek(state, { to }, act) {
    const duration = durationOf(state);
    if (!(duration > 0) || !Number.isFinite(to)) return state;
    const target = Math.max(0, Math.min(to, duration - END_SECONDS));
    // Quarters that are skipped were not heard.
    const passed = Math.max(state.quarters, Math.ceil((target / duration) * 4) - 1);
    const next = { ...state, position: target, steadyFrom: target, quarters: passed };
    if (state.isOpen && !isOutdated(state)) {
      act("seekSound", { to: target });
      return { ...next, seekFrom: state.seekFrom ?? state.position };
    }
    tell(state, act, "seek", { from: state.seekFrom ?? state.position, to: target });
    if (!state.isOpen) return next;
    const closed = { ...close(next, act), seekFrom: null };
    return isOn(state) ? begin(closed, act) : closed;
  },

  /** The audio element reports an event together with what it is doing. */
  sound(state, report, act) {
    if (!state.isOpen) return state;
    const observed = { ...state, isPlaying: !report.isPaused && !report.isEnded };
    return REPORTS[report.name]?.(observed, report, act) ?? observed;
  },

  /** The browser lets nothing be heard before a click. */
  blocked(state, _, act) {
    act("settle", { kind: "blocked" });
    return silence({ ...state, isPlaying: false }, act);
  },

  /** The session has run out, by the clock. */
  expired(state, _, act) {
    const isListening = state.isPlaying || state.isPending;
    if (!isListening || state.isExpiryTold) return state;
    act("tellExpiry");
    return { ...state, isExpiryTold: true };
  },

  /** The network is back, or it is time to try again. */
  again(state, { isAsked }, act) {
    const { problem } = state;
    if (state.isLoading) return state;
    // Another list is wanted, whatever is heard meanwhile.
    if (state.isSwitching && !isAsked) return request(state, "open", act);
    if (!problem) return state.isOpen && state.isPlaying && state.isWaiting ? soundFailed(state, { code: NETWORK }, act) : state;
    if (isAsked) return retry(asked({ ...state, isPending: state.isPending || problem.resumes }), act);
    return problem.isRetrying || isPassing(problem.kind) ? retry(state, act) : state;
  },
};
