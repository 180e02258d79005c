// Uploads a file with tus-js-client, as an argument says, and prints what came of it:
// { endpoint, path, metadata, options, stream, storage, pauseAt }.
import { createReadStream } from "node:fs";
import { PassThrough } from "node:stream";
import { FileUrlStorage, Upload } from "tus-js-client";

const { endpoint, path, metadata, options, stream, storage, pauseAt } = JSON.parse(process.argv[2]);
const came = { requests: [], track: null };

function end(more) {
  console.log(JSON.stringify({ ...came, ...more }));
  process.exit(0);
}

// A file that tus-js-client recognizes as one tells its size. What passes through something else does not.
const file = createReadStream(path);
const upload = new Upload(stream ? file.pipe(new PassThrough()) : file, {
  endpoint,
  metadata,
  ...options,
  ...(storage && { urlStorage: new FileUrlStorage(storage), storeFingerprintForResuming: true }),
  onBeforeRequest: (request) => {
    came.requests.push(request.getMethod());
  },
  onAfterResponse: (_, response) => {
    came.track = response.getHeader("Tonearm-Track-Id") ?? came.track;
  },
  onChunkComplete: (_, accepted) => {
    if (pauseAt && accepted >= pauseAt) upload.abort().then(() => end({ paused: accepted }));
  },
  onSuccess: () => end({ url: upload.url }),
  onError: (error) => end({ error: String(error) }),
});
if (storage) {
  const [previous] = await upload.findPreviousUploads();
  if (previous) upload.resumeFromPreviousUpload(previous);
}
upload.start();
