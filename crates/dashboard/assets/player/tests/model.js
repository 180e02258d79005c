// A player in a world: its reducer, its commands and its two audio elements, and what must hold whatever happens.

import assert from "node:assert/strict";

import { Commands } from "../commands.js";
import { Problem } from "../problem.js";
import { Sound } from "../sound.js";
import { INITIAL, reduce } from "../state.js";
import { isOn } from "../state-steps.js";
import { addressOf, SECONDS } from "./world.js";

/** How long nothing may be heard without a word: two watches, and a deadline of a request after each. */
const SILENCE_MS = 110_000;
/** The same if nothing has failed meanwhile. */
const SHORT_MS = 14_000;
/** Requests within a minute, and more for each thing that somebody does. */
const REQUESTS = 100;
const REQUESTS_FOR_ACT = 25;
const MINUTE_MS = 60_000;

/** @typedef {"renews" | "late" | "handles" | "ignores" | "bad"} Page what a page does when its session ends */

/** Prints what happens, to follow one history: `TRACE=1 SEED=7 HISTORIES=1 node model.test.js`. */
function tell({ now }, { type, name = "" }, commands, { position, index, problem }) {
  console.log(now % 1e6 / 1000, type, name, commands.map((command) => command.name).join(), { position, index, problem: problem?.kind });
}

export class Model {
  state = INITIAL;
  acts = [];
  #events = [];
  #isReducing = false;
  #sessions = 0;
  #expiry = null;
  #moved;
  /** When something was last in the way of sound. */
  #held = 0;
  #chosenAt;
  /** Whether the last event was the end of a track. */
  #isEnded = false;
  #isAct = false;
  /** The last seek, if nobody did anything after it. */
  #sought = null;
  /** Until when the session that was given last is valid. */
  #end = 0;
  /** Whether the player was removed from its page. */
  #isGone = false;
  #failure = null;

