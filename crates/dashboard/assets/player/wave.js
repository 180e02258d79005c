// The waveform, which is also the slider that seeks.

import { drawn, element } from "./dom.js";
import { t } from "./texts.js";
import { clock, spoken } from "./time.js";

const BAR = 3;
const GAP = 2;
const STEP_SECONDS = 5;

/** Bars of the waveform: the loudest level of each share, so that a peak is never lost; flat without levels. */
export function bars(levels, count) {
  if (!levels?.length) return new Array(count).fill(0);
  const loudest = Math.max(...levels, 0.0001);
  return Array.from({ length: count }, (_, bar) => {
    const from = Math.floor((bar * levels.length) / count);
    const to = Math.max(from + 1, Math.floor(((bar + 1) * levels.length) / count));
    return Math.max(...levels.slice(from, to)) / loudest;
  });
}

/** Rounded bars around the middle, as the outline of one path. */
function outline(levels, width, height) {
  const count = Math.max(1, Math.floor((width + GAP) / (BAR + GAP)));
  const half = BAR / 2;
  return bars(levels, count)
    .map((level, bar) => {
      const reach = Math.max(half, (level * height) / 2) - half;
      const [x, top, bottom] = [bar * (BAR + GAP), height / 2 - reach, height / 2 + reach];
      const cap = `a${half} ${half} 0 0 1`;
      return `M${x} ${top.toFixed(1)}${cap} ${BAR} 0V${bottom.toFixed(1)}${cap} ${-BAR} 0z`;
    })
    .join("");
}

export class Wave {
  #levels;
  #duration = 0;
  #position = 0;
  /** The length that screen readers know. */
  #said = -1;
  #dragged = null;

  constructor(onSeek) {
    this.onSeek = onSeek;
    this.paths = ["rest", "ahead", "played"].map((part) => drawn("path", { class: part }));
    this.svg = drawn("svg", { "aria-hidden": "true" }, ...this.paths);
    this.tip = element("span", { class: "tip", "aria-hidden": "true", hidden: "" });
    this.node = element("div", {
      class: "wave",
      part: "wave",
      role: "slider",
      tabindex: "0",
      "aria-label": t("Position"),
      "aria-valuemin": "0",
    });
    this.node.append(this.svg, this.tip);
    this.#listen();
    new ResizeObserver(() => this.#draw()).observe(this.node);
  }

  show(levels, duration) {
    if (levels === this.#levels && duration === this.#duration) return;
    [this.#levels, this.#duration] = [levels, duration];
    this.node.setAttribute("aria-valuemax", String(Math.round(duration)));
    this.#draw();
    this.move(0);
  }

  /** Shows a position, unless a finger is just choosing another. */
  move(seconds) {
    this.#position = seconds;
    if (this.#dragged === null) this.#place(seconds);
  }

  #place(seconds) {
    const share = this.#duration > 0 ? Math.min(1, Math.max(0, seconds / this.#duration)) : 0;
    this.node.style.setProperty("--played", `${(share * 100).toFixed(3)}%`);
    const now = String(Math.round(seconds));
    if (this.node.getAttribute("aria-valuenow") === now && this.#said === this.#duration) return;
    this.#said = this.#duration;
    this.node.setAttribute("aria-valuenow", now);
    this.node.setAttribute("aria-valuetext", t("{position} of {duration}", { position: spoken(seconds), duration: spoken(this.#duration) }));
  }

  #draw() {
    const { clientWidth: width, clientHeight: height } = this.node;
    if (width === 0 || height === 0) return;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const path = outline(this.#levels, width, height);
    for (const node of this.paths) node.setAttribute("d", path);
  }

  #at(event) {
    const box = this.node.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / (box.width || 1)));
    return { share, seconds: share * this.#duration };
  }

  #hover(event) {
    const { share, seconds } = this.#at(event);
    this.node.style.setProperty("--ahead", `${(share * 100).toFixed(3)}%`);
    this.tip.textContent = clock(seconds);
    this.tip.hidden = this.#duration === 0;
    return seconds;
  }

  #leave() {
    this.tip.hidden = true;
    this.node.style.setProperty("--ahead", "0%");
  }

  #listen() {
    const { node } = this;
    node.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || this.#duration === 0) return;
      node.setPointerCapture(event.pointerId);
      this.#dragged = this.#hover(event);
      this.#place(this.#dragged);
    });
    node.addEventListener("pointermove", (event) => {
      const seconds = this.#hover(event);
      if (this.#dragged === null) return;
      this.#dragged = seconds;
      this.#place(seconds);
    });
    node.addEventListener("pointerup", () => {
      if (this.#dragged === null) return;
      const seconds = this.#dragged;
      this.#dragged = null;
      this.onSeek(seconds);
    });
    node.addEventListener("pointercancel", () => {
      this.#dragged = null;
      this.#leave();
      this.#place(this.#position);
    });
    node.addEventListener("pointerleave", () => this.#leave());
    node.addEventListener("keydown", (event) => this.#key(event));
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const leap = Math.max(STEP_SECONDS, this.#duration / 10);
    const by = {
      ArrowRight: STEP_SECONDS,
      ArrowUp: STEP_SECONDS,
      ArrowLeft: -STEP_SECONDS,
      ArrowDown: -STEP_SECONDS,
      PageUp: leap,
      PageDown: -leap,
      Home: -Infinity,
      End: Infinity,
    }[event.key];
    if (!by || this.#duration === 0) return;
    event.preventDefault();
    this.onSeek(Math.min(this.#duration, Math.max(0, this.#position + by)));
  }
}
