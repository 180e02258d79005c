import assert from "node:assert/strict";
import { test } from "node:test";

import { listenForKeys } from "../keys.js";

/** What a key does on an element of a kind: what was called, and whether the browser still does its own. */
function strike(key, tag) {
  let hear;
  const done = [];
  const card = { addEventListener: (_, listener) => { hear = listener; } };
  listenForKeys(card, { toggle: () => done.push("toggle"), toggleMute: () => done.push("mute") });
  const target = { closest: (kinds) => (kinds.split(", ").includes(tag) ? {} : null) };
  hear({ key, target, preventDefault: () => done.push("prevented") });
  return done;
}

test("Space opens what it opens everywhere, and plays elsewhere", () => {
  for (const tag of ["summary", "button", "input", "a", "select"]) assert.deepEqual(strike(" ", tag), [], tag);
  assert.deepEqual(strike(" ", "div"), ["toggle", "prevented"]);
  assert.deepEqual(strike("k", "summary"), ["toggle", "prevented"]);
});
