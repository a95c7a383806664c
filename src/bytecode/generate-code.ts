// Generates random bytecode that terminates. A loop around the program makes it hot. The program
// branches on a counter, so that a path recorded in one iteration is left in another.
//
// 1. Code keeps the stacks as the verifier requires: both arms of a choice, and the body of a loop,
// leave cells of the same kinds as before.
// 2. Loops count down a word on the return stack. Procedures call each other with their argument
// minus one, and return at 0.
// 3. A cell of either kind lies below a word that states the kind (`eitherKind`); readers test that
// word first.
// 4. The tag of a box depends on where it was made. Code that needs the payload tests the tag
// first, except for a few readers that leave the program if the tag is wrong. A box that a trace
// finds on the stack or in the data when it begins may have any tag.

import { HEAP_BASE_HI, HEAP_BASE_LO, type Input } from "../ir/outcome.js";
import type { ChoiceSource } from "../support/source.js";
import { ARGUMENTS, type BytecodeWords } from "./code.js";
import { type BytecodeCallee, type CellContents, CodeMaker } from "./code-maker.js";
import { TAGS } from "./primitives.js";

/** A random program with its inputs. */
interface GeneratedCode {
  readonly code: BytecodeWords;
  readonly inputs: readonly Input[];
}

export function generateCode(source: ChoiceSource): GeneratedCode {
  const code = new BytecodeGenerator(source).generate();
  const inputs = Array.from({ length: INPUTS }, (): Input => {
    const words = [HEAP_BASE_LO, HEAP_BASE_HI];
    for (let i = 0; i < ARGUMENTS; i++) words.push(drawInteger(source), 0);
    return { words: Int32Array.from(words), heapSeed: source.below(2) };
  });
  return { code, inputs };
}

const INPUTS = 2;
/** Fragments of the loop around the program; more make it too long for most traces. */
const MAIN_MIN = 3;
const MAIN_MAX = 12;
const CELLS_MAX = 12;
const NESTED_MAX = 3;
const LOOPS_MAX = 2;
const SMALL = 16;
/** Words of the data that contain boxes, unless an integer is stored there by chance. */
const BOXES = 2;
const BOXES_AT = 200;
const BOUNDARIES = [0x7fffff, -0x800000, 0xffff, 255, 256, -1, 31, 32] as const;

function drawInteger(source: ChoiceSource): number {
  return source.below(4) === 0 ? BOUNDARIES[source.below(BOUNDARIES.length)] : source.below(SMALL);
}

/** A code fragment: the cells that it requires on top of the stack, and its emitter. */
interface FragmentMaker {
  readonly weight: number;
  /** Kinds of the cells that it takes, the top last. */
  readonly takes: readonly CellContents[];
  readonly make: (g: BytecodeGenerator) => void;
}

const INT_BINARY = [
  "IADD",
  "ISUB",
  "IMUL",
  "IDIV",
  "IMOD",
  "IAND",
  "IOR",
  "IXOR",
  "ISHL",
  "ISHR",
  "ILT",
  "IEQ",
];
const DOUBLE_BINARY = ["DADD", "DSUB", "DMUL", "DLT", "DEQ"];

