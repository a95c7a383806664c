// The memory of an execution: objects at fixed distances in one address space, with a state for each byte (LangRef,
// "Memory Model", "Pointer Aliasing Rules"). Provenance is not modelled: an address alone decides.

import { UndefinedBehavior } from "./run-error.js";
import { bitsOfFloat, floatOfBits } from "./scalars.js";
import { allocSize, bitSize, type LlvmType, layoutOf, POINTER_BITS, storeSize } from "./types.js";
import { type LlvmScalar, type LlvmValue, POISON, poisonOf, wrap } from "./values.js";

/** A byte that is not poison holds a number. */
const DEFINED = 0;
const POISONED = 1;
/** Nothing was stored in it. */
const UNDEFINED = 2;

export interface MemoryObject {
  readonly name: string;
  readonly address: bigint;
  readonly bytes: Uint8Array;
  readonly states: Uint8Array;
  readonly isConstant: boolean;
  isLive: boolean;
}

/** The size of a byte that no object has, between objects. */
const GAP = 64n;
const ALIGNMENT = 64n;

/** Regions: globals and functions, arguments, variables of the stack. */
export const REGIONS = {
  globals: 0x1_0000n,
  arguments: 0x1000_0000n,
  stack: 0x7000_0000n,
} as const;
type RegionName = keyof typeof REGIONS;

export class LlvmMemory {
  readonly objects: MemoryObject[] = [];
  private readonly next: Record<RegionName, bigint> = { ...REGIONS };
  /** Undefined bytes and constants become zero; else poison. See `interpret.ts`. */
  private readonly undefinedIsZero: boolean;

  constructor(undefinedIsZero: boolean) {
    this.undefinedIsZero = undefinedIsZero;
  }

  /** Returns an object whose bytes are undefined. */
  allocate(region: RegionName, name: string, size: number, isConstant = false): MemoryObject {
    const address = this.next[region];
    const bytes = new Uint8Array(size);
    const states = new Uint8Array(size).fill(UNDEFINED);
    const object = { name, address, bytes, states, isConstant, isLive: true };
    this.next[region] = (address + BigInt(size) + GAP + ALIGNMENT - 1n) & -ALIGNMENT;
    this.objects.push(object);
    return object;
  }

  /** @throws UndefinedBehavior unless one live object contains the bytes */
  private locate(address: bigint, size: number): { object: MemoryObject; offset: number } {
    for (const object of this.objects) {
      const offset = address - object.address;
      if (offset < 0n || offset + BigInt(size) > BigInt(object.bytes.length)) continue;
      if (!object.isLive) break;
      return { object, offset: Number(offset) };
    }
    throw new UndefinedBehavior(`an access of ${size} bytes outside of objects`);
  }

  load(address: bigint, type: LlvmType): LlvmValue {
    const size = storeSize(type);
    if (size === 0) return poisonOf(type);
    const { object, offset } = this.locate(address, size);
    return this.read(object, offset, type);
  }

  store(address: bigint, type: LlvmType, value: LlvmValue): void {
    const size = storeSize(type);
    if (size === 0) return;
    const { object, offset } = this.locate(address, size);
    if (object.isConstant) throw new UndefinedBehavior("a store to a constant");
    this.write(object, offset, type, value);
  }

  /** Copies bytes with their states, also between ranges that overlap. */
  copy(to: bigint, from: bigint, size: number): void {
    if (size === 0) return;
    const source = this.locate(from, size);
    const target = this.locate(to, size);
    if (target.object.isConstant) throw new UndefinedBehavior("a store to a constant");
    const { bytes, states } = source.object;
    const end = source.offset + size;
    target.object.bytes.set(bytes.slice(source.offset, end), target.offset);
    target.object.states.set(states.slice(source.offset, end), target.offset);
  }

