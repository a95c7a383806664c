// Implements `fuzz import FILE`: converts WebAssembly (.wasm, .wat, .wast) to programs; LLVM IR (.ll)
// is in import-llvm.ts, LIR of Nanojit (.lir) in import-lir.ts, and traces of LuaJIT (.lua) in
// import-luajit.ts. A module becomes the program of one export. A script becomes one program for
// each called export and state of the instance, with a run line for each assertion.

import { basename, extname, join } from "node:path";
import { ImportError } from "../src/import/import-error.js";
import { functionsOf, type ImportedProgram, importWasm } from "../src/import/import-wasm.js";
import type { ImportOptions } from "../src/import/instance.js";
import { readTextLeniently } from "../src/import/lenient-text.js";
import { openWasmReader, type WasmReader } from "../src/import/read-wasm.js";
import { readScript } from "../src/import/script.js";
import { judgeCase, programsOf, type ScriptProgram } from "../src/import/script-programs.js";
import type { WasmModule } from "../src/import/wasm-module.js";
import type { Outcome } from "../src/ir/outcome.js";
import { printModule } from "../src/ir/text/print.js";
import { printExpectation, printInput } from "../src/ir/text/run-line.js";
import { sizeOf } from "../src/ir/types.js";
import { decodeModule } from "../src/oracle/fast/decode.js";
import { Oracle } from "../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { importLirFile, lirDialectOf } from "./import-lir.js";
import { importLlvmFile } from "./import-llvm.js";
import { importLuaFile } from "./import-luajit.js";
import { parseCount } from "./support/arguments.js";
import { readUserFile, readUserText, usageError } from "./support/output.js";
import { type ProgramMaker, writeImported } from "./support/write-imported.js";

interface ImportArgs {
  readonly file: string;
  readonly from: string | undefined;
  readonly export: string | undefined;
  readonly out: string | undefined;
  readonly imports: "exit" | "refuse";
  readonly pages: string | undefined;
  readonly json: boolean;
}

export async function run(args: ImportArgs): Promise<number> {
  const { file, export: name, out, json } = args;
  const format = args.from ?? extname(file);
  if (format === ".ll") return importLlvmFile(args);
  if (format === ".lua" || format === "luajit") return importLuaFile(args);
  const dialect = lirDialectOf(file, args.from);
  if (dialect !== null) return importLirFile(args, dialect);
  const options = optionsOf(args);
  const reader = await openWasmReader();
  return imported(file, () => {
    const script = extname(file) === ".wast" ? readScriptFile(file, reader) : null;
    const programs =
      script === null
        ? [moduleProgram(file, name, out, reader, options)]
        : chosenOf(script, name, out, file);
    const leftOut = script?.leftOut ?? [];
    return writeImported(file, programs, json, leftOut);
  });
}

function optionsOf({ imports, pages }: ImportArgs): ImportOptions {
  return { imports, pages: pages === undefined ? null : parseCount("--pages", pages, 0) };
}

function moduleProgram(
  file: string,
  given: string | undefined,
  out: string | undefined,
  reader: WasmReader,
  options: ImportOptions,
): ProgramMaker {
  return () => {
    const wasm = readModule(file, reader);
    const name = given ?? onlyExport(wasm);
    const { module, notImported } = importWasm(wasm, name, [], options);
    const text = `${headOf(file, notImported)}\n${printModule(module)}`;
    return { name, out: out ?? null, text, cases: 0, notImported };
  };
}

/** Runs an import; an import error becomes one line with the file name. */
export function imported<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    // A parse error of a text starts with the file name already.
    const message = error.message.startsWith(`${file}:`)
      ? error.message
      : `${file}: ${error.message}`;
    throw usageError(message);
  }
}

/** Reads a module from a file named .wasm or .wat. */
export function readModule(file: string, reader: WasmReader): WasmModule {
  const kind = extname(file);
  if (kind === ".wasm") return reader.readBinary(readUserFile(file));
  if (kind === ".wat") return readTextLeniently(reader, readUserText(file), file);
  throw usageError(`${file}: expected a file named .wasm, .wat, .wast, .ll, .lir or .lua`);
}

