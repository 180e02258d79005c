// Buttons that copy a text: that of a field they name, or their own. If the browser does not allow it, the text is selected where
// it is shown.

import { t } from "./texts.js";

/** Shows the buttons of a part of the page. */
export function offerCopying(part = document) {
  for (const button of part.querySelectorAll("[data-copy], [data-copy-field]")) offer(button);
}

function offer(button) {
  const field = document.getElementById(button.dataset.copyField);
  const shown = field ?? button.parentElement.querySelector("code");
  if (!navigator.clipboard && !shown) return;
  const label = [...button.childNodes];
  // Screen readers tell of what is inserted here.
  const said = Object.assign(document.createElement("span"), { className: "hidden", role: "status" });
  button.after(said);
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (field) field.select();
    else if (shown) getSelection().selectAllChildren(shown);
    try {
      await navigator.clipboard.writeText(field ? field.value : button.dataset.copy);
      button.textContent = t("script-copy-done");
    } catch {
      button.textContent = t(shown ? "script-copy-keys" : "script-copy-failed");
    }
    said.textContent = button.textContent;
    setTimeout(() => {
      button.replaceChildren(...label);
      said.textContent = "";
    }, 2000);
  });
}

offerCopying();
