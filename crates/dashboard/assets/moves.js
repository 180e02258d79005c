// Moves of rows, which are saved one after another: each is about the order that the one before left.

/** What a move is, in a list of ids as it is after the move: the whole order before it, and the part that it changed. */
export function moveOf(ids, from, to) {
  const order = [...ids];
  order.splice(from, 0, ...order.splice(to, 1));
  const changed = [Math.min(from, to), Math.max(from, to) + 1];
  return { order, before: order.slice(...changed), after: ids.slice(...changed) };
}

export class Moves {
  #save;
  #putBack;
  #waiting = [];
  #isSaving = false;

  /**
   * `save` gives whether a move was saved. If it was not, those that wait make no sense any more, and `putBack` is called with
   * the order that was saved last.
   */
  constructor(save, putBack) {
    this.#save = save;
    this.#putBack = putBack;
  }

  get isSaving() {
    return this.#isSaving;
  }

  async add(move) {
    this.#waiting.push(move);
    if (this.#isSaving) return;
    this.#isSaving = true;
    while (this.#waiting.length > 0) {
      const next = this.#waiting.shift();
      if (await this.#save(next)) continue;
      this.#waiting = [];
      this.#putBack(next.order);
    }
    this.#isSaving = false;
  }
}
