export * from "./types/index.js";
export type * from "./types/generated/types.js";
