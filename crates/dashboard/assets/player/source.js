// Where the data comes from: an address of player data, or a play session. Both become one form:
//
//   { title, tracks: [{ id, title, subtitle, duration }], first: track }
//   track: { id, title, subtitle, duration, colours, cover, levels, sources: [{ url, type, label }] }

const GONE = "This link is no longer valid. Ask for a new one.";
const AWAY = "The audio is temporarily unavailable. Try again shortly.";

async function json(url) {
  let response;
  try {
    response = await fetch(url, { credentials: "same-origin", headers: { accept: "application/json" } });
  } catch {
    throw new Error(AWAY);
  }
  if (response.status === 401 || response.status === 403 || response.status === 404) throw new Error(GONE);
  if (!response.ok) throw new Error(AWAY);
  return response.json();
}

/** The levels of the part of a track that is heard. */
function levelsOf(levels, duration, part) {
  if (!part || !(duration > 0)) return levels;
  const at = (seconds) => Math.round((seconds / duration) * levels.length);
  return levels.slice(at(part.start), Math.max(at(part.start) + 1, at(part.end)));
}

function colours(track) {
  return { base: track.player_color, light: track.player_color_light, dark: track.player_color_dark };
}

/** Player data, as Tonearm's own pages give it. */
class Data {
  #url;

  constructor(url) {
    this.#url = new URL(url, document.baseURI);
  }

  async open() {
    const data = await json(this.#url);
    this.tracks = data.tracks;
    return { title: data.title, tracks: data.tracks, first: data.track && this.#track(data.track) };
  }

  async track(id) {
    const known = this.tracks?.find((track) => track.id === id);
    const url = known?.data ? new URL(known.data, this.#url) : this.#url;
    return this.#track((await json(url)).track);
  }

  #track(track) {
    const cover = Object.fromEntries(
      Object.entries(track.cover ?? {}).map(([size, url]) => [size, new URL(url, this.#url).href]),
    );
    const part = track.part;
    return {
      ...track,
      cover,
      colours: colours(track),
      duration: part ? part.end - part.start : track.duration,
      levels: levelsOf(track.levels?.levels ?? [], track.duration, part),
      sources: track.sources.map((source) => ({ ...source, url: new URL(source.url, this.#url).href })),
    };
  }
}

/** A play session: its id, or the whole answer that made it. */
class Session {
  #server;
  #id;
  #answer;
  #tracks;

  constructor(server, session, tracks) {
    this.#server = server;
    this.#answer = typeof session === "object" ? session : null;
    this.#id = this.#answer?.play_session_id ?? session;
    this.#tracks = tracks;
  }

  async open() {
    if (!this.#answer && this.#tracks.length === 0) {
      this.#answer = await json(`${this.#server}/v1/play_session/${this.#id}`);
    }
    if (this.#answer) {
      const { tracks, first_track: first } = this.#answer;
      return { title: null, tracks: tracks.map(named), first: first && this.#playback(first) };
    }
    const first = await this.track(this.#tracks[0]);
    const rest = await Promise.all(this.#tracks.slice(1).map((id) => this.track(id)));
    return { title: null, tracks: [first, ...rest], first };
  }

  async track(id) {
    return this.#playback(await json(`${this.#server}/v1/play/${this.#id}/${id}`));
  }

  #playback({ track, cover_image: images, levels, variants }) {
    const sounds = variants.filter(({ content_type: type }) => type.startsWith("audio/"));
    const whole = sounds.filter(({ data }) => !data);
    const chosen = whole.length > 0 ? whole : sounds.slice(0, 1);
    const data = whole.length > 0 ? null : chosen[0]?.data;
    const part = data && { start: data.capture_start, end: data.capture_end };
    return {
      ...named(track),
      cover: Object.fromEntries(Object.entries(images).map(([size, { url }]) => [size, url])),
      colours: colours(track),
      duration: part ? part.end - part.start : track.duration,
      levels: levelsOf(levels.levels, track.duration, part),
      sources: chosen.map(({ url, content_type: type, variant }) => ({ url, type, label: variant.index })),
    };
  }
}

function named(track) {
  const fromFile = (track.file_name ?? "").replace(/\.[^.]+$/, "");
  return { ...track, title: track.player_title || fromFile || "Untitled", subtitle: track.player_subtitle };
}

/** What the attributes of an element name; nothing where they name nothing. */
export function sourceOf(host, server) {
  const src = host.getAttribute("src");
  if (src) return new Data(src);
  const session = host.session ?? host.getAttribute("session");
  const tracks = (host.getAttribute("tracks") ?? "").split(/[\s,]+/).filter(Boolean);
  return session ? new Session(host.getAttribute("server")?.replace(/\/$/, "") ?? server, session, tracks) : null;
}
