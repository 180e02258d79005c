// Files in folders, dropped or chosen.

import assert from "node:assert/strict";
import { test } from "node:test";

import { alone, chosen, dropped, isListed } from "../folders.js";

const ACCEPT = "audio/*,video/*,.shn";
const isAudio = (file) => isListed(file, ACCEPT);
const file = (name, type = "") => ({ name, type, isFile: true, file: (done) => done({ name, type }) });

/** A folder whose reader gives one entry at a time. */
function folder(name, ...entries) {
  const createReader = () => {
    const left = [...entries];
    return { readEntries: (done) => done(left.splice(0, 1)) };
  };
  return { name, isDirectory: true, createReader };
}

const drop = (...entries) => {
  const items = entries.map((entry) => ({ webkitGetAsEntry: () => entry }));
  return dropped({ items, files: entries }, isAudio);
};

test("a folder is read in the order of its names", async () => {
  const album = folder("Album", file("10.wav", "audio/wav"), file("2.SHN"), file("cover.jpg", "image/jpeg"), file(".DS_Store"),
    folder("CD 2", file("1.mp4", "video/mp4")), folder(".Trash", file("gone.wav", "audio/wav")));
  const { files, leftOut } = await drop(album, file("notes.txt", "text/plain"), file("raw", ""));
  assert.deepEqual(files.map(({ name }) => name), ["2.SHN", "10.wav", "1.mp4", "raw"]);
  assert.deepEqual(leftOut, ["cover.jpg", "notes.txt"]);
});

test("a file that cannot be read is left out", async () => {
  const gone = { name: "gone.wav", isFile: true, file: (_, failed) => failed() };
  assert.deepEqual(await drop(folder("Album", gone)), { files: [], leftOut: ["gone.wav"] });
});

test("files without a folder are taken unless they are texts or pictures", async () => {
  const files = [file("song.strange"), file("notes.txt", "text/plain"), file("cover.jpg", "image/jpeg"), file("a.shn")];
  const taken = { files: [files[0], files[3]], leftOut: ["notes.txt", "cover.jpg"] };
  assert.deepEqual(await drop(...files), taken);
  assert.deepEqual(alone(files), taken);
  const items = [{}];
  assert.deepEqual(await dropped({ items, files }, isAudio), taken, "in a browser that knows no folders");
});

test("the files of a chosen folder are those that are audio", () => {
  const of = (path, type) => ({ name: path.split("/").at(-1), type, webkitRelativePath: path });
  const { files, leftOut } = chosen([of("A/10.wav", "audio/wav"), of("A/9.wav", "audio/wav"), of("A/.x/1.wav", "audio/wav"), of("A/a.txt", "")], isAudio);
  assert.deepEqual(files.map(({ name }) => name), ["9.wav", "10.wav"]);
  assert.deepEqual(leftOut, ["a.txt"]);
});
