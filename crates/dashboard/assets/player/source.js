// Where tracks come from: an address of player data, or a play session.

import { playable } from "./playback.js";
import { Problem } from "./problem.js";
import { persist, requestJson } from "./request.js";
import { t } from "./texts.js";

/** Pages of a long list that are loaded behind the first one. */
const MORE_PAGES = 9;

/** Tracks of a session whose titles are asked for at once: what the server takes. */
const AT_ONCE = 100;

/** Player data, as the pages of share links have it. */
export class Data {
  #url;
  /** @type {any[]} */
  #tracks = [];

  constructor(url) {
    this.#url = new URL(url, document.baseURI);
  }

  /** `onList` hears of a longer list, as often as another page of it has arrived. */
  async open(_preferred, onList) {
    const data = await requestJson(this.#url);
    this.#tracks = data.tracks ?? [];
    this.#extend(data.next, MORE_PAGES, onList);
    return { title: data.title, tracks: this.#tracks, first: data.track && this.#track(data.track) };
  }

  /** Loads the pages that follow. What cannot be loaded is left out. */
  async #extend(path, pages, onList) {
    const data = path && pages && (await persist(() => requestJson(new URL(path, this.#url))));
    if (!data) return;
    onList((this.#tracks = this.#tracks.concat(data.tracks)));
    this.#extend(data.next, pages - 1, onList);
  }

  async track(id) {
    const known = this.#tracks.find((track) => track.id === id);
    const url = known?.data ? new URL(known.data, this.#url) : this.#url;
    try {
      const { track } = await requestJson(url);
      if (!track) throw new Problem("missing");
      return this.#track(track);
    } catch (error) {
      // The server says the same of a missing track and of a link that has ended. The list tells which it is.
      if (error.kind === "link" && known) {
        await requestJson(this.#url);
        throw new Problem("missing");
      }
      throw error;
    }
  }

  #track(track) {
    const absolute = (url) => new URL(url, this.#url).href;
    const cover = Object.entries(track.cover ?? {}).map(([size, url]) => [size, absolute(url)]);
    return {
      ...track,
      ...playable(track, track.levels?.levels, track.part),
      cover: Object.fromEntries(cover),
      captions: track.captions ? absolute(track.captions) : null,
      sources: track.sources.map((source) => ({ ...source, url: absolute(source.url) })),
    };
  }
}

/** A play session: its id, or the whole response that made it. */
export class Session {
  #server;
  #answer;
  #ids;
  #told;
  /** Requests for tracks by id. The URLs of each are valid as long as the session. */
  #known = new Map();

  /** `told` hears of each end of the session that becomes known, as a time in milliseconds. */
  constructor(server, session, ids, told) {
    this.#server = server;
    this.#answer = typeof session === "object" ? session : null;
    this.id = this.#answer?.play_session_id ?? session;
    this.#ids = ids;
    this.#told = told;
  }

  /**
   * `preferred` is the track to have ready if it is in the session. `onList` hears of the titles of the tracks that are
   * asked for one by one.
   */
  async open(preferred, onList) {
    if (!this.#answer && this.#ids.length === 0) {
      this.#answer = await this.#request(`/v1/play_session/${this.id}`, "session");
    }
    if (this.#answer) return this.#opened(this.#answer);
    const ids = this.#ids;
    const first = await this.#firstOf(ids.includes(preferred) ? [preferred, ...ids.filter((id) => id !== preferred)] : ids);
    const list = ids.map((id, at) => (id === first.id ? first : { id, title: t("Track {number}", { number: at + 1 }), duration: 0 }));
    this.#name(list, first, onList);
    return { title: null, tracks: list, first };
  }

  /** `isFresh` asks for URLs that were signed just now. */
  track(id, isFresh = false) {
    if (isFresh) this.#known.delete(id);
    if (!this.#known.has(id)) {
      const asked = this.#request(`/v1/play/${this.id}/${id}`, "missing").then((data) => playback(data));
      asked.catch(() => this.#known.delete(id));
      this.#known.set(id, asked);
    }
    return this.#known.get(id);
  }

  #opened({ play_session: session, tracks, first_track: data }) {
    const first = data && playback(data);
    if (first) this.#known.set(first.id, Promise.resolve(first));
    this.#tell(session);
    return { title: null, tracks: tracks.map(named), first };
  }

  async #firstOf(ids) {
    for (const id of ids) {
      try {
        return await this.track(id);
      } catch (error) {
        if (error.kind !== "missing") throw error;
      }
    }
    throw new Problem("missing");
  }

  /**
   * Titles and lengths of the rest. What is missing keeps its place, and is found missing when it is chosen. Nobody listens
   * yet, so nothing is requested that counts.
   */
  async #name(list, first, onList) {
    const rest = list.map(({ id }) => id).filter((id) => id !== first.id);
    while (rest.length > 0) {
      const ids = rest.splice(0, AT_ONCE).join(",");
      const answer = await persist(() => this.#request(`/v1/play/${this.id}?track_ids=${ids}`, "missing"));
      const known = new Map(answer?.tracks.map((track) => [track.id, named(track)]));
      list = list.map((own) => known.get(own.id) ?? own);
      onList(list);
    }
  }

  async #request(path, missing) {
    const refused = (status, body) => {
      if (status === 404) return missing;
      // Only with a key can the session be read as a whole.
      if (body?.code === "missing_api_key") return "setup";
      return status === 400 && body?.field === "play_track_id" ? "missing" : "session";
    };
    const body = await requestJson(this.#server + path, refused);
    this.#tell(body.play_session);
    return body;
  }

  #tell(session) {
    const end = Date.parse(session?.expires_at);
    if (end) this.#told(end);
  }
}

/** The playback data of a session in the common form. */
function playback({ track, cover_image: images, levels, variants, captions_url: captions }) {
  const sounds = variants.filter(({ content_type: type }) => type.startsWith("audio/"));
  const whole = sounds.filter(({ data }) => !data);
  const chosen = whole.length > 0 ? whole : sounds.slice(0, 1);
  const data = whole.length > 0 ? null : chosen[0]?.data;
  const part = data && { start: data.capture_start, end: data.capture_end };
  return {
    ...named(track),
    ...playable(track, levels?.levels, part),
    cover: Object.fromEntries(Object.entries(images ?? {}).map(([size, { url }]) => [size, url])),
    captions: captions ?? null,
    sources: chosen.map(({ url, content_type: type, variant }) => ({ url, type, label: variant.index })),
  };
}

function named(track) {
  const fromFile = (track.file_name ?? "").replace(/\.[^.]+$/, "");
  return { ...track, title: track.player_title || fromFile || t("Untitled"), subtitle: track.player_subtitle };
}
