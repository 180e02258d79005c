// Of many titles, those are sent that were changed.

addEventListener("formdata", ({ target: form, formData }) => {
  if (form.dataset.firstStep !== "retitle") return;
  const named = (row, name) => row.querySelector(`[name=${name}]`).value;
  const isChanged = (row) => named(row, "title") !== (JSON.parse(named(row, "opened_with_title")) ?? "");
  const changed = [...form.querySelectorAll(".field")].filter(isChanged);
  if (changed.length === 0) return;
  for (const name of ["track", "opened_with_title", "title"]) {
    formData.delete(name);
    for (const row of changed) formData.append(name, named(row, name));
  }
});
