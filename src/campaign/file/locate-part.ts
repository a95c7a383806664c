// The part of a compiler of others that makes a program wrong: with the first so many parts the program is right,
// with one more it is wrong. As parts run on what those before have left, this is the first that shows it, and
// mostly the one to blame.

import { Judge } from "../../compare/judge-program.js";
import type { Parts } from "../../engine/engine-subject.js";
import type { RemoteSubject } from "../../execute/subject.js";
import { type Input, isJudged } from "../../ir/outcome.js";
import { decodeModule } from "../../oracle/fast/decode.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import type { Candidate } from "../../reduce/candidate.js";

/** Null where the difference is not seen with all parts, or the compiler tells none. */
export async function locatePart(
  program: Candidate,
  aspect: string | null,
  { list, upTo, rest, inside }: Parts,
): Promise<string | null> {
  const judged = judgedOf(program);
  const names = await list(judged);
  const isWrong = (count: number): Promise<boolean> => differs(program, aspect, upTo(count, names));
  if (names.length === 0 || !(await isWrong(names.length))) return null;
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

/** The program with the inputs that it is run on. */
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
