// The list of keyboard shortcuts, and whether they are used.

import { areOn, NAME } from "./shortcuts.js";

const KEYS = [
  ["/", "Search"],
  ["Space", "Play or pause"],
  ["K", "Play or pause"],
  ["J", "Back 10 seconds"],
  ["L", "Forward 10 seconds"],
  ["?", "Show keyboard shortcuts"],
];

let opened = null;

/** Opens it. */
export function show() {
  opened ??= made();
  opened.showModal();
}

function made() {
  const dialog = document.createElement("dialog");
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

