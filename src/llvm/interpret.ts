// Interprets LLVM IR as the Language Reference defines it: one instruction after another, on blocks as they were read.
//
// An execution runs in one of two modes. Before a pass, `undef` and bytes that nothing wrote are poison: that allows
// more than the language does, so it never reports a correct pass. After a pass they are zero, one of their choices.

import {
  FLOAT_INTRINSICS,
  IGNORED,
  INTEGER_INTRINSICS,
  INTEGER_REDUCTIONS,
  isOfClass,
  isOpenZero,
  isOverflowName,
  saturatedInteger,
  withOverflow,
} from "./intrinsics.js";
import { externalResult, isKnownLibrary, libraryFunction } from "./library-functions.js";
import { LlvmMemory, type MemoryObject, REGIONS } from "./memory.js";
import type {
  LlvmBlock,
  LlvmFunction,
  LlvmInstruction,
  LlvmModule,
  LlvmOperand,
  ParameterAttributes,
} from "./module.js";
import { type LlvmEvent, type LlvmOutcome, OUT_OF_FUEL, type VisibleBytes } from "./outcome.js";
import { UndefinedBehavior, UnjudgedExecution } from "./run-error.js";
import {
  binaryOperation,
  bitsOfFloat,
  compareFloats,
  compareIntegers,
  floatOfBits,
  floatOfInteger,
  isFloatPredicate,
  relaxed,
  rounded,
  truncated,
} from "./scalars.js";
import { allocSize, bitSize, type LlvmType, layoutOf, POINTER_BITS, storeSize } from "./types.js";
import {
  filled,
  hasPoison,
  type LlvmScalar,
  type LlvmValue,
  POISON,
  poisonOf,
  signed,
  wrap,
  zeroOf,
} from "./values.js";

/** An argument of the function that is run. */
export type LlvmInput =
  | { readonly kind: "value"; readonly value: LlvmValue }
  /** A pointer into the object of that number. */
  | { readonly kind: "pointer"; readonly object: number; readonly offset: number };

export interface LlvmCall {
  readonly inputs: readonly LlvmInput[];
  /** The bytes of the objects that arguments point to. */
  readonly objects: readonly Uint8Array[];
}

/** The sizes of globals by name, in the order of their addresses: equal for all texts of one program. */
export type GlobalSizes = Map<string, number>;

export type RefinementSide = "before" | "after";

const STEPS_MAX = 20_000;
const CALL_DEPTH_MAX = 50;
const FLOAT_NORMAL_MIN = { float: 2 ** -126, double: 2 ** -1022 } as const;

/** A call that does not return, or a trap. */
class ExecutionEnded extends Error {
  readonly ending: "trap" | "exit";

  constructor(ending: "trap" | "exit") {
    super(ending);
    this.ending = ending;
  }
}

type LocalValues = Map<string, LlvmValue>;

export class LlvmInterpreter {
  private readonly module: LlvmModule;
  private readonly mode: RefinementSide;
  private readonly stepsMax: number;
  private readonly memory: LlvmMemory;
  private readonly globals = new Map<string, MemoryObject>();
  private readonly visible: MemoryObject[] = [];
  /** Objects that only the function itself accesses while it runs. */
  private privateArguments: ReadonlySet<MemoryObject> = new Set();
  private readonly events: LlvmEvent[] = [];
  private steps = 0;
  private depth = 0;

  constructor(module: LlvmModule, mode: RefinementSide, book: GlobalSizes, stepsMax = STEPS_MAX) {
    this.module = module;
    this.mode = mode;
    this.stepsMax = stepsMax;
    this.memory = new LlvmMemory(mode === "after");
    this.placeGlobals(book);
  }

  /** Runs a function once: an interpreter holds the state of one execution. */
  run(name: string, call: LlvmCall): LlvmOutcome {
    const called = this.module.functions.get(name);
    let value: LlvmValue | null = null;
    let ending: LlvmOutcome["ending"] = "return";
    let reason: string | null = null;
    try {
      if (called === undefined) throw new UnjudgedExecution(`@${name} is not defined`);
      this.fillGlobals();
      const words = this.placeArguments(called, call);
      value = this.call(called, words);
    } catch (error) {
      if (error instanceof ExecutionEnded) ({ ending } = error);
      else if (error instanceof UndefinedBehavior) [ending, reason] = ["undefined", error.message];
      else if (error instanceof UnjudgedExecution) [ending, reason] = ["unjudged", error.message];
      else if (error instanceof RangeError) [ending, reason] = ["unjudged", error.message];
      else throw error;
    }
    const { events, steps } = this;
    const isVoid = called?.type.kind === "void";
    const shown = isVoid || value === null ? null : this.shown(value, called?.type);
    return { ending, reason, value: shown, events, memory: this.visibleBytes(), steps };
  }

