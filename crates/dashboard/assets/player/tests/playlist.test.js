// Lists of thousands of tracks are drawn often.

import "./page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { Playlist } from "../playlist.js";
import { track } from "./listener.js";

const tracks = ["a", "b", "c"].map((id) => track(id));
const none = [];

function shown() {
  const list = new Playlist(() => {});
  list.show(tracks, 0, none);
  return list;
}

/** Changes of each row since the last time. */
function changes(list) {
  return list.node.children.map(({ firstChild: button }) => {
    const { changes: count } = button;
    button.changes = 0;
    return count;
  });
}

const marked = (list) => list.node.children.map(({ firstChild }) => firstChild.getAttribute("aria-current") === "true");

test("what is shown already is not written again", () => {
  const list = shown();
  changes(list);
  for (let second = 0; second < 10; second += 1) list.show(tracks, 0, none);
  assert.deepEqual(changes(list), [0, 0, 0]);
});

test("another track changes two rows, and one that fails its own", () => {
  const list = shown();
  changes(list);
  list.show(tracks, 1, none);
  assert.deepEqual(changes(list), [1, 1, 0]);
  assert.deepEqual(marked(list), [false, true, false]);
  list.show(tracks, 1, ["c"]);
  assert.equal(list.node.children[2].firstChild.title, "Not available");
  assert.equal(changes(list)[0], 0);
  list.show(tracks, 1, none);
  assert.equal(list.node.children[2].firstChild.title, "");
  assert.equal(list.node.children[2].firstChild.classList.contains("failed"), false);
});

test("tracks that arrive later are added, and those that were there stay", () => {
  const list = shown();
  const before = list.node.children;
  list.show([...tracks, track("d"), track("e")], 0, none);
  assert.equal(list.node.children.length, 5);
  assert.deepEqual(list.node.children.slice(0, 3).map((row, at) => row === before[at]), [true, true, true]);
});

test("a track with another title has another row, and another list other rows", () => {
  const list = shown();
  const before = list.node.children;
  list.show([tracks[0], { ...tracks[1], title: "Named" }, tracks[2]], 0, none);
  assert.deepEqual(list.node.children.map((row, at) => row === before[at]), [true, false, true]);
  list.show([track("x")], 0, none);
  assert.equal(list.node.children.length, 1);
  assert.notEqual(list.node.children[0], before[0]);
  assert.equal(list.node.hidden, true);
});
