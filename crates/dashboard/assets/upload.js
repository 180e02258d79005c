// Uploads of many files, dropped anywhere on the page or chosen, a few at a time. Each shows its progress, can be paused and
// cancelled, continues by itself when the network is back, and is followed until it is ready.

import { alone, chosen, dropped, isListed } from "./folders.js";
import { follow, progressText } from "./live.js";
import { updateRows } from "./rows.js";
import { request } from "./signing-in.js";
import { locale, t } from "./texts.js";
import { begin as beginTransfer, checkReadable, Pauses, Stopped, Transfer, Unreadable } from "./transfer.js";
import { forget, recall, remember, unfinished } from "./unfinished.js";

const AT_ONCE = 3;
const LOOK_MS = 1500;

/** What the button of an upload does: its text, and its name with that of the file. */
const PAUSE = ["script-upload-pause", "script-upload-pause-name"];
const RESUME = ["script-upload-resume", "script-upload-resume-name"];
const TRY_AGAIN = ["script-try-again", "script-upload-try-again-name"];
const CANCEL = ["script-cancel", "script-upload-cancel-name"];

function begin(zone) {
  for (const node of zone.querySelectorAll("[data-with-script]")) node.hidden = false;
  zone.querySelector("[type=submit]").hidden = true;
  const queue = new Queue(zone.dataset.uploads, zone.dataset.tracks, document.querySelector("[data-upload-list]"));
  const input = zone.querySelector("input[type=file]");
  const isAudio = (file) => isListed(file, input.accept);
  const take = ({ files, leftOut }) => {
    queue.add(files);
    const names = leftOut.slice(0, 3).join(", ") + (leftOut[3] ? ", …" : "");
    note(zone, names && t("script-upload-left-out", { count: leftOut.length, names }));
  };
  input.addEventListener("change", () => {
    take(alone(input.files));
    input.value = "";
  });
  const folder = zone.querySelector("[webkitdirectory]");
  zone.querySelector("[data-folder]")?.addEventListener("click", () => folder.click());
  folder?.addEventListener("change", () => {
    take(chosen(folder.files, isAudio));
    folder.value = "";
  });
  takeDrops(zone, (transfer) => dropped(transfer, isAudio).then(take));
  const names = unfinished(zone.dataset.uploads);
  note(zone, names.length && t("script-upload-interrupted", { count: names.length, name: names[0] }));
  addEventListener("beforeunload", (event) => {
    if (queue.isBusy) event.preventDefault();
  });
}

function takeDrops(zone, take) {
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  let depth = 0;
  const show = (change) => {
    depth = Math.max(0, depth + change);
    zone.classList.toggle("over", depth > 0);
  };
  addEventListener("dragenter", (event) => hasFiles(event) && show(1));
  addEventListener("dragleave", (event) => hasFiles(event) && show(-1));
  addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    depth = 0;
    show(0);
    take(event.dataTransfer);
  });
}

function note(zone, text) {
  if (!text) return;
  const note = part("p", "note notice", text);
  note.setAttribute("role", "status");
  zone.after(note);
}

class Queue {
  #waiting = [];
  #running = new Set();
  #session = Promise.resolve("");

  constructor(address, tracks, list) {
    Object.assign(this, { address, tracks, list });
  }

  get isBusy() {
    return this.#running.size + this.#waiting.length > 0;
  }

  add(files) {
    for (const file of files) {
      const upload = new Upload(file, this);
      this.list.append(upload.node);
      this.enqueue(upload);
    }
  }

  enqueue(upload) {
    this.#waiting.push(upload);
    upload.say(t("script-upload-waiting"));
    this.#next();
  }

  /**
   * Makes a track for a file. All files of a page are of one upload session, which the first of them opens. They follow one
   * another, so that tracks come in the order of the files.
   */
  create(fileName, waiting) {
    const before = this.#session;
    // An answer may be lost: with the same key, there is one track all the same.
    const key = crypto.getRandomValues(new Uint32Array(4)).join("-");
    const begun = before.then((session) => beginTransfer(this.address, { file_name: fileName, session, key }, waiting));
    this.#session = begun.then((answer) => answer.upload_session_id, () => before);
    begun.then(updateRows, () => null);
    return begun;
  }

