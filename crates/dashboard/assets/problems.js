// A form with mistakes: they are listed at the top of the page, and the first of its fields has the focus.

import { t } from "./texts.js";

const problems = [...document.querySelectorAll("main .problem[id$='-problem']")];

function fieldOf(problem) {
  return document.querySelector(`[aria-describedby~="${CSS.escape(problem.id)}"]`);
}

/** What the field is called, without hints. */
function nameOf(field) {
  const label = field.labels?.[0]?.cloneNode(true);
  label?.querySelector(".hint")?.remove();
  return label?.textContent.trim() || field.getAttribute("aria-label") || "";
}

function entry(problem) {
  const entry = document.createElement("li");
  const field = fieldOf(problem);
  const text = problem.textContent.trim();
  if (!field) {
    entry.textContent = text;
    return entry;
  }
  const link = document.createElement("a");
  link.href = `#${field.id}`;
  link.textContent = t("script-form-problem", { field: nameOf(field), problem: text });
  link.addEventListener("click", (event) => {
    event.preventDefault();
    focus(field);
  });
  entry.append(link);
  return entry;
}

function focus(element) {
  element.focus({ preventScroll: true });
  (element.closest(".field") ?? element).scrollIntoView({ block: "center" });
}

function list() {
  const summary = document.createElement("div");
  summary.className = "notice bad summary";
  summary.setAttribute("role", "alert");
  const heading = document.createElement("p");
  heading.className = "strong";
  // Nothing is saved by a form that asks for a page.
  const asks = problems.some((problem) => fieldOf(problem)?.form?.method === "get");
  heading.textContent = t(asks ? "script-form-unanswered" : "script-form-problems");
  const entries = document.createElement("ul");
  entries.append(...problems.map(entry));
  summary.append(heading, entries);
  document.querySelector("main").prepend(summary);
}

/** A page that answers a form has the address of the form's action, which cannot always be opened; the page before it can. */
function takeAddressOfPage() {
  const answered = [409, 422].includes(performance.getEntriesByType("navigation")[0]?.responseStatus);
  const before = document.referrer && new URL(document.referrer);
  if (answered && before && before.origin === location.origin && before.pathname.startsWith("/dashboard/")) {
    history.replaceState(null, "", before.pathname + before.search);
  }
}

if (problems.length) {
  takeAddressOfPage();
  list();
  const first = problems.find(fieldOf);
  if (first) focus(fieldOf(first));
  else problems[0].scrollIntoView({ block: "center" });
}
