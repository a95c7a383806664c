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
import { type BytecodeCallee, type CellContents, CodeBuilder } from "./code-builder.js";
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
  { weight: 9, takes: ["int", "int"],       make: (g) => g.code.emit(g.oneOf(INT_BINARY)) },
  { weight: 1, takes: ["int"],              make: (g) => g.code.emit("INEG") },
  { weight: 6, takes: ["double", "double"], make: (g) => g.code.emit(g.oneOf(DOUBLE_BINARY)) },
  { weight: 1, takes: ["double"],           make: (g) => g.code.emit("DNEG") },
  { weight: 3, takes: ["int"],              make: (g) => g.code.emit("I2D") },
  { weight: 3, takes: ["double"],           make: (g) => g.code.emit("D2I") },
  { weight: 4, takes: ["any"],              make: (g) => g.code.emit("DUP") },
  { weight: 1, takes: ["any"],              make: (g) => g.code.emit("DROP") },
  { weight: 3, takes: ["any", "any"],       make: (g) => g.code.emit("SWAP") },
  { weight: 3, takes: ["any", "any"],       make: (g) => g.code.emit("OVER") },
  { weight: 1, takes: ["any", "any"],       make: (g) => g.code.emit("NIP") },
  { weight: 2, takes: ["any", "any", "any"], make: (g) => g.code.emit("ROT") },
  { weight: 2, takes: ["int"],              make: (g) => g.code.emit("LOG") },
  { weight: 3, takes: ["int"],              make: (g) => g.code.emit("LOAD") },
  { weight: 2, takes: ["int", "int"],       make: (g) => g.code.emit("STORE") },
  { weight: 3, takes: [],                   make: (g) => g.local() },
  { weight: 2, takes: ["int"],              make: (g) => g.setLocal() },
  { weight: 2, takes: ["int"],              make: (g) => g.keep() },
  { weight: 1, takes: [],                   make: (g) => g.unkeep() },
  { weight: 4, takes: [],                   make: (g) => g.superinstruction() },
  { weight: 2, takes: [],                   make: (g) => g.eitherKind() },
  { weight: 2, takes: ["int"],              make: (g) => g.code.emit(g.oneOf(["BOXI", "BOXI", "BOXB"])) },
  { weight: 2, takes: ["double"],           make: (g) => g.code.emit("BOXD") },
  { weight: 1, takes: [],                   make: (g) => g.someBox() },
  { weight: 1, takes: [],                   make: (g) => g.loadBox() },
  { weight: 2, takes: ["box"],              make: (g) => g.storeBox() },
  { weight: 1, takes: ["box"],              make: (g) => g.code.emit("TAG") },
  { weight: 4, takes: ["box"],              make: (g) => g.unboxed() },
  { weight: 2, takes: ["box", "box"],       make: (g) => g.code.call("SUPER", g.addBoxes) },
  { weight: 5, takes: [],                   make: (g) => g.choice() },
  { weight: 4, takes: [],                   make: (g) => g.loop(2 + g.below(5)) },
  { weight: 2, takes: [],                   make: (g) => g.procedureCall() },
];

