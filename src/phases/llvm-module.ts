// Judges the functions of a module. Each text that clang prints is the whole module, so clang runs for groups of functions
// whose texts fit in memory.

import { reachedGlobals } from "../import/llvm/subject.js";
import type { LlvmModule } from "../llvm/module.js";
import { parseLlvm } from "../llvm/parse.js";
import type { PassPrinter } from "../llvm/pass-dumps.js";
import { readPassTexts } from "../llvm/pass-texts.js";
import { type FunctionVerdicts, judgedFunctions, judgeFunction } from "./llvm-phases.js";

/** The estimated bytes of the texts of a group, and the passes that change a function. */
const GROUP_BYTES = 64_000_000;
const TEXTS_PER_FUNCTION = 40;

/** Functions that are judged by one log. */
interface FunctionGroup {
  readonly judged: string[];
  /** These functions, and those that they reach: clang prints the passes that change them. */
  readonly printed: Set<string>;
}

/**
 * Judges the functions that a module defines for other modules.
 * @param onFunction receives the number of functions that were judged before, and of all
 * @throws LlvmError if the module is malformed
 * @throws PassLogError if the compiler fails
 */
export function judgeModule(
  printer: PassPrinter,
  onFunction: (done: number, all: number) => void,
): FunctionVerdicts[] {
  const module = parseLlvm(printer.first);
  const names = judgedFunctions(module);
  const verdicts: FunctionVerdicts[] = [];
  for (const { judged, printed } of groupsOf(module, names, printer.first.length)) {
    const texts = readPassTexts(printer.log([...printed]));
    for (const name of judged) {
      onFunction(verdicts.length, names.length);
      verdicts.push(judgeFunction(texts, name));
    }
  }
  return verdicts;
}

function groupsOf(module: LlvmModule, names: readonly string[], bytes: number): FunctionGroup[] {
  const groups: FunctionGroup[] = [];
  const printedMax = GROUP_BYTES / (TEXTS_PER_FUNCTION * bytes);
  for (const name of names) {
    const reached = definitionsFrom(module, name);
    const last = groups.at(-1);
    const printed = new Set([...(last?.printed ?? []), ...reached]);
    if (last === undefined || printed.size > printedMax)
      groups.push({ judged: [name], printed: new Set(reached) });
    else {
      last.judged.push(name);
      for (const each of reached) last.printed.add(each);
    }
  }
  return groups;
}

/** Returns a function, and the functions with a body that it reaches. */
function definitionsFrom(module: LlvmModule, name: string): string[] {
  const called = module.functions.get(name);
  const reached = called === undefined ? [] : reachedGlobals(module, called);
  const names = new Set([name, ...reached]);
  return [...names].filter((each) => (module.functions.get(each)?.blocks ?? null) !== null);
}
