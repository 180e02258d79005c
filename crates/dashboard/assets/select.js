// The selection of a list: a box for all of the page, ranges with Shift, and how many there are. It is kept from page to page.

import { Selection, tabStorage } from "./selection.js";
import { t } from "./texts.js";

if (document.querySelector("[data-of-selection]")) Selection.changed(tabStorage());

/** Ends what listens for the list before. */
let ending = new AbortController();

function begin() {
  ending.abort();
  ending = new AbortController();
  const { signal } = ending;
  const form = document.getElementById("selection");
  const list = document.querySelector("[data-rows]");
  if (!form || !list) return;
  const all = form.querySelector("[data-select-all]");
  const box = all.querySelector("input");
  const said = form.querySelector("[data-selected]");
  const unselect = form.querySelector("[data-unselect]");
  const actions = form.querySelector("[data-selection-actions]");
  const toggle = form.querySelector("[data-selecting]");
  const most = Number(form.dataset.most);
  const selection = new Selection(tabStorage(), `${document.body.dataset.base} ${form.elements.list.value}`);
  const boxes = () => [...list.querySelectorAll(".pick")];
  let last = null;
  all.hidden = toggle.hidden = false;

  /** The page as the selection is: rows are replaced, and browsers fill in boxes as they were when one goes back. */
  const show = () => {
    const picks = boxes();
    for (const pick of picks) {
      pick.checked = selection.has(pick.value);
      pick.closest("li").classList.toggle("selected", pick.checked);
    }
    const chosen = picks.filter((pick) => pick.checked).length;
    const elsewhere = selection.besides(picks.map((pick) => pick.value));
    box.checked = chosen > 0 && chosen === picks.length;
    box.indeterminate = chosen > 0 && chosen < picks.length;
    const isTooMuch = selection.size > most;
    actions.hidden = selection.size === 0;
    for (const button of actions.querySelectorAll("button")) button.disabled = isTooMuch;
    unselect.hidden = selection.size === 0;
    said.textContent = sentence(selection.size, elsewhere.length, isTooMuch ? most : 0);
    form.classList.toggle("busy", selection.size > 0);
    send(elsewhere);
  };

  /** Fields for what has no box on the page. */
  const send = (ids) => {
    for (const field of form.querySelectorAll("input[name=track]")) field.remove();
    form.append(...ids.map((value) => Object.assign(document.createElement("input"), { type: "hidden", name: "track", value })));
  };

  const pickAll = (picks, isSelected) => {
    selection.set(picks.map((pick) => pick.value), isSelected);
    show();
  };

  box.addEventListener("change", () => pickAll(boxes(), box.checked));
  list.addEventListener("click", (event) => {
    const pick = event.target.closest(".pick");
    if (!pick) return;
    let picks = [pick];
    if (event.shiftKey && last?.isConnected) {
      const each = boxes();
      const [from, to] = [each.indexOf(last), each.indexOf(pick)].sort((one, other) => one - other);
      picks = each.slice(from, to + 1);
    }
    last = pick;
    pickAll(picks, pick.checked);
  });
  const clear = () => {
    selection.clear();
    show();
  };
  unselect.addEventListener("click", () => {
    clear();
    // The button is gone.
    (toggle.offsetParent ? toggle : box).focus();
  });
  // On phones the boxes are there when they are asked for.
  const setSelecting = (isSelecting) => {
    list.classList.toggle("selecting", isSelecting);
    form.classList.toggle("selecting", isSelecting);
    toggle.setAttribute("aria-pressed", String(isSelecting));
  };
  toggle.addEventListener("click", () => {
    const isSelecting = !list.classList.contains("selecting");
    setSelecting(isSelecting);
    if (!isSelecting) clear();
  });
  if (selection.size > 0) setSelecting(true);
  form.addEventListener("submit", () => selection.willChange(), { signal });
  new MutationObserver(show).observe(list, { childList: true });
  // Back on a page that was left, or a page in the frame of the player bar has changed the selection.
  const readAgain = () => {
    selection.read();
    show();
  };
  for (const name of ["pageshow", "storage"]) addEventListener(name, readAgain, { signal });
  show();
}

function sentence(count, elsewhere, most) {
  if (most > 0) return t("script-selected-too-many", { count, most });
  if (elsewhere > 0) return t("script-selected-elsewhere", { count, elsewhere });
  return count > 0 ? t("script-selected", { count }) : "";
}

begin();
// Results that replaced others.
document.addEventListener("tonearm-results", begin);
