// Writes the folder of a finding: everything that a stranger needs to see it. No file name comes
// from a program.

import { join } from "node:path";
import { messageOf } from "../compare/crash-message.js";
import { subjectNamed } from "../execute/subjects.js";
import type { Input } from "../ir/outcome.js";
import type { Module } from "../ir/procedure.js";
import { printModule } from "../ir/text/print.js";
import { printInput } from "../ir/text/run-line.js";
import { describeReliance, nameOfCause } from "../localize/cause.js";
import {
  describeCode,
  describeFirstWrong,
  describeStage,
  describeWhy,
} from "../localize/describe-later-stage.js";
import type { LocatedCause } from "../localize/located-cause.js";
import { writeWholeFolder } from "../support/whole-file.js";
import { titleOf } from "./bucket.js";
import { describeOutcome } from "./describe.js";
import type { ComparedExecution, FindingEvidence } from "./evidence.js";
import { runLineOf } from "./expectation.js";
import {
  CONFIRMED,
  commandLine,
  confirmedFacts,
  corpusEntryOf,
  type Finding,
  originOf,
  PROGRAM_FILE,
  placeOf,
} from "./finding.js";
import { type CompilerOutput, compilerOutputOf } from "./inside.js";
import { escapeLines, fenced, inlineCode } from "./markdown.js";
import { playgroundLink } from "./playground-link.js";
import { reportPage } from "./report-page.js";
import { rowOfRule } from "./rule-row.js";

/** Returns the folder for the report of a finding. */
export const reportFolder = (reports: string, { id }: Pick<Finding, "id">): string =>
  join(reports, id);

/**
 * Makes the folder of a finding, and replaces one of that name; its parent folder must exist.
 * @param evidence null if the program is unknown, because the process that had it died
 * @param located null if the faulty part is not located
 * @param more files beside those of the finding
 */
export function writeReport(
  folder: string,
  finding: Finding,
  evidence: FindingEvidence | null,
  located: LocatedCause | null,
  more: Readonly<Record<string, string>> = {},
): void {
  const inside = evidence === null ? null : insideOf(finding, evidence);
  const files = evidence === null ? {} : filesOf(finding, evidence, located, inside);
  const hasRun = evidence !== null && evidence.executions.length > 0;
  const link = hasRun ? playgroundLink(finding, evidence, programText(evidence)) : null;
  writeWholeFolder(folder, {
    ...more,
    ...files,
    "report.md": reportText(finding, evidence, located, Object.keys({ ...more, ...files })),
    "report.html": reportPage(finding, evidence, located, inside, link),
    "finding.json": `${JSON.stringify(finding, null, 2)}\n`,
  });
}

/** Returns null if there is nothing to run, or no subject that ran it. */
function insideOf({ subject: name }: Finding, { module, executions, options }: FindingEvidence) {
  const subject = subjectNamed(name ?? "");
  if (subject === null || executions.length === 0) return null;
  return compilerOutputOf(module, subject, options?.settings, options?.parts);
}

function filesOf(
  finding: Finding,
  evidence: FindingEvidence,
  located: LocatedCause | null,
  inside: CompilerOutput | null,
): Record<string, string | Uint8Array> {
  const { executions, original, originalInputs } = evidence;
  const calls = `\n${originalInputs.map((input) => `${callLine(original, input)}\n`).join("")}`;
  const originalText = printModule(original) + calls;
  if (executions.length === 0) return { [PROGRAM_FILE]: originalText, "original.ir": originalText };
  const program = programText(evidence);
  return {
    [PROGRAM_FILE]: program,
    "original.ir": originalText,
    "regression.ir": regressionText(finding, program),
    ...irFiles(inside, located),
    ...messageFile(executions[0]),
    ...(evidence.reproducer?.files ?? {}),
    ...(inside?.assembly ? { "assembly.txt": escapeLines(inside.assembly) } : {}),
  };
}

