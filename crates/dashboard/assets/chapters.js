// Chapters beside a player begin to play when they are clicked.

for (const row of document.querySelectorAll("[data-seek]")) {
  const player = document.querySelector("tonearm-player");
  if (!player) break;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "chapter";
  button.append(...row.childNodes);
  row.append(button);
  button.addEventListener("click", () => {
    player.seek(Number(row.dataset.seek));
    // The player says why it does not play.
    player.play().catch(() => null);
  });
}
