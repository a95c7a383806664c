// Defines facts that hold in every execution that will run, although the language does not
// guarantee them. An exporter states facts so that a compiler can use them. The caller observes the
// executions and records the facts. The exported program then runs on no other input, so each
// stated fact is true.

import { nameOfOpcode, type OpcodeName } from "../ir/opcodes.js";
import type { Module, Procedure, Value } from "../ir/procedure.js";

/** The kinds of facts, with LLVM's names where they exist, and their meanings. */
// biome-ignore format: a table
const FACTS = {
  nsw:         "the signed result of a sum, difference, product, shift or truncation is exact",
  nuw:         "the unsigned result is exact",
  exact:       "a division has no remainder, or a right shift loses no set bit",
  disjoint:    "the operands of an or have no set bit in common",
  nneg:        "the operand of an extension or an unsigned conversion is not negative",
  nnan:        "neither operand nor result is a NaN",
  ninf:        "neither operand nor result is an infinity",
  "in-range":  "the operand of a conversion from float is in the range of the integer type",
  count:       "the count of a shift is less than the width",
  range:       "a parameter or the result of a load, host function or procedure is between two numbers",
  assume:      "a Phi is between two numbers; a comparison always has the same result",
  unreachable: "a block is never executed",
  prof:        "how often a branch went to each successor",
  align:       "an address is a multiple of 2, 4 or 8",
  inbounds:    "an address is in the heap, or in its slot, and is computed without overflow",
  noalias:     "two loads or stores of the heap touch no common byte",
  memory:      "a procedure returns without side effects, or only reads the heap",
  tbaa:        "loads and stores of the heap in two different classes touch no common byte, in all procedures",
} as const;
export type FactKind = keyof typeof FACTS;
// The keys of FACTS are the kinds.
export const FACT_KINDS = Object.keys(FACTS) as readonly FactKind[];

/** Facts about one executed value; other facts concern blocks, branches, accesses or procedures. */
export type ValueFactKind = Extract<
  FactKind,
  "nsw" | "nuw" | "exact" | "disjoint" | "nneg" | "nnan" | "ninf" | "in-range" | "count"
>;

const WRAPS = ["nsw", "nuw"] as const;
const NUMBERS = ["nnan", "ninf"] as const;
const CONVERTS = ["in-range"] as const;

/** The claims that are observed for each opcode. An opcode without an entry has no claims. */
// biome-ignore format: a table
export const CLAIMS: Readonly<Partial<Record<OpcodeName, readonly ValueFactKind[]>>> = {
  Add: [...WRAPS, ...NUMBERS], Sub: [...WRAPS, ...NUMBERS], Mul: [...WRAPS, ...NUMBERS], Neg: [...WRAPS, ...NUMBERS],
  Trunc: WRAPS,
  Div: ["exact", ...NUMBERS], Mod: NUMBERS, UDiv: ["exact"],
  Shl: [...WRAPS, "count"], SShr: ["exact", "count"], ZShr: ["exact", "count"],
  BitOr: ["disjoint"],
  ZExt32: ["nneg"], UToD: ["nneg"], UToF: ["nneg"],
  TruncS32: CONVERTS, TruncU32: CONVERTS, TruncS64: CONVERTS, TruncU64: CONVERTS,
  Abs: NUMBERS, Ceil: NUMBERS, Sqrt: NUMBERS, Floor: NUMBERS, FTrunc: NUMBERS, Nearest: NUMBERS,
  FMin: NUMBERS, FMax: NUMBERS, CopySign: NUMBERS, FusedMulAdd: NUMBERS,
  Equal: NUMBERS, NotEqual: NUMBERS, LessThan: NUMBERS, GreaterThan: NUMBERS,
  LessEqual: NUMBERS, GreaterEqual: NUMBERS, EqualOrUnordered: NUMBERS,
};

/** The unsigned range of a value: `first` to `first + span`, inclusive. */
export interface UnsignedRange {
  readonly first: bigint;
  readonly span: bigint;
}

/** The half-open range of bytes that an access touches in all executions. */
export interface TouchedBytes {
  readonly from: number;
  readonly end: number;
}

/** The memory effects of a procedure's activations, including their callees. */
export type MemoryEffect = "none" | "read" | "any";

/** The observed facts of one procedure of an expanded module, by value id. */
export interface ObservedFacts {
  /** The number of activations of the procedure. */
  readonly entered: number;
  /**
   * The number of executions of each value. Ids beyond the length belong to values that were not
   * observed.
   */
  readonly executed: { readonly length: number; readonly [id: number]: number };
  /** Whether the claim held in every execution. */
  readonly holds: (claim: ValueFactKind, id: number) => boolean;
  /**
   * Returns the range of a value; null for one that is no integer, has open bits or was never
   * executed.
   */
  readonly range: (id: number) => UnsignedRange | null;
  /** The alignment of a load or store: the greatest of 1, 2, 4 and 8 that divides each address. */
  readonly alignment: (id: number) => number;
  /**
   * The bytes of the heap that a load or store touches; null if it accesses a slot or was never
   * executed.
   */
  readonly touched: (id: number) => TouchedBytes | null;
  /**
   * The memory class of a load or store of the heap; null for other values. Accesses of all
   * procedures that touch a common byte are in one class, and the relation is transitive.
   */
  readonly memoryClass: (id: number) => number | null;
  readonly memoryEffect: MemoryEffect;
  /** The number of times that a Branch went to its first successor. */
  readonly taken: (id: number) => number;
}

/** The number of times that a branch went to its first and to its second successor. */
interface BranchCounts {
  readonly taken: number;
  readonly missed: number;
}