class BytecodeGenerator {
  readonly code = new CodeBuilder();
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
  private returnWordsAtStart = 0;

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
    return { words: this.code.finish() };
  }

  private drawSuper(): BytecodeCallee {
    const kinds: readonly CellContents[] = ["int", "int", "double", "double", "box"];
    const some = (count: number): CellContents[] =>
      Array.from({ length: count }, () => this.oneOf(kinds));
    return { takes: some(this.below(3)), gives: some(1 + this.below(2)), at: null };
  }

  private makeMain(): void {
    this.code.begin({ takes: Array(ARGUMENTS).fill("int"), gives: [], at: null });
    this.isRecursive = false;
    this.callsLeft = 2;
    for (let i = 0; i < ARGUMENTS; i++) {
      this.code.emit("DUP");
      this.code.emit("LITC", i);
      this.code.emit("STORE");
      this.code.emit("ROT");
    }
    for (let b = 0; b < BOXES; b++) {
      this.literal();
      this.code.emit(this.oneOf(["BOXI", "BOXB"]));
      this.code.emit("LITC", BOXES_AT + b);
      this.code.emit("STORE");
    }
    this.code.emit("BOXI");
    this.loop(6 + this.below(6), MAIN_MIN + this.below(MAIN_MAX - MAIN_MIN + 1));
    this.fragments(3);
    this.code.emit("HALT");
  }

  /** Makes a procedure of a decreasing counter and a value. */
  private makeProcedure(callee: BytecodeCallee): void {
    const { code } = this;
    code.begin(callee);
    this.isRecursive = true;
    this.loops = LOOPS_MAX - 1;
    this.callsLeft = 1 + this.below(2);
    code.emit("OVER");
    code.emit("LITC", 1);
    code.emit("ILT");
    const isPositive = code.jump("JZ");
    const cells = [...code.cells];
    this.emitExit(callee);
    code.bind(isPositive);
    code.cells = cells;
    // The counter is kept on the return stack, where nothing changes it.
    code.emit("SWAP");
    code.emit("TOR");
    this.counters = 1;
    this.fragments(2 + this.below(5));
    this.procedureCall();
    this.fragments(1 + this.below(5));
    this.emitExit(callee);
    this.counters = 0;
    this.loops = 0;
  }

  private makeSuper(callee: BytecodeCallee): void {
    this.code.begin(callee);
    this.isRecursive = false;
    this.callsLeft = 0;
    this.loops = LOOPS_MAX; // they are used in loops, and by each other
    this.fragments(1 + this.below(6));
    this.emitExit(callee);
    this.loops = 0;
  }

  private makeAsDouble(): void {
    const { code, asDouble } = this;
    code.begin(asDouble);
    const isDouble = code.jump("JNZ");
    code.emit("I2D");
    code.bind(isDouble);
    code.emit("EXIT");
  }

  /** Adds integers if both boxes contain integers, as most do; otherwise Doubles. */
  private makeAddBoxes(): void {
    const { code, addBoxes, unbox } = this;
    code.begin(addBoxes);
    code.emit("OVER");
    this.emitTagTest(TAGS.integer);
    code.emit("OVER");
    this.emitTagTest(TAGS.integer);
    code.emit("IAND");
    const isOther = code.jump("JZ");
    const cells = [...code.cells];
    code.emit("UNBOXI");
    code.emit("SWAP");
    code.emit("UNBOXI");
    code.emit("IADD");
    code.emit("BOXI");
    code.emit("EXIT");
    code.bind(isOther);
    code.cells = cells;
    code.call("SUPER", unbox);
    code.emit("I2D");
    code.emit("SWAP");
    code.call("SUPER", unbox);
    code.emit("I2D");
    code.emit("DADD");
    code.emit("BOXD");
    code.emit("EXIT");
  }

  private makeUnbox(): void {
    const { code, unbox } = this;
    code.begin(unbox);
    for (const [tag, name] of [
      [TAGS.integer, "UNBOXI"],
      [TAGS.double, "UNBOXD"],
    ] as const) {
      code.emit("DUP");
      this.emitTagTest(tag);
      const isOther = code.jump("JZ");
      const cells = [...code.cells];
      code.emit(name);
      if (code.top() === "double") {
        code.emit("DNEG");
        code.emit("D2I");
      }
      code.emit("EXIT");
      code.bind(isOther);
      code.cells = cells;
    }
    code.emit("UNBOXB");
    code.emit("LITC", 1);
    code.emit("IXOR");
    code.emit("EXIT");
  }

  /** Tests the tag of the box on top. */
  private emitTagTest(tag: number): void {
    this.code.emit("TAG");
    this.code.emit("LITC", tag);
    this.code.emit("IEQ");
  }

  private emitExit({ gives }: BytecodeCallee): void {
    this.balance(gives, 0);
    this.code.emit("EXIT");
  }

  /** Emits fragments, which leave cells of arbitrary kinds. */
  private fragments(count: number): void {
    this.budget = count;
    while (this.budget-- > 0) this.fragment();
  }

  private fragment(): void {
    const { cells } = this.code;
    const possible = MAKERS.filter(
      ({ takes }) =>
        takes.length <= cells.length &&
        takes.every((kind, i) => kind === "any" || kind === cells[cells.length - takes.length + i]),
    );
    this.oneOf(possible.flatMap((maker) => Array<FragmentMaker>(maker.weight).fill(maker))).make(
      this,
    );
    while (this.code.cells.length > CELLS_MAX) this.code.emit("DROP");
  }

  /** Emits fragments, and then restores the previous stack kinds. */
  private body(count: number, carriesBox = false): void {
    const { code } = this;
    const [cells, kept] = [[...code.cells], code.returnWords];
    const { budget, returnWordsAtStart } = this;
    this.returnWordsAtStart = kept;
    this.nested++;
    if (carriesBox) this.carriedBox();
    this.fragments(count);
    this.nested--;
    this.budget = budget;
    this.returnWordsAtStart = returnWordsAtStart;
    this.balance(cells, kept);
  }

  /** Converts the stacks to these kinds, reusing their contents where possible. */
  private balance(kinds: readonly CellContents[], kept: number): void {
    const { code } = this;
    while (code.returnWords > kept) {
      code.emit("RFROM");
      code.emit("DROP");
    }
    while (code.cells.length > kinds.length) this.merge();
    const isMatching = (count: number): boolean =>
      code.cells.slice(0, count).every((kind, i) => kind === kinds[i]);
    while (!isMatching(code.cells.length)) {
      if (!isMatching(code.cells.length - 1)) code.emit("DROP");
      else this.convert(kinds[code.cells.length - 1]);
    }
    for (const kind of kinds.slice(code.cells.length)) {
      code.emit("LITC", drawInteger(this.source));
      this.convert(kind);
    }
  }

  /** Converts the top to that kind. */
  private convert(kind: CellContents): void {
    const { code } = this;
    if (code.top() === kind) return;
    if (code.top() === "box") code.call("SUPER", this.unbox);
    if (kind === "box") code.emit(code.top() === "int" ? "BOXI" : "BOXD");
    else if (code.top() !== kind) code.emit(kind === "double" ? "I2D" : "D2I");
  }

  /** Removes one cell. */
  private merge(): void {
    const { code } = this;
    if (code.cells.length === 1) code.emit("DROP");
    else if (code.top() !== code.top(1)) code.emit(this.below(2) === 0 ? "NIP" : "DROP");
    else if (code.top() === "box") code.call("SUPER", this.addBoxes);
    else code.emit(code.top() === "int" ? this.oneOf(["IADD", "IXOR"]) : "DADD");
  }

  literal(): void {
    this.code.emit("LITC", drawInteger(this.source));
  }

  /** Words above the counters of loops may be changed. */
  local(): void {
    const { code } = this;
    if (code.returnWords > 0 && this.below(2) === 0)
      code.emit("LOCAL", this.below(code.returnWords));
    else this.argument();
  }

  /** Loads one of the arguments, unless it was overwritten. */
  private argument(): void {
    this.code.emit("LITC", this.below(ARGUMENTS + 1));
    this.code.emit("LOAD");
  }

  setLocal(): void {
    const free = this.code.returnWords - this.counters;
    if (free > 0) this.code.emit("SETLOCAL", this.below(free));
    else this.keep();
  }

  keep(): void {
    if (this.code.returnWords - this.counters < 3) this.code.emit("TOR");
    else this.code.emit("DROP");
  }

  unkeep(): void {
    if (this.code.returnWords > Math.max(this.counters, this.returnWordsAtStart))
      this.code.emit("RFROM");
    else this.literal();
  }

  superinstruction(): void {
    if (this.supers.length === 0) {
      this.literal();
      return;
    }
    const callee = this.oneOf(this.supers);
    this.pushFor(callee.takes);
    this.code.call("SUPER", callee);
  }

  /** Pushes cells of these kinds, unless they are on top already. */
  private pushFor(kinds: readonly CellContents[]): void {
    const { code } = this;
    if (kinds.every((kind, i) => code.top(kinds.length - 1 - i) === kind)) return;
    for (const kind of kinds) {
      this.local();
      this.convert(kind);
    }
  }

  /** Makes a value whose kind depends on the word on top of it. */
  eitherKind(): void {
    const { code } = this;
    this.local();
    const isDouble = code.jump("JNZ");
    const cells = [...code.cells];
    this.literal();
    code.emit("LITC", 0);
    const end = code.jump("JUMP");
    code.bind(isDouble);
    code.cells = cells;
    this.literal();
    code.emit("I2D");
    code.emit("LITC", 1);
    code.bind(end);
    code.cells.splice(-2, 2, "any", "int");
    code.call("SUPER", this.asDouble);
  }

  /** Makes a box whose tag depends on a word. */
  someBox(): void {
    const { code } = this;
    this.local();
    this.maybeBit();
    this.eitherBox(() => {
      this.local();
      if (this.below(2) > 0) code.emit("I2D");
    });
  }

  /** Makes a boxed integer, or, if the top is not 0, a box of another tag. */
  private eitherBox(pushOther: () => void): void {
    const { code } = this;
    const isOther = code.jump("JNZ");
    const cells = [...code.cells];
    this.literal();
    code.emit("BOXI");
    const end = code.jump("JUMP");
    code.bind(isOther);
    code.cells = cells;
    pushOther();
    code.emit(code.top() === "int" ? "BOXB" : "BOXD");
    code.bind(end);
  }

  /** Loads a box of the data, which other traces and iterations may have stored. */
  loadBox(): void {
    const { code } = this;
    code.emit("LITC", BOXES_AT + this.below(BOXES));
    code.emit("LOAD");
    code.cells.splice(-1, 1, "box");
  }

  storeBox(): void {
    this.code.emit("LITC", BOXES_AT + this.below(BOXES));
    this.code.emit("STORE");
  }

  /**
   * Uses the box that the last iteration left, whose tag depends on the iteration, and makes one
   * for the next.
   */
  private carriedBox(): void {
    const { code } = this;
    this.loadBox();
    code.call("SUPER", this.unbox);
    code.emit("LOG");
    code.emit("LOCAL", 0);
    code.emit("LITC", 1 + this.below(2));
    code.emit("IAND");
    this.eitherBox(() => {
      this.literal();
      if (this.below(2) === 0) code.emit("I2D");
    });
    this.storeBox();
  }

  /** Unboxes the box on top; some code assumes a tag without a test. */
  unboxed(): void {
    const { code } = this;
    if (this.below(6) === 0) code.emit(this.oneOf(["UNBOXI", "UNBOXB", "UNBOXD"]));
    else code.call("SUPER", this.unbox);
  }

  /** Emits a branch on a cell, a word, or a bit of it. */
  choice(): void {
    const { code } = this;
    if (this.nested >= NESTED_MAX) return;
    if (code.top() !== "int" || this.below(2) === 0) this.local();
    this.maybeBit();
    const other = code.jump(this.oneOf(["JZ", "JNZ"] as const));
    this.body(1 + this.below(5));
    if (this.below(2) === 0) {
      code.bind(other);
      return;
    }
    const end = code.jump("JUMP");
    code.bind(other);
    this.body(1 + this.below(5));
    code.bind(end);
  }

  /** Takes a bit of the top, half of the time. */
  private maybeBit(): void {
    if (this.below(2) > 0) return;
    this.code.emit("LITC", 1 << this.below(4));
    this.code.emit("IAND");
  }

  loop(times: number, size = 6): void {
    const { code } = this;
    if (this.nested >= NESTED_MAX || this.loops >= LOOPS_MAX) return;
    const { counters } = this;
    const carriesBox = this.below(3) === 0;
    this.loops++;
    code.emit("LITC", times);
    code.emit("TOR");
    this.counters = code.returnWords;
    const start = code.words.length;
    if (this.below(3) > 0) {
      this.body(1 + this.below(size), carriesBox);
      this.countDown();
      code.emit("LOOPNZ", start);
    } else {
      this.countDown();
      const end = code.jump("JZ");
      this.body(1 + this.below(size), carriesBox);
      code.emit("LOOP", start);
      code.bind(end);
    }
    code.emit("RFROM");
    code.emit("DROP");
    this.counters = counters;
    this.loops--;
  }

  private countDown(): void {
    const { code } = this;
    code.emit("LOCAL", 0);
    code.emit("LITC", 1);
    code.emit("ISUB");
    code.emit("DUP");
    code.emit("SETLOCAL", 0);
  }

  /** A procedure passes its argument minus one; other code passes a small number. */
  procedureCall(): void {
    const { code } = this;
    if (this.procedures.length === 0 || this.callsLeft === 0) return;
    if (code.top() !== "int" || (this.isRecursive && this.nested > 0)) return;
    this.callsLeft--;
    if (this.isRecursive) {
      code.emit("LOCAL", code.returnWords - 1);
      code.emit("LITC", 1);
      code.emit("ISUB");
    } else code.emit("LITC", this.below(3) === 0 ? 300 : this.below(6));
    code.emit("SWAP");
    code.call("CALL", this.oneOf(this.procedures));
  }
}

/** Makes a callee with a counter and a value as arguments. */
const PROCEDURE = (): BytecodeCallee => ({ takes: ["int", "int"], gives: ["int"], at: null });
