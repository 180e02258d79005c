// The selection of a list: a box for all of the page, ranges with Shift, and how many there are.

import { t } from "./texts.js";

function begin() {
  const form = document.getElementById("selection");
  const list = document.querySelector("[data-rows]");
  if (!form || !list) return;
  const all = form.querySelector("[data-select-all]");
  const box = all.querySelector("input");
  const said = form.querySelector("[data-selected]");
  const actions = form.querySelector("[data-selection-actions]");
  const toggle = form.querySelector("[data-selecting]");
  const boxes = () => [...list.querySelectorAll(".pick")];
  let last = null;
  all.hidden = toggle.hidden = false;

  const show = () => {
    const [chosen, count] = [boxes().filter((pick) => pick.checked).length, boxes().length];
    box.checked = chosen > 0 && chosen === count;
    box.indeterminate = chosen > 0 && chosen < count;
    actions.hidden = chosen === 0;
    said.textContent = chosen ? t("script-selected", { count: chosen }) : "";
    form.classList.toggle("busy", chosen > 0);
    for (const pick of boxes()) pick.closest("li").classList.toggle("selected", pick.checked);
  };

  box.addEventListener("change", () => {
    for (const pick of boxes()) pick.checked = box.checked;
    show();
  });
  list.addEventListener("click", (event) => {
    const pick = event.target.closest(".pick");
    if (!pick) return;
    if (event.shiftKey && last?.isConnected) {
      const each = boxes();
      const [from, to] = [each.indexOf(last), each.indexOf(pick)].sort((one, other) => one - other);
      for (const between of each.slice(from, to + 1)) between.checked = pick.checked;
    }
    last = pick;
    show();
  });
  // On phones the boxes are there when they are asked for.
  toggle.addEventListener("click", () => {
    const isSelecting = list.classList.toggle("selecting");
    form.classList.toggle("selecting", isSelecting);
    toggle.setAttribute("aria-pressed", String(isSelecting));
    if (!isSelecting) for (const pick of boxes()) pick.checked = false;
    show();
  });
  // Rows are replaced when their tracks are ready, and browsers fill in boxes again when one goes back.
  new MutationObserver(show).observe(list, { childList: true });
  addEventListener("pageshow", show);
  show();
}

begin();
// Results that replaced others.
document.addEventListener("tonearm-results", begin);
