// Where the columns of a table have no room, the cells of each row stand below one another (`data-stacked`), named by the headings
// of their columns. Nothing has to be scrolled sideways then. Without this script, the table is.

const narrow = matchMedia("(max-width: 48rem)");
const widths = new WeakMap();

function nameCells(box) {
  const headings = [...(box.querySelector("table")?.tHead?.rows[0]?.cells ?? [])];
  for (const row of box.querySelectorAll("tbody tr")) {
    let column = 0;
    for (const cell of row.cells) {
      const heading = headings[column];
      column += cell.colSpan;
      if (heading && cell.tagName === "TD" && cell.colSpan === 1) cell.dataset.label = heading.textContent.trim();
      cell.toggleAttribute("data-empty", !cell.textContent.trim() && !cell.querySelector("img, svg, input, progress"));
    }
  }
}

function fit(box) {
  box.removeAttribute("data-stacked");
  box.toggleAttribute("data-stacked", narrow.matches || box.scrollWidth > box.clientWidth);
}

// Stacking changes the height, which is of no interest, and which browsers report as an error of the page while they observe it.
const observer = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    if (widths.get(target) === contentRect.width) continue;
    widths.set(target, contentRect.width);
    requestAnimationFrame(() => fit(target));
  }
});

for (const box of document.querySelectorAll(".table-scroll")) {
  nameCells(box);
  fit(box);
  observer.observe(box);
}

narrow.addEventListener("change", () => document.querySelectorAll(".table-scroll").forEach(fit));

document.addEventListener("tonearm-part-changed", ({ detail: part }) => {
  const box = part.closest(".table-scroll");
  if (!box) return;
  nameCells(box);
  fit(box);
});