  /** @param {import("./world.js").World} world @param {string[]} ids @param {number} ttl seconds @param {Page} page */
  constructor(world, ids, ttl, page) {
    Object.assign(this, { world, ids, ttl, page });
    this.#moved = this.#chosenAt = world.now;
    this.sound = new Sound((report) => this.on("sound", report), () => this.on("blocked"));
    const player = { dispatchEvent: (event) => this.#hears(event), pause() {}, seek() {}, play: async () => this.on("play") };
    this.commands = new Commands(player, this.sound, ({ type, ...event }) => this.on(type, event));
    this.opens(false);
  }

  /** The page gives a session. */
  opens(isSwitch, isGood = true) {
    const { world } = this;
    this.#sessions += 1;
    const [session, end] = [this.#sessions, isGood ? world.now + this.ttl * 1000 : 0];
    this.#end = end;
    const asked = (answer) => {
      world.request("api");
      const [isAway, isBusyNow, hangs] = ["away", "busy", "hangs"].map((what) => world.has(`api ${what}`));
      return world.later(hangs ? 20_000 : 100, () => {
        if (isAway) throw new Problem("offline");
        if (isBusyNow || hangs) throw new Problem("unavailable");
        if (world.now >= end) throw new Problem("session");
        return answer();
      });
    };
    const track = (id) => {
      if (world.defects[id] === "missing") throw new Problem("missing");
      const left = Math.ceil((end - world.now) / 1000);
      const sources = ["hq", "lq"].map((label) => ({ url: addressOf(session, id, label, world.now, left), type: "audio/mpeg", label }));
      return { id, title: id, duration: SECONDS, cover: {}, sources };
    };
    this.commands.source = {
      id: session,
      track: (id) => asked(() => track(id)),
      open: (preferred) => asked(() => {
        const there = [preferred, ...this.ids].find((id) => id && world.defects[id] !== "missing");
        const tracks = this.ids.map((id) => ({ id, title: `${id} of ${session}`, duration: SECONDS }));
        return { title: "List", tracks, first: there ? track(there) : null };
      }),
    };
    if (this.#expiry) world.cancel(this.#expiry);
    this.#expiry = isGood ? world.after(this.ttl * 1000, () => this.on("expired")) : null;
    this.on("open", { isSwitch });
  }

  /** The page gives another session, unasked. */
  gives() {
    this.acts.push(this.world.now);
    this.opens(true);
  }

  /** Somebody does something. */
  act(type, event) {
    this.acts.push(this.world.now);
    this.#sought = type === "seek" && this.state.track?.id === this.ids[this.state.index] ? { to: event.to, at: this.world.now, isOn: isOn(this.state) } : null;
    this.#isGone = type === "gone";
    this.#isAct = true;
    this.on(type, event);
    this.#isAct = false;
  }

  /** A key of the system. */
  strikes(key) {
    this.acts.push(this.world.now);
    this.#isAct = true;
    this.world.keys[key]?.({});
    this.#isAct = false;
  }

  on(type, event = {}) {
    this.#events.push({ type, ...event, now: this.world.now });
    if (this.#isReducing) return;
    this.#isReducing = true;
    try {
      for (let next = this.#events.shift(); next; next = this.#events.shift()) this.#reduce(next);
    } catch (error) {
      // Whoever told of the event may not wait for what becomes of it.
      this.#failure ??= error;
    }
    this.#isReducing = false;
  }

  #reduce(event) {
    const before = this.state;
    const { state, commands } = reduce(Object.freeze(before), event);
    this.state = state;
    this.#isEnded = event.type === "sound" && event.name === "ended";
    this.#follows(before, event);
    if (process.env.TRACE) tell(this.world, event, commands, state);
    for (const command of commands) {
      this.world.isBusy = true;
      this.commands[command.name](command, state);
    }
  }

  #follows(before, event) {
    const { state, world } = this;
    if (before.position !== state.position || before.index !== state.index || !isOn(state) || this.#isAct) this.#moved = world.now;
    this.#keepsPlace(before, event);
    if (before.track?.id === state.track?.id && before.sourceIndex !== state.sourceIndex && !this.#isAct) {
      assert.ok(world.defects[state.track.id] || world.isForbidden, "another quality, and nobody asked");
    }
    if (this.#isEnded) assert.ok(!state.failed.includes(before.track.id), `${before.track.id} was heard and is struck out`);
    if (before.index !== state.index) {
      if (!this.#isAct && !this.#isEnded && event.type !== "opened") this.#mayLeave(before.tracks[before.index].id);
      this.#chosenAt = world.now;
    }
    const isPaused = this.#isAct || event.name === "pause" || event.isEnded || event.type === "blocked";
    if (isOn(before) && !isOn(state) && state.problem && !isPaused) this.#mayStop(state);
  }

  /** What is heard after a seek is what follows it. */
  #keepsPlace(before, { type, name, position, isEnded }) {
    if (before.index !== this.state.index || before.tracks !== this.state.tracks || isEnded) this.#sought = null;
    if (!this.#sought || type !== "sound" || name !== "timeupdate") return;
    const { to, at } = this.#sought;
    const elapsed = (this.world.now - at) / 1000;
    assert.ok(position >= to - 1 && position <= to + elapsed + 7, `at ${position}, ${elapsed} after a seek to ${to}`);
  }

  /** A seek with a session that is valid is heard soon, unless something failed. */
  #hearsSeek() {
    const { state, world } = this;
    const { to, at, isOn: wasOn } = this.#sought;
    if (!wasOn || world.now - at < 10_000 || world.now > this.#end || !state.isPlaying || state.problem || world.hadFault(at - MINUTE_MS)) return;
    assert.notEqual(state.position, to, "a seek that is not heard");
  }

  /** A track is left unheard only if it could not be had. */
  #mayLeave(id) {
    const { world } = this;
    assert.ok(world.defects[id] || world.hadFault(this.#chosenAt - MINUTE_MS), `${id} is skipped and could be had`);
  }

  /** A player gives up only what does not pass by itself. */
  #mayStop({ problem, tracks, index, failed }) {
    const { world } = this;
    if (problem.kind === "session") return assert.notEqual(this.page, "renews", "the page has renewed the session");
    assert.ok(["missing", "damaged", "unsupported", "empty"].includes(problem.kind), `gives up: ${problem.kind}`);
    const left = tracks.slice(index).filter(({ id }) => !world.defects[id] && !failed.includes(id));
    // Who may not ask the host cannot tell it from the last file.
    const isUnknown = world.isForbidden && world.hadFault(this.#chosenAt - MINUTE_MS);
    assert.ok(left.length === 0 || isUnknown, `stops before ${left.map(({ id }) => id)}`);
  }

  /** Called when everything has been said at a moment. */
  check() {
    const { state, sound, world } = this;
    if (this.#failure) throw this.#failure;
    for (const audio of world.audios) {
      // A probe has a volume that nobody hears.
      if (audio !== sound.audio && audio.crossOrigin !== "") assert.ok(audio.paused, "the spare element plays");
    }
    if (this.#sought) this.#hearsSeek();
    if (this.#isGone) assert.ok(sound.audio.paused, "a player that is gone plays");
    if (!sound.audio.paused) assert.ok(isOn(state), "sound that no button stops");
    if (state.isPlaying) assert.ok(!sound.audio.paused, "it says that it plays");
    if (!isOn(state)) {
      this.#sought = null;
      return;
    }
    if (state.problem && !state.problem.isQuiet && !sound.audio.isHeard) return this.#waits();
    const silent = world.now - this.#moved;
    assert.ok(silent <= SILENCE_MS, "silence without a word");
    if (state.problem || world.hadFault(world.now) || world.hung(world.now - SILENCE_MS)) this.#held = world.now;
    assert.ok(Math.min(silent, world.now - this.#held) <= SHORT_MS, "silence, and nothing is wrong");
  }

  /** Whoever waits for sound is not left: it is tried again. */
  #waits() {
    const { isLoading, isSwitching, problem } = this.state;
    this.#moved = this.world.now;
    assert.ok(problem.isRetrying || isLoading || isSwitching || problem.kind === "session", `is left with ${problem.kind}`);
  }

  /** What must be at the end, when nothing has failed for a while. */
  checkEnd() {
    const { state, world, ids } = this;
    const { isLoading, problem, tracks } = state;
    const canPlay = ids.slice(state.index).some((id) => !world.defects[id]);
    if (isOn(state) && problem?.isRetrying) assert.ok(!canPlay, `still waits, for ${problem.kind}`);
    if (this.#end > 0 && !problem && !isLoading) assert.equal(tracks[0]?.title, `a of ${this.#sessions}`, "a list that was given is not shown");
    this.checkRequests();
  }

  /** Requests are few at any time. */
  checkRequests() {
    const { requests } = this.world;
    for (let first = 0, last = 0; last < requests.length; last += 1) {
      while (requests[last].at - requests[first].at > MINUTE_MS) first += 1;
      const acts = this.acts.filter((at) => at <= requests[last].at && at >= requests[first].at - MINUTE_MS).length;
      const count = last - first + 1;
      assert.ok(count <= REQUESTS + acts * REQUESTS_FOR_ACT, `${count} requests in a minute`);
    }
  }

  #hears({ type, cancelable, preventDefault }) {
    if (type !== "tonearm-session-expired") return true;
    const { page, world } = this;
    if (page === "renews") world.after(500, () => this.opens(true));
    if (page === "late") world.after(25_000, () => this.opens(true));
    if (page === "bad") world.after(500, () => this.opens(true, false));
    return page === "ignores";
  }
}