  private placeGlobals(book: GlobalSizes): void {
    const { globals, functions } = this.module;
    for (const [name, { type }] of globals) {
      if (!book.has(name)) book.set(name, storeSize(type));
    }
    for (const name of functions.keys()) if (!book.has(name)) book.set(name, 1);
    for (const [name, size] of book) {
      const global = globals.get(name);
      const isConstant = global?.isConstant ?? false;
      const needed = Math.max(size, global === undefined ? 0 : storeSize(global.type));
      const object = this.memory.allocate("globals", `@${name}`, needed, isConstant);
      this.globals.set(name, object);
      // Other functions read an internal global as well. A global that a pass removes is not compared.
      if (global !== undefined && !isConstant) this.visible.push(object);
    }
  }

  private fillGlobals(): void {
    for (const { name, type, initializer } of this.module.globals.values()) {
      const object = this.globals.get(name);
      if (object === undefined) continue;
      if (initializer === null) {
        object.bytes.forEach((_, i) => {
          object.bytes[i] = (i * 37 + name.length) & 0xff;
        });
        object.states.fill(0);
      } else this.memory.write(object, 0, type, this.constant(initializer, type));
    }
  }

  private placeArguments({ parameters }: LlvmFunction, { inputs, objects }: LlvmCall): LlvmValue[] {
    const placed = objects.map((bytes, i) => {
      const object = this.memory.allocate("arguments", `object ${i}`, bytes.length);
      object.bytes.set(bytes);
      object.states.fill(0);
      return object;
    });
    const isPrivate = new Set<number>();
    inputs.forEach((input, i) => {
      if (input.kind === "pointer" && parameters[i]?.attributes.names.has("noalias"))
        isPrivate.add(input.object);
    });
    this.privateArguments = new Set(placed.filter((_, i) => isPrivate.has(i)));
    this.visible.push(...placed);
    return inputs.map((input) =>
      input.kind === "value" ? input.value : placed[input.object].address + BigInt(input.offset),
    );
  }

  private visibleBytes(isDuring = false): VisibleBytes[] {
    const seen = this.visible.filter((each) => !isDuring || !this.privateArguments.has(each));
    return seen.map(({ name, bytes, states }) => ({
      name,
      bytes: Array.from(bytes, (byte, i) => {
        if (states[i] === 0) return byte;
        return states[i] === 2 && this.mode === "after" ? 0 : null;
      }),
    }));
  }

  private call(called: LlvmFunction, words: readonly LlvmValue[]): LlvmValue {
    const { blocks, parameters, type } = called;
    if (called.outside !== null || blocks === null)
      throw new UnjudgedExecution(`@${called.name}: ${called.outside ?? "not defined"}`);
    if (++this.depth > CALL_DEPTH_MAX) throw new UnjudgedExecution("calls nest too deeply");
    const frame: LocalValues = new Map();
    const firstObject = this.memory.objects.length;
    parameters.forEach(({ name, type: parameterType, attributes }, i) => {
      let word = this.constrained(words[i] ?? POISON, parameterType, attributes);
      if (
        attributes.names.has("byval") &&
        attributes.pointee !== null &&
        typeof word === "bigint"
      ) {
        const size = allocSize(attributes.pointee);
        const copy = this.memory.allocate("stack", `%${name}`, size);
        this.memory.copy(copy.address, word, size);
        word = copy.address;
      }
      frame.set(name, word);
    });
    const result = this.runBlocks(blocks, frame);
    for (const object of this.memory.objects.slice(firstObject)) {
      if (object.address >= REGIONS.stack) object.isLive = false;
    }
    this.depth--;
    return type.kind === "void" ? 0n : this.constrained(result, type, called.resultAttributes);
  }

