// Executes a procedure of the language for the solver, on all paths. The blocks must not contain
// loops.

import { EFFECTS, EXITS, nameOfOpcode, Op } from "../../ir/opcodes.js";
import { type BasicBlock, isAtomic, type Procedure, type Value } from "../../ir/procedure.js";
import { snapshotLeaves } from "../../ir/snapshot-leaves.js";
import { isInteger } from "../../ir/types.js";
import { assert } from "../../support/assert.js";
import { NO_HELP } from "../rule-query.js";
import { all, apply, bits, bitsOf, extract, not, type SmtQuery, type SmtTerm } from "../smt.js";
import {
  bytesOf,
  exchangedBytes,
  exchangeEffect,
  type GuardEffect,
  guardOf,
  isTrue,
  LOADS,
  loaded,
  STORES,
} from "../symbolic-effects.js";
import { operation, UnknownToSolver } from "../symbolic-meanings.js";
import {
  bitsOfFloat,
  floatOfBits,
  integer,
  integerOf,
  literal,
  type SymbolicValue,
  widthOf,
} from "../symbolic-value.js";
import type { SymbolicEnding } from "./symbolic-ending.js";
import { SymbolicMemory } from "./symbolic-memory.js";

export const addressOfSlot = (query: SmtQuery, id: number): SmtTerm =>
  query.once(`slot ${id}`, () => query.declare(`slot${id}`, bitsOf(64)));

/** The state of one path: its conditions, and the computed values. */
class ProcedurePath {
  readonly claims: readonly SmtTerm[];
  /** The computed values, and the value that was written last to each Phi. */
  readonly values: Map<Value, SymbolicValue>;
  memory: SymbolicMemory;

  constructor(
    claims: readonly SmtTerm[],
    values: ReadonlyMap<Value, SymbolicValue>,
    memory: SymbolicMemory,
  ) {
    this.claims = claims;
    this.values = new Map(values);
    this.memory = memory;
  }
}

export class SymbolicProcedure {
  private readonly query: SmtQuery;
  private readonly proc: Procedure;
  /** Conditions under which the execution is undefined, or observes an open NaN. */
  readonly forbidden: SmtTerm[] = [];

  constructor(query: SmtQuery, proc: Procedure) {
    this.query = query;
    this.proc = proc;
  }

  /**
   * Executes the procedure symbolically; returns how it ends.
   * @param inputs the values of the parameters, in order
   */
  run(inputs: readonly SymbolicValue[]): SymbolicEnding {
    const values = new Map(this.proc.parameters.map((value, i) => [value, inputs[i]]));
    const memory = new SymbolicMemory(this.query, () => {});
    return this.from(this.proc.blocks[0], 0, this.path([], values, memory));
  }

  private path(
    claims: readonly SmtTerm[],
    values: ReadonlyMap<Value, SymbolicValue>,
    memory: SymbolicMemory,
  ): ProcedurePath {
    const forbid = (claim: SmtTerm): void => this.forbid(claims, claim);
    return new ProcedurePath(claims, values, memory.reporting(forbid));
  }

  private forbid(claims: readonly SmtTerm[], claim: SmtTerm): void {
    this.forbidden.push(all([...claims, claim]));
  }

  /** Executes from value `start` of the block on. */
  private from(block: BasicBlock, start: number, path: ProcedurePath): SymbolicEnding {
    for (let i = start; i < block.values.length - 1; i++) {
      const value = block.values[i];
      const guarded = this.guarded(value, path);
      if (guarded !== null) return this.choice(guarded, block, i, path);
      this.execute(value, path);
    }
    return this.control(block, path);
  }

  private guarded(value: Value, path: ProcedurePath): GuardEffect | null {
    const isGuard = (EFFECTS[value.opcode] & EXITS) !== 0;
    if (!isGuard) return null;
    const name = nameOfOpcode(value.opcode);
    return guardOf(this.query, name, value.type, this.operandsOf(value, path));
  }

  /** Splits into the exit of a guard and the code after it. */
  private choice(
    { exits, value }: GuardEffect,
    block: BasicBlock,
    at: number,
    path: ProcedurePath,
  ): SymbolicEnding {
    const guard = block.values[at];
    const { snapshot } = guard;
    const leaves = snapshotLeaves(snapshot).map((leaf) => this.valueOf(leaf, path));
    const rest = this.path([...path.claims, not(exits)], path.values, path.memory);
    if (value !== null) rest.values.set(guard, value);
    return {
      kind: "choice",
      claim: exits,
      whenTrue: { kind: "exit", id: snapshot.id, leaves, memory: path.memory },
      whenFalse: this.from(block, at + 1, rest),
    };
  }

  private operandsOf({ a, b, c }: Value, path: ProcedurePath): SymbolicValue[] {
    return [a, b, c].flatMap((operand) => (operand === null ? [] : [this.valueOf(operand, path)]));
  }

