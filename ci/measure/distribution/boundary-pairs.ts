// A table of the distribution, with two kinds of cells for each operation and type. One kind counts
// pairs of operand classes (0, the least integer, -0, a tie, ...). The other counts operands on
// each side of each jump of the result. Only executions that mattered count. An empty cell is a
// corner that no input has reached.

import { atRank, rankOf, type SignedBits, widthOf } from "../../../src/aim/bits.js";
import { evaluatorOf } from "../../../src/aim/evaluate.js";
import { answersOf } from "../../../src/aim/jumps.js";
import { classesOf, type OperandClass } from "../../../src/aim/operand-classes.js";
import {
  ALL_OPCODES,
  isValueOperand,
  nameOfOpcode,
  type Opcode,
  specOf,
} from "../../../src/ir/opcodes.js";
import type { Value } from "../../../src/ir/procedure.js";
import {
  nameOfType,
  TYPE_NAMES,
  type Type,
  typeNamed,
  VALUE_TYPES,
} from "../../../src/ir/types.js";
import { bitsOf } from "../../../src/ir/words.js";
import { type ExecutionTrace, mattersOrSteers } from "../../../src/oracle/fast/trace.js";

/** One line of the table: the executions of an operation at one type. */
export interface BoundaryCounts {
  /** The opcode and its T: `Add Int32`. */
  readonly name: string;
  readonly pairs: CellCoverage;
  readonly jumps: CellCoverage;
}

/** Cells of one kind, and the names of those without an execution. */
interface CellCoverage {
  readonly all: number;
  /** For example `least and -1`, or `order, first operand, below`. */
  readonly empty: readonly string[];
}

/** The largest count of a cell: no figure needs more, and a full cell costs nothing. */
const COUNT_MAX = 1000;
const ORDINALS = ["first", "second"] as const;
const SIDES = ["below", "above"] as const;

interface BoundaryCell {
  readonly name: string;
  readonly count: number;
}

/** The counts of one operation at one type. */
class BoundaryRow {
  readonly name: string;
  readonly types: readonly Type[];
  private readonly opcode: Opcode;
  private readonly type: Type;
  /** By classes of the operands; empty if the operation has no evaluator. */
  private readonly pairs: Int32Array;
  /** By jump, operand and side. */
  private readonly jumps: Int32Array;
  private readonly classes: readonly (readonly OperandClass[])[];

  constructor(opcode: Opcode, type: Type, types: readonly Type[]) {
    this.name = `${nameOfOpcode(opcode)} ${nameOfType(type)}`;
    this.opcode = opcode;
    this.type = type;
    this.types = types;
    this.classes = types.map(classesOf);
    const isComputed = evaluatorOf(opcode, type) !== null;
    this.pairs = new Int32Array(
      isComputed ? this.classes.reduce((all, { length }) => all * length, 1) : 0,
    );
    this.jumps = new Int32Array(answersOf(opcode).length * types.length * SIDES.length);
  }

  add(operands: readonly SignedBits[]): void {
    if (this.pairs.length > 0) {
      let at = 0;
      operands.forEach((bits, o) => {
        const classes = this.classes[o];
        at = at * classes.length + classes.findIndex(({ takes }) => takes(bits));
      });
      this.pairs[at]++;
    }
    answersOf(this.opcode).forEach((_, j) => {
      operands.forEach((_bits, o) => this.addSides(j, o, operands));
    });
  }

  private addSides(j: number, o: number, operands: readonly SignedBits[]): void {
    const cell = (j * operands.length + o) * SIDES.length;
    const { jumps } = this;
    if (jumps[cell] >= COUNT_MAX && jumps[cell + 1] >= COUNT_MAX) return;
    const here = this.answer(j, o, operands, operands[o]);
    if (here === null) return;
    const rank = rankOf(this.types[o], operands[o]);
    SIDES.forEach((_, side) => {
      const next = atRank(this.types[o], rank + (side === 0 ? 1n : -1n));
      const there =
        BigInt.asIntN(widthOf(this.types[o]), next) === next
          ? this.answer(j, o, operands, next)
          : here;
      if (there !== here && there !== null && jumps[cell + side] < COUNT_MAX) jumps[cell + side]++;
    });
  }

  private answer(
    j: number,
    o: number,
    operands: readonly SignedBits[],
    bits: SignedBits,
  ): SignedBits | number | null {
    const { answer } = answersOf(this.opcode)[j];
    const [x, y = 0n] = operands;
    return o === 0 ? answer(this.type, bits, y) : answer(this.type, x, bits);
  }

