// Passages of a track beside its sound, to click on: chapters, or words.

import { element } from "./dom.js";
import { Scroller } from "./scroller.js";
import { clock } from "./time.js";

export class Passages {
  #passages = [];
  #current = -1;
  #scroller;

  /** @param {string} name a part @param {string} label @param {(seconds: number) => void} onPassage plays from there */
  constructor(name, label, onPassage) {
    this.onPassage = onPassage;
    this.list = element("ol", { "aria-label": label });
    this.node = element("details", { class: "passages", part: name, hidden: "" }, element("summary", {}, label), this.list);
    this.node.addEventListener("toggle", () => this.#scroller.show(this.list.children[this.#current]));
    this.#scroller = new Scroller(this.list);
  }

  /** @param {import("./playback.js").Chapter[]} passages */
  show(passages) {
    if (passages === this.#passages) return;
    this.#passages = passages;
    this.#current = -1;
    this.node.hidden = passages.length === 0;
    this.list.replaceChildren(...passages.map((passage) => this.#row(passage)));
  }

  /** Marks the passage that is heard. */
  move(position) {
    let current = this.#passages.length - 1;
    while (current >= 0 && this.#passages[current].start > position + 0.01) current -= 1;
    if (current === this.#current) return;
    this.list.children[this.#current]?.firstChild.removeAttribute("aria-current");
    this.list.children[current]?.firstChild.setAttribute("aria-current", "true");
    this.#current = current;
    if (this.node.open && !this.list.matches(":hover, :focus-within")) this.#scroller.show(this.list.children[current]);
  }

  #row({ start, title }) {
    const button = element(
      "button", { type: "button" },
      element("span", { class: "length" }, clock(start)),
      element("span", { class: "line" }, title),
    );
    button.addEventListener("click", () => this.onPassage(start));
    return element("li", {}, button);
  }
}
