// Writes instructions without control flow (LangRef, "Instruction Reference"). An instruction on vectors is written for
// each lane.

import { Op } from "../../ir/opcodes.js";
import type { Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, isFloating, Void } from "../../ir/types.js";
import { LlvmError, outside } from "../../llvm/llvm-error.js";
import type { LlvmInstruction } from "../../llvm/module.js";
import { allocSize, bitSize, type LlvmType, layoutOf, storeSize } from "../../llvm/types.js";
import { writeCall } from "./calls.js";
import { poisonLeaves, zeroLeaves } from "./constants.js";
import type { FunctionContext } from "./context.js";
import {
  isFloatOpcode,
  isNegative,
  relaxed,
  writeFloat,
  writeFloatComparison,
  writeFloatConversion,
} from "./floats.js";
import {
  isIntegerOpcode,
  signExtended,
  writeComparison,
  writeInteger,
  zeroExtended,
} from "./integers.js";
import { BYTE_STATES, CELLS } from "./layout.js";
import {
  type LlvmScalar,
  type LlvmScalars,
  laneType,
  partOf,
  registerType,
  scalarsOf,
  widthOf,
} from "./leaves.js";
import { checkAccess, fillStates, loadLeaves, storeLeaves } from "./memory.js";
import { record } from "./observe.js";
import { expectType, operandLeaf, operandLeaves } from "./operands.js";

/** Returns the result; null for an instruction without one. */
export function writeInstruction(
  c: FunctionContext,
  instruction: LlvmInstruction,
): LlvmScalars | null {
  const { opcode, line } = instruction;
  if (instruction.result !== null || line > 0) c.e.line = line;
  if (Object.hasOwn(WRITERS, opcode)) return WRITERS[opcode](c, instruction);
  return writeLanes(c, instruction);
}

type InstructionWriter = (c: FunctionContext, instruction: LlvmInstruction) => LlvmScalars | null;

const WRITERS: Readonly<Record<string, InstructionWriter>> = {
  call: writeCall,
  alloca,
  load,
  store,
  getelementptr: (c, instruction) => [elementPointer(c, instruction)],
  select,
  freeze,
  bitcast: (c, instruction) => bitcast(c, instruction),
  extractvalue: (c, { operands: [whole], indices = [], line }) => {
    const { begin, count } = partOf(whole.type, indices, line);
    return operandLeaves(c, whole).slice(begin, begin + count);
  },
  insertvalue: (c, { operands: [whole, part], indices = [], line }) => {
    const { begin, count } = partOf(whole.type, indices, line);
    const leaves = operandLeaves(c, whole).slice();
    const inserted = operandLeaves(c, part);
    if (inserted.length !== count) throw new LlvmError(line, "expected a part of the aggregate");
    leaves.splice(begin, count, ...inserted);
    return leaves;
  },
  extractelement: (c, { operands: [vector, index] }) => [
    laneAt(c, operandLeaves(c, vector), operandLeaf(c, index)),
  ],
  insertelement: insertElement,
  shufflevector: (c, { operands: [x, y], indices = [], type, line }) => {
    const both = [...operandLeaves(c, x), ...operandLeaves(c, y)];
    return indices.map((lane) => {
      if (lane < 0) return poisonLeaves(c, laneType(type))[0];
      if (lane >= both.length) throw new LlvmError(line, `expected a lane, found ${lane}`);
      return both[lane];
    });
  },
};

function writeLanes(c: FunctionContext, instruction: LlvmInstruction): LlvmScalars {
  const { operands, type, line } = instruction;
  const values = operands.map((each) => operandLeaves(c, each));
  const [first] = values;
  if (first === undefined || values.some(({ length }) => length !== first.length))
    throw new LlvmError(line, "expected operands with the same number of scalars");
  const from = laneType(operands[0].type);
  return first.map((leaf, lane) => {
    for (const each of values) expectType(c, each[lane], from);
    return writeScalar(c, instruction, [leaf, values[1]?.[lane] ?? leaf], from, laneType(type));
  });
}

