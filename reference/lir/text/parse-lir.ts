// Parses the text that print.ts writes back to LIR, with its allocation if it has one. Errors have
// a line and a column. The text consists of words between blanks; `;` starts a comment.
//
// Snapshots, leaves and patchpoints are named by their numbers in the procedure from which the LIR
// was lowered. Without that procedure, the parser rejects text that names one.

import { type Procedure, Snapshot, SwitchCases, type Value } from "../../../src/ir/procedure.js";
import { snapshotLeaves } from "../../../src/ir/snapshot-leaves.js";
import { ParseError } from "../../../src/ir/text/lexer.js";
import { Double, Float, Int32, Int64, isFloating, type Type } from "../../../src/ir/types.js";
import { Allocation, derivationBy, MoveOrder, NO_DERIVATION } from "../../regalloc/allocation.js";
import { CONDITION_NAMES } from "../../target/conditions.js";
import type { LoweringPlan } from "../../target/plan.js";
import type { TargetName } from "../../target/target.js";
import {
  blockAt,
  type Instruction,
  type Location,
  type PhysicalRegister,
  type VirtualRegister,
  vregAt,
} from "../indices.js";
import {
  CONSTANT_LEAF,
  generalRegister,
  Lir,
  locationOfWord,
  NOWHERE,
  OperandPolicy,
  OperandRole,
  outgoingLeaf,
  packOperand,
  policyOf,
  REMAT,
  roleOf,
  slotAt,
  VECTOR,
  VREG_MAX,
  vectorRegister,
  vregOf,
} from "../lir.js";
import {
  isPatchpoint,
  isSwitch,
  locationName,
  MOVE_ORDERS,
  POLICY_LETTERS,
  REFERENCE_LETTER,
  TYPE_LETTERS,
  takesCondition,
} from "./text-form.js";

interface ParsedLir {
  readonly name: string;
  readonly lir: Lir;
  /** The allocation in the text; null if the text is from before allocation. */
  readonly allocation: Allocation | null;
}

/**
 * Parses a procedure.
 *
 * @param proc the procedure from which the LIR was lowered, with its snapshots, leaves and patchpoints
 */
export function parseLir(text: string, plan: LoweringPlan, proc: Procedure | null): ParsedLir {
  return new LirParser(text, plan, proc).parse();
}

const TYPES: readonly Type[] = [Int32, Int64, Float, Double];
/** Returns the type of that letter; null if there is none. */
const typeOfLetter = (letter: string): Type | null =>
  TYPES.find((type) => TYPE_LETTERS[type] === letter) ?? null;

/** Returns the policy of that letter; null if there is none. */
const policyOfLetter = (letter: string): OperandPolicy | null =>
  Object.values(OperandPolicy).find((policy) => POLICY_LETTERS[policy] === letter) ?? null;

/** The order of a move, by index of its name in MOVE_ORDERS. */
const MOVE_ORDER_VALUES: readonly MoveOrder[] = [
  MoveOrder.AfterDefinition,
  MoveOrder.Resolve,
  MoveOrder.BeforeUse,
];

interface LirToken {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

class LirParser {
  private readonly lir = new Lir();
  private readonly allocation = new Allocation();
  private isAllocated = false;
  private readonly plan: LoweringPlan;
  private readonly lines: readonly LirToken[][];
  private readonly rows: ReadonlyMap<string, number>;
  private readonly registers: ReadonlyMap<string, PhysicalRegister>;
  private readonly values = new Map<number, Value>();
  private readonly snapshots = new Map<number, Snapshot>();
  // The current line.
  private words: readonly LirToken[] = [];
  private at = 0;
  private lineNumber = 0;
  /** The word that first names each virtual register; and the numbers of those that are defined. */
  private readonly named = new Map<VirtualRegister, LirToken>();
  private readonly defined = new Set<VirtualRegister>();

