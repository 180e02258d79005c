// Keys for the whole dashboard. `?` shows them. They do nothing while somebody types, in dialogs, or together with Ctrl, Alt
// or the command key, and can be turned off.

import { present } from "./listening.js";

const NAME = "tonearm-shortcuts";
const LEAP_SECONDS = 10;
const TYPING = "input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=range], [type=file]), textarea, select, [contenteditable], dialog, [popover]";
/** What has a use for Space of its own. */
const PRESSED = "a, button, input, summary, audio, video, [role=slider], [role=button], [tabindex]:not(main)";

const KEYS = [
  ["/", "Search"],
  ["Space", "Play or pause"],
  ["K", "Play or pause"],
  ["J", "Back 10 seconds"],
  ["L", "Forward 10 seconds"],
  ["?", "Show keyboard shortcuts"],
];

function areOn() {
  try {
    return localStorage.getItem(NAME) !== "off";
  } catch {
    return true;
  }
}

/** What is heard or would be: the bar, otherwise the player of the page. */
function player() {
  const heard = present()?.player;
  const own = document.querySelector("tonearm-player");
  if (own && (!own.paused || !heard?.track)) return own;
  return heard?.track ? heard : null;
}

const leap = (by) => () => {
  const heard = player();
  heard?.seek(heard.position + by);
  return heard;
};
const toggle = () => {
  const heard = player();
  heard?.toggle();
  return heard;
};

const ACTIONS = {
  "/": () => {
    const field = document.querySelector("main input[type=search]");
    field?.focus();
    field?.select();
    return field;
  },
  " ": toggle,
  k: toggle,
  j: leap(-LEAP_SECONDS),
  l: leap(LEAP_SECONDS),
  "?": () => (help().showModal(), true),
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

let dialog = null;

function help() {
  if (dialog) return dialog;
  dialog = document.createElement("dialog");
  dialog.className = "shortcuts";
  dialog.setAttribute("aria-labelledby", "shortcuts-title");
  dialog.innerHTML = `<h2 id="shortcuts-title">Keyboard shortcuts</h2><dl></dl>
    <label class="check"><input type="checkbox"> Use keyboard shortcuts</label>
    <form method="dialog" class="actions"><button autofocus>Close</button></form>`;
  dialog.querySelector("dl").append(...KEYS.map(([key, use]) => {
    const row = document.createElement("div");
    row.append(Object.assign(document.createElement("dt"), { innerHTML: "<kbd></kbd>" }), Object.assign(document.createElement("dd"), { textContent: use }));
    row.querySelector("kbd").textContent = key;
    return row;
  }));
  const box = dialog.querySelector("input");
  box.checked = areOn();
  box.addEventListener("change", () => {
    try {
      localStorage.setItem(NAME, box.checked ? "on" : "off");
    } catch {
      box.checked = true;
    }
  });
  document.body.append(dialog);
  return dialog;
}

for (const button of document.querySelectorAll("[data-shortcuts]")) {
  button.hidden = false;
  button.addEventListener("click", () => help().showModal());
}

