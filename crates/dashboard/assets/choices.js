// A select with `data-shows` hides the groups of its form that are not for what is chosen.

for (const select of document.querySelectorAll("select[data-shows]")) {
  const groups = select.form.querySelectorAll("[data-for]");
  const show = () => {
    for (const group of groups) group.hidden = !group.dataset.for.split(" ").includes(select.value);
  };
  select.addEventListener("change", show);
  show();
}