/** Returns the output of a crashed subject as a file, if it has more than one line. */
function messageFile({ got }: ComparedExecution): Record<string, string> {
  const message = messageOf(got);
  return message?.includes("\n") ? { "message.txt": escapeLines(message) } : {};
}

// Returns the IR before and after the faulty application, if there is one; else before and after
// the optimizer.
function irFiles(
  inside: CompilerOutput | null,
  located: LocatedCause | null,
): Record<string, string> {
  if (located?.stage === "optimizer") {
    return { "ir-before.ir": located.before, "ir-after.ir": located.after };
  }
  if (inside === null) return {};
  const after = inside.after === null ? {} : { "ir-after.ir": inside.after };
  return { "ir-before.ir": inside.before, ...after };
}

const callLine = (module: Module, input: Input): string => `; run: ${printInput(module, input)}`;

/** Prints the program with the outcomes that the oracle expects. */
export const programText = ({
  module,
  executions,
}: Pick<FindingEvidence, "module" | "executions">) =>
  printModule(module) + runLinesOf(module, executions);

function runLinesOf(module: Module, executions: readonly ComparedExecution[]): string {
  const lines = executions.map(({ input, expected }) => runLineOf(module, input, expected));
  return lines.length === 0 ? "" : `\n${lines.join("\n")}\n`;
}

// Comments precede the first line of the text form, as in corpus/regress.
function regressionText(finding: Finding, program: string): string {
  return `; ${finding.bucket}: found by ${originOf(finding)}; fixed by: not yet\n${program}`;
}

/** Describes the faulty part, in one line of Markdown. */
function causeLine(located: LocatedCause): string {
  if (located.stage === "analysis") {
    return `- cause: a false claim of ${inlineCode(nameOfCause(located.cause))}`;
  }
  if (located.stage !== "optimizer") {
    const first = describeFirstWrong(located);
    const shown = first === null ? "" : `: ${inlineCode(first)}`;
    return `- cause: ${describeStage(located)}; ${inlineCode(describeWhy(located))}${shown}`;
  }
  const { phase, procedure, application, index, applications, claim } = located;
  const relies = claim === null ? "" : `, ${inlineCode(describeReliance(claim))}`;
  const where = `the optimizer, ${phase}, in ${inlineCode(procedure)}${relies}`;
  if (application === null) return `- cause: ${where}`;
  const { by, value } = application;
  return `- cause: ${where}: ${by} on @${value}, application ${index} of ${applications} (\`--opt-limit ${index - 1}\` is right)`;
}

/**
 * Describes the wrong code, if it was found: offsets, bytes, the intended and the actual
 * instructions.
 */
function codeParagraph(located: LocatedCause | null): string[] {
  if (located === null || !("instruction" in located) || located.instruction === null) return [];
  const { instruction } = located;
  const { target, row, code } = instruction;
  if (code.length === 0) return [`Nothing is written for ${inlineCode(row)}, on ${target}.`, ""];
  const text = escapeLines(`${describeCode(instruction).join("\n")}\n`);
  return [`Written for ${inlineCode(row)}, on ${target}:`, "", fenced(text, "text"), ""];
}

/** Shows the row of the faulty rule, with its place in the sources. */
function ruleParagraph({ cause }: Finding): string[] {
  const row = cause?.stage === "optimizer" && cause.rule !== null ? rowOfRule(cause.rule) : null;
  return row === null ? [] : [`The rule, ${row.place}:`, "", fenced(row.text, "ts"), ""];
}

const confirmedLines = (finding: Finding): string[] =>
  confirmedFacts(finding).map(({ label, text }) =>
    label === CONFIRMED ? `- ${label}: ${text}` : `- **${label}**: ${text}`,
  );

/**
 * Prints `report.md`.
 * @param files the other files of the folder
 */
