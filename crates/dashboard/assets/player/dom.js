// Making elements.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children. */
export function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** An SVG element with attributes and children. */
export function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const PATHS = {
  play: "M8 5.3v13.4a.8.8 0 0 0 1.2.7l10.7-6.7a.8.8 0 0 0 0-1.4L9.2 4.6A.8.8 0 0 0 8 5.3z",
  pause: "M7.5 5h2.6c.5 0 .9.4.9.9v12.2c0 .5-.4.9-.9.9H7.5a.9.9 0 0 1-.9-.9V5.9c0-.5.4-.9.9-.9zm6.4 0h2.6c.5 0 .9.4.9.9v12.2c0 .5-.4.9-.9.9h-2.6a.9.9 0 0 1-.9-.9V5.9c0-.5.4-.9.9-.9z",
  sound: "M4 9.5v5h3.2l4.3 3.6c.3.2.7 0 .7-.4V6.3c0-.4-.4-.6-.7-.4L7.2 9.5zm11.2-1.3a5 5 0 0 1 0 7.6l1 1.2a6.6 6.6 0 0 0 0-10z",
  muted: "M4 9.5v5h3.2l4.3 3.6c.3.2.7 0 .7-.4V6.3c0-.4-.4-.6-.7-.4L7.2 9.5zm10.6.3 1.1-1.1 2 2 2-2 1.1 1.1-2 2.2 2 2.2-1.1 1.1-2-2-2 2-1.1-1.1 2-2.2z",
  next: "M6 6.3v11.4c0 .4.5.7.9.4l8.1-5.6v5.3h2V6.2h-2v5.3L6.9 5.9c-.4-.3-.9 0-.9.4z",
  previous: "M18 6.3v11.4c0 .4-.5.7-.9.4L9 12.5v5.3H7V6.2h2v5.3l8.1-5.6c.4-.3.9 0 .9.4z",
};

/** A picture on a button; says nothing to screen readers, as the button has a label. */
export function icon(name) {
  const svg = drawn("svg", { viewBox: "0 0 24 24", "aria-hidden": "true", focusable: "false" });
  svg.append(drawn("path", { d: PATHS[name], fill: "currentColor" }));
  return svg;
}

/** Shows another picture on a button. */
export function showIcon(button, name) {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.replaceChildren(icon(name));
}
