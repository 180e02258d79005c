/**
 * What differs between Node.js and browsers. Modules of Node.js are imported by names that are put together, so that neither browsers
 * nor bundlers look for them.
 */

const NODE = "node:";

/** @param {string} name */
function node(name) {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ `${NODE}${name}`);
}

/**
 * The Web Cryptography API: Node.js 18 has it, but not as a global.
 *
 * @returns {Promise<Crypto>}
 */
export async function webCrypto() {
  return globalThis.crypto ?? (await node("crypto")).webcrypto;
}

/**
 * @typedef {object} OpenFile
 * @property {string} name
 * @property {number} size
 * @property {(offset: number, length: number) => Promise<Uint8Array<ArrayBuffer>>} read
 * @property {() => Promise<void>} close
 */

/**
 * Opens a file for reading at any place.
 *
 * @param {string | URL} path
 * @returns {Promise<OpenFile>}
 */
export async function openFile(path) {
  if (typeof globalThis.process?.versions?.node !== "string") {
    throw new TypeError("paths can only be uploaded with Node.js; pass a File or Blob instead");
  }
  /** @type {[typeof import("node:fs/promises"), typeof import("node:path"), typeof import("node:url")]} */
  const [{ open, stat }, { basename }, { fileURLToPath }] = await Promise.all([node("fs/promises"), node("path"), node("url")]);
  const text = path instanceof URL ? fileURLToPath(path) : path;
  // Whatever is no file is never opened: a pipe would wait for a writer.
  const { size, isFile } = await stat(text).then((status) => ({ size: status.size, isFile: status.isFile() }));
  if (!isFile) throw new TypeError("this is not a regular file");
  const file = await open(text, "r");
  return {
    name: basename(text),
    size,
    read: async (offset, length) => {
      const bytes = new Uint8Array(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
        if (bytesRead === 0) throw new TypeError("the file became shorter while it was being uploaded");
        filled += bytesRead;
      }
      return bytes;
    },
    close: () => file.close(),
  };
}