  private runBlocks(blocks: readonly LlvmBlock[], frame: LocalValues): LlvmValue {
    const byName = new Map(blocks.map((block) => [block.name, block]));
    let block = blocks[0];
    let from: string | null = null;
    for (;;) {
      this.enter(block, from, frame);
      const next = this.runBlock(block, frame);
      if (typeof next === "object" && next !== null && "label" in next) {
        from = block.name;
        const target = byName.get(next.label);
        if (target === undefined)
          throw new UnjudgedExecution(`the function has no block ${next.label}`);
        block = target;
      } else return next.value;
    }
  }

  /** Computes all Phis from the values before any of them changes. */
  private enter({ instructions, name }: LlvmBlock, from: string | null, frame: LocalValues): void {
    const results: [string, LlvmValue][] = [];
    for (const { opcode, labels = [], operands, result } of instructions) {
      if (opcode !== "phi") break;
      const at = labels.indexOf(from ?? "");
      if (at < 0)
        throw new UnjudgedExecution(`a Phi of ${name} has no operand for the predecessor`);
      const { operand, type } = operands[at];
      if (result !== null) results.push([result, this.value(operand, type, frame)]);
    }
    for (const [result, value] of results) frame.set(result, value);
  }

  private runBlock(
    { instructions }: LlvmBlock,
    frame: LocalValues,
  ): { readonly label: string } | { readonly value: LlvmValue } {
    for (const instruction of instructions) {
      if (++this.steps > this.stepsMax) throw new UnjudgedExecution(OUT_OF_FUEL);
      switch (instruction.opcode) {
        case "phi":
          break;
        case "br":
          return { label: this.branch(instruction, frame) };
        case "switch":
          return { label: this.switch(instruction, frame) };
        case "ret": {
          const [returned] = instruction.operands;
          if (returned === undefined) return { value: 0n };
          return { value: this.value(returned.operand, returned.type, frame) };
        }
        case "unreachable":
          throw new UndefinedBehavior("unreachable code");
        default: {
          const value = this.execute(instruction, frame);
          if (instruction.result !== null) frame.set(instruction.result, value);
        }
      }
    }
    throw new UnjudgedExecution("a block does not end in a terminator");
  }

  private branch({ operands, labels = [] }: LlvmInstruction, frame: LocalValues): string {
    if (operands.length === 0) return labels[0];
    const condition = this.operand(operands[0], frame);
    if (condition === POISON) throw new UndefinedBehavior("a branch on poison");
    return labels[condition === 1n ? 0 : 1];
  }

  private switch(
    { operands, labels = [], keys = [] }: LlvmInstruction,
    frame: LocalValues,
  ): string {
    const value = this.operand(operands[0], frame);
    if (value === POISON) throw new UndefinedBehavior("a switch on poison");
    return labels[keys.indexOf(value as bigint) + 1];
  }

  private operand(
    { operand, type }: LlvmInstruction["operands"][number],
    frame: LocalValues,
  ): LlvmValue {
    return this.value(operand, type, frame);
  }

  private value(operand: LlvmOperand, type: LlvmType, frame: LocalValues): LlvmValue {
    if (operand.kind !== "local") return this.constant(operand, type);
    const value = frame.get(operand.name);
    if (value === undefined)
      throw new UnjudgedExecution(`%${operand.name} is not defined before its use`);
    return value;
  }

  private constant(operand: LlvmOperand, type: LlvmType): LlvmValue {
    switch (operand.kind) {
      case "int":
        return type.kind === "int" ? wrap(type.bits, operand.value) : operand.value;
      case "float":
        return operand.value;
      case "null":
        return 0n;
      case "zero":
        return zeroOf(type);
      case "poison":
        return poisonOf(type);
      case "undef":
        return this.mode === "before" ? poisonOf(type) : zeroOf(type);
      case "elements":
        return operand.elements.map((each) => this.constant(each.operand, each.type));
      case "global": {
        const object = this.globals.get(operand.name);
        if (object === undefined)
          throw new UnjudgedExecution(`the global @${operand.name} was not imported`);
        return object.address;
      }
      case "expression":
        return this.execute(operand.instruction, new Map());
      default:
        throw new UnjudgedExecution(`a constant contains %${operand.name}`);
    }
  }

