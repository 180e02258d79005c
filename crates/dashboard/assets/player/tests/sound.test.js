// The two audio elements, in a world of its own time.

import assert from "node:assert/strict";
import { test } from "node:test";

import { lacksDevice, Sound } from "../sound.js";
import { addressOf, World } from "./world.js";

/** Runs in a world with what the element reported so far. */
function inWorld(name, run) {
  test(name, async () => {
    const world = new World();
    const undo = world.install();
    try {
      const reports = [];
      const sound = new Sound((report) => reports.push(report), () => reports.push({ name: "blocked" }));
      const { now } = world;
      const url = (id) => addressOf(1, id, "hq", now, 600);
      await run({ world, sound, url, reports, pass: (ms) => world.pass(ms, () => {}) });
    } finally {
      undo();
    }
  });
}

const named = (reports, name) => reports.filter((report) => report.name === name);

inWorld("what was prepared begins at once", async ({ world, sound, url, reports, pass }) => {
  sound.prepare(url("a"));
  await pass(1000);
  sound.open(url("a"), 0);
  sound.play();
  await pass(10);
  assert.equal(named(reports, "playing").length, 1);
  assert.equal(world.requests.length, 1);
});

inWorld("what was prepared and failed is opened anew", async ({ world, sound, url, reports, pass }) => {
  world.faults.push({ what: "host busy", from: world.now, to: world.now + 500 });
  sound.prepare(url("a"));
  await pass(1000);
  sound.open(url("a"), 0);
  sound.play();
  await pass(1000);
  assert.equal(named(reports, "playing").length, 1);
  assert.equal(named(reports, "error").length, 0);
});

inWorld("a refusal to play is told, also without an event", async ({ sound, url, reports, pass }) => {
  sound.open(url("a"), 0);
  sound.audio.play = () => Promise.reject(new DOMException("", "NotSupportedError"));
  await sound.play();
  assert.deepEqual(named(reports, "error").map(({ code }) => code), [4]);
  // A pause that came before the sound.
  sound.audio.play = () => Promise.reject(new DOMException("", "AbortError"));
  await sound.play();
  assert.equal(named(reports, "pause").length, 1);
  await pass(0);
});

inWorld("what was replaced meanwhile says nothing", async ({ sound, url, reports, pass }) => {
  sound.open(url("a"), 0);
  sound.play();
  sound.open(url("b"), 0);
  await pass(10);
  assert.deepEqual(reports, []);
});

inWorld("whoever seeks back while the sound loads is heard from there", async ({ sound, url, pass }) => {
  sound.open(url("a"), 40);
  sound.play();
  sound.seek(5);
  await pass(1000);
  assert.equal(sound.audio.currentTime, 5);
});

inWorld("a position that was forgotten before the length was known is sought again", async ({ sound, url, pass }) => {
  sound.open(url("a"), 40);
  sound.play();
  // Safari.
  sound.audio.currentTime = 0;
  await pass(1000);
  assert.equal(sound.audio.currentTime, 40);
});

inWorld("a device that fails is not a file that is damaged", async ({ sound, url, reports, pass }) => {
  sound.open(url("a"), 0);
  sound.audio.error = { code: 3, message: "NS_ERROR_DOM_MEDIA_MEDIASINK_ERR (0x806e000b): OnMediaSinkAudioError" };
  sound.audio.play = () => Promise.reject(new DOMException("", "NotSupportedError"));
  await sound.play();
  await pass(0);
  assert.deepEqual(named(reports, "error").map(({ code }) => code), [5]);
});

inWorld("the server is told what was played: every 15 seconds, at a pause, and before another file is opened", async ({ world, sound, url, pass }) => {
  sound.open(url("a"), 0);
  sound.play();
  await pass(29_000);
  sound.pause();
  await pass(60_000);
  sound.seek(42);
  sound.play();
  await pass(7000);
  sound.open(url("b"), 0);
  sound.close();
  await pass(1000);
  const told = world.beacons.map((beacon) => beacon.replace(url("a"), "a"));
  assert.deepEqual(told, ["0.00-18.00", "0.00-24.00", "0.00-24.00,42.00-48.00"].map((ranges) => `a&played=${ranges}`));
});

inWorld("of what is not signed, nothing is told", async ({ world, sound, pass }) => {
  sound.open("https://host/1/a/hq?ttl=600", 0);
  sound.play();
  await pass(20_000);
  sound.close();
  assert.deepEqual(world.beacons, []);
});

inWorld("of another origin, a probe that may be read tells a device that fails from a damaged file", async ({ world, url, pass }) => {
  world.defects.b = "damaged";
  for (const [hasNoDevice, id, expected] of [[true, "a", true], [false, "a", false], [false, "b", false]]) {
    world.hasNoDevice = hasNoDevice;
    const isLacking = lacksDevice(url(id));
    await pass(10_000);
    assert.equal(await isLacking, expected, id);
    assert.ok(world.audios.every(({ isHeard }) => !isHeard));
  }
});

inWorld("at volume 0 the button gives sound", ({ sound }) => {
  sound.volume = 0;
  assert.equal(sound.isMuted, true);
  sound.toggleMute();
  assert.deepEqual([sound.isMuted, sound.volume], [false, 1]);
  sound.toggleMute();
  assert.equal(sound.isMuted, true);
  sound.toggleMute();
  assert.deepEqual([sound.isMuted, sound.volume], [false, 1]);
});
