// Answers the requests of the page. The worker calls it, and so do tests in Node.

import { CANARIES } from "../campaign/canary/canaries.js";
import type { Canary } from "../campaign/canary/canary.js";
import { IMPORTED } from "../campaign/program/imported-program.js";
import { PROFILE_NAMES, programOf, USUAL } from "../campaign/program/seeds.js";
import { OPCODES } from "../ir/opcodes.js";
import type { Module } from "../ir/procedure.js";
import { ParseError } from "../ir/text/lexer.js";
import { coreSize } from "../reduce/candidate.js";
import { reduceProgram } from "../reduce/reduce.js";
import type { ProgramText } from "../report/page-state.js";
import { describeError } from "../support/assert.js";
import { compileText } from "./compile-text.js";
import { fuzz, reduceFound } from "./fuzz-browser.js";
import { judgeInBrowser } from "./judge-browser.js";
import { judgeText, PAGE_OPTIONS } from "./judge-text.js";
import { describeProfile } from "./profile-help.js";
import { printProgram, RequestError, readProgram } from "./program-text.js";
import type {
  BrowserDifference,
  FuzzRequest,
  JudgedCell,
  NameLists,
  ReducedProgram,
  RequestFault,
  WorkerReply,
  WorkerRequest,
} from "./protocol.js";

/** Profiles that the page can draw: the parents of `imported` are files. */
const PROFILES = PROFILE_NAMES.filter((name) => name !== IMPORTED);

/** Stages whose bugs the subjects of the page can show, if they compile for one of its rows. */
const SHOWN_STAGES: ReadonlySet<string> = new Set([
  "optimize",
  "lower",
  "allocate",
  "exits",
  "emit",
]);

/** A bug in the x86-64 code of continuations, which no row of the page runs. */
const CONTINUATION_CODE = "continuation-code";

/** Returns whether some row of the page may show the bug. No row runs machine code of x86-64. */
const isShown = ({ name, stage, subjects }: Canary): boolean =>
  SHOWN_STAGES.has(stage) &&
  name !== CONTINUATION_CODE &&
  !subjects.every((subject) => /^x64|-halves$/.test(subject));

/** Profiles whose programs show a bug sooner than the usual ones. */
const SOONER: Readonly<Record<string, string>> = {
  "float-rule": "pressure",
  "exit-place": "exits",
};

/** Returns the description of a planted bug, with the programs that show it. */
const describeBug = ({ name, stage, says, profile = SOONER[name] ?? USUAL }: Canary): string =>
  `${says}. ${stage === "emit" ? "Rows of AArch64 show it in" : "It shows in"} some programs of the profile ${profile}.`;

/**
 * Answers one request.
 * @param send receives each reply; a reduction has several
 */
export function answer(request: WorkerRequest, send: (reply: WorkerReply) => void): void {
  try {
    if (request.kind === "fuzz") fuzz(request, send);
    else send(replyTo(request, send));
  } catch (error) {
    send(faultOf(error));
  }
}

function replyTo(
  request: Exclude<WorkerRequest, FuzzRequest>,
  send: (reply: WorkerReply) => void,
): WorkerReply {
  switch (request.kind) {
    case "lists":
      return LISTS;
    case "judge":
      return judgeText(request);
    case "judge-browser":
      return judgeInBrowser(request);
    case "compile":
      return compileText(request, request.shown);
    case "draw":
      return { kind: "drawn", text: draw(request.profile, request.seed) };
    case "reduce":
      return reduce(request, send);
    case "reduce-found": {
      const replyWith = (difference: BrowserDifference, isComplete: boolean): WorkerReply => ({
        ...{ kind: "reduced-found", difference, isComplete },
      });
      const onSmaller = (smaller: BrowserDifference) => send(replyWith(smaller, false));
      return replyWith(reduceFound(request, onSmaller, send), true);
    }
  }
}

const LISTS: NameLists = {
  kind: "lists",
  profiles: PROFILES.map((name) => ({ name, says: describeProfile(name) ?? "" })),
  canaries: CANARIES.filter(isShown).map((canary) => ({
    name: canary.name,
    says: describeBug(canary),
  })),
  opcodes: Object.entries(OPCODES)
    // A parameter is written in the head of its procedure.
    .filter(([name]) => name !== "Parameter")
    .map(([name, { args, result, says }]) => {
      return { name, operands: `(${args.join(", ")}) -> ${result}`, says };
    }),
};

function draw(profile: string, seed: string): string {
  if (!PROFILES.includes(profile)) throw new RequestError(`no profile is named ${profile}`);
  if (!/^\d{1,20}$/.test(seed)) throw new RequestError(`seed ${seed}: expected a decimal number`);
  const { module, inputs } = programOf(BigInt.asUintN(64, BigInt(seed)), profile);
  return printProgram(module, inputs);
}

function reduce(program: ProgramText, send: (reply: ReducedProgram) => void): ReducedProgram {
  const { module, lines, planted } = readProgram(program);
  const inputs = lines.map(({ input }) => input);
  const { cells } = judgeText(program);
  const isDifferent = ({ verdicts, error }: JudgedCell): boolean =>
    error !== null || verdicts.some(({ kind }) => kind === "different");
  const subjects = PAGE_OPTIONS.subjects.filter((_, s) => isDifferent(cells[s]));
  if (subjects.length === 0)
    throw new RequestError("nothing differs, so there is nothing to reduce");
  const valuesBefore = coreSize(module);
  const replyOf = (
    best: { module: Module; inputs: typeof inputs },
    isComplete: boolean,
  ): ReducedProgram => ({
    ...{ kind: "reduced", isComplete, values: coreSize(best.module), valuesBefore },
    text: printProgram(best.module, best.inputs),
  });
  const reduced = reduceProgram(module, inputs, {
    ...PAGE_OPTIONS,
    ...planted,
    subjects,
    isPlain: false,
    keeps: (candidate) => {
      send(replyOf({ module: candidate.module, inputs: [...candidate.inputs] }, false));
      return true;
    },
  });
  if (reduced === null) throw new RequestError("the difference is gone when it is judged again");
  return replyOf({ module: reduced.module, inputs: [...reduced.inputs] }, true);
}

function faultOf(error: unknown): RequestFault {
  if (error instanceof ParseError) {
    const { line, column, message } = error;
    return { kind: "fault", place: { line, column }, message };
  }
  if (error instanceof RequestError) return { kind: "fault", place: null, message: error.message };
  const evidence = describeError(error);
  return {
    kind: "fault",
    place: null,
    message: `internal error, a bug in touchstone: ${evidence}`,
  };
}