  private execute(instruction: LlvmInstruction, frame: LocalValues): LlvmValue {
    const { opcode, type, flags } = instruction;
    const values = instruction.operands.map((each) =>
      each.type.kind === "metadata" ? 0n : this.operand(each, frame),
    );
    switch (opcode) {
      case "call":
        return this.callInstruction(instruction, values);
      case "select":
        return this.select(values, type, flags);
      case "freeze":
        return this.freeze(values[0], type);
      case "alloca":
        return this.alloca(instruction, values);
      case "load":
        return this.load(instruction, values[0]);
      case "store":
        return this.store(instruction, values[0], values[1]);
      case "getelementptr":
        return this.elementPointer(instruction, values);
      case "extractvalue":
        return (instruction.indices ?? []).reduce(
          (value: LlvmValue, index) => (Array.isArray(value) ? value[index] : POISON),
          values[0],
        );
      case "insertvalue":
        return inserted(values[0], values[1], instruction.indices ?? []);
      case "extractelement":
        return laneOf(values[0], values[1]);
      case "insertelement": {
        const [vector, element, lane] = values;
        if (lane === POISON || !Array.isArray(vector) || Number(lane) >= vector.length)
          return poisonOf(type);
        return inserted(vector, element, [Number(lane)]);
      }
      case "shufflevector": {
        const both = [...lanes(values[0]), ...lanes(values[1])];
        return (instruction.indices ?? []).map((lane) => (lane < 0 ? POISON : both[lane]));
      }
      default:
        return this.lanewise(instruction, values);
    }
  }

  /** Computes an instruction on scalars, or on each lane. */
  private lanewise(instruction: LlvmInstruction, values: readonly LlvmValue[]): LlvmValue {
    const { type, opcode } = instruction;
    const from = instruction.operands[0].type;
    if (opcode === "bitcast" && (type.kind === "vector" || from.kind === "vector"))
      return this.bitcast(values[0], from, type);
    if (type.kind !== "vector") {
      return this.scalar(instruction, values as readonly LlvmScalar[], from, type);
    }
    const element = from.kind === "vector" ? from.element : from;
    return Array.from({ length: type.count }, (_, lane) =>
      this.scalar(
        instruction,
        values.map((value) => lanes(value)[lane] as LlvmScalar),
        element,
        type.element,
      ),
    );
  }

  private scalar(
    { opcode, flags, predicate = "" }: LlvmInstruction,
    values: readonly LlvmScalar[],
    from: LlvmType,
    to: LlvmType,
  ): LlvmScalar {
    if (/^[us](?:div|rem)$/.test(opcode) && values[1] === POISON)
      throw new UndefinedBehavior("a division by poison");
    if (values.includes(POISON)) return POISON;
    const [x, y] = values as readonly (bigint | number)[];
    if (opcode === "icmp") {
      this.checkComparable(from, predicate, x as bigint, y as bigint);
      return compareIntegers(predicate, x as bigint, y as bigint, widthOf(from), flags);
    }
    if (opcode === "fcmp") {
      if (!isFloatPredicate(predicate))
        throw new UnjudgedExecution(`the predicate ${predicate} is not supported`);
      const result = compareFloats(predicate, Number(x), Number(y)) ? 1 : 0;
      // Flags that change values do not change a comparison.
      const isPoison = relaxed(1, [Number(x), Number(y)], onlyDomain(flags)) === POISON;
      return isPoison ? POISON : BigInt(result);
    }
    if (opcode === "fneg") return relaxed(-Number(x), [Number(x)], flags);
    if (values.length === 2) return binaryOperation(opcode, x, y, to, flags);
    return this.convert(opcode, x, from, to, flags);
  }

  /** The order of addresses on the stack is open. */
  private checkComparable(type: LlvmType, predicate: string, x: bigint, y: bigint): void {
    if (type.kind !== "ptr" || predicate === "eq" || predicate === "ne") return;
    if (x >= REGIONS.stack !== y >= REGIONS.stack || x >= REGIONS.stack)
      throw new UnjudgedExecution("the result depends on the order of addresses on the stack");
  }

