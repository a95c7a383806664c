// Runs a wrong pass of LLVM alone, and reduces the module before it.

import { LlvmError } from "../llvm/llvm-error.js";
import { parseLlvm } from "../llvm/parse.js";
import { pipelinesOf } from "../llvm/pass-names.js";
import { reduceText } from "../llvm/reduce-text.js";
import { askProgram } from "../support/ask-program.js";
import type { RepeatablePass } from "./llvm-phases.js";

/** A module that a pass alone turns wrong. */
interface ReducedPass {
  readonly text: string;
  /** The program that reduces; null if it cannot be started, so the text is whole. */
  readonly reducer: string | null;
  readonly difference: string;
  /** The words that run the pass on a file, without the file. */
  readonly command: readonly string[];
}

const OPT_MS = 10_000;
const OUTPUT_MAX = 1 << 26;

/**
 * Returns a reduced module; a reason if the pass alone is not wrong, or cannot run.
 * @param pass a class, as LLVM prints it
 * @param suffix the end of the names of LLVM's programs: `-19`
 */
export async function reducePass(
  pass: string,
  { text, difference }: RepeatablePass,
  suffix: string,
  timeMs: number,
): Promise<ReducedPass | string> {
  const pipelines = pipelinesOf(pass);
  if (pipelines.length === 0) return `no pipeline of opt is known for ${pass}`;
  const opt = `opt${suffix}`;
  for (const pipeline of pipelines) {
    const command = [opt, "-S", `-passes=${pipeline}`];
    const differenceOf = (candidate: string): string | null => {
      const after = optimized(command, candidate);
      return after === null ? null : differenceOfTexts(candidate, after, difference);
    };
    const found = differenceOf(text);
    if (found === null) continue;
    const reducer = `llvm-reduce${suffix}`;
    const reduced = await reduceText(
      text,
      reducer,
      (candidate) => differenceOf(candidate) !== null,
      timeMs,
    );
    const best = reduced ?? text;
    return {
      ...{ text: best, difference: differenceOf(best) ?? found, command },
      reducer: reduced === null ? null : reducer,
    };
  }
  if (askProgram(opt, ["--version"]).status !== 0) return `there is no ${opt}`;
  return `${opt} -passes='${pipelines.join("' or '")}' alone is not wrong`;
}

/** Returns what `opt` makes of a module; null if it fails. */
function optimized([opt, ...args]: readonly string[], text: string): string | null {
  const ended = askProgram(opt, [...args, "-"], {
    ...{ input: text, timeMs: OPT_MS, bytesMax: OUTPUT_MAX },
  });
  return ended.status === 0 ? ended.stdout : null;
}

function differenceOfTexts(
  before: string,
  after: string,
  difference: RepeatablePass["difference"],
): string | null {
  try {
    return difference(parseLlvm(before), parseLlvm(after));
  } catch (error) {
    if (!(error instanceof LlvmError)) throw error;
    return null;
  }
}
