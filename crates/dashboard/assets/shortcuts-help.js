// The list of keyboard shortcuts, and whether they are used.

import { areOn, NAME } from "./shortcuts.js";
import { t } from "./texts.js";

const KEYS = [
  ["/", "script-shortcuts-search"],
  [t("script-space-key"), "script-shortcuts-toggle"],
  ["K", "script-shortcuts-toggle"],
  ["J", "script-bar-back"],
  ["L", "script-bar-forward"],
  ["?", "script-shortcuts-show"],
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
  dialog.innerHTML = `<h2 id="shortcuts-title"></h2><dl></dl>
    <label class="check"><input type="checkbox"> <span></span></label>
    <form method="dialog" class="actions"><button autofocus></button></form>`;
  const words = { h2: "script-shortcuts", span: "script-shortcuts-use", button: "script-close" };
  for (const [part, message] of Object.entries(words)) dialog.querySelector(part).textContent = t(message);
  dialog.querySelector("dl").append(...KEYS.map(([key, message]) => {
    const row = document.createElement("div");
    row.append(Object.assign(document.createElement("dt"), { innerHTML: "<kbd></kbd>" }), Object.assign(document.createElement("dd"), { textContent: t(message) }));
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

