// How far tracks are, told by the server over one connection (server-sent events) for all pages of the browser that are in
// sight: over HTTP/1.1, a browser opens no more than six to a host. One page at a time has the connection, and passes on what
// it hears. Where browsers have no locks, which need HTTPS, each page in sight has its own.

import { signedInAgain } from "./signing-in.js";

/** Tracks of a connection, at most. The server takes no more; the others follow as these end. */
const MOST = 100;
/** Between two connections, at least: tracks that are added one after another share one. */
const PAUSE_MS = 1000;
const AGAIN_MS = 5000;
const LATEST_MS = 60000;

const { base, person } = document.body.dataset;
const NAME = `tonearm-progress ${base} ${person}`;

export class Progress {
  #wanted;
  #told;
  #page = String(Math.random());
  #channel = null;
  /** Ends the turn of this page to have the connection, or its wait for it. */
  #turn = null;
  #hasTurn = false;
  /** What the other pages want, while this one has the connection. */
  #others = new Map();
  #source = null;
  #named = new Set();
  #openedAt = -Infinity;
  #timer = 0;
  #again = AGAIN_MS;

  /**
   * @param {() => string[]} wanted the tracks that the page shows, the most urgent first
   * @param {(told: { making: object[], over: string[] }) => void} told hears what the server says of tracks. What it does not
   * name goes on.
   */
  constructor(wanted, told) {
    this.#wanted = wanted;
    this.#told = told;
    document.addEventListener("visibilitychange", () => this.changed());
  }

  /** The page shows other tracks than before, or has come into sight or out of it. */
  changed() {
    const wanted = document.hidden ? [] : this.#wanted().slice(0, MOST);
    if (wanted.length === 0) return this.#leave();
    if (!this.#channel) this.#join();
    if (this.#hasTurn) this.#renew();
    else this.#channel.postMessage({ page: this.#page, wanted });
  }

  #join() {
    this.#channel = new BroadcastChannel(NAME);
    this.#channel.onmessage = ({ data }) => this.#hear(data);
    this.#turn = new AbortController();
    const { signal } = this.#turn;
    const begin = () => new Promise((end) => {
      if (signal.aborted) return end();
      signal.addEventListener("abort", end);
      this.#begin();
    });
    if (navigator.locks) navigator.locks.request(NAME, { signal }, begin).catch(() => null);
    else begin();
  }

  #leave() {
    this.#close();
    this.#turn?.abort();
    this.#channel?.postMessage({ page: this.#page, wanted: [] });
    this.#channel?.close();
    [this.#channel, this.#turn, this.#hasTurn] = [null, null, false];
  }

  #begin() {
    this.#hasTurn = true;
    this.#others.clear();
    this.#channel.postMessage({ asks: true });
    this.#renew();
  }

  #hear({ asks, page, wanted, told }) {
    if (asks || told) {
      if (told) this.#told(told);
      return this.changed();
    }
    if (!this.#hasTurn) return;
    if (wanted.length) this.#others.set(page, wanted);
    else this.#others.delete(page);
    this.#renew();
  }

  /** The tracks of the next connection: each page has the same share of it. */
  #names() {
    const lists = [this.#wanted(), ...this.#others.values()];
    const share = Math.max(1, Math.floor(MOST / lists.length));
    return [...new Set(lists.flatMap((list) => list.slice(0, share)))].slice(0, MOST);
  }

  /** Opens another connection if this one does not tell of everything. */
  #renew() {
    const isComplete = this.#names().every((id) => this.#named.has(id));
    if (this.#timer || isComplete) return;
    const pause = Math.max(0, this.#openedAt + PAUSE_MS - performance.now());
    this.#timer = setTimeout(() => this.#open(), pause);
  }

  #open() {
    this.#close();
    this.#openedAt = performance.now();
    this.#named = new Set(this.#names());
    if (this.#named.size === 0) return;
    this.#source = new EventSource(`${base}/progress?tracks=${[...this.#named].join()}`);
    this.#source.addEventListener("message", ({ data }) => this.#pass(JSON.parse(data)));
    this.#source.addEventListener("error", () => {
      // Broken connections are opened again by the browser; refused ones by us, later.
      if (this.#source?.readyState === EventSource.CLOSED) this.#reopen();
    });
  }

  /** The server has told something. */
  #pass(told) {
    this.#again = AGAIN_MS;
    this.#channel.postMessage({ told });
    const isGoing = (id) => !told.over.includes(id);
    this.#named = new Set([...this.#named].filter(isGoing));
    for (const [page, wanted] of this.#others) this.#others.set(page, wanted.filter(isGoing));
    // It would be opened again by the browser.
    if (this.#named.size === 0) this.#close();
    this.#told(told);
    this.changed();
  }

  /** An event source does not tell why it was refused. */
  async #reopen() {
    this.#close();
    this.#timer = setTimeout(() => this.#open(), this.#again);
    this.#again = Math.min(this.#again * 2, LATEST_MS);
    const answer = await fetch("/dashboard/session.json", { headers: { accept: "application/json" } }).catch(() => null);
    if (answer?.status !== 401) return;
    clearTimeout(this.#timer);
    await signedInAgain();
    if (this.#hasTurn) this.#open();
  }

  #close() {
    clearTimeout(this.#timer);
    this.#source?.close();
    this.#named.clear();
    [this.#source, this.#timer] = [null, 0];
  }
}
