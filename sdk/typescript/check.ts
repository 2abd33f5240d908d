// Compiles only if the code is what types.d.ts says it is.
import * as made from "./src/index.js";
import type * as promised from "./types.js";

export const kept: typeof promised = made;
