// Finds the fields of argument objects that a function reads as pointers, so that inputs can link objects.

import type { LlvmFunction, LlvmInstruction, LlvmOperand } from "../../llvm/module.js";
import { allocSize, type LlvmType, layoutOf, storeSize } from "../../llvm/types.js";
import { ARGUMENT_BYTES, ARGUMENTS_MAX, OBJECT_BYTES_MAX } from "./layout.js";

export interface PointerField {
  readonly object: number;
  readonly offset: number;
  /** The object that it refers to. */
  readonly target: number;
}

interface ObjectPlace {
  readonly object: number;
  readonly offset: number;
}

/** The objects that a function accesses by its parameters. */
interface AccessedObjects {
  readonly fields: readonly PointerField[];
  /** The size of each object in bytes, from the first. */
  readonly sizes: readonly number[];
}

/** A list would go on for ever. */
const ROUNDS = 3;

/** @param owners the object of each parameter that is a pointer */
export function pointerFields(
  { blocks }: LlvmFunction,
  owners: ReadonlyMap<string, number>,
  firstFree: number,
): AccessedObjects {
  const places = new Map<string, ObjectPlace>();
  for (const [name, object] of owners) places.set(name, { object, offset: 0 });
  const fields: PointerField[] = [];
  const objectAt = ({ object, offset }: ObjectPlace): number | null => {
    const known = fields.find((each) => each.object === object && each.offset === offset);
    if (known !== undefined) return known.target;
    const target = firstFree + fields.length;
    if (target >= ARGUMENTS_MAX || offset < 0 || offset + 8 > OBJECT_BYTES_MAX) return null;
    fields.push({ object, offset, target });
    return target;
  };
  const extents: number[] = [];
  const reach = ({ object, offset }: ObjectPlace, bytes: number): void => {
    extents[object] = Math.max(extents[object] ?? 0, offset + bytes);
  };
  // Variables that hold one pointer, before they become values.
  const variables = new Map<string, ObjectPlace>();
  const placeOf = (operand: LlvmOperand): ObjectPlace | undefined =>
    operand.kind === "local" ? places.get(operand.name) : undefined;
  const visit = (instruction: LlvmInstruction): void => {
    const { opcode, operands, result, type } = instruction;
    const known = operands.map(({ operand }) => placeOf(operand));
    const [pointer] = known;
    const at = opcode === "store" ? known[1] : opcode === "load" ? pointer : undefined;
    if (at !== undefined) reach(at, storeSize(opcode === "store" ? operands[0].type : type));
    if (opcode === "store") {
      const [, at] = operands;
      if (pointer !== undefined && at.operand.kind === "local")
        variables.set(at.operand.name, pointer);
      return;
    }
    if (result === null || places.has(result)) return;
    if (opcode === "phi" || opcode === "select") {
      const some = known.find((each) => each !== undefined);
      if (some !== undefined && type.kind === "ptr") places.set(result, some);
    } else if (opcode === "getelementptr" && pointer !== undefined) {
      const { offset, extent } = constantOffset(instruction);
      const place = { object: pointer.object, offset: pointer.offset + offset };
      reach(place, extent);
      places.set(result, place);
    } else if (opcode === "load" && type.kind === "ptr") {
      const [{ operand }] = operands;
      const variable = operand.kind === "local" ? variables.get(operand.name) : undefined;
      if (variable !== undefined) places.set(result, variable);
      else if (pointer !== undefined) {
        const target = objectAt(pointer);
        if (target !== null) places.set(result, { object: target, offset: 0 });
      }
    }
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (const { instructions } of blocks ?? []) instructions.forEach(visit);
  }
  const count = Math.max(firstFree, ...fields.map(({ target }) => target + 1));
  const sizes = Array.from({ length: count }, (_, object) => sizeFor(extents[object] ?? 0));
  return { fields, sizes };
}

const sizeFor = (extent: number): number =>
  Math.min(OBJECT_BYTES_MAX, Math.max(ARGUMENT_BYTES, 64 * Math.ceil((extent + 16) / 64)));

/** Returns the constant part of what a `getelementptr` adds, and the size of the part that it then indexes. */
function constantOffset({ element, operands }: LlvmInstruction): {
  readonly offset: number;
  readonly extent: number;
} {
  let offset = 0;
  let extent = 0;
  let type = element as LlvmType;
  for (const [i, { operand }] of operands.slice(1).entries()) {
    const index = operand.kind === "int" ? Number(BigInt.asIntN(64, operand.value)) : 0;
    if (i > 0 && type.kind === "struct") {
      offset += layoutOf(type.fields, type.isPacked).offsets[index] ?? 0;
      type = type.fields[index] ?? type;
      continue;
    }
    if (operand.kind !== "int") extent = Math.max(extent, allocSize(type));
    if (i > 0 && (type.kind === "array" || type.kind === "vector")) type = type.element;
    offset += index * allocSize(type);
  }
  return { offset, extent: Math.max(extent, storeSize(type)) };
}
