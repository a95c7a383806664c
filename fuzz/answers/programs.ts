// Shapes of what is said of one program.

import { z } from "zod";
import {
  ALLOCATOR,
  AMOUNT,
  COUNT,
  COUNTS,
  INTERRUPTED,
  LEFT_OUT,
  LEVEL,
  SEED,
  TARGET,
  TEXT,
  TEXTS,
  VERDICTS,
} from "./shared.js";

const VERDICT = {
  verdict: z.enum(["equal", "different", "unjudged"]),
  aspect: TEXT.nullable().describe("what differs; null unless something does"),
  detail: TEXT.nullable().describe("how it differs, or why it is not judged"),
};

/** Outcomes are as run lines have them. */
const EXECUTED = {
  input: TEXT.describe("as a run line has it"),
  oracle: TEXT.describe("the outcome"),
  subjects: z.array(
    z.strictObject({
      subject: TEXT,
      ...VERDICT,
      outcome: TEXT.nullable().describe("null where it is equal, or there is none"),
    }),
  ),
};

const CLAIM = z
  .strictObject({
    subject: TEXT.nullable(),
    cause: TEXT.describe("the analysis, as buckets name it"),
    detail: TEXT,
  })
  .nullable()
  .describe("the first false claim of an analysis; null: none was found");

const OUT = TEXT.nullable().describe("the file; null: it is here");

export const SEED_PROGRAM = z.strictObject({
  seed: SEED,
  generator: TEXT.describe("its version"),
  profile: TEXT.describe("by which the seed was read"),
  parents: TEXT.describe("what it mutates, as --parents has it"),
  canary: z.strictObject({ name: TEXT, says: TEXT }).nullable(),
  program: TEXT,
  faults: TEXTS.describe("what the verifier says against it; then it is not judged"),
  inputs: z.array(z.strictObject(EXECUTED)),
  missing: LEFT_OUT,
  claim: CLAIM,
  verdict: z.enum(["equal", "different", "unjudged", "invalid"]),
  counts: VERDICTS,
});

export const EXEC = z.strictObject({
  program: TEXT.nullable().describe("with --each-exit: rewritten"),
  guards: z
    .array(
      z.strictObject({
        procedure: TEXT,
        value: z.int(),
        opcode: TEXT,
        exit: z.int(),
        input: COUNT.nullable().describe("index of the one that makes it fail; null: none does"),
      }),
    )
    .describe("with --each-exit"),
  inputs: z.array(
    z.strictObject({
      line: COUNT.nullable().describe("of the file; null of those that --each-exit adds"),
      ...EXECUTED,
      expectation: z
        .strictObject({ failure: TEXT.nullable().describe("null: it holds") })
        .nullable()
        .describe("of the run line"),
    }),
  ),
  missing: LEFT_OUT,
  claim: CLAIM,
  differences: COUNT.describe("of subjects, of expectations, and 1 for a false claim"),
});

const PLACES = TEXTS.describe("where each is, in words");

export const COMPILE = z.strictObject({
  target: TARGET,
  level: LEVEL,
  chaos: TEXTS.nullable().describe("with --chaos: what it has drawn, in words"),
  dumps: z
    .array(z.strictObject({ says: TEXTS, program: TEXT.nullable().describe("null: as it was") }))
    .describe("with --dump of phases"),
  ir: TEXT.nullable(),
  lir: z.array(
    z.strictObject({ stage: z.enum(["lower", "allocate"]), procedure: TEXT, text: TEXT }),
  ),
  asm: TEXTS.nullable(),
  code: z
    .string()
    .regex(/^([\da-f]{2})*$/)
    .nullable()
    .describe("with --emit bytes: hexadecimal"),
  exits: z
    .array(
      z.strictObject({
        exit: z.int(),
        procedure: z.int(),
        snapshot: z.int(),
        frameSize: COUNT.describe("bytes"),
        saved: z.array(z.int()).describe("registers"),
        leaves: PLACES,
        frames: z.array(z.strictObject({ name: TEXT, point: z.int(), slots: PLACES })),
      }),
    )
    .nullable(),
  slots: z
    .array(
      z.strictObject({
        procedure: TEXT,
        slot: z.int().describe("N of stackN"),
        size: COUNT.describe("bytes"),
        isLocked: z.boolean(),
        register: TEXT.describe("what the offset counts from"),
        offset: z.int().describe("of its first byte, in each frame of the procedure"),
        sharesWith: z
          .array(z.int())
          .describe("the slots of the procedure that lie in some of the same bytes"),
      }),
    )
    .nullable()
    .describe("with --emit slots: where stack slots lie"),
  iongraph: z
    .strictObject({ version: z.literal(1), functions: z.array(z.unknown()) })
    .nullable()
    .describe("as the viewer iongraph reads it"),
  error: TEXT.nullable().describe("why it does not compile"),
});

