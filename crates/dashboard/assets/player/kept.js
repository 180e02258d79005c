// What a listener chose, kept in the browser: the volume and the quality for good, the speed until the tab is closed.

/** The least volume that is kept: where the slider is hidden, nobody could change silence. */
const QUIETEST = 0.05;
const PREFIX = "tonearm-";

/** Frames of other sites may keep nothing. @param {"volume" | "quality" | "speed"} name */
function stored(name, use) {
  try {
    return use(name === "speed" ? sessionStorage : localStorage, PREFIX + name);
  } catch {
    return null;
  }
}

/** The volume that was heard last. */
export function keptVolume() {
  return keptNumber("volume", QUIETEST, 1, 1);
}

export function keepVolume(volume) {
  if (volume >= QUIETEST) keep("volume", volume);
}

export function keep(name, value) {
  stored(name, (storage, key) => storage.setItem(key, String(value)));
}

/** @returns {string | null} */
export function kept(name) {
  return stored(name, (storage, key) => storage.getItem(key));
}

/** A number that was kept, if it is within the range. */
export function keptNumber(name, least, most, otherwise) {
  const text = kept(name);
  const number = Number(text);
  return text !== null && number >= least && number <= most ? number : otherwise;
}
