// Groups the cases of a script into programs: one for each called export and state of its instance.
// Judges the outcomes of the cases.

import {
  type Ending,
  HEAP_BASE_HI,
  HEAP_BASE_LO,
  type Input,
  type Outcome,
} from "../ir/outcome.js";
import { isNaNBits } from "../ir/text/literals.js";
import { printOutcome } from "../ir/text/run-line.js";
import { Double, Float, isWide, type Type } from "../ir/types.js";
import type { WasmConstant } from "./constant-expression.js";
import { ImportError } from "./import-error.js";
import { type ImportedProgram, importWasm } from "./import-wasm.js";
import type { ScriptCase, ScriptModule, UnsupportedCommand, WasmScript } from "./script.js";
import { TRAPS, type TrapKind } from "./traps.js";

export interface ScriptProgram {
  /** A name for a file: the line of the module, the export, and the number of earlier calls. */
  readonly name: string;
  readonly imported: ImportedProgram;
  readonly cases: readonly ScriptCase[];
  /** One for each case. */
  readonly inputs: readonly Input[];
}

interface ScriptPrograms {
  readonly programs: readonly ScriptProgram[];
  /** Cases whose program is outside of the import. */
  readonly outside: readonly UnsupportedCommand[];
}

export function programsOf({ cases }: WasmScript): ScriptPrograms {
  const groups = new Map<string, ScriptCase[]>();
  const modules = new Map<ScriptModule, number>();
  for (const each of cases) {
    const number = modules.get(each.module) ?? modules.size;
    modules.set(each.module, number);
    // The earlier calls are a prefix of the calls of the instance, so their number identifies them.
    const key = JSON.stringify([number, each.name, each.before.length]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  const programs: ScriptProgram[] = [];
  const outside: UnsupportedCommand[] = [];
  for (const group of groups.values()) {
    const [{ module, name, before }] = group;
    try {
      const imported = importWasm(module.wasm, name, before);
      const inputs = group.map(({ args }) => inputOf(args));
      const stem = `${module.line}-${name ?? "instantiate"}-${before.length}`;
      programs.push({ name: stem, imported, cases: group, inputs });
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      for (const { line } of group) outside.push({ line, message: error.message });
    }
  }
  return { programs, outside };
}

/** Returns the heap's address, then the arguments. */
function inputOf(args: readonly WasmConstant[]): Input {
  const words = [HEAP_BASE_LO, HEAP_BASE_HI, ...args.flatMap(({ lo, hi }) => [lo, hi])];
  return { words: Int32Array.from(words), heapSeed: 0 };
}

/** The result of comparing an outcome with the expectation of a case. */
export type CaseVerdict =
  | { readonly kind: "equal" }
  | { readonly kind: "different" | "unjudged"; readonly message: string };

const EQUAL: CaseVerdict = { kind: "equal" };
const different = (message: string): CaseVerdict => ({ kind: "different", message });

export function judgeCase(
  imported: ImportedProgram,
  { expected }: ScriptCase,
  outcome: Outcome,
): CaseVerdict {
  const { ending } = outcome;
  const isExhausted = ending.kind === "out-of-fuel";
  if (expected.kind === "exhaustion" && isExhausted) return EQUAL;
  const reason = reasonUnjudged(imported, outcome);
  if (reason !== null) return { kind: "unjudged", message: reason };
  const got = printOutcome(outcome);
  if (expected.kind === "exhaustion") return different(`expected exhaustion, got ${got}`);
  if (expected.kind === "trap") {
    const trap = trapOf(outcome);
    if (trap !== null && expected.says.startsWith(trap)) return EQUAL;
    return different(`expected the trap "${expected.says}", got ${got}`);
  }
  if (ending.kind !== "return") return different(`expected a result, got ${got}`);
  return judgeResults(imported, expected.results, ending, got);
}

/**
 * Returns the reason why the language or the import leaves an outcome open; null if it is
 * determined.
 */
function reasonUnjudged({ growthRefused }: ImportedProgram, outcome: Outcome): string | null {
  const { ending } = outcome;
  if (ending.kind === "out-of-fuel") return "out of fuel, or more than 64 activations";
  if (ending.kind === "nan-bits") return "the bits of an arithmetic NaN are read";
  if (trapOf(outcome) === NOT_IMPORTED) return "it reaches a part that is not imported";
  if (growthRefused === 0 || (ending.kind !== "return" && ending.kind !== "exit")) return null;
  const isRefused = viewOf(ending.heap.bytes).getInt32(growthRefused, true) !== 0;
  return isRefused ? "memory.grow to more pages than the heap holds" : null;
}

const NOT_IMPORTED: TrapKind = "not imported";

const viewOf = ({ buffer, byteOffset }: Uint8Array): DataView => new DataView(buffer, byteOffset);

function judgeResults(
  { results, resultsAt }: ImportedProgram,
  wanted: readonly (WasmConstant | "nan")[],
  ending: Extract<Ending, { kind: "return" }>,
  got: string,
): CaseVerdict {
  if (wanted.length !== results.length) {
    return different(`expected ${wanted.length} results, got ${results.length}`);
  }
  const view = viewOf(ending.heap.bytes);
  const verdicts = wanted.map((each, i): ValueVerdict => {
    const type = results[i];
    if (i === 0) {
      const { result } = ending;
      return result === null ? "different" : judgeValue(each, type, result);
    }
    const at = resultsAt + 8 * (i - 1);
    const lo = view.getInt32(at, true);
    const hi = isWide(type) ? view.getInt32(at + 4, true) : 0;
    const { anyNaN: open } = ending.heap;
    return judgeValue(each, type, {
      lo,
      hi,
      anyNaN: open.some((x, n) => n % 2 === 0 && x === at),
    });
  });
  if (verdicts.includes("different")) {
    return different(`expected ${describe(wanted)}, got ${got}`);
  }
  if (!verdicts.includes("open")) return EQUAL;
  return { kind: "unjudged", message: "the bits of an arithmetic NaN are shown" };
}

type ValueVerdict = "equal" | "different" | "open";

/** Returns the trap that an exit represents; null for every other ending. */
function trapOf({ ending }: Outcome): TrapKind | null {
  if (ending.kind !== "exit") return null;
  const [kind] = ending.frames[0]?.slots ?? [];
  return kind !== null && kind !== undefined && "lo" in kind ? (TRAPS[kind.lo] ?? null) : null;
}

function judgeValue(
  wanted: WasmConstant | "nan",
  type: Type,
  { lo, hi, anyNaN }: { readonly lo: number; readonly hi: number; readonly anyNaN: boolean },
): ValueVerdict {
  if (wanted === "nan") return anyNaN || isNaNBits(type, lo, hi) ? "equal" : "different";
  if (wanted.type !== type) return "different";
  if (anyNaN) return isNaNBits(floatOf(type), wanted.lo, wanted.hi) ? "open" : "different";
  return wanted.lo === lo && (!isWide(type) || wanted.hi === hi) ? "equal" : "different";
}

/** Returns the floating-point type of the same size. */
const floatOf = (type: Type): Type => (isWide(type) ? Double : Float);

const describe = (results: readonly (WasmConstant | "nan")[]): string =>
  results.map((each) => (each === "nan" ? each : `${each.hi}:${each.lo}`)).join(", ");
