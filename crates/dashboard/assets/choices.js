// A select with `data-shows` hides the groups of its form that are not for what is chosen.

/** Lets the selects of a part of the page hide and show their groups. */
export function offerChoices(part = document) {
  for (const select of part.querySelectorAll("select[data-shows]")) {
    const groups = select.form.querySelectorAll("[data-for]");
    const show = () => {
      for (const group of groups) group.hidden = !group.dataset.for.split(" ").includes(select.value);
    };
    select.addEventListener("change", show);
    show();
  }
}

offerChoices();
