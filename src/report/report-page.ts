// Makes the page of a finding: selects the facts and the contents of the sections.

import { parseModule } from "../ir/text/parse.js";
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
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { titleOf } from "./bucket.js";
import { describeOutcome } from "./describe.js";
import { findDivergence, type TraceDivergence, traceWithWrongValue } from "./divergence.js";
import type { FindingEvidence } from "./evidence.js";
import { commandLine, confirmedFacts, type Finding, originOf, placeOf } from "./finding.js";
import type { CompilerOutput } from "./inside.js";
import { markedPair } from "./page/diff.js";
import type { HtmlMarkup } from "./page/markup.js";
import { type PageContents, pageOf } from "./page/page.js";

export function reportPage(
  finding: Finding,
  evidence: FindingEvidence | null,
  located: LocatedCause | null,
  inside: CompilerOutput | null,
  playground: string | null,
): string {
  const { id, versions } = finding;
  const shown = evidence !== null && evidence.executions.length > 0 ? evidence : null;
  const version = Object.entries(versions).map(([name, text]) => `${name} ${text ?? "none"}`);
  const contents: PageContents = {
    title: titleOf(finding),
    facts: factsOf(finding, shown, located),
    program: shown === null ? null : programText(shown),
    playground,
    module: shown?.module ?? null,
    divergence: shown === null ? null : divergenceOf(shown, located, inside),
    sides: SIDES[located?.stage === "optimizer" ? "optimizer" : "behind"],
    change: changeOf(located, inside),
    written: writtenOf(located),
    assembly: inside?.assembly ?? null,
    footer: `Finding ${id}. ${version.join(", ")}.`,
  };
  return pageOf(contents);
}

const SIDES = {
  optimizer: ["before the faulty application", "after it"],
  behind: ["in the oracle, optimized", "in the code"],
} as const;

function factsOf(
  finding: Finding,
  evidence: FindingEvidence | null,
  located: LocatedCause | null,
): [string, string | HtmlMarkup][] {
  const { detail, subject, bucket, bucketId, canary, command, seed } = finding;
  const facts: [string, string | HtmlMarkup][] = [["differs", detail]];
  const first = evidence?.executions[0];
  if (evidence !== null && first !== undefined) {
    const got = first.got === null ? "no outcome" : describeOutcome(first.got);
    facts.push(["called", printInput(evidence.module, first.input)]);
    const [expectedMarked, gotMarked] = markedPair(describeOutcome(first.expected), got);
    facts.push(["expected", expectedMarked], ["got", gotMarked]);
  }
  if (located !== null) facts.push(["cause", describeLocated(located)]);
  if (canary !== null) facts.push(["planted", canary]);
  for (const { label, text } of confirmedFacts(finding)) facts.push([label, text]);
  facts.push(["subject", subject ?? "none"], ["bucket", `${bucketId} ${bucket}`]);
  if (seed !== null) facts.push(["found by", originOf(finding)]);
  facts.push([`reproduce, ${placeOf(command, "its")}`, commandLine(command)]);
  return facts;
}

function describeLocated(located: LocatedCause): string {
  if (located.stage === "analysis") return `a false claim of ${nameOfCause(located.cause)}`;
  if (located.stage !== "optimizer") {
    const first = describeFirstWrong(located);
    const shown = first === null ? "" : `: ${first}`;
    return `${describeStage(located)}; ${describeWhy(located)}${shown}`;
  }
  const { phase, procedure, application, index, applications, claim } = located;
  const by = application === null ? "" : `: ${application.by} on @${application.value}`;
  const which = application === null ? "" : `, application ${index} of ${applications}`;
  const relies = claim === null ? "" : `, ${describeReliance(claim)}`;
  return `the optimizer, ${phase}${by}${which}, in ${procedure}${relies}`;
}

const programText = ({ module, executions }: FindingEvidence): string =>
  `${printModule(module)}\n${executions.map(({ input }) => `; run: ${printInput(module, input)}\n`).join("")}`;

/**
 * Compares the programs before and after the faulty application; or the optimized program with its
 * wrong code.
 */
function divergenceOf(
  { executions }: FindingEvidence,
  located: LocatedCause | null,
  inside: CompilerOutput | null,
): TraceDivergence | null {
  if (located === null || located.stage === "analysis") return null;
  const [{ input }] = executions;
  try {
    if (located.stage === "optimizer") {
      const [before, after] = [parseModule(located.before), parseModule(located.after)];
      return findDivergence(before, after, input, DEFAULT_FUEL);
    }
    const wrong = located.wrong ?? located.instruction;
    if (wrong === null || wrong.value < 0 || inside === null || inside.after === null) return null;
    return traceWithWrongValue(parseModule(inside.after), input, DEFAULT_FUEL, wrong);
  } catch {
    return null; // the faulty application left an invalid program
  }
}

/** Returns the wrong code: one line for each machine instruction. */
function writtenOf(located: LocatedCause | null): PageContents["written"] {
  if (located === null || !("instruction" in located) || located.instruction === null) return null;
  const { target, row } = located.instruction;
  const lines = describeCode(located.instruction);
  const text = lines.length === 0 ? "nothing" : lines.join("\n");
  return { title: `Written for ${row}, on ${target}`, text };
}

function changeOf(
  located: LocatedCause | null,
  inside: CompilerOutput | null,
): PageContents["change"] {
  if (located?.stage === "optimizer") {
    const { before, after } = located;
    return { title: "The faulty application", before, after };
  }
  if (inside === null || inside.after === null || inside.after === inside.before) return null;
  return { title: "The change by the optimizer", before: inside.before, after: inside.after };
}
