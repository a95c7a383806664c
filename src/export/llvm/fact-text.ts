// Writes facts (../facts.ts) in LLVM IR: instruction flags, whose result is poison if the fact is
// false; metadata of loads and calls; and assumptions.

import { nameOfOpcode, Op, type OpcodeName } from "../../ir/opcodes.js";
import type { BasicBlock, Procedure, Value } from "../../ir/procedure.js";
import { Float, isInteger, isWide } from "../../ir/types.js";
import {
  isBoolean,
  type ProcedureFacts,
  type UnsignedRange,
  type ValueFactKind,
} from "../facts.js";
import type { FunctionText } from "./function-text.js";
import { LLVM_TYPES } from "./opcode-rows.js";

/** The metadata nodes at the end of a file. */
export class MetadataNodes {
  private readonly nodes: string[] = [];
  private readonly names = new Map<string, string>();

  get text(): string {
    return this.nodes.map((node, n) => `!${n} = ${node}\n`).join("");
  }

  /**
   * Returns the name of the node; equal nodes share a name.
   * @param node the text of the node; `$` is replaced by the node's own name
   */
  add(node: string): string {
    const known = this.names.get(node);
    if (known !== undefined) return known;
    const name = `!${this.nodes.length}`;
    this.nodes.push(node.replaceAll("$", name));
    if (!node.includes("$")) this.names.set(node, name);
    return name;
  }
}

/** The instructions that turn an address into a pointer. */
export const PLAIN_ADDRESSING = { add: "add", index: "getelementptr" };
const KNOWN_ADDRESSING = { add: "add nsw", index: "getelementptr inbounds nuw" };

/** Flags by the pattern of the instruction. */
// biome-ignore format: a table
const FLAGS: readonly (readonly [instruction: RegExp, flags: readonly ValueFactKind[]])[] = [
  [/^(?:add|sub|mul|shl|trunc)(?= )/,               ["nuw", "nsw"]],
  [/^(?:sdiv|udiv|lshr|ashr)(?= )/,                 ["exact"]],
  [/^or(?= )/,                                      ["disjoint"]],
  [/^(?:zext|uitofp)(?= )/,                         ["nneg"]],
  [/^(?:fadd|fsub|fmul|fdiv|frem|fneg|fcmp)(?= )/,  ["nnan", "ninf"]],
  [/^call(?= (?:float|double) )/,                   ["nnan", "ninf"]],
];

/** Shifts without a mask, valid where the claim `count` holds. */
const UNMASKED: Readonly<Partial<Record<OpcodeName, string>>> = {
  Shl: "shl",
  SShr: "ashr",
  ZShr: "lshr",
};
const PLAIN_CONVERSIONS: Readonly<Partial<Record<OpcodeName, string>>> = {
  TruncS32: "fptosi $T $0 to i32",
  TruncU32: "fptoui $T $0 to i32",
  TruncS64: "fptosi $T $0 to i64",
  TruncU64: "fptoui $T $0 to i64",
};

export class FactText {
  private readonly facts: ProcedureFacts;
  private readonly metadata: MetadataNodes;
  /** By access: the alias scope that contains only this access. */
  private readonly scopes = new Map<Value, string>();
  private domain: string | null = null;

  constructor(facts: ProcedureFacts, metadata: MetadataNodes) {
    this.facts = facts;
    this.metadata = metadata;
  }

  get addressing(): typeof PLAIN_ADDRESSING {
    return this.facts.states("inbounds") ? KNOWN_ADDRESSING : PLAIN_ADDRESSING;
  }

  /** Returns the attributes of the function, each followed by a space. */
  get attributes(): string {
    const effect = this.facts.memoryEffect;
    return effect === "any" ? "" : `memory(${effect}) nosync willreturn `;
  }

  /** Writes the assumptions after the phis of the block. */
  beginBlock(text: FunctionText, { id, values }: BasicBlock): void {
    if (this.facts.isUnreachable(values, id)) text.line("call void @llvm.assume(i1 false)");
  }

  /** Returns the attribute that follows a parameter's type. */
  ofParameter(parameter: Value): string {
    const range = this.facts.rangeOf("range", parameter);
    const type = LLVM_TYPES[parameter.type];
    return range === null ? "" : ` range(${type} ${boundsOf(parameter, range).join(", ")})`;
  }

  /** Returns the attribute that precedes the result type of the procedure. */
  ofResult({ blocks }: Procedure): string {
    const returns = blocks.map(({ last }) => last).filter(({ opcode }) => opcode === Op.Return);
    const range = this.facts.rangeOfResults(returns);
    const result = returns[0]?.a ?? null;
    if (range === null || result === null) return "";
    return `range(${LLVM_TYPES[result.type]} ${boundsOf(result, range).join(", ")}) `;
  }

