// A colour's companions while it is chosen. The server works them out; one question at a time.

for (const input of document.querySelectorAll("input[type=color][data-companions]")) {
  const shown = input.parentElement.querySelector(".companions");
  let isAsking = false;
  let asked = input.value;
  const ask = async () => {
    if (isAsking || asked === input.value) return;
    isAsking = true;
    asked = input.value;
    const query = new URLSearchParams({ colour: asked });
    const answer = await fetch(`${input.dataset.companions}?${query}`).catch(() => null);
    if (answer?.ok) {
      const holder = document.createElement("template");
      holder.innerHTML = await answer.text();
      // What is read aloud when it changes has to stay the same element.
      shown.replaceChildren(...holder.content.firstElementChild.children);
    }
    isAsking = false;
    ask();
  };
  input.addEventListener("input", ask);
}
