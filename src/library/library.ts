// Exports the library: the names of `import { ... } from "touchstone"`. They change only under semantic versioning;
// modules by path are not part of the interface. docs/library.md describes each name, docs/api.md its parameters and
// results.

import { fileProgram } from "../campaign/file/file-finding.js";
import { fileDifference } from "../campaign/file/file-remote.js";
import { isProfile, programOf, USUAL } from "../campaign/program/seeds.js";
import { ASPECTS } from "../compare/aspects.js";
import { describeDifference } from "../compare/describe-difference.js";
import { Judge } from "../compare/judge-program.js";
import { bitsOfInteger } from "../engine/command-protocol.js";
import type { EngineSubject } from "../engine/engine-subject.js";
import { engineNamed } from "../engine/engines.js";
import { failedBy } from "../engine/run-answer.js";
import type { ReferenceSubject } from "../execute/reference-subject.js";
import { NOT_SHOWN, type RemoteAnswer, type RemoteProgram } from "../execute/subject.js";
import { subjectNamed } from "../execute/subjects.js";
import { DEFAULT_SETTINGS } from "../execute/unit.js";
import { exportC } from "../export/c/export-c.js";
import { exportWasm, exportWasmCall } from "../export/wasm/export-wasm.js";
import { Builder } from "../ir/builder.js";
import { typeOfName } from "../ir/opcodes.js";
import { HEAP_BASE, type Input, type ObservedBits, type Outcome } from "../ir/outcome.js";
import { Module, Procedure, type Value } from "../ir/procedure.js";
import { ParseError } from "../ir/text/lexer.js";
import { parseModule } from "../ir/text/parse.js";
import { printModule } from "../ir/text/print.js";
import { printOutcome, runLines } from "../ir/text/run-line.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  isWide,
  type TypeName,
  type ValueTypeName,
  Void,
} from "../ir/types.js";
import { describeFault, verify } from "../ir/verify/verify.js";
import { wordsOf } from "../ir/words.js";
import { causeOf } from "../localize/cause.js";
import { localize as locate } from "../localize/localize.js";
import { DEFAULT_FUEL } from "../oracle/fuel.js";
import { reduceProgram, signatureIn, TESTS_MAX } from "../reduce/reduce.js";
import { reduceTogether } from "../reduce/reduce-together.js";
import { RemoteCandidateJudge, remoteSignatureOf } from "../reduce/remote-candidates.js";
import { runLineOf } from "../report/expectation.js";
import { compilerOutputOf } from "../report/inside.js";
import { assert } from "../support/assert.js";
import { makeFolders } from "../support/whole-file.js";

/** A program with its inputs. It must not be changed: make another one from text. */
export interface Program {
  /** The procedures; an execution calls the entry. */
  readonly module: Module;
  /** The inputs of the entry, one execution each. */
  readonly inputs: readonly Input[];
}

/**
 * A compiler, or another system that runs programs: `subject` finds one by name, `defineSubject` makes one of yours.
 */
export type Subject = ReferenceSubject | EngineSubject;

/** The result of one subject in one execution. */
export interface JudgedProgram {
  /** The name of the subject. */
  readonly subject: string;
  /** Index of the input. */
  readonly input: number;
  /** `unjudged`: the oracle leaves the execution open, or the subject cannot show its outcome. */
  readonly verdict: "equal" | "different" | "unjudged";
  /** The difference, or why the execution is not judged; empty if equal. */
  readonly detail: string;
}

/** One execution, for a subject of yours. */
export interface Execution {
  /** The program as text. */
  readonly text: () => string;
  /** The bits of each argument. */
  readonly args: readonly bigint[];
  /** Whether the procedure has a result. */
  readonly hasResult: boolean;
  /**
   * Returns a WebAssembly module whose export `main` takes no arguments and returns the bits of the result, or 0 if
   * there is none.
   */
  readonly wasmCall: () => Uint8Array<ArrayBuffer>;
  /** The program, from which `text` and `wasmCall` are made. */
  readonly module: Module;
  /** The input: `args`, and the contents of the heap. */
  readonly input: Input;
}

