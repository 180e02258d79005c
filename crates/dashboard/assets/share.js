// Shows the page behind a link with `data-share` as a dialog. Its forms and links work within the dialog; wherever something
// cannot be shown there, the browser opens the page itself.

import { offerChoices } from "./choices.js";
import { offerCopying } from "./copy.js";
import { request } from "./signing-in.js";
import { t } from "./texts.js";
import { localise } from "./times.js";

/** The dialog, while it is open. */
let dialog = null;

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target.closest?.("a[data-share], dialog a[data-in-panel]");
  if (!link) return;
  event.preventDefault();
  show(link.href);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  // Forms that ask first are sent when the question was answered.
  if (event.defaultPrevented || !dialog?.contains(form) || form.method === "dialog") return;
  event.preventDefault();
  // A double click would create two links.
  if (dialog.querySelector("[aria-busy]")) return;
  const fields = new URLSearchParams(new FormData(form));
  if (form.method === "get") return show(`${form.action}?${fields}`);
  show(form.action, { method: "POST", body: fields });
});

document.addEventListener("change", (event) => {
  event.target.closest?.("form[data-at-once]")?.requestSubmit();
});

/** Shows what an address answers with. A page without a panel, such as that of signing in, is opened instead. */
async function show(address, sent) {
  const opened = dialog;
  const waits = opened?.querySelector("[data-panel]");
  waits?.setAttribute("aria-busy", "true");
  let page = null;
  try {
    const answer = await request(address, { ...sent, redirect: "follow", headers: { accept: "text/html" } });
    page = new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    // The network is away: the browser says so.
  }
  waits?.removeAttribute("aria-busy");
  const panel = page?.querySelector("[data-panel]");
  // It was closed meanwhile. What was sent is done all the same, and its answer may be a new link.
  if (opened && opened !== dialog && !(sent && panel)) return;
  if (panel) return fill(panel, page.querySelector("[data-toast]"));
  location.assign(sent ? location.href : address);
}

function fill(panel, toast) {
  const focused = dialog?.contains(document.activeElement) ? document.activeElement.id : "";
  const shown = document.importNode(panel, true);
  dialog ??= open();
  dialog.querySelector("[data-panel]")?.remove();
  dialog.append(shown);
  shown.querySelector(".head-line").append(closer());
  if (toast) {
    const said = document.importNode(toast, true);
    shown.querySelector(".head-line").after(said);
  }
  for (const button of shown.querySelectorAll("form[data-at-once] [type=submit]")) button.hidden = true;
  offerCopying(shown);
  offerChoices(shown);
  localise(shown);
  const wrong = shown.querySelector("[aria-invalid]");
  const again = document.getElementById(focused);
  (wrong ?? (toast ? shown.querySelector("#share-url") : null) ?? again ?? shown.querySelector("#share-heading")).focus();
  if (toast) dialog.scrollTop = 0;
}

function open() {
  const made = document.createElement("dialog");
  made.className = "panel";
  made.setAttribute("aria-labelledby", "share-heading");
  made.addEventListener("close", () => {
    if (dialog === made) dialog = null;
    made.remove();
  });
  // A click beside the panel closes it.
  made.addEventListener("click", (event) => event.target === made && made.close());
  document.body.append(made);
  made.showModal();
  return made;
}

function closer() {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "small";
  button.textContent = t("script-close");
  button.addEventListener("click", () => dialog.close());
  return button;
}
