// Writes SMT-LIB 2.6. The text is the solver's input, and its hash identifies a stored proof.
//
// Terms are strings. A term that is used more than once gets a name, so that the length of a query
// is linear in the number of nodes.

/** A term of the solver's language. */
export type SmtTerm = string;
export type SmtSort = string;

export const BOOL: SmtSort = "Bool";
export const bitsOf = (width: number): SmtSort => `(_ BitVec ${width})`;

/** Returns the application of a function as SMT-LIB text: `(head a b ...)`. */
export const apply = (head: string, ...operands: readonly SmtTerm[]): SmtTerm =>
  `(${head} ${operands.join(" ")})`;

/** Returns a constant of `width` bits; the value is taken modulo 2^width. */
export function bits(width: number, value: bigint | number): SmtTerm {
  const unsigned = BigInt.asUintN(width, BigInt(value));
  return width % 4 === 0
    ? `#x${unsigned.toString(16).padStart(width / 4, "0")}`
    : `#b${unsigned.toString(2).padStart(width, "0")}`;
}

export const extract = (high: number, low: number, term: SmtTerm): SmtTerm =>
  apply(`(_ extract ${high} ${low})`, term);
export const zeroExtend = (count: number, term: SmtTerm): SmtTerm =>
  apply(`(_ zero_extend ${count})`, term);
export const signExtend = (count: number, term: SmtTerm): SmtTerm =>
  apply(`(_ sign_extend ${count})`, term);
export const not = (claim: SmtTerm): SmtTerm => apply("not", claim);
export const equal = (x: SmtTerm, y: SmtTerm): SmtTerm => apply("=", x, y);
export const choose = (claim: SmtTerm, x: SmtTerm, y: SmtTerm): SmtTerm =>
  apply("ite", claim, x, y);

export function all(claims: readonly SmtTerm[]): SmtTerm {
  if (claims.length === 0) return "true";
  return claims.length === 1 ? claims[0] : apply("and", ...claims);
}

export function any(claims: readonly SmtTerm[]): SmtTerm {
  if (claims.length === 0) return "false";
  return claims.length === 1 ? claims[0] : apply("or", ...claims);
}

/** A query under construction: declarations, names for terms and assertions, in order. */
export class SmtQuery {
  private readonly lines: string[] = [];
  private names = 0;
  /** The named terms; null if equal terms get separate names. */
  private readonly known: Map<string, SmtTerm> | null;

  /**
   * @param shares whether equal terms share one name, so that equal computations have identical
   * terms
   */
  constructor(shares = false) {
    this.known = shares ? new Map() : null;
  }

  /** Returns the result of `make`; if terms are shared, the earlier result for the same key. */
  once(key: string, make: () => SmtTerm): SmtTerm {
    const term = this.known?.get(key) ?? make();
    this.known?.set(key, term);
    return term;
  }

  declare(name: string, sort: SmtSort): SmtTerm {
    this.lines.push(`(declare-const ${name} ${sort})`);
    return name;
  }

  declareFunction(name: string, from: SmtSort, to: SmtSort): void {
    const line = `(declare-fun ${name} (${from}) ${to})`;
    if (!this.lines.includes(line)) this.lines.push(line);
  }

  /** Returns a name for a term, so that it is written once. */
  name(sort: SmtSort, term: SmtTerm): SmtTerm {
    if (!term.startsWith("(")) return term;
    return this.once(`${sort} ${term}`, () => {
      const name = `t${this.names++}`;
      this.lines.push(`(define-fun ${name} () ${sort} ${term})`);
      return name;
    });
  }

  assert(claim: SmtTerm): void {
    this.lines.push(`(assert ${claim})`);
  }

  /** Returns the text of the query, without `(check-sat)`. */
  get text(): string {
    return `${this.lines.join("\n")}\n`;
  }
}
