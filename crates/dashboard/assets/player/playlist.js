// The list of tracks under the player.

import { element } from "./dom.js";
import { Scroller } from "./scroller.js";
import { t } from "./texts.js";
import { clock } from "./time.js";

export class Playlist {
  #tracks = [];
  #index = -1;
  #failed = null;
  #scroller;

  /** @param {(index: number) => void} onChoose */
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.node = element("ol", { class: "list", part: "list", "aria-label": t("Tracks"), hidden: "" });
    this.#scroller = new Scroller(this.node);
  }

  /** @param {import("./playback.js").Listed[]} tracks @param {number} index @param {string[]} failed */
  show(tracks, index, failed) {
    if (tracks === this.#tracks && index === this.#index && failed === this.#failed) return;
    this.#fill(tracks);
    [this.#tracks, this.#index, this.#failed] = [tracks, index, failed];
    this.node.hidden = tracks.length < 2;
    tracks.forEach(({ id }, at) => this.#mark(this.node.children[at].firstChild, at === index, failed.includes(id)));
    this.#scroller.show(this.node.children[index]);
  }

  /** Rows of tracks that were there before stay. */
  #fill(tracks) {
    const rows = [...this.node.children];
    const focused = rows.findIndex((row) => row.matches(":focus-within"));
    tracks.forEach((track, at) => {
      if (track === this.#tracks[at]) return;
      const row = this.#row(track, at);
      if (rows[at]) rows[at].replaceWith(row);
      else this.node.append(row);
    });
    for (const row of rows.slice(tracks.length)) row.remove();
    this.node.children[focused]?.firstChild.focus({ preventScroll: true });
  }

  /** What is not there and need not be is left alone, so that long lists cost little. */
  #mark(button, isCurrent, isFailed) {
    if (isCurrent) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    if (button.classList.toggle("failed", isFailed)) button.title = t("Not available");
    else button.removeAttribute("title");
  }

  #row(track, index) {
    const button = element(
      "button", { type: "button" },
      element("span", { class: "number" }, String(index + 1)),
      element("span", { class: "name", title: track.title }, track.title),
      element("span", { class: "length" }, track.duration > 0 ? clock(track.duration) : ""),
    );
    button.addEventListener("click", () => this.onChoose(index));
    return element("li", {}, button);
  }
}
