// Facts that hold in every execution that will be run, though the language does not promise them: an exporter may
// state them, so that a compiler uses them. Who knows the executions says which hold; a program runs on no other
// input afterwards, so nothing that is stated is ever false.

import { nameOfOpcode, type OpcodeName } from "../ir/opcodes.js";
import type { Module, Procedure, Value } from "../ir/procedure.js";

/** What can be stated, in the words of LLVM where it has one, and what is true then. */
// biome-ignore format: a table
const FACTS = {
  nsw:         "the signed result of a sum, difference, product, shift or truncation is exact",
  nuw:         "the unsigned result is",
  exact:       "a division leaves no remainder, and a shift to the right loses no bit that is set",
  disjoint:    "the operands of an or have no bit in common",
  nneg:        "what is extended, or converted as unsigned, is not negative",
  nnan:        "neither operand nor result is a NaN",
  ninf:        "neither operand nor result is an infinity",
  "in-range":  "a float that becomes an integer lies in the range of that integer",
  count:       "the count of a shift is less than the width",
  range:       "a parameter, or what a load, a host function or a procedure gives, lies between two numbers",
  assume:      "a Phi lies between two numbers; a comparison gives always the same",
  unreachable: "a block is never executed",
  prof:        "how often a branch went each way",
  align:       "an address is a multiple of 2, 4 or 8",
  inbounds:    "an address lies in the heap, or in its slot, and is computed without overflow",
  noalias:     "two loads or stores of the heap access no byte both",
  memory:      "a procedure returns, and does nothing that others see, or reads the heap and nothing else",
  tbaa:        "loads and stores of the heap that are of two classes access no byte both, in all procedures",
} as const;
export type FactKind = keyof typeof FACTS;
// The cast is the border where the keys of a table become typed.
export const FACT_KINDS = Object.keys(FACTS) as readonly FactKind[];

/** Facts of one executed value; the others are of places. */
export type Claim = Extract<
  FactKind,
  "nsw" | "nuw" | "exact" | "disjoint" | "nneg" | "nnan" | "ninf" | "in-range" | "count"
>;

const WRAPS = ["nsw", "nuw"] as const;
const NUMBERS = ["nnan", "ninf"] as const;
const CONVERTS = ["in-range"] as const;

