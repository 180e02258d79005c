// Results while somebody types. The form is an ordinary one: its address is asked for, and what it answers is put in place.

const WAIT_MS = 200;
/** Asked by whoever binds to what is in the list. */
const REPLACED = "tonearm-results";

/** The window whose address people see: a page may be in the frame of one that has the bar. */
const seen = parent !== window && parent.tonearmBar ? parent : window;
const isFramed = seen !== window;

let bound = null;

function bind() {
  if (bound) return;
  bound = document.querySelector("form.find[data-instant]");
  if (bound) begin(bound);
}

bind();
// The form of an empty collection comes with its first track.
document.addEventListener(REPLACED, bind);

function begin(form) {
  const field = form.querySelector("input[type=search]");
  const said = document.createElement("p");
  said.className = "hidden";
  said.setAttribute("role", "status");
  form.append(said);
  let timer = 0;
  let asked = null;
  let isNew = true;
  let shown = query();

  function query() {
    const pairs = [...new FormData(form)].filter(([name, value]) => value && !(name === "sort" && isDefault(value)));
    return String(new URLSearchParams(pairs));
  }

  function isDefault(value) {
    return form.querySelector("select")?.options[0]?.value === value;
  }

  async function ask(wanted, { isEntered }) {
    // Whatever is under way is not wanted any more.
    asked?.abort();
    if (wanted === shown) return form.removeAttribute("aria-busy");
    asked = new AbortController();
    const { signal } = asked;
    const address = `${location.pathname}${wanted ? `?${wanted}` : ""}`;
    form.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, { signal, headers: { accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      // Signed out, or in trouble: the page itself says so.
      if (!answer.ok || !page.querySelector("[data-results]")) return location.assign(address);
      shown = wanted;
      put(page);
      if (isEntered) enter(address);
    } catch (error) {
      // The form still works by itself.
      if (error.name !== "AbortError") form.removeAttribute("aria-busy");
    }
  }

  function put(page) {
    for (const name of ["[data-results]", "[data-total]"]) {
      const [old, fresh] = [document.querySelector(name), page.querySelector(name)];
      if (old && fresh) old.replaceWith(document.adoptNode(fresh));
    }
    form.removeAttribute("aria-busy");
    said.textContent = document.querySelector("[data-total]")?.textContent ?? "";
    document.dispatchEvent(new CustomEvent(REPLACED));
  }

  /** One entry of the history for all that is typed until the page is left. */
  function enter(address) {
    const state = isFramed ? { framed: true } : { search: true };
    if (isNew) seen.history.pushState(state, "", address);
    else seen.history.replaceState(state, "", address);
    if (isFramed) history.replaceState(null, "", address);
    isNew = false;
  }

  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => ask(query(), { isEntered: true }), WAIT_MS);
  };
  field.addEventListener("input", soon);
  form.addEventListener("change", (event) => event.target !== field && soon());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(timer);
    ask(query(), { isEntered: true });
  });
  addEventListener("popstate", () => {
    if (isFramed || history.state?.framed) return;
    const parameters = new URLSearchParams(location.search);
    for (const control of form.querySelectorAll("[name]")) {
      if (control.tagName === "SELECT") control.value = parameters.get(control.name) ?? control.options[0].value;
      else control.value = parameters.get(control.name) ?? "";
    }
    isNew = true;
    ask(location.search.slice(1), { isEntered: false });
  });
}
