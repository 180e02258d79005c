// The manual order of a collection: rows are dragged or moved with the keyboard, and each move is saved at once.

import { Sortable } from "./sortable.js";
import { t } from "./texts.js";

const ids = (rows) => rows.map((row) => row.dataset.track);
let list = null;
let sortable = null;
let shown = null;
let saving = Promise.resolve();

function begin() {
  list = document.querySelector("[data-rows]");
  if (!list?.querySelector("[data-grip]")) return;
  sortable = new Sortable(list, {
    moved(from, to) {
      const after = [...list.children].slice(Math.min(from, to), Math.max(from, to) + 1);
      const before = [...after];
      if (from < to) before.unshift(before.pop());
      else before.push(before.shift());
      // One after another, as each is about the order that the one before left.
      const order = { before: ids(before), after: ids(after) };
      saving = saving.then(() => save(order));
    },
  });
}

async function save({ before, after }) {
  const { base, formSecret } = document.body.dataset;
  const fields = new URLSearchParams();
  for (const id of before) fields.append("before", id);
  for (const id of after) fields.append("after", id);
  const collection = document.querySelector("#selection [name=list]").value;
  const answer = await fetch(`${base}/collections/${collection}/order`, {
    method: "POST", headers: { "x-form-secret": formSecret, accept: "application/json" }, body: fields,
  }).catch(() => null);
  const body = await answer?.json().catch(() => null);
  if (answer?.ok) return tell(t("script-order-saved"), body?.undo);
  put(before);
  tell(body?.message ?? t("script-order-not-saved"), null, true);
}

/** The rows as they were: nothing was saved. */
function put(order) {
  const rows = new Map([...list.children].map((row) => [row.dataset.track, row]));
  const places = order.map((id) => [...list.children].indexOf(rows.get(id))).sort((one, other) => one - other);
  const each = [...list.children];
  order.forEach((id, at) => (each[places[at]] = rows.get(id)));
  list.append(...each);
}

begin();
// Results that replaced others.
document.addEventListener("tonearm-results", begin);

/** A row that was taken before this script was there. */
export function grab(event) {
  sortable?.grab(event);
}

/** Keys that were pressed before this script was there, in their order. */
export function press(event) {
  sortable?.key(event);
}

function tell(sentence, undo, isBad = false) {
  shown?.remove();
  shown = document.createElement("div");
  shown.className = `reordered notice ${isBad ? "bad" : "good"}`;
  shown.setAttribute("role", isBad ? "alert" : "status");
  shown.append(sentence);
  if (undo) shown.append(undoForm(undo));
  list.before(shown);
}

function undoForm(address) {
  const form = document.createElement("form");
  form.method = "post";
  form.action = address;
  const secret = document.createElement("input");
  Object.assign(secret, { type: "hidden", name: "form_secret", value: document.body.dataset.formSecret });
  const button = document.createElement("button");
  Object.assign(button, { type: "submit", className: "small", textContent: t("script-undo") });
  form.append(secret, button);
  return form;
}
