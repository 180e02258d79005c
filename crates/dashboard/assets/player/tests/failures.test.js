import assert from "node:assert/strict";
import { test } from "node:test";

import { Listener, track } from "./listener.js";

const DECODE = { code: 3, isPaused: false };
const NOT_SUPPORTED = { code: 4, isPaused: false };

function problem({ state }) {
  return state.problem?.kind ?? null;
}

test("a session that ran out, no network, and a missing track are told apart", () => {
  for (const kind of ["offline", "unavailable", "link", "missing"]) {
    const listener = Listener.of("a").on("choose", { index: 0, isWanted: false }).refuses(kind);
    assert.equal(problem(listener), kind);
  }
});

test("a missing track does not end the list", () => {
  const listener = Listener.of("a", "b", "c").plays();
  listener.take();
  listener.hears("ended").refuses("missing");
  assert.equal(problem(listener), null);
  assert.deepEqual(listener.state.notice, { kind: "missing", title: "B" });
  const error = listener.take().find(({ event }) => event === "error");
  assert.deepEqual([error.detail.id, error.detail.kind], ["b", "missing"]);
  listener.loads("c").hears("playing");
  assert.equal(listener.state.track.id, "c");
  assert.deepEqual(listener.state.failed, ["b"]);
});

test("a list in which nothing can be played comes to an end", () => {
  const listener = Listener.of("a", "b", "c").on("choose", { index: 0, isWanted: true });
  listener.refuses("missing").refuses("missing").refuses("missing");
  assert.equal(problem(listener), "missing");
  assert.equal(listener.isOn, false);
  assert.equal(listener.last("settle").kind, "missing");
});

test("a sound that fails gets fresh URLs and goes on where it was", () => {
  const listener = Listener.of("a").plays().hears("timeupdate", { position: 61 });
  listener.take();
  listener.hears("error", NOT_SUPPORTED);
  assert.deepEqual(listener.last("loadTrack"), { name: "loadTrack", turn: listener.state.turn, id: "a", isFresh: true });
  assert.equal(listener.isOn, true);
  listener.loads("a");
  assert.equal(listener.last("openSound").at, 61);
  listener.hears("playing");
  assert.deepEqual(listener.told(), [], "nobody notices");
  // Much later, the URLs may run out again.
  listener.hears("timeupdate", { position: 70 }).hears("error", NOT_SUPPORTED);
  assert.equal(listener.last("loadTrack").isFresh, true);
});

test("another source is tried when a codec fails", () => {
  const listener = Listener.of("a").plays().hears("timeupdate", { position: 10 });
  listener.hears("error", DECODE);
  assert.deepEqual(listener.last("openSound"), { name: "openSound", url: "a-lq", at: 10 });
  const renewed = Listener.of("a").plays().hears("error", NOT_SUPPORTED).loads("a").hears("error", NOT_SUPPORTED);
  assert.equal(renewed.last("diagnose").url, "a-hq");
  // It may have come back just now.
  assert.equal(renewed.diagnoses(null).last("openSound").url, "a-hq");
  assert.equal(renewed.hears("error", NOT_SUPPORTED).last("openSound").url, "a-lq");
});

test("when all sources failed, the list goes on", () => {
  const listener = Listener.of("a", "b").plays();
  listener.hears("error", NOT_SUPPORTED).loads("a").hears("error", NOT_SUPPORTED).diagnoses(null);
  listener.hears("error", NOT_SUPPORTED).hears("error", NOT_SUPPORTED);
  assert.deepEqual(listener.state.notice, { kind: "unsupported", title: "A" });
  assert.equal(listener.last("loadTrack").id, "b");
});

test("sources that the browser cannot play are not tried for those that it can", () => {
  const listener = new Listener().on("open", { isSwitch: false });
  const first = track("a");
  first.sources[0].isAble = false;
  listener.on("opened", { turn: listener.state.turn, tracks: [], first }).on("play");
  assert.equal(listener.last("openSound").url, "a-lq");
});

