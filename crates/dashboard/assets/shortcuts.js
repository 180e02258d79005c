// Keys for the whole dashboard. `?` shows them. They do nothing while somebody types, in dialogs, or together with Ctrl, Alt
// or the command key, and can be turned off.

import { present } from "./listening.js";

export const NAME = "tonearm-shortcuts";
const LEAP_SECONDS = 10;
const TYPING = "input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=range], [type=file]), textarea, select, [contenteditable], dialog, [popover]";
/** What has a use for Space of its own. */
const PRESSED = "a, button, input, summary, audio, video, [role=slider], [role=button], [tabindex]:not(main)";

/** Whether the keys do anything. */
export function areOn() {
  try {
    return localStorage.getItem(NAME) !== "off";
  } catch {
    return true;
  }
}

/** The page that is seen: it may be in the frame of the window that has the bar. */
const page = () => present()?.pages.document ?? document;

/** The player that keys control: the bar, otherwise the player of the page. */
function player() {
  const bar = present()?.player;
  const own = page().querySelector("tonearm-player");
  if (own && (!own.paused || !bar?.track)) return own;
  return bar?.track ? bar : null;
}

const leap = (by) => () => {
  const controlled = player();
  controlled?.seek(controlled.position + by);
  return controlled;
};
const toggle = () => {
  const controlled = player();
  controlled?.toggle();
  return controlled;
};

const ACTIONS = {
  "/": () => {
    const field = page().querySelector("main input[type=search]");
    field?.focus();
    field?.select();
    return field;
  },
  " ": toggle,
  k: toggle,
  j: leap(-LEAP_SECONDS),
  l: leap(LEAP_SECONDS),
  "?": () => (show(), true),
};

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const target = event.composedPath()[0];
  const key = event.key.toLowerCase();
  const action = Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : null;
  if (!action || !(target instanceof Element) || target.closest(TYPING)) return;
  if (key === " " ? target.closest(PRESSED) : event.repeat && key !== "j" && key !== "l") return;
  if (!areOn()) return;
  if (action()) event.preventDefault();
});

async function show() {
  (await import("./shortcuts-help.js").catch(() => null))?.show();
}

for (const button of document.querySelectorAll("[data-shortcuts]")) {
  button.hidden = false;
  button.addEventListener("click", show);
}

