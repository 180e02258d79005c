// The audio element, and a second one in which the next track is loaded ahead of time.

import { keptVolume } from "./kept.js";
import { DEVICE, NOT_SUPPORTED } from "./state-failures.js";

const REPORTED = ["playing", "pause", "waiting", "timeupdate", "seeked", "ended", "volumechange", "ratechange"];
/** How often the server is told what was played. */
const TOLD_MS = 15_000;
/** How long a device has to fail. */
const PROBE_MS = 5000;
/** Safari may forget a position that was set before it knew the length. */
const LOST_SECONDS = 1;

/**
 * @typedef {{ name: string, isPaused: boolean, isEnded: boolean, isSeeking: boolean, position: number, code: number }} Report
 */

/** Firefox, if there is no device that plays. */
function hasNoDevice({ error }) {
  return /MediaSink/.test(error?.message);
}

/** Whether a file that "cannot be decoded" lacks a device. Firefox says so only of what the page may read, once it is audible. */
export async function lacksDevice(url) {
  const audio = new Audio();
  audio.crossOrigin = "";
  audio.volume = .01;
  audio.src = url;
  await new Promise((done) => {
    audio.onerror = audio.ontimeupdate = done;
    setTimeout(done, PROBE_MS);
    audio.play().catch(done);
  });
  const isLacking = hasNoDevice(audio);
  audio.src = "";
  return isLacking;
}

export class Sound {
  #spare;
  /** Where the sound is to be once its length is known, and how many were opened. */
  #at = 0;
  #opened = 0;
  /** The element that has played. */
  #allowed = null;
  /** What the server was told last, and when. */
  #told = "";
  #toldAt = 0;
  #onReport;
  #onBlocked;

  /**
   * @param {(report: Report) => void} onReport hears of each event of the element
   * @param {() => void} onBlocked hears that the browser wants a click first
   */
  constructor(onReport, onBlocked) {
    this.#onReport = onReport;
    this.#onBlocked = onBlocked;
    this.audio = this.#element();
    this.#spare = this.#element();
    globalThis.addEventListener?.("pagehide", () => this.#tell());
  }

  get speed() {
    return this.audio.defaultPlaybackRate;
  }

  /** Also of what is opened later. */
  set speed(speed) {
    for (const audio of [this.audio, this.#spare]) audio.defaultPlaybackRate = audio.playbackRate = speed;
  }

  get volume() {
    return this.audio.volume;
  }

  set volume(volume) {
    for (const audio of [this.audio, this.#spare]) [audio.volume, audio.muted] = [volume, false];
  }

  get isMuted() {
    return this.audio.muted || this.audio.volume === 0;
  }

  /** Without a volume, the one that was heard last comes back. */
  toggleMute() {
    const isMuted = !this.isMuted;
    if (!isMuted && this.volume === 0) this.volume = keptVolume();
    for (const audio of [this.audio, this.#spare]) audio.muted = isMuted;
  }

  /** Opens a URL at a position. What was prepared begins without a pause if it is sound. */
  open(url, at) {
    const { error, readyState } = this.#spare;
    this.#tell();
    this.#opened += 1;
    if (this.#spare.getAttribute("src") === url && at === 0 && !error && readyState > 1) {
      [this.audio, this.#spare] = [this.#spare, this.audio];
    } else {
      this.audio.src = url;
      if (at > 0) this.#seekOnce(at);
    }
    this.#clear(this.#spare);
  }

  close() {
    this.#tell();
    this.#opened += 1;
    this.#clear(this.audio);
    this.#clear(this.#spare);
  }

  /** Loads what will be opened next. */
  prepare(url) {
    this.#spare.preload = "auto";
    this.#spare.src = url;
  }

  async play() {
    const { audio } = this;
    const opened = this.#opened;
    try {
      await audio.play();
    } catch ({ name }) {
      // What was replaced meanwhile is of no interest.
      if (opened !== this.#opened) return;
      if (name === "NotAllowedError") this.#blocked();
      else this.#report(audio, name === "AbortError" ? "pause" : "error", NOT_SUPPORTED);
    }
  }

  pause() {
    this.audio.pause();
  }

  seek(seconds) {
    this.#at = seconds;
    this.audio.currentTime = seconds;
  }

  #element() {
    const audio = new Audio();
    audio.preload = "none";
    for (const name of REPORTED) audio.addEventListener(name, () => this.#report(audio, name));
    // An error of what was replaced meanwhile is none of the element.
    audio.addEventListener("error", () => audio.error && this.#report(audio, "error"));
    return audio;
  }

  #report(audio, name, code = 0) {
    if (audio !== this.audio) return;
    if (name === "playing") this.#allowed = audio;
    if (name === "pause" || (name === "timeupdate" && Date.now() - this.#toldAt > TOLD_MS)) this.#tell();
    this.#onReport({
      name,
      isPaused: audio.paused,
      isEnded: audio.ended,
      isSeeking: audio.seeking,
      position: audio.currentTime,
      code: hasNoDevice(audio) ? DEVICE : audio.error?.code ?? code,
    });
  }

  /** Tells the server what was played of a signed URL: see docs/usage.md. */
  #tell() {
    const { played, src } = this.audio;
    this.#toldAt = Date.now();
    if (!played.length || !src.includes("verify=")) return;
    const ranges = Array.from(played, (_, at) => `${played.start(at).toFixed(2)}-${played.end(at).toFixed(2)}`);
    const report = `${src}&played=${ranges}`;
    if (report !== this.#told) navigator.sendBeacon((this.#told = report));
  }

  #seekOnce(at) {
    const { audio } = this;
    const opened = this.#opened;
    this.seek(at);
    audio.addEventListener("loadedmetadata", () => {
      if (opened === this.#opened && Math.abs(audio.currentTime - this.#at) > LOST_SECONDS) audio.currentTime = this.#at;
    }, { once: true });
  }

  /** Some phones let only that element play which a finger started: the other one. */
  #blocked() {
    if (!this.#allowed || this.#allowed === this.audio) return this.#onBlocked();
    const url = this.audio.src;
    const at = this.audio.currentTime;
    [this.audio, this.#spare] = [this.#spare, this.audio];
    this.#clear(this.#spare);
    this.open(url, at);
    this.play();
  }

  #clear(audio) {
    if (!audio.hasAttribute("src")) return;
    audio.pause();
    audio.removeAttribute("src");
    audio.preload = "none";
    audio.load();
  }
}