/** The definition of a subject of yours. */
export interface SubjectDefinition {
  /** The name in verdicts and reports. */
  readonly name: string;
  /**
   * Runs one execution, and returns the bits of its result; null if the procedure has none. An exception is a crash,
   * which is a difference.
   */
  readonly run: (execution: Execution) => bigint | null | Promise<bigint | null>;
}

/**
 * Returns the program of a seed: the same on every machine, for one version of the generator.
 * @throws RangeError unless the seed is an integer of 64 bits, and the profile exists
 */
export function generate(seed: bigint | number, profile = USUAL): Program {
  const number = Number.isInteger(Number(seed)) ? BigInt(seed) : -1n;
  if (number !== BigInt.asUintN(64, number))
    throw new RangeError(`seed ${seed}: expected an integer of 64 bits, from 0`);
  if (!isProfile(profile)) throw new RangeError(`profile ${profile}: there is no such profile`);
  return programOf(number, profile);
}

/**
 * Parses a program; its `; run:` lines are its inputs.
 * @throws an error with the line and the expected token
 */
export function parse(text: string): Program {
  const { module, inputs } = withPosition(() => {
    const parsed = parseModule(text);
    return { module: parsed, inputs: runLines(text, parsed).map(({ input }) => input) };
  });
  return verified(module, inputs);
}

function verified(module: Module, inputs: readonly Input[]): Program {
  const [fault] = verify(module);
  if (fault !== undefined) throw new TypeError(describeFault(fault));
  return { module, inputs };
}

/**
 * The builder of a procedure. `emit` has a typed method for each opcode and appends to the current block; `startBlock`
 * begins another one. `parameters` has the values of the parameters, `proc` makes slots and snapshots.
 */
export type ProcedureBuilder<P extends readonly ValueTypeName[] = readonly ValueTypeName[]> =
  Builder & { readonly parameters: { readonly [I in keyof P]: Value<P[I]> } };

/** The argument of the function that `build` calls. */
export interface ModuleBuilder {
  /** The module; its heap has 4,096 bytes unless the function changes `heapSize`. */
  readonly module: Module;
  /** Adds a procedure; the first is the entry. */
  readonly procedure: <const P extends readonly ValueTypeName[]>(
    name: string,
    parameters: P,
    result: TypeName,
  ) => ProcedureBuilder<P>;
}

/** The input of an execution of a built program. */
export interface InputBits {
  /** The bits of each argument. */
  readonly args: readonly bigint[];
  /** The seed of the heap's contents; 0 if absent. */
  readonly heapSeed?: number;
}

/** The type arguments of the methods `Load` and `Phi`, and the address of the heap's first byte. */
export const BUILDER_CONSTANTS = { Int32, Int64, Float, Double, HEAP_BASE } as const;

/**
 * Builds a program.
 * @throws a TypeError with the first fault of the program, or of an input
 */
export function build(
  define: (builder: ModuleBuilder) => void,
  inputs: readonly InputBits[],
): Program {
  const module = new Module();
  const procedure = <P extends readonly ValueTypeName[]>(
    name: string,
    parameters: P,
    result: TypeName,
  ): ProcedureBuilder<P> => {
    const proc = new Procedure(name, typeOfName(result));
    for (const type of parameters) proc.newParameter(typeOfName(type));
    module.procedures.push(proc);
    // The parameters have the types of P, in order.
    const typed = { parameters: proc.parameters } as Pick<ProcedureBuilder<P>, "parameters">;
    return Object.assign(new Builder(proc), typed);
  };
  define({ module, procedure });
  if (module.procedures.length === 0) throw new TypeError("build: expected a procedure");
  return verified(
    module,
    inputs.map((input) => inputOf(module, input)),
  );
}

function inputOf({ entry }: Module, { args, heapSeed = 0 }: InputBits): Input {
  const { name, parameters } = entry;
  if (args.length !== parameters.length) {
    throw new TypeError(
      `${name} takes ${parameters.length} arguments, an input has ${args.length}`,
    );
  }
  const words = args.flatMap((bits, p) => wordsOf(parameters[p].type, bits));
  return { words: Int32Array.from(words), heapSeed };
}