  /** Returns the instructions of a value's row, with the flags that hold. */
  stepsOf(value: Value, row: readonly string[]): readonly string[] {
    return this.shorter(value, row).map((step) => this.flagged(value, step));
  }

  ofBranch(branch: Value): string {
    const ways = this.facts.branchCountsOf(branch);
    if (ways === null) return "";
    const weights = `!{!"branch_weights", i32 ${ways.taken}, i32 ${ways.missed}}`;
    return `, !prof ${this.metadata.add(weights)}`;
  }

  ofCall(call: Value): string {
    return call.host === null ? "" : this.rangeMetadata(call);
  }

  ofLoad(load: Value): string {
    return this.rangeMetadata(load);
  }

  ofAccess(access: Value): string {
    const align = `align ${this.facts.alignmentOf(access)}`;
    return `${align}${this.classOf(access)}${this.scopesOf(access)}`;
  }

  /** Writes the assumption that a value is in its range. */
  assume(text: FunctionText, value: Value, name: string): void {
    const range = this.facts.rangeOf("assume", value);
    if (range === null || !isInteger(value.type)) return;
    const type = LLVM_TYPES[value.type];
    const [first] = boundsOf(value, range);
    let isIn: string;
    if (range.span === 0n) isIn = text.named(`icmp eq ${type} ${name}, ${first}`);
    else {
      const distance = text.named(`sub ${type} ${name}, ${first}`);
      isIn = text.named(`icmp ule ${type} ${distance}, ${range.span}`);
    }
    text.line(`call void @llvm.assume(i1 ${isIn})`);
  }

  /** Writes the assumption that a comparison has a constant result. */
  assumeSame(text: FunctionText, value: Value): void {
    if (!isBoolean(value)) return;
    if (this.facts.rangeOf("assume", value)?.span === 0n) this.assume(text, value, `%v${value.id}`);
  }

  private shorter(value: Value, row: readonly string[]): readonly string[] {
    const name = nameOfOpcode(value.opcode);
    const shift = UNMASKED[name];
    if (shift !== undefined && this.facts.claims("count", value)) {
      if (!isWide(value.type)) return [`${shift} i32 $0, $1`];
      return ["%n = zext i32 $1 to i64", `${shift} i64 $0, %n`];
    }
    const conversion = PLAIN_CONVERSIONS[name];
    if (conversion === undefined || !this.facts.claims("in-range", value)) return row;
    return [conversion.replace("$T", value.a?.type === Float ? "float" : "double")];
  }

  private flagged(value: Value, step: string): string {
    const [, name = "", instruction = step] = /^(%\w+ = )(.*)$/.exec(step) ?? [];
    for (const [pattern, claims] of FLAGS) {
      const flags = claims.filter((claim) => this.facts.claims(claim, value));
      if (flags.length > 0 && pattern.test(instruction)) {
        return name + instruction.replace(pattern, (word) => `${word} ${flags.join(" ")}`);
      }
    }
    return step;
  }

  private rangeMetadata(value: Value): string {
    const range = this.facts.rangeOf("range", value);
    if (range === null || !isInteger(value.type)) return "";
    const type = LLVM_TYPES[value.type];
    const [first, end] = boundsOf(value, range);
    return `, !range ${this.metadata.add(`!{${type} ${first}, ${type} ${end}}`)}`;
  }

  /**
   * Returns the type-based alias tag of an access. Each class is a scalar type of its own below a
   * common root.
   */
  private classOf(access: Value): string {
    const memoryClass = this.facts.memoryClassOf(access);
    if (memoryClass === null) return "";
    const root = this.metadata.add('!{!"memory"}');
    const type = this.metadata.add(`!{!"class ${memoryClass}", ${root}, i64 0}`);
    return `, !tbaa ${this.metadata.add(`!{${type}, ${type}, i64 0}`)}`;
  }

  private scopesOf(access: Value): string {
    const apart = this.facts.disjointFrom(access);
    if (apart.length === 0) return "";
    const scopes = apart.map((other) => this.scopeOf(other));
    const others = this.metadata.add(`!{${scopes.join(", ")}}`);
    const own = this.metadata.add(`!{${this.scopeOf(access)}}`);
    return `, !alias.scope ${own}, !noalias ${others}`;
  }

  private scopeOf(access: Value): string {
    const known = this.scopes.get(access);
    if (known !== undefined) return known;
    this.domain ??= this.metadata.add("distinct !{$}");
    const scope = this.metadata.add(`distinct !{$, ${this.domain}}`);
    this.scopes.set(access, scope);
    return scope;
  }
}

/**
 * Returns the half-open range as signed numbers of the type: the first number, and the number after
 * the last.
 */
function boundsOf({ type }: Value, { first, span }: UnsignedRange): readonly [bigint, bigint] {
  const width = isWide(type) ? 64 : 32;
  return [BigInt.asIntN(width, first), BigInt.asIntN(width, first + span + 1n)];
}
