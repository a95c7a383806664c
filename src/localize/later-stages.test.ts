// Tests the location of bugs after the optimizer. A bug is planted in each stage; random programs show it, and the
// report must name the stage, with the first wrong value if LIR shows it.

import test from "ava";
import { ARM64_TARGET } from "../../reference/arm64/target.js";
import type { FramePlacement } from "../../reference/emit/framed-blocks.js";
import {
  NOWHERE,
  OperandPolicy,
  OperandRole,
  packOperand,
  policyOf,
  roleOf,
} from "../../reference/lir/lir.js";
import { type CompilerParts, PARTS } from "../../reference/parts.js";
import type { AllocateFunction } from "../../reference/regalloc/allocator.js";
import { type ExitRecord, LocationKind } from "../../reference/snapshot/exit-record.js";
import { type LoweringPlan, makePlan } from "../../reference/target/plan.js";
import type { ImmediateClass, Target } from "../../reference/target/target.js";
import { rowsWith } from "../../reference/x64/encodings.js";
import { X64_TARGET, x64Target } from "../../reference/x64/target.js";
import { loseMoves } from "../campaign/canary/allocation-canaries.js";
import { canaryNamed, plantedBy } from "../campaign/canary/canaries.js";
import type { PlantedBug } from "../campaign/canary/canary.js";
import { programOf } from "../campaign/program/seeds.js";
import type { Difference } from "../compare/difference.js";
import { type ExecutionJudgement, Judge } from "../compare/judge-program.js";
import { openEmulated } from "../execute/compiled-subject.js";
import { type ReferenceSubject, referenceSubject } from "../execute/reference-subject.js";
import { subjectNamed } from "../execute/subjects.js";
import { emulatorTest, hostTest } from "../execute/unicorn-available.js";
import { Op } from "../ir/opcodes.js";
import { HEAP_BASE_HI, HEAP_BASE_LO } from "../ir/outcome.js";
import { parseModule } from "../ir/text/parse.js";
import { runLines } from "../ir/text/run-line.js";
import { Int32 } from "../ir/types.js";
import { DEST } from "../oracle/fast/program.js";
import { STEPS, stepIndexOf } from "../oracle/fast/steps.js";
import { MEANINGS } from "../oracle/meanings.js";
import { trials } from "../support/trials.js";
import { causeOf, nameOfCause } from "./cause.js";
import { firstWrongInstruction } from "./first-wrong-instruction.js";
import { firstWrongValue } from "./first-wrong-value.js";
import type { LaterStageCause, LocateOptions } from "./later-stages.js";
import { CauseTest, localize } from "./localize.js";

const withEmulator = emulatorTest(test);
const withHost = hostTest(test);
const SEEDS = 400n;
const ANYTHING: ImmediateClass = { name: "anything", fits: () => true };

/** Lowers the exclusive or to another operation. */
const wrongLowering = <Asm>(target: Target<Asm>, or: string) =>
  makePlan({
    ...target,
    lowering: { ...target.lowering, BitXor: { Int32: [or], Int64: ["subq"] } },
  });
const wrongX64: PlantedBug = {
  parts: { ...PARTS, plans: { ...PARTS.plans, x64: wrongLowering(X64_TARGET, "orl") } },
};
const wrongEverywhere: PlantedBug = {
  parts: {
    ...PARTS,
    plans: { x64: wrongLowering(X64_TARGET, "orl"), arm64: wrongLowering(ARM64_TARGET, "orrl") },
  },
};

/** The high half of a value is read as its low half. */
const { x64 } = PARTS.plans;
const halvesAlike: PlantedBug = {
  parts: {
    ...PARTS,
    plans: { ...PARTS.plans, x64: { ...x64, halves: [x64.halves[0], x64.halves[0]] } },
  },
};

const { allocators } = PARTS;
const lostMoves: CompilerParts["allocators"] = {
  ...allocators,
  "linear-scan": () => loseMoves(5)(allocators["linear-scan"]()),
};

/** Records another register for a slot that is in a register. */
const wrongRecords: CompilerParts["recordExits"] = (...procedure) =>
  PARTS.recordExits(...procedure).map((record) => ({
    ...record,
    frames: record.frames.map((frame) => ({
      ...frame,
      slots: frame.slots.map((slot) =>
        slot.place === LocationKind.General ? { ...slot, index: slot.index ^ 1 } : slot,
      ),
    })),
  }));

/** Drops moves that clean-up keeps. */
const lostByCleanUp: CompilerParts["cleanUp"] = () => loseMoves(5)(PARTS.cleanUp());

