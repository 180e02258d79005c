// What a player meets, in a time of its own: a clock, a service and a delivery host that fail at times, and audio elements.

const LATENCY_MS = 100;
const TICK_MS = 6000;
/** Seconds that an element loads ahead. */
const AHEAD = 12;
export const SECONDS = 60;

/**
 * @typedef {"api away" | "api busy" | "api hangs" | "host away" | "host busy" | "host hangs"} Fault
 */
export class World {
  now = 1_700_000_000_000;
  /** @type {{ what: Fault, from: number, to: number }[]} */
  faults = [];
  /** What is wrong with tracks for good, by id: "missing", "damaged" or "unplayable". */
  defects = {};
  /** Whether the security policy of the page forbids to ask the delivery host. */
  isForbidden = false;
  needsClick = false;
  hasNoDevice = false;
  audios = [];
  /** What keys of the system do. */
  keys = {};
  requests = [];
  /** What the server was told. */
  beacons = [];
  isBusy = false;
  #timers = [];

  /** Puts the clock, the elements and the network of this world in place of the real ones; returns how to undo it. */
  install() {
    const world = this;
    const own = {
      setTimeout: (run, ms = 0) => this.after(ms, () => {
        this.isBusy = true;
        run();
      }),
      clearTimeout: (timer) => this.cancel(timer),
      navigator: {
        sendBeacon: (url) => this.beacons.push(url),
        mediaSession: { setActionHandler: (key, press) => { this.keys[key] = press; } },
      },
      MediaMetadata: Object,
      fetch: (url, { signal }) => this.#fetch(url, signal),
      Audio: class extends FakeAudio {
        constructor() {
          super(world);
        }
      },
      document: {
        addEventListener: (_, forbid) => { this.forbid = forbid; },
        removeEventListener() {},
      },
    };
    const before = Object.keys(own).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)]);
    const { now } = Date;
    for (const [name, value] of Object.entries(own)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
    Date.now = () => this.now;
    return () => {
      for (const [name, descriptor] of before) {
        if (descriptor) Object.defineProperty(globalThis, name, descriptor);
        else delete globalThis[name];
      }
      Date.now = now;
    };
  }

  after(ms, run) {
    const timer = { at: this.now + ms, run };
    this.#timers.push(timer);
    return timer;
  }

  cancel(timer) {
    const at = this.#timers.indexOf(timer);
    if (at >= 0) this.#timers.splice(at, 1);
  }

  /** Lets time pass. `check` is called whenever everything has been said at a moment. */
  async pass(ms, check) {
    const end = this.now + ms;
    for (;;) {
      let next = null;
      for (const timer of this.#timers) if (!next || timer.at < next.at) next = timer;
      if (!next || next.at > end) break;
      if (next.at > this.now) check();
      this.cancel(next);
      this.now = Math.max(this.now, next.at);
      next.run();
      await this.settled();
    }
    this.now = end;
    check();
  }

  /** Promises have told who waits for them. */
  async settled() {
    if (!this.isBusy) return;
    this.isBusy = false;
    for (let round = 0; round < 12; round += 1) await null;
  }

  has(what) {
    return this.faults.some((fault) => fault.what === what && fault.from <= this.now && this.now < fault.to);
  }

  hadFault(from) {
    return this.faults.some((fault) => fault.from <= this.now && fault.to >= from);
  }

  hung(from) {
    return this.faults.some(({ what, from: start, to }) => what.endsWith("hangs") && start <= this.now && to >= from);
  }

  request(what) {
    this.requests.push({ what, at: this.now });
  }

  later(ms, answer) {
    return new Promise((resolve, reject) => {
      this.after(ms, () => {
        this.isBusy = true;
        try {
          resolve(answer());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** How the delivery host answers now: a status, "away" or "hangs". */
  delivery(url) {
    if (this.has("host away")) return "away";
    if (this.has("host hangs")) return "hangs";
    if (this.has("host busy")) return 503;
    return this.now < endOf(url) ? 206 : 401;
  }

  #fetch(url, signal) {
    this.isBusy = true;
    if (signal.aborted) return Promise.reject(signal.reason);
    this.request("diagnose");
    if (this.isForbidden) {
      this.after(0, () => this.forbid({ blockedURI: url }));
      return Promise.reject(new TypeError("refused by a policy"));
    }
    const answer = this.delivery(url);
    if (answer === "hangs") {
      return new Promise((_, reject) => signal.addEventListener("abort", () => {
        this.isBusy = true;
        reject(new DOMException("", "AbortError"));
      }));
    }
    return this.later(LATENCY_MS, () => {
      if (answer === "away") throw new TypeError("Failed to fetch");
      return { status: answer };
    });
  }
}

/** Addresses are `session/track/label?ttl=…&verify=…`. */
export function addressOf(session, id, label, issued, ttl) {
  return `https://host/${session}/${id}/${label}?ttl=${ttl}&verify=${Math.floor(issued / 1000)}-mac`;
}

function endOf(url) {
  const [, ttl, issued] = /ttl=(\d+)&verify=(\d+)/.exec(url);
  return (Number(ttl) + Number(issued)) * 1000;
}

/** As much of an audio element as matters, as the HTML standard has it. */
class FakeAudio {
  paused = true;
  ended = false;
  seeking = false;
  error = null;
  readyState = 0;
  preload = "none";
  volume = 1;
  muted = false;
  #world;
  #url = null;
  #time = 0;
  #loaded = 0;
  /** Nothing more comes over its connection. */
  #isHung = false;
  #isLoading = false;
  #isTicking = false;
  #isStalled = false;
  /** Of what is loaded: what was queued for the one before is dropped. */
  #generation = 0;
  #promises = [];
  #heard = {};
  /** Ranges of seconds. */
  #played = [];

  constructor(world) {
    this.#world = world;
    world.audios.push(this);
  }

  get played() {
    const ranges = this.#played;
    return { length: ranges.length, start: (at) => ranges[at][0], end: (at) => ranges[at][1] };
  }

  /** Whether something is heard. */
  get isHeard() {
    return !this.paused && this.readyState > 2 && !this.seeking && !this.#isStalled && !this.error;
  }

  addEventListener(name, hear, { once = false } = {}) {
    (this.#heard[name] ??= []).push({ hear, once });
  }

  canPlayType() {
    return "maybe";
  }

  getAttribute() {
    return this.#url;
  }

  hasAttribute() {
    return this.#url !== null;
  }

  removeAttribute() {
    this.#url = null;
  }

  get src() {
    return this.#url ?? "";
  }

  set src(url) {
    this.#url = url;
    this.load();
  }

  load() {
    this.#generation += 1;
    Object.assign(this, { error: null, readyState: 0, ended: false, seeking: false });
    this.#time = this.#loaded = 0;
    this.#played = [];
    this.#isHung = this.#isLoading = this.#isTicking = this.#isStalled = false;
    if (!this.paused) this.paused = true;
    this.#reject("AbortError");
    if (this.#url && this.preload === "auto") this.#open();
  }

  async play() {
    this.#world.isBusy = true;
    if (this.#world.needsClick) throw new DOMException("", "NotAllowedError");
    if (this.error?.code === 4) throw new DOMException("", "NotSupportedError");
    if (this.ended) [this.ended, this.#time] = [false, 0];
    this.paused = false;
    if (this.readyState > 2 && !this.seeking) this.#plays();
    else if (this.#url && !this.#isLoading) this.#open();
    await new Promise((resolve, reject) => this.#promises.push({ resolve, reject }));
  }

  pause() {
    if (this.paused) return;
    this.paused = true;
    this.#reject("AbortError");
    this.#tell("pause");
  }

  get currentTime() {
    return this.#time;
  }

  set currentTime(seconds) {
    this.#time = seconds;
    if (this.readyState === 0) return;
    [this.ended, this.seeking] = [false, true];
    this.#soon(50, () => this.#sought());
  }

  #sought() {
    const answer = this.#time <= this.#loaded && this.#time + AHEAD >= this.#loaded - AHEAD ? 206 : this.#connects();
    if (answer === "away" || answer === 503) return this.#fails(2);
    if (answer !== 206) {
      // Chromium says nothing of a refusal for a long time.
      this.#isHung = this.#isStalled = true;
      return this.#tell("waiting");
    }
    this.#loaded = Math.max(this.#loaded, this.#time + 1);
    this.seeking = false;
    this.#tell("seeked");
    if (!this.paused) this.#plays();
  }

  #connects() {
    this.#world.request("sound");
    return this.#world.delivery(this.#url);
  }

  #open() {
    this.#isLoading = true;
    const answer = this.#connects();
    this.#soon(LATENCY_MS, () => {
      const defect = this.#world.defects[this.#url.split("/")[4]];
      if (answer === "hangs") return;
      if (answer !== 206 || defect === "unplayable") return this.#fails(4);
      if (defect === "damaged") return this.#fails(3);
      this.readyState = 4;
      this.#loaded = this.#time + AHEAD;
      this.#tell("loadedmetadata");
      if (!this.paused) this.#plays();
    });
  }

  #plays() {
    this.#isStalled = false;
    this.#tell("playing");
    // Firefox, which says why only of what the page may read, and needs no device for what is silent.
    if (this.#world.hasNoDevice && this.volume > 0) {
      return this.#soon(30, () => this.#fails(3, this.crossOrigin === "" ? "OnMediaSinkAudioError" : "Failed to decode media"));
    }
    this.#soon(0, () => {
      this.#world.isBusy = true;
      for (const { resolve } of this.#promises.splice(0)) resolve();
    });
    if (this.#isTicking) return;
    this.#isTicking = true;
    this.#soon(TICK_MS, () => this.#tick());
  }

  #tick() {
    this.#isTicking = false;
    if (this.paused || this.seeking || this.error || this.ended) return;
    if (this.#world.has("host hangs")) this.#isHung = true;
    const goesOn = !this.#isHung && !this.#world.has("host away");
    if (goesOn) this.#loaded = Math.min(SECONDS, this.#time + AHEAD);
    if (this.#time + TICK_MS / 1000 > this.#loaded && this.#loaded < SECONDS) {
      if (!this.#isHung) return this.#fails(2);
      this.#isStalled = true;
      return this.#tell("waiting");
    }
    const from = this.#time;
    this.#time = Math.min(SECONDS, from + TICK_MS / 1000);
    const last = this.#played.at(-1);
    if (last?.[1] === from) last[1] = this.#time;
    else this.#played.push([from, this.#time]);
    this.#tell("timeupdate");
    if (this.#time < SECONDS) {
      this.#isTicking = true;
      return this.#soon(TICK_MS, () => this.#tick());
    }
    this.ended = this.paused = true;
    this.#tell("pause");
    this.#tell("ended");
  }

  #fails(code, message = "") {
    this.error = { code, message };
    this.#tell("error");
    if (code === 4) this.#reject("NotSupportedError");
  }

  #reject(name) {
    if (this.#promises.length > 0) this.#world.isBusy = true;
    for (const { reject } of this.#promises.splice(0)) reject(new DOMException("", name));
  }

  #soon(ms, run) {
    const generation = this.#generation;
    this.#world.after(ms, () => { if (generation === this.#generation) run(); });
  }

  #tell(name) {
    this.#soon(0, () => {
      const heard = this.#heard[name] ?? [];
      this.#heard[name] = heard.filter(({ once }) => !once);
      for (const { hear } of heard) hear();
      this[`on${name}`]?.();
    });
  }
}
