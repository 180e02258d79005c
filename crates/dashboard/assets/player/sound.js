// The audio element, and a second one in which the next track is loaded ahead of time.

const REPORTED = ["playing", "pause", "waiting", "timeupdate", "seeked", "ended", "error", "volumechange", "ratechange"];
/** Safari may forget a position that was set before it knew the length. */
const LOST_SECONDS = 1;

/**
 * @typedef {{ name: string, isPaused: boolean, isEnded: boolean, isSeeking: boolean, position: number, code: number }} Report
 */

export class Sound {
  #spare;
  /** The element that has played. */
  #allowed = null;
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

  set isMuted(isMuted) {
    for (const audio of [this.audio, this.#spare]) audio.muted = isMuted;
  }

  /** Opens a URL at a position. What was prepared begins without a pause. */
  open(url, at) {
    if (this.#spare.getAttribute("src") === url && at === 0) {
      [this.audio, this.#spare] = [this.#spare, this.audio];
    } else {
      this.audio.src = url;
      if (at > 0) this.#seekOnce(at);
    }
    this.#clear(this.#spare);
  }

  close() {
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
    try {
      await audio.play();
    } catch (error) {
      // Anything else is told by the error event, or was replaced meanwhile.
      if (error.name === "NotAllowedError" && audio === this.audio) this.#blocked();
    }
  }

  pause() {
    this.audio.pause();
  }

  seek(seconds) {
    this.audio.currentTime = seconds;
  }

  #element() {
    const audio = new Audio();
    audio.preload = "none";
    for (const name of REPORTED) audio.addEventListener(name, () => this.#report(audio, name));
    return audio;
  }

  #report(audio, name) {
    if (audio !== this.audio) return;
    if (name === "playing") this.#allowed = audio;
    this.#onReport({
      name,
      isPaused: audio.paused,
      isEnded: audio.ended,
      isSeeking: audio.seeking,
      position: audio.currentTime,
      code: audio.error?.code ?? 0,
    });
  }

  #seekOnce(at) {
    const { audio } = this;
    const url = audio.src;
    audio.currentTime = at;
    audio.addEventListener("loadedmetadata", () => {
      if (audio.src === url && audio.currentTime < at - LOST_SECONDS) audio.currentTime = at;
    }, { once: true });
  }

  /** Some phones let only that element play which a finger started: the other one. */
  #blocked() {
    if (!this.#allowed || this.#allowed === this.audio) return this.#onBlocked();
    const url = this.audio.src;
    [this.audio, this.#spare] = [this.#spare, this.audio];
    this.#clear(this.#spare);
    this.audio.src = url;
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
