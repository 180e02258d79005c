// Buttons that copy a text, their own or that of a field they name. They are shown only where that is possible.

import { t } from "./texts.js";

/** Shows the buttons of a part of the page. */
export function offerCopying(part = document) {
  for (const button of part.querySelectorAll("[data-copy], [data-copy-field]")) offer(button);
}

function offer(button) {
  const field = document.getElementById(button.dataset.copyField);
  if (!navigator.clipboard && !field) return;
  const label = [...button.childNodes];
  button.hidden = false;
  button.addEventListener("click", async () => {
    field?.select();
    try {
      await navigator.clipboard.writeText(field ? field.value : button.dataset.copy);
      button.textContent = t("script-copy-done");
    } catch {
      button.textContent = t(field ? "script-copy-keys" : "script-copy-failed");
    }
    setTimeout(() => button.replaceChildren(...label), 2000);
  });
}

offerCopying();