/** Removes the location of a definition: the checker rejects that, and emission cannot write it. */
const losesDefinition =
  (pass: AllocateFunction): AllocateFunction =>
  (lir, rows, registers, allocation) => {
    pass(lir, rows, registers, allocation);
    const words = lir.operand.subarray(0, lir.operandCount);
    const isPlain = (word: number) =>
      roleOf(word) === OperandRole.Definition && policyOf(word) === OperandPolicy.Register;
    const o = words.findIndex(isPlain);
    if (o >= 0) lir.location[o] = NOWHERE;
  };
const unwritable: CompilerParts["allocators"] = {
  ...allocators,
  "linear-scan": () => losesDefinition(allocators["linear-scan"]()),
};

/** Omits the last saved register. */
const withFewerSaved = (records: readonly ExitRecord[]): ExitRecord[] =>
  records.map((record) => ({ ...record, saved: record.saved.slice(0, -1) }));
const recordsFewer: CompilerParts["recordExits"] = (...procedure) =>
  withFewerSaved(PARTS.recordExits(...procedure));
const encodesFewer: CompilerParts["encodeExits"] = (records) =>
  PARTS.encodeExits(withFewerSaved(records));
const FEWER_SAVED: readonly (readonly [stage: LaterStageCause["stage"], CompilerParts])[] = [
  ["exit records", { ...PARTS, recordExits: recordsFewer }],
  ["exit table", { ...PARTS, encodeExits: encodesFewer }],
];

const placeFrameTooLate: FramePlacement = (framed, lir, rows, allocation) =>
  framed.placeLate(lir, rows, allocation, []);

const canary = (name: string): PlantedBug => {
  const found = canaryNamed(name);
  return found === null ? {} : plantedBy(found);
};

interface StageCase {
  readonly stage: LaterStageCause["stage"];
  readonly subject: string;
  /** The planted bug. */
  readonly says: string;
  readonly planted: () => PlantedBug;
  /**
   * The expected text about the first wrong value, or about the instruction that emission writes wrong and its code.
   */
  readonly wrong: RegExp | null;
  /** The bug may be in the code of a continuation. */
  readonly isAnywhere?: true;
}

// biome-ignore format: a table
const ROWS: readonly StageCase[] = [
  { stage: "lowering",      subject: "x64-O0",   says: "an exclusive or that is lowered to another row", planted: () => wrongX64,                                        wrong: /^value orl|^value subq/ },
  { stage: "emission",      subject: "x64-O1",   says: "a guard that is not written", planted: () => canary("guard-ignored"),                         wrong: /^control check\.test/ },
  { stage: "lowering",      subject: "arm64-O0", says: "an error that both targets share", planted: () => wrongEverywhere,                                 wrong: /^value orrl|^value subq/ },
  { stage: "lowering",      subject: "x64-O0-halves", says: "a half that is the other one", planted: () => halvesAlike,                                wrong: /^(value truncq|operand )/ },
  { stage: "allocation",    subject: "arm64-O0-linear-scan", says: "moves that are lost", planted: () => ({ parts: { ...PARTS, allocators: lostMoves } }), wrong: /^(operand|value|control) / },
  { stage: "clean-up",      subject: "x64-O1",   says: "moves that are dropped", planted: () => ({ parts: { ...PARTS, cleanUp: lostByCleanUp } }), wrong: /^(operand|value|control) / },
  { stage: "moves",         subject: "x64-O1",   says: "parallel moves in a wrong order", planted: () => canary("move-order"),                            wrong: /^(operand|value|control) / },
  { stage: "exit records",  subject: "x64-O0",   says: "slots that are recorded in other registers", planted: () => ({ parts: { ...PARTS, recordExits: wrongRecords } }), wrong: null },
  { stage: "exit table",    subject: "x64-O0",   says: "slots that are exchanged in the exit table", planted: () => canary("exit-slot"),                             wrong: null },
  { stage: "frame placement", subject: "arm64-O1", says: "code that changes a caller's register before the frame keeps it", planted: () => ({ parts: { ...PARTS, placeFrame: placeFrameTooLate } }), wrong: null },
  { stage: "emission",      subject: "x64-O1",   says: "a wrong encoding", planted: () => canary("encoding-width"),                        wrong: /; add (e\w\w|r\d+d), / },
  { stage: "emission",      subject: "arm64-O0", says: "the code of a continuation", planted: () => canary("continuation-code"),                     wrong: /^value return; /, isAnywhere: true },
];

