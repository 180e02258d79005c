// <tonearm-player>: plays what a share link or a play session opens. See docs/player.md.

import { parseCaptions } from "./captions.js";
import { Commands, isHeard } from "./commands.js";
import { Expiry } from "./expiry.js";
import { keep, kept, keepVolume, keptNumber, keptVolume } from "./kept.js";
import { listenForKeys } from "./keys.js";
import { reportToSystem } from "./media-session.js";
import { idsIn, isSame, namedSource } from "./named-source.js";
import { persist, requestText } from "./request.js";
import { Sound } from "./sound.js";
import { Data, Session } from "./source.js";
import { durationOf } from "./state-steps.js";
import { INITIAL, reduce } from "./state.js";
import { dress } from "./style.js";
import { speak } from "./texts.js";
import { View } from "./view.js";

const SERVER = new URL(import.meta.url).origin;
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

export class TonearmPlayer extends HTMLElement {
  static observedAttributes = ["src", "session", "tracks", "server"];

  #state = { ...INITIAL, quality: kept("quality") };
  #events = [];
  #isReducing = false;
  #isOpening = false;
  #named = null;
  #session = null;
  #frame = 0;
  #captioned;
  #expiry = new Expiry(() => this.#dispatch({ type: "expired" }));
  #onOnline = () => this.#dispatch({ type: "again" });

  constructor() {
    super();
    this.sound = new Sound(
      (report) => this.#dispatch({ type: "sound", ...report }),
      () => this.#dispatch({ type: "blocked" }),
    );
    this.sound.volume = keptVolume();
    this.sound.speed = keptNumber("speed", 0.25, 4, 1);
    this.commands = new Commands(this, this.sound, (event) => this.#dispatch(event));
  }

  connectedCallback() {
    // Set by the page before this module was there.
    if (this.hasOwnProperty("session")) {
      const { session } = this;
      delete this.session;
      this.session = session;
    }
    window.addEventListener("online", this.#onOnline);
    this.#openSoon();
    speak(this).then(() => this.#show());
  }

  disconnectedCallback() {
    this.#openSoon();
  }

  attributeChangedCallback() {
    this.#openSoon();
  }

  /** The response of POST /v1/play_session/…, if the page has it. */
  get session() {
    return this.#session;
  }

  set session(answer) {
    this.#session = answer;
    this.#openSoon();
  }

  get position() {
    const { isOpen, position, seekFrom } = this.#state;
    return isOpen && seekFrom === null && this.sound.audio.readyState > 0 ? this.sound.audio.currentTime : position;
  }

  get duration() {
    return durationOf(this.#state);
  }

  get paused() {
    return !(this.#state.isPlaying || this.#state.isPending);
  }

  get hasPrevious() {
    return this.#state.index > 0;
  }

  get hasNext() {
    return this.#state.index < this.#state.tracks.length - 1;
  }

  /** Resolves once sound is heard. */
  play() {
    this.#openNow();
    const heard = this.commands.wait();
    this.#dispatch({ type: "play" });
    return heard;
  }

  pause() {
    this.#dispatch({ type: "pause" });
  }

  toggle() {
    // Who cannot hear it is told by the player.
    if (this.paused) this.play().catch(() => {});
    else this.pause();
  }

  seek(seconds) {
    this.#dispatch({ type: "seek", to: seconds });
  }

  next() {
    this.#step(1);
  }

  previous() {
    this.#step(-1);
  }

  #step(by) {
    this.#dispatch({ type: "choose", index: this.#state.index + by, isWanted: !this.paused });
  }

  #actions() {
    return {
      onToggle: () => this.toggle(),
      onRetry: () => this.#dispatch({ type: "again", isAsked: true }),
      onChoose: (index) => this.#dispatch({ type: "choose", index, isWanted: true }),
      onSeek: (seconds) => this.seek(seconds),
      onPassage: (seconds) => {
        this.seek(seconds);
        if (this.paused) this.toggle();
      },
      onPrevious: () => this.previous(),
      onNext: () => this.next(),
      onSpeed: (speed) => {
        this.sound.speed = speed;
        keep("speed", speed);
      },
      onQuality: (index) => {
        this.#dispatch({ type: "quality", index });
        keep("quality", this.#state.quality);
      },
      onMute: () => this.sound.toggleMute(),
      onVolume: (volume) => {
        this.sound.volume = volume;
        keepVolume(volume);
      },
    };
  }

  /** Until the language is known, the page shows what is inside of the element. */
  #show() {
    if (this.view) return;
    this.view = new View(this.#actions());
    listenForKeys(this.view.card, { toggle: () => this.toggle(), toggleMute: () => this.sound.toggleMute() });
    dress(this.attachShadow({ mode: "open" }), this.view.card);
    this.view.fit();
    this.#render();
  }

  /** Once for all attributes that change together. */
  #openSoon() {
    if (this.#isOpening) return;
    this.#isOpening = true;
    queueMicrotask(() => this.#openNow());
  }

  #openNow() {
    if (!this.#isOpening) return;
    this.#isOpening = false;
    if (!this.isConnected) return this.#leave();
    const named = namedSource(this, SERVER);
    if (isSame(named, this.#named)) return;
    const isSwitch = Boolean(named?.session && this.#named?.session);
    this.#named = named;
    this.#expiry.clear();
    this.commands.source = named && this.#sourceOf(named);
    this.#dispatch(named ? { type: "open", isSwitch } : { type: "empty" });
  }

  #sourceOf({ src, session, tracks, server }) {
    if (src) return new Data(src);
    return new Session(server, session, idsIn(tracks), (end) => this.#expiry.set(end));
  }

  #leave() {
    window.removeEventListener("online", this.#onOnline);
    this.#dispatch({ type: "gone" });
  }

  #dispatch(event) {
    this.#events.push({ ...event, now: Date.now() });
    if (this.#isReducing) return;
    this.#isReducing = true;
    try {
      for (let next = this.#events.shift(); next; next = this.#events.shift()) {
        const { state, commands } = reduce(this.#state, next);
        this.#state = state;
        for (const command of commands) this.commands[command.name](command, state);
      }
    } finally {
      this.#isReducing = false;
    }
    this.#render();
  }

  #render() {
    if (!this.view) return;
    this.view.render(this.#state, this.sound);
    this.#showPosition();
    this.#showCaptions();
    this.#follow();
  }

  #showPosition() {
    const { position, duration } = this;
    this.view.move(position, duration);
    if (isHeard(this)) reportToSystem({ isPlaying: !this.paused, duration, position, speed: this.sound.speed });
  }

  /** Moves the waveform with every frame while it plays, unless the person wants stillness. */
  #follow() {
    cancelAnimationFrame(this.#frame);
    if (!this.#state.isPlaying || stillness.matches) return;
    this.view.wave.move(this.position);
    this.#frame = requestAnimationFrame(() => this.#follow());
  }

  /** The words of the track that is shown, if the data or a `<track>` in the element names them. */
  async #showCaptions() {
    const { track } = this.#state;
    if (this.#captioned === track?.id) return;
    this.#captioned = track?.id;
    if (!track) return;
    const child = this.#state.tracks.length < 2 && this.querySelector("track[kind=captions], track[kind=subtitles]");
    const url = track.captions ?? (child && child.src);
    if (!url) return;
    const text = (await persist(() => requestText(url))) ?? "";
    if (this.#captioned === track.id) this.view.transcript.show(parseCaptions(text));
  }
}

if (!customElements.get("tonearm-player")) customElements.define("tonearm-player", TonearmPlayer);