// biome-ignore format: a table
const MAKERS: readonly FragmentMaker[] = [
  { weight: 6, takes: [],                   make: (g) => g.literal() },
  { weight: 9, takes: ["int", "int"],       make: (g) => g.to.emit(g.oneOf(INT_BINARY)) },
  { weight: 1, takes: ["int"],              make: (g) => g.to.emit("INEG") },
  { weight: 6, takes: ["double", "double"], make: (g) => g.to.emit(g.oneOf(DOUBLE_BINARY)) },
  { weight: 1, takes: ["double"],           make: (g) => g.to.emit("DNEG") },
  { weight: 3, takes: ["int"],              make: (g) => g.to.emit("I2D") },
  { weight: 3, takes: ["double"],           make: (g) => g.to.emit("D2I") },
  { weight: 4, takes: ["any"],              make: (g) => g.to.emit("DUP") },
  { weight: 1, takes: ["any"],              make: (g) => g.to.emit("DROP") },
  { weight: 3, takes: ["any", "any"],       make: (g) => g.to.emit("SWAP") },
  { weight: 3, takes: ["any", "any"],       make: (g) => g.to.emit("OVER") },
  { weight: 1, takes: ["any", "any"],       make: (g) => g.to.emit("NIP") },
  { weight: 2, takes: ["any", "any", "any"], make: (g) => g.to.emit("ROT") },
  { weight: 2, takes: ["int"],              make: (g) => g.to.emit("LOG") },
  { weight: 3, takes: ["int"],              make: (g) => g.to.emit("LOAD") },
  { weight: 2, takes: ["int", "int"],       make: (g) => g.to.emit("STORE") },
  { weight: 3, takes: [],                   make: (g) => g.local() },
  { weight: 2, takes: ["int"],              make: (g) => g.setLocal() },
  { weight: 2, takes: ["int"],              make: (g) => g.keep() },
  { weight: 1, takes: [],                   make: (g) => g.unkeep() },
  { weight: 4, takes: [],                   make: (g) => g.superinstruction() },
  { weight: 2, takes: [],                   make: (g) => g.eitherKind() },
  { weight: 2, takes: ["int"],              make: (g) => g.to.emit(g.oneOf(["BOXI", "BOXI", "BOXB"])) },
  { weight: 2, takes: ["double"],           make: (g) => g.to.emit("BOXD") },
  { weight: 1, takes: [],                   make: (g) => g.someBox() },
  { weight: 1, takes: [],                   make: (g) => g.loadBox() },
  { weight: 2, takes: ["box"],              make: (g) => g.storeBox() },
  { weight: 1, takes: ["box"],              make: (g) => g.to.emit("TAG") },
  { weight: 4, takes: ["box"],              make: (g) => g.unboxed() },
  { weight: 2, takes: ["box", "box"],       make: (g) => g.to.call("SUPER", g.addBoxes) },
  { weight: 5, takes: [],                   make: (g) => g.choice() },
  { weight: 4, takes: [],                   make: (g) => g.loop(2 + g.below(5)) },
  { weight: 2, takes: [],                   make: (g) => g.procedureCall() },
];

class BytecodeGenerator {
  readonly to = new CodeMaker();
  private readonly source: ChoiceSource;
  private nested = 0;
  private loops = 0;
  private budget = 0;
  /** Callees that the current code may use. */
  private procedures: BytecodeCallee[] = [];
  private supers: readonly BytecodeCallee[] = [];
  private readonly asDouble: BytecodeCallee = {
    takes: ["any", "int"],
    gives: ["double"],
    at: null,
  };
  /** Converts a box to an integer, differently for each tag; the other adds two boxes. */
  private readonly unbox: BytecodeCallee = { takes: ["box"], gives: ["int"], at: null };
  readonly addBoxes: BytecodeCallee = { takes: ["box", "box"], gives: ["box"], at: null };
  /** Whether the current code is a procedure, which calls with its argument minus one. */
  private isRecursive = false;
  private callsLeft = 0;
  /** Words on the return stack that only their owner changes; they are at the bottom. */
  private counters = 0;
  /** Words on the return stack at the start of the current body. */
  private floor = 0;

  constructor(source: ChoiceSource) {
    this.source = source;
  }

  below(count: number): number {
    return this.source.below(count);
  }