/** Puts line and column before the message of a parse error; they remain its fields as well. */
function withPosition<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ParseError) {
      error.message = `${error.line}:${error.column}: ${error.message}`;
    }
    throw error;
  }
}

/** Returns text that `parse` and `fuzz` read. Its run lines contain the outcomes of the oracle. */
export function print({ module, inputs }: Program): string {
  const lines = interpret({ module, inputs }).map((outcome, i) =>
    runLineOf(module, inputs[i], outcome),
  );
  return `${printModule(module)}\n${lines.map((line) => `${line}\n`).join("")}`;
}

/** Returns the outcomes of the oracle, by input. */
export function interpret({ module, inputs }: Program): readonly Outcome[] {
  const judge = new Judge({ subjects: [], fuelMax: DEFAULT_FUEL });
  const { expected } = judge.judge({ module, inputs });
  judge.close();
  return expected;
}

/** Returns an outcome in one line. */
export const describe = (outcome: Outcome): string => printOutcome(outcome);

/**
 * Returns the program after the optimizer of a reference subject, and its code; null if there is none, as for an
 * engine.
 */
export function compile(
  { module }: Program,
  subject: Subject,
): { readonly optimized: string | null; readonly assembly: string | null } {
  if (subject.kind !== "local") return { optimized: null, assembly: null };
  const { after, assembly } = compilerOutputOf(module, subject, DEFAULT_SETTINGS);
  return { optimized: after, assembly };
}

/** Returns the program as a WebAssembly module, which docs/subject-command.md describes. */
export const toWasm = ({ module }: Program): Uint8Array => exportWasm(module).bytes;

/** Returns the program as a file of C11. */
export const toC = ({ module }: Program): string => exportC([module]);

/**
 * Returns a reference subject (`x64-O2`), or an engine of the table of `fuzz engines` (`v8-turbofan`); null if there is
 * none.
 */
export const subject = (name: string): Subject | null => subjectNamed(name) ?? engineNamed(name);

/** Returns a subject of yours, in this process. Its results are compared. */
export const defineSubject = ({ name, run }: SubjectDefinition): EngineSubject => ({
  kind: "remote",
  name,
  capabilities: new Set(["results"]),
  native: true,
  missing: () => null,
  open: () => ({
    prepare: async (programs) => ({ run: () => runEach(programs, run) }),
    close: () => {},
  }),
  batch: 1,
  version: () => name,
  reproducer: () => ({}),
});

async function runEach(
  programs: readonly RemoteProgram[],
  run: SubjectDefinition["run"],
): Promise<RemoteAnswer[]> {
  const answers: RemoteAnswer[] = [];
  for (const { module, executions } of programs) {
    const outcomes: Outcome[] = [];
    for (const { input } of executions) outcomes.push(await runOne(module, input, run));
    answers.push({ kind: "ran", outcomes });
  }
  return answers;
}

async function runOne(
  module: Module,
  input: Input,
  run: SubjectDefinition["run"],
): Promise<Outcome> {
  const { parameters, result: type } = module.entry;
  const execution: Execution = {
    text: () => printModule(module),
    args: parameters.map(({ type: own }, p) => argumentOf(input.words, p, isWide(own))),
    hasResult: type !== Void,
    wasmCall: () => new Uint8Array(exportWasmCall(module, input)),
    module,
    input,
  };
  try {
    const bits = await run(execution);
    if ((bits === null) !== (type === Void)) return failedBy("garbage", `a result of ${bits}`);
    const result: ObservedBits | null = bits === null ? null : bitsOfInteger(bits, type);
    return { events: [], ending: { kind: "return", result, heap: NOT_SHOWN } };
  } catch (error) {
    return failedBy("crash", String(error));
  }
}

function argumentOf(words: Int32Array, p: number, wide: boolean): bigint {
  const lo = BigInt(words[2 * p] >>> 0);
  return wide ? lo | (BigInt(words[2 * p + 1] >>> 0) << 32n) : lo;
}

/**
 * Checks the subjects that a caller without types gives.
 * @throws TypeError
 */
