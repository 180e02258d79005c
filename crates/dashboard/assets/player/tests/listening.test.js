import assert from "node:assert/strict";
import { test } from "node:test";

import { Listener } from "./listener.js";

test("a phone call pauses, and the button says so", () => {
  const listener = Listener.of("a").plays();
  assert.equal(listener.isOn, true);
  listener.take();
  // Nobody asked the player for it.
  listener.hears("pause");
  assert.equal(listener.isOn, false);
  assert.deepEqual(listener.told(), ["pause"]);
});

test("sound that the system starts again is shown and told", () => {
  const listener = Listener.of("a").plays().hears("pause");
  listener.take();
  listener.hears("playing");
  assert.equal(listener.isOn, true);
  assert.deepEqual(listener.told(), ["play"]);
});

test("a late report of a pause does not undo the play after it", () => {
  const listener = Listener.of("a").plays().on("pause").on("play");
  listener.hears("pause", { isPaused: false });
  assert.equal(listener.isOn, true);
});

test("nothing is told before it is true, and nothing twice", () => {
  const listener = Listener.of("a");
  listener.on("play").hears("waiting", { isPaused: false });
  assert.deepEqual(listener.told(), []);
  listener.hears("playing").hears("waiting", { isPaused: false }).hears("playing");
  assert.deepEqual(listener.told(), ["play"]);
  listener.on("pause").hears("pause").on("pause");
  assert.deepEqual(listener.told(), ["pause"]);
});

test("the promise of play is settled by what happens", () => {
  const listener = Listener.of("a").on("play");
  assert.equal(listener.last("settle"), undefined);
  listener.hears("playing");
  assert.deepEqual(listener.last("settle"), { name: "settle" });
  assert.equal(Listener.of("a").on("play").on("pause").last("settle").kind, "aborted");
  const blocked = Listener.of("a").on("play").on("blocked");
  assert.equal(blocked.last("settle").kind, "blocked");
  assert.equal(blocked.isOn, false);
  assert.equal(new Listener().on("play").last("settle").kind, "empty");
});

test("play before the list is there waits for it", () => {
  const listener = new Listener().on("open", { isSwitch: false }).on("play");
  assert.equal(listener.isOn, true);
  listener.take();
  listener.opens(["a"]);
  assert.deepEqual(listener.asked(), ["claim", "openSound", "play", "watch"]);
});

test("quarters are told once each, and only if they were heard", () => {
  const listener = Listener.of("a").plays();
  listener.take();
  const percents = () => listener.take().filter(({ event }) => event === "progress").map(({ detail }) => detail.percent);
  listener.hears("timeupdate", { position: 24.9 }).hears("timeupdate", { position: 25.1 }).hears("timeupdate", { position: 26 });
  assert.deepEqual(percents(), [25]);
  listener.on("seek", { to: 10 }).hears("seeked", { position: 10, isPaused: false }).hears("timeupdate", { position: 26 });
  assert.deepEqual(percents(), []);
  listener.on("seek", { to: 70 }).hears("seeked", { position: 70, isPaused: false }).hears("timeupdate", { position: 76 });
  assert.deepEqual(percents(), [75]);
  listener.hears("ended");
  assert.deepEqual(percents(), [100]);
});

test("a seek is told once, with where it came from", () => {
  const listener = Listener.of("a").plays().hears("timeupdate", { position: 5 });
  listener.take();
  listener.on("seek", { to: 50 }).on("seek", { to: 60 }).hears("timeupdate", { position: 5, isSeeking: true });
  listener.hears("seeked", { position: 60, isPaused: false });
  const [told] = listener.take().filter(({ name }) => name === "tell");
  assert.deepEqual(told, { name: "tell", event: "seek", detail: { id: "a", from: 5, to: 60 } });
  listener.hears("seeked", { position: 60, isPaused: false });
  assert.deepEqual(listener.told(), []);
});

test("a seek before the sound is open decides where it begins", () => {
  const listener = Listener.of("a").on("seek", { to: 40 });
  assert.deepEqual(listener.told(), ["seek"]);
  listener.on("play");
  assert.deepEqual(listener.last("openSound"), { name: "openSound", url: "a-hq", at: 40 });
  // Nothing of the track ends by a seek to its end.
  assert.ok(listener.on("seek", { to: 1000 }).state.position < 100);
  assert.equal(listener.on("seek", { to: NaN }).state.position, listener.state.position);
});

test("at its end a list is paused, and begins anew", () => {
  const listener = Listener.of("a").plays();
  listener.take();
  listener.hears("pause", { isEnded: true }).hears("ended");
  assert.deepEqual(listener.told(), ["progress", "pause", "ended"]);
  assert.equal(listener.isOn, false);
  assert.equal(listener.state.position, 0);
});

test("between two tracks there is no pause", () => {
  const listener = Listener.of("a", "b").plays();
  listener.take();
  listener.hears("ended");
  assert.deepEqual(listener.told(), ["progress", "ended"]);
  listener.loads("b").hears("playing");
  assert.deepEqual(listener.told(), ["trackchange", "play"]);
});

test("the next track is loaded ahead and begins at once", () => {
  const listener = Listener.of("a", "b").plays();
  listener.take();
  listener.hears("timeupdate", { position: 50 });
  assert.deepEqual(listener.asked(), ["tell", "tell"]);
  listener.hears("timeupdate", { position: 85 }).hears("timeupdate", { position: 86 });
  assert.equal(listener.take().filter(({ name }) => name === "loadAhead").length, 1);
  const next = Listener.of("b").state.track;
  listener.on("loadedAhead", { turn: listener.state.turn, index: 1, track: next });
  assert.deepEqual(listener.asked(), ["prepareSound"]);
  listener.hears("ended");
  const asked = listener.asked();
  assert.ok(!asked.includes("closeSound") && !asked.includes("loadTrack"), asked.join());
  assert.deepEqual(asked.slice(-3), ["claim", "openSound", "play"]);
  assert.equal(listener.state.track.id, "b");
});

test("a chosen quality goes on where it was, and stays for the next track", () => {
  const listener = Listener.of("a", "b").plays().hears("timeupdate", { position: 30 });
  listener.take();
  listener.on("quality", { index: 1 });
  assert.deepEqual(listener.last("openSound"), { name: "openSound", url: "a-lq", at: 30 });
  listener.hears("playing");
  assert.deepEqual(listener.told(), []);
  listener.on("choose", { index: 1, isWanted: true }).loads("b");
  assert.equal(listener.last("openSound").url, "b-lq");
});

test("a seek to the start before anything is loaded does not hold the time", () => {
  const listener = Listener.of("a").on("play").on("seek", { to: 40 }).hears("seeked", { position: 40 });
  listener.take();
  // Nothing is loaded yet, so the element neither seeks nor says that it did.
  listener.on("seek", { to: 0 }).hears("playing", { position: 0 }).hears("timeupdate", { position: 0.3 });
  assert.deepEqual(listener.told(), ["play", "seek"]);
  listener.hears("timeupdate", { position: 0.6 });
  assert.equal(listener.state.position, 0.6);
});
