// Which known bugs of an engine a program has met: those without which it is right, each alone, else as few as do together.
// What keeps a bug away changes more of the code than that bug, so more than one may do alone: one of these it is. Where a
// compiler does not do the same each time, right is what is right in several runs: one that is right once may be luck. So
// the program as it is runs until it is wrong, PATIENCE times as often at most; and the later that was, the more often it
// must be right without a bug.

import { Judge } from "../../compare/judge-program.js";
import type { Cures } from "../../engine/engine-subject.js";
import type { RemoteSubject } from "../../execute/subject.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import type { Candidate } from "../../reduce/candidate.js";

/**
 * By their names, in the order of the engine's list. `any`: each of them alone; `all`: these together; none where the program
 * is right as it is.
 */
export interface Met {
  readonly bugs: readonly string[];
  readonly which: "any" | "all";
}

const PATIENCE = 4;
/** What is wrong once in so many runs is right in three times as many by luck in one case of twenty. */
const RIGHT_RUNS = 3;

/**
 * Null if the program is wrong without all of them, too.
 * @param among what it is compiled with, itself among them: what a compiler makes of one may depend on the others
 */
export async function curedBy(
  program: Candidate,
  { bugs, without, tries = 1 }: Cures,
  among: readonly Candidate[] = [program],
): Promise<Met | null> {
  const at = among.indexOf(program);
  /** The first run that is wrong, from 1 on; null if none of so many is. */
  const wrongRun = async (some: readonly string[], runs: number): Promise<number | null> => {
    for (let run = 0; run < runs; run++) {
      if (await differs(among, at, without(new Set(some), at, run))) return run + 1;
    }
    return null;
  };
  const wrong = await wrongRun([], tries === 1 ? 1 : PATIENCE * tries);
  if (wrong === null) return { bugs: [], which: "all" };
  const runs = tries === 1 ? 1 : Math.max(tries, RIGHT_RUNS * wrong);
  const isRight = async (some: readonly string[]): Promise<boolean> =>
    (await wrongRun(some, runs)) === null;
  const alone: string[] = [];
  for (const bug of bugs) if (await isRight([bug])) alone.push(bug);
  if (alone.length > 0) return { bugs: alone, which: "any" };
  if (bugs.length < 2 || !(await isRight(bugs))) return null;
  let needed = bugs;
  for (const bug of bugs) {
    const others = needed.filter((other) => other !== bug);
    if (await isRight(others)) needed = others;
  }
  return { bugs: needed, which: "all" };
}

async function differs(
  programs: readonly Candidate[],
  at: number,
  subject: RemoteSubject,
): Promise<boolean> {
  const judge = new Judge({ subjects: [subject], fuelMax: DEFAULT_FUEL });
  try {
    const { results } = (await judge.judgeAll(programs))[at];
    return results[0].judgements.some(({ verdict }) => verdict.kind === "different");
  } finally {
    judge.close();
  }
}
