// Draws the parts of one program: its dials, its types, and the instructions that it may use.
//
// An instance is a row of OPCODES at one choice of T and U. A program omits random opcodes and
// types, so that the remaining ones are combined more often than in a uniform mixture.

import {
  ALL_OPCODES,
  ATOMIC,
  BULK,
  CALLS,
  EFFECTS,
  EXITS,
  FENCE,
  isTotal,
  isValueOperand,
  NAMES_KIND,
  type Opcode,
  type OperandSpec,
  READS_MEMORY,
  specOf,
  typeOfName,
  typesAlso,
  typesOver,
  WRITES_MEMORY,
} from "../../ir/opcodes.js";
import {
  Double,
  Float,
  Int32,
  Int64,
  otherBank,
  type Type,
  typeNamed,
  VALUE_TYPES,
  Void,
} from "../../ir/types.js";
import type { ChoiceSource } from "../../support/source.js";
import { chance, type DialValues, drawDials, type GeneratorProfile } from "./odds.js";

type InstanceKind =
  | "pure"
  | "partial"
  | "load"
  | "store"
  | "bulk"
  | "fence"
  | "atomic"
  | "call"
  | "guard"
  | "patchpoint";

export interface OpcodeInstance {
  readonly opcode: Opcode;
  readonly kind: InstanceKind;
  /** Types of the value operands, in order; without the address of a load or store. */
  readonly operands: readonly Type[];
  readonly result: Type;
  readonly weight: number;
}

export interface Swarm {
  readonly dials: DialValues;
  /** The types that the program uses. */
  readonly types: readonly Type[];
  readonly instances: readonly OpcodeInstance[];
  /** Running sums of the instances' weights in this program. */
  readonly sums: Int32Array;
  /**
   * If true, results of float arithmetic are stored unpurified, each in a cell of its own, and no
   * host function reads the heap. If false, NaNs are purified before they are stored.
   */
  readonly storesOpenNaN: boolean;
  /** By type: true if the program uses it. */
  readonly hasType: readonly boolean[];
}

/** The factor of a weight in the table, before it is divided among the types. */
const WEIGHT_UNIT = 100;
/** The minimum weight: an instance of a rare row must still occur often enough to be tested. */
const WEIGHT_MIN = 222;

/** The factor for the weight of a favored opcode. */
const FAVORED = 12;

/** Every instance of every row that the generator draws. */
export const INSTANCES: readonly OpcodeInstance[] = ALL_OPCODES.flatMap(instancesOf);

function kindOf(opcode: Opcode, t: Type): InstanceKind {
  const effects = EFFECTS[opcode];
  if (NAMES_KIND[opcode] === 1) return "patchpoint";
  if ((effects & READS_MEMORY) !== 0) return "load";
  if ((effects & WRITES_MEMORY) !== 0) return "store";
  if ((effects & ATOMIC) !== 0) return "atomic";
  if ((effects & BULK) !== 0) return "bulk";
  if ((effects & FENCE) !== 0) return "fence";
  if ((effects & EXITS) !== 0) return "guard";
  if ((effects & CALLS) !== 0) return "call";
  return isTotal(opcode, t) ? "pure" : "partial";
}

function instancesOf(opcode: Opcode): OpcodeInstance[] {
  const { args, result, weight } = specOf(opcode);
  if (weight === 0) return [];
  const over = typesOver(opcode).length > 0 ? typesOver(opcode) : [Void];
  const also = typesAlso(opcode).length > 0 ? typesAlso(opcode) : [Void];
  const made: OpcodeInstance[] = [];
  for (const t of over) {
    const kind = kindOf(opcode, t);
    const isAccess = kind === "load" || kind === "store";
    for (const u of also) {
      const resolve = (arg: OperandSpec): Type =>
        arg === "T" ? t : arg === "U" ? u : isValueOperand(arg) ? typeOfName(arg) : Void;
      const operands = args.filter(isValueOperand).map(resolve);
      // The address is created separately from the other operands.
      if (isAccess) operands.splice(kind === "load" ? 0 : 1, 1);
      made.push({
        opcode,
        kind,
        operands,
        result: result === "T" ? t : result === "Bits" ? otherBank(t) : (typeNamed(result) ?? Void),
        weight: Math.max(WEIGHT_MIN, (weight * WEIGHT_UNIT) / Math.sqrt(over.length * also.length)),
      });
    }
  }
  return made;
}

/** Draws the parts of the program. */
export function drawSwarm(source: ChoiceSource, profile: GeneratorProfile): Swarm {
  const dials = drawDials(source, profile);
  const { favored, within } = profile;
  const hasType = [false, true, false, false, false];
  for (const type of [Int64, Float, Double]) {
    hasType[type] = !chance(source, dials.typeOff) && within?.hasType[type] !== false;
  }
  const isOff = new Uint8Array(ALL_OPCODES.length);
  for (let i = 0; i < isOff.length; i++) isOff[i] = chance(source, dials.off) ? 1 : 0;
  const instances: OpcodeInstance[] = [];
  for (let i = 0; i < INSTANCES.length; i++) {
    const instance = INSTANCES[i];
    const { opcode } = instance;
    const isIn = isOff[opcode] === 0 || opcode === favored;
    if (isIn && within?.hasOpcode[opcode] !== false && usesOnly(instance, hasType))
      instances.push(instance);
  }
  const sums = new Int32Array(instances.length);
  let sum = 0;
  for (let i = 0; i < sums.length; i++) {
    const isFavored = instances[i].opcode === favored;
    sum += scaledWeight(instances[i], dials) * (isFavored ? FAVORED : 1);
    sums[i] = sum;
  }
  return {
    dials,
    types: VALUE_TYPES.filter((type) => hasType[type]),
    instances,
    sums,
    storesOpenNaN: chance(source, 34),
    hasType,
  };
}

function usesOnly(instance: OpcodeInstance, hasType: readonly boolean[]): boolean {
  const { operands, result } = instance;
  for (let i = 0; i < operands.length; i++) if (!hasType[operands[i]]) return false;
  return result === Void || hasType[result];
}

const DIAL_OF = {
  load: "memory",
  store: "memory",
  bulk: "memory",
  fence: "memory",
  atomic: "memory",
  call: "calls",
  guard: "guards",
  patchpoint: "patchpoints",
} as const;

function scaledWeight(instance: OpcodeInstance, dials: DialValues): number {
  const { kind, weight } = instance;
  if (kind === "pure" || kind === "partial") return Math.ceil(weight);
  return Math.ceil((weight * dials[DIAL_OF[kind]]) / 100);
}

/** Returns an instance by its weight; null if everything was switched off. */
export function drawInstance(source: ChoiceSource, swarm: Swarm): OpcodeInstance | null {
  const { sums, instances } = swarm;
  const total = sums.length === 0 ? 0 : sums[sums.length - 1];
  if (total === 0) return null;
  const roll = source.below(total);
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle] > roll) high = middle;
    else low = middle + 1;
  }
  return instances[low];
}

/** Returns one of the types in use. */
export const drawType = (source: ChoiceSource, swarm: Swarm): Type =>
  swarm.types[source.below(swarm.types.length)];

/** Returns Int32, or Int64 if it is in use. */
export const drawInteger = (source: ChoiceSource, swarm: Swarm): Type =>
  swarm.hasType[Int64] && chance(source, 40) ? Int64 : Int32;