/** Returns the location of the bug in the first program that shows it. */
function locateInFirst(subject: ReferenceSubject, options: LocateOptions, isWanted = isOwn) {
  const shown = firstShown(options, isWanted);
  return shown === null ? null : localize(shown.module, shown.inputs, subject, options);
}

/** Continuations run as code of other levels, in which another part may be the cause. */
const isOwn = ({ path }: Difference): boolean => path.every(({ kind }) => kind !== "continuation");

function firstShown(options: LocateOptions, isWanted = isOwn) {
  for (const program of shownBy(options, isWanted)) return program;
  return null;
}

function* shownBy(options: LocateOptions, isWanted = isOwn) {
  const judge = new Judge(options);
  try {
    for (let seed = 1n; seed <= SEEDS; seed++) {
      const program = programOf(seed);
      const [{ judgements }] = judge.judge({
        module: program.module,
        inputs: program.inputs,
      }).results;
      const differs = ({ verdict }: ExecutionJudgement): boolean =>
        verdict.kind === "different" && isWanted(verdict.difference);
      if (judgements.some(differs)) yield program;
    }
  } finally {
    judge.close();
  }
}

/** `npm test` runs the first case of each stage. */
const TRIED = ROWS.filter(
  ({ stage }, r) => trials(0, 1) > 0 || ROWS.findIndex((row) => row.stage === stage) === r,
);

for (const { stage, subject: name, says, planted, wrong, isAnywhere } of TRIED) {
  withEmulator(`${says} is located in ${stage}, on ${name}`, (t) => {
    const subject = subjectNamed(name);
    if (subject === null) return t.fail();
    const options = { subjects: [subject], fuelMax: 100_000, checkAllocation: false, ...planted() };
    const located = locateInFirst(subject, options, isAnywhere ? () => true : isOwn);
    t.is(located?.stage, stage);
    if (located === null || !("faults" in located)) return;
    t.is(located.allocator, stage === "allocation" ? "linear-scan" : null);
    t.is(located.faults.length > 0, stage === "allocation" || stage === "clean-up");
    if (wrong === null) return;
    const first = located.instruction ?? located.wrong;
    const code = located.instruction?.code.map(({ meant }) => meant) ?? [];
    t.regex([`${first?.kind} ${first?.row}`, ...code].join("; "), wrong);
    t.is(located.rows.length, 0);
  });
}

withEmulator("emulation is reported if only the processor differs", (t) => {
  const plain = subjectNamed("x64-O1");
  const parts = canary("encoding-width").parts;
  if (plain === null || parts === undefined) return t.fail();
  // The parts simulate a processor that adds 64 bits as 32.
  const subject = referenceSubject({ ...plain, native: true }, (opened, workshop) =>
    openEmulated(opened, { ...workshop, parts }),
  );
  const located = locateInFirst(subject, { subjects: [subject], fuelMax: 100_000 });
  t.is(located?.stage, "emulator");
});

withHost(
  "code that the processor and the emulator decode differently is reported as an error of emission",
  (t) => {
    const subject = subjectNamed("host-O0");
    if (subject === null) return t.fail();
    // A load of 8 bytes becomes one of 16, which must be aligned on the processor, but not in the emulator.
    const movapd = { form: "movsd x, xm64", bytes: [0x66, 0x0f, 0x28] } as const;
    const plan = makePlan(x64Target(rowsWith({ movsd: movapd })));
    const parts = { ...PARTS, plans: { ...PARTS.plans, x64: plan } };
    const located = locateInFirst(subject, { subjects: [subject], fuelMax: 100_000, parts });
    t.is(located?.stage, "emission");
    if (located === null || !("faults" in located)) return;
    t.regex(located.faults[0], /^movsd .* is written as 66(4\w)?0f28\w*, which reads movapd /);
  },
);

// The planted bug assumes that a product keeps the flags of a comparison: the processor and the emulator leave
// different flags.
const TWO_CHOICES = `touchstone 1
proc f(Int32 @0, Int32 @1, Int32 @2) -> Int32
#0:
  Int32 @3 = LessThan(@0, @1)
  Int32 @4 = Select(@3, @0, @2)
  Int32 @5 = Mul(@4, @2)
  Int32 @6 = Select(@3, @5, @1)
  Void @7 = Return(@6)

; run: f(1073741824, 1073741825, 7)
; run: f(3, 5, 2)
; run: f(5, 3, 9)
; run: f(-2147483648, 5, 3)
`;