  fill(to: bigint, byte: LlvmScalar, size: number): void {
    if (size === 0) return;
    const { object, offset } = this.locate(to, size);
    if (object.isConstant) throw new UndefinedBehavior("a store to a constant");
    const isPoison = byte === POISON;
    object.bytes.fill(isPoison ? 0 : Number(byte), offset, offset + size);
    object.states.fill(isPoison ? POISONED : DEFINED, offset, offset + size);
  }

  private read(object: MemoryObject, offset: number, type: LlvmType): LlvmValue {
    switch (type.kind) {
      case "array":
        return Array.from({ length: type.count }, (_, i) =>
          this.read(object, offset + i * allocSize(type.element), type.element),
        );
      case "struct":
        return layoutOf(type.fields, type.isPacked).offsets.map((at, i) =>
          this.read(object, offset + at, type.fields[i]),
        );
      case "vector": {
        const bits = bitSize(type.element);
        if (bits % 8 === 0) {
          return Array.from({ length: type.count }, (_, i) =>
            this.read(object, offset + (i * bits) / 8, type.element),
          );
        }
        const packed = this.readBits(object, offset, storeSize(type));
        return Array.from({ length: type.count }, (_, i) =>
          packed === POISON ? POISON : wrap(bits, packed >> BigInt(i * bits)),
        );
      }
      default: {
        const bits = this.readBits(object, offset, storeSize(type));
        if (bits === POISON) return POISON;
        if (type.kind === "float" || type.kind === "double") return floatOfBits(type, bits);
        return wrap(type.kind === "int" ? type.bits : POINTER_BITS, bits);
      }
    }
  }

  private readBits(object: MemoryObject, offset: number, size: number): bigint | typeof POISON {
    let bits = 0n;
    for (let i = size - 1; i >= 0; i--) {
      const state = object.states[offset + i];
      if (state === POISONED || (state === UNDEFINED && !this.undefinedIsZero)) return POISON;
      bits = (bits << 8n) | BigInt(state === UNDEFINED ? 0 : object.bytes[offset + i]);
    }
    return bits;
  }

  /** Writes without a check: initializers of constants use it too. */
  write(object: MemoryObject, offset: number, type: LlvmType, value: LlvmValue): void {
    if (Array.isArray(value)) {
      this.writeParts(object, offset, type, value);
      return;
    }
    const size = storeSize(type);
    const isPoison = value === POISON || Number.isNaN(value);
    object.states.fill(value === POISON ? POISONED : DEFINED, offset, offset + size);
    if (value === POISON) return;
    let bits = typeof value === "bigint" ? value : bitsOfFloat(type, Number(value));
    // The language leaves the bits of a computed NaN open.
    if (isPoison && !this.undefinedIsZero) object.states.fill(POISONED, offset, offset + size);
    for (let i = 0; i < size; i++) {
      object.bytes[offset + i] = Number(bits & 0xffn);
      bits >>= 8n;
    }
  }

  private writeParts(
    object: MemoryObject,
    offset: number,
    type: LlvmType,
    value: readonly LlvmValue[],
  ): void {
    if (type.kind === "struct") {
      const { offsets } = layoutOf(type.fields, type.isPacked);
      value.forEach((part, i) => {
        this.write(object, offset + offsets[i], type.fields[i], part);
      });
      return;
    }
    if (type.kind !== "array" && type.kind !== "vector") return;
    const bits = bitSize(type.element);
    if (type.kind === "vector" && bits % 8 !== 0) {
      let packed = 0n;
      let isPoison = false;
      value.forEach((part, i) => {
        if (typeof part === "bigint") packed |= part << BigInt(i * bits);
        else isPoison = true;
      });
      const whole: LlvmType = { kind: "int", bits: 8 * storeSize(type) };
      this.write(object, offset, whole, isPoison ? POISON : packed);
      return;
    }
    const step = type.kind === "vector" ? bits / 8 : allocSize(type.element);
    value.forEach((part, i) => {
      this.write(object, offset + i * step, type.element, part);
    });
  }
}