function checkSubjects(caller: string, subjects: readonly Subject[]): void {
  if (!Array.isArray(subjects)) throw new TypeError(`${caller}: expected a list of subjects`);
  const at = subjects.findIndex((one: Subject | null | undefined) => one?.kind === undefined);
  if (at < 0) return;
  throw new TypeError(
    `${caller}: expected a subject, got ${JSON.stringify(subjects[at]) ?? "undefined"}: subject(NAME) is null if no subject has that name; fuzz list subjects and fuzz list engines have the names`,
  );
}

/**
 * Judges the program with each subject, on each of its inputs.
 * @throws a TypeError if one is not a subject
 */
export async function judge(
  program: Program,
  subjects: readonly Subject[],
): Promise<readonly JudgedProgram[]> {
  checkSubjects("judge", subjects);
  const open = new Judge({ subjects, fuelMax: DEFAULT_FUEL });
  try {
    const [{ results }] = await open.judgeAll([program]);
    return results.flatMap(({ subject: name, judgements }) =>
      judgements.map(({ input, verdict }): JudgedProgram => {
        const { kind } = verdict;
        const detail =
          verdict.kind === "different"
            ? `${verdict.aspect}: ${describeDifference(verdict.difference)}`
            : verdict.kind === "unjudged"
              ? verdict.reason
              : "";
        return { subject: name, input, verdict: kind, detail };
      }),
    );
  } finally {
    open.close();
  }
}

/**
 * Returns the smallest program found that still shows the first difference of the subject; null if there is no
 * difference.
 */
export async function reduce(program: Program, by: Subject): Promise<Program | null> {
  checkSubjects("reduce", [by]);
  const { module, inputs } = program;
  if (by.kind === "local") {
    return reduceProgram(module, inputs, { subjects: [by], fuelMax: DEFAULT_FUEL });
  }
  const start = { module, inputs: [...inputs] };
  const wanted = await remoteSignatureOf(start, by, null);
  if (wanted === null) return null;
  const candidateJudge = new RemoteCandidateJudge(start, by, wanted, {
    fuelMax: DEFAULT_FUEL,
    width: by.batch,
  });
  const { signal } = new AbortController();
  try {
    const how = { testsMax: TESTS_MAX, signal, onProgress: () => {} };
    return (await reduceTogether(start, candidateJudge, how))?.best ?? null;
  } finally {
    candidateJudge.close();
  }
}

/**
 * Locates the cause of a difference in a reference subject, from the widest part to the narrowest: `optimizer`, phase,
 * rule. Returns nothing if no execution differs, and for an engine, whose parts are unknown.
 */
export function localize({ module, inputs }: Program, by: Subject): readonly string[] {
  checkSubjects("localize", [by]);
  if (by.kind !== "local") return [];
  const options = { subjects: [by], fuelMax: DEFAULT_FUEL };
  if (signatureIn({ module, inputs: [...inputs] }, options) === null) return [];
  const { stage, part, rule } = causeOf(locate(module, inputs, by, options, false), by);
  return [stage, part, rule].filter((name) => name !== null);
}

/**
 * Writes the report of a difference: reduced; confirmed if `fuzz` has the subject; located if it is a reference
 * subject. Returns the folder, or null if nothing differs.
 * @param folder the report gets a folder of its own in it
 */
export async function report(
  program: Program,
  by: Subject,
  folder: string,
): Promise<string | null> {
  checkSubjects("report", [by]);
  const [found] = (await judge(program, [by])).filter(({ verdict }) => verdict === "different");
  if (found === undefined) return null;
  makeFolders(folder);
  const [aspect] = found.detail.split(":");
  const symptom = {
    ...({ kind: "difference", seed: null, parents: "", subject: by.name } as const),
    ...{
      aspect: ASPECTS.find((name) => name === aspect) ?? null,
      input: found.input,
      detail: found.detail,
    },
  };
  const filing = { canary: null, profile: USUAL, reports: folder, reported: {} };
  const options = { subjects: by.kind === "local" ? [by] : [], fuelMax: DEFAULT_FUEL };
  const filed =
    by.kind === "local"
      ? await fileProgram(program, symptom, options, [], filing)
      : await fileDifference(program, symptom, by, null, filing);
  assert(filed.kind === "report", () => "nothing was reported before");
  return filed.entry.path;
}
