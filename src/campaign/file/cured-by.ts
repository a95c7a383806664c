// Finds the known bugs of an engine that make a program wrong. It returns the bugs that suffice
// when avoided alone, else a minimal set that suffices together.
//
// Avoiding a bug changes more of the code than that bug, so several bugs may suffice alone: one of
// them is the cause. A compiler may be nondeterministic, so one right run may be chance: a program
// counts as right if it is right in several runs. First the program runs unchanged until it is
// wrong, at most PATIENCE * tries times. The later that happens, the more often it must be right
// without a bug.

import { Judge } from "../../compare/judge-program.js";
import type { KnownBugCures } from "../../engine/engine-subject.js";
import type { RemoteSubject } from "../../execute/subject.js";
import { DEFAULT_FUEL } from "../../oracle/fuel.js";
import type { Candidate } from "../../reduce/candidate.js";

/**
 * Known bugs by name, in the order of the engine's list. `any`: avoiding one of them suffices;
 * `all`: all must be avoided; empty if the program is right unchanged.
 */
export interface CausingBugs {
  readonly bugs: readonly string[];
  readonly which: "any" | "all";
}

export const nameOfBugs = ({ bugs, which }: CausingBugs): string =>
  bugs.join(which === "all" ? "+" : "|");

/** Returns the names of the known bugs that explain a difference; null if they do not. */
export async function explainedBy(
  program: Candidate,
  cures: KnownBugCures,
): Promise<string | null> {
  const met = await curedBy(program, cures);
  return met === null || met.bugs.length === 0 ? null : nameOfBugs(met);
}

const PATIENCE = 4;
/**
 * Without a known bug, a program must be right in this many times the runs that it took to fail:
 * chance then explains one case of twenty.
 */
const RIGHT_RUNS = 3;

/**
 * Returns the known bugs that make the program wrong; null if it is wrong even in a form that
 * avoids all of them.
 * @param among the programs that are compiled together, itself among them: the compiler's code for
 * one may depend on the others
 */
export async function curedBy(
  program: Candidate,
  { bugs, without, tries = 1 }: KnownBugCures,
  among: readonly Candidate[] = [program],
): Promise<CausingBugs | null> {
  const at = among.indexOf(program);
  /** Returns the first wrong run, from 1 on; null if all of these runs are right. */
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