  private convert(
    opcode: string,
    x: bigint | number,
    from: LlvmType,
    to: LlvmType,
    flags: ReadonlySet<string>,
  ): LlvmScalar {
    const [width, toWidth] = [widthOf(from), widthOf(to)];
    switch (opcode) {
      case "trunc": {
        const result = wrap(toWidth, x as bigint);
        if (flags.has("nuw") && result !== x) return POISON;
        if (flags.has("nsw") && signed(toWidth, result) !== signed(width, x as bigint))
          return POISON;
        return result;
      }
      case "zext":
        return flags.has("nneg") && signed(width, x as bigint) < 0n ? POISON : x;
      case "sext":
        return wrap(toWidth, signed(width, x as bigint));
      case "fptrunc":
      case "fpext":
        return relaxed(rounded(to, Number(x)), [Number(x)], flags);
      case "fptoui":
      case "fptosi": {
        const whole = truncated(Number(x));
        if (whole === null) return POISON;
        const result = wrap(toWidth, whole);
        return (opcode === "fptosi" ? signed(toWidth, result) : result) === whole ? result : POISON;
      }
      case "uitofp":
        if (flags.has("nneg") && signed(width, x as bigint) < 0n) return POISON;
        return floatOfInteger(to, x as bigint);
      case "sitofp":
        return floatOfInteger(to, signed(width, x as bigint));
      case "ptrtoint":
        if ((x as bigint) >= REGIONS.stack && this.mode === "before")
          throw new UnjudgedExecution("an address on the stack is used as an integer");
        return wrap(toWidth, x as bigint);
      case "inttoptr":
        return wrap(POINTER_BITS, x as bigint);
      case "bitcast":
        if (typeof x === "number" && to.kind === "int") {
          return Number.isNaN(x) && this.mode === "before" ? POISON : bitsOfFloat(from, x);
        }
        return typeof x === "bigint" && (to.kind === "float" || to.kind === "double")
          ? floatOfBits(to, x)
          : x;
      default:
        throw new UnjudgedExecution(`the instruction ${opcode} is not supported`);
    }
  }

  /** Through memory, as the Language Reference defines it. */
  private bitcast(value: LlvmValue, from: LlvmType, to: LlvmType): LlvmValue {
    const object = new LlvmMemory(this.mode === "after").allocate(
      "stack",
      "bitcast",
      storeSize(from),
    );
    const memory = new LlvmMemory(this.mode === "after");
    memory.objects.push(object);
    memory.store(object.address, from, value);
    return memory.load(object.address, to);
  }

  private select(
    values: readonly LlvmValue[],
    type: LlvmType,
    flags: ReadonlySet<string>,
  ): LlvmValue {
    const [condition, x, y] = values;
    if (Array.isArray(condition)) {
      return condition.map((each, lane) =>
        each === POISON ? POISON : relaxedValue(lanes(each === 1n ? x : y)[lane], flags),
      );
    }
    if (condition === POISON) return poisonOf(type);
    return relaxedValue(condition === 1n ? x : y, flags);
  }

  private freeze(value: LlvmValue, type: LlvmType): LlvmValue {
    if (!hasPoison(value)) return value;
    if (this.mode === "before")
      throw new UnjudgedExecution("the function freezes poison, which may give any value");
    if (!Array.isArray(value)) return zeroOf(type);
    const zeros = zeroOf(type) as readonly LlvmValue[];
    return value.map((part, i) => (hasPoison(part) ? zeros[i] : part));
  }

  private alloca({ element, result }: LlvmInstruction, values: readonly LlvmValue[]): LlvmValue {
    const count = values.length === 0 ? 1n : values[0];
    if (typeof count !== "bigint" || count > 4096n)
      throw new UnjudgedExecution("a variable on the stack is too large");
    const size = element === undefined ? 0 : allocSize(element) * Number(count);
    if (size > 1 << 20) throw new UnjudgedExecution("a variable on the stack is too large");
    return this.memory.allocate("stack", `%${result}`, size).address;
  }

  private address(pointer: LlvmValue, alignment: number | undefined): bigint {
    if (pointer === POISON) throw new UndefinedBehavior("an access at poison");
    const address = pointer as bigint;
    if (alignment !== undefined && address % BigInt(Math.min(alignment, 64)) !== 0n)
      throw new UndefinedBehavior(`an access that is not aligned to ${alignment} bytes`);
    return address;
  }

