// The picture of a share page shows the current track.

const picture = document.querySelector(".piece > img");

document.addEventListener("tonearm-trackchange", ({ detail: { cover } }) => {
  // While nodes of two versions are running, the player may be one that does not tell.
  const url = cover?.large ?? cover?.regular;
  if (picture && url) picture.src = url;
});
