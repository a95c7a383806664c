// Canaries: bugs that we plant in a part of the compiler or of the harness, to prove that each
// would be seen from random programs by the ordinary path. One for each comparison, visible to that
// comparison alone, and one for each stage, which several comparisons may show.

import { A64 } from "../../../reference/arm64/encodings.js";
import type { Arm64Row } from "../../../reference/arm64/row.js";
import { ARM64_TARGET } from "../../../reference/arm64/target.js";
import { isRemat, isSlot } from "../../../reference/lir/lir.js";
import { POSITIVE_ZERO } from "../../../reference/optimize/rules/patterns.js";
import { PARTS, type Parts } from "../../../reference/parts.js";
import { MOVE_STRIDE } from "../../../reference/regalloc/allocation.js";
import type { Sequentialize } from "../../../reference/regalloc/parallel-moves.js";
import { encodeExits } from "../../../reference/snapshot/encode-exits.js";
import type { ExitRecord } from "../../../reference/snapshot/exit-record.js";
import { makePlan } from "../../../reference/target/plan.js";
import type { LirRow, OperandForm, Target } from "../../../reference/target/target.js";
import type { X64Assembler } from "../../../reference/x64/assembler.js";
import { rowsWith, X64 } from "../../../reference/x64/encodings.js";
import { Gpr } from "../../../reference/x64/registers.js";
import { X64_TARGET, x64Target } from "../../../reference/x64/target.js";
import type { Aspect } from "../../compare/compare.js";
import type { JudgeOptions } from "../../compare/judge-program.js";
import { DEFAULT_SETTINGS } from "../../execute/unit.js";
import { isObservable } from "../../ir/host-functions.js";
import { Op } from "../../ir/opcodes.js";
import { type FrameState, isBits } from "../../ir/outcome.js";
import type { BasicBlock, Module, Procedure, Value } from "../../ir/procedure.js";
import { Int32, isInteger, type Type, Void } from "../../ir/types.js";
import { deadBeforeExit, keptByCalls, lostEdgeMove } from "./allocation-canaries.js";
import { staleLoad, storeHalfDead, uncheckedSum } from "./phase-canaries.js";
import { cutAcross, exchangedHalves } from "./piece-canaries.js";

/** What a canary changes in the judging of a program. */
export type Planted = Pick<
  JudgeOptions,
  "parts" | "settings" | "resumeFilter" | "resumes" | "checkAllocation"
>;

export interface Canary {
  readonly name: string;
  /** Where the bug is planted. */
  readonly stage: "optimize" | "lower" | "allocate" | "emit" | "frame" | "exits" | "harness";
  /**
   * The comparisons that may find it; one alone for those that prove a comparison, none for those
   * that the allocation checker must find before anything runs.
   */
  readonly about: readonly Aspect[];
  readonly subjects: readonly string[];
  /** What is wrong, in a sentence. */
  readonly says: string;
  readonly open: () => Planted;
}

const X64_SUBJECTS = ["x64-O0", "x64-O1"];
const ARM64_SUBJECTS = ["arm64-O0", "arm64-O1"];
/** What is wrong after the optimizer shows without code. */
const O2_SUBJECTS = ["ir-O2"];
const COMPILED = [...X64_SUBJECTS, ...ARM64_SUBJECTS];
const IN_PIECES = ["x64-O1-pieces", "arm64-O2-pieces"];
/** Found before anything runs. */
const BY_CHECKER: readonly Aspect[] = [];
/** A wrong value may show wherever values are compared, or send the program elsewhere. */
const ANYWHERE: readonly Aspect[] = [
  "ending",
  "events",
  "exit-number",
  "slots",
  "result",
  "heap",
  "resumption",
  "junk",
];

