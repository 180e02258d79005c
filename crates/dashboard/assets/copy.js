// Buttons that copy a text, their own or that of a field they name. They are shown only where that is possible.

for (const button of document.querySelectorAll("[data-copy], [data-copy-field]")) {
  const field = document.getElementById(button.dataset.copyField);
  if (!navigator.clipboard && !field) continue;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    field?.select();
    try {
      await navigator.clipboard.writeText(field ? field.value : button.dataset.copy);
      button.textContent = "Copied";
    } catch {
      button.textContent = field ? "Press Ctrl+C" : "Copy failed";
    }
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}