  forget(upload) {
    this.#waiting = this.#waiting.filter((other) => other !== upload);
  }

  async #next() {
    if (this.#running.size >= AT_ONCE || this.#waiting.length === 0) return;
    const upload = this.#waiting.shift();
    this.#running.add(upload);
    await upload.run();
    this.#running.delete(upload);
    this.#next();
  }
}

class Upload {
  #transfer = null;
  #created = null;
  #track = null;
  /** Whether nothing was sent to its address. */
  #isNew = false;
  #isRunning = false;
  #isStopped = false;
  #pauses = new Pauses();
  #action = PAUSE;
  #pace = new Pace();

  constructor(file, queue) {
    Object.assign(this, { file, queue, size: file.size });
    this.node = document.createElement("li");
    this.name = part("span", "name", file.name);
    this.bar = document.createElement("progress");
    this.bar.max = 1;
    this.bar.value = 0;
    this.bar.setAttribute("aria-label", t("script-upload-of", { name: file.name }));
    this.state = part("span", "badge", "");
    this.state.setAttribute("role", "status");
    this.speed = part("span", "speed", "");
    this.button = this.#button(PAUSE, () => this.#press());
    this.remove = this.#button(CANCEL, () => this.#cancel());
    this.node.append(this.name, this.bar, this.state, this.speed, this.button, this.remove);
  }

  #button(action, press) {
    const button = part("button", "small", "");
    button.type = "button";
    this.#name(button, action);
    button.addEventListener("click", press);
    return button;
  }

  #name(button, [text, name]) {
    button.textContent = t(text);
    button.setAttribute("aria-label", t(name, { name: this.file.name }));
  }

  say(text, tone = "", action = PAUSE, isRemovable = Boolean(action)) {
    if (this.state.textContent !== text) this.state.textContent = text;
    this.state.className = `badge ${tone}`;
    this.#action = action;
    if (action) this.#name(this.button, action);
    this.button.hidden = !action;
    this.remove.hidden = !isRemovable;
    this.speed.textContent = "";
  }

  #press() {
    if (this.#action === PAUSE) {
      this.#stop();
      return this.say(t("script-upload-paused"), "", RESUME);
    }
    this.#isStopped = false;
    // Paused while its track was being made: it still runs, and goes on by itself.
    if (this.#isRunning) return this.say(t("script-upload-waiting"));
    this.queue.enqueue(this);
  }

  #stop() {
    this.#isStopped = true;
    this.queue.forget(this);
    this.#transfer?.stop();
    this.#pauses.wake();
  }

  /** Ends the upload and removes what it has made. */
  async #cancel() {
    this.#stop();
    this.node.remove();
    await this.#discard();
  }

  async #discard() {
    this.#forget();
    await this.#transfer?.discard();
    await this.#created?.catch(() => null);
    if (!this.#track) return;
    // It may have been made meanwhile.
    this.#forget();
    await post(`${this.queue.tracks}/${this.#track}/delete`, {}).catch(() => null);
    this.#track = null;
    updateRows();
  }

  /** Sends the file; what cannot be helped is said, with a button that tries again. */
  async run() {
    this.#isRunning = true;
    try {
      await checkReadable(this.file, this.size);
      const url = await this.#create();
      if (this.#isStopped) throw new Stopped();
      await this.#send(url);
      this.#forget();
      this.say(t("script-processing"), "busy", null);
      updateRows();
      this.#follow();
    } catch (error) {
      if (error instanceof Stopped) this.say(t("script-upload-paused"), "", RESUME);
      else if (error instanceof Unreadable) {
        this.say(error.message, "bad", null, true);
        this.#discard();
      } else this.say(error.message, "bad", TRY_AGAIN);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Gives the address to upload to. A file has one track: another is asked for only if there came none. */
  async #create() {
    this.#created ??= this.#recalled() ?? this.#new();
    try {
      const { track_id: track, upload_url: url } = await this.#created;
      this.#track = track;
      remember(this.queue.address, this.file, { track, url });
      return url;
    } catch (error) {
      this.#created = null;
      throw error;
    }
  }

  #new() {
    this.#isNew = true;
    const waits = (sentence) => this.say(sentence, "warn");
    return this.queue.create(this.file.name, { pauses: this.#pauses, waits, isStopped: () => this.#isStopped });
  }

  #recalled() {
    const known = recall(this.queue.address, this.file);
    return known && Promise.resolve({ track_id: known.track, upload_url: known.url });
  }

  async #send(url) {
    const moved = (bytes) => {
      this.bar.value = this.file.size ? bytes / this.file.size : 0;
      this.say(t("script-uploading"), "busy");
      this.speed.textContent = this.#pace.told(bytes, this.file.size);
    };
    const waits = (sentence) => {
      this.#pace = new Pace();
      this.say(sentence, "warn");
    };
    this.#transfer = new Transfer(this.file, url, { moved, waits, isNew: this.#isNew });
    this.#isNew = false;
    this.say(t("script-uploading"), "busy");
    try {
      await this.#transfer.send();
    } catch (error) {
      if (error instanceof Stopped) throw error;
      // What is remembered is of no use: the next try makes another track.
      this.#forget();
      this.#created = null;
      throw error;
    }
  }

  #forget() {
    forget(this.queue.address, this.file, this.#track);
  }

  /** Shows how far processing is, then what came of it. */
  #follow() {
    this.bar.removeAttribute("value");
    const told = (progress) => {
      if (progress.is_queued) this.bar.removeAttribute("value");
      else this.bar.value = progress.percent / 100;
      this.say(progressText(progress), "busy", null);
    };
    follow(this.#track, told, () => this.#end());
  }

  async #end() {
    const answer = await request(`${this.queue.tracks}/${this.#track}/state.json`).catch(() => null);
    const { status, tone, is_open: isOpen, reason } = answer?.ok ? await answer.json() : { status: t("script-processing") };
    this.say(status, tone, null);
    if (isOpen || !answer?.ok) return setTimeout(() => this.#follow(), LOOK_MS);
    this.bar.value = 1;
    const detail = { isReady: tone !== "bad", isBusy: this.queue.isBusy };
    this.node.dispatchEvent(new CustomEvent("upload-ended", { bubbles: true, detail }));
    const link = part("a", "name", this.file.name);
    link.href = `${this.queue.tracks}/${this.#track}`;
    this.name.replaceWith(link);
    if (reason) this.node.append(part("span", "reason", reason));
    updateRows();
  }
}

