// The small controls under the waveform: time, tracks, speed, quality, volume.

import { element, showIcon } from "./dom.js";
import { clock } from "./time.js";

const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];
const KEPT = "tonearm-volume";

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

export class Controls {
  constructor(sound, { onStep, onQuality }) {
    this.sound = sound;
    this.time = element("span", { class: "time", part: "time" });
    this.previous = button("Previous track", "previous", () => onStep(-1));
    this.next = button("Next track", "next", () => onStep(1));
    this.speed = menu("Playback speed", SPEEDS.map((speed) => option(String(speed), `${speed}×`)));
    this.speed.value = "1";
    this.speed.addEventListener("change", () => this.#setSpeed(Number(this.speed.value)));
    this.quality = menu("Quality", []);
    this.quality.addEventListener("change", () => onQuality(this.quality.selectedIndex));
    this.mute = button("Mute", "sound", () => this.toggleMute());
    this.volume = element("input", {
      class: "volume", type: "range", min: "0", max: "1", step: "0.05", "aria-label": "Volume",
    });
    this.volume.addEventListener("input", () => this.#setVolume(Number(this.volume.value)));
    this.node = element(
      "div", { class: "foot", part: "controls" },
      this.time, this.previous, this.next, this.speed, this.quality, this.mute, this.volume,
    );
    sound.addEventListener("volumechange", () => this.#showVolume());
    sound.audio.volume = kept();
    this.#showVolume();
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

  showQualities(sources) {
    this.quality.replaceChildren(...sources.map(({ label }, index) => option(String(index), label)));
    this.quality.hidden = sources.length < 2;
  }

  toggleMute() {
    this.sound.audio.muted = !this.sound.audio.muted;
  }

  #setSpeed(speed) {
    const { audio } = this.sound;
    // Another source starts at the default.
    audio.defaultPlaybackRate = audio.playbackRate = speed;
  }

  #setVolume(volume) {
    const { audio } = this.sound;
    [audio.volume, audio.muted] = [volume, false];
    try {
      localStorage.setItem(KEPT, String(volume));
    } catch {
      // Frames of other sites may keep nothing.
    }
  }

  #showVolume() {
    const { audio } = this.sound;
    const silent = audio.muted || audio.volume === 0;
    showIcon(this.mute, silent ? "muted" : "sound");
    this.mute.setAttribute("aria-label", silent ? "Unmute" : "Mute");
    this.mute.title = silent ? "Unmute" : "Mute";
    this.volume.value = String(audio.muted ? 0 : audio.volume);
  }
}

function kept() {
  try {
    const volume = Number(localStorage.getItem(KEPT) ?? 1);
    return volume >= 0 && volume <= 1 ? volume : 1;
  } catch {
    return 1;
  }
}
