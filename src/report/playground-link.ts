// Writes the link of a report to the playground's page, which lies next to the report's folder.

import { deflateRawSync } from "node:zlib";
import { LEVEL_ALLOCATORS } from "../../reference/pipeline.js";
import { subjectNamed } from "../execute/subjects.js";
import { printInput } from "../ir/text/run-line.js";
import { describeOutcome } from "./describe.js";
import type { FindingEvidence } from "./evidence.js";
import type { Finding } from "./finding.js";
import { LINK_VERSION, linkJson, type ShownCompilation } from "./page-state.js";

/** The page, in the folder of the campaign. */
export const PLAYGROUND_FILE = "playground.html";

/** The greatest length: Firefox opens no address of more than a million characters. */
const LINK_MAX = 500_000;
const RUNS_MAX = 8;

const USUAL_COMPILATION: ShownCompilation = { target: "x64", level: "O1", allocator: "one-pass" };

/**
 * Returns the address, relative to the report; null if it is too long.
 * @param text the program with its run lines
 */
export function playgroundLink(
  { subject, canary }: Finding,
  { module, executions }: FindingEvidence,
  text: string,
): string | null {
  const runs = executions.slice(0, RUNS_MAX).map(({ input, expected, got }) => ({
    input: printInput(module, input),
    expected: describeOutcome(expected),
    got: got === null ? "no outcome" : describeOutcome(got),
  }));
  const found = { subject: subject ?? "none", runs };
  const json = linkJson({ text, canary, shown: compilationOf(subject), found, calls: null });
  const packed = deflateRawSync(json, { level: 9 }).toString("base64url");
  const link = `../${PLAYGROUND_FILE}#v${LINK_VERSION}.${packed}`;
  return link.length > LINK_MAX ? null : link;
}

/** Returns the compilation of the subject, or a usual one for another project's compiler. */
function compilationOf(name: string | null): ShownCompilation {
  const subject = subjectNamed(name ?? "");
  if (subject === null) return USUAL_COMPILATION;
  const { level } = subject;
  const { target, allocator } = USUAL_COMPILATION;
  return {
    target: subject.target ?? target,
    level,
    allocator: subject.allocator ?? LEVEL_ALLOCATORS[level] ?? allocator,
  };
}