/** How fast bytes have moved lately, and how long the rest takes. */
class Pace {
  #at = performance.now();
  #bytes = null;
  #speed = 0;

  told(bytes, size) {
    const now = performance.now();
    const seconds = (now - this.#at) / 1000;
    if (this.#bytes === null || seconds >= 0.5) {
      const speed = this.#bytes === null ? 0 : (bytes - this.#bytes) / seconds;
      this.#speed = this.#speed ? this.#speed * 0.7 + speed * 0.3 : speed;
      this.#at = now;
      this.#bytes = bytes;
    }
    if (this.#speed <= 0) return "";
    return t("script-upload-speed", { speed: megabytes(this.#speed), left: left((size - bytes) / this.#speed) });
  }
}

function megabytes(bytes) {
  const digits = bytes < 1e7 ? 1 : 0;
  return (bytes / 1e6).toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function left(seconds) {
  if (seconds < 1) return t("script-left-moment");
  if (seconds < 60) return t("script-left-seconds", { seconds: Math.ceil(seconds) });
  if (seconds < 3600) return t("script-left-minutes", { minutes: Math.ceil(seconds / 60) });
  return t("script-left-hours", { hours: Math.floor(seconds / 3600), minutes: Math.ceil((seconds % 3600) / 60) });
}

/** Sends a form. Where it leads to afterwards is of no interest. */
function post(address, fields) {
  return request(address, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
}

function part(name, className, text) {
  const node = document.createElement(name);
  node.className = className;
  node.textContent = text;
  return node;
}

// Last, as classes are not there before they are read.
const zone = document.querySelector("[data-uploads]");
if (zone) begin(zone);
