// A part that scrolls, and shows that it does: it fades where there is more.

/** Pixels at both ends that may be faded. */
const FADE = 44;

export class Scroller {
  #node;

  constructor(node) {
    this.#node = node;
    node.addEventListener("scroll", () => this.#mark(), { passive: true });
    new ResizeObserver(() => this.#mark()).observe(node);
  }

  /** Brings a child into sight, without moving the page. */
  show(child) {
    const { offsetHeight: height } = this.#node;
    if (child && height > 0) {
      // Within the part, which is positioned.
      const { offsetTop: top } = child;
      const above = top - this.#node.scrollTop;
      if (above < FADE || above > height - child.offsetHeight - FADE) this.#node.scrollTop = top - (height - child.offsetHeight) / 2;
    }
    this.#mark();
  }

  #mark() {
    const { scrollTop, scrollHeight, clientHeight } = this.#node;
    this.#node.classList.toggle("more-above", scrollTop > 1);
    this.#node.classList.toggle("more-below", scrollTop + clientHeight < scrollHeight - 1);
  }
}
