// The simplest subject: npx fuzz run --subject-command 'node call-export.mjs {wasm} {export}'
// Calls an export of a WebAssembly module without arguments, and prints the integer that it returns.

import { readFileSync } from "node:fs";

const [, , path, name] = process.argv;
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(path)));
console.log(String(exports[name]()));