  oneOf<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)];
  }

  /**
   * Generates the first procedure, the other procedures, and then the superinstructions, each
   * before those that it uses.
   */
  generate(): BytecodeWords {
    const procedures = Array.from({ length: this.below(3) }, (): BytecodeCallee => PROCEDURE());
    const supers = Array.from({ length: 1 + this.below(3) }, () => this.drawSuper());
    this.procedures = procedures;
    this.supers = supers;
    this.makeMain();
    for (const procedure of procedures) this.makeProcedure(procedure);
    this.procedures = [];
    supers.forEach((callee, i) => {
      this.supers = supers.slice(i + 1);
      this.makeSuper(callee);
    });
    this.makeAsDouble();
    this.makeAddBoxes();
    this.makeUnbox();
    return { words: this.to.finish() };
  }

  private drawSuper(): BytecodeCallee {
    const kinds: readonly CellContents[] = ["int", "int", "double", "double", "box"];
    const some = (count: number): CellContents[] =>
      Array.from({ length: count }, () => this.oneOf(kinds));
    return { takes: some(this.below(3)), gives: some(1 + this.below(2)), at: null };
  }

  private makeMain(): void {
    this.to.begin({ takes: Array(ARGUMENTS).fill("int"), gives: [], at: null });
    this.isRecursive = false;
    this.callsLeft = 2;
    for (let i = 0; i < ARGUMENTS; i++) {
      this.to.emit("DUP");
      this.to.emit("LITC", i);
      this.to.emit("STORE");
      this.to.emit("ROT");
    }
    for (let b = 0; b < BOXES; b++) {
      this.literal();
      this.to.emit(this.oneOf(["BOXI", "BOXB"]));
      this.to.emit("LITC", BOXES_AT + b);
      this.to.emit("STORE");
    }
    this.to.emit("BOXI");
    this.loop(6 + this.below(6), MAIN_MIN + this.below(MAIN_MAX - MAIN_MIN + 1));
    this.fragments(3);
    this.to.emit("HALT");
  }

  /** Makes a procedure of a decreasing counter and a value. */
  private makeProcedure(callee: BytecodeCallee): void {
    const { to } = this;
    to.begin(callee);
    this.isRecursive = true;
    this.loops = LOOPS_MAX - 1;
    this.callsLeft = 1 + this.below(2);
    to.emit("OVER");
    to.emit("LITC", 1);
    to.emit("ILT");
    const goesOn = to.jump("JZ");
    const cells = [...to.cells];
    this.leave(callee);
    to.land(goesOn);
    to.cells = cells;
    // The counter is kept on the return stack, where nothing changes it.
    to.emit("SWAP");
    to.emit("TOR");
    this.counters = 1;
    this.fragments(2 + this.below(5));
    this.procedureCall();
    this.fragments(1 + this.below(5));
    this.leave(callee);
    this.counters = 0;
    this.loops = 0;
  }

  private makeSuper(callee: BytecodeCallee): void {
    this.to.begin(callee);
    this.isRecursive = false;
    this.callsLeft = 0;
    this.loops = LOOPS_MAX; // they are used in loops, and by each other
    this.fragments(1 + this.below(6));
    this.leave(callee);
    this.loops = 0;
  }

  private makeAsDouble(): void {
    const { to, asDouble } = this;
    to.begin(asDouble);
    const isDouble = to.jump("JNZ");
    to.emit("I2D");
    to.land(isDouble);
    to.emit("EXIT");
  }

  /** Adds integers if both boxes contain integers, as most do; otherwise Doubles. */
  private makeAddBoxes(): void {
    const { to, addBoxes, unbox } = this;
    to.begin(addBoxes);
    to.emit("OVER");
    this.hasTag(TAGS.integer);
    to.emit("OVER");
    this.hasTag(TAGS.integer);
    to.emit("IAND");
    const isOther = to.jump("JZ");
    const cells = [...to.cells];
    to.emit("UNBOXI");
    to.emit("SWAP");
    to.emit("UNBOXI");
    to.emit("IADD");
    to.emit("BOXI");
    to.emit("EXIT");
    to.land(isOther);
    to.cells = cells;
    to.call("SUPER", unbox);
    to.emit("I2D");
    to.emit("SWAP");
    to.call("SUPER", unbox);
    to.emit("I2D");
    to.emit("DADD");
    to.emit("BOXD");
    to.emit("EXIT");
  }

  private makeUnbox(): void {
    const { to, unbox } = this;
    to.begin(unbox);
    for (const [tag, name] of [
      [TAGS.integer, "UNBOXI"],
      [TAGS.double, "UNBOXD"],
    ] as const) {
      to.emit("DUP");
      this.hasTag(tag);
      const isOther = to.jump("JZ");
      const cells = [...to.cells];
      to.emit(name);
      if (to.top() === "double") {
        to.emit("DNEG");
        to.emit("D2I");
      }
      to.emit("EXIT");
      to.land(isOther);
      to.cells = cells;
    }
    to.emit("UNBOXB");
    to.emit("LITC", 1);
    to.emit("IXOR");
    to.emit("EXIT");
  }

  /** Tests the tag of the box on top. */
  private hasTag(tag: number): void {
    this.to.emit("TAG");
    this.to.emit("LITC", tag);
    this.to.emit("IEQ");
  }

  private leave({ gives }: BytecodeCallee): void {
    this.balance(gives, 0);
    this.to.emit("EXIT");
  }

  /** Emits fragments, which leave cells of arbitrary kinds. */
  private fragments(count: number): void {
    this.budget = count;
    while (this.budget-- > 0) this.fragment();
  }

  private fragment(): void {
    const { cells } = this.to;
    const possible = MAKERS.filter(
      ({ takes }) =>
        takes.length <= cells.length &&
        takes.every((kind, i) => kind === "any" || kind === cells[cells.length - takes.length + i]),
    );
    this.oneOf(possible.flatMap((maker) => Array<FragmentMaker>(maker.weight).fill(maker))).make(
      this,
    );
    while (this.to.cells.length > CELLS_MAX) this.to.emit("DROP");
  }

  /** Emits fragments, and then restores the previous stack kinds. */
  private body(count: number, carriesBox = false): void {
    const { to } = this;
    const [cells, kept] = [[...to.cells], to.kept];
    const { budget, floor } = this;
    this.floor = kept;
    this.nested++;
    if (carriesBox) this.carriedBox();
    this.fragments(count);
    this.nested--;
    this.budget = budget;
    this.floor = floor;
    this.balance(cells, kept);
  }

  /** Converts the stacks to these kinds, reusing their contents where possible. */
  private balance(kinds: readonly CellContents[], kept: number): void {
    const { to } = this;
    while (to.kept > kept) {
      to.emit("RFROM");
      to.emit("DROP");
    }
    while (to.cells.length > kinds.length) this.merge();
    const isRight = (count: number): boolean =>
      to.cells.slice(0, count).every((kind, i) => kind === kinds[i]);
    while (!isRight(to.cells.length)) {
      if (!isRight(to.cells.length - 1)) to.emit("DROP");
      else this.convert(kinds[to.cells.length - 1]);
    }
    for (const kind of kinds.slice(to.cells.length)) {
      to.emit("LITC", drawInteger(this.source));
      this.convert(kind);
    }
  }

  /** Converts the top to that kind. */
  private convert(kind: CellContents): void {
    const { to } = this;
    if (to.top() === kind) return;
    if (to.top() === "box") to.call("SUPER", this.unbox);
    if (kind === "box") to.emit(to.top() === "int" ? "BOXI" : "BOXD");
    else if (to.top() !== kind) to.emit(kind === "double" ? "I2D" : "D2I");
  }

  /** Removes one cell. */
  private merge(): void {
    const { to } = this;
    if (to.cells.length === 1) to.emit("DROP");
    else if (to.top() !== to.top(1)) to.emit(this.below(2) === 0 ? "NIP" : "DROP");
    else if (to.top() === "box") to.call("SUPER", this.addBoxes);
    else to.emit(to.top() === "int" ? this.oneOf(["IADD", "IXOR"]) : "DADD");
  }

  literal(): void {
    this.to.emit("LITC", drawInteger(this.source));
  }

  /** Words above the counters of loops may be changed. */
  local(): void {
    const { to } = this;
    if (to.kept > 0 && this.below(2) === 0) to.emit("LOCAL", this.below(to.kept));
    else this.datum();
  }

  /** Loads one of the arguments, unless it was overwritten. */
  private datum(): void {
    this.to.emit("LITC", this.below(ARGUMENTS + 1));
    this.to.emit("LOAD");
  }

  setLocal(): void {
    const free = this.to.kept - this.counters;
    if (free > 0) this.to.emit("SETLOCAL", this.below(free));
    else this.keep();
  }

  keep(): void {
    if (this.to.kept - this.counters < 3) this.to.emit("TOR");
    else this.to.emit("DROP");
  }

  unkeep(): void {
    if (this.to.kept > Math.max(this.counters, this.floor)) this.to.emit("RFROM");
    else this.literal();
  }

  superinstruction(): void {
    if (this.supers.length === 0) {
      this.literal();
      return;
    }
    const callee = this.oneOf(this.supers);
    this.pushFor(callee.takes);
    this.to.call("SUPER", callee);
  }

  /** Pushes cells of these kinds, unless they are on top already. */
  private pushFor(kinds: readonly CellContents[]): void {
    const { to } = this;
    if (kinds.every((kind, i) => to.top(kinds.length - 1 - i) === kind)) return;
    for (const kind of kinds) {
      this.local();
      this.convert(kind);
    }
  }

  /** Makes a value whose kind depends on the word on top of it. */
  eitherKind(): void {
    const { to } = this;
    this.local();
    const isDouble = to.jump("JNZ");
    const cells = [...to.cells];
    this.literal();
    to.emit("LITC", 0);
    const end = to.jump("JUMP");
    to.land(isDouble);
    to.cells = cells;
    this.literal();
    to.emit("I2D");
    to.emit("LITC", 1);
    to.land(end);
    to.cells.splice(-2, 2, "any", "int");
    to.call("SUPER", this.asDouble);
  }

  /** Makes a box whose tag depends on a word. */
  someBox(): void {
    const { to } = this;
    this.local();
    this.maybeBit();
    this.eitherBox(() => {
      this.local();
      if (this.below(2) > 0) to.emit("I2D");
    });
  }

  /** Makes a boxed integer, or, if the top is not 0, a box of another tag. */
  private eitherBox(pushOther: () => void): void {
    const { to } = this;
    const isOther = to.jump("JNZ");
    const cells = [...to.cells];
    this.literal();
    to.emit("BOXI");
    const end = to.jump("JUMP");
    to.land(isOther);
    to.cells = cells;
    pushOther();
    to.emit(to.top() === "int" ? "BOXB" : "BOXD");
    to.land(end);
  }

  /** Loads a box of the data, which other traces and iterations may have stored. */
  loadBox(): void {
    const { to } = this;
    to.emit("LITC", BOXES_AT + this.below(BOXES));
    to.emit("LOAD");
    to.cells.splice(-1, 1, "box");
  }

  storeBox(): void {
    this.to.emit("LITC", BOXES_AT + this.below(BOXES));
    this.to.emit("STORE");
  }

  /**
   * Uses the box that the last iteration left, whose tag depends on the iteration, and makes one
   * for the next.
   */
  private carriedBox(): void {
    const { to } = this;
    this.loadBox();
    to.call("SUPER", this.unbox);
    to.emit("LOG");
    to.emit("LOCAL", 0);
    to.emit("LITC", 1 + this.below(2));
    to.emit("IAND");
    this.eitherBox(() => {
      this.literal();
      if (this.below(2) === 0) to.emit("I2D");
    });
    this.storeBox();
  }

  /** Unboxes the box on top; some code assumes a tag without a test. */
  unboxed(): void {
    const { to } = this;
    if (this.below(6) === 0) to.emit(this.oneOf(["UNBOXI", "UNBOXB", "UNBOXD"]));
    else to.call("SUPER", this.unbox);
  }

  /** Emits a branch on a cell, a word, or a bit of it. */
  choice(): void {
    const { to } = this;
    if (this.nested >= NESTED_MAX) return;
    if (to.top() !== "int" || this.below(2) === 0) this.local();
    this.maybeBit();
    const other = to.jump(this.oneOf(["JZ", "JNZ"] as const));
    this.body(1 + this.below(5));
    if (this.below(2) === 0) {
      to.land(other);
      return;
    }
    const end = to.jump("JUMP");
    to.land(other);
    this.body(1 + this.below(5));
    to.land(end);
  }

  /** Takes a bit of the top, half of the time. */
  private maybeBit(): void {
    if (this.below(2) > 0) return;
    this.to.emit("LITC", 1 << this.below(4));
    this.to.emit("IAND");
  }

  loop(times: number, size = 6): void {
    const { to } = this;
    if (this.nested >= NESTED_MAX || this.loops >= LOOPS_MAX) return;
    const { counters } = this;
    const carriesBox = this.below(3) === 0;
    this.loops++;
    to.emit("LITC", times);
    to.emit("TOR");
    this.counters = to.kept;
    const start = to.words.length;
    if (this.below(3) > 0) {
      this.body(1 + this.below(size), carriesBox);
      this.countDown();
      to.emit("LOOPNZ", start);
    } else {
      this.countDown();
      const end = to.jump("JZ");
      this.body(1 + this.below(size), carriesBox);
      to.emit("LOOP", start);
      to.land(end);
    }
    to.emit("RFROM");
    to.emit("DROP");
    this.counters = counters;
    this.loops--;
  }

  private countDown(): void {
    const { to } = this;
    to.emit("LOCAL", 0);
    to.emit("LITC", 1);
    to.emit("ISUB");
    to.emit("DUP");
    to.emit("SETLOCAL", 0);
  }

  /** A procedure passes its argument minus one; other code passes a small number. */
  procedureCall(): void {
    const { to } = this;
    if (this.procedures.length === 0 || this.callsLeft === 0) return;
    if (to.top() !== "int" || (this.isRecursive && this.nested > 0)) return;
    this.callsLeft--;
    if (this.isRecursive) {
      to.emit("LOCAL", to.kept - 1);
      to.emit("LITC", 1);
      to.emit("ISUB");
    } else to.emit("LITC", this.below(3) === 0 ? 300 : this.below(6));
    to.emit("SWAP");
    to.call("CALL", this.oneOf(this.procedures));
  }
}

/** Makes a callee with a counter and a value as arguments. */
const PROCEDURE = (): BytecodeCallee => ({ takes: ["int", "int"], gives: ["int"], at: null });