  private load({ type, flags, alignment }: LlvmInstruction, pointer: LlvmValue): LlvmValue {
    const address = this.address(pointer, alignment);
    const value = this.memory.load(address, type);
    if (flags.has("volatile")) this.record("volatile load", [address]);
    return value;
  }

  private store(
    { operands, flags, alignment }: LlvmInstruction,
    value: LlvmValue,
    pointer: LlvmValue,
  ): LlvmValue {
    const address = this.address(pointer, alignment);
    this.memory.store(address, operands[0].type, value);
    if (flags.has("volatile")) this.record("volatile store", [address, value]);
    return 0n;
  }

  private record(name: string, operands: readonly LlvmValue[], seesMemory = false): void {
    const shown = operands.map((each) => this.shown(each));
    const memory = seesMemory ? this.visibleBytes(true) : [];
    this.events.push({ name, operands: shown, memory });
  }

  /** Addresses on the stack are open. */
  private shown(value: LlvmValue, type?: LlvmType): LlvmValue {
    if (Array.isArray(value)) return value.map((part) => this.shown(part));
    const isAddress = type === undefined || type.kind === "ptr";
    const isOnStack =
      typeof value === "bigint" && value >= REGIONS.stack && value < REGIONS.stack + 0x1000_0000n;
    return isAddress && isOnStack ? POISON : value;
  }

  private elementPointer(
    { element, operands, flags }: LlvmInstruction,
    values: readonly LlvmValue[],
  ): LlvmValue {
    if (values.some(hasPoison)) return POISON;
    const [base, ...indices] = values as readonly bigint[];
    let offset = 0n;
    let type = element as LlvmType;
    indices.forEach((index, i) => {
      const number = signed(widthOf(operands[i + 1].type), index);
      if (i > 0 && type.kind === "struct") {
        offset += BigInt(layoutOf(type.fields, type.isPacked).offsets[Number(number)]);
        type = type.fields[Number(number)];
        return;
      }
      if (i > 0 && (type.kind === "array" || type.kind === "vector")) type = type.element;
      offset += number * BigInt(allocSize(type));
    });
    const address = wrap(POINTER_BITS, base + offset);
    if (flags.has("nuw") && (offset < 0n || base + offset !== address)) return POISON;
    return flags.has("inbounds") && offset !== 0n && !this.isWithinObject(base, address)
      ? POISON
      : address;
  }

  private isWithinObject(base: bigint, address: bigint): boolean {
    return this.memory.objects.some(({ address: begin, bytes }) => {
      const end = begin + BigInt(bytes.length);
      return base >= begin && base <= end && address >= begin && address <= end;
    });
  }

  private callInstruction(instruction: LlvmInstruction, values: readonly LlvmValue[]): LlvmValue {
    const { operands, attributes = [], resultAttributes, type } = instruction;
    const [target, ...given] = values;
    if (target === POISON) throw new UndefinedBehavior("a call of poison");
    const { operand } = operands[0];
    const name = operand.kind === "global" ? operand.name : this.functionAt(target as bigint);
    const passed = given.map((value, i) => {
      const each = attributes[i];
      return each === undefined ? value : this.constrained(value, operands[i + 1].type, each);
    });
    const result = this.callNamed(name, passed, instruction);
    return type.kind === "void" || resultAttributes === undefined
      ? result
      : this.constrained(result, type, resultAttributes);
  }

  private functionAt(address: bigint): string {
    for (const [name, object] of this.globals) {
      if (object.address === address && this.module.functions.has(name)) return name;
    }
    throw new UndefinedBehavior("a call of an address without a function");
  }

  private callNamed(
    name: string,
    values: readonly LlvmValue[],
    instruction: LlvmInstruction,
  ): LlvmValue {
    if (name.startsWith("llvm.")) return this.intrinsic(name.slice(5), values, instruction);
    const called = this.module.functions.get(name);
    if (called?.blocks) return this.call(called, values);
    return this.callExternal(name, values, instruction, called);
  }