/** By opcode: what is looked at in each execution. What is not named here is never stated. */
// biome-ignore format: a table
export const CLAIMS: Readonly<Partial<Record<OpcodeName, readonly Claim[]>>> = {
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

/** The numbers that a value was, as numbers without sign behind `first`: at most `span` more. */
export interface Range {
  readonly first: bigint;
  readonly span: bigint;
}

/** Bytes that an access touched, in all executions: from the first to behind the last. */
export interface Touched {
  readonly from: number;
  readonly end: number;
}

/** What the activations of a procedure, and of those that it calls, do that others see. */
export type MemoryEffect = "none" | "read" | "any";

/** What was seen of one procedure of an expanded module, by value id. */
export interface SeenFacts {
  /** How often the procedure was entered. */
  readonly entered: number;
  /** How often the value was executed; ids beyond it belong to values that nobody looked at. */
  readonly executed: { readonly length: number; readonly [id: number]: number };
  /** Whether the claim was false of no execution. */
  readonly holds: (claim: Claim, id: number) => boolean;
  /** Null where it is not known: no integer, bits that are open, or never executed. */
  readonly range: (id: number) => Range | null;
  /** Of a load or store: the greatest of 1, 2, 4 and 8 that each address was a multiple of. */
  readonly alignment: (id: number) => number;
  /** Of a load or store of the heap; null where it accesses a slot, or was never executed. */
  readonly touched: (id: number) => Touched | null;
  /**
   * Of a load or store of the heap, null of any other value: the number of its class, which all have, of whatever
   * procedure, that touch a byte that it touches, or that one of these touches.
   */
  readonly memoryClass: (id: number) => number | null;
  readonly memoryEffect: MemoryEffect;
  /** Of a Branch: how often it went to its first successor. */
  readonly taken: (id: number) => number;
}

/** How often a branch went to its first successor, and to the other one. */
interface Ways {
  readonly taken: number;
  readonly missed: number;
}

/** Which kinds an exporter states, and how it learns what holds. */
export interface Stated {
  readonly kinds: ReadonlySet<FactKind>;
  /** By position of the procedure in the expanded module; null: nothing is known, so nothing is stated. */
  readonly see: (expanded: Module) => readonly SeenFacts[] | null;
}

/** A range is stated up to this span: wider ones tell a compiler little. */
const SPAN_MAX = 1n << 16n;
/** Of blocks that are never executed one in so many is said to be: the others keep their code. */
const UNREACHABLE_SHARE = 4;

/** What is stated of one procedure. */
export class ProcedureFacts {
  private readonly kinds: ReadonlySet<FactKind>;
  private readonly seen: SeenFacts;
  private readonly noalias: ReadonlyMap<Value, readonly Value[]>;

  /** @param proc expanded, before its guards became branches */
  constructor(proc: Procedure, kinds: ReadonlySet<FactKind>, seen: SeenFacts) {
    this.kinds = kinds;
    this.seen = seen;
    this.noalias = kinds.has("noalias") ? apartFrom(proc, seen) : new Map();
  }

  states(kind: FactKind): boolean {
    return this.kinds.has(kind);
  }

  claims(claim: Claim, { opcode, id }: Value): boolean {
    if (!this.kinds.has(claim) || id >= this.seen.executed.length) return false;
    return CLAIMS[nameOfOpcode(opcode)]?.includes(claim) === true && this.seen.holds(claim, id);
  }

  /** Null where it is not known, or wide. */
  rangeOf(kind: "range" | "assume", { id }: Value): Range | null {
    if (!this.kinds.has(kind) || id >= this.seen.executed.length) return null;
    const range = this.seen.range(id);
    return range === null || range.span > SPAN_MAX ? null : range;
  }

  /** Of what the Returns give, if they are all of a procedure; null where it is not known, or wide. */
  rangeOfResults(returns: readonly Value[]): Range | null {
    if (!this.kinds.has("range")) return null;
    const { executed } = this.seen;
    const seen = returns.filter(({ id }) => id < executed.length && executed[id] > 0);
    // By an exit it gives what its continuation gives.
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

  /** The loads and stores of the heap that access none of its bytes. */
  apartFrom(access: Value): readonly Value[] {
    return this.noalias.get(access) ?? [];
  }

  /** What it does; "any" where that is not known. */
  get memoryEffect(): MemoryEffect {
    return this.kinds.has("memory") ? this.seen.memoryEffect : "any";
  }

  /** Null where it is not known, or was never executed. */
  waysOf({ id }: Value): Ways | null {
    const executed = id < this.seen.executed.length ? this.seen.executed[id] : 0;
    if (!this.kinds.has("prof") || executed <= 0) return null;
    const taken = this.seen.taken(id);
    return { taken, missed: executed - taken };
  }

  /** The class of memory that an access belongs to; null where it is not known. */
  memoryClassOf({ id }: Value): number | null {
    return this.kinds.has("tbaa") && id < this.seen.executed.length
      ? this.seen.memoryClass(id)
      : null;
  }

  /** The first of these values was looked at, and was never executed. */
  isUnreachable(values: readonly Value[], blockId: number): boolean {
    if (!this.kinds.has("unreachable") || blockId % UNREACHABLE_SHARE !== 0) return false;
    const { executed } = this.seen;
    const first = values.find(({ id }) => id < executed.length && executed[id] !== NOT_LOOKED_AT);
    return first !== undefined && executed[first.id] === 0;
  }
}

/** In `executed`: constants, and what is no instruction, are not seen to be executed. */
export const NOT_LOOKED_AT = -1;

/** More accesses than these have too many pairs. */
const ACCESSES_MAX = 24;

function apartFrom(proc: Procedure, seen: SeenFacts): Map<Value, readonly Value[]> {
  const accesses: { readonly value: Value; readonly at: Touched }[] = [];
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

const TRUTHS =
  /^(?:\w*Equal|EqualOrUnordered|LessThan|GreaterThan|Above|Below|\w+Overflows|AddCarries)$/;

/** It gives 1 or 0. */
export const isTruth = ({ opcode }: Value): boolean => TRUTHS.test(nameOfOpcode(opcode));
