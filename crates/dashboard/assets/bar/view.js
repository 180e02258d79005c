// What people see of the bar.

import { drawn, element, icon, showIcon } from "../player/dom.js";
import { sentenceOf } from "../player/problem.js";
import { clock, spoken } from "../player/time.js";
import { t } from "../texts.js";
import { QueueView } from "./queue-view.js";

const LEAP_SECONDS = 10;
const SAID_MS = 6000;

function button(label, picture, press) {
  const node = element("button", { type: "button", class: "quiet", "aria-label": label, title: label });
  node.append(picture);
  node.addEventListener("click", press);
  return node;
}

const line = (d) => {
  const svg = drawn("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" });
  svg.append(drawn("path", { d, fill: "none", stroke: "currentColor", "stroke-width": "2", "stroke-linecap": "round", "stroke-linejoin": "round" }));
  return svg;
};
const BACK = "M11 6l-6 6 6 6M19 6l-6 6 6 6";
const FORWARD = "M13 6l6 6-6 6M5 6l6 6-6 6";
const QUEUE = "M4 6h12M4 11h12M4 16h7M16 13v6M13 16h6";
const CLOSE = "M6 6l12 12M18 6L6 18";

export class BarView {
  #isSeeking = false;
  #cover = null;
  #sentence = "";
  #said = "";
  #timer = 0;

  /** @param {import("./player.js").BarPlayer} player @param {string} base @param {() => void} onClose */
  constructor(player, base, onClose) {
    Object.assign(this, { player, base });
    this.art = element("img", { class: "art", alt: "", width: "44", height: "44" });
    this.title = element("strong");
    this.subtitle = element("small");
    this.link = element("a", { class: "bar-track" }, this.art, element("span", { class: "words" }, this.title, this.subtitle));
    this.toggle = button(t("script-bar-play"), icon("play"), () => player.toggle());
    this.toggle.className = "bar-play";
    this.previous = button(t("script-bar-previous"), icon("previous"), () => player.previous());
    this.next = button(t("script-bar-next"), icon("next"), () => player.next());
    this.#makeSeek();
    this.#makeSound();
    this.queue = new QueueView(player, base);
    this.queueButton = button(t("script-queue"), line(QUEUE), () => this.#showQueue(this.queue.node.hidden));
    this.queueButton.setAttribute("aria-expanded", "false");
    this.queueButton.setAttribute("aria-controls", "bar-queue");
    this.message = element("p", { class: "bar-message", role: "status" });
    this.node = this.#build(button(t("script-bar-close"), line(CLOSE), onClose));
  }

  #build(close) {
    const leap = (message, picture, by) => {
      const node = button(t(message), line(picture), () => this.player.seek(this.player.position + by));
      node.classList.add("bar-leap");
      return node;
    };
    const controls = element(
      "div", { class: "bar-controls" },
      this.previous, leap("script-bar-back", BACK, -LEAP_SECONDS), this.toggle,
      leap("script-bar-forward", FORWARD, LEAP_SECONDS), this.next,
    );
    const seek = element("div", { class: "bar-seek" }, this.now, this.seek, this.length);
    const more = element("div", { class: "bar-more" }, this.mute, this.volume, this.queueButton, close);
    const node = element(
      "section", { class: "bar", "aria-label": t("script-bar") },
      this.queue.node, this.message, element("div", { class: "bar-row" }, this.link, controls, seek, more),
    );
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.queue.node.hidden || event.defaultPrevented) return;
      this.#showQueue(false);
      this.queueButton.focus();
    });
    return node;
  }

  #makeSeek() {
    const { player } = this;
    this.now = element("span", { class: "time" });
    this.length = element("span", { class: "time" });
    this.seek = element("input", { type: "range", min: "0", step: "5", value: "0", "aria-label": t("script-bar-position") });
    this.seek.addEventListener("input", () => {
      this.#isSeeking = true;
      this.#showTime(Number(this.seek.value));
    });
    this.seek.addEventListener("change", () => {
      this.#isSeeking = false;
      player.seek(Number(this.seek.value));
    });
    this.seek.addEventListener("pointerdown", () => (this.seek.step = "any"));
    this.seek.addEventListener("keydown", () => (this.seek.step = "5"));
  }

  #makeSound() {
    const { player } = this;
    this.mute = button(t("script-bar-mute"), icon("sound"), () => player.toggleMute());
    this.volume = element("input", { type: "range", min: "0", max: "1", step: "0.05", "aria-label": t("script-bar-volume"), class: "volume" });
    this.volume.addEventListener("input", () => player.setVolume(Number(this.volume.value)));
  }

  #showQueue(isShown) {
    this.queue.node.hidden = !isShown;
    this.queueButton.setAttribute("aria-expanded", String(isShown));
    if (isShown) this.queue.show();
  }

  show() {
    const { player } = this;
    const { track, state } = player;
    this.node.hidden = !track;
    if (!track) return this.#showQueue(false);
    this.#showTrack(track, state);
    this.#showButtons(state);
    if (!this.#isSeeking) this.#showTime(player.position);
    this.#showMessage(state);
    this.queue.show();
  }

  #showTrack(track, { track: loaded }) {
    if (this.title.textContent !== track.title) this.title.textContent = track.title;
    this.subtitle.textContent = track.subtitle ?? "";
    this.link.href = `${this.base}/tracks/${track.id}`;
    const cover = loaded?.id === track.id ? loaded.cover?.small ?? loaded.cover?.regular : null;
    if (!cover || cover === this.#cover) return;
    this.#cover = this.art.src = cover;
  }

  #showButtons({ isPending, isWaiting, isPlaying }) {
    const { player } = this;
    const label = t(player.paused ? "script-bar-play" : "script-bar-pause");
    showIcon(this.toggle, player.paused ? "play" : "pause");
    this.toggle.setAttribute("aria-label", label);
    this.toggle.title = label;
    this.toggle.setAttribute("aria-busy", String(isPending || (isPlaying && isWaiting)));
    this.previous.disabled = !player.hasPrevious;
    this.next.disabled = !player.hasNext;
    const { isMuted, volume } = player.sound;
    showIcon(this.mute, isMuted ? "muted" : "sound");
    this.mute.setAttribute("aria-label", t(isMuted ? "script-bar-unmute" : "script-bar-mute"));
    this.volume.value = String(isMuted ? 0 : volume);
  }

  #showTime(position) {
    const { duration } = this.player;
    this.now.textContent = clock(position);
    this.length.textContent = clock(duration);
    if (this.#isSeeking) return;
    this.seek.max = String(Math.max(1, duration));
    this.seek.step = "any";
    this.seek.value = String(position);
    this.seek.setAttribute("aria-valuetext", t("script-bar-time", { position: spoken(position), duration: spoken(duration) }));
  }

  #showMessage({ problem, notice }) {
    const said = problem && !problem.isQuiet ? problem : notice;
    let sentence = said ? sentenceOf(said) : "";
    if (said && said === notice) sentence += ` ${t("script-bar-skipped")}`;
    sentence ||= this.#said;
    if (sentence === this.#sentence) return;
    this.#sentence = sentence;
    this.message.replaceChildren(sentence);
    if (!said || said === notice) return;
    const again = element("button", { type: "button", class: "small" }, t("script-try-again"));
    again.addEventListener("click", () => this.player.retry());
    this.message.append(" ", again);
  }

  /** Says for a while what is not about playback. */
  say(sentence) {
    clearTimeout(this.#timer);
    this.#said = sentence;
    this.show();
    if (sentence) this.#timer = setTimeout(() => this.say(""), SAID_MS);
  }
}
