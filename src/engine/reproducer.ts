// Writes files that show one execution of an engine without Touchstone, to attach to a report:
//
//   reproduce.sh                   runs the program, and compares its output with the expected one
//   program.wasm, reproduce.cjs    for an engine of WebAssembly: the module, and the driver
//   original.wasm                  for an optimizer of WebAssembly: the module before it
//   program.c, input.bin           for a C compiler: the program, and the input of its main program
//   program.ll, driver.c, input.bin  for LLVM: the program, its main program, and the input
//   reproduce.js                   for an engine of JavaScript: the program, which prints "right"
//   program.wasm                   for an interpreter of exports: the module, which contains its input
//   expected.txt                   the output of a correct compiler; for a command of the user's that
//                                  answers lines, the outcome in the form of run lines
//   open.txt                       if any: the parts that the language leaves open
//
// The output is the status and the records (../export/observation.ts) in hexadecimal; an
// interpreter prints them in words. An open bit, of a NaN, is 1 in open.txt, and 0 in expected.txt.
// For words, open.txt has the names.

import { PLAIN_FORM, type SourceForm } from "../export/forms.js";
import {
  CALL_PAGES,
  exportWasi,
  exportWasm,
  exportWasmCall,
  exportWasmWithRecords,
} from "../export/wasm/export-wasm.js";
import { NOTHING_HIDDEN } from "../export/wasm/hidden.js";
import { PAGE } from "../export/wasm/layout.js";
import type { Input } from "../ir/outcome.js";
import { sizeOf } from "../ir/types.js";
import { questionOf } from "./batch-subject.js";
import type { FileContents, ReproducedExecution } from "./engine-subject.js";
import type { ProgramSources } from "./sources.js";

/** Folds lines as `fold` does, so that `diff` shows the position. */
const folded = (text: string): string => `${text.match(/.{1,64}/g)?.join("\n")}\n`;
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const hasOpen = ({ open }: ReproducedExecution): boolean => open.some((bits) => bits !== 0);

/** Returns the expected output, after `head`, of a program that prints hexadecimal digits. */
function expectedFiles(head: string, shown: ReproducedExecution): FileContents {
  const { expected, open } = shown;
  const records = expected.records.map((byte, at) => byte & ~open[at]);
  const files = { "expected.txt": folded(`${head}${hexOf(records)}`) };
  if (!hasOpen(shown)) return files;
  return { ...files, "open.txt": folded(`${"0".repeat(head.length)}${hexOf(open)}`) };
}

/** Clears the bits of open.txt in hexadecimal lines; awk has no bit operators. */
const CLEAR_OPEN = `awk -v H=0123456789abcdef 'NR == FNR { open[FNR] = $0; next } {
  line = ""
  for (i = 1; i <= length($0); i++) {
    digit = index(H, substr($0, i, 1)) - 1; bits = index(H, substr(open[FNR], i, 1)) - 1
    for (b = 8; b >= 1; b /= 2) if (int(bits / b) % 2 && int(digit / b) % 2) digit -= b
    line = line (digit < 0 ? substr($0, i, 1) : substr(H, digit + 1, 1))
  }
  print line
}' "$here/open.txt" -`;

/** @param command the engine with its flags, as a shell reads them */
export function wasmReproducer(
  shown: ReproducedExecution,
  command: string,
  rounds: number,
  form: SourceForm = PLAIN_FORM,
): FileContents {
  const { module, input } = shown;
  return {
    "program.wasm": exportWasm(module, NOTHING_HIDDEN, form).bytes,
    "reproduce.cjs": driverOf(input, rounds),
    ...expectedFiles(`${shown.expected.status} `, shown),
    "reproduce.sh": script(shown, "", `cd "$here" && ${command} reproduce.cjs`),
  };
}

/** @param command runs the export `run` of program.wasm with WASI, which writes the records */
export function wasiReproducer(
  shown: ReproducedExecution,
  command: string,
  form: SourceForm = PLAIN_FORM,
): FileContents {
  const { module, input, expected } = shown;
  const { bytes, layout } = exportWasi(module, input, CALL_PAGES, form);
  const end = layout.records + expected.records.length;
  const head = Int32Array.of(expected.status, end, layout.pages * PAGE);
  return {
    "program.wasm": bytes,
    ...expectedFiles(hexOf(new Uint8Array(head.buffer)), shown),
    "reproduce.sh": script(shown, "", `cd "$here" && ${command} | od -An -v -tx1 | tr -d ' \\n'`),
  };
}

