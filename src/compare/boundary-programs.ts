// Makes programs of boundary tables: one operation that returns its result, or many that store their results in the
// heap. Each operand is a constant of its own for each operation, or a parameter.

import { ATOMIC, EFFECTS, hasAttribute, Op, type Opcode, READS_MEMORY } from "../ir/opcodes.js";
import { HEAP_BASE, type Input } from "../ir/outcome.js";
import { type BasicBlock, Module, Procedure, type Value } from "../ir/procedure.js";
import { Int64, type Type, Void } from "../ir/types.js";
import { type WordPair, wideWords } from "../ir/words.js";
import { type BoundaryCase, type BoundaryRow, HEAP_SIZE, RESULTS_AT } from "./boundary-cases.js";

/** A set of operands that are constants: bit k stands for operand k. */
export type ConstantMask = number;

export const isConstant = (mask: ConstantMask, operand: number): boolean =>
  ((mask >> operand) & 1) === 1;
export const allConstant = ({ operands }: BoundaryRow): ConstantMask => (1 << operands.length) - 1;

const EXIT = 1;
const RESULT_STRIDE = 8;

/**
 * Returns the program of these operations; it uses only the constants among their words.
 * @param operations one: its result is returned; more: results are in the heap
 */
export function boundaryProgram(
  row: BoundaryRow,
  mask: ConstantMask,
  operations: readonly BoundaryCase[],
): Module {
  const isAlone = operations.length === 1;
  const module = new Module();
  module.heapSize = HEAP_SIZE;
  const proc = new Procedure("f", isAlone ? row.result : Void);
  module.procedures.push(proc);
  const parameters = row.operands.map((type, k) =>
    isConstant(mask, k) ? null : proc.newParameter(type),
  );
  const results = isAlone ? null : proc.newParameter(Int64);
  const maker = new ProgramMaker(proc);
  operations.forEach((operation, i) => {
    const operands = parameters.map(
      (parameter, k) => parameter ?? maker.constant(row.operands[k], operation.words[k]),
    );
    const value = maker.operation(row, operands, operation.offset);
    if (results === null) maker.emit(Op.Return, Void, row.result === Void ? [] : [value]);
    else if (row.result !== Void) {
      maker.emit(Op.Store, Void, [value, results]).offset = RESULT_STRIDE * i;
    }
  });
  if (!isAlone) maker.emit(Op.Return, Void, []);
  return module;
}

/** Returns whether the eight bytes at the offset are within the slot of slotProgram. */
export const isSlotOffset = (offset: number): boolean => offset >= 0 && offset <= SLOT_SIZE - 8;
const SLOT_SIZE = 65_536;

/** Returns the index of an access's data operand: the value that a row writes, or the bytes that it reads. */
export const dataOperand = ({ opcode }: BoundaryRow): number =>
  (EFFECTS[opcode] & READS_MEMORY) === 0 ? 0 : 1;

/**
 * Returns the access in a stack slot. The data is the parameter. The result is the value read, or the eight bytes
 * around the bytes written.
 */
export function slotProgram(row: BoundaryRow, offset: number): Module {
  const reads = (EFFECTS[row.opcode] & READS_MEMORY) !== 0;
  const module = new Module();
  const proc = new Procedure("f", reads ? row.result : Int64);
  module.procedures.push(proc);
  const data = proc.newParameter(row.operands[dataOperand(row)]);
  const maker = new ProgramMaker(proc);
  const base = maker.emit(Op.SlotBase, Int64, []);
  base.extra = proc.newSlot(SLOT_SIZE, true);
  const before = reads ? data : maker.constant(Int64, [0x33221100, 0x77665544]);
  maker.emit(Op.Store, Void, [before, base]).offset = offset;
  const access = maker.emit(row.opcode, row.result, reads ? [base] : [data, base]);
  access.offset = offset;
  let result = access;
  if (!reads) {
    result = maker.emit(Op.Load, Int64, [base]);
    result.offset = offset;
  }
  maker.emit(Op.Return, Void, [result]);
  return module;
}

/** Returns the input of a program: the operands that are no constants, and the address of the results. */
export function boundaryInput(
  mask: ConstantMask,
  { words }: BoundaryCase,
  isAlone: boolean,
): Input {
  const given = words.filter((_, k) => !isConstant(mask, k));
  if (!isAlone) given.push(wideWords(HEAP_BASE + BigInt(RESULTS_AT)));
  return { words: Int32Array.from(given.flat()), heapSeed: HEAP_SEED };
}
const HEAP_SEED = 5;

class ProgramMaker {
  private readonly proc: Procedure;
  private readonly block: BasicBlock;

  constructor(proc: Procedure) {
    this.proc = proc;
    this.block = proc.newBlock();
  }

  constant(type: Type, [lo, hi]: WordPair): Value {
    return this.block.append(this.proc.newConstant(type, lo, hi));
  }

  operation(row: BoundaryRow, operands: readonly Value[], offset: number): Value {
    const { opcode, result, isLiteral } = row;
    if (isLiteral) return operands[0];
    if ((EFFECTS[opcode] & (READS_MEMORY | ATOMIC)) === 0)
      return this.own(opcode, result, operands, offset);
    const [data, place] = operands.slice(-2);
    this.emit(Op.Store, Void, [data, place]);
    return this.own(opcode, result, operands.slice(0, -2), offset);
  }

  private own(opcode: Opcode, type: Type, operands: readonly Value[], offset: number): Value {
    const value = this.emit(opcode, type, operands);
    if (hasAttribute(opcode, "Offset")) value.offset = offset;
    if (hasAttribute(opcode, "Snapshot")) {
      const snapshot = this.proc.newSnapshot(EXIT);
      const slots = operands.map((operand) => ({ kind: "value", value: operand }) as const);
      snapshot.frames.push({ name: this.proc.name, point: 0, slots });
      value.extra = snapshot;
    }
    return value;
  }

  emit(opcode: Opcode, type: Type, operands: readonly Value[]): Value {
    const [a, b, c] = operands;
    return this.block.append(this.proc.newValue(opcode, type, a, b, c));
  }
}
