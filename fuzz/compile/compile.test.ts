// Tests `fuzz compile --dump`: the printed programs are valid and behave as the original.

import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { parseModule } from "../../src/ir/text/parse.js";
import { checkExpectation, runLines } from "../../src/ir/text/run-line.js";
import { decodeModule } from "../../src/oracle/fast/decode.js";
import { Oracle } from "../../src/oracle/fast/oracle.js";
import { DEFAULT_FUEL } from "../../src/oracle/fuel.js";
import { projectRoot } from "../../src/support/project-root.js";
import { runHere } from "../support/run-here.js";

const PROGRAM = join(projectRoot(), "corpus", "bench", "sieve.ir");

async function compile(t: ExecutionContext, ...args: readonly string[]): Promise<string> {
  const { status, out, error } = await runHere(["compile", PROGRAM, ...args]);
  t.is(status, 0, error);
  return out;
}

/** Splits a text into its programs. */
const programsIn = (text: string): string[] => text.split(/^(?=touchstone 1$)/m).slice(1);

function checkProgram(t: ExecutionContext, text: string): void {
  const module = parseModule(text);
  const program = decodeModule(module);
  const oracle = new Oracle();
  const runs = runLines(text, module);
  t.is(runs.length, 2);
  for (const { input, expected } of runs) {
    t.truthy(expected);
    const outcome = oracle.run(program, input, DEFAULT_FUEL);
    if (expected !== null) t.is(checkExpectation(expected, outcome), null);
  }
}

/** Returns the last application that each header names. */
const lastApplications = (text: string): number[] =>
  [...text.matchAll(/^; after .* --opt-limit (?:\d+ to )?(\d+): /gm)].map(([, last]) =>
    Number(last),
  );

test.serial("--dump all: every dump is a program that keeps its run lines", async (t) => {
  const story = await compile(t, "--level", "O2", "--dump", "all");
  t.regex(story, /^; as given\n/);
  const programs = programsIn(story);
  t.true(programs.length > 2);
  t.is(new Set(programs).size, programs.length);
  for (const program of programs) checkProgram(t, program);
  t.regex(story, /^; after canonicalize-phis of sieve/m);
  t.regex(story, /^; after reduce-strength of sieve, --opt-limit 1(?: to \d+)?: [a-z-]+ \d+/m);
});

test.serial("--dump PHASE: one program", async (t) => {
  const text = await compile(t, "--level", "O1", "--dump", "reduce-strength");
  t.is(programsIn(text).length, 1);
  checkProgram(t, text);
  t.notRegex(text, /eliminate/);
  t.regex(
    await compile(t, "--level", "O0", "--dump", "reduce-strength"),
    /^; reduce-strength did not run$/m,
  );
});

test.serial("--opt-limit stops at the given application", async (t) => {
  const counts = lastApplications(await compile(t, "--level", "O2", "--dump", "all"));
  t.deepEqual(
    counts,
    [...counts].sort((x, y) => x - y),
  );
  const some = Math.floor((counts.at(-1) ?? 0) / 2);
  t.true(some > 1);
  const limited = lastApplications(
    await compile(t, "--level", "O2", "--dump", "all", "--opt-limit", `${some}`),
  );
  t.is(limited.at(-1), some);
});

test.serial("--disable and --phases choose what runs", async (t) => {
  const phasesOf = (text: string): string[] =>
    [...text.matchAll(/^; after ([\w-]+) of/gm)].map(([, phase]) => phase);
  const chosen = await compile(t, "--dump", "all", "--phases", "eliminate-dead-code");
  t.deepEqual(phasesOf(chosen), ["eliminate-dead-code", "canonicalize-phis"]);
  const without = await compile(t, "--dump", "all", "--disable", "eliminate-dead-code");
  t.false(phasesOf(without).includes("eliminate-dead-code"));
  t.true(phasesOf(without).includes("reduce-strength"));
});

test.serial(
  "--dump lower, --dump allocate: LIR of every procedure, and nothing else",
  async (t) => {
    const lowered = await compile(t, "--level", "O2", "--dump", "lower");
    t.regex(lowered, /^lir x64 \w+\nB0/);
    t.false(lowered.includes("@rax"));
    const allocated = await compile(t, "--level", "O0", "--dump", "allocate", "--target", "arm64");
    t.regex(allocated, /^lir arm64 \w+( outgoing \d+)? allocated \d+ .*\nB0/);
  },
);

