// Executes lowered code for the solver: LIR over virtual registers, before allocation.

import { arm64Rows } from "../../../reference/arm64/meanings.js";
import { type Lir, outgoingOf, vregOf } from "../../../reference/lir/lir.js";
import type { LoweringPlan } from "../../../reference/target/plan.js";
import type { TargetName } from "../../../reference/target/target.js";
import { x64Rows } from "../../../reference/x64/meanings.js";
import type { Procedure } from "../../ir/procedure.js";
import { Int64, type Type } from "../../ir/types.js";
import { wideBits } from "../../ir/words.js";
import { assert } from "../../support/assert.js";
import { all, apply, bits, bitsOf, equal, not, type SmtQuery, type SmtTerm } from "../smt.js";
import { UnknownToSolver } from "../symbolic-meanings.js";
import { integer, literal, type SymbolicValue } from "../symbolic-value.js";
import { cellOf, LirSite, lowOf, type SymbolicCell, valueIn } from "./lir-site.js";
import { SYMBOLIC, type SymbolicDomain } from "./symbolic-algebra.js";
import type { SymbolicEnding } from "./symbolic-ending.js";
import { SymbolicMemory } from "./symbolic-memory.js";

/** The symbolic meaning of each LIR row, by target. */
const MEANINGS: { readonly [T in TargetName]: ReadonlyMap<string, SymbolicDomain["effect"]> } = {
  x64: new Map(x64Rows(SYMBOLIC)),
  arm64: new Map(arm64Rows(SYMBOLIC)),
};

interface LirPath {
  readonly claims: readonly SmtTerm[];
  /** The contents of each virtual register. */
  readonly cells: Map<number, SymbolicCell>;
  readonly memory: SymbolicMemory;
}

export class SymbolicLir {
  private readonly query: SmtQuery;
  private readonly lir: Lir;
  private readonly plan: LoweringPlan;
  private readonly proc: Procedure;
  private inputs: readonly SymbolicValue[] = [];
  /** Conditions under which the code faults or accesses a missing byte. */
  readonly faults: SmtTerm[] = [];

  constructor(query: SmtQuery, lir: Lir, plan: LoweringPlan, proc: Procedure) {
    this.query = query;
    this.lir = lir;
    this.plan = plan;
    this.proc = proc;
  }

  /**
   * Executes the LIR symbolically; returns how it ends.
   * @param inputs the values of the parameters, in order
   */
  run(inputs: readonly SymbolicValue[]): SymbolicEnding {
    this.inputs = inputs;
    return this.block(0, [], new Map(), new SymbolicMemory(this.query, () => {}));
  }

  private block(
    b: number,
    claims: readonly SmtTerm[],
    cells: ReadonlyMap<number, SymbolicCell>,
    memory: SymbolicMemory,
  ): SymbolicEnding {
    const fault = (claim: SmtTerm): void => this.fault(claims, claim);
    const path = { claims, cells: new Map(cells), memory: memory.reporting(fault) };
    return this.from(b, this.lir.blockStart[b], path);
  }

  private fault(claims: readonly SmtTerm[], claim: SmtTerm): void {
    this.faults.push(all([...claims, claim]));
  }

  /** Executes from instruction i of block b on. */
  private from(b: number, i: number, path: LirPath): SymbolicEnding {
    const { lir, plan, query } = this;
    const name = plan.rows[lir.opcode[i]].name;
    const operands = this.operandsOf(i);
    if (name === "return") {
      const result = this.proc.result;
      const value = operands.length === 0 ? null : valueIn(this.cell(operands[0], path), result);
      return { kind: "return", value, memory: path.memory };
    }
    if (name === "entry") this.enter(operands, path);
    if (name === "entry") return this.from(b, i + 1, path);
    if (name === "oops") return this.oops(path);
    const site = new LirSite({
      query,
      lo: lir.immLo[i],
      hi: lir.immHi[i],
      cells: operands.map((vreg) => path.cells.get(vreg) ?? null),
      memory: path.memory,
    });
    if (name === "switchl" || name === "switchq") site.branches = this.keysOf(i, site, name);
    else this.meaningOf(name)(site);
    for (const claim of site.faults) this.fault(path.claims, claim);
    if (site.defined !== null) path.cells.set(operands[0], site.defined);
    const after = { ...path, memory: site.memory };
    if (site.branches !== null) return this.goTo(b, 0, site.branches, after);
    return site.exits === "false"
      ? this.from(b, i + 1, after)
      : this.choice(b, i, site.exits, after);
  }

