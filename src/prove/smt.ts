// SMT-LIB 2.6 as text: what a solver reads, and what a proof is remembered by.
//
// Terms are strings. Whatever is used more than once gets a name, so that a query is as long as the
// expression has nodes.

/** A term of the solver's language. */
export type Term = string;
export type Sort = string;

export const BOOL: Sort = "Bool";
export const bitsOf = (width: number): Sort => `(_ BitVec ${width})`;

/** `(head a b ...)`. */
export const apply = (head: string, ...operands: readonly Term[]): Term =>
  `(${head} ${operands.join(" ")})`;

/** A constant of `width` bits; the value is taken modulo 2^width. */
export function bits(width: number, value: bigint | number): Term {
  const digits = BigInt.asUintN(width, BigInt(value))
    .toString(16)
    .padStart(width / 4, "0");
  return `#x${digits}`;
}

export const extract = (high: number, low: number, term: Term): Term =>
  apply(`(_ extract ${high} ${low})`, term);
export const zeroExtend = (count: number, term: Term): Term =>
  apply(`(_ zero_extend ${count})`, term);
export const signExtend = (count: number, term: Term): Term =>
  apply(`(_ sign_extend ${count})`, term);
export const not = (claim: Term): Term => apply("not", claim);
export const equal = (x: Term, y: Term): Term => apply("=", x, y);
export const choose = (claim: Term, x: Term, y: Term): Term => apply("ite", claim, x, y);

export function all(claims: readonly Term[]): Term {
  if (claims.length === 0) return "true";
  return claims.length === 1 ? claims[0] : apply("and", ...claims);
}

export function any(claims: readonly Term[]): Term {
  if (claims.length === 0) return "false";
  return claims.length === 1 ? claims[0] : apply("or", ...claims);
}

/** A query in the making: declarations, names for terms, assertions, in the order in which they came. */
export class Query {
  private readonly lines: string[] = [];
  private names = 0;
  /** What has a name; null if equal terms get a name each. */
  private readonly known: Map<string, Term> | null;

  /** @param shares equal terms have one name: then what is computed alike is the same by its name */
  constructor(shares = false) {
    this.known = shares ? new Map() : null;
  }

  /** What `make` gives, or, where terms are shared, gave for the same key. */
  once(key: string, make: () => Term): Term {
    const term = this.known?.get(key) ?? make();
    this.known?.set(key, term);
    return term;
  }

  declare(name: string, sort: Sort): Term {
    this.lines.push(`(declare-const ${name} ${sort})`);
    return name;
  }

  declareFunction(name: string, from: Sort, to: Sort): void {
    const line = `(declare-fun ${name} (${from}) ${to})`;
    if (!this.lines.includes(line)) this.lines.push(line);
  }

  /** Another name for a term, so that it is written once. */
  name(sort: Sort, term: Term): Term {
    if (!term.startsWith("(")) return term;
    return this.once(`${sort} ${term}`, () => {
      const name = `t${this.names++}`;
      this.lines.push(`(define-fun ${name} () ${sort} ${term})`);
      return name;
    });
  }

  assert(claim: Term): void {
    this.lines.push(`(assert ${claim})`);
  }

  /** All of it, without the question. */
  get text(): string {
    return `${this.lines.join("\n")}\n`;
  }
}
