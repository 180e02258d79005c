// A list that is put in another order: by dragging the grips of its rows, or with the keyboard. A grip takes its row with
// Space or Return, the arrow keys move it, Space or Return puts it down, and Escape takes it back. What happens is announced.
// Whoever changes the list by itself waits while a row has the class `held`, until `tonearm-row-put` is dispatched.

import { t } from "./texts.js";

/** Pixels at the edge of the window in which dragging scrolls. */
const EDGE = 60;
const SCROLL_STEP = 12;

const said = document.createElement("p");
said.className = "hidden";
said.setAttribute("aria-live", "assertive");

function announce(sentence) {
  if (!said.isConnected) document.body.append(said);
  said.textContent = sentence;
}

export class Sortable {
  #list;
  #moved;
  /** The row that is held, and the place where it was taken. */
  #held = null;
  #from = -1;

  /** @param {HTMLElement} list @param {{ moved(from: number, to: number): void }} told of rows that were put down elsewhere */
  constructor(list, { moved }) {
    this.#list = list;
    this.#moved = moved;
    list.addEventListener("pointerdown", (event) => this.grab(event));
    list.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("focusout", (event) => {
      // Moving the row in the page takes the focus away for a moment.
      if (this.#held && !this.#isShifting && !this.#held.contains(event.relatedTarget)) this.#put("kept");
    });
  }

  #isShifting = false;

  #at(row) {
    return [...this.#list.children].indexOf(row);
  }

  #take(row) {
    this.#held = row;
    this.#from = this.#at(row);
    row.classList.add("held");
    row.querySelector("[data-grip]").setAttribute("aria-pressed", "true");
  }

  #shift(to) {
    const row = this.#held;
    const rows = [...this.#list.children].filter((other) => other !== row);
    if (to < 0 || to > rows.length) return false;
    const focused = document.activeElement;
    this.#isShifting = true;
    this.#list.insertBefore(row, rows[to] ?? null);
    if (row.contains(focused)) focused.focus();
    this.#isShifting = false;
    return true;
  }

  /** Ends it: `kept`, the row stays where it is now; `taken back`, it returns. */
  #put(how) {
    const [row, from] = [this.#held, this.#from];
    if (how !== "kept") this.#shift(from);
    this.#held = null;
    row.classList.remove("held");
    row.querySelector("[data-grip]").removeAttribute("aria-pressed");
    const to = this.#at(row);
    if (to !== from) this.#moved(from, to);
    this.#list.dispatchEvent(new Event("tonearm-row-put", { bubbles: true }));
    return to;
  }

  /** The list is put in another order: a row that is held goes back. */
  release() {
    if (this.#held) this.#put("taken back");
  }

  /** Announces what happened to a row, by the id of a message. */
  #tell(message, row, at = this.#at(row)) {
    const name = row.dataset.title ?? t("script-row");
    announce(t(message, { name, at: at + 1, count: this.#list.children.length }));
  }

  /** A key is pressed on a grip. */
  key(event) {
    const grip = event.target.closest("[data-grip]");
    if (!grip || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = grip.closest("li");
    const isHeld = this.#held === row;
    if (event.key === " " || event.key === "Enter") this.#press(row, isHeld);
    else if (isHeld && event.key === "Escape") {
      this.#put("taken back");
      this.#tell("script-row-back", row);
    } else if (isHeld && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      if (this.#shift(this.#at(row) + (event.key === "ArrowUp" ? -1 : 1))) {
        row.scrollIntoView({ block: "nearest" });
        this.#tell("script-row-moved", row);
      }
    } else return;
    event.preventDefault();
  }

  #press(row, isHeld) {
    if (isHeld) {
      // Whoever hears of the move may put another row in its place.
      const to = this.#put("kept");
      return this.#tell("script-row-dropped", row, to);
    }
    this.#take(row);
    this.#tell("script-row-taken", row);
  }

  /** The pointer takes a row by its grip. */
  grab(event) {
    const grip = event.target.closest("[data-grip]");
    if (!grip || event.button !== 0) return;
    event.preventDefault();
    grip.focus();
    const row = grip.closest("li");
    if (this.#held) this.#put("kept");
    this.#take(row);
    // The row moves in the page, so the pointer is followed everywhere.
    const abort = new AbortController();
    const { signal } = abort;
    addEventListener("pointermove", (move) => this.#drag(move), { signal });
    addEventListener("pointerup", ({ clientY }) => {
      abort.abort();
      if (this.#held !== row) return;
      // There was no move where the row was let go before this script was there.
      this.#follow(clientY);
      const to = this.#put("kept");
      this.#tell("script-row-dropped", row, to);
    }, { signal });
    const cancel = (canceled) => {
      if (canceled.type === "keydown" && canceled.key !== "Escape") return;
      abort.abort();
      if (this.#held === row) this.#put("taken back");
    };
    addEventListener("pointercancel", cancel, { signal });
    addEventListener("keydown", cancel, { signal, capture: true });
  }

  #drag({ clientY }) {
    if (!this.#held) return;
    if (clientY < EDGE) scrollBy(0, -SCROLL_STEP);
    else if (clientY > innerHeight - EDGE) scrollBy(0, SCROLL_STEP);
    this.#follow(clientY);
  }

  /** Puts the row that is held where the pointer is. */
  #follow(clientY) {
    const others = [...this.#list.children].filter((row) => row !== this.#held);
    const below = others.findIndex((row) => {
      const { top, height } = row.getBoundingClientRect();
      return clientY < top + height / 2;
    });
    const to = below < 0 ? others.length : below;
    if (to !== this.#at(this.#held)) this.#shift(to);
  }
}