  private meaningOf(name: string): (site: LirSite) => void {
    const meaning = MEANINGS[this.plan.target.name].get(name);
    if (meaning === undefined) throw new UnknownToSolver(`${name} has no meaning here`);
    return meaning;
  }

  private operandsOf(i: number): number[] {
    const { operandStart, operand } = this.lir;
    return Array.from(operand.subarray(operandStart[i], operandStart[i + 1]), vregOf);
  }

  private cell(vreg: number, { cells }: LirPath): SymbolicCell {
    const cell = cells.get(vreg);
    assert(cell !== undefined, () => `v${vreg} is read before its definition`);
    return cell;
  }

  /** Defines parameters in their registers; above 32 bits they are arbitrary. */
  private enter(operands: readonly number[], { cells }: LirPath): void {
    for (const vreg of operands) {
      const at = this.proc.parameters.findIndex(({ id }) => id === this.lir.vregValue[vreg]);
      assert(at >= 0, () => `expected v${vreg} to be a parameter`);
      const key = `above ${at}`;
      const above = this.query.once(key, () => this.query.declare(`above${at}`, bitsOf(32)));
      cells.set(vreg, cellOf(this.inputs[at], above));
    }
  }

  private oops({ claims }: LirPath): SymbolicEnding {
    this.fault(claims, "true");
    return { kind: "oops" };
  }

  private keysOf(i: number, site: LirSite, name: string): SmtTerm[] {
    const { lo, hi } = this.lir.switches[this.lir.immLo[i]];
    return lo.map((low, k) =>
      name === "switchl"
        ? equal(site.low(0), bits(32, low))
        : equal(site.wide(0), bits(64, wideBits(low, hi[k]))),
    );
  }

  private goTo(b: number, k: number, claims: readonly SmtTerm[], path: LirPath): SymbolicEnding {
    const { lir } = this;
    if (k === claims.length) {
      const next = lir.successors[lir.successorStart[b] + k];
      return this.block(next, path.claims, this.moved(b, next, path.cells), path.memory);
    }
    const successor = lir.successors[lir.successorStart[b] + k];
    const claim = claims[k];
    const whenTrue = this.block(successor, [...path.claims, claim], path.cells, path.memory);
    const other = { ...path, claims: [...path.claims, not(claim)] };
    return { kind: "choice", claim, whenTrue, whenFalse: this.goTo(b, k + 1, claims, other) };
  }

  /** Returns the cells after the Phi moves at the end of block b. */
  private moved(
    b: number,
    next: number,
    cells: ReadonlyMap<number, SymbolicCell>,
  ): Map<number, SymbolicCell> {
    const { phiStart, phis, phiInputStart, phiInputs } = this.lir;
    const after = new Map(cells);
    const count = phiInputStart[b + 1] - phiInputStart[b];
    for (let k = 0; k < count; k++) {
      const cell = cells.get(phiInputs[phiInputStart[b] + k]);
      assert(cell !== undefined, () => "the input of a Phi is not defined");
      after.set(phis[phiStart[next] + k], cell);
    }
    return after;
  }

  private choice(b: number, i: number, exits: SmtTerm, path: LirPath): SymbolicEnding {
    const { lir } = this;
    const guard = lir.guards[lir.guard[i]];
    const leaves = guard.leaves.map((leaf, k) => {
      const operand = guard.operands[k];
      if (outgoingOf(operand) >= 0) throw new UnknownToSolver("a stack argument of an exit");
      if (operand < 0) return literal(this.query, leaf.type, leaf.constantLow, leaf.constantHigh);
      return this.leaf(operand, leaf.type, path);
    });
    const rest = { ...path, claims: [...path.claims, not(exits)] };
    return {
      kind: "choice",
      claim: exits,
      whenTrue: { kind: "exit", id: guard.snapshot.id, leaves, memory: path.memory },
      whenFalse: this.from(b, i + 1, rest),
    };
  }

  /**
   * Returns the value that an exit finds in a register, or in two registers for a value in halves.
   */
  private leaf(operand: number, type: Type, path: LirPath): SymbolicValue {
    const { lir } = this;
    const vreg = vregOf(lir.operand[operand]);
    const low = this.cell(vreg, path);
    const isInHalves = type === Int64 && lir.typeOf(vreg) !== Int64;
    if (!isInHalves) return valueIn(low, type);
    const high = this.cell(vregOf(lir.operand[operand + 1]), path);
    return integer(Int64, apply("concat", lowOf(high), lowOf(low)));
  }
}