export const TRACE = z.strictObject({
  bytecode: TEXTS.nullable().describe("of a program that interprets it: its listing"),
  runs: z.array(
    z.strictObject({
      input: EXECUTED.input,
      oracle: EXECUTED.oracle,
      traces: TEXTS.describe("each as a program, with comments above"),
      counts: COUNTS,
      ...VERDICT,
      plain: TEXT.nullable().describe("what the plain interpreter of bytecode does otherwise"),
    }),
  ),
  differences: COUNT,
});

export const EXPORT = z.strictObject({
  format: TEXT,
  bytes: COUNT,
  out: OUT,
  text: TEXT.nullable().describe("of a format of text"),
  base64: TEXT.nullable().describe("of a binary format"),
});

export const IMPORT = z.strictObject({
  programs: z.array(
    z.strictObject({
      name: TEXT.describe("the export"),
      out: OUT,
      text: TEXT.nullable(),
      cases: COUNT.describe("run lines"),
      faults: TEXTS.describe("what does not come out as the script says"),
      unjudged: TEXTS.describe("cases of a script that the language leaves open, or its limits"),
      notImported: TEXTS.describe("functions of which a call is an exit, and pages without room"),
    }),
  ),
  leftOut: z
    .array(z.strictObject({ line: COUNT, says: TEXT }))
    .describe("of a script: what is not imported, and why"),
});

export const PHASES = z.strictObject({
  procedures: z.array(
    z.strictObject({
      phases: COUNT.describe("that changed it, and were judged"),
      unchanged: COUNT.describe("phases that left it as it was"),
      equal: COUNT.describe("executions that were equal behind a phase"),
      open: COUNT.describe("executions that are not judged"),
      outside: z
        .array(z.strictObject({ phase: TEXT, why: TEXT }))
        .describe("behind which it cannot be imported"),
      wrong: z
        .strictObject({
          phase: TEXT,
          line: COUNT.describe("of the log, where what it left begins"),
          input: TEXT.describe("as a run line has it"),
          difference: TEXT,
        })
        .nullable()
        .describe("the first phase that changes what the procedure does"),
    }),
  ),
  died: z
    .strictObject({ how: TEXT, next: TEXT.nullable().describe("the phase that was next") })
    .nullable()
    .describe("of the engine, if it did not end well"),
  files: TEXTS.describe("that were written"),
});

export const REDUCE = z.strictObject({
  what: TEXT.nullable().describe("what the program keeps; null: there is nothing to reduce"),
  why: TEXT.nullable().describe("there is nothing to reduce"),
  program: TEXT.nullable(),
  out: OUT,
  before: COUNT.describe("values"),
  after: COUNT.nullable(),
  tests: COUNT,
  interrupted: INTERRUPTED,
});

export const ENGINES = z.strictObject({
  engines: z.array(
    z.strictObject({
      name: TEXT,
      version: TEXT.nullable(),
      missing: TEXT.nullable().describe("what this machine lacks for it"),
    }),
  ),
});

const BUG_STATE = z.enum(["alive", "right", "absent"]);

export const ENGINES_REGRESS = z.strictObject({
  old: TEXT.describe("the version"),
  new: TEXT.describe("the version"),
  bugs: z.array(
    z.strictObject({ bug: TEXT, row: TEXT, old: BUG_STATE, new: BUG_STATE, says: TEXT }),
  ),
});

