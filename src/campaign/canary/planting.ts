// Plants a bug in the compiled module, in the x64 target, or in the exit table. A bug that proves
// one comparison is planted only in the entry. In a callee it would affect the caller, and other
// comparisons would find it too.

import { type CompilerParts, PARTS } from "../../../reference/parts.js";
import { encodeExits } from "../../../reference/snapshot/encode-exits.js";
import type { ExitRecord } from "../../../reference/snapshot/exit-record.js";
import { makePlan } from "../../../reference/target/plan.js";
import type { LirRow, Target } from "../../../reference/target/target.js";
import type { X64Assembler } from "../../../reference/x64/assembler.js";
import { X64_TARGET } from "../../../reference/x64/target.js";
import { DEFAULT_SETTINGS } from "../../execute/unit.js";
import type { Module } from "../../ir/procedure.js";
import type { PlantedBug } from "./canary.js";

/** The index of the entry procedure in a module. */
export const ENTRY = 0;

export function planting(plant: (module: Module) => void): PlantedBug {
  return { settings: { ...DEFAULT_SETTINGS, plant } };
}

export function withX64(target: Target<X64Assembler>): PlantedBug {
  return { parts: { ...PARTS, plans: { ...PARTS.plans, x64: makePlan(target) } } };
}

export function withEpilogue(
  write: (asm: X64Assembler) => void,
  place: "before" | "in place of the return",
): PlantedBug {
  const { writer } = X64_TARGET;
  const epilogue: typeof writer.epilogue = (asm, context) => {
    const isEntry = context.procedure === ENTRY;
    if (isEntry && place === "in place of the return") {
      if (context.isFramed) writer.leave(asm, context);
      write(asm);
      return;
    }
    if (isEntry) write(asm);
    writer.epilogue(asm, context);
  };
  return withX64({ ...X64_TARGET, writer: { ...writer, epilogue } });
}

/**
 * Changes the records of exits without continuation. A second comparison would find a change of the
 * others.
 */
export function withExits(change: (record: ExitRecord) => ExitRecord): PlantedBug {
  let resumed: ReadonlySet<number> = new Set();
  const parts: CompilerParts = {
    ...PARTS,
    encodeExits: (records) =>
      encodeExits(records.map((record) => (resumed.has(record.exit) ? record : change(record)))),
  };
  const { settings } = planting((module) => {
    resumed = new Set(module.continuations.keys());
  });
  return settings === undefined ? { parts } : { parts, settings };
}

export function changeRows<Asm>(
  target: Target<Asm>,
  names: readonly string[],
  change: (row: LirRow<Asm>) => Partial<LirRow<Asm>>,
): Target<Asm> {
  const rows = target.rows.map((row) =>
    names.includes(row.name) ? { ...row, ...change(row) } : row,
  );
  return { ...target, rows };
}
