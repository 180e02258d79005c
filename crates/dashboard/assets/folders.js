// Files in folders, in the order of their names, folder by folder. What is not audio is left out.

/** Files by themselves, without texts and pictures. */
export const alone = (files) => split([...files], isTaken);

/** The files that are taken, and the names of those that are not. */
function split(files, isTaken) {
  const leftOut = files.filter((file) => !isTaken(file)).map(({ name }) => name);
  return { files: files.filter(isTaken), leftOut };
}

const isTaken = ({ type }) => !/^(text|image)\//.test(type);

/** The files of a drop, and the names of those that are not audio. Call it while the event is handled. */
export async function dropped({ items, files }, isAudio) {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.());
  if (!entries.some((entry) => entry?.isDirectory)) return alone(files);
  const found = { files: [], leftOut: [] };
  for (const entry of entries) await add(found, entry, isAudio, false);
  return found;
}

async function add(found, entry, isAudio, isWithin) {
  if (!entry || (isWithin && entry.name.startsWith("."))) return;
  if (entry.isDirectory) {
    for (const inner of await entriesOf(entry)) await add(found, inner, isAudio, true);
    return;
  }
  const file = await new Promise((done) => entry.file(done, () => done(null)));
  if (file && (isWithin ? isAudio : isTaken)(file)) found.files.push(file);
  else found.leftOut.push(entry.name);
}

/** A reader gives its entries in parts, and none after the last. */
async function entriesOf(folder) {
  const reader = folder.createReader();
  const entries = [];
  for (;;) {
    const part = await new Promise((done) => reader.readEntries(done, () => done([])));
    if (!part.length) return entries.sort((one, other) => byName(one.name, other.name));
    entries.push(...part);
  }
}

/** The files of a folder that was chosen. */
export function chosen(files, isAudio) {
  const seen = [...files].filter(({ webkitRelativePath: path }) => !path.split("/").some((name) => name.startsWith(".")));
  seen.sort((one, other) => byName(one.webkitRelativePath, other.webkitRelativePath));
  return split(seen, isAudio);
}

const byName = new Intl.Collator(undefined, { numeric: true }).compare;

/** Whether a file is of a kind that the attribute `accept` of the file field lists. */
export function isListed({ name, type }, accept) {
  const kinds = accept.split(",");
  const end = name.slice(name.lastIndexOf(".")).toLowerCase();
  return kinds.some((kind) => (kind.endsWith("/*") ? type.startsWith(kind.slice(0, -1)) : kind === end));
}
