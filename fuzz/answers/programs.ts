// Declares the JSON shapes of answers about single programs.

import { z } from "zod";
import { VERDICTS } from "../../src/campaign/count/tally.js";
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
} from "./shared.js";

const VERDICT = {
  verdict: z.enum(["equal", "different", "unjudged"]),
  aspect: TEXT.nullable().describe(
    "the aspect that differs; null unless the verdict is `different`",
  ),
  detail: TEXT.nullable().describe("how the aspect differs, or why the execution is not judged"),
};

/** Outcomes have the syntax of run lines. */
const EXECUTED = {
  input: TEXT.describe("arguments in the syntax of a run line"),
  oracle: TEXT.describe("the outcome"),
  subjects: z.array(
    z.strictObject({
      subject: TEXT,
      ...VERDICT,
      outcome: TEXT.nullable().describe(
        "null if it equals the oracle's outcome, or if there is none",
      ),
    }),
  ),
};

const CLAIM = z
  .strictObject({
    subject: TEXT.nullable(),
    cause: TEXT.describe("the analysis, by its bucket name"),
    detail: TEXT,
  })
  .nullable()
  .describe("the first false claim of an analysis; null if there is none");

const OUT = TEXT.nullable().describe("the written file; null if this object contains the text");

export const SEED_PROGRAM = z.strictObject({
  seed: SEED,
  generator: TEXT.describe("the version of the generator"),
  profile: TEXT.describe("the profile that read the seed"),
  parents: TEXT.describe("the parents of a mutated program, in the form of --parents"),
  canary: z.strictObject({ name: TEXT, says: TEXT }).nullable(),
  program: TEXT,
  faults: TEXTS.describe("errors of the verifier; a program with errors is not judged"),
  inputs: z.array(z.strictObject(EXECUTED)),
  missing: LEFT_OUT,
  claim: CLAIM,
  verdict: z.enum(["equal", "different", "unjudged", "invalid"]),
  counts: VERDICTS,
});

export const EXEC = z.strictObject({
  program: TEXT.nullable().describe("with --each-exit: the rewritten program"),
  guards: z
    .array(
      z.strictObject({
        procedure: TEXT,
        value: z.int(),
        opcode: TEXT,
        exit: z.int(),
        input: COUNT.nullable().describe(
          "index of the input that makes the guard fail; null if there is none",
        ),
      }),
    )
    .describe("with --each-exit"),
  inputs: z.array(
    z.strictObject({
      line: COUNT.nullable().describe("line in the file; null for inputs that --each-exit adds"),
      ...EXECUTED,
      expectation: z
        .strictObject({ failure: TEXT.nullable().describe("null if the expectation holds") })
        .nullable()
        .describe("the expectation of the run line"),
    }),
  ),
  missing: LEFT_OUT,
  claim: CLAIM,
  differences: COUNT.describe("subjects that differ, failed expectations, and 1 for a false claim"),
});

const PLACES = TEXTS.describe("locations, as text");

export const COMPILE = z.strictObject({
  target: TARGET,
  level: LEVEL,
  chaos: TEXTS.nullable().describe("with --chaos: the drawn settings, as text"),
  dumps: z
    .array(
      z.strictObject({
        says: TEXTS,
        program: TEXT.nullable().describe("null if the program did not change"),
      }),
    )
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
        register: TEXT.describe("the base register of the offset"),
        offset: z.int().describe("offset of the slot's first byte, in each frame of the procedure"),
        sharesWith: z
          .array(z.int())
          .describe("slots of the procedure that share bytes with this slot"),
      }),
    )
    .nullable()
    .describe("with --emit slots: locations of stack slots"),
  allocationTrace: TEXTS.nullable().describe(
    "with --emit allocation-trace: a line for each decision",
  ),
  iongraph: z
    .strictObject({ version: z.literal(1), functions: z.array(z.unknown()) })
    .nullable()
    .describe("in the format of the viewer iongraph"),
  error: TEXT.nullable().describe("why the program does not compile"),
});

export const TRACE = z.strictObject({
  bytecode: TEXTS.nullable().describe(
    "for a program that interprets bytecode: the listing of the bytecode",
  ),
  runs: z.array(
    z.strictObject({
      input: EXECUTED.input,
      oracle: EXECUTED.oracle,
      traces: TEXTS.describe("each trace as a program, after comments"),
      counts: COUNTS,
      ...VERDICT,
      plain: TEXT.nullable().describe("how the plain bytecode interpreter differs"),
    }),
  ),
  differences: COUNT,
});

export const EXPORT = z.strictObject({
  format: TEXT,
  bytes: COUNT,
  out: OUT,
  text: TEXT.nullable().describe("the output in a textual format"),
  base64: TEXT.nullable().describe("the output in a binary format"),
});