// biome-ignore format: a table
export const CANARIES: readonly Canary[] = [
  { name: "float-rule",         stage: "optimize", about: ANYWHERE,           subjects: ["ir-O1", "x64-O1", "arm64-O1"], open: floatRule,         says: "x + 0.0 becomes x, although -0.0 + 0.0 is 0.0" },
  { name: "stale-load",         stage: "optimize", about: ANYWHERE,           subjects: O2_SUBJECTS,    open: staleLoad,         says: "a load gives what its place had at its first access, whatever was stored since" },
  { name: "store-half-dead",    stage: "optimize", about: ANYWHERE,           subjects: O2_SUBJECTS,    open: storeHalfDead,     says: "a store goes that the next one overwrites in part" },
  { name: "unchecked-sum",      stage: "optimize", about: ANYWHERE,           subjects: O2_SUBJECTS,    open: uncheckedSum,      says: "a sum with a constant is thought never to overflow" },
  { name: "guard-ignored",      stage: "lower",    about: ANYWHERE,           subjects: X64_SUBJECTS,   open: guardIgnored,      says: "a Check against zero emits nothing" },
  { name: "destroyed-register", stage: "lower",    about: ANYWHERE,           subjects: COMPILED,       open: destroyedRegister, says: "registers that patchpoints destroy at their end are thought to be kept" },
  { name: "move-order",         stage: "allocate", about: ANYWHERE,           subjects: COMPILED,       open: moveOrder,         says: "parallel moves are done in the order of their list" },
  { name: "kept-by-calls",      stage: "allocate", about: ANYWHERE,           subjects: COMPILED,       open: () => keptByCalls(false),    says: "registers that calls destroy are thought to be kept; nobody checks" },
  { name: "dead-before-exit",   stage: "allocate", about: ANYWHERE,           subjects: COMPILED,       open: () => deadBeforeExit(false), says: "what only an exit needs shares registers with its guard; nobody checks" },
  { name: "lost-edge-move",     stage: "allocate", about: ANYWHERE,           subjects: COMPILED,       open: () => lostEdgeMove(false),   says: "the last of the moves of an edge to Phis is lost; nobody checks" },
  { name: "kept-by-calls-checked",    stage: "allocate", about: BY_CHECKER, subjects: COMPILED, open: () => keptByCalls(true),    says: "registers that calls destroy are thought to be kept" },
  { name: "dead-before-exit-checked", stage: "allocate", about: BY_CHECKER, subjects: COMPILED, open: () => deadBeforeExit(true), says: "what only an exit needs shares registers with its guard" },
  { name: "lost-edge-move-checked",   stage: "allocate", about: BY_CHECKER, subjects: COMPILED, open: () => lostEdgeMove(true),   says: "the last of the moves of an edge to Phis is lost" },
  { name: "encoding-width",     stage: "emit",     about: ANYWHERE,           subjects: X64_SUBJECTS,   open: encodingWidth,     says: "addq is encoded without its width bit" },
  { name: "immediate-range",    stage: "emit",     about: ANYWHERE,           subjects: ARM64_SUBJECTS, open: immediateRange,    says: "an ARM64 add takes an immediate of 13 bits, and loses the highest" },
  { name: "unwind-map",         stage: "exits",    about: ANYWHERE,           subjects: COMPILED,       open: unwindMap,         says: "exits of callees forget the first register that the callee has saved" },
  { name: "cut-across",         stage: "lower",    about: ANYWHERE,           subjects: IN_PIECES,      open: cutAcross,         says: "what comes whole is cut into pieces with its halves exchanged" },
  { name: "exchanged-halves",   stage: "exits",    about: ANYWHERE,           subjects: IN_PIECES,      open: exchangedHalves,   says: "the exit table has the halves of values in pieces exchanged" },

  { name: "continuation-code",  stage: "exits",    about: ["resumption", "junk"], subjects: COMPILED, open: continuationCode,  says: "x64 code of a continuation returns integers with their lowest bit flipped" },

  { name: "crash",              stage: "emit",     about: ["ending"],         subjects: COMPILED,       open: crash,             says: "a return of a float runs into a trap" },
  { name: "callee-saved",       stage: "frame",    about: ["callee-saved"],   subjects: COMPILED,       open: calleeSaved,       says: "one callee-saved register is neither saved nor restored" },
  { name: "stack-pointer",      stage: "frame",    about: ["stack-pointer"],  subjects: X64_SUBJECTS,   open: stackPointer,      says: "the return pops 16 bytes too many" },
  { name: "guard-zone",         stage: "frame",    about: ["guard-zone"],     subjects: X64_SUBJECTS,   open: guardZone,         says: "the prologue writes into the caller's frame" },
  { name: "direction-flag",     stage: "frame",    about: ["direction-flag"], subjects: X64_SUBJECTS,   open: directionFlag,     says: "the epilogue sets the direction flag" },
  { name: "rounding-mode",      stage: "frame",    about: ["rounding-mode"],  subjects: X64_SUBJECTS,   open: roundingMode,      says: "the epilogue leaves another rounding mode" },
  { name: "missing-host-call",  stage: "lower",    about: ["events"],         subjects: COMPILED,       open: missingHostCall,   says: "calls of event functions without result disappear" },
  { name: "exit-number",        stage: "exits",    about: ["exit-number"],    subjects: COMPILED,       open: exitNumber,        says: "the exit table has wrong numbers for exits without continuation" },
  { name: "exit-slot",          stage: "exits",    about: ["slots"],          subjects: COMPILED,       open: exitSlot,          says: "the exit table has two slots exchanged for exits without continuation" },
  { name: "return-value",       stage: "lower",    about: ["result"],         subjects: COMPILED,       open: returnValue,       says: "an integer result is returned with its lowest bit flipped" },
  { name: "store-short",        stage: "lower",    about: ["heap"],           subjects: COMPILED,       open: storeShort,        says: "a store just before the return writes too few bytes" },
  { name: "resumed-value",      stage: "harness",  about: ["resumption"],     subjects: COMPILED,       open: resumedValue,      says: "a continuation is given a wrong integer" },
  { name: "upper-half",         stage: "lower",    about: ["junk"],           subjects: X64_SUBJECTS,   open: upperHalf,         says: "zero-extension of a parameter trusts its upper half" },
];

