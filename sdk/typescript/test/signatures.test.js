import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { test } from "node:test";

import { SignatureError, signUrl, verifyWebhook } from "../src/index.js";
import { client, collection, server, sound } from "./scene.js";

const SECRET = `whsec_${Buffer.from("a secret of a webhook").toString("base64")}`;
const NOW = 1_893_456_000_000;

function signed(body, { secret = SECRET, id = "msg_1", time = NOW / 1000 } = {}) {
  const key = Buffer.from(secret.slice(6), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(time), "webhook-signature": `v1,${mac}` };
}

test("events are verified", async () => {
  const body = '{"event": "webhook.test"}';
  const request = { secret: SECRET, headers: signed(body), body, now: NOW };
  assert.deepEqual(await verifyWebhook(request), { event: "webhook.test" });
  assert.ok(await verifyWebhook({ ...request, body: new TextEncoder().encode(body), headers: new Headers(signed(body)) }));
  assert.ok(await verifyWebhook({ ...request, now: NOW + 299_000 }));
  // While a secret is replaced, two sign.
  const other = "whsec_b3RoZXI=";
  const both = { ...signed(body), "webhook-signature": `v1,AAAA ${signed(body)["webhook-signature"]}` };
  assert.ok(await verifyWebhook({ ...request, headers: both, secret: [other, SECRET] }));
  for (const wrong of [
    { body: `${body} ` },
    { headers: { ...signed(body), "webhook-id": "msg_2" } },
    { headers: { ...signed(body), "webhook-timestamp": String(NOW / 1000 + 1) } },
    { headers: { ...signed(body), "webhook-timestamp": "soon" } },
    { headers: { ...signed(body), "webhook-signature": "v2,AAAA v1,!" } },
    { headers: {} },
    { secret: other },
    { now: NOW + 301_000 },
    { now: NOW - 301_000 },
  ]) {
    await assert.rejects(verifyWebhook({ ...request, ...wrong }), SignatureError, JSON.stringify(wrong));
  }
});

test("an event of the service is verified", async (context) => {
  const tonearm = client();
  const received = {};
  const arrived = new Promise((resolve) => { received.resolve = resolve; });
  const receiver = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      response.end();
      received.resolve({ headers: request.headers, body: Buffer.concat(chunks) });
    });
  });
  await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  context.after(() => receiver.close());
  const url = `http://127.0.0.1:${receiver.address().port}/hook`;
  const { webhook_id: id, secret } = await tonearm.createWebhook({ kind: "collection", url });
  context.after(() => tonearm.deleteWebhook(id));
  await tonearm.testWebhook(id);
  const { headers, body } = await arrived;
  assert.equal((await verifyWebhook({ secret, headers, body })).event, "webhook.test");
});

test("URLs are signed like those of the test vectors", async () => {
  const vectors = JSON.parse(await readFile(new URL("../../../crates/signing/tests/vectors.json", import.meta.url)));
  const delivered = vectors.urls.filter((one) => one.purpose !== "upload");
  assert.ok(delivered.length >= 7);
  for (const { signed_part: part, key, issued, url } of delivered) {
    const [path, query = ""] = part.split("?");
    const parameters = new URLSearchParams(query.replaceAll("+", "%2B"));
    const made = await signUrl({
      deliveryUrl: "https://audio.example.com/",
      path,
      secret: key,
      kid: parameters.get("kid") ?? undefined,
      ttl: parameters.has("ttl") ? Number(parameters.get("ttl")) : undefined,
      attachment: parameters.get("attachment") ?? undefined,
      isPublic: parameters.has("cache"),
      issued,
    });
    assert.equal(made, `https://audio.example.com${url}`);
  }
});

test("the service accepts URLs that are signed with a signing key", async () => {
  const tonearm = client();
  const created = await tonearm.upload(sound(1), { collection_id: collection, file_name: "signed.wav" });
  await tonearm.waitUntilReady(created.track_id);
  const key = await tonearm.createSigningKey({ title: "SDK" });
  const file = { deliveryUrl: server, path: `${created.track.base_path}_hq.mp3`, secret: key.secret, kid: key.signing_key_id };
  const url = await signUrl({ ...file, ttl: 60, attachment: "Größe (1).mp3" });
  const response = await fetch(url);
  assert.equal(response.status, 200);
  assert.match(response.headers.get("Content-Disposition"), /^attachment/);
  assert.equal((await fetch(await signUrl({ ...file, secret: "wrong" }))).status, 401);
});
