// Finds the part of a foreign compiler that makes a program wrong, by bisection. With the first n
// parts the program is right, with one more it is wrong. Parts run on the results of earlier parts.
// So this is the first part that shows the difference, and mostly its cause.

import { Judge } from "../../compare/judge-program.js";
import type { CompilerSteps } from "../../engine/engine-subject.js";
import type { RemoteSubject } from "../../execute/subject.js";
import { type Input, isJudged } from "../../ir/outcome.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import type { Candidate } from "../../reduce/candidate.js";

/**
 * Returns the first step of an external compiler that makes the program wrong; null if the compiler
 * lists no steps, or the difference does not occur with all of them.
 */
export async function locatePart(
  program: Candidate,
  aspect: string | null,
  { list, upTo, rest, inside, judged: judgedCause }: CompilerSteps,
): Promise<string | null> {
  const judged = judgedOf(program);
  const names = await list(judged);
  const isWrong = (count: number): Promise<boolean> => differs(program, aspect, upTo(count, names));
  if (names.length === 0 || !(await isWrong(names.length))) return null;
  const cause = (await judgedCause?.(judged)) ?? null;
  if (cause !== null) return cause;
  if (await isWrong(0)) return rest;
  let [right, wrong] = [0, names.length];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (await isWrong(middle)) wrong = middle;
    else right = middle;
  }
  const part = names[wrong - 1];
  return (await inside?.(part, judged)) ?? part;
}

/** Returns the program with the inputs that the oracle judges. */
function judgedOf({ module, inputs }: Candidate): Candidate {
  const program = decodeModule(module);
  const oracle = new Oracle();
  const isRun = (input: Input): boolean => isJudged(oracle.run(program, input, DEFAULT_FUEL));
  return { module, inputs: inputs.filter(isRun) };
}

async function differs(
  { module, inputs }: Candidate,
  aspect: string | null,
  subject: RemoteSubject,
): Promise<boolean> {
  const judge = new Judge({ subjects: [subject], fuelMax: DEFAULT_FUEL });
  try {
    const [{ results }] = await judge.judgeAll([{ module, inputs }]);
    return results[0].judgements.some(
      ({ verdict }) => verdict.kind === "different" && verdict.aspect === aspect,
    );
  } finally {
    judge.close();
  }
}
