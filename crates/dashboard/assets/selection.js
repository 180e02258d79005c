// Which tracks of a list are selected, including those that the page does not show: on other pages, or not found by the search.
// The tab keeps them until they are changed or deselected.

const PREFIX = "tonearm-selected ";
/** What the form of a list was sent for last. */
const CHANGING = "tonearm-changing";

export class Selection {
  #storage;
  #key;
  #ids;

  /** @param {Storage | null} storage of the tab, if it has one @param {string} list names the list */
  constructor(storage, list) {
    this.#storage = storage;
    this.#key = PREFIX + list;
    this.#ids = new Set();
    this.read();
  }

  /** Another page of the tab may have changed what is kept. */
  read() {
    if (this.#storage) this.#ids = new Set(stored(this.#storage, this.#key));
  }

  get size() {
    return this.#ids.size;
  }

  has(id) {
    return this.#ids.has(id);
  }

  /** Selects tracks, or deselects them. */
  set(ids, isSelected) {
    for (const id of ids) {
      if (isSelected) this.#ids.add(id);
      else this.#ids.delete(id);
    }
    this.#keep();
  }

  clear() {
    this.#ids.clear();
    this.#keep();
  }

  /** The selected tracks that are not among those that the page shows. */
  besides(shown) {
    const here = new Set(shown);
    return [...this.#ids].filter((id) => !here.has(id));
  }

  #keep() {
    try {
      if (this.#ids.size === 0) this.#storage?.removeItem(this.#key);
      else this.#storage?.setItem(this.#key, JSON.stringify([...this.#ids]));
    } catch {
      // Full: it lasts as long as the list is shown.
    }
  }

  /** Remembers that what is selected is going to be changed. */
  willChange() {
    try {
      this.#storage?.setItem(CHANGING, JSON.stringify([...this.#ids]));
    } catch {
      // Full: it stays selected.
    }
  }

  /** Deselects what was changed, in every list. What else is selected stays so. */
  static changed(storage) {
    const changed = stored(storage, CHANGING);
    const keys = Array.from({ length: storage?.length ?? 0 }, (_, at) => storage.key(at));
    for (const key of keys.filter((key) => key?.startsWith(PREFIX))) {
      new Selection(storage, key.slice(PREFIX.length)).set(changed, false);
    }
    storage?.removeItem(CHANGING);
  }
}

/** The ids of an entry. */
function stored(storage, key) {
  let ids = null;
  try {
    ids = JSON.parse(storage?.getItem(key) ?? null);
  } catch {
    // Not ours.
  }
  return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : [];
}

/** The storage of the tab, unless the browser forbids it. */
export function tabStorage() {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