  private callExternal(
    name: string,
    values: readonly LlvmValue[],
    { type, callAttributes = new Set() }: LlvmInstruction,
    called: LlvmFunction | undefined,
  ): LlvmValue {
    const computed = libraryFunction(name, values, type);
    if (computed !== null) return computed;
    if (isKnownLibrary(name))
      throw new UnjudgedExecution(`the function calls ${name}, which is not interpreted`);
    const has = (word: string): boolean =>
      callAttributes.has(word) || (called?.attributes.has(word) ?? false);
    if (has("memory(none)") || has("memory(read)")) return this.pureResult(name, values, type);
    this.record(name, values, true);
    if (has("noreturn")) throw new ExecutionEnded("exit");
    if (type.kind === "ptr") {
      const object = this.memory.allocate("arguments", `result ${this.events.length}`, 64);
      object.states.fill(0);
      return object.address;
    }
    return filled(type, (each) => externalResult(`${name} ${this.events.length}`, each));
  }

  private pureResult(name: string, values: readonly LlvmValue[], type: LlvmType): LlvmValue {
    if (values.some(hasPoison))
      throw new UnjudgedExecution("poison is passed to a function of another module");
    return filled(type, (each) => externalResult(`${name} ${values.join()}`, each));
  }

  /** Applies attributes: a value that breaks one is poison, and with `noundef` the behavior is undefined. */
  private constrained(
    value: LlvmValue,
    type: LlvmType,
    attributes: ParameterAttributes,
  ): LlvmValue {
    const { names, range, alignment } = attributes;
    let kept = value;
    if (typeof value === "bigint") {
      const isNull = type.kind === "ptr" && names.has("nonnull") && value === 0n;
      const isMisaligned = type.kind === "ptr" && value % BigInt(Math.min(alignment, 64)) !== 0n;
      if (isNull || isMisaligned || isOutOfRange(value, type, range)) kept = POISON;
    }
    if (names.has("noundef") && hasPoison(kept))
      throw new UndefinedBehavior("poison where noundef excludes it");
    return kept;
  }

  private intrinsic(
    name: string,
    values: readonly LlvmValue[],
    instruction: LlvmInstruction,
  ): LlvmValue {
    const { type, operands, flags } = instruction;
    if (IGNORED.test(name)) return type.kind === "void" ? 0n : zeroOf(type);
    if (name === "assume") {
      if (values[0] !== 1n) throw new UndefinedBehavior("a false assumption");
      return 0n;
    }
    if (name === "trap" || name === "debugtrap" || name === "ubsantrap")
      throw new ExecutionEnded("trap");
    const [family] = /^mem(?:cpy|move|set)(?:\.inline)?\b/.exec(name) ?? [];
    if (family !== undefined) return this.moveMemory(family, values);
    const first = operands[1]?.type ?? type;
    const base = withoutTypes(name);
    const [, reduced] = /^vector\.reduce\.(\w+)$/.exec(base) ?? [];
    if (reduced !== undefined) return reduce(reduced, lanes(values[0]), first);
    const [, checkedName] = /^(\w+)\.with\.overflow$/.exec(base) ?? [];
    if (checkedName !== undefined && isOverflowName(checkedName))
      return this.overflow(checkedName, values, first, type);
    if (first.kind !== "vector")
      return this.scalarIntrinsic(base, values as readonly LlvmScalar[], first, type, flags);
    const to = type.kind === "vector" ? type.element : type;
    return Array.from({ length: first.count }, (_, lane) =>
      this.scalarIntrinsic(
        base,
        values.map((value) => (Array.isArray(value) ? value[lane] : value)) as LlvmScalar[],
        first.element,
        to,
        flags,
      ),
    );
  }

  private overflow(
    name: string,
    values: readonly LlvmValue[],
    first: LlvmType,
    type: LlvmType,
  ): LlvmValue {
    if (first.kind === "vector")
      throw new UnjudgedExecution("arithmetic with overflow on vectors is not supported");
    if (values.some(hasPoison)) return poisonOf(type);
    const [x, y] = values as readonly bigint[];
    return withOverflow(name, x, y, widthOf(first));
  }

