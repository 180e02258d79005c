// <tonearm-player>: plays what a share link or a play session opens. See docs/player.md.

import { isColour, readableOn } from "./colour.js";
import { Controls } from "./controls.js";
import { element, showIcon } from "./dom.js";
import { Playlist } from "./playlist.js";
import { claimSystemControls, tellPosition } from "./session.js";
import { Sound } from "./sound.js";
import { sourceOf } from "./source.js";
import { dress } from "./style.js";
import { Wave } from "./wave.js";

const SERVER = new URL(import.meta.url).origin;
const stillness = matchMedia("(prefers-reduced-motion: reduce)");

/** The player that is heard: one at a time on a page. */
let heard = null;

export class TonearmPlayer extends HTMLElement {
  static observedAttributes = ["src", "session", "tracks", "server"];

  #source = null;
  #session = null;
  #tracks = [];
  #track = null;
  #index = 0;
  #quality = 0;
  #opening = 0;
  #frame = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    dress(root);
    this.sound = new Sound(() => this.#renewed());
    this.wave = new Wave((seconds) => this.seek(seconds));
    this.controls = new Controls(this.sound, {
      onStep: (by) => this.#choose(this.#index + by, this.sound.isWanted),
      onQuality: (index) => this.#setQuality(index),
    });
    this.list = new Playlist((index) => this.#choose(index, true));
    root.append(this.#build());
    this.#listen();
  }

  connectedCallback() {
    this.#open();
  }

  disconnectedCallback() {
    this.pause();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.#open();
  }

  /** The answer of POST /v1/play_session/…, where the page has it. */
  get session() {
    return this.#session;
  }

  set session(answer) {
    this.#session = answer;
    if (this.isConnected) this.#open();
  }

  get position() {
    return this.sound.position;
  }

  get duration() {
    return this.#track?.duration ?? 0;
  }

  get paused() {
    return !this.sound.isWanted;
  }

  get hasPrevious() {
    return this.#index > 0;
  }

  get hasNext() {
    return this.#index < this.#tracks.length - 1;
  }

  play() {
    if (!this.#track) return;
    if (heard !== this) heard?.pause();
    heard = this;
    this.sound.play();
    claimSystemControls(this, this.#track);
  }

  pause() {
    this.sound.pause();
  }

  toggle() {
    if (this.paused) this.play();
    else this.pause();
  }

  seek(seconds) {
    // The very end would only end it.
    this.sound.seek(Math.max(0, Math.min(seconds, this.duration - 0.05)));
    this.#showPosition();
  }

  next() {
    return this.#choose(this.#index + 1, !this.paused);
  }

  previous() {
    return this.#choose(this.#index - 1, !this.paused);
  }

  #build() {
    this.cover = element("img", { class: "cover", part: "cover", alt: "", width: "168", height: "168", hidden: "" });
    this.button = element("button", { class: "play", part: "play", type: "button", "aria-label": "Play", disabled: "" });
    showIcon(this.button, "play");
    this.heading = element("p", { class: "title", part: "title" });
    this.subtitle = element("p", { class: "subtitle", part: "subtitle" });
    this.says = element("p", { class: "says", part: "message", role: "status", hidden: "" });
    this.controls.showTime(0, 0);
    this.controls.showPlace(0, 0);
    this.controls.showQualities([]);
    const words = element("div", { class: "words" }, this.heading, this.subtitle);
    const head = element("div", { class: "head" }, this.button, words);
    const main = element("div", { class: "main" }, head, this.wave.node, this.controls.node);
    this.card = element(
      "div", { class: "card", part: "card", role: "group", "aria-label": "Audio player" },
      this.cover, main, this.says, this.list.node,
    );
    return this.card;
  }

  #listen() {
    this.button.addEventListener("click", () => this.toggle());
    const { sound } = this;
    for (const name of ["playing", "pause", "waiting", "ended"]) sound.addEventListener(name, () => this.#showState(name));
    for (const name of ["timeupdate", "seeked", "ratechange"]) sound.addEventListener(name, () => this.#showPosition());
    sound.addEventListener("ended", () => this.#ended());
    sound.addEventListener("failed", ({ detail }) => {
      this.#showState("pause");
      this.#say(detail, () => this.play());
    });
    this.card.addEventListener("keydown", (event) => this.#key(event));
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("select")) return;
    const typing = event.target.closest("button, input");
    if (event.key === "m" || event.key === "M") this.controls.toggleMute();
    else if ((event.key === " " && !typing) || event.key === "k") this.toggle();
    else return;
    event.preventDefault();
  }

  async #open() {
    const turn = ++this.#opening;
    this.pause();
    this.#source = sourceOf(this, SERVER);
    if (!this.#source) return;
    this.card.setAttribute("aria-busy", "true");
    this.#say(null);
    try {
      const { title, tracks, first } = await this.#source.open();
      if (turn !== this.#opening) return;
      this.#tracks = tracks;
      this.list.show(tracks);
      this.#index = Math.max(0, tracks.findIndex(({ id }) => id === first?.id));
      if (first) this.#show(first);
      else this.#say(title ? `${title} has no tracks to play yet.` : "No tracks to play yet.");
    } catch (error) {
      if (turn === this.#opening) this.#say(error.message, () => this.#open());
    } finally {
      this.card.removeAttribute("aria-busy");
    }
  }

  /** Shows another track of the list, and plays it where asked. */
  async #choose(index, isWanted) {
    if (index < 0 || index >= this.#tracks.length) return;
    const turn = ++this.#opening;
    this.#index = index;
    this.list.mark(index);
    this.#say(null);
    this.sound.load(null);
    try {
      const track = await this.#source.track(this.#tracks[index].id);
      if (turn !== this.#opening) return;
      this.#show(track);
      if (isWanted) this.play();
      this.#emit("trackchange", { id: track.id });
    } catch (error) {
      if (turn === this.#opening) this.#say(error.message, () => this.#choose(index, isWanted));
    }
  }

  #show(track) {
    this.#track = track;
    this.heading.textContent = track.title;
    this.subtitle.textContent = track.subtitle ?? "";
    this.subtitle.hidden = !track.subtitle;
    const cover = track.cover?.regular ?? track.cover?.large ?? track.cover?.small;
    this.cover.hidden = !cover;
    if (cover) this.cover.src = cover;
    this.#paint(track.colours);
    this.wave.show(track.levels, track.duration);
    this.list.mark(this.#index);
    this.controls.showPlace(this.#index, this.#tracks.length);
    this.controls.showQualities(track.sources);
    this.#quality = this.#playable(track.sources);
    this.controls.quality.selectedIndex = this.#quality;
    this.sound.load(track.sources[this.#quality] ?? null);
    this.button.disabled = track.sources.length === 0;
    this.card.setAttribute("aria-label", `Audio player: ${track.title}`);
    this.#showState("pause");
  }

  #playable(sources) {
    return Math.max(0, sources.findIndex(({ type }) => this.sound.audio.canPlayType(type) !== ""));
  }

  #paint({ light, dark }) {
    for (const [name, colour] of [["light", light], ["dark", dark]]) {
      if (!isColour(colour)) continue;
      this.card.style.setProperty(`--${name}`, colour);
      this.card.style.setProperty(`--on-${name}`, readableOn(colour));
    }
  }

  #setQuality(index) {
    this.#quality = index;
    this.sound.swap(this.#track.sources[index]);
  }

  /** The same sound under a fresh address. */
  async #renewed() {
    const track = await this.#source.track(this.#track.id);
    const fresh = track.sources[this.#quality] ?? track.sources[0];
    if (!fresh) throw new Error("This track is no longer available.");
    return fresh;
  }

  #ended() {
    this.#emit("ended", { id: this.#track.id });
    if (this.hasNext) this.#choose(this.#index + 1, true);
    else this.seek(0);
  }

  #showState(name) {
    const { isWanted } = this.sound;
    showIcon(this.button, isWanted ? "pause" : "play");
    this.button.setAttribute("aria-label", isWanted ? "Pause" : "Play");
    this.button.setAttribute("aria-busy", String(name === "waiting" && isWanted));
    if (navigator.mediaSession && heard === this) {
      navigator.mediaSession.playbackState = isWanted ? "playing" : "paused";
    }
    if (name === "playing") this.#say(null);
    if (name === "playing" || name === "pause") this.#emit(name === "playing" ? "play" : "pause");
    this.#showPosition();
    this.#follow();
  }

  #showPosition() {
    this.wave.move(this.position);
    this.controls.showTime(this.position, this.duration);
    if (heard === this) tellPosition(this.duration, this.position, this.sound.audio.playbackRate);
  }

  /** Moves the waveform with every frame while it plays, unless the person wants stillness. */
  #follow() {
    cancelAnimationFrame(this.#frame);
    if (this.paused || stillness.matches) return;
    this.wave.move(this.position);
    this.#frame = requestAnimationFrame(() => this.#follow());
  }

  #say(sentence, again) {
    this.says.hidden = !sentence;
    this.says.replaceChildren(sentence ?? "");
    if (!sentence || !again) return;
    const button = element("button", { type: "button" }, "Try again");
    button.addEventListener("click", again);
    this.says.append(button);
  }

  #emit(name, detail = {}) {
    this.dispatchEvent(new CustomEvent(`tonearm-${name}`, { detail, bubbles: true, composed: true }));
  }
}

if (!customElements.get("tonearm-player")) customElements.define("tonearm-player", TonearmPlayer);
