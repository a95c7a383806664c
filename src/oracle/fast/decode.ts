// Decodes a module: numbers cells, replaces operands by cells and blocks by addresses.
//
// Assumes a module that the verifier accepts. Asserts the conditions whose violation would give wrong results silently.

import { TAKEN_ADDRESS } from "../../ir/host-functions.js";
import {
  ATOMIC,
  BULK,
  CALLS,
  CALLS_ADDRESS,
  CONSTANT,
  EFFECTS,
  EXITS,
  FENCE,
  guardsResult,
  Op,
  READS_MEMORY,
  READS_VARIABLE,
  RESULT_OF_CALL,
  WRITES_MEMORY,
  WRITES_VARIABLE,
} from "../../ir/opcodes.js";
import type { PatchpointKind } from "../../ir/patchpoints.js";
import {
  argumentOf,
  type BasicBlock,
  type FrameSlot,
  furtherOf,
  type Module,
  type Procedure,
  type Snapshot,
  type Value,
} from "../../ir/procedure.js";
import { snapshotLeaves } from "../../ir/snapshot-leaves.js";
import { isWide, type Type, Void } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { bytesOf, wordsOf, zeroedWords } from "../../support/program-arrays.js";
import {
  A,
  B,
  C,
  CLASS,
  COST,
  DEST,
  type DecodedCall,
  type DecodedExit,
  type DecodedModule,
  type DecodedPatchpoint,
  type DecodedProcedure,
  DecodedProcedures,
  type DecodedSlot,
  type DecodedSwitch,
  NO_CELL,
  NO_SLOT,
  NO_VALUE,
  type SkippedValue,
  type SlotBytes,
  STEP,
  STRIDE,
  X,
  Y,
} from "./program.js";
import { slotsOfAddresses } from "./slot-addresses.js";
import { CALL_PROCEDURE_STEP, END_EXIT_STEP, stepIndexOf } from "./steps.js";

export function decodeModule(module: Module): DecodedModule {
  const program = decodeLazily(module);
  program.procedures.all();
  return program;
}

/**
 * Decodes each procedure of a module when it is first used; it must not change afterwards. Most executions take few
 * exits, and so call few continuations.
 * @param prepare called with each procedure before it is decoded
 */
export function decodeLazily(
  module: Module,
  prepare: (proc: Procedure) => void = () => {},
): DecodedModule {
  const indices = indicesOf(module);
  const procedures = new DecodedProcedures(module.procedures.length, (index) => {
    const proc = module.procedures[index];
    prepare(proc);
    return new ProcedureDecoder(proc, indices).decode();
  });
  return programOf(module, procedures, indices);
}

type ProcedureIndices = ReadonlyMap<Procedure, number>;

const indicesOf = (module: Module): ProcedureIndices =>
  new Map(module.procedures.map((proc, index) => [proc, index]));

function programOf(
  module: Module,
  procedures: DecodedProcedures,
  indices: ProcedureIndices,
): DecodedModule {
  const continuations = new Map<number, readonly number[]>();
  for (const [exit, procs] of module.continuations) {
    continuations.set(
      exit,
      procs.map((proc) => indices.get(proc) ?? -1),
    );
  }
  return {
    heapSize: module.heapSize,
    allocates: module.procedures.some(allocates),
    procedures,
    continuations,
  };
}

const allocates = ({ blocks }: Procedure): boolean =>
  blocks.some(({ values }) => values.some(({ opcode }) => opcode === Op.Allocate));

class ProcedureDecoder {
  private readonly proc: Procedure;
  private readonly indices: ProcedureIndices;
  /** By value id: the cell. The cell after a Phi's is its variable. */
  private readonly cellOf: Int32Array;
  private readonly cellIds: number[] = [];
  private readonly cellTypes: Type[] = [];
  private readonly constants: Value[] = [];
  private instructionCount = 0;
  private code = new Int32Array(0);
  private pc = 0;
  private readonly ids: number[] = [];
  private readonly opcodes: number[] = [];
  private readonly skipped: SkippedValue[] = [];
  private readonly skippedStart: number[] = [0];
  private readonly calls: DecodedCall[] = [];
  private readonly patchpoints: DecodedPatchpoint[] = [];
  private readonly switches: DecodedSwitch[] = [];
  private readonly places: SlotBytes[] = [];
  private slotBytes = 0;
  private readonly addressSlots: Int32Array;
  /** By block id and by snapshot id: the start in `code`. */
  private readonly blockStarts: Int32Array;
  private readonly exitStarts: Int32Array;