test.serial("--emit slots prints the locations of stack slots, as text and as JSON", async (t) => {
  const file = join(projectRoot(), "corpus", "golden", "text", "version-1.ir");
  for (const [target, register] of [
    ["x64", "rbp"],
    ["arm64", "x29"],
  ]) {
    const args = ["compile", file, "--level", "O0", "--target", target, "--emit", "slots"];
    const text = await runHere(args);
    t.is(text.status, 0, text.error);
    const lines = text.out.trimEnd().split("\n");
    t.true(lines.length > 1);
    for (const line of lines) {
      t.regex(
        line,
        RegExp(`^\\w+: stack\\d+: (locked|anonymous), \\d+ bytes from ${register}-\\d+$`),
      );
    }
    const answer = await runHere([...args, "--json"]);
    const { slots }: { slots: { register: string }[] } = JSON.parse(answer.out);
    t.is(slots.length, lines.length);
    t.true(slots.every((slot) => slot.register === register));
  }
});

// A check of one value in version 1 of the schema that the viewer iongraph reads.
type Shape = (value: unknown) => boolean;
const isNumber: Shape = (value) => typeof value === "number" && Number.isInteger(value);
const isText: Shape = (value) => typeof value === "string";
const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value);
const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape);
const objectOf =
  (fields: Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries(value).every(([name, field]) => fields[name]?.(field)) &&
    Object.keys(value).length === Object.keys(fields).length;
const MIR = objectOf({
  ptr: isNumber,
  id: isNumber,
  opcode: isText,
  attributes: listOf(isText),
  inputs: listOf(isNumber),
  uses: listOf(isNumber),
  memInputs: listOf(isNumber),
  type: isText,
});
const MIR_BLOCK = objectOf({
  ptr: isNumber,
  id: isNumber,
  loopDepth: isNumber,
  attributes: listOf(isText),
  predecessors: listOf(isNumber),
  successors: listOf(isNumber),
  instructions: listOf(MIR),
});
const LIR = objectOf({
  ptr: isNumber,
  id: isNumber,
  mirPtr: orNull(isNumber),
  opcode: isText,
  defs: listOf(isNumber),
});
const LIR_BLOCK = objectOf({ ptr: isNumber, id: isNumber, instructions: listOf(LIR) });
const PASS = objectOf({
  name: isText,
  mir: objectOf({ blocks: listOf(MIR_BLOCK) }),
  lir: objectOf({ blocks: listOf(LIR_BLOCK) }),
});
const GRAPH = objectOf({
  version: (value) => value === 1,
  functions: listOf(objectOf({ name: isText, passes: listOf(PASS) })),
});

interface Graph {
  readonly functions: readonly {
    readonly passes: readonly {
      readonly name: string;
      readonly mir: {
        readonly blocks: readonly { readonly instructions: readonly { ptr: number }[] }[];
      };
      readonly lir: {
        readonly blocks: readonly { readonly instructions: readonly { mirPtr: number | null }[] }[];
      };
    }[];
  }[];
}

test.serial(
  "--emit iongraph: passes in the viewer's schema, with LIR linked to its source values",
  async (t) => {
    const text = await compile(t, "--level", "O2", "--emit", "iongraph");
    const value: unknown = JSON.parse(text);
    t.true(GRAPH(value));
    const graph = value as Graph; // The cast: the check above verified its form.
    const passes = graph.functions[0].passes;
    t.deepEqual(
      [passes[0].name, ...passes.slice(-2).map(({ name }) => name)],
      ["as given", "lower", "allocate"],
    );
    const { mir, lir } = passes[passes.length - 1];
    const values = new Set(
      mir.blocks.flatMap(({ instructions }) => instructions.map(({ ptr }) => ptr)),
    );
    const origins = lir.blocks.flatMap(({ instructions }) =>
      instructions.flatMap(({ mirPtr }) => (mirPtr === null ? [] : [mirPtr])),
    );
    t.true(origins.length > 0);
    t.deepEqual(
      origins.filter((ptr) => !values.has(ptr)),
      [],
    );
    t.true(values.size > 0 && !values.has(0));
  },
);