/** Whether a message of an internal error is what a canary without comparisons must end in. */
export const isCheckersWord = ({ about }: Canary, message: string): boolean =>
  about.length === 0 && message.includes("wrong allocation of");

export const canaryNamed = (name: string): Canary | null =>
  CANARIES.find((canary) => canary.name === name) ?? null;

/**
 * What a canary changes in the judging of a program. Where it is about one comparison, continuations
 * are interpreted: what went wrong in their code would be seen by the comparison of resumptions too.
 */
export function plantedBy({ about, open }: Canary): Planted {
  return about.length === 1 ? { ...open(), resumes: "interpreted" } : open();
}

// Stages.

function floatRule(): Planted {
  const planted = {
    name: "planted-add-zero",
    match: ["Add", "x", POSITIVE_ZERO],
    give: "x",
  } as const;
  return { parts: { ...PARTS, rules: [planted, ...PARTS.rules] } };
}

function guardIgnored(): Planted {
  return withX64(
    changeRows(X64_TARGET, ["check.testl", "check.testq"], () => ({ emit: () => {} })),
  );
}

function moveOrder(): Planted {
  const sequentialize: Sequentialize = (moves, first, end, scratch, singles) => {
    singles.count = 0;
    for (let m = first; m < end; m++) {
      const at = m * MOVE_STRIDE;
      const [from, to] = [moves[at + 1], moves[at + 2]];
      const type = moves[at + 3] as Type; // allocators write types of virtual registers there
      const via = isInteger(type) ? scratch.generalScratch : scratch.vectorScratch;
      if (from === to) continue;
      if ((isSlot(from) || isRemat(from)) && isSlot(to)) {
        singles.add(from, via, type);
        singles.add(via, to, type);
      } else singles.add(from, to, type);
    }
  };
  return { parts: { ...PARTS, sequentialize } };
}

function encodingWidth(): Planted {
  return withX64(x64Target(rowsWith({ addq: { form: "add r32, rm32", bytes: [0x03] } })));
}

function immediateRange(): Planted {
  const target = changeRows(
    ARM64_TARGET,
    ["addlImm"],
    (): Partial<Arm64Row> => ({
      immediate: { name: "imm13", fits: (lo) => lo >= 0 && lo < 8192 },
      emit: (asm, c, i) =>
        asm.dni(A64.addwi, c.register(i, 0), c.register(i, 1), c.lir.immLo[i] & 4095),
    }),
  );
  return { parts: { ...PARTS, plans: { ...PARTS.plans, arm64: makePlan(target) } } };
}

// The first definition is the result; of the others those in named registers say what is destroyed.
// Here they may be anywhere, so that the allocation is right and the code is not.
function destroyedRegister(): Planted {
  const keep = <Asm>(target: Target<Asm>) => {
    const rows = target.rows.map((row) => {
      if (!row.name.startsWith("patchpoint.")) return row;
      const operands = row.operands.map(
        (form, k): OperandForm =>
          k > 0 && typeof form === "object" && "def" in form ? "def" : form,
      );
      return { ...row, operands };
    });
    return makePlan({ ...target, rows });
  };
  return { parts: { ...PARTS, plans: { x64: keep(X64_TARGET), arm64: keep(ARM64_TARGET) } } };
}