function writeScalar(
  c: FunctionContext,
  { opcode, flags, predicate = "", line }: LlvmInstruction,
  pair: readonly [LlvmScalar, LlvmScalar],
  from: LlvmType,
  to: LlvmType,
): LlvmScalar {
  const { e } = c;
  const [leaf] = pair;
  if (opcode === "icmp") {
    checkOrder(c, from, predicate, pair);
    const made = writeComparison(e, predicate, widthOf(from), pair, flags);
    c.decisions.add(made.value);
    return made;
  }
  if (opcode === "fcmp") {
    const made = writeFloatComparison(e, predicate, pair, flags);
    c.decisions.add(made.value);
    return made;
  }
  if (isIntegerOpcode(opcode)) {
    if (isFloating(leaf.value.type)) throw new LlvmError(line, `${opcode}: expected integers`);
    return writeInteger(e, opcode, widthOf(from), pair, flags);
  }
  if (isFloatOpcode(opcode)) {
    if (!isFloating(leaf.value.type)) throw new LlvmError(line, `${opcode}: expected floats`);
    return writeFloat(e, opcode, pair, flags);
  }
  if (opcode === "fneg")
    return relaxed(e, e.emit(Op.Neg, leaf.value.type, leaf.value), [leaf], flags);
  return convert(c, opcode, leaf, from, to, flags);
}

/** The order of addresses of variables is open. */
function checkOrder(
  c: FunctionContext,
  type: LlvmType,
  predicate: string,
  pair: readonly [LlvmScalar, LlvmScalar],
): void {
  if (type.kind !== "ptr" || predicate === "eq" || predicate === "ne") return;
  checkNoVariable(c, ...pair);
}

/** Before a pass, exits if an address is one of a variable, where it becomes observable as a number. */
function checkNoVariable({ e, base, layout, side }: FunctionContext, ...leaves: LlvmScalars): void {
  if (side === "after") return;
  const begin = e.offset(base, layout.stackAt);
  const size = e.long(layout.stackEnd - layout.stackAt);
  for (const { value } of leaves) {
    const isVariable = e.compare(Op.Below, e.sub(value, begin), size);
    e.leaveIf(isVariable, "the address of a variable as an integer, or its order");
  }
}

function convert(
  c: FunctionContext,
  opcode: string,
  leaf: LlvmScalar,
  from: LlvmType,
  to: LlvmType,
  flags: ReadonlySet<string>,
): LlvmScalar {
  const { e } = c;
  const { value, poison } = leaf;
  const [bits, toBits] = [widthOf(from), widthOf(to)];
  const register = registerType(to, e.line);
  const resized = (x: Value): Value => (register === Int64 ? e.widened(x) : e.narrowed(x));
  switch (opcode) {
    case "trunc": {
      const result = zeroExtended(e, toBits, resized(value));
      const back = (isSigned: boolean): Value => {
        const again = isSigned ? signExtended(e, toBits, result) : result;
        const wide = value.type === again.type ? again : widenedAs(e, again, isSigned);
        return e.compare(Op.NotEqual, wide, isSigned ? signExtended(e, bits, value) : value);
      };
      return {
        value: result,
        poison: e.either(
          poison,
          flags.has("nuw") ? back(false) : null,
          flags.has("nsw") ? back(true) : null,
        ),
      };
    }
    case "zext": {
      const negative = flags.has("nneg") ? isNegative(e, bits, value) : null;
      return { value: resized(value), poison: e.either(poison, negative) };
    }
    case "sext": {
      const signed = signExtended(e, bits, value);
      const wide = register === signed.type ? signed : widenedAs(e, signed, true);
      return { value: zeroExtended(e, toBits, wide), poison };
    }
    case "ptrtoint":
      checkNoVariable(c, leaf);
      return { value: zeroExtended(e, toBits, resized(value)), poison };
    case "inttoptr":
      return { value: e.widened(value), poison };
    case "fpext":
    case "fptrunc":
    case "fptosi":
    case "fptoui":
    case "sitofp":
    case "uitofp":
      if (isFloating(value.type) !== /^fp/.test(opcode))
        throw new LlvmError(e.line, `${opcode}: the operand has another type`);
      return writeFloatConversion(
        e,
        opcode,
        { leaf, bits },
        { type: register, bits: toBits },
        flags,
      );
    default:
      throw outside(e.line, opcode);
  }
}

const widenedAs = (e: FunctionContext["e"], x: Value, isSigned: boolean): Value =>
  e.emit(isSigned ? Op.SExt32 : Op.ZExt32, Int64, x);

