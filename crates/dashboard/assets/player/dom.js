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

/** Their corners are those of their lines. */
const PATHS = {
  play: "M9 5.5v13L19 12z",
  pause: "M7.4 5.8h2.8v12.4H7.4zM13.8 5.8h2.8v12.4h-2.8z",
  sound: "M4.8 10.3v3.4h2.7l3.9 3.4V6.9l-3.9 3.4zM15 8.6a4.8 4.8 0 0 1 0 6.8a4.8 4.8 0 0 0 0-6.8",
  muted: "M4.8 10.3v3.4h2.7l3.9 3.4V6.9l-3.9 3.4zM15 10l4 4M19 10l-4 4",
  next: "M6.8 7v10l7.4-5zM16.2 7v10",
  previous: "M17.2 7v10l-7.4-5zM7.8 7v10",
};

/** A picture on a button; says nothing to screen readers, as the button has a label. */
export function icon(name) {
  const svg = drawn("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  const line = { stroke: "currentColor", "stroke-width": "1.6", "stroke-linejoin": "round", "stroke-linecap": "round" };
  svg.append(drawn("path", { d: PATHS[name], fill: "currentColor", ...line }));
  return svg;
}

/** Shows another picture on a button. */
export function showIcon(button, name) {
  if (button.dataset.icon === name) return;
  button.dataset.icon = name;
  button.replaceChildren(icon(name));
}
