// A player without a page: the reducer, what it was told, and what it asked for.

import { INITIAL, reduce } from "../state.js";

const SECONDS = 100;

/** A track as sources give it. */
export function track(id, labels = ["hq", "lq"]) {
  const sources = labels.map((label) => ({ url: `${id}-${label}`, type: "audio/mpeg", label, isAble: true }));
  return { id, title: id.toUpperCase(), subtitle: "", duration: SECONDS, colours: {}, cover: {}, levels: [], chapters: [], captions: null, sources };
}

export class Listener {
  state = INITIAL;
  commands = [];

  /** A player that has opened a list of these tracks. */
  static of(...ids) {
    const listener = new Listener();
    listener.on("open", { isSwitch: false });
    listener.opens(ids);
    listener.commands = [];
    return listener;
  }

  on(type, event = {}) {
    const { state, commands } = reduce(Object.freeze(this.state), { type, ...event });
    this.state = state;
    this.commands.push(...commands);
    return this;
  }

  /** The server answers the last request with a list. */
  opens(ids, first = ids[0]) {
    const { turn } = this.state;
    return this.on("opened", { turn, title: "List", tracks: ids.map((id) => track(id)), first: track(first) });
  }

  /** The server answers the last request with a track. */
  loads(id, labels) {
    return this.on("loaded", { turn: this.state.turn, track: track(id, labels) });
  }

  /** The server refuses the last request. */
  refuses(kind) {
    return this.on("notLoaded", { turn: this.state.turn, kind });
  }

  /** What the server says of a sound that failed. */
  diagnoses(kind, code = 4) {
    return this.on("diagnosed", { turn: this.state.turn, kind, code });
  }

  /** The audio element reports an event. */
  hears(name, more = {}) {
    const isPaused = name === "pause" || name === "ended";
    return this.on("sound", { name, isPaused, isEnded: name === "ended", isSeeking: false, position: this.state.position, code: 0, ...more });
  }

  /** Somebody presses play, and the sound begins. */
  plays() {
    return this.on("play").hears("playing");
  }

  /** The names of the commands since the last time. */
  asked() {
    return this.take().map(({ name }) => name);
  }

  /** Events that were dispatched since the last time, as names. */
  told() {
    return this.take().filter(({ name }) => name === "tell").map(({ event }) => event);
  }

  take() {
    const { commands } = this;
    this.commands = [];
    return commands;
  }

  /** The last command of a name. */
  last(name) {
    return this.commands.filter((command) => command.name === name).at(-1);
  }

  get isOn() {
    return this.state.isPlaying || this.state.isPending;
  }
}