export const PLAYGROUND = z.strictObject({
  bytes: COUNT,
  out: TEXT.describe("the written file"),
});

export const IMPORT = z.strictObject({
  programs: z.array(
    z.strictObject({
      name: TEXT.describe("the name of the export"),
      out: OUT,
      text: TEXT.nullable(),
      cases: COUNT.describe("run lines"),
      faults: TEXTS.describe("assertions of the script that fail"),
      unjudged: TEXTS.describe(
        "script cases that the language leaves open, or that exceed its limits",
      ),
      notImported: TEXTS.describe(
        "functions whose calls become exits, and memory pages without room",
      ),
    }),
  ),
  leftOut: z
    .array(z.strictObject({ line: COUNT, says: TEXT }))
    .describe("for a script: what is not imported, and why"),
});

export const PHASES = z.strictObject({
  procedures: z.array(
    z.strictObject({
      name: TEXT.nullable().describe("the name of a function of LLVM IR; null for B3"),
      refused: TEXT.nullable().describe("why the function cannot be imported"),
      phases: COUNT.describe("judged phases that changed the procedure"),
      unchanged: COUNT.describe("phases that did not change the procedure"),
      equal: COUNT.describe("executions that were equal before and after a phase"),
      open: COUNT.describe("executions that are not judged"),
      outside: z
        .array(z.strictObject({ phase: TEXT, why: TEXT }))
        .describe("phases whose result cannot be imported"),
      wrong: z
        .strictObject({
          phase: TEXT,
          line: COUNT.describe("line in the log at which the phase's result starts"),
          input: TEXT.describe("arguments in the syntax of a run line"),
          difference: TEXT,
        })
        .nullable()
        .describe("the first phase that changes the behavior of the procedure"),
    }),
  ),
  died: z
    .strictObject({ how: TEXT, next: TEXT.nullable().describe("the phase that was about to run") })
    .nullable()
    .describe("how the engine ended; null if it ended normally"),
  files: TEXTS.describe("the written files"),
});

export const REDUCE = z.strictObject({
  what: TEXT.nullable().describe(
    "the verdict that the reduced program keeps; null if there is nothing to reduce",
  ),
  why: TEXT.nullable().describe("why there is nothing to reduce"),
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
      missing: TEXT.nullable().describe("why this machine cannot run the engine"),
    }),
  ),
});

const BUG_STATE = z.enum(["alive", "right", "absent"]);

export const ENGINES_REGRESS = z.strictObject({
  old: TEXT.describe("the older version"),
  new: TEXT.describe("the newer version"),
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
      uncompiled: COUNT.describe("programs of which the engine compiled nothing"),
      seconds: AMOUNT,
      aspects: COUNTS.describe("differences, by aspect"),
      causes: z
        .array(z.strictObject({ cause: TEXT, seeds: z.array(SEED) }))
        .describe("with --explain: known bugs, and the programs that trigger each"),
      findings: z.array(
        z.strictObject({
          seed: SEED,
          input: COUNT.describe("index of the input"),
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
  row: TEXT.describe("row of the LIR instruction; or move, prologue, exit stub"),
  procedure: TEXT,
  instruction: z.int(),
  code: z.array(
    z.strictObject({
      offset: COUNT,
      bytes: TEXT.describe("hexadecimal"),
      meant: TEXT,
      read: TEXT.nullable().describe("disassembly by objdump; null if it was not run"),
    }),
  ),
  kind: z.enum(["value", "memory", "control"]),
  value: z.int().describe("-1 if there is none"),
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
  agreesWith: z.enum(["oracle", "code"]).nullable(),
});

/** `LocatedCause` of src/localize/located-cause.ts. */
const LOCATED = z.discriminatedUnion("stage", [
  z.strictObject({
    stage: z.literal("optimizer"),
    phase: TEXT,
    procedure: TEXT,
    detail: TEXT,
    application: z
      .strictObject({ by: TEXT, value: z.int(), procedure: TEXT })
      .nullable()
      .describe("null if a required phase is wrong"),
    claim: z
      .strictObject({
        what: TEXT.describe("the invariant, without details of the program"),
        by: TEXT.nullable().describe("for a range: the opcode that produced it"),
        detail: TEXT,
      })
      .nullable()
      .describe("the first false claim that the phase relies on"),
    index: COUNT.describe("index of the wrong application: --opt-limit with one less is right"),
    applications: COUNT,
    before: TEXT,
    after: TEXT,
    runs: COUNT.describe("number of optimizer runs that localization needed"),
  }),
  z.strictObject({
    stage: z
      .literal("analysis")
      .describe("an analysis claims something that is false in an execution"),
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
  }),
]);

export const LOCALIZE = z.strictObject({
  found: z.array(z.strictObject({ subject: TEXT, located: LOCATED })),
});