function select(c: FunctionContext, instruction: LlvmInstruction): LlvmScalars {
  const { operands, flags, line } = instruction;
  const [conditions, xs, ys] = operands.map((each) => operandLeaves(c, each));
  if (xs.length !== ys.length || (conditions.length !== 1 && conditions.length !== xs.length))
    throw new LlvmError(line, "expected operands of select with the same number of scalars");
  const { e } = c;
  return xs.map((x, i) => {
    const y = ys[i];
    if (x.value.type !== y.value.type) throw new LlvmError(line, "select: the types differ");
    const condition = conditions[conditions.length === 1 ? 0 : i];
    const value = e.select(condition.value, x.value, y.value);
    if (i === 0) c.decisions.add(value);
    const chosen =
      x.poison === null && y.poison === null
        ? null
        : e.select(condition.value, x.poison ?? e.int(0), y.poison ?? e.int(0));
    const poison = e.either(condition.poison, chosen);
    if (flags.size === 0 || !isFloating(value.type)) return { value, poison };
    return relaxed(e, value, [{ value, poison }], flags, [value]);
  });
}

/** Before a pass, the choice of `freeze` is open; after it, zero is one of the choices. */
function freeze(c: FunctionContext, { operands, type }: LlvmInstruction): LlvmScalars {
  const { e, side } = c;
  const zeros = side === "after" ? zeroLeaves(c, type) : null;
  return operandLeaves(c, operands[0]).map(({ value, poison }, i) => {
    if (poison === null) return { value, poison };
    if (zeros !== null) return { value: e.select(poison, zeros[i].value, value), poison: null };
    e.leaveIf(poison, "freeze of poison");
    return { value, poison: null };
  });
}

/** LangRef, "alloca Instruction": a variable on the stack, which lives to the end of the function. */
function alloca(
  c: FunctionContext,
  { element, operands, alignment = 16 }: LlvmInstruction,
): LlvmScalars {
  const { e, base, layout } = c;
  const unit = element === undefined ? 0 : allocSize(element);
  const count = operands.length === 0 ? null : operandLeaf(c, operands[0]);
  const size =
    count === null ? e.long(unit) : e.emit(Op.Mul, Int64, e.widened(count.value), e.long(unit));
  const limit = e.long(layout.stackEnd - layout.stackAt);
  const isLarge = e.either(
    e.compare(Op.Above, count === null ? size : e.widened(count.value), limit),
    e.compare(Op.Above, size, limit),
    count?.poison ?? null,
  );
  if (isLarge !== null) e.leaveIf(isLarge, "objects that are too large");
  const end = e.load(Op.Load, Int64, base, CELLS.stackEnd);
  const step = Math.max(64, Math.min(alignment, 4096));
  const gap = e.add(size, e.long(layout.gap + step - 1));
  const address = e.and(e.add(end, e.long(step - 1)), e.long(-step));
  const after = e.and(e.add(address, gap), e.long(-step));
  const room = e.compare(Op.Above, e.sub(after, base), e.long(layout.stackEnd));
  e.leaveIf(room, "objects that are too large");
  e.store(Op.Store, after, base, CELLS.stackEnd);
  e.emit(Op.FillBytes, Void, e.int(0), address, size);
  fillStates(c, address, size, BYTE_STATES.unwritten);
  return [{ value: address, poison: null }];
}

function load(
  c: FunctionContext,
  { type, operands, flags, alignment }: LlvmInstruction,
): LlvmScalars {
  const pointer = operandLeaf(c, operands[0]);
  expectType(c, pointer, { kind: "ptr" });
  const size = storeSize(type);
  checkAccess(c, pointer, { size, alignment: alignment ?? 1, isStore: false });
  const leaves = loadLeaves(c, pointer.value, type);
  if (flags.has("volatile")) record(c, "volatile load", [pointer]);
  return leaves;
}

function store(c: FunctionContext, { operands, flags, alignment }: LlvmInstruction): null {
  const [stored, at] = operands;
  const leaves = operandLeaves(c, stored);
  const pointer = operandLeaf(c, at);
  expectType(c, pointer, { kind: "ptr" });
  const size = storeSize(stored.type);
  checkAccess(c, pointer, { size, alignment: alignment ?? 1, isStore: true });
  storeLeaves(c, pointer.value, stored.type, leaves);
  if (flags.has("volatile")) record(c, "volatile store", [pointer, ...leaves]);
  return null;
}

