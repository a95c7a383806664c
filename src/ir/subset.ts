// Defines a part of the language that a compiler supports, as its user states it. The generator draws within it.
//
// A subset is JSON: the first line of a command, an option and finding.json contain it. An absent property sets no
// limit.

import {
  ALL_OPCODES,
  ATOMIC,
  BULK,
  CALLS,
  EFFECTS,
  EXITS,
  FENCE,
  nameOfOpcode,
  Op,
  type Opcode,
  opcodeNamed,
  READS_MEMORY,
  WRITES_MEMORY,
} from "./opcodes.js";
import { CONSTANT_OPCODES, compiledProcedures, type Module, type Procedure } from "./procedure.js";
import { nameOfType, TYPE_NAMES, type Type, typeNamed, Void } from "./types.js";

export interface LanguageSubset {
  /** Names of types, including Int32. */
  readonly types?: readonly string[];
  /** Names of opcodes. Constants, Jump, Return, Upsilon and Phi are always included. */
  readonly opcodes?: readonly string[];
  /** False: no opcode of the group. */
  readonly memory?: boolean;
  readonly calls?: boolean;
  readonly exits?: boolean;
  /** The greatest number of procedures, and for each of them the greatest number of values, blocks and parameters. */
  readonly procedures?: number;
  readonly values?: number;
  readonly blocks?: number;
  readonly parameters?: number;
}

type OpcodeGroup = "memory" | "calls" | "exits";
type LimitName = "procedures" | "values" | "blocks" | "parameters";

const GROUPS: readonly OpcodeGroup[] = ["memory", "calls", "exits"];
/** By limit: the least value that a subset may state, so that programs compute something. */
const LEAST: { readonly [L in LimitName]: number } = {
  procedures: 1,
  values: 8,
  blocks: 1,
  parameters: 2,
};
const LIMITS = Object.keys(LEAST) as readonly LimitName[]; // keys of the table, by construction
const ALWAYS: ReadonlySet<Opcode> = new Set([
  ...[Op.Parameter, Op.Jump, Op.Return, Op.Upsilon, Op.Phi],
  ...CONSTANT_OPCODES,
]);

/** Reads a subset. Returns a string that describes the expected form if it is malformed. */
export function subsetOf(value: unknown): LanguageSubset | string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return `expected an object like {"types": ["Int32"], "opcodes": ["Add", "Branch"]}`;
  }
  for (const [key, given] of Object.entries(value)) {
    const fault = faultOf(key, given);
    if (fault !== null) return fault;
  }
  return value;
}

function faultOf(key: string, given: unknown): string | null {
  if (key === "types") return faultOfTypes(given);
  if (key === "opcodes") return faultOfOpcodes(given);
  if (GROUPS.some((group) => group === key)) {
    return typeof given === "boolean" ? null : `expected "${key}": true or false`;
  }
  const limit = LIMITS.find((name) => name === key);
  if (limit === undefined) {
    return `expected one of types, opcodes, ${[...GROUPS, ...LIMITS].join(", ")}, got "${key}"`;
  }
  const isNumber = typeof given === "number" && Number.isInteger(given) && given >= LEAST[limit];
  return isNumber ? null : `expected "${key}": a number, at least ${LEAST[limit]}`;
}

function faultOfTypes(given: unknown): string | null {
  const known = TYPE_NAMES.slice(1).join(", ");
  if (!Array.isArray(given)) return `expected "types": a list of ${known}`;
  const unknown = given.find((name) => typeof name !== "string" || !typeNamed(name));
  if (unknown !== undefined) return `expected "types": ${known}, got ${JSON.stringify(unknown)}`;
  return given.includes("Int32") ? null : `expected "types" with Int32, which conditions have`;
}

function faultOfOpcodes(given: unknown): string | null {
  if (!Array.isArray(given)) return `expected "opcodes": a list of opcodes of docs/language.md`;
  const unknown = given.find((name) => typeof name !== "string" || opcodeNamed(name) === null);
  if (unknown === undefined) return null;
  return `expected "opcodes" of docs/language.md, got ${JSON.stringify(unknown)}`;
}

const GROUP_EFFECTS: { readonly [G in OpcodeGroup]: number } = {
  memory: READS_MEMORY | WRITES_MEMORY | BULK | ATOMIC | FENCE,
  calls: CALLS,
  exits: EXITS,
};
/** Opcodes of a group without an effect of the group. */
const GROUP_OPCODES: { readonly [G in OpcodeGroup]: readonly Opcode[] } = {
  memory: [Op.SlotBase],
  calls: [Op.FunctionAddress, Op.TailCall, Op.ReturnDeopt, Op.Extract],
  exits: [],
};

export class SubsetRules {
  readonly subset: LanguageSubset;
  readonly hasType: readonly boolean[];
  readonly hasOpcode: readonly boolean[];

  constructor(subset: LanguageSubset) {
    this.subset = subset;
    const { types, opcodes } = subset;
    this.hasType = TYPE_NAMES.map((name) => types === undefined || types.includes(name));
    const lacking = GROUPS.filter((group) => subset[group] === false);
    this.hasOpcode = ALL_OPCODES.map((opcode) => {
      if (ALWAYS.has(opcode)) return true;
      const isNamed = opcodes === undefined || opcodes.includes(nameOfOpcode(opcode));
      return isNamed && !lacking.some((group) => isOf(group, opcode));
    });
  }

  hasGroup(group: OpcodeGroup): boolean {
    return ALL_OPCODES.some((opcode) => this.hasOpcode[opcode] && isOf(group, opcode));
  }

  limit(name: LimitName): number {
    return this.subset[name] ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the part of the module that is outside of the subset; null if there is none. */
  outside(module: Module): string | null {
    if (compiledProcedures(module).length > this.limit("procedures")) return "procedures";
    for (const proc of module.procedures) {
      const fault = this.outsideOf(proc);
      if (fault !== null) return fault;
    }
    return null;
  }

  private outsideOf(proc: Procedure): string | null {
    const { parameters, blocks, result, further } = proc;
    const has = (type: Type): boolean => type === Void || this.hasType[type];
    let values = 0;
    let fault = [result, ...further].every(has) ? null : "type of a result";
    if (parameters.length > this.limit("parameters")) fault ??= "parameters";
    if (blocks.length > this.limit("blocks")) fault ??= "blocks";
    if (!parameters.every(({ type }) => has(type))) fault ??= "type of a parameter";
    proc.forEachValue(({ opcode, type }) => {
      values++;
      if (!has(type) || !this.hasOpcode[opcode])
        fault ??= `${nameOfOpcode(opcode)} of ${nameOfType(type)}`;
    });
    return values > this.limit("values") ? "values" : fault;
  }
}

const isOf = (group: OpcodeGroup, opcode: Opcode): boolean =>
  (EFFECTS[opcode] & GROUP_EFFECTS[group]) !== 0 || GROUP_OPCODES[group].includes(opcode);
