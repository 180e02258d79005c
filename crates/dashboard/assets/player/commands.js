// Carries out what the reducer decides.

import { claimSystemControls, releaseSystemControls } from "./media-session.js";
import { Problem } from "./problem.js";
import { whyNotDelivered } from "./request.js";
import { lacksDevice } from "./sound.js";
import { DECODE } from "./state-failures.js";

/** The player that is heard: one at a time on a page. */
let heard = null;

/** Between frames of one page: they, too, are heard one at a time. */
const frames = globalThis.parent === globalThis.self ? null : channel(`tonearm ${globalThis.document.referrer}`);
if (frames) frames.onmessage = () => heard?.pause();

function channel(name) {
  try {
    return new BroadcastChannel(name);
  } catch {
    // Not where a page blocks all that frames could share.
    return null;
  }
}

/** Whether a player has the system's controls. */
export function isHeard(player) {
  return heard === player;
}

/** What the promise of `play()` is rejected with. */
function rejection(kind, title) {
  if (kind === "aborted") return new DOMException("Paused before playback began.", "AbortError");
  if (kind === "blocked") return new DOMException("Playback requires a click.", "NotAllowedError");
  return new Problem(kind, title);
}

/**
 * When a URL that came just now ends, in milliseconds: it names the second in which it was signed and, unless it is an
 * hour, how many it is valid. The server's clock may be another one.
 */
function endOf(url) {
  const [, ttl = 3600, issued] = /(?:[?&]ttl=(\d+))?[?&]verify=(\d+)-/.exec(url) ?? [];
  const [now, valid] = [Date.now(), ttl * 1000];
  const end = issued * 1000 + valid;
  return end > now && end < now + valid ? end : now + valid;
}

export class Commands {
  #player;
  #sound;
  #dispatch;
  #timer = 0;
  #renewal = 0;
  #watch = 0;
  /** Promises of `play()` that are not settled. */
  #waiting = [];
  /** @type {import("./source.js").Data | import("./source.js").Session | null} */
  source = null;

  constructor(player, sound, dispatch) {
    this.#player = player;
    this.#sound = sound;
    this.#dispatch = dispatch;
  }

  /** A promise for the next sound that is heard. */
  wait() {
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  settle({ kind, title }) {
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (kind) reject(rejection(kind, title));
      else resolve();
    }
  }

  claim(_, { track }) {
    if (heard !== this.#player) heard?.pause();
    heard = this.#player;
    frames?.postMessage(null);
    if (track) claimSystemControls(this.#player, track);
  }

  release() {
    if (heard !== this.#player) return;
    heard = null;
    releaseSystemControls();
  }

  openSound({ url, at }) {
    this.#sound.open(url, at);
  }

  closeSound() {
    this.#sound.close();
  }

  play() {
    this.#sound.play();
  }

  pause() {
    this.#sound.pause();
  }

  seekSound({ to }) {
    this.#sound.seek(to);
  }

  prepareSound({ url }) {
    this.#sound.prepare(url);
  }

  async openSource({ turn, preferred }) {
    const { source } = this;
    const onList = (tracks) => source === this.source && this.#dispatch({ type: "listed", tracks });
    await this.#answer(turn, source.open(preferred, onList), ({ title, tracks, first }) => ({
      type: "opened", turn, title, tracks, first: first && this.#rated(first),
    }));
  }

  async loadTrack({ turn, id, isFresh }) {
    await this.#answer(turn, this.source.track(id, isFresh), (track) => ({ type: "loaded", turn, track: this.#rated(track) }));
  }

  async loadAhead({ turn, index, id }) {
    const track = await this.source.track(id).catch(() => null);
    if (track) this.#dispatch({ type: "loadedAhead", turn, index, track: this.#rated(track) });
  }

  async diagnose({ turn, url, code }) {
    const kind = await whyNotDelivered(url) ?? (code === DECODE && await lacksDevice(url) ? "device" : null);
    this.#dispatch({ type: "diagnosed", turn, code, kind });
  }

  tell({ event, detail }) {
    this.#emit(event, detail);
  }

  tellExpiry() {
    const isHandled = !this.#emit("session-expired", { session: this.source.id }, true);
    this.#dispatch({ type: "expiryTold", isHandled });
  }

  retryLater({ after }) {
    this.keepCalm();
    this.#timer = setTimeout(() => this.#dispatch({ type: "again" }), after);
  }

  watch({ after }) {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.#dispatch({ type: "watched" }), after);
  }

  /** Beside what is tried again: the sound may go on, and stall, meanwhile. */
  waitForRenewal({ after }) {
    clearTimeout(this.#renewal);
    this.#renewal = setTimeout(() => this.#dispatch({ type: "notRenewed" }), after);
  }

  /** Nothing is tried again by itself. */
  keepCalm() {
    clearTimeout(this.#timer);
  }

  async #answer(turn, asked, event) {
    let answer;
    try {
      answer = event(await asked);
    } catch (error) {
      if (!(error instanceof Problem)) console.error(error);
      answer = { type: "notLoaded", turn, kind: error.kind ?? "unavailable" };
    }
    this.#dispatch(answer);
  }

  #rated(track) {
    const sources = track.sources.map((source) => ({
      ...source, isAble: this.#sound.audio.canPlayType(source.type) !== "", until: endOf(source.url),
    }));
    return { ...track, sources };
  }

  #emit(name, detail, cancelable = false) {
    const event = new CustomEvent(`tonearm-${name}`, { detail, bubbles: true, composed: true, cancelable });
    return this.#player.dispatchEvent(event);
  }
}