test("without a network it waits, tries again less and less often, and goes on", () => {
  const listener = Listener.of("a").plays().hears("timeupdate", { position: 30 });
  listener.hears("error", NOT_SUPPORTED).refuses("offline");
  assert.equal(problem(listener), "offline");
  assert.equal(listener.isOn, true, "it is still wanted");
  const first = listener.last("retryLater").after;
  listener.on("again").refuses("offline");
  assert.ok(listener.last("retryLater").after > first);
  assert.equal(listener.commands.filter(({ event }) => event === "error").length, 1);
  listener.on("again").loads("a").hears("playing");
  assert.equal(problem(listener), null);
  assert.equal(listener.last("openSound").at, 30);
});

test("every outage is waited for, however many there were", () => {
  const listener = Listener.of("a").plays();
  let position = 0;
  const outage = (tries) => {
    listener.hears("error", NOT_SUPPORTED);
    for (let at = 0; at < tries; at += 1) listener.refuses("offline").on("again");
    assert.equal(listener.isOn, true);
    listener.loads("a").hears("playing");
    position += 10;
    listener.hears("timeupdate", { position });
  };
  for (let times = 0; times < 100; times += 1) outage(3);
  // Half an hour: a minute between tries, at the longest.
  outage(35);
  listener.hears("error", NOT_SUPPORTED).refuses("offline");
  assert.equal(listener.last("retryLater").after, 2000, "the pauses begin anew");
});

test("a connection that hangs is opened again", () => {
  const listener = Listener.of("a").plays().hears("timeupdate", { position: 30 });
  listener.hears("waiting", { isPaused: false });
  listener.take();
  listener.hears("timeupdate", { position: 31 }).on("watched");
  assert.deepEqual(listener.asked(), ["watch"], "it goes on");
  listener.hears("waiting", { isPaused: false }).on("watched").loads("a");
  assert.equal(listener.last("openSound").at, 31);
  assert.ok(listener.asked().includes("watch"));
});

test("a sound that is wanted and never begins is opened again", () => {
  const listener = Listener.of("a").on("play").on("watched");
  assert.equal(listener.last("loadTrack").isFresh, true);
  assert.equal(listener.isOn, true);
  const paused = Listener.of("a").on("play").on("pause");
  paused.take();
  assert.deepEqual(paused.on("watched").asked(), [], "nobody waits for it");
});

test("waiting for the network has an end", () => {
  const listener = Listener.of("a").plays().hears("error", NOT_SUPPORTED);
  for (let tries = 0; tries < 100 && listener.isOn; tries += 1) listener.refuses("offline").on("again");
  assert.equal(listener.isOn, false);
  assert.equal(problem(listener), "offline");
  // Whoever presses play is the one who decides.
  listener.take();
  listener.on("play").loads("a").hears("playing");
  assert.equal(problem(listener), null);
});

test("whoever pauses while it waits is not surprised by sound", () => {
  const listener = Listener.of("a").plays().hears("error", NOT_SUPPORTED).refuses("offline").on("pause");
  listener.take();
  listener.on("again").loads("a");
  assert.ok(!listener.asked().includes("play"));
});

test("a session that ran out is told once, and continues with its successor", () => {
  const listener = Listener.of("a", "b").plays().hears("timeupdate", { position: 61 });
  listener.hears("error", NOT_SUPPORTED).refuses("session");
  assert.equal(listener.commands.filter(({ name }) => name === "tellExpiry").length, 1);
  listener.on("expiryTold", { isHandled: true });
  assert.equal(listener.state.problem.isQuiet, true);
  listener.take();
  listener.on("open", { isSwitch: true }).opens(["a", "b"]);
  assert.deepEqual(listener.last("openSound"), { name: "openSound", url: "a-hq", at: 61 });
  listener.hears("playing");
  assert.deepEqual(listener.told(), []);
});

