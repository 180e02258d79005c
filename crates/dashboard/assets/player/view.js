// What people see of a player's state.

import { Controls } from "./controls.js";
import { isColour, readableOn } from "./colour.js";
import { element, showIcon } from "./dom.js";
import { Passages } from "./passages.js";
import { Playlist } from "./playlist.js";
import { sentenceOf } from "./problem.js";
import { chosen, durationOf, isShown } from "./state-steps.js";
import { t } from "./texts.js";
import { Wave } from "./wave.js";

/** Widths of the player, in pixels, below which it is laid out as on a phone, and without what is least needed. */
const NARROW = 560;
const TINY = 300;
/** Its height below which a frame has no room for texts. */
const SHORT = 240;

/**
 * @typedef {import("./controls.js").Actions & { onToggle(): void, onRetry(): void, onChoose(index: number): void,
 *   onSeek(seconds: number): void, onPassage(seconds: number): void }} Actions
 */

export class View {
  #track = null;
  #sentence = "";

  /** @param {Actions} actions */
  constructor(actions) {
    this.onRetry = actions.onRetry;
    this.wave = new Wave(actions.onSeek);
    this.controls = new Controls(actions);
    this.list = new Playlist(actions.onChoose);
    this.chapters = new Passages("chapters", t("Chapters"), actions.onPassage);
    this.transcript = new Passages("transcript", t("Transcript"), actions.onPassage);
    this.cover = element("img", { class: "cover", part: "cover", alt: "", width: "168", height: "168", hidden: "" });
    this.button = element("button", { class: "play", part: "play", type: "button", disabled: "" });
    this.button.addEventListener("click", actions.onToggle);
    this.heading = element("p", { class: "title", part: "title" });
    this.subtitle = element("p", { class: "subtitle", part: "subtitle" });
    this.message = element("p", { class: "says", part: "message", role: "status", hidden: "" });
    this.card = this.#build();
    // Its height may change, which browsers report as an error of the page while they observe it.
    new ResizeObserver(() => requestAnimationFrame(() => this.fit())).observe(this.card);
  }

  #build() {
    const words = element("div", { class: "words" }, this.heading, this.subtitle);
    const head = element("div", { class: "head" }, this.button, words);
    const main = element("div", { class: "main" }, head, this.wave.node, this.controls.node);
    const texts = element("div", { class: "texts" }, this.chapters.node, this.transcript.node);
    return element(
      "div", { class: "card", part: "card", role: "group" },
      this.cover, main, this.message, texts, this.list.node,
    );
  }

  /** @param {import("./state-initial.js").State} state @param {import("./sound.js").Sound} sound */
  render(state, sound) {
    const { title = "", subtitle } = chosen(state) ?? {};
    this.heading.textContent = title;
    this.subtitle.textContent = subtitle ?? "";
    this.subtitle.hidden = !subtitle;
    this.card.setAttribute("aria-label", t(title ? "Audio player: {title}" : "Audio player", { title }));
    this.card.setAttribute("aria-busy", String(state.isLoading));
    this.#showTrack(state.track);
    this.wave.show(isShown(state) ? state.track?.levels : null, durationOf(state));
    this.#showButton(state);
    this.#showMessage(state);
    this.list.show(state.tracks, state.index, state.failed);
    this.controls.showPlace(state.index, state.tracks.length);
    this.controls.showQualities(state.track?.sources ?? [], state.sourceIndex);
    this.controls.showSound(sound);
  }

  /** Shows a position, in seconds. */
  move(position, duration) {
    this.wave.move(position);
    this.controls.showTime(position, duration);
    this.chapters.move(position);
    this.transcript.move(position);
  }

  /** @param {import("./playback.js").Track | null} track nothing of the one before stays if there is none */
  #showTrack(track) {
    const old = this.#track;
    this.#track = track;
    if (old?.id !== track?.id) this.transcript.show([]);
    else if (old?.levels === track?.levels) return;
    const { cover: sizes = {}, colours = {}, chapters = [] } = track ?? {};
    const cover = sizes.regular ?? sizes.large ?? sizes.small;
    this.cover.hidden = !cover;
    if (cover) this.cover.src = cover;
    this.#paint(colours);
    this.chapters.show(chapters);
  }

  #showButton({ isPlaying, isPending, isWaiting, sourceIndex }) {
    const isOn = isPlaying || isPending;
    this.button.disabled = sourceIndex < 0;
    showIcon(this.button, isOn ? "pause" : "play");
    this.button.setAttribute("aria-label", t(isOn ? "Pause" : "Play"));
    this.button.setAttribute("aria-busy", String(isPending || (isPlaying && isWaiting)));
  }

  #showMessage({ problem, notice }) {
    const trouble = problem && !problem.isQuiet ? problem : null;
    const said = trouble ?? notice;
    let sentence = said ? sentenceOf(said) : "";
    if (said && said === notice) sentence += ` ${t("Playing the next track.")}`;
    if (sentence === this.#sentence) return;
    this.#sentence = sentence;
    this.message.hidden = !sentence;
    this.message.replaceChildren(sentence);
    if (!trouble || trouble.kind === "empty") return;
    const button = element("button", { type: "button" }, t("Try again"));
    button.addEventListener("click", this.onRetry);
    this.message.append(button);
  }

  #paint(colours) {
    for (const [name, colour] of Object.entries(colours)) {
      if (!isColour(colour)) continue;
      this.card.style.setProperty(`--${name}`, colour);
      this.card.style.setProperty(`--on-${name}`, readableOn(colour));
    }
  }

  /** Container queries in words that older browsers know. */
  fit() {
    const { clientWidth: width, clientHeight: height } = this.card;
    this.card.classList.toggle("narrow", width <= NARROW);
    this.card.classList.toggle("tiny", width <= TINY);
    this.card.classList.toggle("short", height <= SHORT);
  }
}

