// What people see of a state.

import "./page.js";

import assert from "node:assert/strict";
import { test } from "node:test";

import { durationOf } from "../state-steps.js";
import { View } from "../view.js";
import { Listener, track } from "./listener.js";

const sound = { isMuted: false, volume: 1, speed: 1 };
const chapters = [{ start: 0, end: 50, title: "One" }];

test("nothing of a track stays beside a link that is not valid", () => {
  const view = new View({});
  const listener = new Listener().on("open", { isSwitch: false });
  const first = { ...track("a"), cover: { regular: "cover.jpg" }, levels: [1, 2], chapters };
  listener.on("opened", { turn: listener.state.turn, title: "List", tracks: [], first });
  view.render(listener.state, sound);
  view.transcript.show([{ start: 0, end: 5, title: "Words" }]);
  assert.deepEqual([view.cover.hidden, view.chapters.node.hidden, view.wave.node.getAttribute("aria-valuemax")], [false, false, "100"]);
  listener.on("open", { isSwitch: false }).refuses("link");
  view.render(listener.state, sound);
  assert.match(view.message.firstChild, /no longer valid/);
  assert.deepEqual([view.cover.hidden, view.chapters.node.hidden, view.transcript.node.hidden], [true, true, true]);
  assert.equal(view.wave.node.getAttribute("aria-valuemax"), "0");
});

test("words stay when their track is chosen once more", () => {
  const view = new View({});
  const listener = Listener.of("a", "b");
  view.render(listener.state, sound);
  view.transcript.show([{ start: 0, end: 5, title: "Words" }]);
  listener.on("choose", { index: 0, isWanted: false }).loads("a");
  view.render(listener.state, sound);
  assert.equal(view.transcript.node.hidden, false);
});

test("a sentence says that playback continues only while the player tries", () => {
  const view = new View({});
  const said = (listener) => {
    view.render(listener.state, sound);
    return view.message.firstChild;
  };
  const listener = Listener.of("a").plays().hears("error", { code: 2, isPaused: false }).refuses("unavailable");
  assert.equal(said(listener), "The audio is unavailable. Playback continues when it can.");
  assert.equal(said(listener.on("pause")), "The audio is unavailable.");
  const unheard = new Listener().on("open", { isSwitch: false }).refuses("offline");
  assert.equal(said(unheard), "No connection to the server.");
});

test("the slider tells the length of each track before it is heard", () => {
  const view = new View({});
  const listener = Listener.of("a", "b");
  const said = () => {
    view.render(listener.state, sound);
    view.move(0, durationOf(listener.state));
    return view.wave.node.getAttribute("aria-valuetext");
  };
  assert.equal(said(), "0 seconds of 1 minute 40 seconds");
  listener.on("choose", { index: 1, isWanted: false });
  listener.state.tracks[1].duration = 50;
  assert.equal(said(), "0 seconds of 50 seconds", "while it loads");
  listener.on("loaded", { turn: listener.state.turn, track: { ...track("b"), duration: 50 } });
  assert.equal(said(), "0 seconds of 50 seconds");
});
