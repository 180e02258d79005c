// Cropping a cover before it is uploaded: dragged with a pointer, or moved with sliders. Where this does not work, the server
// crops the middle.

import { t } from "./texts.js";

/** Pixels of a side of what is uploaded, at most; and of the preview. */
const MOST_PIXELS = 2000;
const PREVIEW_PIXELS = 480;
const MOST_ZOOM = 4;

/** The crop of each form that has one. */
const crops = new WeakMap();

/** Offers to crop the picture that was just chosen in a form. */
export async function offerCropping(form) {
  const input = form.querySelector("input[type=file]");
  if (crops.has(form)) crops.get(form)?.node.remove();
  else cropBeforeSending(form, input);
  crops.set(form, null);
  const [file] = input.files;
  // What is no picture is refused by the server, which says why.
  const picture = file && (await createImageBitmap(file).catch(() => null));
  if (!picture || input.files[0] !== file) return;
  const crop = new Crop(picture, file);
  crops.set(form, crop);
  input.closest(".field").after(crop.node);
}

function cropBeforeSending(form, input) {
  form.addEventListener("submit", async (event) => {
    const crop = crops.get(form);
    if (!crop || event.defaultPrevented) return;
    event.preventDefault();
    const cropped = await crop.file();
    crop.node.remove();
    crops.set(form, null);
    if (cropped) {
      const files = new DataTransfer();
      files.items.add(cropped);
      input.files = files.files;
    }
    form.requestSubmit(event.submitter);
  });
}

class Crop {
  /** How much is left out, and where the rest is: from 0, at the left or top, to 1. */
  #zoom = 1;
  #x = 0.5;
  #y = 0.5;

  constructor(picture, file) {
    Object.assign(this, { picture, name: file.name });
    this.canvas = document.createElement("canvas");
    this.canvas.width = this.canvas.height = PREVIEW_PIXELS;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", t("script-crop-preview"));
    this.across = this.#slider(t("script-crop-across"), 0, 1, 0.5, (value) => (this.#x = value));
    this.down = this.#slider(t("script-crop-down"), 0, 1, 0.5, (value) => (this.#y = value));
    const zoom = this.#slider(t("script-crop-zoom"), 1, MOST_ZOOM, 1, (value) => (this.#zoom = value));
    this.node = document.createElement("div");
    this.node.className = "crop";
    const sliders = document.createElement("div");
    sliders.className = "stack";
    sliders.append(zoom.label, this.across.label, this.down.label);
    this.node.append(this.canvas, sliders);
    this.canvas.addEventListener("pointerdown", (event) => this.#drag(event));
    this.#draw();
  }

  #slider(text, min, max, value, change) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "range", min, max, step: (max - min) / 100, value });
    input.addEventListener("input", () => {
      change(Number(input.value));
      this.#draw();
    });
    label.append(text, input);
    return { label, input };
  }

  /** Pixels of the picture that are left out on both sides together. */
  get #room() {
    const { width, height } = this.picture;
    const side = Math.min(width, height) / this.#zoom;
    return { side, across: width - side, down: height - side };
  }

  #draw() {
    const { across, down } = this.#room;
    this.across.input.disabled = across < 1;
    this.down.input.disabled = down < 1;
    this.#paint(this.canvas);
  }

  #paint(canvas) {
    const { side, across, down } = this.#room;
    const to = canvas.getContext("2d");
    to.fillStyle = "#fff";
    to.fillRect(0, 0, canvas.width, canvas.height);
    to.imageSmoothingQuality = "high";
    to.drawImage(this.picture, across * this.#x, down * this.#y, side, side, 0, 0, canvas.width, canvas.height);
  }

  #drag(start) {
    start.preventDefault();
    this.canvas.setPointerCapture(start.pointerId);
    const [x, y] = [this.#x, this.#y];
    const { side, across, down } = this.#room;
    const scale = side / this.canvas.clientWidth;
    const within = (value) => Math.min(1, Math.max(0, value));
    const move = (event) => {
      if (across >= 1) this.#x = within(x - ((event.clientX - start.clientX) * scale) / across);
      if (down >= 1) this.#y = within(y - ((event.clientY - start.clientY) * scale) / down);
      this.across.input.value = this.#x;
      this.down.input.value = this.#y;
      this.#draw();
    };
    const end = () => {
      this.canvas.removeEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel"]) this.canvas.removeEventListener(name, end);
    };
    this.canvas.addEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, end);
  }

  /** The square as a file; null if the browser cannot write it. */
  async file() {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = Math.max(1, Math.min(MOST_PIXELS, Math.round(this.#room.side)));
    this.#paint(canvas);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.94));
    return blob && new File([blob], this.name.replace(/\.[^.]*$/, "") + ".jpg", { type: "image/jpeg" });
  }
}
