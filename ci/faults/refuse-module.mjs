// Loaded into every process of a command by NODE_OPTIONS: one module cannot be loaded (refused-load.mjs).

import { addHooks } from "../test-groups/add-hooks.mjs";

await addHooks(new URL("./refused-load.mjs", import.meta.url).href);
