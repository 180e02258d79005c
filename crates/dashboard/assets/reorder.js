// The manual order of a collection: rows are dragged or moved with the keyboard, and each move is saved at once.

import { moveOf, Moves } from "./moves.js";
import { request } from "./signing-in.js";
import { Sortable } from "./sortable.js";
import { t } from "./texts.js";

let list = null;
let sortable = null;
let shown = null;
const moves = new Moves(save, putBack);

function begin() {
  const rows = document.querySelector("[data-rows]");
  if (!rows?.querySelector("[data-grip]")) return;
  list = rows;
  sortable = new Sortable(list, {
    async moved(from, to) {
      const collection = document.querySelector("#selection [name=list]").value;
      const ids = [...rows.children].map((row) => row.dataset.track);
      // Until it is saved, the server has another order.
      rows.dataset.saving = "";
      await moves.add({ collection, ...moveOf(ids, from, to) });
      if (moves.isSaving) return;
      delete rows.dataset.saving;
      rows.dispatchEvent(new Event("tonearm-row-put", { bubbles: true }));
    },
  });
}

/** Gives whether it was saved. */
async function save({ collection, before, after }) {
  const fields = new URLSearchParams();
  for (const id of before) fields.append("before", id);
  for (const id of after) fields.append("after", id);
  const address = `${document.body.dataset.base}/collections/${collection}/order`;
  const answer = await request(address, { method: "POST", body: fields }).catch(() => null);
  const body = await answer?.json().catch(() => null);
  if (answer?.ok) tell(t("script-order-saved"), body?.undo);
  else tell(body?.message ?? t("script-order-not-saved"), null, true);
  return Boolean(answer?.ok);
}

/** The rows as they were saved last. Rows that came since keep their places. */
function putBack(order) {
  sortable.release();
  const each = [...list.children];
  const rows = new Map(each.map((row) => [row.dataset.track, row]));
  const left = order.filter((id) => rows.has(id));
  const places = left.map((id) => each.indexOf(rows.get(id))).sort((one, other) => one - other);
  left.forEach((id, at) => (each[places[at]] = rows.get(id)));
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
