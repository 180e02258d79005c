// What the tests have in common: the service that tools/sdk/test started, sounds, and connections that break.

import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Tonearm } from "../src/index.js";

export const server = needed("TONEARM_SERVER");
export const apiKey = needed("TONEARM_API_KEY");
export const collection = needed("TONEARM_TEST_COLLECTION");
export const organization = needed("TONEARM_TEST_ORGANIZATION");

function needed(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: start the tests with tools/sdk/test`);
  return value;
}

export function client(options = {}) {
  return new Tonearm({ server, apiKey, ...options });
}

/** A sound file with noise that no other file has. */
export function sound(seconds = 1) {
  const samples = randomBytes(seconds * 16_000);
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(16_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

export function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The track has exactly these bytes as its source. */
export async function hasSource(trackId, bytes) {
  const { tracks } = await client().findTracks({ source_sha256: sha256(bytes) });
  return tracks.length === 1 && tracks[0].id === trackId;
}

/** Sends half of a body, and then what cannot be the rest: the answer of the service to an upload that broke off. */
export async function brokenOff(url, { method, headers, body }) {
  const { host, hostname, port, pathname, search } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding("latin1");
  const half = Buffer.from(body).subarray(0, body.length / 2);
  const lines = Object.entries({ ...headers, Host: host, "Transfer-Encoding": "chunked" }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n${half.length.toString(16)}\r\n`);
  socket.write(half);
  socket.write("\r\nno number\r\n");
  let answer = "";
  socket.on("data", (part) => { answer += part; });
  await once(socket, "close");
  const [head, text] = answer.split("\r\n\r\n");
  return new Response(text, { status: Number(head.split(" ")[1]), headers: { "Content-Type": "application/json" } });
}

/** A file in a folder of its own, which is removed after the test. */
export async function file(context, name, bytes) {
  const folder = await mkdtemp(join(tmpdir(), "tonearm-"));
  context.after(() => rm(folder, { recursive: true }));
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
}

/**
 * A `fetch` whose connections break: `breaks` is asked for each request whether it is lost on its way (`"request"`), or its answer
 * is (`"answer"`).
 */
export function breaking(breaks) {
  const seen = { requests: 0, broken: 0 };
  const lost = () => {
    seen.broken += 1;
    throw new TypeError("the connection broke");
  };
  const fetch = async (url, init) => {
    seen.requests += 1;
    const how = breaks(init.method, url, seen.requests);
    if (how === "request") lost();
    const response = await globalThis.fetch(url, init);
    if (how === "answer") {
      await response.arrayBuffer();
      lost();
    }
    return response;
  };
  return { fetch, seen };
}
