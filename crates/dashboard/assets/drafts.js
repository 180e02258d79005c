// What is typed into a form is kept in this tab until the form has arrived. If it has not, the same person finds the form filled
// in again. Passwords and files are never kept, hidden fields only if they say what a form was opened with (edited.rs).

import { look } from "./signing-in.js";
import { t } from "./texts.js";

const NAME = "tonearm-draft";
const KEPT_MS = 12 * 3600 * 1000;
const UNKEPT = ["hidden", "password", "file", "submit", "button", "reset", "image"];
const BOXES = ["checkbox", "radio"];
const { person } = document.body.dataset;

function read() {
  try {
    const draft = JSON.parse(sessionStorage.getItem(NAME));
    return draft && Date.now() - draft.at < KEPT_MS ? draft : null;
  } catch {
    return null;
  }
}

function write(draft) {
  try {
    if (draft) sessionStorage.setItem(NAME, JSON.stringify(draft));
    else sessionStorage.removeItem(NAME);
  } catch {
    // Without storage, nothing is kept.
  }
}

const here = () => location.pathname + location.search;

const action = (form) => new URL(form.getAttribute("action") ?? location.href, location.href).pathname;

const saysWhatWas = (field) => field.name.startsWith("opened_with_");

/** The fields of a form that people fill in. */
const fields = (form) => [...form.elements].filter((field) => field.name && !field.hidden && (!UNKEPT.includes(field.type) || saysWhatWas(field)));

/**
 * What opens the page of a form that has no address, as it answers the form of a list: that form is sent again. It is the
 * action that was chosen there (`data-first-step`), and the tracks.
 */
function firstStep(form) {
  if (!form.dataset.firstStep) return null;
  const hidden = [...form.elements].filter(({ name }) => name === "track" || name === "list");
  return {
    address: `${document.body.dataset.base}/selection`,
    fields: [["action", form.dataset.firstStep], ...hidden.map(({ name, value }) => [name, value])],
  };
}

async function reopen({ address, fields }) {
  const { session } = await look();
  const form = document.createElement("form");
  [form.method, form.action, form.hidden] = ["post", address, true];
  for (const [name, value] of [["form_secret", session?.form_secret ?? ""], ...fields]) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  document.body.append(form);
  form.submit();
}

const state = (field) => (BOXES.includes(field.type) ? field.checked : field.value);

function draftOf(form) {
  const typed = fields(form).map((field) => ({ name: field.name, option: BOXES.includes(field.type) ? field.value : null, state: state(field) }));
  const hasFile = [...form.elements].some((field) => field.type === "file" && field.files.length);
  return { person, page: here(), action: action(form), step: firstStep(form), typed, hasFile, at: Date.now(), lost: null };
}

/** Fills a form in. Scripts that follow a field are told where it changes. */
function fill(form, typed) {
  let first = null;
  const left = fields(form);
  for (const { name, option, state: wanted } of typed) {
    const at = left.findIndex((own) => own.name === name && (option === null || own.value === option));
    if (at < 0) continue;
    // Several fields may have one name, such as those of a table: each is filled in once.
    const [field] = left.splice(at, 1);
    if (state(field) === wanted) continue;
    if (option === null) field.value = wanted;
    else field.checked = wanted;
    if (saysWhatWas(field)) continue;
    first ??= field;
    for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
  }
  return first;
}

function note(text) {
  const note = document.createElement("p");
  note.className = "notice warn";
  note.setAttribute("role", "status");
  note.textContent = text;
  return note;
}

/** The form is on this page again. */
function restore(form, draft) {
  const first = fill(form, draft.typed);
  if (!first && !draft.hasFile) return;
  const sentences = [t(draft.lost === "signed-out" ? "script-draft-signed-out" : "script-draft-refused")];
  if (first) sentences.push(t("script-draft-back"));
  if (draft.hasFile) sentences.push(t("script-draft-file"));
  form.before(note(sentences.join(" ")));
  (first ?? form.querySelector("[type=file]")).focus({ preventScroll: true });
  form.scrollIntoView({ block: "center" });
}

/** A page that is not for anybody in particular: the form has not arrived. */
function keep(draft) {
  const asksToSignIn = location.pathname === "/dashboard/sign-in";
  write({ ...draft, lost: asksToSignIn ? "signed-out" : "refused" });
  const heading = document.querySelector("main h1");
  if (!heading) return;
  const said = note(`${t("script-draft-kept")} `);
  said.classList.add("kept");
  if (asksToSignIn) said.append(t("script-draft-after-sign-in"));
  else {
    const back = document.createElement(draft.step ? "button" : "a");
    if (draft.step) {
      back.className = "small";
      back.addEventListener("click", () => reopen(draft.step));
    } else back.href = draft.page;
    back.textContent = t("script-draft-go-back");
    said.append(back);
  }
  heading.after(said);
}

function arrive() {
  const draft = read();
  if (!draft) return write(null);
  if (!person) return keep(draft);
  if (draft.person !== person || !draft.lost) return write(null);
  const isSame = (form) => form.getAttribute("method") === "post" && action(form) === draft.action
    && draft.typed.every(({ name }) => form.elements[name]);
  const form = [...document.forms].find(isSame);
  if (draft.step ? !form : draft.page !== here()) return;
  write(null);
  if (form) restore(form, draft);
}

// On the window, as what asks before a form is sent may stop it on the way there.
addEventListener("submit", ({ target: form, defaultPrevented }) => {
  if (defaultPrevented || form.getAttribute("method") !== "post" || !person) return;
  const draft = draftOf(form);
  write(draft.typed.length || draft.hasFile ? draft : null);
});

arrive();