withHost("code that reads an undefined flag is reported as an error of emission", (t) => {
  const rows = X64_TARGET.rows.map((row) =>
    row.name.startsWith("imul") ? { ...row, keepsFlags: true } : row,
  );
  const plan = makePlan({ ...X64_TARGET, rows });
  const parts = { ...PARTS, plans: { ...PARTS.plans, x64: plan } };
  const module = parseModule(TWO_CHOICES);
  const inputs = runLines(TWO_CHOICES, module).map(({ input }) => input);
  for (const name of ["x64-O2", "host-O2"]) {
    const subject = subjectNamed(name);
    if (subject === null) return t.fail();
    const options = { subjects: [subject], fuelMax: 1000, parts, mayRunNatively: true };
    const located = localize(module, inputs, subject, options);
    t.is(located.stage, "emission", name);
    if (!("faults" in located)) return;
    t.regex(located.faults.join(), /^cmov.* reads the \w+ flag, which imul .* leaves undefined$/);
  }
});

withHost("if only emulation differs, the program runs on the processor if permitted", (t) => {
  const plain = subjectNamed("x64-O1");
  const { parts } = canary("encoding-width");
  if (plain === null || parts === undefined) return t.fail();
  // The parts simulate an emulator that adds 64 bits as 32.
  const subject = referenceSubject(plain, (opened, workshop) =>
    openEmulated(opened, { ...workshop, parts }),
  );
  const options = { subjects: [subject], fuelMax: 100_000 };
  const shown = firstShown(options);
  if (shown === null) return t.fail();
  const { module, inputs } = shown;
  const asking = { ...options, mayRunNatively: true };
  const located = localize(module, inputs, subject, asking);
  t.is(located.stage, "emulator");
  t.is(localize(module, inputs, subject, options).stage, "emission");
  // A reduction does the same, if the emulator is the cause that it keeps.
  const cause = causeOf(located, subject);
  const reduction = new CauseTest(cause, subject, asking);
  t.true(reduction.holds(module, inputs));
  reduction.close();
});

withEmulator(
  "a wrong meaning in the oracle is distinguished from one that all targets share",
  (t) => {
    const subject = subjectNamed("x64-O0");
    const index = stepIndexOf(Op.BitXor, Int32, false);
    const right = STEPS[index];
    if (subject === null) return t.fail();
    STEPS[index] = (m, pc) => {
      const next = right(m, pc);
      m.i32[m.code[pc + DEST] << 1] ^= 1;
      return next;
    };
    // Both interpreters have the wrong meaning; otherwise they disagree before anything is located.
    const { Int32: meaning } = MEANINGS.BitXor;
    Object.assign(MEANINGS.BitXor, { Int32: (x: number, y: number) => meaning(x, y) ^ 1 });
    try {
      const located = locateInFirst(subject, { subjects: [subject], fuelMax: 100_000 });
      t.is(located?.stage, "oracle");
      if (located?.stage === "oracle") t.is(located.wrong?.agreesWith, "code");
    } finally {
      STEPS[index] = right;
      Object.assign(MEANINGS.BitXor, { Int32: meaning });
    }
  },
);

withEmulator("a wrong decision of all targets is reported as an error of lowering", (t) => {
  const subject = subjectNamed("x64-O1"); // the branch compares there
  if (subject === null) return t.fail();
  // Only the low word of a wide constant is compared.
  const compared = <Asm>(target: Target<Asm>) =>
    makePlan({
      ...target,
      rows: target.rows.map((row) =>
        /^(branch|set)\.cmpqImm$/.test(row.name) ? { ...row, immediate: ANYTHING } : row,
      ),
    });
  const parts = { ...PARTS, plans: { x64: compared(X64_TARGET), arm64: compared(ARM64_TARGET) } };
  const text = `touchstone 1
proc f(Int64 @0) -> Int32
#0:
  Int64 @1 = Const64(4294967301)
  Int32 @2 = Equal(@0, @1)
  Void @3 = Branch(@2, #1, #2)
#1:
  Int32 @4 = Trunc(@0)
  Void @5 = Return(@4)
#2:
  Int32 @6 = TruncHigh(@0)
  Void @7 = Return(@6)
; run: f(5)
`;
  const module = parseModule(text);
  const inputs = runLines(text, module).map(({ input }) => input);
  const options = { subjects: [subject], fuelMax: 1000, parts };
  const located = localize(module, inputs, subject, options);
  t.is(located.stage, "lowering");
  if (located.stage === "lowering") t.is(located.wrong?.agreesWith, "oracle");
});

