// Compiles only if the code matches types.d.ts.
import * as made from "./src/index.js";
import type * as promised from "./types.js";

export const kept: typeof promised = made;
