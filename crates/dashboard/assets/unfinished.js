// Remembers uploads that are not finished, so that they continue when the page was closed: by the name, size and time of the
// file, which only the person can give again.

const PREFIX = "tonearm-upload ";
/** As long as the server keeps what it has. */
const KEPT_MS = 7 * 24 * 3600 * 1000;

/** Tracks of uploads of this page: the same file may be there twice, and each copy has its own. */
const own = new Set();

function name(address, file) {
  return `${PREFIX}${address} ${file.size} ${file.lastModified} ${file.name}`;
}

/** What another page remembered of a file: its track, and where its bytes go. It is given once. */
export function recall(address, file) {
  const entry = read(name(address, file));
  if (!entry || own.has(entry.track)) return null;
  own.add(entry.track);
  return entry;
}

export function remember(address, file, { track, url }) {
  own.add(track);
  try {
    localStorage.setItem(name(address, file), JSON.stringify({ track, url, at: Date.now() }));
  } catch {
    // Without storage, an upload continues as long as its page is open.
  }
}

/** Forgets a track. Another copy of its file stays remembered. */
export function forget(address, file, track) {
  const key = name(address, file);
  if (read(key)?.track === track) localStorage.removeItem(key);
}

/** The names of files whose upload to this address was not finished. */
export function unfinished(address) {
  const names = [];
  for (const key of keys()) {
    const entry = read(key);
    if (!entry || Date.now() - entry.at > KEPT_MS) localStorage.removeItem(key);
    else if (key.startsWith(`${PREFIX}${address} `)) names.push(key.slice(`${PREFIX}${address} `.length).replace(/^\d+ \d+ /, ""));
  }
  return names;
}

function keys() {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  } catch {
    return [];
  }
}

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}