// A register that the caller needs comes back with what the callee had in it.
function unwindMap(): Planted {
  const forget = (record: ExitRecord): ExitRecord =>
    record.procedure === ENTRY ? record : { ...record, saved: record.saved.slice(1) };
  const parts: Parts = { ...PARTS, encodeExits: (records) => encodeExits(records.map(forget)) };
  return { parts };
}

// In the code of continuations alone: neither the entry, nor what procedures call, nor what the oracle
// continues in.
function continuationCode(): Planted {
  let continuations: ReadonlySet<number> = new Set();
  const { settings } = planting((module) => {
    const all = [...module.continuations.values()].flat();
    continuations = new Set(all.map((proc) => module.procedures.indexOf(proc)));
  });
  const { writer } = X64_TARGET;
  const epilogue: typeof writer.epilogue = (asm, context) => {
    if (continuations.has(context.procedure)) asm.ri(X64.xorlImm, Gpr.rax, 1);
    writer.epilogue(asm, context);
  };
  const planted = withX64({ ...X64_TARGET, writer: { ...writer, epilogue } });
  return settings === undefined ? planted : { ...planted, settings };
}

// One comparison each.

function crash(): Planted {
  return planting((module) => {
    if (isInteger(module.entry.result) || module.entry.result === Void) return;
    for (const { last } of module.entry.blocks) {
      if (last.opcode !== Op.Return) continue;
      last.opcode = Op.Oops;
      last.a = null;
    }
  });
}

// Only where nothing is called: a caller that loses a register computes something else.
function calleeSaved(): Planted {
  let isAlone = false;
  const { settings } = planting((module) => {
    isAlone = !module.procedures.some(callsProcedure);
  });
  const forget = <Asm>(target: Target<Asm>) =>
    makePlan({
      ...target,
      get calleeSaved() {
        return isAlone ? target.calleeSaved.slice(1) : target.calleeSaved;
      },
    });
  const plans = { x64: forget(X64_TARGET), arm64: forget(ARM64_TARGET) };
  return { parts: { ...PARTS, plans }, ...(settings === undefined ? {} : { settings }) };
}

const callsProcedure = ({ blocks }: Procedure): boolean =>
  blocks.some(({ values }) => values.some(({ procedure }) => procedure !== null));

function stackPointer(): Planted {
  return withEpilogue((asm) => {
    asm.op(X64.leave);
    asm.i(X64.retImm, 16);
  }, "instead");
}

function guardZone(): Planted {
  const ABOVE_ARGUMENTS = 16 + 128; // from the frame pointer; more than any entry has on the stack
  const { writer } = X64_TARGET;
  const prologue: typeof writer.prologue = (asm, context) => {
    writer.prologue(asm, context);
    if (context.procedure === ENTRY) asm.rm(X64.movlStore, Gpr.rbp, Gpr.rbp, ABOVE_ARGUMENTS);
  };
  return withX64({ ...X64_TARGET, writer: { ...writer, prologue } });
}

function directionFlag(): Planted {
  return withEpilogue((asm) => asm.op(X64.std), "before");
}

function roundingMode(): Planted {
  const TOWARD_MINUS_INFINITY = 0x3f80; // MXCSR with all exceptions masked
  return withEpilogue((asm) => {
    asm.i(X64.pushqImm, TOWARD_MINUS_INFINITY);
    asm.rm(X64.ldmxcsr, 0, Gpr.rsp, 0);
    asm.r(X64.popq, Gpr.rcx);
  }, "before");
}

function missingHostCall(): Planted {
  return planting((module) => {
    for (const block of module.entry.blocks) {
      for (const value of block.values) {
        if (value.opcode !== Op.CCall || value.type !== Void) continue;
        if (value.host !== null && isObservable(value.host)) value.becomesNop();
      }
    }
  });
}

function exitNumber(): Planted {
  return withExits((record) => ({ ...record, exit: record.exit + 1000 }));
}

function exitSlot(): Planted {
  return withExits((record) => ({
    ...record,
    frames: record.frames.map((frame) => {
      const [first, second, ...others] = frame.slots;
      return second === undefined ? frame : { ...frame, slots: [second, first, ...others] };
    }),
  }));
}