export const ENGINES_RUN = z.strictObject({
  engines: z.array(
    z.strictObject({
      engine: TEXT,
      programs: COUNT,
      executions: COUNT,
      equal: COUNT,
      different: COUNT,
      unjudged: COUNT,
      declined: COUNT.describe("programs"),
      seconds: AMOUNT,
      aspects: COUNTS.describe("what differs"),
      causes: z
        .array(z.strictObject({ cause: TEXT, seeds: z.array(SEED) }))
        .describe("with --explain: known bugs, and the programs that have met each"),
      findings: z.array(
        z.strictObject({
          seed: SEED,
          input: COUNT.describe("its index"),
          aspect: TEXT,
          detail: TEXT,
          file: TEXT.nullable().describe("with --out"),
        }),
      ),
    }),
  ),
  interrupted: INTERRUPTED,
});

const WRONG_INSTRUCTION = z.strictObject({
  target: TARGET,
  row: TEXT.describe("of the LIR instruction; or move, prologue, exit stub"),
  procedure: TEXT,
  instruction: z.int(),
  code: z.array(
    z.strictObject({
      offset: COUNT,
      bytes: TEXT.describe("hexadecimal"),
      meant: TEXT,
      read: TEXT.nullable().describe("by objdump; null where it was not run"),
    }),
  ),
  kind: z.enum(["value", "memory", "control"]),
  value: z.int().describe("-1 where none is"),
  text: TEXT,
  location: TEXT,
  expected: TEXT,
  got: TEXT,
});

const WRONG_VALUE = z.strictObject({
  kind: z.enum(["value", "operand", "control"]),
  procedure: TEXT,
  value: z.int(),
  text: TEXT,
  instruction: z.int(),
  row: TEXT,
  location: TEXT,
  expected: TEXT,
  got: TEXT,
  witness: z.enum(["oracle", "code"]).nullable(),
});

const WRONG_MOVES = z.strictObject({
  procedure: TEXT,
  place: TEXT,
  meant: TEXT,
  made: TEXT,
  location: TEXT,
  expected: TEXT,
  got: TEXT,
});

/** `Located` of src/localize/located.ts. */
const LOCATED = z.discriminatedUnion("stage", [
  z.strictObject({
    stage: z.literal("optimizer"),
    phase: TEXT,
    procedure: TEXT,
    detail: TEXT,
    application: z
      .strictObject({ by: TEXT, value: z.int(), procedure: TEXT })
      .nullable()
      .describe("null where a required phase is wrong"),
    claim: z
      .strictObject({
        what: TEXT.describe("the invariant, without anything of the program"),
        by: TEXT.nullable().describe("of a range: the opcode that gave it"),
        detail: TEXT,
      })
      .nullable()
      .describe("the first false claim that the phase relies on"),
    index: COUNT.describe("of the application: --opt-limit of one less is right"),
    applications: COUNT,
    before: TEXT,
    after: TEXT,
    runs: COUNT.describe("of the optimizer, that it took"),
  }),
  z.strictObject({
    stage: z.literal("analysis").describe("it claims what is false of an execution"),
    cause: z.strictObject({ stage: TEXT, part: TEXT.nullable(), rule: TEXT.nullable() }),
    detail: TEXT,
  }),
  z.strictObject({
    stage: z.enum([
      ...(["lowering", "allocation", "clean-up", "moves", "exit records", "exit table"] as const),
      ...([
        "frame placement",
        "emission",
        "emulator",
        "oracle",
        "recorder",
        "links",
        "code generation",
      ] as const),
    ]),
    detail: TEXT,
    allocator: ALLOCATOR.nullable(),
    faults: TEXTS,
    resumedBy: TEXT.nullable(),
    instruction: WRONG_INSTRUCTION.nullable(),
    rows: TEXTS,
    wrong: WRONG_VALUE.nullable(),
    moves: WRONG_MOVES.nullable(),
  }),
]);

export const LOCALIZE = z.strictObject({
  found: z.array(z.strictObject({ subject: TEXT, located: LOCATED })),
});
