// The list of the bar's queue.

import { element } from "../player/dom.js";
import { clock } from "../player/time.js";
import { Sortable } from "../sortable.js";
import { t } from "../texts.js";

export class QueueView {
  #shown = null;
  #index = -1;

  /** @param {import("./player.js").BarPlayer} player @param {string} base */
  constructor(player, base) {
    Object.assign(this, { player, base });
    this.list = element("ol");
    const clear = element("button", { type: "button", class: "small" }, t("script-queue-clear"));
    clear.addEventListener("click", () => player.clear());
    const head = element("div", { class: "head-line" }, element("h2", { id: "bar-queue-title" }, t("script-queue")), clear);
    this.node = element("section", { class: "bar-queue", id: "bar-queue", "aria-labelledby": "bar-queue-title", hidden: "" }, head, this.list);
    new Sortable(this.list, { moved: (from, to) => player.move(from, to) });
  }

  show() {
    const { tracks, index } = this.player.state;
    if (this.node.hidden) return;
    if (tracks !== this.#shown) {
      this.#fill(tracks);
      this.#shown = tracks;
    } else if (index === this.#index) return;
    this.#index = index;
    [...this.list.children].forEach((row, at) => {
      const name = row.querySelector(".queue-name");
      if (at === index) name.setAttribute("aria-current", "true");
      else name.removeAttribute("aria-current");
    });
  }

  /** Keeps the focus at its place in the list, on the same kind of button. */
  #fill(tracks) {
    const focused = document.activeElement;
    const at = [...this.list.children].findIndex((row) => row.contains(focused));
    const kind = at >= 0 ? focused.dataset.kind : null;
    this.list.replaceChildren(...tracks.map((track, place) => this.#row(track, place)));
    if (at < 0) return;
    const row = this.list.children[Math.min(at, tracks.length - 1)];
    row?.querySelector(`[data-kind="${kind}"]`)?.focus();
  }

  #row(track, place) {
    const grip = element("button", {
      type: "button", class: "grip quiet", "data-grip": "", "data-kind": "grip", "aria-label": t("script-reorder-track", { title: track.title }),
    }, "⣿");
    const name = element("button", { type: "button", class: "queue-name quiet", "data-kind": "name" }, track.title);
    name.addEventListener("click", () => this.player.choose(place));
    const remove = element("button", {
      type: "button", class: "quiet", "data-kind": "remove", "aria-label": t("script-queue-remove", { title: track.title }),
    }, "✕");
    remove.addEventListener("click", () => this.player.remove(place));
    const length = element("span", { class: "time" }, track.duration > 0 ? clock(track.duration) : "");
    return element("li", { "data-title": track.title }, grip, name, length, remove);
  }
}
