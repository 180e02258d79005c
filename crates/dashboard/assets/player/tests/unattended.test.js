// What nobody is there to mend: sessions that change and URLs that end while a list is heard, and files that fail.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Listener, track } from "./listener.js";

const NETWORK = { code: 2, isPaused: false };
const DECODE = { code: 3, isPaused: false };
const NOT_SUPPORTED = { code: 4, isPaused: false };

/** The sources of the track that is shown end at a time. */
function endingAt(until) {
  const listener = new Listener().on("open", { isSwitch: false });
  const first = track("a");
  for (const source of first.sources) source.until = until;
  listener.on("opened", { turn: listener.state.turn, tracks: [], first }).plays().hears("timeupdate", { position: 61 });
  listener.take();
  return listener;
}

/** Everything that is tried for a track fails, and the server seems to deliver it. */
function failsAlike(listener, error = NOT_SUPPORTED) {
  for (let tries = 0; tries < 10 && !listener.last("retryLater"); tries += 1) {
    const { id } = listener.state.tracks[listener.state.index];
    if (listener.state.track.id !== id) listener.loads(id, ["hq"]);
    listener.take();
    listener.hears("error", error);
    if (listener.last("loadTrack")) listener.loads(id, listener.state.track.sources.map(({ label }) => label));
    if (listener.last("diagnose")) listener.diagnoses(null, error.code);
  }
  return listener.last("retryLater");
}

test("a session that cannot be opened at once is opened later, and the sound goes on", () => {
  const listener = Listener.of("a", "b").plays().hears("timeupdate", { position: 61 });
  listener.on("open", { isSwitch: true }).refuses("unavailable");
  listener.take();
  listener.on("again").opens(["a", "b"]);
  assert.deepEqual(listener.asked(), ["openSource"]);
  assert.deepEqual([listener.isOn, listener.state.position, listener.state.problem], [true, 61, null]);
});

test("a session that ended and was given anew goes on, also if it cannot be opened at once", () => {
  const listener = Listener.of("a").plays().hears("timeupdate", { position: 61 }).hears("error", NOT_SUPPORTED).refuses("session");
  listener.on("expiryTold", { isHandled: false }).on("open", { isSwitch: true }).refuses("unavailable");
  listener.take();
  listener.on("again").opens(["a"]);
  assert.equal(listener.last("openSound").at, 61);
});

test("a list that is being opened is shown, whatever is chosen meanwhile", () => {
  const ways = {
    next: (listener) => listener.on("choose", { index: 1, isWanted: true }),
    end: (listener) => listener.hears("ended"),
    failure: (listener) => listener.hears("error", NETWORK),
  };
  for (const [name, goes] of Object.entries(ways)) {
    const listener = Listener.of("a", "b").plays();
    const { turn } = listener.on("open", { isSwitch: true }).state;
    goes(listener);
    listener.take();
    listener.on("opened", { turn, title: "List", tracks: ["a", "b", "c"].map((id) => track(id)), first: track("a") });
    assert.equal(listener.state.tracks.length, 3, name);
    if (name === "failure") assert.equal(listener.last("openSound").url, "a-hq");
    else assert.equal(listener.last("loadTrack").id, "b");
  }
});

test("whoever plays while another session is opened is heard", () => {
  const listener = Listener.of("a", "b").plays().hears("timeupdate", { position: 61 }).on("pause").hears("pause");
  listener.on("open", { isSwitch: true }).refuses("unavailable");
  listener.take();
  listener.on("play").opens(["a", "b"]).loads("a");
  assert.equal(listener.last("openSound").at, 61);
  assert.ok(listener.asked().includes("play"));
});

test("URLs that have ended are renewed at once when they are needed", () => {
  const needs = {
    seek: (listener) => listener.on("seek", { to: 10, now: 2000 }),
    waiting: (listener) => listener.on("sound", { name: "waiting", position: 61, now: 2000 }),
    play: (listener) => listener.on("pause").hears("pause").on("play", { now: 2000 }),
  };
  for (const [name, need] of Object.entries(needs)) {
    const listener = need(endingAt(1000));
    assert.deepEqual(listener.last("loadTrack"), { name: "loadTrack", turn: listener.state.turn, id: "a", isFresh: true }, name);
    assert.equal(listener.loads("a").last("openSound").at, name === "seek" ? 10 : 61);
    const early = need(endingAt(3000));
    assert.equal(early.last("loadTrack"), undefined, name);
  }
});

test("a seek after the session was replaced asks for URLs of the new one", () => {
  const listener = Listener.of("a", "b").plays().on("open", { isSwitch: true }).opens(["a", "b"]);
  listener.take();
  listener.on("seek", { to: 50 });
  assert.equal(listener.last("loadTrack").isFresh, true);
  assert.equal(listener.loads("a").last("openSound").at, 50);
});

