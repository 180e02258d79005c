// Forms with `data-confirm` ask before they are sent.

import { t } from "./texts.js";

/** The form that is sent now, as its question was answered with yes. */
let confirmed = null;

const dialog = document.createElement("dialog");
dialog.setAttribute("aria-labelledby", "confirm-question");
dialog.innerHTML = `<p id="confirm-question"></p><form method="dialog" class="actions">
  <button value="" autofocus></button><button value="yes" class="danger"></button></form>`;
const question = dialog.querySelector("p");
const yes = dialog.querySelector(".danger");
dialog.querySelector("[autofocus]").textContent = t("script-cancel");

document.addEventListener("submit", (event) => {
  const form = event.target;
  const asked = form.dataset?.confirm;
  if (!asked || form === confirmed) return;
  event.preventDefault();
  const submitter = event.submitter;
  if (!dialog.isConnected) document.body.append(dialog);
  question.textContent = asked;
  yes.textContent = form.dataset.confirmButton ?? submitter?.textContent ?? t("script-yes");
  dialog.returnValue = "";
  dialog.showModal();
  dialog.addEventListener("close", () => {
    if (dialog.returnValue !== "yes") return submitter?.focus();
    confirmed = form;
    form.requestSubmit(submitter);
    // Pages come back as they were left, and ask again.
    confirmed = null;
  }, { once: true });
});