/** Returns another register to lowering at every second request: a call and its return disagree. */
const alternatingRegister = (plan: LoweringPlan, name: "asked" | "integerResult"): LoweringPlan => {
  const { target } = plan;
  let times = 0;
  return {
    ...plan,
    target: {
      ...target,
      get [name]() {
        return times++ % 2 === 0 ? target[name] : target.integerArguments[0];
      },
    },
  };
};

for (const [what, name] of [
  ["the exit request of a callee", "asked"],
  ["the result of a callee", "integerResult"],
] as const) {
  test(`${what} is misread by all targets: lowering is reported`, (t) => {
    const subject = subjectNamed("x64-O0");
    if (subject === null) return t.fail();
    const module = parseModule(`touchstone 1
proc f(Int64 @0, Int32 @1) -> Void
snapshot s0 = exit 0 frames [f@0: @1]
#0:
  Int64 @2 = FunctionAddress(g)
  Int32 @3 = CallCheck(@2, @0, @1) s0
  Void @4 = Store(@3, @0)
  Void @5 = Return()
proc g(Int64 @0, Int32 @1) -> Int32
#0:
  Void @2 = Return(@1)
; run: f(heap, 7)
`);
    const inputs = [{ words: Int32Array.of(HEAP_BASE_LO, HEAP_BASE_HI, 7, 0), heapSeed: 0 }];
    const plans = {
      x64: alternatingRegister(x64, name),
      arm64: alternatingRegister(PARTS.plans.arm64, name),
    };
    const options = { subjects: [subject], fuelMax: 1000, parts: { ...PARTS, plans } };
    const located = localize(module, inputs, subject, options);
    t.is(located.stage, "lowering");
    if (located.stage === "lowering") t.is(located.wrong?.agreesWith, "oracle");
  });
}

withEmulator(
  "LIR that its verifier rejects is reported as an error of lowering, not of the allocator",
  (t) => {
    const subject = subjectNamed("x64-O0");
    if (subject === null) return t.fail();
    // A definition with the policy Any is also in a register; but no definition has that policy.
    const anywhere = (word: number): number =>
      roleOf(word) === OperandRole.Definition
        ? packOperand(0, OperandRole.Definition, OperandPolicy.Any)
        : word;
    const operands = x64.operands.map((forms, row) =>
      x64.rows[row].name.startsWith("set.") ? forms.map(anywhere) : forms,
    );
    const parts = { ...PARTS, plans: { ...PARTS.plans, x64: { ...x64, operands } } };
    const text = `touchstone 1
proc f(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = LessThan(@0, @1)
  Void @3 = Return(@2)

; run: f(1, 2)
`;
    const module = parseModule(text);
    const inputs = runLines(text, module).map(({ input }) => input);
    const options = { subjects: [subject], fuelMax: 100_000, parts };
    const located = localize(module, inputs, subject, options);
    t.is(located.stage, "lowering");
    if (located.stage === "lowering") t.regex(located.faults[0], /^lower: wrong LIR of /);
  },
);

test("a failure of emission is reported as an error of the allocator if the checker rejects the allocation", (t) => {
  const subject = subjectNamed("x64-O0-linear-scan");
  if (subject === null) return t.fail();
  const { module, inputs } = programOf(1n);
  const parts = { ...PARTS, allocators: unwritable };
  const located = localize(module, inputs, subject, { subjects: [subject], fuelMax: 1000, parts });
  t.is(located.stage, "allocation");
  if (!("faults" in located)) return;
  t.is(located.allocator, "linear-scan");
  t.regex(located.faults[0], /^linear-scan: wrong allocation of /);
});

withEmulator("a definition that clean-up loses is reported as an error of clean-up", (t) => {
  const subject = subjectNamed("x64-O0-linear-scan");
  if (subject === null) return t.fail();
  const { module, inputs } = programOf(1n);
  const parts = { ...PARTS, cleanUp: () => losesDefinition(PARTS.cleanUp()) };
  const located = localize(module, inputs, subject, { subjects: [subject], fuelMax: 1000, parts });
  t.is(located.stage, "clean-up");
  if (!("allocator" in located)) return;
  t.is(located.allocator, null);
});

/** Encodes an addition as a subtraction, and an exclusive or as an or. */
const MISWRITTEN = {
  addl: rowsWith({ addl: { form: "add r32, rm32", bytes: [0x2b] } }),
  xorl: rowsWith({ xorl: { form: "xor r32, rm32", bytes: [0x0b] } }),
};

