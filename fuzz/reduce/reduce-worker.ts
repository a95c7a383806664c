// Runs a process that judges candidates of a reduction. The first message contains the
// configuration. Each further message is a candidate, and the answer is true or false.

import { canaryNamed, plantedBy } from "../../src/campaign/canary/canaries.js";
import { subjectNamed } from "../../src/execute/subjects.js";
import { ParseError } from "../../src/ir/text/lexer.js";
import { parseModule } from "../../src/ir/text/parse.js";
import { CauseTest } from "../../src/localize/localize.js";
import { DEFAULT_FUEL } from "../../src/oracle/fuel.js";
import type { Candidate } from "../../src/reduce/candidate.js";
import { InterestTest } from "../../src/reduce/interest.js";
import { assert } from "../../src/support/assert.js";
import type { CandidateMessage, JudgeTask } from "./candidate-processes.js";

const candidateOf = ({ text, inputs }: CandidateMessage): Candidate => ({
  module: parseModule(text),
  inputs: [...inputs],
});

function interestOf({
  subject: name,
  canary,
  settings,
  signature,
  cause,
  start,
}: JudgeTask): InterestTest {
  const subject = subjectNamed(name);
  assert(subject !== null, () => `no subject is named ${name}`);
  const planted = canary === null ? null : canaryNamed(canary);
  const bug = planted === null ? {} : plantedBy(planted);
  const own = { ...bug.settings, ...settings };
  const options = { fuelMax: DEFAULT_FUEL, ...bug, settings: own, subjects: [subject] };
  const test = cause === null ? null : new CauseTest(cause, subject, options);
  const keeps = ({ module, inputs }: Candidate): boolean => test?.holds(module, inputs) ?? true;
  return new InterestTest(candidateOf(start), signature, options, keeps);
}

let interest: InterestTest | null = null;

/**
 * Many edits make invalid programs. Verification first avoids an error, which would end the
 * process.
 */
function isInteresting(posted: CandidateMessage): boolean {
  try {
    return interest?.holds(candidateOf(posted)) ?? false;
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}

process.on("message", (message: JudgeTask | CandidateMessage) => {
  if ("signature" in message) interest = interestOf(message);
  else process.send?.(isInteresting(message));
});
process.on("disconnect", () => process.exit(0));
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
