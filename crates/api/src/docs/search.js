// The search over all operations: hides those that lack a word, and Return opens the first of the others.

const form = document.querySelector("[role=search]");
const search = form.querySelector("input");
const said = form.querySelector("[role=status]");
const list = document.querySelector("nav details");
const items = [...document.querySelectorAll("[data-operation]")];

const wanted = () => search.value.toLowerCase().split(/\s+/).filter(Boolean);
const matches = ({ dataset: { operation } }) => wanted().every((word) => operation.includes(word));

form.hidden = false;
search.addEventListener("input", () => {
  for (const item of items) item.hidden = !matches(item);
  for (const resource of document.querySelectorAll("[data-resource]")) {
    resource.hidden = !resource.querySelector("[data-operation]:not([hidden])");
  }
  const found = items.filter((item) => !item.hidden && list.contains(item)).length;
  said.textContent = !wanted().length ? "" : found ? `Found: ${found}` : "No operation has these words.";
  list.open = Boolean(wanted().length);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  items.find(matches)?.querySelector("a").click();
});
