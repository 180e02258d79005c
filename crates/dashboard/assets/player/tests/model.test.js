// Thousands of histories of a player: whatever people, pages, networks and servers do, it goes on.

import assert from "node:assert/strict";

import { isOn } from "../state-steps.js";
import { Model } from "./model.js";
import { World } from "./world.js";

const HISTORIES = Number(process.env.HISTORIES ?? 10_000);
const FIRST = Number(process.env.SEED ?? 1);
/** So long things happen, and so long nothing does afterwards. */
const EVENTFUL_MS = 100_000;
const CALM_MS = 120_000;
const FAULTS = ["api away", "api busy", "api hangs", "host away", "host busy", "host hangs"];
const DEFECTS = ["missing", "damaged", "unplayable"];
const PAGES = ["renews", "renews", "late", "handles", "ignores", "bad"];

/** Numbers that come back with their seed. */
function randomFrom(seed) {
  let state = seed * 2654435761;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function acts(model, random) {
  const { state, world } = model;
  const at = random(22);
  if (at < 6) return model.act("play");
  if (at < 7) return model.act("pause");
  if (at < 10) return model.act("seek", { to: random(60) });
  if (at < 13) return model.act("choose", { index: state.index + random(3) - 1, isWanted: isOn(state) });
  if (at < 14) return model.act("quality", { index: random(2) });
  if (at < 15) return model.act("again", { isAsked: true });
  if (at < 16) return model.act("again");
  if (at < 17) return model.gives();
  if (at < 18) return model.sound.audio.pause();
  if (at < 19) return model.act("gone");
  if (at < 21) return model.strikes("play");
  world.needsClick = !world.needsClick;
}

async function history(seed) {
  const random = randomFrom(seed);
  const pick = (list) => list[random(list.length)];
  const world = new World();
  const undo = world.install();
  try {
    const start = world.now;
    const ids = ["a", "b", "c", "d"].slice(0, 1 + random(4));
    for (const id of ids) if (random(6) === 0) world.defects[id] = pick(DEFECTS);
    for (let count = random(4); count > 0; count -= 1) {
      const from = start + random(EVENTFUL_MS);
      world.faults.push({ what: pick(FAULTS), from, to: Math.min(start + EVENTFUL_MS, from + 1000 + random(50_000)) });
    }
    world.isForbidden = random(4) === 0;
    const model = new Model(world, ids, pick([40, 90, 600]), pick(PAGES));
    const check = () => model.check();
    model.act("play");
    const isLonely = random(2) === 0;
    for (let left = EVENTFUL_MS; left > 0;) {
      // Some do several things at once.
      const step = Math.min(left, isLonely ? left : random(4) === 0 ? 50 : 1000 + random(30_000));
      await world.pass(step, check);
      left -= step;
      if (left > 0) acts(model, random);
      await world.settled();
    }
    world.needsClick = false;
    await world.pass(CALM_MS, check);
    model.checkEnd();
  } finally {
    undo();
  }
}

async function firstFailure() {
  // Most errors are part of a history.
  Error.stackTraceLimit = 0;
  for (let seed = FIRST; seed < FIRST + HISTORIES; seed += 1) {
    const error = await history(seed).catch((failed) => failed);
    if (error) return `history ${seed}: ${error.message}`;
  }
  return null;
}

// Node's runner follows every promise, which would take most of the time.
const failure = await firstFailure();
const { test } = await import("node:test");

test("whatever happens, a player plays, says why it does not, and goes on by itself", () => {
  assert.equal(failure, null, failure);
});
