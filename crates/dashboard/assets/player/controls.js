// The small controls under the waveform: time, tracks, speed, quality, volume.

import { element, showIcon } from "./dom.js";
import { t } from "./texts.js";
import { clock } from "./time.js";

export const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];

function button(label, name, onClick) {
  const node = element("button", { class: "small", type: "button", "aria-label": label, title: label });
  showIcon(node, name);
  node.addEventListener("click", onClick);
  return node;
}

function menu(label, options) {
  return element("select", { "aria-label": label, title: label }, ...options);
}

function option(value, text) {
  return element("option", { value }, text);
}

/**
 * @typedef {{ onPrevious(): void, onNext(): void, onSpeed(speed: number): void, onQuality(index: number): void,
 *   onMute(): void, onVolume(volume: number): void }} Actions
 */

export class Controls {
  #sources = null;

  /** @param {Actions} actions */
  constructor(actions) {
    this.time = element("span", { class: "time", part: "time" });
    this.previous = button(t("Previous track"), "previous", () => actions.onPrevious());
    this.next = button(t("Next track"), "next", () => actions.onNext());
    this.speed = menu(t("Playback speed"), SPEEDS.map((speed) => option(String(speed), `${speed}×`)));
    this.speed.addEventListener("change", () => actions.onSpeed(Number(this.speed.value)));
    this.quality = menu(t("Quality"), []);
    this.quality.addEventListener("change", () => actions.onQuality(this.quality.selectedIndex));
    this.mute = button(t("Mute"), "sound", () => actions.onMute());
    this.volume = element("input", {
      class: "volume", type: "range", min: "0", max: "1", step: "0.05", "aria-label": t("Volume"),
    });
    this.volume.addEventListener("input", () => actions.onVolume(Number(this.volume.value)));
    this.node = element(
      "div", { class: "foot", part: "controls" },
      this.time, this.previous, this.next, this.speed, this.quality, this.mute, this.volume,
    );
  }

  showTime(position, duration) {
    const text = `${clock(position)} / ${clock(duration)}`;
    if (this.time.textContent !== text) this.time.textContent = text;
  }

  showPlace(index, count) {
    this.previous.hidden = this.next.hidden = count < 2;
    this.previous.disabled = index <= 0;
    this.next.disabled = index >= count - 1;
  }

  showQualities(sources, chosen) {
    if (this.#sources !== sources) {
      this.#sources = sources;
      this.quality.replaceChildren(...sources.map(({ label }, index) => option(String(index), label)));
      this.quality.hidden = sources.length < 2;
    }
    this.quality.selectedIndex = chosen;
  }

  /** @param {import("./sound.js").Sound} sound */
  showSound({ isMuted, volume, speed }) {
    const label = t(isMuted ? "Unmute" : "Mute");
    showIcon(this.mute, isMuted ? "muted" : "sound");
    this.mute.setAttribute("aria-label", label);
    this.mute.title = label;
    this.volume.value = String(isMuted ? 0 : volume);
    this.speed.value = String(speed);
  }
}
