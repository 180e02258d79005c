// The bar at the bottom of the dashboard: playback continues while people move through the pages, and is kept, paused or
// not, when the window is loaded anew.

import { BarPlayer } from "./player.js";
import { Pages } from "./pages.js";
import { read, written } from "./queue.js";
import { BarView } from "./view.js";
import { t } from "../texts.js";

const SAVE_MS = 5000;
/** A page that is left for longer does not begin to play by itself. */
const RESUME_MS = 15_000;

export class Bar {
  #name;
  #timer = 0;
  #shown = "";
  #isOver = false;

  constructor() {
    const { base, person } = document.body.dataset;
    this.#name = `tonearm-queue ${base} ${person}`;
    this.player = new BarPlayer(base);
    this.view = new BarView(this.player, base, () => this.close());
    document.body.append(this.view.node);
    this.pages = new Pages(base, () => Boolean(this.player.track), (page) => this.#meet(page));
    this.player.addEventListener("change", () => this.#changed());
    addEventListener("pagehide", () => this.#save());
    this.#restore();
  }

  /** Plays the tracks of a list from one of them on; pauses or resumes if it is the current one. */
  playFrom(tracks, index) {
    if (this.player.track?.id === tracks[index].id && !this.player.state.problem) return this.player.toggle();
    this.player.open({ tracks, index }, { isWanted: true });
  }

  playNext(track) {
    this.#add(track, this.player.state.index + 1, t("script-queue-next", { title: track.title }));
  }

  addToQueue(track) {
    this.#add(track, undefined, t("script-queue-added", { title: track.title }));
  }

  #add(track, at, sentence) {
    this.view.say(this.player.add(track, at) ? sentence : t("script-queue-full"));
  }

  close() {
    this.player.clear();
  }

  /** Either a player on the page plays or the bar. */
  #meet(page) {
    page.addEventListener("tonearm-play", () => this.player.pause());
    for (const form of page.querySelectorAll("form[action$='/sign-out']")) {
      form.addEventListener("submit", () => this.#end());
    }
    this.#shown = "";
    this.#mark();
  }

  /** Somebody signs out: the queue is not kept. */
  #end() {
    this.#isOver = true;
    this.player.pause();
    this.#save();
  }

  #changed() {
    this.view.show();
    if (!this.player.track) this.pages.leave();
    document.body.classList.toggle("has-bar", Boolean(this.player.track));
    if (!this.player.paused) for (const other of this.pages.document.querySelectorAll("tonearm-player")) other.pause?.();
    this.#mark();
    this.#saveSoon();
  }

  /** Marks the current track in the lists of the page. */
  #mark() {
    const { track, paused } = this.player;
    const shown = `${track?.id} ${paused}`;
    if (this.#shown === shown || !this.pages) return;
    this.#shown = shown;
    for (const row of this.pages.document.querySelectorAll("[data-track].current")) mark(row, false, true);
    if (!track) return;
    for (const row of this.pages.document.querySelectorAll(`[data-track="${track.id}"]`)) mark(row, true, paused);
  }

  #saveSoon() {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.#save();
    }, SAVE_MS);
  }

  #save() {
    const { state, position, paused, track } = this.player;
    try {
      if (track && !this.#isOver) sessionStorage.setItem(this.#name, `${Date.now()} ${written(state, position, !paused)}`);
      else sessionStorage.removeItem(this.#name);
    } catch {
      // Without storage the queue ends with the page.
    }
  }

  #restore() {
    const [, at, text] = /^(\d+) (.*)$/s.exec(sessionStorage.getItem(this.#name) ?? "") ?? [];
    const queue = text ? read(text) : null;
    if (!queue) return;
    const isWanted = queue.isOn && Date.now() - Number(at) < RESUME_MS;
    this.player.open(queue, { position: queue.position, isWanted });
  }
}

function mark(row, isCurrent, isPaused) {
  const isPlaying = isCurrent && !isPaused;
  row.classList.toggle("current", isCurrent);
  row.classList.toggle("playing", isPlaying);
  const button = row.querySelector("[data-play]");
  button?.setAttribute("aria-label", t(isPlaying ? "script-pause-track" : "script-play-track", { title: row.dataset.title }));
}