/** The kinds that an exporter states, and the source of the facts. */
export interface StatedFacts {
  readonly kinds: ReadonlySet<FactKind>;
  /**
   * Returns the facts by position of the procedure in the expanded module. If it returns null, the
   * exporter states nothing.
   */
  readonly observe: (expanded: Module) => readonly ObservedFacts[] | null;
}

/** The greatest span of a stated range; wider ranges help a compiler little. */
const SPAN_MAX = 1n << 16n;
/** One in this many never-executed blocks is stated as unreachable; the others keep their code. */
const UNREACHABLE_SHARE = 4;

export class ProcedureFacts {
  private readonly kinds: ReadonlySet<FactKind>;
  private readonly seen: ObservedFacts;
  private readonly noalias: ReadonlyMap<Value, readonly Value[]>;

  /** @param proc the expanded procedure, before its guards become branches */
  constructor(proc: Procedure, kinds: ReadonlySet<FactKind>, seen: ObservedFacts) {
    this.kinds = kinds;
    this.seen = seen;
    this.noalias = kinds.has("noalias") ? disjointAccesses(proc, seen) : new Map();
  }

  states(kind: FactKind): boolean {
    return this.kinds.has(kind);
  }

  claims(claim: ValueFactKind, { opcode, id }: Value): boolean {
    if (!this.kinds.has(claim) || id >= this.seen.executed.length) return false;
    return CLAIMS[nameOfOpcode(opcode)]?.includes(claim) === true && this.seen.holds(claim, id);
  }

  /** Returns null if the range is unknown or too wide. */
  rangeOf(kind: "range" | "assume", { id }: Value): UnsignedRange | null {
    if (!this.kinds.has(kind) || id >= this.seen.executed.length) return null;
    const range = this.seen.range(id);
    return range === null || range.span > SPAN_MAX ? null : range;
  }

  /**
   * Returns the range of the procedure's results; null if it is unknown or too wide. The given
   * Returns must be all Returns of the procedure.
   */
  rangeOfResults(returns: readonly Value[]): UnsignedRange | null {
    if (!this.kinds.has("range")) return null;
    const { executed } = this.seen;
    const seen = returns.filter(({ id }) => id < executed.length && executed[id] > 0);
    // An activation that exits returns the result of its continuation, which is not observed here.
    if (seen.reduce((sum, { id }) => sum + executed[id], 0) !== this.seen.entered) return null;
    const ranges = seen.flatMap(({ id }) => this.seen.range(id) ?? []);
    if (ranges.length === 0 || ranges.length < seen.length) return null;
    const first = ranges.map((one) => one.first).reduce((x, y) => (x < y ? x : y));
    const last = ranges.map((one) => one.first + one.span).reduce((x, y) => (x > y ? x : y));
    return last - first > SPAN_MAX ? null : { first, span: last - first };
  }

  alignmentOf({ id }: Value): number {
    return this.kinds.has("align") && id < this.seen.executed.length ? this.seen.alignment(id) : 1;
  }

  /** Returns the loads and stores of the heap that touch no byte of this access. */
  disjointFrom(access: Value): readonly Value[] {
    return this.noalias.get(access) ?? [];
  }

  /** Returns the observed memory effect; "any" if it is unknown. */
  get memoryEffect(): MemoryEffect {
    return this.kinds.has("memory") ? this.seen.memoryEffect : "any";
  }

  /** Returns null if the counts are unknown or the branch was never executed. */
  branchCountsOf({ id }: Value): BranchCounts | null {
    const executed = id < this.seen.executed.length ? this.seen.executed[id] : 0;
    if (!this.kinds.has("prof") || executed <= 0) return null;
    const taken = this.seen.taken(id);
    return { taken, missed: executed - taken };
  }

  /** Returns the memory class of an access; null if it is unknown. */
  memoryClassOf({ id }: Value): number | null {
    return this.kinds.has("tbaa") && id < this.seen.executed.length
      ? this.seen.memoryClass(id)
      : null;
  }

  /** Returns whether the first observed value of a block was never executed. */
  isUnreachable(values: readonly Value[], blockId: number): boolean {
    if (!this.kinds.has("unreachable") || blockId % UNREACHABLE_SHARE !== 0) return false;
    const { executed } = this.seen;
    const first = values.find(({ id }) => id < executed.length && executed[id] !== NOT_OBSERVED);
    return first !== undefined && executed[first.id] === 0;
  }
}

/** A count in `executed` for constants and for values that are not instructions. */
export const NOT_OBSERVED = -1;

/** The most accesses that are compared; the number of pairs grows quadratically. */
const ACCESSES_MAX = 24;

function disjointAccesses(proc: Procedure, seen: ObservedFacts): Map<Value, readonly Value[]> {
  const accesses: { readonly value: Value; readonly at: TouchedBytes }[] = [];
  proc.forEachValue((value) => {
    const at = seen.touched(value.id);
    if (at !== null && accesses.length < ACCESSES_MAX) accesses.push({ value, at });
  });
  return new Map(
    accesses.map(({ value, at }) => [
      value,
      accesses.flatMap((other) =>
        other.at.end <= at.from || at.end <= other.at.from ? [other.value] : [],
      ),
    ]),
  );
}

const BOOLEAN_OPCODES =
  /^(?:\w*Equal|EqualOrUnordered|LessThan|GreaterThan|Above|Below|\w+Overflows|AddCarries)$/;

/** Returns whether the result of the value is always 1 or 0. */
export const isBoolean = ({ opcode }: Value): boolean => BOOLEAN_OPCODES.test(nameOfOpcode(opcode));