/** Returns files for an interpreter that calls every export and prints the results. */
export function exportReproducer(
  shown: ReproducedExecution,
  command: string,
  form: SourceForm = PLAIN_FORM,
): FileContents {
  const { module, input, expected, open } = shown;
  const words = Math.ceil(expected.records.length / 8);
  const whole = new Uint8Array(8 * words);
  whole.set(expected.records);
  const isOpen = (w: number): boolean => open.subarray(8 * w, 8 * w + 8).some((bits) => bits !== 0);
  const lines = Array.from(new BigUint64Array(whole.buffer), (word, w) =>
    isOpen(w) ? "" : `w${w}() => i64:${word}\n`,
  );
  const names = lines.flatMap((line, w) => (line === "" ? [`w${w}() \n`] : []));
  const left = names.length === 0 ? "" : ' | grep -vFf "$here/open.txt"';
  const { status, records } = expected;
  const head = `status() => i32:${status}\nsize() => i32:${records.length}\n`;
  return {
    "program.wasm": exportWasmWithRecords(module, input, { words, pages: CALL_PAGES }, form),
    "expected.txt": head + lines.join(""),
    ...(names.length === 0 ? {} : { "open.txt": names.join("") }),
    // The first line has the trap.
    "reproduce.sh": compared("", `cd "$here" && ${command} | tail -n +2${left}`),
  };
}

/** Returns files for an optimizer of binaries, including the module before it. */
export function optimizerReproducer(
  shown: ReproducedExecution,
  optimize: string,
  command: string,
  form: SourceForm = PLAIN_FORM,
): FileContents {
  const { "program.wasm": original, ...files } = wasmReproducer(shown, command, 1, form);
  const make = `cd "$here" && ${optimize} original.wasm -o program.wasm || exit 1\n`;
  return {
    ...files,
    "original.wasm": original,
    "reproduce.sh": script(shown, make, `${command} reproduce.cjs`),
  };
}

/**
 * Returns files for a command of the user's that calls an export. The script compares the bits of
 * the integer that it prints last.
 */
export function callReproducer(shown: ReproducedExecution, line: string): FileContents {
  const { module, input, expected, open } = shown;
  const run = line.replaceAll("{wasm}", '"$here/program.wasm"').replaceAll("{export}", "main");
  const { result: type } = module.entry;
  const size = sizeOf(type);
  // The record of the return is the last one: the result, then the heap.
  const start = expected.records.length - module.heapSize - size;
  const highFirst = (bytes: Uint8Array) => bytes.slice(start, start + size).reverse();
  const result = { records: highFirst(expected.records), status: expected.status, trap: null };
  const bits = { ...shown, expected: result, open: highFirst(open) };
  return {
    "program.wasm": exportWasmCall(module, input),
    ...expectedFiles("0x", bits),
    "reproduce.sh": script(
      bits,
      `{ ${run}\n} > "$here/output.txt"; ended=$?\necho "output: $(tail -c 1000 "$here/output.txt")"\n`,
      `test $ended = 0 && ${printBits(2 * size)} "$here/output.txt" || echo "ended with status $ended"`,
    ),
  };
}

/** Prints the last digits of an integer in hexadecimal; awk has only doubles. */
const printBits = (digits: number): string => `awk -v D=${digits} 'NF { line = $0 } END {
  sub(/[ \\t\\r]+$/, "", line); n = split(tolower(line), words, /[ \\t:=]/); word = words[n]
  if (word !~ /^-?(0x[0-9a-f]+|[0-9]+)$/) { print "no integer: " line; exit }
  base = word ~ /x/ ? 16 : 10; minus = sub(/^-/, "", word); sub(/^0x/, "", word)
  for (d = 1; d <= length(word); d++) {
    carry = index("0123456789abcdef", substr(word, d, 1)) - 1
    for (i = 16; i >= 1; i--) { carry += h[i] * base; h[i] = carry % 16; carry = int(carry / 16) }
  }
  carry = minus
  if (minus) for (i = 16; i >= 1; i--) { carry += 15 - h[i]; h[i] = carry % 16; carry = int(carry / 16) }
  for (i = 17 - D; i <= 16; i++) bits = bits substr("0123456789abcdef", h[i] + 1, 1)
  print "0x" bits
}'`;

