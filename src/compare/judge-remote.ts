// Runs programs through a remote subject. It requests only executions that the oracle judges and the subject can
// follow, and judges each answer by the aspects that the subject can show.

import type { OpenRemoteSubject, RemoteAnswer, RemoteSubject } from "../execute/subject.js";
import type { Input, Outcome } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { assert } from "../support/assert.js";
import { canFollow, type IgnoredAspects, judge, unjudged, type Verdict } from "./compare.js";

/** A program, and the oracle's outcomes for its inputs. */
export interface RemoteTask {
  readonly module: Module;
  readonly inputs: readonly Input[];
  readonly expected: readonly Outcome[];
  readonly fuelUsed: readonly number[];
}

interface RemoteResult {
  readonly judgements: readonly RemoteJudgement[];
  /** Why the subject could not express the program; null if it could. */
  readonly declined: string | null;
  /** RemoteAnswer.isUncompiled. */
  readonly isUncompiled: boolean;
}

interface RemoteJudgement {
  /** Index of the input. */
  readonly input: number;
  readonly verdict: Verdict;
  /** The outcome of the subject; null if the subject ran nothing. */
  readonly outcome: Outcome | null;
}

export class OpenRemoteJudge {
  private readonly subject: RemoteSubject;
  private readonly open: OpenRemoteSubject;

  constructor(subject: RemoteSubject) {
    this.subject = subject;
    this.open = subject.open();
  }

  /** Runs one batch; the answers are in the order of the programs. */
  async run(programs: readonly RemoteTask[], ignored: IgnoredAspects): Promise<RemoteResult[]> {
    const plans = programs.map((program) => planOf(program, this.subject));
    const wanted = plans.filter(({ inputs }) => inputs.length > 0);
    const answers = wanted.length === 0 ? [] : await this.ask(wanted);
    const byPlan = new Map(wanted.map((plan, w) => [plan, answers[w]]));
    return plans.map((plan) => answeredOf(plan, byPlan.get(plan) ?? null, ignored));
  }

  close(): void {
    this.open.close();
  }

  private async ask(plans: readonly RemoteRequest[]): Promise<readonly RemoteAnswer[]> {
    const prepared = await this.open.prepare(
      plans.map(({ program, inputs }) => ({
        module: program.module,
        executions: inputs.map((i) => ({
          input: program.inputs[i],
          fuelUsed: program.fuelUsed[i],
        })),
      })),
    );
    const answers = await prepared.run();
    assert(
      answers.length === plans.length,
      () => `the subject returned ${answers.length} answers for ${plans.length} programs`,
    );
    answers.forEach((answer, a) => {
      const count = plans[a].inputs.length;
      assert(
        answer.kind === "declined" || answer.outcomes.length === count,
        () => `program ${a} of the batch: expected ${count} outcomes`,
      );
    });
    return answers;
  }
}

interface RemoteRequest {
  readonly program: RemoteTask;
  /** Indices of the inputs that the subject must run. */
  readonly inputs: readonly number[];
  /** By input: the verdict if it is known without running the subject; else null. */
  readonly known: readonly (Verdict | null)[];
}

function planOf(program: RemoteTask, { capabilities }: RemoteSubject): RemoteRequest {
  const known = program.expected.map((expected): Verdict | null => {
    const open = unjudged(expected);
    if (open !== null || canFollow(expected, capabilities)) return open;
    return { kind: "unjudged", reason: "not-shown" };
  });
  const inputs = known.flatMap((verdict, i) => (verdict === null ? [i] : []));
  return { program, inputs, known };
}

function answeredOf(
  { program, inputs, known }: RemoteRequest,
  answer: RemoteAnswer | null,
  ignored: IgnoredAspects,
): RemoteResult {
  const outcomes = new Map<number, Outcome>();
  if (answer?.kind === "ran")
    answer.outcomes.forEach((outcome, o) => outcomes.set(inputs[o], outcome));
  const judgements = program.expected.map((expected, input): RemoteJudgement => {
    const outcome = outcomes.get(input) ?? null;
    const verdict =
      outcome === null
        ? (known[input] ?? ({ kind: "unjudged", reason: "declined" } as const))
        : judge(expected, outcome, ignored);
    return { input, verdict, outcome };
  });
  return {
    judgements,
    declined: answer?.kind === "declined" ? answer.reason : null,
    isUncompiled: answer?.kind === "ran" && answer.isUncompiled === true,
  };
}