  private moveMemory(family: string, values: readonly LlvmValue[]): LlvmValue {
    const [to, from, size] = values;
    if (to === POISON || size === POISON) throw new UndefinedBehavior("an access at poison");
    if (Number(size) > 1 << 20) throw new UndefinedBehavior("a large copy");
    if (family.startsWith("memset")) {
      this.memory.fill(to as bigint, from as LlvmScalar, Number(size));
      return 0n;
    }
    if (from === POISON) throw new UndefinedBehavior("an access at poison");
    const distance = (to as bigint) - (from as bigint);
    const overlaps = distance !== 0n && distance < (size as bigint) && -distance < (size as bigint);
    if (family.startsWith("memcpy") && overlaps)
      throw new UndefinedBehavior("a memcpy of ranges that overlap");
    this.memory.copy(to as bigint, from as bigint, Number(size));
    return 0n;
  }

  private scalarIntrinsic(
    name: string,
    values: readonly LlvmScalar[],
    from: LlvmType,
    to: LlvmType,
    flags: ReadonlySet<string>,
  ): LlvmScalar {
    if (values.includes(POISON)) return POISON;
    const [x] = values as readonly (bigint | number)[];
    if (Object.hasOwn(INTEGER_INTRINSICS, name)) {
      const types = { bits: widthOf(from), resultBits: widthOf(to) };
      return INTEGER_INTRINSICS[name](values as readonly bigint[], types);
    }
    if (Object.hasOwn(FLOAT_INTRINSICS, name)) {
      const numbers = values.map(Number);
      if (isOpenZero(name, numbers)) return this.mode === "before" ? POISON : 0;
      return relaxed(rounded(to, FLOAT_INTRINSICS[name](numbers)), numbers, flags);
    }
    if (name === "fptosi.sat" || name === "fptoui.sat")
      return saturatedInteger(Number(x), widthOf(to), name === "fptosi.sat");
    if (name === "is.fpclass") {
      const least = FLOAT_NORMAL_MIN[from.kind === "float" ? "float" : "double"];
      return isOfClass(Number(x), Number(values[1]), least) ? 1n : 0n;
    }
    throw new UnjudgedExecution(`the intrinsic llvm.${name} is not supported`);
  }
}

const widthOf = (type: LlvmType): number =>
  type.kind === "ptr" ? POINTER_BITS : type.kind === "int" ? type.bits : bitSize(type);

/** Returns `a.b` of `a.b.i32.v4f32`. */
const withoutTypes = (name: string): string =>
  name.replace(/(?:\.(?:v\d+)?(?:[ifp]\d+|s_\w+))+$/, "");

const lanes = (value: LlvmValue): readonly LlvmValue[] => (Array.isArray(value) ? value : [value]);

function laneOf(vector: LlvmValue, lane: LlvmValue): LlvmValue {
  const all = lanes(vector);
  return lane === POISON || Number(lane) >= all.length ? POISON : all[Number(lane)];
}

function inserted(whole: LlvmValue, part: LlvmValue, indices: readonly number[]): LlvmValue {
  if (indices.length === 0 || !Array.isArray(whole)) return part;
  const [index, ...rest] = indices;
  return whole.map((each, i) => (i === index ? inserted(each, part, rest) : each));
}

function reduce(name: string, parts: readonly LlvmValue[], type: LlvmType): LlvmScalar {
  const operation = Object.hasOwn(INTEGER_REDUCTIONS, name) ? INTEGER_REDUCTIONS[name] : null;
  if (operation === null || type.kind !== "vector")
    throw new UnjudgedExecution(`the intrinsic llvm.vector.reduce.${name} is not supported`);
  if (parts.some(hasPoison)) return POISON;
  const bits = widthOf(type.element);
  return (parts as readonly bigint[]).reduce((x, y) => operation(x, y, bits));
}

/** Flags that exclude operands. */
const onlyDomain = (flags: ReadonlySet<string>): ReadonlySet<string> => {
  const all = flags.has("fast") ? ["nnan", "ninf"] : ["nnan", "ninf"].filter((f) => flags.has(f));
  return new Set(all);
};

const relaxedValue = (value: LlvmValue, flags: ReadonlySet<string>): LlvmValue =>
  typeof value === "number" ? relaxed(value, [], flags) : value;

function isOutOfRange(value: bigint, type: LlvmType, range: ParameterAttributes["range"]): boolean {
  if (range === null || type.kind !== "int") return false;
  const [from, to] = range.map((bound) => wrap(type.bits, bound));
  return from < to ? value < from || value >= to : value < from && value >= to;
}
