// Collects what all texts of one function share: its parameters, the objects that they point to, the globals that it
// reaches, and the layout of the heap. So the programs of two texts take the same inputs.

import { Double, Float, Int32, Int64, type Type } from "../../ir/types.js";
import { LlvmError, outside } from "../../llvm/llvm-error.js";
import type {
  LlvmFunction,
  LlvmGlobal,
  LlvmModule,
  LlvmOperand,
  LlvmParameter,
} from "../../llvm/module.js";
import { allocSize, storeSize } from "../../llvm/types.js";
import {
  ARGUMENTS_MAX,
  FRESH_BYTES,
  LlvmLayout,
  type MemorySpaces,
  OBJECT_BYTES_MAX,
  STACK_BYTES,
} from "./layout.js";
import { registerType, scalarsOf } from "./leaves.js";
import { ALLOCATORS } from "./library.js";
import { type PointerField, pointerFields } from "./pointer-fields.js";

/** An initial write to an object, which an input may make: its address and its number are parameters. */
interface InitialWrite {
  readonly type: Type;
  readonly bytes: number;
}

export const LLVM_WRITES: readonly InitialWrite[] = [
  ...Array.from({ length: 10 }, () => ({ type: Int64, bytes: 8 })),
  ...Array.from({ length: 10 }, () => ({ type: Int32, bytes: 4 })),
  ...Array.from({ length: 4 }, () => ({ type: Int32, bytes: 2 })),
  ...Array.from({ length: 10 }, () => ({ type: Int32, bytes: 1 })),
];

/** A scalar parameter of the program, after the address of the heap and the mask. */
export interface SubjectParameter {
  readonly type: Type;
  /** Bits of an integer; null for a float. */
  readonly bits: number | null;
  /** The object that a pointer usually refers to; null for other scalars. */
  readonly object: number | null;
  /** No other pointer refers to the object. */
  readonly isPrivate: boolean;
}

export interface LlvmSubject {
  readonly name: string;
  readonly parameters: readonly SubjectParameter[];
  /** Pointers in objects, to objects. */
  readonly fields: readonly PointerField[];
  /** The sizes of the objects that inputs use. */
  readonly objectSizes: readonly number[];
  /** Globals that the program can change, and that other code can read. */
  readonly visibleGlobals: readonly string[];
  readonly globalSizes: ReadonlyMap<string, number>;
  readonly spaces: MemorySpaces;
  /** The initial writes that an input may make. */
  readonly writes: readonly InitialWrite[];
  /** Objects keep the random contents of the heap, at their distance; otherwise the mask changes them. */
  readonly keepsContents: boolean;
}

/** The parameters before those of the function: the address of the heap, and the mask of contents. */
export const LEADING_PARAMETERS = 2;

/** Returns the types of all parameters of the program. */
export const parameterTypes = ({ parameters, writes }: LlvmSubject): readonly Type[] => [
  ...[Int64, Int64],
  ...parameters.map(({ type }) => type),
  ...writes.flatMap(({ type }) => [Int64, type]),
];

/**
 * Collects the subject of a function.
 * @param late a later text of the function, whose accesses show which fields are pointers
 * @throws LlvmError if the function cannot be imported
 */
export function subjectOf(
  llvm: LlvmModule,
  name: string,
  late: LlvmModule = llvm,
  writes: readonly InitialWrite[] = [],
  keepsContents = false,
): LlvmSubject {
  const called = llvm.functions.get(name);
  if (called === undefined) throw new LlvmError(1, `expected a function @${name}`);
  refuseUnsupported(called);
  const parameters = called.parameters.flatMap((parameter) => scalarParameters(parameter, called));
  let objects = 0;
  const numbered = parameters.map((each) => {
    return each.isPointer ? { ...each, object: objects++ } : { ...each, object: null };
  });
  if (objects > ARGUMENTS_MAX)
    throw outside(called.line, `${objects} parameters that are pointers`);
  const lateCalled = late.functions.get(name) ?? called;
  const owners = new Map<string, number>();
  for (const { name: of, object } of numbered) if (object !== null) owners.set(of, object);
  const accessed = pointerFields(lateCalled, owners, objects);
  const needed = called.parameters.map(({ attributes: { dereferenceable, pointee } }) =>
    Math.max(dereferenceable, pointee === null ? 0 : allocSize(pointee)),
  );
  const reached = reachedGlobals(llvm, called);
  const lateReached = reachedGlobals(late, lateCalled);
  const sizes = [reached, lateReached].flatMap((names, i) =>
    [...names].map((each) => [each, sizeOf((i === 0 ? llvm : late).globals.get(each))] as const),
  );
  return {
    name,
    parameters: numbered.map(({ type, bits, object, isPrivate }) => ({
      type,
      bits,
      object,
      isPrivate,
    })),
    ...{ writes, keepsContents },
    fields: accessed.fields,
    objectSizes: accessed.sizes.map((size) =>
      Math.min(OBJECT_BYTES_MAX, Math.max(size, 64 * Math.ceil(Math.max(0, ...needed) / 64))),
    ),
    visibleGlobals: [...reached].filter((each) => llvm.globals.get(each)?.isConstant === false),
    // The first text comes last, so that its sizes count.
    globalSizes: new Map(sizes.reverse()),
    spaces: {
      stack: Math.max(
        stackBytes(llvm, [called.name, ...reached]),
        stackBytes(late, [called.name, ...lateReached]),
      ),
      fresh: [...reached].some((each) => ALLOCATORS.has(each)) ? FRESH_BYTES : 0,
    },
  };
}

