// Calls of a function of LLVM IR: values at the boundaries of each type, and objects of small numbers for pointers.

import type { ChoiceSource } from "../support/source.js";
import type { LlvmCall, LlvmInput } from "./interpret.js";
import type { LlvmFunction } from "./module.js";
import type { LlvmType } from "./types.js";
import { filled, type LlvmScalar, wrap } from "./values.js";

/** Bytes of an object whose size no attribute gives. */
const OBJECT_SIZE = 256;
/** The share of pointers that lead into an object of an argument before. */
const ALIAS_SHARE = 4;

const FLOATS = [
  ...[0, -0, 1, -1, 0.5, -1.5, 2, 3, 1e-40, -1e-310, 65536.5, 1e30, 2 ** 31, -(2 ** 63)],
  ...[Infinity, -Infinity, Number.NaN],
];

/** Draws a call. The first calls have small numbers, which loops and indices take to their end. */
export function drawCall(called: LlvmFunction, random: ChoiceSource, number: number): LlvmCall {
  const objects: Uint8Array[] = [];
  const inputs = called.parameters.map(({ type, attributes }): LlvmInput => {
    if (type.kind !== "ptr")
      return { kind: "value", value: filled(type, (each) => drawScalar(each, random, number)) };
    const { dereferenceable, names, pointee } = attributes;
    const isShared = !names.has("noalias") && pointee === null && dereferenceable === 0;
    if (isShared && objects.length > 0 && random.below(ALIAS_SHARE) === 0) {
      const object = random.below(objects.length);
      return { kind: "pointer", object, offset: 8 * random.below(4) };
    }
    objects.push(drawBytes(Math.max(OBJECT_SIZE, dereferenceable), random));
    return { kind: "pointer", object: objects.length - 1, offset: 0 };
  });
  return { inputs, objects };
}

function drawBytes(size: number, random: ChoiceSource): Uint8Array {
  const width = [1, 2, 4, 8][random.below(4)];
  const isSmall = random.below(3) > 0;
  return Uint8Array.from({ length: size }, (_, i) => {
    if (!isSmall) return random.below(256);
    return i % width === 0 ? random.below(8) : 0;
  });
}

function drawScalar(type: LlvmType, random: ChoiceSource, number: number): LlvmScalar {
  if (type.kind === "float" || type.kind === "double") {
    const x = FLOATS[random.below(FLOATS.length)];
    return type.kind === "float" ? Math.fround(x) : x;
  }
  if (type.kind !== "int") return 0n;
  const { bits } = type;
  const kind = random.below(number % 2 === 0 ? 2 : 5);
  if (kind <= 1) return wrap(bits, BigInt(random.below(kind === 0 ? 6 : 40)));
  if (kind === 2) return wrap(bits, -1n - BigInt(random.below(4)));
  if (kind === 3) {
    const power = 1n << BigInt(random.below(bits));
    return wrap(bits, power + BigInt(random.below(3) - 1));
  }
  let word = 0n;
  for (let at = 0; at < bits; at += 16) word = (word << 16n) | BigInt(random.below(0x1_0000));
  return wrap(bits, word);
}

/** Prints a call for a report. */
export function printCall({ inputs, objects }: LlvmCall): string {
  const words = inputs.map((input) =>
    input.kind === "value" ? printScalars(input.value) : `object ${input.object} + ${input.offset}`,
  );
  const bytes = objects.map((object, i) => {
    const last = object.findLastIndex((byte) => byte !== 0) + 1;
    const shown = Buffer.from(object.subarray(0, Math.min(last, 64))).toString("hex");
    return `object ${i}: ${object.length} bytes, ${shown === "" ? "all 0" : shown}${last > 64 ? "..." : ""}`;
  });
  return [`(${words.join(", ")})`, ...bytes].join("; ");
}

function printScalars(value: unknown): string {
  if (Array.isArray(value)) return `<${value.map(printScalars).join(", ")}>`;
  return Object.is(value, -0) ? "-0.0" : String(value);
}
