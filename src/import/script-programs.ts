// The cases of a script as programs of ours: one for each export that is called, and for each state
// of its instance in which that happens.

import { HEAP_BASE_HI, HEAP_BASE_LO, type Input, type Outcome } from "../ir/outcome.js";
import { isNaNBits } from "../ir/text/literals.js";
import { printOutcome } from "../ir/text/run-line.js";
import { isWide, type Type } from "../ir/types.js";
import type { Constant } from "./constant-expression.js";
import { ImportError } from "./import-error.js";
import { type Imported, importWasm } from "./import-wasm.js";
import type { Aside, Script, ScriptCase, ScriptModule } from "./script.js";
import { TRAPS } from "./traps.js";

export interface ScriptProgram {
  /** For a file: the line of the module, the export, and the calls that came before. */
  readonly name: string;
  readonly imported: Imported;
  readonly cases: readonly ScriptCase[];
  /** One for each case. */
  readonly inputs: readonly Input[];
}

interface ScriptPrograms {
  readonly programs: readonly ScriptProgram[];
  /** Cases whose program is outside of the import. */
  readonly outside: readonly Aside[];
}

export function programsOf({ cases }: Script): ScriptPrograms {
  const groups = new Map<string, ScriptCase[]>();
  const modules = new Map<ScriptModule, number>();
  for (const each of cases) {
    const number = modules.get(each.module) ?? modules.size;
    modules.set(each.module, number);
    // The calls before are the first so many of those of the instance.
    const key = JSON.stringify([number, each.name, each.before.length]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  const programs: ScriptProgram[] = [];
  const outside: Aside[] = [];
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

/** The heap's address, then the arguments. */
function inputOf(args: readonly Constant[]): Input {
  const words = [HEAP_BASE_LO, HEAP_BASE_HI, ...args.flatMap(({ lo, hi }) => [lo, hi])];
  return { words: Int32Array.from(words), heapSeed: 0 };
}

/** How an outcome differs from what the case expects; null if it does not. */
export function faultOfCase(
  { results, resultsAt }: Imported,
  { expected }: ScriptCase,
  outcome: Outcome,
): string | null {
  const { ending } = outcome;
  const got = printOutcome(outcome);
  if (expected.kind === "exhaustion") {
    return ending.kind === "out-of-fuel" ? null : `expected exhaustion, got ${got}`;
  }
  if (expected.kind === "trap") {
    const trap = trapOf(outcome);
    if (trap !== null && expected.says.startsWith(trap)) return null;
    return `expected the trap "${expected.says}", got ${got}`;
  }
  if (ending.kind !== "return") return `expected a result, got ${got}`;
  if (expected.results.length !== results.length) return `${results.length} results`;
  const view = new DataView(ending.heap.bytes.buffer, ending.heap.bytes.byteOffset);
  const isRight = expected.results.every((wanted, i) => {
    const type = results[i];
    if (i === 0) {
      const { result } = ending;
      return result !== null && isExpected(wanted, type, result);
    }
    const at = resultsAt + 8 * (i - 1);
    const lo = view.getInt32(at, true);
    const hi = isWide(type) ? view.getInt32(at + 4, true) : 0;
    const { anyNaN: open } = ending.heap;
    return isExpected(wanted, type, {
      lo,
      hi,
      anyNaN: open.some((x, n) => n % 2 === 0 && x === at),
    });
  });
  return isRight ? null : `expected ${describe(expected.results)}, got ${got}`;
}

/** The trap that an exit stands for; null for every other ending. */
function trapOf({ ending }: Outcome): string | null {
  if (ending.kind !== "exit") return null;
  const [kind] = ending.frames[0]?.slots ?? [];
  return kind !== null && kind !== undefined && "lo" in kind ? (TRAPS[kind.lo] ?? null) : null;
}

function isExpected(
  wanted: Constant | "nan",
  type: Type,
  { lo, hi, anyNaN }: { readonly lo: number; readonly hi: number; readonly anyNaN: boolean },
): boolean {
  if (wanted === "nan") return anyNaN || isNaNBits(type, lo, hi);
  return !anyNaN && wanted.type === type && wanted.lo === lo && (!isWide(type) || wanted.hi === hi);
}

const describe = (results: readonly (Constant | "nan")[]): string =>
  results.map((each) => (each === "nan" ? each : `${each.hi}:${each.lo}`)).join(", ");
