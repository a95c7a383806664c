// What a run of the optimizer carries from phase to phase: the rules, the counter of applications,
// arenas.

import type { Procedure, Value } from "../../src/ir/procedure.js";
import { Matcher } from "./match.js";
import type { Rule } from "./patterns.js";

/** One counted application: who, on which value of which procedure. */
export interface Application {
  /** Name of a rule, or of a phase that replaces without rules. */
  readonly by: string;
  readonly value: number;
  readonly procedure: string;
}

export class OptimizeContext {
  readonly matcher: Matcher;
  /** By index of a rule: not 0 if it must not fire. */
  readonly disabledRules: Uint8Array;
  /** By index of a rule: how often it fired. */
  readonly fired: Int32Array;
  /** So many optional applications have happened. */
  applications = 0;
  private readonly applicationsMax: number;
  private lastBy = "";
  private lastValue = -1;
  private lastProcedure = "";
  private readonly tables: Int32Array[] = [];
  private procedureName = "";

  constructor(rules: readonly Rule[], applicationsMax: number, disabled: ReadonlySet<string>) {
    this.matcher = matcherOf(rules);
    this.applicationsMax = applicationsMax;
    this.disabledRules = Uint8Array.from(rules, (rule) => (disabled.has(rule.name) ? 1 : 0));
    this.fired = new Int32Array(rules.length);
  }

  /** Says which procedure the next applications are in. */
  enter(proc: Procedure): void {
    this.procedureName = proc.name;
  }

  /**
   * Asks to apply something once. If it says true the caller must do it, and the program must be
   * valid before and after; false means that the limit is reached.
   */
  claim(by: string, value: Value): boolean {
    if (this.applications >= this.applicationsMax) return false;
    this.applications++;
    this.lastBy = by;
    this.lastValue = value.id;
    this.lastProcedure = this.procedureName;
    return true;
  }

  get last(): Application | null {
    if (this.applications === 0) return null;
    return { by: this.lastBy, value: this.lastValue, procedure: this.lastProcedure };
  }

  /**
   * A table of zeroes, reused by the next phase that asks for the same `which`.
   * @param which a small number, distinct for tables in use at one time
   */
  table(which: number, length: number): Int32Array {
    const old = this.tables[which];
    if (old !== undefined && old.length >= length) {
      old.fill(0, 0, length);
      return old;
    }
    const fresh = new Int32Array(Math.max(256, 2 * length));
    this.tables[which] = fresh;
    return fresh;
  }
}

// Rules are compiled once for each table of them, not once for each program.
const matchers = new WeakMap<readonly Rule[], Matcher>();

function matcherOf(rules: readonly Rule[]): Matcher {
  const known = matchers.get(rules);
  if (known !== undefined) return known;
  const matcher = new Matcher(rules);
  matchers.set(rules, matcher);
  return matcher;
}
