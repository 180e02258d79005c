// Sends requests of the Postman collection with Newman, which is what Postman itself runs collections with: all that read something
// with what the environment names, and those that create something from their examples.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [folder, path] = process.argv.slice(2);
const newman = createRequire(`${folder}/`)("newman");
const { TONEARM_SERVER, TONEARM_API_KEY, TONEARM_TEST_COLLECTION, TONEARM_TEST_ORGANIZATION } = process.env;
const known = { collection_id: TONEARM_TEST_COLLECTION, organization_id: TONEARM_TEST_ORGANIZATION };
const creates = ["/v1/collection", "/v1/creator", "/v1/signing_key", "/v1/variant"];

const collection = JSON.parse(readFileSync(path));
for (const group of collection.item) {
  group.item = group.item.filter(({ request: { method, url } }) => {
    for (const variable of url.variable ?? []) variable.value = known[variable.key];
    const isKnown = (url.variable ?? []).every(({ value }) => value);
    return isKnown && url.path[0] === "v1" && (method === "GET" || (method === "POST" && creates.includes(`/${url.path.join("/")}`)));
  });
}
collection.item = collection.item.filter(({ item }) => item.length > 0);

const environment = [
  { key: "baseUrl", value: TONEARM_SERVER },
  { key: "apiKey", value: TONEARM_API_KEY },
];
newman.run({ collection, envVar: environment, timeoutRequest: 60_000, reporters: [] }, (error, summary) => {
  if (error) throw error;
  const answers = summary.run.executions.map(({ item, response }) => ({ name: item.name, status: response?.code, text: response?.text() }));
  const failed = answers.filter(({ status }) => !(status >= 200 && status < 300));
  for (const { name, status, text } of failed) console.error(`${name}: ${status} ${text}`);
  if (answers.length < 15) console.error(`only ${answers.length} requests were sent`);
  process.exitCode = failed.length > 0 || answers.length < 15 ? 1 : 0;
});