test("a session that nobody renews says so, and can still be renewed", () => {
  const listener = Listener.of("a", "b").plays().hears("timeupdate", { position: 61 });
  listener.hears("error", NOT_SUPPORTED).refuses("session").on("expiryTold", { isHandled: false });
  assert.equal(listener.state.problem.isQuiet, false);
  assert.equal(listener.isOn, false);
  listener.on("open", { isSwitch: true }).opens(["a", "b"]);
  assert.equal(problem(listener), null);
  assert.equal(listener.last("openSound").at, 61);
});

test("a renewal that was promised and does not come is a problem", () => {
  const listener = Listener.of("a").plays().hears("error", NOT_SUPPORTED).refuses("session");
  listener.on("expiryTold", { isHandled: true });
  assert.equal(listener.last("waitForRenewal").after, 30_000);
  listener.on("notRenewed");
  assert.equal(listener.state.problem.isQuiet, false);
  assert.equal(listener.last("settle").kind, "session");
});

test("a session is renewed while it is heard without a gap", () => {
  const listener = Listener.of("a", "b").plays().hears("timeupdate", { position: 61 });
  listener.take();
  listener.on("expired").on("expired").on("expiryTold", { isHandled: false });
  assert.deepEqual(listener.asked(), ["tellExpiry"]);
  listener.on("open", { isSwitch: true }).opens(["a", "b"], "b");
  assert.ok(!listener.asked().includes("closeSound"));
  assert.equal(listener.state.isPlaying, true);
  assert.equal(listener.state.track.id, "a");
  // Its old URLs fail one day, and the new session has others.
  listener.hears("error", NOT_SUPPORTED);
  assert.equal(listener.last("loadTrack").id, "a");
});

test("a session that is needed while the page renews it is waited for without a word", () => {
  const needs = {
    quality: (listener) => listener.on("quality", { index: 1 }).hears("error", NOT_SUPPORTED),
    sound: (listener) => listener.hears("error", NOT_SUPPORTED),
    next: (listener) => listener.on("choose", { index: 1, isWanted: true }),
  };
  for (const need of Object.values(needs)) {
    const listener = Listener.of("a", "b").plays().hears("timeupdate", { position: 61 });
    listener.on("expired").on("expiryTold", { isHandled: true });
    assert.equal(listener.last("waitForRenewal").after, 30_000);
    listener.take();
    need(listener).refuses("session");
    assert.equal(listener.state.problem.isQuiet, true);
    assert.equal(listener.isOn, true);
    assert.ok(!listener.told().includes("error"));
    listener.on("open", { isSwitch: true }).opens(["a", "b"], listener.state.tracks[listener.state.index].id);
    assert.equal(problem(listener), null);
    assert.ok(listener.asked().includes("play"));
  }
});

test("a page whose renewal failed is told again when the session is needed", () => {
  const listener = Listener.of("a", "b").plays();
  listener.on("expired").on("expiryTold", { isHandled: true }).on("notRenewed");
  assert.equal(problem(listener), null);
  assert.equal(listener.isOn, true, "what is heard goes on");
  listener.take();
  listener.on("choose", { index: 1, isWanted: true }).refuses("session");
  assert.ok(listener.asked().includes("tellExpiry"));
  listener.on("expiryTold", { isHandled: true }).on("notRenewed");
  assert.equal(listener.state.problem.isQuiet, false);
  listener.take();
  listener.on("choose", { index: 0, isWanted: true }).refuses("session");
  assert.ok(listener.asked().includes("tellExpiry"));
});

test("a page that does not renew is told once", () => {
  const listener = Listener.of("a").plays().on("expired").on("expiryTold", { isHandled: false });
  listener.take();
  listener.hears("error", NOT_SUPPORTED).refuses("session");
  assert.ok(!listener.asked().includes("tellExpiry"));
  assert.equal(listener.state.problem.isQuiet, false);
});