  constructor(proc: Procedure, indices: ProcedureIndices) {
    this.proc = proc;
    this.indices = indices;
    this.cellOf = zeroedWords(proc.valueIdEnd).fill(NO_CELL);
    this.addressSlots = slotsOfAddresses(proc);
    this.blockStarts = zeroedWords(proc.blockIdEnd);
    this.exitStarts = zeroedWords(proc.snapshotIdEnd);
  }

  decode(): DecodedProcedure {
    const { proc } = this;
    this.placeSlots();
    this.assignCells();
    this.code = zeroedWords(this.instructionCount * STRIDE);
    for (const block of proc.blocks) this.decodeBlock(block);
    const exits = proc.snapshots.map((snapshot, i) => this.decodeExit(snapshot, i));
    this.resolveTargets();
    return {
      index: this.indexOf(proc),
      result: proc.result,
      further: proc.further,
      code: this.code,
      firstCells: this.firstCells(),
      cellTypes: bytesOf(this.cellTypes),
      parameterCount: proc.parameters.length,
      slots: this.places,
      slotBytes: this.slotBytes,
      exits,
      calls: this.calls,
      patchpoints: this.patchpoints,
      switches: this.switches,
      cellIds: wordsOf(this.cellIds),
      valueIdEnd: proc.valueIdEnd,
      ids: wordsOf(this.ids),
      opcodes: bytesOf(this.opcodes),
      skippedStart: wordsOf(this.skippedStart),
      skipped: this.skipped,
    };
  }

  private placeSlots(): void {
    for (const { size, isLocked } of this.proc.slots) {
      this.places.push({ start: this.slotBytes, size, isLocked });
      this.slotBytes += size;
    }
  }

  private assignCells(): void {
    const { proc } = this;
    for (const parameter of proc.parameters) this.newCell(parameter);
    proc.forEachValue((value) => {
      if (value.type !== Void) this.newCell(value);
      if (value.opcode === Op.Phi) this.newVariable(value);
      if ((EFFECTS[value.opcode] & CALLS) !== 0) this.newFurther(value);
      if ((EFFECTS[value.opcode] & CONSTANT) !== 0) this.constants.push(value);
      else if (value.opcode !== Op.Nop) this.instructionCount++;
    });
    this.instructionCount += proc.snapshots.length;
  }

  private newCell(value: Value): void {
    this.cellOf[value.id] = this.cellTypes.length;
    this.newVariable(value);
  }

  /** Numbers the cells of a call's further results, after the cell of its first result. */
  private newFurther(call: Value): void {
    for (const type of furtherOf(call)) {
      this.cellTypes.push(type);
      this.cellIds.push(call.id);
    }
  }

  private newVariable(value: Value): void {
    this.cellTypes.push(value.type);
    this.cellIds.push(value.id);
  }

  private indexOf(proc: Procedure): number {
    const index = this.indices.get(proc);
    assert(index !== undefined, () => `${proc.name} is not in the module`);
    return index;
  }

  // Returns the initial contents of the cells. The address of a procedure is its index, because it can only be called.
  // A SlotBase is the offset 0 in its slot: every access belongs statically to the heap or to one slot, so the address
  // need not contain the slot. FramePointer is likewise an offset in the frame.
  private firstCells(): Int32Array {
    const words = zeroedWords(this.cellTypes.length * 2);
    for (const value of this.constants) {
      if (value.opcode === Op.SlotBase || value.opcode === Op.FramePointer) continue;
      const word = this.cellOf[value.id] * 2;
      if (value.procedure !== null) {
        words[word] = this.indexOf(value.procedure);
        continue;
      }
      words[word] = value.constantLow;
      if (isWide(value.type)) words[word + 1] = value.constantHigh;
    }
    return words;
  }

