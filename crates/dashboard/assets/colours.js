// A colour's companions while it is chosen, which the server works out, one question at a time; and the box that asks for a
// colour, which is ticked by choosing one.

for (const input of document.querySelectorAll("input[type=color][data-companions]")) {
  const shown = input.parentElement.querySelector(".companions");
  let isAsking = false;
  let asked = input.value;
  const ask = async () => {
    if (isAsking || asked === input.value) return;
    isAsking = true;
    asked = input.value;
    const query = new URLSearchParams({ colour: asked });
    const answered = fetch(`${input.dataset.companions}?${query}`).then((answer) => (answer.ok ? answer.text() : null));
    const text = await answered.catch(() => null);
    if (text !== null) {
      const holder = document.createElement("template");
      holder.innerHTML = text;
      // What is read aloud when it changes has to stay the same element.
      shown.replaceChildren(...holder.content.firstElementChild.children);
    }
    isAsking = false;
    ask();
  };
  const { own_color: box, opened_with_color: openedWith } = input.form.elements;
  input.addEventListener("input", () => {
    if (box) box.checked = true;
    ask();
  });
  // Without the tick, the colour is not chosen any more.
  box?.addEventListener("change", () => {
    if (!box.checked) input.value = openedWith.value;
    ask();
  });
}
