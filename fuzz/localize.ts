// Implements `fuzz localize`: finds the stage, the phase and the single rule application that make
// a program wrong.

import { Judge } from "../src/compare/judge-program.js";
import { COMMAND } from "../src/engine/command-subject.js";
import { engineNamed } from "../src/engine/engines.js";
import type { ReferenceSubject } from "../src/execute/reference-subject.js";
import { DEFAULT_SETTINGS } from "../src/execute/unit.js";
import { describeReliance, nameOfCause } from "../src/localize/cause.js";
import {
  describeCode,
  describeStage,
  describeWrongInstruction,
  describeWrongValue,
} from "../src/localize/describe-later-stage.js";
import { localize } from "../src/localize/localize.js";
import type { LocatedCause } from "../src/localize/located-cause.js";
import { DEFAULT_FUEL } from "../src/oracle/fuel.js";
import { InternalError } from "../src/support/assert.js";
import { printAnswer } from "./answers/print-answer.js";
import { chooseSubjectsForFile } from "./support/arguments.js";
import { printLine, STATUS, usageError } from "./support/output.js";
import { plantedBug } from "./support/program-file.js";
import { type TaskArgs, taskOf } from "./support/task.js";

interface LocalizeArgs extends TaskArgs {
  readonly subjects: string | undefined;
  readonly json: boolean;
}

export async function run(args: LocalizeArgs): Promise<number> {
  const { module, inputs, subject, canary, chaos } = taskOf("localize", args);
  if (args.subjects === undefined && (subject === COMMAND || engineNamed(subject ?? "") !== null)) {
    const why = `found by ${subject}, whose parts are unknown`;
    throw usageError(`${args.what}: ${why}: expected --subjects of the reference compiler`);
  }
  const { planted, subjects: usual } = plantedBug(canary);
  const { subjects } = chooseSubjectsForFile(args.subjects, subject ?? usual);
  const settings = { ...DEFAULT_SETTINGS, ...planted.settings, chaos, verify: true };
  // Only generated programs run on the processor, or a file if the user named a native subject.
  const mayRunNatively = args.what === undefined || subjects.some(({ native }) => native);
  const options = { fuelMax: DEFAULT_FUEL, ...planted, settings, subjects, mayRunNatively };
  const found: { subject: string; located: LocatedCause }[] = [];
  for (const chosen of subjects) {
    if (!isWrong(chosen)) continue;
    found.push({ subject: chosen.name, located: localize(module, inputs, chosen, options) });
  }
  if (args.json) printAnswer("touchstone.localize", { found });
  else if (found.length === 0) printLine("no subject differs: there is nothing to localize");
  else for (const { subject: name, located } of found) print(name, located);
  return found.length === 0 ? STATUS.nothingFound : STATUS.found;

  function isWrong(chosen: ReferenceSubject): boolean {
    const judge = new Judge({ ...options, subjects: [chosen] });
    try {
      const [{ judgements }] = judge.judge({ module, inputs }).results;
      return judgements.some(({ verdict }) => verdict.kind === "different");
    } catch (error) {
      if (error instanceof InternalError) return true;
      throw error;
    } finally {
      judge.close();
    }
  }
}

function print(subject: string, located: LocatedCause): void {
  if (located.stage === "analysis") {
    printLine(
      `${subject}: ${nameOfCause(located.cause)}: an analysis claims something false: ${located.detail}`,
    );
    return;
  }
  if (located.stage !== "optimizer") {
    printLine(`${subject}: ${describeStage(located)}: ${located.detail}`);
    for (const fault of located.faults) printLine(`  the allocation checker reports: ${fault}`);
    const { instruction } = located;
    if (instruction !== null) {
      printLine(`  ${describeWrongInstruction(instruction)}`);
      for (const line of describeCode(instruction)) printLine(`    ${line}`);
    }
    if (located.rows.length > 0)
      printLine(`  the program executes the LIR rows ${located.rows.join(" ")}`);
    if (located.wrong !== null) printLine(`  ${describeWrongValue(located.wrong)}`);
    return;
  }
  const { phase, procedure, detail, application, index, applications, runs } = located;
  printLine(`${subject}: optimizer: ${phase}, in ${procedure}: ${detail}`);
  if (application === null) {
    printLine("  this phase is required, so its applications are not counted");
  } else {
    const { by, value } = application;
    printLine(`  application ${index} of ${applications}: ${by} on @${value}, in ${runs} runs`);
    printLine(`  right with --opt-limit ${index - 1}, wrong with --opt-limit ${index}`);
  }
  if (located.claim !== null) printLine(`  ${describeReliance(located.claim)}`);
  printDifference(located.before, located.after);
}

/**
 * Prints the lines that only one of the texts contains, in order. Value ids make lines distinct.
 */
function printDifference(before: string, after: string): void {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const [known, kept] = [new Set(old), new Set(fresh)];
  for (const line of old) if (!kept.has(line)) printLine(`  - ${line.trim()}`);
  for (const line of fresh) if (!known.has(line)) printLine(`  + ${line.trim()}`);
}