  private decodeBlock(block: BasicBlock): void {
    this.blockStarts[block.id] = this.pc;
    for (let i = 0; i < block.values.length; i++) this.decodeValue(block.values[i], block);
  }

  private decodeValue(value: Value, block: BasicBlock | null): void {
    const effects = EFFECTS[value.opcode];
    if ((effects & CONSTANT) !== 0 || value.opcode === Op.Nop) {
      this.skipped.push({ id: value.id, cell: this.cellOf[value.id] });
      return;
    }
    const { code, pc } = this;
    const isAccess = (effects & (READS_MEMORY | WRITES_MEMORY | ATOMIC)) !== 0;
    const slot =
      isAccess && (effects & ATOMIC) === 0 ? this.addressSlots[value.address.id] : NO_SLOT;
    const type = (effects & READS_MEMORY) !== 0 ? value.type : (value.a?.type ?? Void);
    code[pc + STEP] = stepIndexOf(value.opcode, type, slot !== NO_SLOT);
    code[pc + DEST] = this.cellOf[value.id];
    code[pc + A] = value.a === null ? NO_CELL : this.cell(value.a);
    code[pc + B] = value.b === null ? NO_CELL : this.cell(value.b);
    code[pc + C] = value.c === null ? NO_CELL : this.cell(value.c);
    if (isAccess) {
      code[pc + X] = value.offset;
      code[pc + Y] = slot;
      code[pc + CLASS] = value.memoryClass;
    } else if (value.patchpoint !== null) {
      this.decodePatchpoint(value, value.patchpoint);
    } else if ((effects & EXITS) !== 0) {
      code[pc + X] = value.snapshot.id;
      if (guardsResult(value.opcode)) this.decodeCall(value);
      if (CALLS_ADDRESS[value.opcode] === 1) code[pc + STEP] = CALL_PROCEDURE_STEP;
    } else if ((effects & (CALLS | BULK | FENCE)) === CALLS) {
      if (value.host === null) code[pc + STEP] = CALL_PROCEDURE_STEP;
      this.decodeCall(value);
    } else if ((effects & WRITES_VARIABLE) !== 0) {
      code[pc + DEST] = this.cell(value.phi) + 1;
    } else if ((effects & READS_VARIABLE) !== 0) {
      code[pc + A] = this.cell(value) + 1;
    } else if ((effects & FENCE) !== 0) {
      code[pc + X] = value.fenceKind;
    } else if ((effects & RESULT_OF_CALL) !== 0) {
      code[pc + A] += value.resultIndex;
    } else if (value.opcode === Op.ArgumentReg) {
      code[pc + A] = this.cell(argumentOf(this.proc, value.type, value.argumentIndex) ?? value);
    } else if (value.opcode === Op.TailCall) {
      this.decodeCall(value);
    } else if (value.opcode === Op.Switch && block !== null) {
      code[pc + Y] = this.switches.length;
      this.switches.push(decodeSwitch(value, block));
    } else if (block !== null && value === block.last) {
      code[pc + X] = block.successors[0]?.id ?? 0;
      code[pc + Y] = block.successors[1]?.id ?? 0;
    }
    this.finish(1, value.id, value.opcode);
  }

  private decodeCall(value: Value): void {
    const { host, procedure, rest } = value;
    this.code[this.pc + Y] = this.calls.length;
    this.calls.push({
      host,
      procedure: procedure === null ? -1 : this.indexOf(procedure),
      argCells: (rest ?? []).map(this.cell),
      further: value.opcode === Op.TailCall ? 0 : furtherOf(value).length,
      slot:
        rest !== null && host?.kept === "takes"
          ? this.addressSlots[rest[TAKEN_ADDRESS].id]
          : NO_SLOT,
    });
  }