test("a long seek back after URLs were renewed leaves the quality as it was", () => {
  const listener = Listener.of("a").plays().hears("timeupdate", { position: 61 }).hears("error", NOT_SUPPORTED).loads("a").hears("playing");
  listener.on("seek", { to: 10 }).hears("seeked", { position: 10 }).hears("timeupdate", { position: 20, isPaused: false });
  listener.take();
  listener.hears("error", NOT_SUPPORTED);
  assert.deepEqual(listener.asked(), ["closeSound", "loadTrack"]);
});

test("a seek while a track is loaded decides where it begins", () => {
  const listener = Listener.of("a", "b").plays().hears("timeupdate", { position: 61 });
  listener.on("choose", { index: 1, isWanted: true }).on("seek", { to: 30 }).loads("b");
  assert.equal(listener.last("openSound").at, 30);
  listener.on("choose", { index: 0, isWanted: true }).loads("a");
  assert.equal(listener.last("openSound").at, 0);
});

test("a track that is heard is available, whatever was said of it before", () => {
  const listener = Listener.of("a", "b").plays().on("choose", { index: 1, isWanted: true }).refuses("missing");
  assert.deepEqual(listener.state.failed, ["b"]);
  listener.on("choose", { index: 1, isWanted: true }).loads("b").hears("playing").hears("timeupdate", { position: 6, isPaused: false });
  assert.deepEqual(listener.state.failed, []);
});

test("what fails everywhere alike is tried again, less and less often", () => {
  const listener = Listener.of("a", "b", "c", "d", "e").plays();
  const pauses = [];
  for (let round = 0; round < 8; round += 1) {
    pauses.push(failsAlike(listener).after);
    assert.equal(listener.isOn, true);
    listener.take();
    listener.on("again");
  }
  assert.ok(pauses.every((pause) => pause >= 2000), pauses.join());
  assert.ok(Math.max(...pauses) >= 8000, pauses.join());
  // It is back: nothing is struck out.
  listener.loads(listener.state.tracks[listener.state.index].id).hears("playing").hears("timeupdate", { position: 6, isPaused: false });
  assert.deepEqual(listener.state.failed, []);
});

test("two tracks in a row that fail although they are delivered are not damaged: the browser cannot play", () => {
  const listener = Listener.of("a", "b", "c", "d").plays();
  failsAlike(listener, DECODE);
  const { failed, index, problem } = listener.state;
  assert.deepEqual([problem.kind, problem.isRetrying, failed, index], ["device", true, [], 2]);
  // Whoever tries again hears the first of them.
  assert.equal(listener.on("again", { isAsked: true }).last("loadTrack").id, "a");
});

test("the only track is not damaged if none of its files can be decoded", () => {
  const listener = Listener.of("a").plays().hears("error", DECODE).hears("error", DECODE).loads("a").hears("error", DECODE);
  listener.diagnoses(null, DECODE.code);
  assert.deepEqual([listener.state.problem.kind, listener.state.failed], ["device", []]);
});

test("one file that is not delivered for a minute does not hold the list", () => {
  const listener = Listener.of("a", "b").plays().hears("error", NOT_SUPPORTED).loads("a").hears("error", NOT_SUPPORTED);
  let waited = 0;
  for (let tries = 0; tries < 20 && listener.state.index === 0; tries += 1) {
    listener.take();
    listener.diagnoses("unavailable");
    waited += listener.last("retryLater")?.after ?? 0;
    if (listener.state.index === 0) listener.on("again").loads("a").hears("error", NOT_SUPPORTED);
  }
  assert.equal(listener.last("loadTrack").id, "b");
  assert.equal(waited, 62_000);
});

test("without a device that plays, nothing is struck out", () => {
  const listener = Listener.of("a", "b").plays().hears("error", { code: 5, isPaused: false });
  assert.deepEqual([listener.state.problem.kind, listener.state.problem.isRetrying, listener.state.failed], ["device", true, []]);
});

test("a player that has left its page is silent, and begins where it was", () => {
  const listener = Listener.of("a").plays().hears("timeupdate", { position: 61 });
  listener.take();
  listener.on("gone");
  assert.ok(listener.take().some(({ name }) => name === "release"));
  assert.deepEqual([listener.isOn, listener.state.isOpen], [false, false]);
  assert.equal(listener.on("play").last("openSound").at, 61);
});

test("a page whose sessions are never heard is not asked for ever", () => {
  const listener = Listener.of("a").plays().hears("error", NOT_SUPPORTED);
  let told = 0;
  for (let times = 0; times < 20; times += 1) {
    listener.refuses("session");
    if (!listener.last("tellExpiry")) break;
    told += 1;
    listener.take();
    listener.on("expiryTold", { isHandled: true }).on("open", { isSwitch: true });
  }
  assert.equal(told, 3);
  assert.equal(listener.state.problem.isQuiet, false);
});