withEmulator("two rows with wrong encodings are two causes, in a reduction too", (t) => {
  const subject = subjectNamed("x64-O0");
  if (subject === null) return t.fail();
  const shows = Object.entries(MISWRITTEN).map(([row, rows]) => {
    const parts = { ...PARTS, plans: { ...PARTS.plans, x64: makePlan(x64Target(rows)) } };
    const opcode = row === "addl" ? "Add" : "BitXor";
    const text = `touchstone 1
proc f(Int32 @0, Int32 @1) -> Int32
#0:
  Int32 @2 = ${opcode}(@0, @1)
  Void @3 = Return(@2)
; run: f(7, 3)
`;
    const module = parseModule(text);
    const inputs = runLines(text, module).map(({ input }) => input);
    return { row, module, inputs, options: { subjects: [subject], fuelMax: 1000, parts } };
  });
  for (const { row, module, inputs, options } of shows) {
    for (const looksFor of [false, true]) {
      const cause = causeOf(localize(module, inputs, subject, options, looksFor), subject);
      t.is(nameOfCause(cause), `emission/x64/${row}`);
      for (const other of shows) {
        const reduction = new CauseTest(cause, subject, other.options);
        t.is(
          reduction.holds(other.module, other.inputs),
          other.row === row,
          `${other.row} for ${row}`,
        );
        reduction.close();
      }
    }
  }
});

for (const [stage, parts] of FEWER_SAVED) {
  withEmulator(`${stage}: a shortened list of saved registers is found there`, (t) => {
    for (const name of ["x64-O1", "arm64-O0-linear-scan"]) {
      const subject = subjectNamed(name);
      if (subject === null) return t.fail();
      const options = { subjects: [subject], fuelMax: 100_000, parts };
      const located = locateInFirst(subject, options, () => true);
      t.is(located?.stage, stage, name);
      if (located === null || !("allocator" in located)) return;
      t.is(located.allocator, null, name);
    }
  });
}

withEmulator("no instruction is reported for a correct program", (t) => {
  for (const name of ["x64-O0", "x64-O2", "arm64-O1", "arm64-O2-halves"]) {
    const subject = subjectNamed(name);
    if (subject === null) return t.fail();
    for (let seed = 1n; seed <= trials(2, 10); seed++) {
      const { module, inputs } = programOf(seed);
      const wrong = firstWrongInstruction(module, inputs[0], subject, { fuelMax: 100_000 });
      t.is(wrong, null, `seed ${seed}, ${name}: ${wrong?.row}`);
    }
  }
});

test("the result of a call is compared in its own iteration", (t) => {
  const subject = subjectNamed("x64-O0");
  if (subject === null) return t.fail();
  const text = `touchstone 1
exit 0 resumes g
proc f(Int32 @0) -> Int32
snapshot s0 = exit 0 frames [f@0: @0]
#0:
  Int32 @1 = Const32(3)
  Void @2 = Upsilon(@1, ^4)
  Void @3 = Jump(#1)
#1:
  Int32 @4 = Phi()
  Int64 @5 = ZExt32(@4)
  Int32 @6 = CCallCheck(consult, @5, @0) s0
  Int32 @7 = Const32(-1)
  Int32 @8 = Add(@4, @7)
  Void @9 = Upsilon(@8, ^4)
  Void @10 = Branch(@8, #1, #2)
#2:
  Void @11 = Return(@6)
proc g(Int32 @0) -> Int32
#0:
  Void @1 = Return(@0)
; run: f(1)
; run: f(2)
; run: f(3)
`;
  const module = parseModule(text);
  for (const { input } of runLines(text, module)) {
    t.is(firstWrongValue(module, input, subject, "lower", { fuelMax: 1000 }), null);
  }
});

test("no value is reported for a correct program", (t) => {
  for (const name of ["x64-O0", "x64-O2", "arm64-O2", "arm64-O2-halves"]) {
    const subject = subjectNamed(name);
    if (subject === null) return t.fail();
    for (let seed = 1n; seed <= trials(2, 15); seed++) {
      const { module, inputs } = programOf(seed);
      for (const stage of ["lower", "allocate"] as const) {
        const wrong = firstWrongValue(module, inputs[0], subject, stage, { fuelMax: 100_000 });
        t.is(wrong, null, `seed ${seed}, ${name}, ${stage}: ${wrong?.text}`);
      }
    }
  }
});
