import assert from "node:assert/strict";
import { test } from "node:test";

import { sentenceOf } from "../problem.js";
import { t } from "../texts.js";
import { clock, spoken } from "../time.js";

test("a sentence has its values, and what is in them stays as it is", () => {
  assert.equal(t("Audio player: {title}", { title: "{title} $& {x}" }), "Audio player: {title} $& {x}");
  assert.equal(t("{position} of {duration}", { position: "1 second", duration: "2 seconds" }), "1 second of 2 seconds");
});

test("what is wrong is said with the title, if there is one", () => {
  assert.equal(sentenceOf({ kind: "missing", title: "Ebb" }), "“Ebb” is no longer available.");
  assert.equal(sentenceOf({ kind: "missing", title: "" }), "This track is no longer available.");
  assert.equal(sentenceOf({ kind: "link", title: "Ebb" }), "This link is no longer valid. Ask for a new one.");
  assert.equal(sentenceOf({ kind: "empty", title: "Tides" }), "Tides has no tracks to play yet.");
});

test("seconds are written and said", () => {
  const told = [0, 1, 75, 3700, 59.9, NaN, Infinity, -1, undefined].map((seconds) => [clock(seconds), spoken(seconds)]);
  const nothing = ["0:00", "0 seconds"];
  assert.deepEqual(told, [
    nothing, ["0:01", "1 second"], ["1:15", "1 minute 15 seconds"], ["1:01:40", "1 hour 1 minute 40 seconds"],
    ["0:59", "59 seconds"], nothing, nothing, nothing, nothing,
  ]);
});
