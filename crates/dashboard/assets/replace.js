// Replacing the file of a track with progress: the new file is sent as any other upload, then followed until it has taken the
// place of the old one.

import { pause } from "./in-sight.js";
import { request } from "./signing-in.js";
import { t } from "./texts.js";
import { begin, checkReadable, Pauses, Stopped, Transfer } from "./transfer.js";

const LOOK_MS = 1500;

class Replacing {
  #transfer = null;
  #pauses = new Pauses();
  #isSending = false;
  #isStopped = false;

  constructor(box) {
    this.address = box.dataset.replacement;
    this.form = box.querySelector("form[enctype]");
    this.line = box.querySelector("[data-transfer]");
    this.bar = this.line.querySelector("progress");
    this.said = this.line.querySelector("[role=status]");
    this.button = this.line.querySelector("button");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send(this.form.querySelector("input[type=file]").files[0]);
    });
    this.button.addEventListener("click", () => this.#cancel());
    addEventListener("beforeunload", (event) => {
      if (this.#isSending) event.preventDefault();
    });
    if (box.querySelector("[data-state=processing]")) this.#follow();
  }

  #say(text, tone = "busy") {
    this.said.textContent = text;
    this.said.className = `badge ${tone}`;
  }

  #show(isBusy) {
    this.line.hidden = false;
    this.bar.hidden = this.button.hidden = !isBusy;
    for (const control of this.form.querySelectorAll("input[type=file], [type=submit]")) control.disabled = isBusy;
  }

  async #send(file) {
    if (!file) return;
    this.#show(true);
    this.#say(t("script-uploading"));
    [this.#isSending, this.#isStopped] = [true, false];
    const waits = (sentence) => this.#say(sentence, "warn");
    try {
      await checkReadable(file);
      const waiting = { pauses: this.#pauses, waits, isStopped: () => this.#isStopped };
      const { upload_url: url } = await begin(this.address, { file_name: file.name }, waiting);
      const moved = (bytes) => {
        this.bar.value = file.size ? bytes / file.size : 0;
        this.#say(t("script-uploading-percent", { percent: Math.floor(this.bar.value * 100) }));
      };
      this.#transfer = new Transfer(file, url, { moved, waits, isNew: true });
      if (this.#isStopped) throw new Stopped();
      await this.#transfer.send();
      this.#follow();
    } catch (error) {
      if (error instanceof Stopped) this.#say(t("script-upload-cancelled"), "");
      else this.#say(error.message, "bad");
      if (this.#transfer) await this.#discard();
      this.#show(false);
    } finally {
      [this.#transfer, this.#isSending] = [null, false];
    }
  }

  /** The track keeps the file that it has. */
  async #cancel() {
    if (this.#isSending) {
      this.#isStopped = true;
      this.#pauses.wake();
      this.#transfer?.stop();
      return;
    }
    this.button.disabled = true;
    await this.#discard();
    // It was being processed, or the file is there already: the page tells what is so now.
    location.reload();
  }

  async #discard() {
    await this.#transfer?.discard();
    await request(`${this.address}/cancel`, { method: "POST", redirect: "manual" }).catch(() => null);
  }

  #follow() {
    this.#show(true);
    this.bar.removeAttribute("value");
    this.#say(t("script-processing"));
    this.#look();
  }

  async #look() {
    const answer = await request(`${this.address}.json`, { redirect: "manual" }).catch(() => null);
    const { state } = answer?.ok ? await answer.json() : { state: "processing" };
    // What was cancelled elsewhere is no more.
    if (answer?.status === 404 || state === "completed" || state === "failed") return location.reload();
    await pause(LOOK_MS);
    this.#look();
  }
}

for (const box of document.querySelectorAll("[data-replacement]")) new Replacing(box);
