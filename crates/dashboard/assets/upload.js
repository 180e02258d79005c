// Uploads of many files at once: dropped or chosen, a few at a time, each with progress, pause and retry; then each
// is followed until it is ready.

import { follow } from "./live.js";

const AT_ONCE = 3;
const LOOK_MS = 1500;

function begin(zone) {
  zone.querySelector("[data-with-script]").hidden = false;
  zone.querySelector("[type=submit]").hidden = true;
  const queue = new Queue(zone.dataset.uploads, zone.dataset.tracks, document.querySelector("[data-upload-list]"));
  const input = zone.querySelector("input[type=file]");
  input.addEventListener("change", () => {
    queue.add(input.files);
    input.value = "";
  });
  for (const name of ["dragenter", "dragover"]) {
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) zone.addEventListener(name, () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    event.preventDefault();
    queue.add(event.dataTransfer.files);
  });
  addEventListener("beforeunload", (event) => {
    if (queue.isBusy) event.preventDefault();
  });
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
    upload.say("Waiting");
    this.#next();
  }

  /**
   * Makes a track for a file. All files of a page are of one upload session, which the first of them opens. They follow one
   * another, so that tracks come in the order of the files.
   */
  create(fileName) {
    const before = this.#session;
    const begun = before.then((session) => this.#ask(fileName, session));
    this.#session = begun.then((answer) => answer.upload_session_id, () => before);
    return begun;
  }

  async #ask(fileName, session) {
    const answer = await fetch(this.address, {
      method: "POST",
      headers: { "x-form-secret": document.body.dataset.formSecret },
      body: new URLSearchParams({ file_name: fileName, session }),
    });
    const said = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(said.message ?? "The upload could not start. Reload the page and try again.");
    return said;
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
  #request = null;
  #created = null;
  #track = null;
  #isRunning = false;
  #isPaused = false;

  constructor(file, queue) {
    Object.assign(this, { file, queue });
    this.node = document.createElement("li");
    this.name = part("span", "name", file.name);
    this.bar = document.createElement("progress");
    this.bar.max = 1;
    this.bar.value = 0;
    this.bar.setAttribute("aria-label", `Upload of ${file.name}`);
    this.state = part("span", "badge", "");
    this.state.setAttribute("role", "status");
    this.button = part("button", "small", "Pause");
    this.button.type = "button";
    this.button.addEventListener("click", () => this.#press());
    this.node.append(this.name, this.bar, this.state, this.button);
  }

  say(text, tone = "", action = "Pause") {
    this.state.textContent = text;
    this.state.className = `badge ${tone}`;
    this.button.textContent = action ?? "";
    this.button.hidden = !action;
    this.button.setAttribute("aria-label", `${action} ${this.file.name}`);
  }

  #press() {
    if (this.#request) return this.#request.abort();
    this.#isPaused = this.button.textContent === "Pause";
    if (this.#isPaused) {
      this.queue.forget(this);
      return this.say("Paused", "", "Resume");
    }
    // Paused while its track was being made: it still runs, and goes on by itself.
    if (this.#isRunning) return this.say("Waiting");
    this.queue.enqueue(this);
  }

  /** Sends the file; whatever goes wrong is said, with a button that tries again. */
  async run() {
    this.#isRunning = true;
    try {
      const url = await this.#create();
      if (this.#isPaused) throw paused();
      this.say("Uploading", "busy");
      await this.#send(url);
      this.say("Processing", "busy", null);
      this.#follow();
    } catch (error) {
      if (error.name === "AbortError") this.say("Paused", "", "Resume");
      else this.say(error.message, "bad", "Try again");
    } finally {
      this.#isRunning = false;
    }
  }

  /** Gives the address to upload to. A file has one track: another is asked for only if there came none. */
  async #create() {
    this.#created ??= this.queue.create(this.file.name);
    try {
      const { track_id: track, upload_url: url } = await this.#created;
      this.#track = track;
      return url;
    } catch (error) {
      this.#created = null;
      throw error;
    }
  }

  #send(url) {
    return new Promise((done, fail) => {
      const request = new XMLHttpRequest();
      this.#request = request;
      request.open("PUT", url);
      request.upload.onprogress = ({ loaded, total }) => (this.bar.value = total ? loaded / total : 0);
      request.onloadend = () => (this.#request = null);
      request.onload = () => (request.status === 200 ? done() : fail(new Error(reason(request))));
      request.onerror = () => fail(new Error("Connection lost."));
      request.onabort = () => fail(paused());
      request.send(this.file);
    });
  }

  /** Shows how far processing is, then what came of it. */
  #follow() {
    this.bar.removeAttribute("value");
    const told = ({ status, percent }) => {
      this.bar.value = percent / 100;
      this.say(`${status} ${percent} %`, "busy", null);
    };
    follow(this.#track, told, () => this.#end());
  }

  async #end() {
    const answer = await fetch(`${this.queue.tracks}/${this.#track}/state.json`).catch(() => null);
    const { status, tone, is_open: isOpen, reason } = answer?.ok ? await answer.json() : { status: "Processing", isOpen: true };
    this.say(status, tone, null);
    if (isOpen || !answer?.ok) return setTimeout(() => this.#follow(), LOOK_MS);
    this.bar.value = 1;
    const link = part("a", "name", this.file.name);
    link.href = `${this.queue.tracks}/${this.#track}`;
    this.name.replaceWith(link);
    if (reason) this.state.title = reason;
  }
}

function paused() {
  return new DOMException("paused", "AbortError");
}

function reason(request) {
  try {
    return JSON.parse(request.responseText).message;
  } catch {
    return "The upload was rejected.";
  }
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