/** LangRef, "getelementptr Instruction". */
function elementPointer(
  c: FunctionContext,
  { element, operands, flags, line }: LlvmInstruction,
): LlvmScalar {
  const { e } = c;
  const [pointer, ...indices] = operands.map((each) => operandLeaf(c, each));
  expectType(c, pointer, { kind: "ptr" });
  const poisons: (Value | null)[] = [pointer.poison];
  const isChecked = flags.has("inbounds") || flags.has("nusw");
  let constant = 0n;
  let distance: Value | null = null;
  let type = element as LlvmType;
  indices.forEach((index, i) => {
    const { operand, type: indexType } = operands[i + 1];
    const known = operand.kind === "int" ? BigInt.asIntN(widthOf(indexType), operand.value) : null;
    if (i > 0 && type.kind === "struct") {
      const field = Number(known ?? -1n);
      if (type.fields[field] === undefined)
        throw new LlvmError(line, `expected a field, found ${field}`);
      constant += BigInt(layoutOf(type.fields, type.isPacked).offsets[field]);
      type = type.fields[field];
      return;
    }
    if (i > 0 && type.kind !== "array" && type.kind !== "vector")
      throw new LlvmError(line, "getelementptr: an index of a scalar");
    if (i > 0 && (type.kind === "array" || type.kind === "vector")) type = type.element;
    const size = allocSize(type);
    if (known !== null) {
      constant += known * BigInt(size);
      return;
    }
    poisons.push(index.poison);
    const bits = widthOf(indexType);
    const signed = signExtended(e, bits, index.value);
    const wide = signed.type === Int64 ? signed : e.emit(Op.SExt32, Int64, signed);
    const bytes = size === 1 ? wide : e.emit(Op.Mul, Int64, wide, e.long(size));
    if (isChecked && size !== 1) poisons.push(e.compare(Op.MulOverflows, wide, e.long(size)));
    if (isChecked && distance !== null) poisons.push(e.compare(Op.AddOverflows, distance, bytes));
    distance = distance === null ? bytes : e.add(distance, bytes);
  });
  const offset = e.integer(Int64, BigInt.asIntN(64, constant));
  const whole: Value =
    distance === null ? offset : constant === 0n ? distance : e.add(distance, offset);
  const value = e.add(pointer.value, whole);
  if (flags.has("nuw")) poisons.push(e.compare(Op.Below, value, pointer.value));
  if (isChecked) poisons.push(leavesObject(c, pointer.value, whole, value));
  return { value, poison: e.either(...poisons) };
}

/**
 * Returns whether an address from an object of the memory leads out of the memory. An offset from any other address must
 * not wrap.
 */
function leavesObject(
  { e, base, layout }: FunctionContext,
  from: Value,
  by: Value,
  to: Value,
): Value {
  const isFar = (address: Value): Value =>
    e.compare(Op.Above, e.sub(address, base), e.long(layout.states));
  const isBack = e.compare(Op.LessThan, by, e.long(0));
  const isBelow = e.compare(Op.Below, to, from);
  const wraps = e.compare(Op.NotEqual, isBack, isBelow);
  const moves = e.compare(Op.NotEqual, by, e.long(0));
  const leaves = e.and(isFar(to), moves);
  return e.either(leaves, e.and(wraps, moves)) ?? leaves;
}

function laneAt(c: FunctionContext, leaves: LlvmScalars, index: LlvmScalar): LlvmScalar {
  const { e } = c;
  const [first, ...rest] = leaves;
  const isFar = e.compare(
    Op.AboveEqual,
    index.value,
    e.integer(index.value.type, BigInt(leaves.length)),
  );
  const poison = (leaf: LlvmScalar): Value => leaf.poison ?? e.int(0);
  const some = leaves.some((each) => each.poison !== null);
  return rest.reduce<LlvmScalar>(
    (chosen, leaf, i) => {
      const isThis = e.compare(Op.Equal, index.value, e.integer(index.value.type, BigInt(i + 1)));
      const value = e.select(isThis, leaf.value, chosen.value);
      if (!some) return { value, poison: chosen.poison };
      return {
        value,
        poison: e.select(isThis, e.either(poison(leaf), isFar) ?? isFar, poison(chosen)),
      };
    },
    { value: first.value, poison: e.either(first.poison, index.poison, isFar) },
  );
}

