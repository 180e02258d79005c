/**
 * The Web Cryptography API: Node.js 18 has it, but not as a global.
 *
 * @returns {Promise<Crypto>}
 */
export function webCrypto(): Promise<Crypto>;
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
export function openFile(path: string | URL): Promise<OpenFile>;
export type OpenFile = {
    name: string;
    size: number;
    read: (offset: number, length: number) => Promise<Uint8Array<ArrayBuffer>>;
    close: () => Promise<void>;
};
