// What a listener chose, kept in the browser: the volume and the quality for good, the speed until the tab is closed.

const PREFIX = "tonearm-";

function storage(name) {
  return name === "speed" ? sessionStorage : localStorage;
}

/** @param {"volume" | "quality" | "speed"} name */
export function keep(name, value) {
  try {
    storage(name).setItem(PREFIX + name, String(value));
  } catch {
    // Frames of other sites may keep nothing.
  }
}

/** @param {"volume" | "quality" | "speed"} name @returns {string | null} */
export function kept(name) {
  try {
    return storage(name).getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** A number that was kept, if it is within the range. */
export function keptNumber(name, least, most, otherwise) {
  const text = kept(name);
  const number = Number(text);
  return text !== null && number >= least && number <= most ? number : otherwise;
}
