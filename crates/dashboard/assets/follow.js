// The picture of a share page follows the track that is heard.

const picture = document.querySelector(".piece > img");

document.addEventListener("tonearm-trackchange", ({ detail: { cover } }) => {
  const url = cover.large ?? cover.regular;
  if (picture && url) picture.src = url;
});