  constructor(text: string, plan: LoweringPlan, proc: Procedure | null) {
    this.plan = plan;
    this.lines = text.split("\n").map(wordsOf);
    this.rows = new Map(plan.rows.map(({ name }, row) => [name, row]));
    this.registers = registersByName(plan.target.name);
    for (const block of proc?.blocks ?? []) {
      for (const value of block.values) this.addValue(value);
    }
    for (const value of proc?.parameters ?? []) this.values.set(value.id, value);
  }

  /**
   * Records the value and its snapshot. Constants may be in no block, since they are emitted at
   * their uses.
   */
  private addValue(value: Value): void {
    this.values.set(value.id, value);
    if (value.extra instanceof Snapshot) this.snapshots.set(value.extra.id, value.extra);
  }

  parse(): ParsedLir {
    this.lir.reset();
    this.allocation.reset();
    let name = "";
    let isOpen = false;
    for (let l = 0; l < this.lines.length; l++) {
      this.words = this.lines[l];
      this.lineNumber = l + 1;
      this.at = 0;
      if (this.words.length === 0) continue;
      const first = this.words[0].text;
      if (name === "") name = this.head();
      else if (/^B\d+$/.test(first)) {
        if (isOpen) this.lir.endBlock();
        isOpen = true;
        this.block();
      } else if (!isOpen) this.fail(this.words[0], `expected a block, found '${first}'`);
      else if (first === "phi") this.phis();
      else if (first === "inputs") this.inputs();
      else if (MOVE_ORDERS.includes(first)) this.moves();
      else this.instruction();
      this.end();
    }
    if (!isOpen) this.expected("a block");
    this.lir.endBlock();
    this.finish();
    return { name, lir: this.lir, allocation: this.isAllocated ? this.allocation : null };
  }

  // --- words ---

  private fail({ line, column }: LirToken, message: string): never {
    throw new ParseError(line, column, message);
  }

  /** Throws an error at the next word, or at the end of the line. */
  private expected(what: string): never {
    const word = this.words.at(this.at);
    if (word !== undefined) this.fail(word, `expected ${what}, found '${word.text}'`);
    const last = this.words.at(-1);
    const column = last === undefined ? 1 : last.column + last.text.length;
    throw new ParseError(this.lineNumber, column, `expected ${what}, found the end of the line`);
  }

  private get next(): string {
    return this.words.at(this.at)?.text ?? "";
  }

  private accept(text: string): boolean {
    if (this.next !== text) return false;
    this.at++;
    return true;
  }

  private expect(text: string): void {
    if (!this.accept(text)) this.expected(`'${text}'`);
  }

  /**
   * Returns the parts of the next word, which must match the form; `what` names it in the error.
   */
  private match(form: RegExp, what: string): RegExpExecArray {
    const match = form.exec(this.next);
    if (match === null) this.expected(what);
    this.at++;
    return match;
  }

  private end(): void {
    if (this.at < this.words.length) this.expected("the end of the line");
  }

  private count(what: string): number {
    const [text] = this.match(/^\d{1,9}$/, what);
    return Number(text);
  }

  // --- lines ---

  private head(): string {
    const { target } = this.plan;
    this.expect("lir");
    this.expect(target.name);
    const [name] = this.match(/^[\w$.]+$/, "the name of a procedure");
    if (this.accept("incoming")) this.lir.incomingUnits = this.count("a number of units");
    if (this.accept("outgoing")) this.lir.outgoingSize = this.count("a number of bytes");
    this.isAllocated = this.accept("allocated");
    if (!this.isAllocated) return name;
    this.allocation.spillUnits = this.count("a number of units");
    while (this.at < this.words.length) {
      const register = this.registers.get(this.next) ?? this.expected("a register");
      this.allocation.usedRegisters[register] = 1;
      this.at++;
    }
    return name;
  }

  private block(): void {
    const { lir } = this;
    this.expect(`B${lir.blockCount}`);
    lir.beginBlock();
    if (!this.accept("->")) return;
    do lir.addSuccessor(blockAt(Number(this.match(/^B(\d{1,6})$/, "a block")[1])));
    while (this.at < this.words.length);
  }