function returnValue(): Planted {
  return planting((module) => {
    const proc = module.entry;
    if (!isInteger(proc.result)) return;
    for (const block of proc.blocks) {
      const { last } = block;
      if (last.opcode !== Op.Return || last.a === null) continue;
      const one = proc.newConstant(proc.result, 1, 0);
      const flipped = proc.newValue(Op.BitXor, proc.result);
      flipped.a = last.a;
      flipped.b = one;
      last.a = flipped;
      insertBeforeLast(block, [one, flipped]);
    }
  });
}

// Just before the return nobody can read what the store has written: only the comparison of heaps
// sees it.
function storeShort(): Planted {
  return planting((module) => {
    for (const { values, last } of module.entry.blocks) {
      const store = values[values.length - 2];
      if (last.opcode !== Op.Return || store?.opcode !== Op.Store) continue;
      if (store.a?.type === Int32) store.opcode = Op.Store16;
    }
  });
}

function resumedValue(): Planted {
  return { resumeFilter: (frames) => frames.map(flipFirstInteger) };
}

function flipFirstInteger(frame: FrameState): FrameState {
  const at = frame.slots.findIndex((slot) => isBits(slot) && isInteger(slot.type));
  const slots = frame.slots.map((slot, i) =>
    isBits(slot) && i === at ? { ...slot, lo: slot.lo ^ 1 } : slot,
  );
  return { ...frame, slots };
}

// In the first run the upper halves of parameters are zero, in the second they are junk. Only
// parameters are taken, because what a program has computed may leave anything above.
function upperHalf(): Planted {
  let trusted: ReadonlySet<number> = new Set();
  const { settings } = planting((module) => {
    const extended = module.entry.blocks.flatMap(({ values }) =>
      values.filter(({ opcode, a }) => opcode === Op.ZExt32 && a?.opcode === Op.Parameter),
    );
    trusted = new Set(extended.map(({ id }) => id));
  });
  const target = changeRows(X64_TARGET, ["zextl"], (row) => ({
    emit: (asm, c, i) => {
      const from = c.location(i, 1);
      const isTrusted = c.procedure === ENTRY && trusted.has(c.lir.origin[i]);
      if (isSlot(from) || !isTrusted) row.emit(asm, c, i);
      else asm.rr(X64.movq, c.register(i, 0), from);
    },
  }));
  return settings === undefined ? withX64(target) : { ...withX64(target), settings };
}

// How plants are made. What is about one comparison is planted in the entry alone: in a callee it
// would disturb its caller, which other comparisons see.

const ENTRY = 0;

function planting(plant: (module: Module) => void): Planted {
  return { settings: { ...DEFAULT_SETTINGS, plant } };
}

function withX64(target: Target<X64Assembler>): Planted {
  return { parts: { ...PARTS, plans: { ...PARTS.plans, x64: makePlan(target) } } };
}

function withEpilogue(write: (asm: X64Assembler) => void, place: "before" | "instead"): Planted {
  const { writer } = X64_TARGET;
  const epilogue: typeof writer.epilogue = (asm, context) => {
    if (place === "before" || context.procedure !== ENTRY) {
      if (context.procedure === ENTRY) write(asm);
      writer.epilogue(asm, context);
      return;
    }
    context.frame.saved.forEach((register, n) => {
      asm.rm(X64.movq, register, Gpr.rbp, context.frame.offsetOfSaved(n));
    });
    write(asm);
  };
  return withX64({ ...X64_TARGET, writer: { ...writer, epilogue } });
}

/**
 * Changes the records of exits that nothing resumes from: where something does, a second comparison
 * would see it.
 */
function withExits(change: (record: ExitRecord) => ExitRecord): Planted {
  let resumed: ReadonlySet<number> = new Set();
  const parts: Parts = {
    ...PARTS,
    encodeExits: (records) =>
      encodeExits(records.map((record) => (resumed.has(record.exit) ? record : change(record)))),
  };
  const { settings } = planting((module) => {
    resumed = new Set(module.continuations.keys());
  });
  return settings === undefined ? { parts } : { parts, settings };
}

function changeRows<Asm>(
  target: Target<Asm>,
  names: readonly string[],
  change: (row: LirRow<Asm>) => Partial<LirRow<Asm>>,
): Target<Asm> {
  const rows = target.rows.map((row) =>
    names.includes(row.name) ? { ...row, ...change(row) } : row,
  );
  return { ...target, rows };
}

function insertBeforeLast(block: BasicBlock, values: readonly Value[]): void {
  block.values.splice(block.values.length - 1, 0, ...values);
  for (const value of values) value.block = block;
}
