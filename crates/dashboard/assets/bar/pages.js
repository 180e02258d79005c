// Pages that are opened during playback appear in a frame above the bar, so that playback continues. Each is
// complete in its frame, with its own scripts. The address of the window and its history follow the frame.
// See docs/decisions/2026-11-player-bar.md.

import { t } from "../texts.js";

const NAME = "tonearm-page";

function withoutHash(url) {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}

/** A page of ours that opens in this window. */
function isPage(url) {
  return url.origin === location.origin && /^\/dashboard(\/|$)/.test(url.pathname);
}

/** Whether a field is not as the page came. */
function isChanged(field) {
  if (field.type === "file") return field.files.length > 0;
  if (field.options) return [...field.options].some((option) => option.selected !== option.defaultSelected);
  return field.value !== field.defaultValue || field.checked !== field.defaultChecked;
}

/** Whether a form of a page was changed. */
function isFilledIn(page) {
  const fields = page?.querySelectorAll("form[method=post] :is(input:not([type=hidden]), textarea, select)") ?? [];
  return [...fields].some(isChanged);
}

export class Pages {
  #base;
  #isWanted;
  #onPage;
  #frame = null;
  /** The address of the page that the window itself shows. */
  #own = withoutHash(location.href);
  /** Whether the load of the frame is entered into the history. */
  #isNew = false;
  /** Whether the hidden frame is to be shown once it has loaded. */
  #isAwaited = false;
  /** Names this document of the window in the history. */
  #name = String(Math.random());
  #title = document.title;

  /**
   * @param {string} base the start of the addresses of the organization's pages: others are opened in the window
   * @param {() => boolean} isWanted whether playback must continue
   * @param {(page: Document) => void} onPage hears of each document that is shown
   */
  constructor(base, isWanted, onPage) {
    this.#base = base;
    this.#isWanted = isWanted;
    this.#onPage = onPage;
    this.#listen(window);
    addEventListener("popstate", () => this.#follow());
    onPage(document);
  }

  get document() {
    return this.#frame && !this.#frame.hidden ? this.#frame.contentDocument : document;
  }

  /** Opens a page: in the frame during playback, otherwise in the window. */
  visit(address) {
    const url = new URL(address, location.href);
    if (!this.#isWanted() || !isPage(url)) return location.assign(url);
    if (!this.#frame || this.#frame.hidden) this.#own = withoutHash(location.href);
    this.#isNew = true;
    this.#load(url.href);
  }

  #listen(view) {
    // On the window, after every handler of the page.
    view.addEventListener("click", (event) => this.#click(event));
    view.addEventListener("submit", (event) => this.#submit(event));
  }

  #click(event) {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest?.("a[href]");
    if (!link || link.target || link.hasAttribute("download") || !this.#isWanted()) return;
    const url = new URL(link.href);
    const isHere = url.hash && withoutHash(url) === withoutHash(link.ownerDocument.location.href);
    if (!isPage(url) || isHere) return;
    event.preventDefault();
    this.visit(url);
  }

  #submit(event) {
    const form = event.target;
    // As attributes: fields may have the names of the properties.
    const [action, method, target] = ["action", "method", "target"].map((name) => form.getAttribute(name) ?? "");
    if (event.defaultPrevented || target || method === "dialog" || !this.#isWanted()) return;
    if (method !== "post") {
      const url = new URL(action, form.ownerDocument.location.href);
      url.search = String(new URLSearchParams(new FormData(form, event.submitter)));
      if (!isPage(url)) return;
      event.preventDefault();
      return this.visit(url);
    }
    // The answer appears in the frame. A frame sends its own forms by itself.
    if (form.ownerDocument !== document || action.endsWith("/sign-out")) return;
    this.#own = withoutHash(location.href);
    this.#isNew = this.#isAwaited = true;
    form.setAttribute("target", this.#made().name);
    setTimeout(() => form.removeAttribute("target"));
  }

  #made() {
    if (this.#frame) return this.#frame;
    const frame = document.createElement("iframe");
    frame.name = NAME;
    frame.title = t("script-bar-page");
    frame.className = "page-frame";
    frame.hidden = true;
    frame.addEventListener("load", () => this.#arrived());
    this.#frame = frame;
    document.body.append(frame);
    return frame;
  }

  #load(url) {
    const frame = this.#made();
    this.#isAwaited = true;
    // Nothing is entered into the history by the frame itself.
    frame.contentWindow.location.replace(url);
  }

  /** The frame has loaded a page: the window shows it. */
  #arrived() {
    const frame = this.#frame;
    // Somebody went back before it was there.
    if (frame.hidden && !this.#isAwaited) return;
    let page = null;
    try {
      page = frame.contentDocument;
    } catch {
      // A page of another origin.
    }
    const address = page?.location.href;
    if (address === "about:blank") return;
    // Signed out, or another organization: what is playing belongs to neither. What went wrong is told without one.
    const base = page?.body?.dataset.base;
    if (base === undefined || (base && base !== this.#base)) return location.assign(address ?? location.href);
    const state = { framed: this.#name };
    if (this.#isNew) history.pushState(state, "", address);
    else if (withoutHash(address) !== withoutHash(location.href)) history.replaceState(state, "", address);
    this.#isNew = false;
    this.#show(true);
    document.title = page.title;
    this.#listen(frame.contentWindow);
    frame.contentWindow.focus();
    this.#onPage(page);
  }

  #show(isFramed) {
    this.#isAwaited = false;
    if (this.#frame) this.#frame.hidden = !isFramed;
    document.body.classList.toggle("framing", isFramed);
    for (const part of document.querySelectorAll("body > .shell, body > .skip")) part.inert = isFramed;
  }

  /** Back and forward. */
  #follow() {
    const { framed } = history.state ?? {};
    // Entries of an earlier document of the window: one of them is what the window shows by itself now.
    const isOwn = !framed || (framed !== this.#name && withoutHash(location.href) === this.#own);
    if (isOwn) {
      if (!this.#frame || this.#frame.hidden) return;
      this.#show(false);
      document.title = this.#title;
      // As where the browser itself shows a page again.
      dispatchEvent(new Event("pageshow"));
      return this.#onPage(document);
    }
    if (!this.#isWanted()) return location.reload();
    // What was downloaded before, and not shown, is not waited for any more.
    this.#isNew = false;
    this.#load(location.href);
  }

  /** Playback has ended: the window shows by itself what the frame shows, unless somebody is typing there. */
  leave() {
    if (this.#frame && !this.#frame.hidden && !isFilledIn(this.#frame.contentDocument)) location.reload();
  }
}