  private phis(): void {
    this.at++;
    if (this.lir.instructionCount > this.lir.blockStart[this.lir.blockCount]) {
      this.at--;
      this.expected("an instruction, as Phis come first");
    }
    do {
      const [, vreg, letter] = this.match(/^v(\d+)<(.)>$/, "a Phi: v0<i>");
      this.lir.addPhi(this.define(vreg, letter));
    } while (this.at < this.words.length);
  }

  private inputs(): void {
    this.at++;
    do this.lir.addPhiInput(this.name(this.match(/^v(\d+)$/, "a virtual register")[1]));
    while (this.at < this.words.length);
  }

  private moves(): void {
    const { lir, allocation } = this;
    if (!this.isAllocated) this.expected("an instruction: moves come with allocation");
    const order = MOVE_ORDER_VALUES[MOVE_ORDERS.indexOf(this.next)];
    this.at++;
    for (let isLast = false; !isLast; ) {
      const [from, derivation] = this.source();
      this.expect("->");
      const [, place, letter, comma] = this.match(
        /^(.+)<(.)>(,?)$/,
        "a location and a type: rax<i>",
      );
      const to = this.location(place);
      const type = typeOfLetter(letter) ?? this.failAtLast("expected a type: <i>, <l>, <f>, <d>");
      allocation.addMove(lir.nextInstruction, order, from, to, type, derivation);
      isLast = comma === "";
    }
  }

  private source(): [from: Location, derivation: number] {
    const [, text] = this.match(/^(.+)$/, "a location");
    const derived = /^\*(\d{1,8})\((.+)<(.)>\)$/.exec(text);
    if (derived === null) return [this.location(text), NO_DERIVATION];
    const [, number, from, letter] = derived;
    const type = typeOfLetter(letter) ?? this.failAtLast("expected a type: <i>, <l>, <f>, <d>");
    // The cast holds because an allocation may name any instruction; the checker tests it.
    return [this.location(from), derivationBy(Number(number) as Instruction, type)];
  }

  private instruction(): void {
    const { lir } = this;
    const number = this.lir.instructionCount;
    this.expect(`${number}:`);
    while (/^v\d+</.test(this.next)) this.operand(OperandRole.Definition);
    if (lir.operandCount > lir.operandStart[number]) this.expect("=");
    const row = this.rows.get(this.next);
    if (row === undefined) this.expected(`a row of ${this.plan.target.name}`);
    this.at++;
    while (/^(v\d+:|temp$)/.test(this.next)) {
      this.operand(this.accept("temp") ? OperandRole.Temp : OperandRole.UseAtStart);
    }
    const [lo, hi] = this.immediate(row);
    const guard = this.accept("exits") ? this.exit(lir.operandStart[number]) : null;
    const origin = this.next.startsWith("@")
      ? Number(this.match(/^@(\d{1,9})$/, "a value")[1])
      : -1;
    const index = isPatchpoint(this.plan, row) ? this.patchpoint(origin) : lo;
    lir.endInstruction(row, index, hi, origin);
    if (guard === null) return;
    lir.guard[number] = lir.guards.length;
    lir.guards.push(guard);
  }

  // --- parts of instructions ---

