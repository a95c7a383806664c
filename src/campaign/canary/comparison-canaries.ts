// Canaries of comparisons: bugs that only one comparison finds.

import { ARM64_TARGET } from "../../../reference/arm64/target.js";
import { isSlot } from "../../../reference/lir/lir.js";
import { PARTS } from "../../../reference/parts.js";
import { makePlan } from "../../../reference/target/plan.js";
import type { Target } from "../../../reference/target/target.js";
import { X64 } from "../../../reference/x64/encodings.js";
import { Gpr } from "../../../reference/x64/registers.js";
import { X64_TARGET } from "../../../reference/x64/target.js";
import { Op } from "../../ir/opcodes.js";
import { type FrameState, type Input, isBits, type Outcome } from "../../ir/outcome.js";
import type { BasicBlock, Procedure, Value } from "../../ir/procedure.js";
import { Int32, isInteger, Void } from "../../ir/types.js";
import { Oracle } from "../../oracle/fast/oracle.js";
import type { DecodedModule } from "../../oracle/fast/program.js";
import type { PlantedBug } from "./canary.js";
import { changeRows, ENTRY, planting, withEpilogue, withExits, withX64 } from "./planting.js";

export function crash(): PlantedBug {
  return planting((module) => {
    if (isInteger(module.entry.result) || module.entry.result === Void) return;
    for (const { last } of module.entry.blocks) {
      if (last.opcode !== Op.Return) continue;
      last.opcode = Op.Oops;
      last.a = null;
    }
  });
}

// Plants a bug that does not save one callee-saved register. Modules with calls are left out: their
// callers would compute wrong values.
export function calleeSaved(): PlantedBug {
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

export function stackPointer(): PlantedBug {
  return withEpilogue((asm) => {
    asm.i(X64.retImm, 16);
  }, "in place of the return");
}

export function guardZone(): PlantedBug {
  const ABOVE_ARGUMENTS = 8 + 128; // from the return address; more than any entry has on the stack
  return withEpilogue((asm) => {
    asm.rm(X64.movlStore, Gpr.rbp, Gpr.rsp, ABOVE_ARGUMENTS);
    asm.op(X64.ret);
  }, "in place of the return");
}

export function directionFlag(): PlantedBug {
  return withEpilogue((asm) => asm.op(X64.std), "before");
}

export function roundingMode(): PlantedBug {
  const TOWARD_MINUS_INFINITY = 0x3f80; // MXCSR with all exceptions masked
  return withEpilogue((asm) => {
    asm.i(X64.pushqImm, TOWARD_MINUS_INFINITY);
    asm.rm(X64.ldmxcsr, 0, Gpr.rsp, 0);
    asm.r(X64.popq, Gpr.rcx);
  }, "before");
}

export function missingHostCall(): PlantedBug {
  return planting((module) => {
    for (const block of module.entry.blocks) {
      for (const value of block.values) {
        if (value.opcode !== Op.CCall || value.type !== Void) continue;
        // Only events are removed: a missing call of the class `keep` would also change loaded
        // values.
        if (value.host?.class === "event") value.becomesNop();
      }
    }
  });
}

export function exitNumber(): PlantedBug {
  return withExits((record) => ({ ...record, exit: record.exit + 1000 }));
}

export function exitSlot(): PlantedBug {
  return withExits((record) => ({
    ...record,
    frames: record.frames.map((frame) => {
      const [first, second, ...others] = frame.slots;
      return second === undefined ? frame : { ...frame, slots: [second, first, ...others] };
    }),
  }));
}

export function returnValue(): PlantedBug {
  return planting((module) => {
    const proc = module.entry;
    if (!isInteger(proc.result)) return;
    for (const block of proc.blocks) {
      const { last } = block;
      if (last.opcode !== Op.Return || last.a === null) continue;
      const one = proc.newConstant(proc.result, 1, 0);
      const flipped = proc.newValue(Op.BitXor, proc.result, last.a, one);
      last.a = flipped;
      insertBeforeLast(block, [one, flipped]);
    }
  });
}

// Plants a store that writes too few bytes just before a return, so that only the comparison of
// heaps can find it.
export function storeShort(): PlantedBug {
  return planting((module) => {
    for (const { values, last } of module.entry.blocks) {
      const store = values[values.length - 2];
      if (last.opcode !== Op.Return || store?.opcode !== Op.Store) continue;
      if (store.a?.type === Int32) store.opcode = Op.Store16;
    }
  });
}

export function resumedValue(): PlantedBug {
  return { resumeFilter: (frames) => frames.map(flipFirstInteger) };
}

function flipFirstInteger(frame: FrameState): FrameState {
  const at = frame.slots.findIndex((slot) => isBits(slot) && isInteger(slot.type));
  const slots = frame.slots.map((slot, i) =>
    isBits(slot) && i === at ? { ...slot, lo: slot.lo ^ 1 } : slot,
  );
  return { ...frame, slots };
}

// Plants a zero-extension of parameters that does nothing. In the first run of a program the upper
// halves of parameters are zero, in the second they are junk, so only the comparison of both runs
// finds it.
export function upperHalf(): PlantedBug {
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

function insertBeforeLast(block: BasicBlock, values: readonly Value[]): void {
  block.values.splice(block.values.length - 1, 0, ...values);
  for (const value of values) value.block = block;
}

/**
 * A wrong fast interpreter. All interpreted subjects are wrong in the same way, so no subject
 * differs.
 */
class ForgetfulOracle extends Oracle {
  override run(program: DecodedModule, input: Input, fuelMax: number): Outcome {
    const outcome = super.run(program, input, fuelMax);
    return { ...outcome, events: outcome.events.slice(0, -1) };
  }
}

export const callForgotten = (): PlantedBug => ({ oracle: new ForgetfulOracle() });