/** Returns files for a command of the user's that answers lines: its question. */
export function lineReproducer(question: string, line: string): FileContents {
  const isByFiles = line.includes("{in}");
  const named = line.replaceAll("{in}", QUESTION).replaceAll("{out}", '"$here/answer.json"');
  const run = isByFiles ? `${named}; cat "$here/answer.json"` : `{ ${line}\n} < ${QUESTION}`;
  return {
    "question.json": `${question}\n`,
    "reproduce.sh": `${HEAD}# expected.txt has the expected answer in the form of run lines.\n${run}\n`,
  };
}

const QUESTION = '"$here/question.json"';

/**
 * @param compile shell command that makes the executable `$here/program` of the files of `sources`
 * @param runner words before the executable
 */
export function executableReproducer(
  shown: ReproducedExecution,
  sources: ProgramSources,
  compile: (files: readonly string[], executable: string) => string,
  runner: readonly string[] = [],
): FileContents {
  const { module, input, expected } = shown;
  const files = sources([{ module, inputs: shown.inputs ?? [input] }]);
  const paths = Object.keys(files).map((name) => `"$here/${name}"`);
  const head = new Uint8Array(Int32Array.of(expected.status, expected.records.length).buffer);
  return {
    ...files,
    "input.bin": questionOf({ program: 0, input }, 0),
    ...expectedFiles(hexOf(head), shown),
    "reproduce.sh": script(
      shown,
      `${compile(paths, '"$here/program"')} || exit 1\n`,
      `{ ${[...runner, '"$here/program"'].join(" ")} < "$here/input.bin" | od -An -v -tx1 | tr -d " \\n"; echo; }`,
    ),
  };
}

/** Returns the file that runs reproduce.js, which compares its result itself. */
export const scriptReproducer = (command: string): FileContents => ({
  "expected.txt": "right\n",
  "reproduce.sh": compared("", `cd "$here" && ${command} reproduce.js`),
});

/** A command of the user's may be named relative to the folder in which a campaign ran. */
const HEAD = `#!/bin/sh
# From the folder in which the campaign ran.
here=$(cd "$(dirname "$0")" && pwd)
`;

/** @param run shell command that prints hexadecimal digits */
function script(shown: ReproducedExecution, before: string, run: string): string {
  const clear = hasOpen(shown) ? ` | ${CLEAR_OPEN}` : "";
  return compared(before, `{ ${run}; } | fold -w 64${clear}`);
}

/** @param run shell command that prints the contents of expected.txt if it is right */
const compared = (before: string, run: string): string => `${HEAD}\
# Status 0: right; status 1: its result differs from expected.txt, or is empty.
${before}{ ${run}; } 2> "$here/errors.txt" > "$here/got.txt"
diff "$here/expected.txt" "$here/got.txt" && echo right
`;

const driverOf = ({ words, heapSeed }: Input, rounds: number): string => `\
const read = globalThis.process ? require("fs").readFileSync : globalThis.readFile || os.file.readFile;
const { exports: e } = new WebAssembly.Instance(new WebAssembly.Module(read("program.wasm", globalThis.process ? null : "binary")));
for (let round = 1; round <= ${rounds}; round++) { // the last round runs code of the required compiler
  const words = new Int32Array(e.memory.buffer);
  const heap = words.subarray(e.heap.value / 4, (e.heap.value + e.heapSize.value) / 4);
  words.set([${words.join(", ")}], e.arguments.value / 4);
  for (let i = 0, x = ${heapSeed | 0}; i < heap.length; i++) heap[i] = x = (x ^= x << 13, x ^= x >>> 17, x ^ (x << 5));
  words.set([0, e.records.value, e.memory.buffer.byteLength]);
  try { e.run(); } catch (_) {} // an exit ends in a trap, with the status set before
}
const [status, end] = new Int32Array(e.memory.buffer);
const left = [...new Uint8Array(e.memory.buffer).subarray(e.records.value, end)];
(globalThis.print ?? console.log)(status + " " + left.map((byte) => byte.toString(16).padStart(2, "0")).join(""));
`;