function insertElement(c: FunctionContext, { operands }: LlvmInstruction): LlvmScalars {
  const { e } = c;
  const leaves = operandLeaves(c, operands[0]);
  const inserted = operandLeaf(c, operands[1]);
  const { operand } = operands[2];
  if (operand.kind === "int") {
    const lane = Number(operand.value);
    if (lane >= leaves.length) return poisonLeaves(c, operands[0].type);
    return leaves.map((leaf, i) => (i === lane ? inserted : leaf));
  }
  const index = operandLeaf(c, operands[2]);
  const { value: at } = index;
  const isFar = e.compare(Op.AboveEqual, at, e.integer(at.type, BigInt(leaves.length)));
  return leaves.map((leaf, i) => {
    const isThis = e.compare(Op.Equal, at, e.integer(at.type, BigInt(i)));
    const value = e.select(isThis, inserted.value, leaf.value);
    const chosen = e.select(isThis, inserted.poison ?? e.int(0), leaf.poison ?? e.int(0));
    return { value, poison: e.either(chosen, isFar, index.poison) };
  });
}

/** LangRef, "bitcast Instruction": the bits of all scalars in the order of memory. */
function bitcast(
  c: FunctionContext,
  { operands: [operand], type, line }: LlvmInstruction,
): LlvmScalars {
  const { e } = c;
  const leaves = operandLeaves(c, operand);
  const [from, to] = [scalarsOf(operand.type, line), scalarsOf(type, line)];
  if (from.length === to.length) {
    return leaves.map(({ value, poison }, i) => {
      const register = registerType(to[i].type, line);
      if (bitSize(from[i].type) !== bitSize(to[i].type))
        throw new LlvmError(line, "bitcast: the sizes differ");
      return { value: castBits(e, value, register), poison };
    });
  }
  const total = from.reduce((sum, each) => sum + bitSize(each.type), 0);
  if (total !== to.reduce((sum, each) => sum + bitSize(each.type), 0))
    throw new LlvmError(line, "bitcast: the sizes differ");
  const words = packed(
    e,
    leaves,
    from.map((each) => bitSize(each.type)),
  );
  let at = 0;
  return to.map((each) => {
    const bits = bitSize(each.type);
    const leaf = unpacked(e, words, at, bits, line);
    at += bits;
    return { value: castBits(e, leaf.value, registerType(each.type, line)), poison: leaf.poison };
  });
}

function castBits(e: FunctionContext["e"], value: Value, register: Value["type"]): Value {
  if (value.type === register) return value;
  if (isFloating(value.type)) {
    const bits = e.emit(Op.BitwiseCast, value.type === Float ? Int32 : Int64, value);
    return castBits(e, bits, register);
  }
  if (register === Int64) return e.widened(value);
  if (register === Int32) return e.narrowed(value);
  if (register === Float) return e.emit(Op.BitwiseCast, Float, e.narrowed(value));
  return e.emit(Op.BitwiseCast, Double, e.widened(value));
}

/** The bits of some scalars; `begin` counts from the first. */
interface PackedBits {
  readonly begin: number;
  readonly bits: number;
  readonly leaf: LlvmScalar;
}

/** Joins small scalars to words of at most 64 bits. */
function packed(
  e: FunctionContext["e"],
  leaves: LlvmScalars,
  sizes: readonly number[],
): PackedBits[] {
  let begin = 0;
  return leaves.map((leaf, i) => {
    const bits = sizes[i];
    const value = castBits(e, leaf.value, bits > 32 ? Int64 : Int32);
    const part = { begin, bits, leaf: { value, poison: leaf.poison } };
    begin += bits;
    return part;
  });
}

function unpacked(
  e: FunctionContext["e"],
  parts: readonly PackedBits[],
  begin: number,
  bits: number,
  line: number,
): LlvmScalar {
  if (bits > 64) throw outside(line, `a scalar of ${bits} bits`);
  const end = begin + bits;
  const used = parts.filter((part) => part.begin < end && part.begin + part.bits > begin);
  const wide = used.map(({ begin: from, bits: size, leaf }) => {
    const value = e.widened(leaf.value);
    const shift = from - begin;
    if (shift === 0) return value;
    return shift > 0
      ? e.emit(Op.Shl, Int64, value, e.int(shift))
      : e.emit(Op.ZShr, Int64, value, e.int(Math.min(-shift, size)));
  });
  const whole = wide.reduce((x, y) => e.emit(Op.BitOr, Int64, x, y));
  const value = zeroExtended(e, bits, bits > 32 ? whole : e.narrowed(whole));
  return { value, poison: e.either(...used.map(({ leaf }) => leaf.poison)) };
}
