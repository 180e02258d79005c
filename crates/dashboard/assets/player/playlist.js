// The list of tracks under the player.

import { element } from "./dom.js";
import { Scroller } from "./scroller.js";
import { t } from "./texts.js";
import { clock } from "./time.js";

export class Playlist {
  #tracks = null;
  #index = -1;
  #scroller;

  /** @param {(index: number) => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.node = element("ol", { class: "list", part: "list", "aria-label": t("Tracks"), hidden: "" });
    this.#scroller = new Scroller(this.node);
  }

  /** @param {import("./playback.js").Listed[]} tracks @param {number} index @param {string[]} failed */
  show(tracks, index, failed) {
    const isNew = tracks !== this.#tracks;
    if (isNew) {
      this.#tracks = tracks;
      this.node.hidden = tracks.length < 2;
      const focused = [...this.node.children].indexOf(this.node.querySelector(":focus")?.parentNode);
      this.node.replaceChildren(...tracks.map((track, at) => this.#row(track, at)));
      if (focused >= 0) this.#buttonAt(focused)?.focus({ preventScroll: true });
    }
    this.node.querySelectorAll("button").forEach((button, at) => {
      button.setAttribute("aria-current", String(at === index));
      button.classList.toggle("failed", failed.includes(tracks[at].id));
      button.title = failed.includes(tracks[at].id) ? t("Not available") : "";
    });
    if (isNew || index !== this.#index) this.#scroller.show(this.node.children[index]);
    this.#index = index;
  }

  #buttonAt(index) {
    return this.node.children[index]?.querySelector("button");
  }

  #row(track, index) {
    const button = element(
      "button", { type: "button" },
      element("span", { class: "number" }, String(index + 1)),
      element("span", { class: "name" }, track.title),
      element("span", { class: "length" }, track.duration > 0 ? clock(track.duration) : ""),
    );
    button.addEventListener("click", () => this.onChoose(index));
    return element("li", {}, button);
  }
}
