// As much of a page as modules need that make elements. Every change of an element is counted.

class Element {
  dataset = {};
  parentNode = null;
  textContent = "";
  changes = 0;
  clientWidth = 0;
  clientHeight = 0;
  style = { setProperty() {} };
  #attributes = new Map();
  #children = [];
  #classes = new Set();

  classList = {
    contains: (name) => this.#classes.has(name),
    toggle: (name, isOn = !this.#classes.has(name)) => {
      if (isOn !== this.#classes.has(name)) this.changes += 1;
      this.#classes[isOn ? "add" : "delete"](name);
      return isOn;
    },
  };

  get children() {
    return this.#children.filter((child) => child instanceof Element);
  }

  get firstChild() {
    return this.#children[0] ?? null;
  }

  get title() {
    return this.getAttribute("title") ?? "";
  }

  set title(text) {
    this.setAttribute("title", text);
  }

  getAttribute(name) {
    return this.#attributes.get(name) ?? null;
  }

  setAttribute(name, value) {
    this.changes += 1;
    this.#attributes.set(name, value);
    if (name === "hidden") this.hidden = true;
  }

  removeAttribute(name) {
    if (this.#attributes.delete(name)) this.changes += 1;
  }

  append(...nodes) {
    for (const node of nodes) if (node instanceof Element) node.parentNode = this;
    this.#children.push(...nodes);
  }

  replaceChildren(...nodes) {
    this.#children = [];
    this.append(...nodes);
  }

  replaceWith(node) {
    node.parentNode = this.parentNode;
    this.parentNode.#children = this.parentNode.#children.map((child) => (child === this ? node : child));
  }

  remove() {
    this.parentNode.#children = this.parentNode.#children.filter((child) => child !== this);
  }

  matches() {
    return false;
  }

  querySelector() {
    return null;
  }

  querySelectorAll() {
    return this.children.flatMap((child) => child.children);
  }

  addEventListener() {}
}

globalThis.document = { createElement: () => new Element(), createElementNS: () => new Element() };
globalThis.ResizeObserver = class {
  observe() {}
};
