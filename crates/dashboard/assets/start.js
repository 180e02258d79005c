// Goes on to the next step when a track is ready and nothing else is being uploaded.

addEventListener("upload-ended", ({ detail: { isReady, isBusy } }) => {
  if (isReady && !isBusy) location.reload();
});