const sizeOf = (global: LlvmGlobal | undefined): number =>
  global === undefined ? 1 : Math.max(1, storeSize(global.type), allocSize(global.type));

const DATA_BYTES_MAX = 1 << 18;

/** @throws LlvmError if the globals are too large */
export function layoutFor(subject: LlvmSubject, line: number, gap = 64): LlvmLayout {
  const sizes = [...subject.globalSizes.values()].reduce((sum, size) => sum + size, 0);
  if (sizes > DATA_BYTES_MAX) throw outside(line, `${sizes} bytes of globals`);
  return new LlvmLayout(subject.globalSizes, {
    gap,
    objectSizes: subject.objectSizes,
    ...subject.spaces,
  });
}

function refuseUnsupported({ outside: why, isVariadic, line, blocks, name }: LlvmFunction): void {
  if (blocks === null) throw new LlvmError(line, `expected a definition of @${name}`);
  if (why !== null) {
    const [, at, message] = /^line (\d+): (.*)$/.exec(why) ?? [why, String(line), why];
    throw new LlvmError(Number(at), message, true);
  }
  if (isVariadic) throw outside(line, "a variadic function");
}

interface ScalarParameter extends Omit<SubjectParameter, "object"> {
  readonly name: string;
  readonly isPointer: boolean;
}

function scalarParameters(
  { name, type, attributes }: LlvmParameter,
  { line }: LlvmFunction,
): ScalarParameter[] {
  return scalarsOf(type, line).map(({ type: scalar }) => {
    const register = registerType(scalar, line);
    const isFloat = register === Float || register === Double;
    return {
      name,
      type: register,
      bits: isFloat ? null : scalar.kind === "int" ? scalar.bits : 64,
      isPointer: scalar.kind === "ptr",
      isPrivate: attributes.names.has("noalias") || attributes.pointee !== null,
    };
  });
}

/** Returns the globals and functions that a function names, itself or by what it names. */
export function reachedGlobals(
  { functions, globals }: LlvmModule,
  from: LlvmFunction,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const worklist: string[] = [from.name];
  const visit = (operand: LlvmOperand): void => {
    if (operand.kind === "global" && !reached.has(operand.name)) {
      if (operand.name.startsWith("llvm.")) return;
      reached.add(operand.name);
      worklist.push(operand.name);
    } else if (operand.kind === "elements")
      for (const each of operand.elements) visit(each.operand);
    else if (operand.kind === "expression")
      for (const each of operand.instruction.operands) visit(each.operand);
  };
  for (let next = worklist.pop(); next !== undefined; next = worklist.pop()) {
    const initializer = globals.get(next)?.initializer ?? null;
    if (initializer !== null) visit(initializer);
    for (const { instructions } of functions.get(next)?.blocks ?? []) {
      for (const { operands } of instructions) for (const { operand } of operands) visit(operand);
    }
  }
  return reached;
}

/** A variable is followed by bytes in no object, and aligned. */
const BYTES_PER_VARIABLE = 128;
/** Passes copy the variables of a function to its callers. */
const COPIES = 4;
const BYTES_MIN = 1024;

/** @param names the function, and those that it reaches */
function stackBytes({ functions }: LlvmModule, names: readonly string[]): number {
  const callees = new Map<string, ReadonlySet<string>>();
  let bytes = 0;
  for (const name of names) {
    const called = new Set<string>();
    for (const { instructions } of functions.get(name)?.blocks ?? []) {
      for (const { opcode, element, operands } of instructions) {
        const [first] = operands;
        if (opcode === "call" && first.operand.kind === "global") called.add(first.operand.name);
        if (opcode !== "alloca" || element === undefined) continue;
        if (first !== undefined) return STACK_BYTES;
        bytes += allocSize(element) + BYTES_PER_VARIABLE;
      }
    }
    callees.set(name, called);
  }
  if (bytes === 0) return BYTES_MIN;
  return isRecursive(callees) ? STACK_BYTES : Math.min(STACK_BYTES, BYTES_MIN + COPIES * bytes);
}

/** Whether a function calls itself, directly or by others. */
function isRecursive(callees: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const left = new Map(callees);
  for (let isLess = true; isLess; ) {
    isLess = false;
    for (const [name, called] of left) {
      if ([...called].some((each) => left.has(each))) continue;
      left.delete(name);
      isLess = true;
    }
  }
  return left.size > 0;
}