  private valueOf(value: Value, path: ProcedurePath): SymbolicValue {
    if (value.isConstant)
      return literal(this.query, value.type, value.constantLow, value.constantHigh);
    if (value.opcode === Op.SlotBase)
      return integer(value.type, addressOfSlot(this.query, value.slot.id));
    const known = path.values.get(value);
    assert(known !== undefined, () => `@${value.id} is used before its definition`);
    return known;
  }

  private execute(value: Value, path: ProcedurePath): void {
    const { opcode } = value;
    if (opcode === Op.Phi || opcode === Op.SlotBase || opcode === Op.Nop || value.isConstant)
      return;
    if (opcode === Op.Fence) return;
    const operands = this.operandsOf(value, path);
    const name = nameOfOpcode(opcode);
    const read = READS_AS[name] ?? name;
    if (opcode === Op.Upsilon) path.values.set(value.phi, operands[0]);
    else if (read in LOADS) path.values.set(value, this.load(value, read, operands[0], path));
    else if (name in STORES) this.store(value, operands, path);
    else if (isAtomic(value)) this.exchange(value, operands, path);
    else path.values.set(value, this.pure(value, operands, path));
  }

  private address(access: Value, base: SymbolicValue): SmtTerm {
    return this.query.name(bitsOf(64), apply("bvadd", integerOf(base), bits(64, access.offset)));
  }

  private load(
    value: Value,
    name: string,
    base: SymbolicValue,
    path: ProcedurePath,
  ): SymbolicValue {
    const { query } = this;
    const address = this.address(value, base);
    if (isInteger(value.type))
      return loaded(LOADS[name], value.type, (count) => path.memory.read(address, count));
    return floatOfBits(query, value.type, path.memory.read(address, widthOf(value.type) / 8));
  }

  private store(value: Value, [stored, base]: readonly SymbolicValue[], path: ProcedurePath): void {
    const count = bytesOf(STORES[nameOfOpcode(value.opcode)], stored.type);
    const word = stored.kind === "integer" ? stored.bits : this.bitsOf(stored, path);
    const low = extract(8 * count - 1, 0, word);
    path.memory = path.memory.after(this.address(value, base), low, count);
  }

  private exchange(value: Value, operands: readonly SymbolicValue[], path: ProcedurePath): void {
    const name = nameOfOpcode(value.opcode);
    const count = exchangedBytes(name, operands[0].type);
    const address = this.address(value, operands[operands.length - 1]);
    const done = exchangeEffect(this.query, name, operands, path.memory.read(address, count));
    assert(done !== null, () => `${name} is not an atomic exchange`);
    path.memory = path.memory.after(address, done.written, count);
    path.values.set(value, done.result);
  }

  /** Returns the bits of a stored float. A path that stores an open NaN is not judged. */
  private bitsOf(value: Extract<SymbolicValue, { kind: "float" }>, path: ProcedurePath): SmtTerm {
    this.forbid(path.claims, value.isOpen);
    return bitsOfFloat(this.query, value);
  }

  private pure(
    value: Value,
    operands: readonly SymbolicValue[],
    path: ProcedurePath,
  ): SymbolicValue {
    return operation(value.opcode, {
      query: this.query,
      result: value.type,
      operands,
      wording: NO_HELP.wording,
      forbid: (claim) => this.forbid(path.claims, claim),
    });
  }

  private control(block: BasicBlock, path: ProcedurePath): SymbolicEnding {
    const { last, successors } = block;
    switch (last.opcode) {
      case Op.Return: {
        const value = last.a === null ? null : this.valueOf(last.a, path);
        return { kind: "return", value, memory: path.memory };
      }
      case Op.Jump:
        return this.from(successors[0], 0, path);
      case Op.Oops:
        this.forbid(path.claims, "true");
        return { kind: "oops" };
      case Op.Branch:
        return this.branch([isTrue(this.operandsOf(last, path)[0])], successors, path);
      case Op.Switch: {
        const key = this.operandsOf(last, path)[0];
        const { lo, hi } = last.cases;
        const claims = lo.map((word, k) =>
          apply("=", integerOf(key), integerOf(literal(this.query, key.type, word, hi[k]))),
        );
        return this.branch(claims, successors, path);
      }
    }
    throw new UnknownToSolver(`${nameOfOpcode(last.opcode)} has no meaning here`);
  }

  /**
   * Branches to the successor of the first condition that holds, otherwise to the last successor.
   */
  private branch(
    claims: readonly SmtTerm[],
    successors: readonly BasicBlock[],
    path: ProcedurePath,
  ): SymbolicEnding {
    if (claims.length === 0) return this.from(successors[0], 0, path);
    const [claim] = claims;
    const taken = this.path([...path.claims, claim], path.values, path.memory);
    const other = this.path([...path.claims, not(claim)], path.values, path.memory);
    return {
      kind: "choice",
      claim,
      whenTrue: this.from(successors[0], 0, taken),
      whenFalse: this.branch(claims.slice(1), successors.slice(1), other),
    };
  }
}

/** Opcodes with the meaning of another opcode, plus a promise or an event. */
const READS_AS: { readonly [name: string]: string | undefined } = {
  LoadInvariant: "Load",
  LoadVolatile: "Load",
};
