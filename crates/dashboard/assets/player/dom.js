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
  pause: "M7.500 5h2.600c.5 0 .9.4.9.9v12.200c0 .5-.4.9-.9.9H7.500a.9.9 0 0 1-.9-.9V5.900c0-.5.4-.9.9-.9zm6.400 0h2.600c.5 0 .9.4.9.9v12.200c0 .5-.4.9-.9.9h-2.600a.9.9 0 0 1-.9-.9V5.900c0-.5.4-.9.9-.9z",
  sound: "M4 9.500v5h3.200l4.300 3.600c.3.200.7 0 .7-.4V6.300c0-.4-.4-.6-.7-.4L7.200 9.500zm11.200-1.300a5 5 0 0 1 0 7.600l1 1.200a6.600 6.600 0 0 0 0-10z",
  muted: "M4 9.500v5h3.200l4.300 3.600c.3.200.7 0 .7-.4V6.300c0-.4-.4-.6-.7-.4L7.200 9.500zm10.600.3 1.100-1.100 2 2 2-2 1.100 1.100-2 2.200 2 2.200-1.100 1.100-2-2-2 2-1.100-1.100 2-2.200z",
  next: "M6 6.300v11.400c0 .4.5.7.9.4l8.100-5.600v5.300h2V6.200h-2v5.300L6.900 5.900c-.4-.3-.9 0-.9.4z",
  previous: "M18 6.300v11.400c0 .4-.5.7-.9.4L9 12.500v5.300H7V6.200h2v5.300l8.100-5.600c.4-.3.9 0 .9.4z",
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
