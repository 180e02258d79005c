import assert from "node:assert/strict";
import { test } from "node:test";

import { Selection } from "../selection.js";

/** The storage of a tab. */
class Tab {
  #items = new Map();

  get length() {
    return this.#items.size;
  }

  key(at) {
    return [...this.#items.keys()][at] ?? null;
  }

  getItem(key) {
    return this.#items.get(key) ?? null;
  }

  setItem(key, value) {
    this.#items.set(key, String(value));
  }

  removeItem(key) {
    this.#items.delete(key);
  }
}

test("a selection goes on over the pages of its list, and not over those of others", () => {
  const tab = new Tab();
  new Selection(tab, "season").set(["a", "b"], true);
  const next = new Selection(tab, "season");
  next.set(["c"], true);
  assert.deepEqual(next.besides(["c", "d"]), ["a", "b"]);
  assert.equal(new Selection(tab, "other").size, 0);
  next.set(["a"], false);
  assert.deepEqual([next.size, next.has("a"), next.has("b")], [2, false, true]);
  assert.deepEqual(new Selection(tab, "season").besides([]), ["b", "c"]);
});

test("what was changed is selected no longer, in any list", () => {
  const tab = new Tab();
  tab.setItem("theme", "dark");
  for (const list of ["season", "other"]) new Selection(tab, list).set(["a"], true);
  new Selection(tab, "other").set(["b"], true);
  new Selection(tab, "season").willChange();
  Selection.changed(tab);
  assert.deepEqual(new Selection(tab, "other").besides([]), ["b"]);
  assert.deepEqual([tab.length, tab.getItem("theme")], [2, "dark"]);
  // A change that nothing was selected for changes no selection.
  Selection.changed(tab);
  assert.equal(new Selection(tab, "other").size, 1);
  new Selection(tab, "other").clear();
  new Selection(tab, "season").set(["a"], true);
  new Selection(tab, "season").clear();
  assert.equal(tab.length, 1);
});

test("what another page of the tab selected is read again", () => {
  const tab = new Tab();
  const own = new Selection(tab, "season");
  own.set(["a"], true);
  new Selection(tab, "season").set(["b"], true);
  own.read();
  own.set(["c"], true);
  assert.deepEqual(new Selection(tab, "season").besides([]), ["a", "b", "c"]);
  own.willChange();
  Selection.changed(tab);
  own.read();
  assert.equal(own.size, 0);
});

test("a tab without storage, a full one and a strange value do no harm", () => {
  const none = new Selection(null, "season");
  none.set(["a"], true);
  none.read();
  assert.equal(none.size, 1);
  Selection.changed(null);
  const full = new Tab();
  full.setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  const kept = new Selection(full, "season");
  kept.set(["a"], true);
  assert.equal(kept.has("a"), true);
  for (const strange of ["{", "7", "[1, null]"]) {
    const tab = new Tab();
    tab.setItem("tonearm-selected season", strange);
    assert.equal(new Selection(tab, "season").size, 0, strange);
  }
});
