// The list of tracks under the player.

import { element } from "./dom.js";
import { clock } from "./time.js";

export class Playlist {
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.node = element("ol", { class: "list", part: "list", "aria-label": "Tracks", hidden: "" });
  }

  show(tracks) {
    this.node.hidden = tracks.length < 2;
    this.node.replaceChildren(...tracks.map((track, index) => this.#row(track, index)));
  }

  mark(current) {
    this.node.querySelectorAll("button").forEach((button, index) => {
      button.setAttribute("aria-current", String(index === current));
    });
  }

  #row(track, index) {
    const button = element(
      "button", { type: "button" },
      element("span", { class: "number" }, String(index + 1)),
      element("span", { class: "name" }, track.title),
      element("span", { class: "length" }, clock(track.duration)),
    );
    button.addEventListener("click", () => this.onChoose(index));
    return element("li", {}, button);
  }
}