function onlyExport(wasm: WasmModule): string {
  const names = functionsOf(wasm).map(({ name }) => name);
  if (names.length === 1) return names[0];
  if (names.length === 0)
    throw new ImportError("the module exports no function, so there is no program to import");
  throw new ImportError(
    `the module exports several functions: give --export with one of ${names.slice(0, 20).join(", ")}`,
  );
}

interface ScriptContents {
  readonly programs: readonly ScriptProgram[];
  readonly leftOut: readonly { readonly line: number; readonly says: string }[];
}

function readScriptFile(file: string, reader: WasmReader): ScriptContents {
  const script = readScript(readUserText(file), file, reader);
  const { programs, outside } = programsOf(script);
  const leftOut = [...script.outside, ...outside].map(({ line, message }) => {
    return { line, says: message };
  });
  return { programs, leftOut };
}

function chosenOf(
  { programs }: ScriptContents,
  name: string | undefined,
  out: string | undefined,
  file: string,
): ProgramMaker[] {
  const chosen = programs.filter(({ cases: [{ name: of }] }) => name === undefined || of === name);
  if (out === undefined && chosen.length !== 1) {
    const names = new Set(programs.map(({ cases }) => cases[0].name ?? "instantiate"));
    const known = [...names].slice(0, 20).join(", ");
    throw usageError(
      `${file}: contains ${chosen.length} programs: give --out FOLDER, or --export with one of ${known}`,
    );
  }
  return chosen.map((program) => () => {
    const { notImported } = program.imported;
    const { lines, ...verdicts } = runLinesOf(program);
    const text = `${headOf(file, notImported)}\n${printModule(program.imported.module)}\n${lines.join("")}`;
    const path = out === undefined ? null : join(out, fileNameOf(program));
    return { name: program.name, out: path, text, cases: lines.length, ...verdicts, notImported };
  });
}

/** Writes a run line for each case, with the expectation of the script. */
function runLinesOf({ imported: made, cases, inputs }: ScriptProgram): {
  readonly lines: readonly string[];
  readonly faults: readonly string[];
  readonly unjudged: readonly string[];
} {
  const program = decodeModule(made.module);
  const oracle = new Oracle();
  const lines: string[] = [];
  const faults: string[] = [];
  const unjudged: string[] = [];
  cases.forEach((each, i) => {
    const outcome = oracle.run(program, inputs[i], DEFAULT_FUEL);
    const verdict = judgeCase(made, each, outcome);
    if (verdict.kind === "different") faults.push(`${each.line}: ${verdict.message}`);
    if (verdict.kind === "unjudged") unjudged.push(`${each.line}: unjudged: ${verdict.message}`);
    const says = verdict.kind === "equal" ? expectationOf(made, outcome) : null;
    const call = printInput(made.module, inputs[i]);
    lines.push(`; run: ${call}${says === null ? "" : ` = ${says}`} ; line ${each.line}\n`);
  });
  return { lines, faults, unjudged };
}

/** Returns the expectation of a run line for a right outcome: traps and further results in full. */
function expectationOf(
  { results, resultsAt }: ImportedProgram,
  { ending }: Outcome,
): string | null {
  if (ending.kind === "out-of-fuel") return printExpectation({ ending, heap: [] });
  if (ending.kind === "exit") {
    return printExpectation({ ending: { ...ending, resumed: [] }, heap: [] });
  }
  if (ending.kind !== "return") return null;
  const heap = results.slice(1).flatMap((type, i) => {
    const offset = resultsAt + 8 * i;
    const bytes = ending.heap.bytes.subarray(offset, offset + sizeOf(type));
    return ending.heap.anyNaN.some((at, n) => n % 2 === 0 && at === offset)
      ? []
      : [{ offset, bytes }];
  });
  return printExpectation({ ending, heap });
}

const headOf = (file: string, notImported: readonly string[]): string =>
  [`; Imported from ${basename(file)}.\n`, ...notImported.map(noteOf)].join("");
const noteOf = (what: string): string => `; Not imported, an exit instead: ${what}.\n`;

const fileNameOf = ({ name }: ScriptProgram): string =>
  `${name.replace(/[^\w.-]+/g, "-").slice(0, NAME_MAX)}.ir`;
const NAME_MAX = 100;
