// The line protocol in files: npx fuzz run --subject-command 'node lines-in-files.mjs {in} {out}'
// It runs WebAssembly in the engine of this Node, and answers the bits of each result.

import { readFileSync, writeFileSync } from "node:fs";

const [, , input, output] = process.argv;
const question = readFileSync(input, "utf8");

const NO_ROOM = 2;
const PAGES_MAX = 4096;

/**
 * Runs one execution, as docs/subject-command.md describes: sets up memory, runs the entry, reads the records. If they do
 * not fit, runs again in a new memory with more pages.
 */
function run(wasm, { words, heapSeed }, pages = 0) {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm));
  const { memory, heap, heapSize, records, arguments: args } = exports;
  memory.grow(pages);
  const view = new Int32Array(memory.buffer);
  let x = heapSeed | 0;
  for (let i = heap.value / 4; i < (heap.value + heapSize.value) / 4; i++) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    view[i] = x;
  }
  view.set(words, args.value / 4);
  view.set([0, records.value, memory.buffer.byteLength]);
  try {
    exports.run();
  } catch {} // an exit ends in a trap, with the status set before
  const [status, end] = view;
  if (status === NO_ROOM && pages < PAGES_MAX)
    return run(wasm, { words, heapSeed }, 8 * (pages || 2));
  return {
    status,
    records: Buffer.from(memory.buffer, records.value, end - records.value).toString("hex"),
  };
}

const answer = ({ wasm, inputs }) => {
  const bytes = Buffer.from(wasm, "base64");
  return { runs: inputs.map((given) => run(bytes, given)) };
};

const said =
  question === ""
    ? {
        touchstone: 1,
        name: `V8 ${process.versions.v8}`,
        format: "wasm",
        shows: ["results", "memory", "calls", "exits", "resumption"],
        batch: 16,
      }
    : { answers: JSON.parse(question).programs.map(answer) };
writeFileSync(output, `${JSON.stringify(said)}\n`);
