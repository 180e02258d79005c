// Where the queue's tracks come from: the data of the dashboard's own player, which counts no plays.

import { playable } from "../player/playback.js";
import { Problem } from "../player/problem.js";
import { requestJson } from "../player/request.js";

export class Tracks {
  #base;
  /** @param {string} base the start of the addresses of the organization's pages */
  constructor(base) {
    this.#base = base;
  }

  async track(id) {
    const url = new URL(`${this.#base}/tracks/${id}/player.json`, location.href);
    const { track } = await requestJson(url, (status) => (status === 401 || status === 403 ? "session" : "missing"));
    if (!track) throw new Problem("missing");
    return { ...track, ...playable(track, track.levels?.levels, track.part), captions: null };
  }
}