  get counts(): BoundaryCounts {
    return { name: this.name, pairs: cellsOf(this.pairCells()), jumps: cellsOf(this.jumpCells()) };
  }

  private pairCells(): BoundaryCell[] {
    const evaluate = evaluatorOf(this.opcode, this.type);
    const [first, second] = this.classes;
    return [...this.pairs].flatMap((count, at) => {
      const chosen =
        second === undefined
          ? [first[at]]
          : [first[Math.floor(at / second.length)], second[at % second.length]];
      // Undefined operations are never executed.
      if (evaluate?.(...chosen.map(({ members }) => members[0])) === null) return [];
      return [{ name: chosen.map(({ name }) => name).join(" and "), count }];
    });
  }

  private jumpCells(): BoundaryCell[] {
    const operandCount = this.types.length;
    return answersOf(this.opcode).flatMap(({ jump }, j) =>
      this.types.flatMap((_, o) => {
        if (!this.canJump(j, o)) return [];
        const first = (j * operandCount + o) * SIDES.length;
        return SIDES.map((side, s) => ({
          name: `${jump}, ${ORDINALS[o]} operand, ${side}`,
          count: this.jumps[first + s],
        }));
      }),
    );
  }

  /**
   * Returns whether the result changes at all when that operand takes the members of its classes.
   */
  private canJump(j: number, o: number): boolean {
    const others = this.classes[1 - o]?.flatMap(({ members }) => members) ?? [0n];
    const members = this.classes[o].flatMap((each) => each.members);
    return others.some((other) => {
      const operands = o === 0 ? [0n, other] : [other, 0n];
      const answers = new Set(members.map((bits) => this.answer(j, o, operands, bits)));
      answers.delete(null);
      return answers.size > 1;
    });
  }
}

const cellsOf = (cells: readonly BoundaryCell[]): CellCoverage => ({
  all: cells.length,
  empty: cells.filter(({ count }) => count === 0).map(({ name }) => name),
});

/** Returns the types of the operands, at a T; null for a row whose operands have other types. */
function operandTypes(opcode: Opcode, type: Type): readonly Type[] | null {
  const { args, over, also } = specOf(opcode);
  const operands = args.filter(isValueOperand);
  const named = nameOfType(type);
  const chosen = also ?? over;
  if (operands.length === 0 || answersOf(opcode).length === 0) return null;
  if (chosen !== undefined && !chosen.some((name) => name === named)) return null;
  const types = operands.map((arg) => typeNamed(arg) ?? type);
  if (chosen === undefined && types[0] !== type) return null;
  // A choosing operation counts only its condition.
  return also === undefined ? types : types.slice(0, 1);
}

/** Boundary counts of all executions so far. */
export class BoundaryTable {
  /** The row of each operation, by opcode and type of the first operand. */
  private readonly byOperation: (BoundaryRow | null)[] = ALL_OPCODES.flatMap((opcode) =>
    TYPE_NAMES.map((_, t) => {
      const type = VALUE_TYPES[t - 1];
      const types = t === 0 ? null : operandTypes(opcode, type);
      return types === null ? null : new BoundaryRow(opcode, type, types);
    }),
  );

  /**
   * Counts one execution of a program.
   * @param values the values of each procedure, by id
   * @param compiled indices of the procedures that count
   */
  addExecution(
    trace: ExecutionTrace,
    values: readonly (readonly Value[])[],
    compiled: readonly number[],
  ): void {
    const marks = mattersOrSteers(trace);
    const byId = values.map((list) => {
      const ids: Value[] = [];
      for (const value of list) ids[value.id] = value;
      return ids;
    });
    const { procedures, ids, starts, dependences, results } = trace;
    for (let e = 0; e < trace.length; e++) {
      if (marks[e] === 0 || !compiled.includes(procedures[e])) continue;
      const { opcode, a } = byId[procedures[e]][ids[e]];
      const row = a === null ? null : this.byOperation[opcode * TYPE_NAMES.length + a.type];
      if (row === null || a === null) continue;
      const operands = row.types.map((type, o) => {
        const from = dependences[starts[e] + o];
        return bitsOf(type, results[2 * from], results[2 * from + 1]);
      });
      row.add(operands);
    }
  }

  get rows(): BoundaryCounts[] {
    return this.byOperation.flatMap((row) => (row === null ? [] : [row.counts]));
  }
}
