// Runs a WebAssembly program with WASI in Node: `node --liftoff-only wasi-in-node.js PROGRAM`. It has
// standard input and output, and no files.

import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [, , path] = process.argv;
const wasi = new WASI({ version: "preview1" });
const program = new WebAssembly.Module(new Uint8Array(readFileSync(path)));
// The cast: the types of Node describe the imports as an object.
const imports = wasi.getImportObject() as WebAssembly.Imports;
process.exitCode = Number(wasi.start(new WebAssembly.Instance(program, imports)));