  private decodePatchpoint(value: Value, kind: PatchpointKind): void {
    const { code, pc } = this;
    const operands = value.rest ?? [];
    code[pc + Y] = this.patchpoints.length;
    if (kind.effect === "exit") code[pc + X] = value.snapshot.id;
    const slot = kind.bytes > 0 ? this.addressSlots[operands[0].id] : NO_SLOT;
    this.patchpoints.push({ kind, argCells: operands.map(this.cell), slot });
  }

  private readonly cell = (value: Value): number => {
    const cell = this.cellOf[value.id];
    assert(cell !== NO_CELL, () => `@${value.id} is an operand but has no cell`);
    return cell;
  };

  private finish(fuel: number, id: number, opcode: number): void {
    const skippedEnd = this.skipped.length;
    this.code[this.pc + COST] = fuel + skippedEnd - this.skippedStart[this.ids.length];
    this.skippedStart.push(skippedEnd);
    this.ids.push(id);
    this.opcodes.push(opcode);
    this.pc += STRIDE;
  }

  private decodeExit(snapshot: Snapshot, index: number): DecodedExit {
    const start = this.pc;
    this.exitStarts[snapshot.id] = start;
    for (const value of snapshot.values) this.decodeValue(value, null);
    this.code[this.pc + STEP] = END_EXIT_STEP;
    this.code[this.pc + X] = index;
    this.finish(0, NO_VALUE, Op.Nop);
    return {
      snapshotId: snapshot.id,
      exit: snapshot.exit,
      pc: start,
      frames: snapshot.frames.map(({ name, point, slots }) => ({
        name,
        point,
        slots: slots.map((slot) => this.decodeSlot(slot)),
      })),
      dead: snapshot.frames.flatMap(({ slots }) => slots.flatMap((slot) => this.deadOf(slot))),
      leafCells: snapshotLeaves(snapshot).map(this.cell),
    };
  }

  private decodeSlot(slot: FrameSlot): DecodedSlot {
    if (slot.kind === "dead") return null;
    if (slot.kind === "deadHeap" || slot.kind === "deadBytes") return null;
    if (slot.kind === "contents") return this.places[this.proc.slots.indexOf(slot.slot)];
    if (slot.kind === "fields") {
      const fields = slot.fields.map(({ offset, value }) => ({ offset, cell: this.cell(value) }));
      return { size: slot.size, fields };
    }
    if (slot.kind === "value") return { cell: this.cell(slot.value), type: slot.value.type };
    const { type, lo } = slot;
    return { type, lo, hi: isWide(type) ? slot.hi : 0, anyNaN: false };
  }

  private deadOf(slot: FrameSlot): DecodedExit["dead"] {
    if (slot.kind !== "deadHeap" && slot.kind !== "deadBytes") return [];
    const cell = slot.kind === "deadHeap" ? NO_CELL : this.cell(slot.address);
    return [{ cell, offset: slot.offset, size: slot.size }];
  }

  /** Replaces ids of blocks and snapshots by their starts in `code`. */
  private resolveTargets(): void {
    const { code, opcodes } = this;
    for (let i = 0, pc = 0; i < opcodes.length; i++, pc += STRIDE) {
      const opcode = opcodes[i];
      if ((EFFECTS[opcode] & EXITS) !== 0) code[pc + X] = this.exitStarts[code[pc + X]];
      else if (opcode === Op.Jump || opcode === Op.Branch) {
        code[pc + X] = this.blockStarts[code[pc + X]];
        code[pc + Y] = this.blockStarts[code[pc + Y]];
      }
    }
    for (const { targets } of this.switches) {
      for (let k = 0; k < targets.length; k++) targets[k] = this.blockStarts[targets[k]];
    }
  }
}

/** Decodes a Switch; its targets are still ids of blocks. */
function decodeSwitch({ cases }: Value, { successors }: BasicBlock): DecodedSwitch {
  return {
    lo: Int32Array.from(cases.lo),
    hi: Int32Array.from(cases.hi),
    targets: Int32Array.from(successors, ({ id }) => id),
    isDense: cases.lo.every((key, k) => key === k && cases.hi[k] === 0),
  };
}