function reportText(
  finding: Finding,
  evidence: FindingEvidence | null,
  located: LocatedCause | null,
  files: readonly string[],
): string {
  const { subject, aspect, bucket, canary, detail, command, id } = finding;
  const { bucketId } = finding;
  const parts = [`# ${escapeLines(titleOf(finding))}`, ""];
  const first = evidence?.executions[0];
  if (canary !== null) parts.push(`A planted bug, the canary ${inlineCode(canary)}.`, "");
  parts.push(`- differs: ${inlineCode(detail)}`);
  if (evidence !== null && first !== undefined) {
    const { module } = evidence;
    parts.push(
      `- called: ${inlineCode(printInput(module, first.input))}`,
      `- expected: ${inlineCode(describeOutcome(first.expected))}`,
      `- got: ${inlineCode(first.got === null ? "no outcome" : describeOutcome(first.got))}`,
    );
  }
  if (located !== null) parts.push(causeLine(located));
  parts.push(
    ...confirmedLines(finding),
    `- compared: ${aspect ?? "nothing: there was no outcome to compare"}`,
    `- subject: ${subject ?? "none"}`,
    `- reproduce, ${placeOf(command, "this")}: ${inlineCode(commandLine(command))}`,
    ...(first === undefined || finding.engine !== undefined ? [] : [keepLine(finding)]),
    "",
  );
  if (evidence !== null) {
    parts.push(fenced(programText(evidence), "text"), "", ...codeParagraph(located));
    parts.push(...ruleParagraph(finding));
  }
  parts.push(
    `Finding ${id}, bucket ${bucketId} ${inlineCode(bucket)}, ${inlineCode(originOf(finding))}.`,
    "",
  );
  if (evidence?.reproducer) parts.push(...evidence.reproducer.says, "");
  parts.push(...versionLines(finding), ...(evidence === null ? [] : fileLines(files)));
  return `${parts.join("\n")}\n`;
}

/** Returns the command that adds the finding to the corpus, with a proposed name and first line. */
function keepLine(finding: Finding): string {
  const { name, says } = corpusEntryOf(finding);
  const command = ["npx", "--no-install", "fuzz", "corpus", "add", ".", "--name", name];
  return `- to add it to the corpus, in this folder: ${inlineCode(commandLine([...command, "--says", says]))}`;
}

const versionLines = ({ versions }: Finding): string[] => [
  Object.entries(versions)
    .map(([name, version]) => `${name} ${inlineCode(version ?? "none")}`)
    .join(", "),
  "",
];

/** The files that every report may have, with descriptions of their contents. */
const FILES: readonly (readonly [names: readonly string[], holds: string])[] = [
  [[PROGRAM_FILE], "the reduced program, with the oracle's outcomes"],
  [["original.ir"], "the original program, with its inputs"],
  [["regression.ir"], "the reduced program, ready for corpus/regress"],
  [
    ["ir-before.ir", "ir-after.ir"],
    "the reduced program before and after the faulty application, or else the subject's optimizer",
  ],
  [["program.wat"], "program.wasm as text"],
  [["expected.txt"], "the answer of a right compiler"],
  [["message.txt"], "all that the subject wrote before it crashed"],
  [["assembly.txt"], "the subject's code, beside the values that it comes from"],
  [
    ["report.html"],
    "the report as a page, with diverging values, the change, the graph and the code",
  ],
  [["finding.json"], "the finding as JSON, for programs"],
];
const WITHOUT = "for the run without Touchstone";
const ALWAYS = ["report.html", "finding.json"];

function fileLines(files: readonly string[]): string[] {
  const there = new Set([...files, ...ALWAYS]);
  const rows = FILES.map(
    ([names, holds]) => [names.filter((name) => there.has(name)), holds] as const,
  );
  const described = new Set(FILES.flatMap(([names]) => names));
  const isOutside = (name: string): boolean => name.startsWith("outside-");
  const others = files.filter((name) => !described.has(name) && !isOutside(name));
  const outside = files.filter(isOutside);
  return [
    "| file | holds |",
    "| --- | --- |",
    ...[...rows, [outside, "a program that the seed mutates"] as const, [others, WITHOUT] as const]
      .filter(([names]) => names.length > 0)
      .map(([names, holds]) => `| ${names.join(", ")} | ${holds} |`),
  ];
}