test("the time for a renewal that has come is of no interest", () => {
  const listener = Listener.of("a").plays().on("expired").on("expiryTold", { isHandled: true });
  listener.on("open", { isSwitch: true }).on("notRenewed").opens(["a"]);
  assert.equal(problem(listener), null);
  assert.equal(listener.isOn, true);
});

test("nobody is told of a session that runs out unheard", () => {
  const listener = Listener.of("a").on("expired");
  assert.deepEqual(listener.asked(), []);
});

test("a session of other tracks replaces what was there", () => {
  const listener = Listener.of("a").plays();
  listener.take();
  listener.on("open", { isSwitch: true }).opens(["x", "y"]);
  assert.equal(listener.state.track.id, "x");
  assert.equal(listener.isOn, false);
  assert.deepEqual(listener.told(), ["pause"]);
});

test("answers to what nobody waits for any more are ignored", () => {
  const listener = Listener.of("a", "b", "c").on("choose", { index: 1, isWanted: true });
  const { turn } = listener.state;
  listener.on("choose", { index: 2, isWanted: true });
  const { state } = listener;
  listener.on("loaded", { turn, track: track("b") }).on("notLoaded", { turn, kind: "missing" });
  assert.equal(listener.state, state);
});

test("no sequence of events breaks it", () => {
  // A small generator with a seed, so that a failure comes back.
  let seed = 42;
  const random = (below) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed % below;
  };
  const pick = (list) => list[random(list.length)];
  const kinds = ["link", "session", "offline", "unavailable", "missing"];
  const names = ["playing", "pause", "waiting", "timeupdate", "seeked", "ended", "error", "volumechange"];
  const answer = (l) => {
    if (l.last("diagnose")) return l.on("diagnosed", { turn: l.state.turn, kind: pick([null, ...kinds]), code: 4 });
    if (!l.state.isLoading) return l;
    if (random(3) === 0) return l.refuses(pick(kinds));
    if (l.state.step === "open") return l.opens(pick([["a"], ["a", "b", "c"], ["x", "y"]]));
    return l.loads(l.last("loadTrack").id, pick([["hq"], ["hq", "lq"], []]));
  };
  const steps = [
    (l) => l.on("play"), (l) => l.on("pause"), (l) => l.on("seek", { to: random(130) - 10 }),
    (l) => l.on("choose", { index: random(5) - 1, isWanted: random(2) === 0 }), (l) => l.on("quality", { index: random(3) }),
    (l) => l.hears(pick(names), { position: random(100), code: 1 + random(4) }), (l) => l.on("expired"), (l) => l.on("blocked"),
    (l) => l.on("again", { isAsked: random(2) === 0 }), answer, answer, answer,
    (l) => l.on("expiryTold", { isHandled: random(2) === 0 }), (l) => l.on("notRenewed"), (l) => l.on("empty"),
    (l) => l.on("open", { isSwitch: random(2) === 0 }), 
    (l) => l.on("loadedAhead", { turn: l.state.turn, index: 1, track: track("b") }),
  ];
  for (let run = 0; run < 300; run += 1) {
    const listener = Listener.of("a", "b", "c");
    let isHeard = false;
    for (let at = 0; at < 200; at += 1) {
      const before = listener.commands.length;
      pick(steps)(listener);
      for (const { name, event, url } of listener.commands.slice(before)) {
        if (name === "openSound") assert.equal(typeof url, "string");
        if (name !== "tell") continue;
        if (event === "play" || event === "pause") {
          assert.equal(isHeard, event === "pause", `${event} in run ${run}, step ${at}`);
          isHeard = event === "play";
        }
        if (event === "ended") isHeard = false;
      }
      const { position, index, tracks } = listener.state;
      assert.ok(position >= 0 && index >= 0 && (tracks.length === 0 || index < tracks.length));
    }
  }
});
