// The audio of the bar: the player's reducer, commands and sound, without the player's page element.

import { Commands, isHeard } from "../player/commands.js";
import { kept, keepVolume, keptNumber, keptVolume } from "../player/kept.js";
import { reportToSystem } from "../player/media-session.js";
import { Sound } from "../player/sound.js";
import { INITIAL } from "../player/state.js";
import { chosen, durationOf } from "../player/state-steps.js";
import { inserted, moved, MOST_TRACKS, reduce, removed } from "./queue.js";
import { Tracks } from "./tracks.js";

/** Dispatches `change` after everything that happens, and the player's own events (`tonearm-play` and so on). */
export class BarPlayer extends EventTarget {
  #state = { ...INITIAL, quality: kept("quality") };
  #events = [];
  #isReducing = false;
  /** Where the next track begins, once it is loaded. */
  #startAt = 0;
  #isResuming = false;

  constructor(base) {
    super();
    this.sound = new Sound(
      (report) => this.#dispatch({ type: "sound", ...report }),
      () => this.#dispatch({ type: "blocked" }),
    );
    this.sound.volume = keptVolume();
    this.sound.speed = keptNumber("speed", 0.25, 4, 1);
    this.commands = new Commands(this, this.sound, (event) => this.#dispatch(event));
    this.commands.source = new Tracks(base);
    addEventListener("online", () => this.#dispatch({ type: "again" }));
  }

  get state() {
    return this.#state;
  }

  /** The chosen track, as the list names it. */
  get track() {
    return chosen(this.#state);
  }

  get position() {
    const { isOpen, position, seekFrom } = this.#state;
    return isOpen && seekFrom === null && this.sound.audio.readyState > 0 ? this.sound.audio.currentTime : position || this.#startAt;
  }

  get duration() {
    return durationOf(this.#state);
  }

  get paused() {
    return !(this.#state.isPlaying || this.#state.isPending);
  }

  get hasPrevious() {
    return this.#state.index > 0;
  }

  get hasNext() {
    return this.#state.index < this.#state.tracks.length - 1;
  }

  /** Puts another queue in place of this one, which begins at a position, in seconds. */
  open({ tracks, index }, { position = 0, isWanted }) {
    const from = Math.max(0, Math.min(index - MOST_TRACKS / 2, tracks.length - MOST_TRACKS));
    const isResuming = position > 0;
    this.#startAt = position;
    this.#isResuming = isResuming && isWanted;
    this.#dispatch({
      type: "load", tracks: tracks.slice(from, from + MOST_TRACKS), index: index - from, isWanted: isWanted && !isResuming,
    });
  }

  /** Adds a track at a place; `false` if the queue is full. */
  add(track, at) {
    const { tracks, index } = this.#state;
    if (tracks.length >= MOST_TRACKS) return false;
    if (tracks.length === 0) this.open({ tracks: [track], index: 0 }, { isWanted: false });
    else this.#arrange(inserted({ tracks, index }, at ?? tracks.length, [track]));
    return true;
  }

  remove(at) {
    this.#arrange(removed(this.#state, at));
  }

  move(from, to) {
    const { tracks } = this.#state;
    if (to >= 0 && to < tracks.length && from !== to) this.#arrange(moved(this.#state, from, to));
  }

  #arrange(change) {
    this.#dispatch({ type: "arrange", ...change });
  }

  clear() {
    this.#dispatch({ type: "empty" });
  }

  play() {
    const playing = this.commands.wait();
    this.#dispatch({ type: "play" });
    return playing;
  }

  pause() {
    this.#dispatch({ type: "pause" });
  }

  toggle() {
    // Whoever cannot hear it is told by the bar.
    if (this.paused) this.play().catch(() => {});
    else this.pause();
  }

  seek(seconds) {
    this.#dispatch({ type: "seek", to: seconds });
  }

  choose(index) {
    this.#startAt = 0;
    this.#dispatch({ type: "choose", index, isWanted: true });
  }

  next() {
    this.#step(1);
  }

  previous() {
    this.#step(-1);
  }

  retry() {
    this.#dispatch({ type: "again", isAsked: true });
  }

  toggleMute() {
    this.sound.toggleMute();
  }

  setVolume(volume) {
    this.sound.volume = volume;
    keepVolume(volume);
  }

  #step(by) {
    this.#startAt = 0;
    this.#dispatch({ type: "choose", index: this.#state.index + by, isWanted: !this.paused });
  }

  /** The track is loaded that was current when the page was left. */
  #resume() {
    this.#events.push({ type: "seek", to: this.#startAt });
    if (this.#isResuming) this.#events.push({ type: "play" });
    this.#startAt = 0;
    this.#isResuming = false;
  }

  #dispatch(event) {
    this.#events.push({ ...event, now: Date.now() });
    if (this.#isReducing) return;
    this.#isReducing = true;
    try {
      for (let next = this.#events.shift(); next; next = this.#events.shift()) {
        const { state, commands } = reduce(this.#state, next);
        this.#state = state;
        for (const command of commands) this.commands[command.name](command, state);
        if (next.type === "loaded" && this.#startAt > 0) this.#resume();
      }
    } finally {
      this.#isReducing = false;
    }
    if (isHeard(this)) reportToSystem({ isPlaying: !this.paused, duration: this.duration, position: this.position, speed: this.sound.speed });
    this.dispatchEvent(new Event("change"));
  }
}
