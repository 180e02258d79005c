// The sound itself: one audio element, whose address is renewed when it has run out.

const TOLD = ["playing", "pause", "waiting", "timeupdate", "ended", "volumechange", "ratechange", "seeked"];

export class Sound extends EventTarget {
  #renew;
  #source = null;
  #wanted = false;
  #start = 0;
  #mayRenew = true;

  /** `renew` gives the source anew, with a fresh address, or throws a sentence. */
  constructor(renew) {
    super();
    this.#renew = renew;
    this.audio = new Audio();
    this.audio.preload = "none";
    for (const name of TOLD) this.audio.addEventListener(name, () => this.#tell(name));
    this.audio.addEventListener("error", () => this.#failed());
  }

  get position() {
    return this.#isOpen ? this.audio.currentTime : this.#start;
  }

  /** Whether it plays, or will as soon as it can. */
  get isWanted() {
    return this.#wanted;
  }

  get #isOpen() {
    return this.audio.hasAttribute("src");
  }

  /** Takes another sound; nothing is fetched before it is played. */
  load(source) {
    this.#wanted = false;
    this.#source = source;
    this.#mayRenew = true;
    this.#close(0);
  }

  /** Takes the same sound in another quality and goes on where it was. */
  swap(source) {
    const at = this.position;
    this.#source = source;
    if (!this.#isOpen) return;
    this.#open(at);
    if (this.#wanted) this.#begin();
  }

  play() {
    if (!this.#source) return;
    this.#wanted = true;
    if (!this.#isOpen) this.#open(this.#start);
    this.#begin();
  }

  pause() {
    this.#wanted = false;
    this.audio.pause();
    this.#tell("pause");
  }

  seek(seconds) {
    if (this.#isOpen) this.audio.currentTime = seconds;
    else this.#start = seconds;
    this.#tell("timeupdate");
  }

  #open(at) {
    this.audio.src = this.#source.url;
    if (at > 0) this.audio.currentTime = at;
  }

  #close(at) {
    this.audio.pause();
    this.audio.removeAttribute("src");
    this.audio.load();
    this.#start = at;
  }

  async #begin() {
    this.#tell("waiting");
    try {
      await this.audio.play();
    } catch (error) {
      // The browser wants a click first. What else goes wrong is told by the error event.
      if (error.name === "NotAllowedError") this.pause();
    }
  }

  /** An address that has run out looks like any other failure, so every failure gets one new address. */
  async #failed() {
    if (!this.#isOpen) return;
    const [at, failed, reason] = [this.position, this.#source, this.#reason()];
    if (!this.#mayRenew) return this.#giveUp(at, reason);
    this.#mayRenew = false;
    try {
      const fresh = await this.#renew();
      if (this.#source !== failed) return;
      this.#source = fresh;
    } catch (error) {
      return this.#giveUp(at, error.message);
    }
    this.#open(at);
    if (this.#wanted) this.#begin();
  }

  #reason() {
    return this.audio.error?.code === MediaError.MEDIA_ERR_DECODE
      ? "Playback stopped because the audio file is damaged."
      : "This browser cannot play the audio, or it is no longer available.";
  }

  #giveUp(at, sentence) {
    this.#wanted = false;
    this.#mayRenew = true;
    this.#close(at);
    this.dispatchEvent(new CustomEvent("failed", { detail: sentence }));
  }

  #tell(name) {
    if (name === "playing") this.#mayRenew = true;
    if (name === "ended") this.#wanted = false;
    this.dispatchEvent(new Event(name));
  }
}
