// Canaries of the stages of the compiler: bugs that several comparisons may find.

import { A64 } from "../../../reference/arm64/encodings.js";
import type { Arm64Row } from "../../../reference/arm64/row.js";
import { ARM64_TARGET } from "../../../reference/arm64/target.js";
import { isRemat, isSlot } from "../../../reference/lir/lir.js";
import { POSITIVE_ZERO } from "../../../reference/optimize/rules/patterns.js";
import { type CompilerParts, PARTS } from "../../../reference/parts.js";
import { MOVE_STRIDE } from "../../../reference/regalloc/allocation.js";
import type { MoveSequentializer } from "../../../reference/regalloc/parallel-moves.js";
import { encodeExits } from "../../../reference/snapshot/encode-exits.js";
import type { ExitLocation, ExitRecord } from "../../../reference/snapshot/exit-record.js";
import { type LoweringPlan, makePlan } from "../../../reference/target/plan.js";
import type { OperandForm, Target } from "../../../reference/target/target.js";
import { rowsWith, X64 } from "../../../reference/x64/encodings.js";
import { Gpr } from "../../../reference/x64/registers.js";
import { X64_TARGET, x64Target } from "../../../reference/x64/target.js";
import { Op } from "../../ir/opcodes.js";
import { isInteger, type Type } from "../../ir/types.js";
import type { PlantedBug } from "./canary.js";
import { changeRows, ENTRY, planting, withX64 } from "./planting.js";

export function floatRule(): PlantedBug {
  const planted = {
    name: "planted-add-zero",
    match: ["Add", "x", POSITIVE_ZERO],
    give: "x",
  } as const;
  return { parts: { ...PARTS, rules: [planted, ...PARTS.rules] } };
}

export function guardIgnored(): PlantedBug {
  return withX64(
    changeRows(X64_TARGET, ["check.testl", "check.testq"], () => ({ emit: () => {} })),
  );
}

// Plants callers that ignore the deoptimization flag of their callees, and so continue where they
// should exit.
export function ignoreCallCheck(): PlantedBug {
  return planting((module) => {
    for (const proc of module.procedures) {
      proc.forEachValue((value) => {
        if (value.opcode !== Op.CallCheck) return;
        value.opcode = Op.CallIndirect;
        value.extra = null;
      });
    }
  });
}

export function moveOrder(): PlantedBug {
  const sequentialize: MoveSequentializer = (moves, first, end, scratch, singles) => {
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

export function encodingWidth(): PlantedBug {
  return withX64(x64Target(rowsWith({ addq: { form: "add r32, rm32", bytes: [0x03] } })));
}

export function immediateRange(): PlantedBug {
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

// Plants patchpoints that destroy registers without a record of it in LIR: the allocation is right,
// and the code is wrong.
export function destroyedRegister(): PlantedBug {
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

// Plants patchpoints that take late operands of named registers in any register: the code is right,
// and only the exit shows the value at another location.
export function displacedOperand(): PlantedBug {
  const anywhere = <Asm>(target: Target<Asm>) => {
    const rows = target.rows.map((row) => {
      if (!row.name.startsWith("patchpoint.exit")) return row;
      const operands = row.operands.map(
        (form): OperandForm => (typeof form === "object" && "lateUse" in form ? "use:late" : form),
      );
      return { ...row, operands };
    });
    return makePlan({ ...target, rows });
  };
  return {
    parts: { ...PARTS, plans: { x64: anywhere(X64_TARGET), arm64: anywhere(ARM64_TARGET) } },
  };
}

// Plants an exit in a callee that restores a register of the caller with a wrong value.
export function unwindMap(): PlantedBug {
  const forget = (record: ExitRecord): ExitRecord =>
    record.procedure === ENTRY ? record : { ...record, saved: record.saved.slice(1) };
  const parts: CompilerParts = {
    ...PARTS,
    encodeExits: (records) => encodeExits(records.map(forget)),
  };
  return { parts };
}

// Plants a bug in the machine code of continuations only: not in the entry, called procedures or
// interpreted continuations.
export function continuationCode(): PlantedBug {
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

// Bugs in the code for 64-bit values in two registers: only subjects with such values show them.

/** Splits values that arrive in one register with their halves exchanged. */
export function cutAcross(): PlantedBug {
  const across = (plan: LoweringPlan): LoweringPlan => ({
    ...plan,
    halves: [plan.halves[1], plan.halves[0]],
  });
  const { x64, arm64 } = PARTS.plans;
  return { parts: { ...PARTS, plans: { x64: across(x64), arm64: across(arm64) } } };
}

/** Exchanges the halves of split values in the exit table. */
export function exchangedHalves(): PlantedBug {
  const exchanged = (location: ExitLocation): ExitLocation =>
    location.halves === null
      ? location
      : { ...location, halves: [location.halves[1], location.halves[0]] };
  const change = (record: ExitRecord): ExitRecord => ({
    ...record,
    leaves: record.leaves.map(exchanged),
    frames: record.frames.map((frame) => ({ ...frame, slots: frame.slots.map(exchanged) })),
  });
  return { parts: { ...PARTS, encodeExits: (records) => encodeExits(records.map(change)) } };
}
