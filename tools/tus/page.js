// A page that uploads the file in its only input with Uppy. `upload` is called by the test; what comes of it is in `window`.
import Uppy from "@uppy/core";
import Tus from "@uppy/tus";

window.upload = (options, metadata, pauseAt) => {
  const uppy = new Uppy({ autoProceed: false });
  uppy.use(Tus, {
    ...options,
    allowedMetaFields: true,
    onAfterResponse: (_, response) => {
      window.track = response.getHeader("Tonearm-Track-Id") ?? window.track;
    },
    onBeforeRequest: (request) => {
      (window.requests ??= []).push(request.getMethod());
    },
  });
  const [data] = document.querySelector("input").files;
  uppy.addFile({ name: data.name, type: data.type, data, meta: metadata });
  uppy.on("upload-progress", (file, { bytesUploaded }) => {
    if (pauseAt && bytesUploaded >= pauseAt && !window.paused) {
      window.paused = true;
      uppy.pauseAll();
    }
  });
  uppy.on("upload-error", (_, error) => {
    window.failed = String(error);
  });
  uppy.upload().then(({ successful }) => {
    window.done = successful.length === 1;
  });
};
