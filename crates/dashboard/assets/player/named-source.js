// What the attributes and properties of an element name.

/**
 * @typedef {{ src: string | null, session: string | object | null, tracks: string, server: string }} Named
 */

/** @returns {Named | null} nothing if they name nothing */
export function namedSource(host, server) {
  const src = host.getAttribute("src");
  const session = src ? null : host.session ?? host.getAttribute("session");
  if (!src && !session) return null;
  return {
    src,
    session,
    tracks: host.getAttribute("tracks") ?? "",
    server: host.getAttribute("server")?.replace(/\/$/, "") ?? server,
  };
}

/** @param {Named | null} one @param {Named | null} other */
export function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Ids in the attribute `tracks`. */
export function idsIn(tracks) {
  return tracks.split(/[\s,]+/).filter(Boolean);
}
