// When a play session ends, by the clock of this computer.

/** Sessions live for a day at most. A later end means that the clock is wrong, and an earlier one too. */
const LONGEST_MS = 25 * 3600 * 1000;

export class Expiry {
  #timer = 0;
  #onEnd;

  constructor(onEnd) {
    this.#onEnd = onEnd;
  }

  /** @param {number} end in milliseconds since 1970 */
  set(end) {
    this.clear();
    const left = end - Date.now();
    if (left > 0 && left < LONGEST_MS) this.#timer = setTimeout(this.#onEnd, left);
  }

  clear() {
    clearTimeout(this.#timer);
  }
}