  private operand(role: OperandRole): void {
    const isTyped = role >= OperandRole.Definition;
    const form = isTyped
      ? /^v(\d+)<(.)>:([^@[]+)(?:\[(\d{1,4})\])?(?:@(.+))?$/
      : /^v(\d+)():([^@[]+)()(?:@(.+))?$/;
    const wanted = isTyped ? "an operand: v0<i>:R" : "an operand: v0:R";
    const [, number, letter, place, unit, location] = this.match(form, wanted);
    const vreg = isTyped ? this.define(number, letter) : this.name(number);
    if (isTyped && unit !== undefined) this.lir.vregArgumentUnit[vreg] = Number(unit);
    let found = role;
    let policy = policyOfLetter(place);
    let fixed: number = this.registers.get(place) ?? 0;
    if (policy === null) {
      if (!this.registers.has(place)) this.failAtLast("expected a policy or a register");
      policy = OperandPolicy.Fixed;
    }
    if (policy === OperandPolicy.KeepAlive) found = OperandRole.Use;
    if (this.accept("late")) {
      if (role !== OperandRole.UseAtStart || policy === OperandPolicy.KeepAlive)
        this.failAtLast("expected 'late' only after a use");
      found = OperandRole.Use;
    }
    // A row encodes the bank of a free temp in this field.
    const isVectorTemp = role === OperandRole.Temp && policy === OperandPolicy.Register;
    if (isVectorTemp && isFloating(this.typeOf(vreg))) fixed = VECTOR;
    const operand = this.lir.addOperand(packOperand(vreg, found, policy, fixed));
    if (this.isAllocated !== (location !== undefined)) {
      this.failAtLast(`expected ${this.isAllocated ? "" : "no "}location: @rax`);
    }
    if (location !== undefined) this.lir.location[operand] = this.location(location);
  }

  /** Throws an error at the last accepted word. */
  private failAtLast(message: string): never {
    const word = this.words[this.at - 1];
    this.fail(word, `${message}, found '${word.text}'`);
  }

  private location(text: string): Location {
    if (text === "nowhere") return NOWHERE;
    const slot = /^\[(\d{1,8})\]$/.exec(text);
    if (slot !== null) return slotAt(Number(slot[1]));
    const remade = /^\*(\d{1,8})$/.exec(text);
    if (remade !== null) return locationOfWord(REMAT + Number(remade[1]));
    return this.registers.get(text) ?? this.failAtLast("expected a register or a slot: [0]");
  }

  private immediate(row: number): [lo: number, hi: number] {
    if (isSwitch(this.plan, row)) return [this.cases(row), 0];
    let [lo, hi] = [0, 0];
    if (this.next.startsWith("#")) {
      const [, first, second] = this.match(IMMEDIATE, "an immediate: #5");
      lo = wordOf(second ?? first);
      hi = second === undefined ? lo >> 31 : wordOf(first);
    }
    if (!takesCondition(this.plan.rows[row].name)) return [lo, hi];
    this.expect("if");
    const condition = CONDITION_NAMES.findIndex((name) => name === this.next);
    if (condition < 0) this.expected("a condition");
    this.at++;
    return [lo, condition];
  }

  private cases(row: number): number {
    const lo: number[] = [];
    const hi: number[] = [];
    this.expect("cases");
    while (/^-?\d{1,19}$/.test(this.next)) {
      const key = BigInt(this.next);
      lo.push(Number(BigInt.asIntN(32, key)));
      hi.push(row === this.plan.switch[Int64] ? Number(BigInt.asIntN(32, key >> 32n)) : 0);
      this.at++;
    }
    return this.lir.switches.push(new SwitchCases(lo, hi)) - 1;
  }

  private exit(firstOperand: number): Lir["guards"][number] {
    const [, id] = this.match(/^s(\d{1,9})$/, "a snapshot");
    const snapshot = this.snapshots.get(Number(id)) ?? this.failAtLast("expected a known snapshot");
    const leaves: Value[] = [];
    const operands: number[] = [];
    for (let isLast = false; !isLast; ) {
      if (leaves.length === 0 && this.accept("[]")) break;
      const form =
        leaves.length === 0 ? /^\[@(\d+)=(-|(?:sp\+)?\d+)(\]?)$/ : /^@(\d+)=(-|(?:sp\+)?\d+)(\]?)$/;
      const [, leaf, operand, end] = this.match(form, "a leaf and its operand: [@4=2]");
      leaves.push(this.leaf(snapshot, Number(leaf)));
      if (operand === "-") operands.push(CONSTANT_LEAF);
      else if (operand.startsWith("sp+")) operands.push(outgoingLeaf(Number(operand.slice(3))));
      else operands.push(firstOperand + Number(operand));
      isLast = end !== "";
    }
    return { snapshot, leaves, operands };
  }

  private leaf(snapshot: Snapshot, id: number): Value {
    const known = this.values.get(id) ?? snapshotLeaves(snapshot).find((leaf) => leaf.id === id);
    return known ?? this.failAtLast("expected a value of the procedure");
  }

  private patchpoint(origin: number): number {
    const value = this.values.get(origin);
    if (value === undefined) this.failAtLast("expected the patchpoint of the procedure: @9");
    return this.lir.patchpoints.push(value) - 1;
  }

  // --- virtual registers ---

  private typeOf(vreg: number): Type {
    return this.lir.typeOf(vreg);
  }

  private name(number: string): VirtualRegister {
    const vreg = vregAt(Number(number));
    if (number.length > 7 || vreg > VREG_MAX)
      this.failAtLast("expected the number of a virtual register");
    if (!this.named.has(vreg)) this.named.set(vreg, this.words[this.at - 1]);
    while (this.lir.vregCount <= vreg) this.lir.newVreg(Int64);
    return vreg;
  }

  private define(number: string, letter: string): VirtualRegister {
    const vreg = this.name(number);
    if (this.defined.has(vreg))
      this.failAtLast("expected a virtual register that has no earlier definition");
    this.defined.add(vreg);
    if (letter === REFERENCE_LETTER) {
      this.lir.vregType[vreg] = Int64;
      this.lir.markReference(vreg);
      return vreg;
    }
    this.lir.vregType[vreg] =
      typeOfLetter(letter) ?? this.failAtLast("expected a type: <i>, <l>, <r>, <f>, <d>");
    return vreg;
  }

  /** Checks that need all of the text: that names are defined, and the roots of redefinitions. */
  private finish(): void {
    const { lir } = this;
    for (const [vreg, word] of this.named) {
      if (!this.defined.has(vreg)) this.fail(word, `v${vreg} has no definition`);
    }
    for (let e = 0; e < lir.successorStart[lir.blockCount]; e++) {
      if (lir.successors[e] >= lir.blockCount) {
        throw new ParseError(1, 1, `B${lir.successors[e]} is a successor, but not a block`);
      }
    }
    const names = new Map<VirtualRegister, VirtualRegister>();
    for (let o = 0; o < lir.operandCount - 1; o++) {
      const word = lir.operand[o];
      if (roleOf(word) !== OperandRole.Definition || policyOf(word) !== OperandPolicy.Redefined)
        continue;
      names.set(vregOf(word), vregOf(lir.operand[o + 1]));
    }
    for (const start of names.keys()) {
      let root = start;
      for (let steps = 0; names.has(root) && steps <= names.size; steps++)
        root = names.get(root) ?? root;
      lir.vregRoot[start] = root;
    }
  }
}

const IMMEDIATE = /^#(-?\d{1,10}|0x[0-9a-f]{8})(?::(-?\d{1,10}|0x[0-9a-f]{8}))?$/;
const wordOf = (text: string): number => Number(text) | 0;

function wordsOf(line: string, index: number): LirToken[] {
  const code = line.replace(/;.*$/, "");
  return [...code.matchAll(/\S+/g)].map((match) => ({
    text: match[0],
    line: index + 1,
    column: match.index + 1,
  }));
}

/** By name: each location of a target that is a register. */
function registersByName(target: TargetName): ReadonlyMap<string, PhysicalRegister> {
  const count = target === "x64" ? 16 : 32;
  const names = new Map<string, PhysicalRegister>();
  for (let number = 0; number < count; number++) {
    for (const register of [generalRegister(number), vectorRegister(number)]) {
      names.set(locationName(target, register), register);
    }
  }
  return names;
}
