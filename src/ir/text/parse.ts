// Parses a text to a module. The text may be arbitrary input: everything is bounded, every error has a position, and
// time and memory are linear in the text.
//
// There is one pass. A reference to a later definition makes the object, and the definition fills it; at the end of a
// procedure every referenced object must be defined. The parser checks only the grammar: `parseText` builds the module
// as written, and the verifier decides whether it is a program.

import { nearestName } from "../../support/nearest.js";
import { hostFunctionNamed } from "../host-functions.js";
import {
  ALL_OPCODES,
  hasAttribute,
  isReturn,
  nameOfOpcode,
  OPCODES,
  Op,
  type Opcode,
  type OperandSpec,
  opcodeNamed,
  specOf,
  typeOfName,
} from "../opcodes.js";
import {
  BasicBlock,
  CLASS_MAX,
  FURTHER_MAX,
  Module,
  Procedure,
  Snapshot,
  StackSlot,
  Value,
} from "../procedure.js";
import { Int32, TYPE_NAMES, type Type, typeNamed, Void } from "../types.js";
import {
  describeFault,
  FRAME_SIZE_MAX,
  HEAP_SIZE_MAX,
  isHeapSize,
  type ModuleFault,
  verify,
} from "../verify/verify.js";
import { checkSize, decodeText, Lexer, NUMBER_MAX, ParseError } from "./lexer.js";
import { quote } from "./literals.js";
import { parseWords } from "./parse-constants.js";
import { FrameParser, SLOTS_MAX, SNAPSHOT_SLOTS_MAX } from "./parse-frames.js";
import { lineIn, type ProcedureLines } from "./parse-lines.js";
import { parseDeoptHost, parseKind, parseOrder, parseRegister } from "./parse-patchpoints.js";
import { CASES_MAX, SwitchParser } from "./parse-switch.js";
import { FORMAT_VERSION } from "./print.js";

/** The limits of one text, in addition to FILE_MAX and LINE_MAX. */
export const BOUNDS = {
  values: 1_000_000,
  blocks: 100_000,
  cases: CASES_MAX,
  snapshotSlots: SNAPSHOT_SLOTS_MAX,
  slots: SLOTS_MAX,
  continuations: 100_000,
  /** Ids index side tables, so gaps cost memory: the limit of the sum over all procedures of the ids in use. */
  ids: 1 << 22,
} as const;

/** A module, and the lines of its parts in the text. */
interface ParsedModule {
  readonly module: Module;
  /** Returns the line, from 1, of a fault that `verify` found in the module. */
  readonly lineOf: (fault: ModuleFault) => number;
}

/**
 * Parses and verifies the module of a text.
 * @throws ParseError, also for the verifier's faults: the first in the order of the text
 */
export function parseModule(text: string): Module {
  const { module, lineOf } = parseText(text);
  const faults = verify(module);
  if (faults.length === 0) return module;
  const first = faults.reduce((x, y) => (lineOf(y) < lineOf(x) ? y : x));
  const others = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  const line = lineOf(first);
  throw new ParseError(line, indentOf(text, line) + 1, describeFault(first) + others);
}

function indentOf(text: string, line: number): number {
  let start = 0;
  for (let l = 1; l < line; l++) start = text.indexOf("\n", start) + 1;
  let at = start;
  while (text[at] === " " || text[at] === "\t") at++;
  return at - start;
}

/** Parses and verifies a module, from the bytes of a file. */
export const readModule = (bytes: Uint8Array): Module => parseModule(decodeText(bytes));

/**
 * Parses the module of a text, without verifying it.
 * @throws ParseError
 */
export function parseText(text: string): ParsedModule {
  checkSize(text.length);
  return new Parser(text).parse();
}

const TAKES_SNAPSHOT = ALL_OPCODES.map((opcode) => hasAttribute(opcode, "Snapshot"));
const TYPE_BY_NAME = new Map<string, Type>(TYPE_NAMES.map((name) => [name, typeOfName(name)]));
/** By opcode: the type of the result, for rows whose result is one type. */
const RESULT_TYPE = ALL_OPCODES.map((opcode) => typeNamed(specOf(opcode).result) ?? Void);
const DECIMAL = /^\d+(?:\.\d+)?(?:e[+-]?\d+)?$/;
const SMALL_P = "p".charCodeAt(0);
const HASH = "#".charCodeAt(0);
const CLOSING_BRACE = "}".charCodeAt(0);
const CLOSING_PARENTHESIS = ")".charCodeAt(0);

class Parser {
  private readonly text: string;
  private readonly lexer: Lexer;
  private readonly module = new Module();
  private readonly procedures = new Map<string, Procedure>();
  private readonly lines = new Map<string, ProcedureLines>();
  private readonly pendingCallees: { value: Value; name: string; at: number }[] = [];
  private readonly resumptions = new Map<number, { name: string; at: number }[]>();
  private valueCount = 0;
  private blockCount = 0;
  private valueIdsBefore = 0;
  private blockIdsBefore = 0;
  private snapshotIdsBefore = 0;

  // Parts of the current procedure. The tables by id are reused for all procedures, and cleared between them.
  private proc = new Procedure("", Void);
  private readonly values: (Value | undefined)[] = [];
  private valueIdEnd = 0;
  private valueLines = new Int32Array(256);
  private blocks = new Map<number, BasicBlock>();
  private blockLines = new Map<number, number>();
  private snapshots = new Map<number, Snapshot>();
  private snapshotLines = new Map<number, number>();
  private stackSlots = new Map<number, StackSlot>();
  /** Values that were referenced before their definition, with the offsets of the references. */
  private readonly pendingValues: number[] = [];
  private readonly pendingBlocks: number[] = [];
  private readonly switches: SwitchParser;
  private readonly frames: FrameParser;

  constructor(text: string) {
    this.text = text;
    this.lexer = new Lexer(text);
    this.switches = new SwitchParser(this.lexer, () => this.parseBlockReference());
    this.frames = new FrameParser(
      this.lexer,
      () => this.parseReference(),
      () => this.parseStackSlotReference(),
    );
  }

  parse(): ParsedModule {
    const { lexer, module, lines } = this;
    lexer.skipLines();
    lexer.keyword("touchstone");
    const versionAt = lexer.at;
    const version = lexer.count(NUMBER_MAX, "the version of the text form");
    if (version !== FORMAT_VERSION) {
      lexer.expected(`version ${FORMAT_VERSION} of the text form`, versionAt);
    }
    lexer.endLine();
    lexer.skipLines();
    if (lexer.acceptWord("heap")) this.parseHeap();
    while (this.atWord("exit")) this.parseResumption();
    do this.parseProcedure();
    while (this.lexer.at < this.text.length);
    this.connectCallees();
    this.connectResumptions();
    const lineOf = (fault: ModuleFault): number => lineIn(lines.get(fault.procedure), fault);
    return { module, lineOf };
  }

  private atWord(word: string): boolean {
    this.lexer.skipLines();
    return this.lexer.acceptWord(word);
  }

  private parseHeap(): void {
    const { lexer } = this;
    const start = lexer.tokenStart();
    this.module.heapSize = lexer.count(HEAP_SIZE_MAX, "the size of the heap");
    if (!isHeapSize(this.module.heapSize)) lexer.expected("a multiple of 4096", start);
    lexer.endLine();
  }

  private parseResumption(): void {
    const { lexer, resumptions } = this;
    const start = lexer.tokenStart();
    const exit = lexer.count(NUMBER_MAX, "the number of an exit");
    if (resumptions.has(exit)) lexer.fail(`exit ${exit} already has continuations`, start);
    lexer.keyword("resumes");
    const names: { name: string; at: number }[] = [];
    do {
      lexer.skipBlanks();
      names.push({ at: lexer.at, name: lexer.name("the name of a procedure") });
      if (names.length + resumptions.size > BOUNDS.continuations) {
        lexer.fail(`more than ${BOUNDS.continuations} continuations`);
      }
    } while (lexer.accept(","));
    resumptions.set(exit, names);
    lexer.endLine();
  }

  private connectResumptions(): void {
    for (const [exit, names] of this.resumptions) {
      const continuations = names.map(({ name, at }) => {
        const proc = this.procedures.get(name);
        return proc ?? this.lexer.fail(`no procedure has the name ${quote(name)}`, at);
      });
      this.module.continuations.set(exit, continuations);
    }
  }

  private parseProcedure(): void {
    const { lexer } = this;
    lexer.skipLines();
    lexer.keyword("proc");
    const start = lexer.tokenStart();
    const head = lexer.line;
    const name = lexer.name("the name of a procedure");
    if (this.procedures.has(name)) lexer.fail(`a procedure has the name ${quote(name)}`, start);
    lexer.expect("(");
    const parameters: Value[] = [];
    if (!lexer.accept(")")) {
      do parameters.push(this.parseParameter(parameters.length));
      while (lexer.accept(","));
      lexer.expect(")");
    }
    lexer.expect("->");
    const result = this.parseType();
    const further: Type[] = [];
    while (lexer.accept(",")) further.push(this.parseFurther(further.length));
    this.proc = new Procedure(name, result, further);
    for (const parameter of parameters) this.proc.parameters.push(parameter);
    lexer.endLine();
    this.parseDeclarations();
    this.parseBlocks();
    this.finishProcedure(head);
  }

  private parseFurther(count: number): Type {
    if (count === FURTHER_MAX) this.lexer.fail(`more than ${FURTHER_MAX} further results`);
    return this.parseType();
  }

  private parseParameter(index: number): Value {
    const type = this.parseType();
    const value = this.defineValue();
    value.opcode = Op.Parameter;
    value.type = type;
    value.parameterIndex = index;
    return value;
  }

  private parseType(): Type {
    const { lexer } = this;
    const start = lexer.at;
    return TYPE_BY_NAME.get(lexer.word()) ?? lexer.expected("a type", start);
  }

  private parseDeclarations(): void {
    for (;;) {
      if (this.atWord("slot")) this.parseStackSlot();
      else if (this.atWord("snapshot")) this.parseSnapshot();
      else break;
    }
    if (this.lexer.skipLines() !== HASH) this.lexer.expected("a slot, a snapshot or a block '#0:'");
  }

  private parseStackSlot(): void {
    const { lexer, stackSlots } = this;
    const start = lexer.tokenStart();
    const id = lexer.id("stack", NUMBER_MAX);
    if (stackSlots.has(id)) lexer.fail(`stack${id} is declared twice`, start);
    lexer.expect("=");
    const isLocked = lexer.acceptWord("locked");
    if (!isLocked && !lexer.acceptWord("anonymous")) lexer.expected("'anonymous' or 'locked'");
    const size = lexer.count(FRAME_SIZE_MAX, "the size of the slot in bytes");
    const slot = new StackSlot(id, size, isLocked);
    stackSlots.set(id, slot);
    this.proc.slots.push(slot);
    lexer.endLine();
  }

  private parseSnapshot(): void {
    const { lexer, snapshots } = this;
    const start = lexer.tokenStart();
    const line = lexer.line;
    const id = lexer.id("s", BOUNDS.ids - 1 - this.snapshotIdsBefore);
    if (snapshots.has(id)) lexer.fail(`s${id} is defined twice`, start);
    lexer.expect("=");
    lexer.keyword("exit");
    const snapshot = new Snapshot(id, lexer.count(NUMBER_MAX, "the number of the exit"));
    snapshots.set(id, snapshot);
    this.snapshotLines.set(id, line);
    this.proc.snapshots.push(snapshot);
    this.proc.snapshotIdEnd = Math.max(this.proc.snapshotIdEnd, id + 1);
    if (lexer.acceptWord("block")) this.parseExitBlock(snapshot);
    lexer.keyword("frames");
    lexer.expect("[");
    this.frames.parse(snapshot.frames);
    lexer.expect("]");
    lexer.endLine();
  }

  private parseExitBlock(snapshot: Snapshot): void {
    const { lexer } = this;
    lexer.expect("{");
    lexer.endLine();
    while (lexer.skipLines() !== CLOSING_BRACE) snapshot.values.push(this.parseValue(null));
    lexer.expect("}");
  }

  private parseBlocks(): void {
    const { lexer } = this;
    let block = this.parseBlockHead();
    for (;;) {
      const char = lexer.skipLines();
      if (char === HASH) block = this.parseBlockHead();
      else if (char === SMALL_P || lexer.at >= this.text.length) break;
      else block.values.push(this.parseValue(block));
    }
  }

  private parseBlockHead(): BasicBlock {
    const { lexer, blockLines } = this;
    const start = lexer.tokenStart();
    const block = this.parseBlockReference();
    if (blockLines.has(block.id)) lexer.fail(`#${block.id} is defined twice`, start);
    blockLines.set(block.id, lexer.line);
    this.proc.blocks.push(block);
    if (lexer.acceptWord("frequency")) block.frequency = this.parseFrequency();
    lexer.expect(":");
    lexer.endLine();
    return block;
  }

  private parseFrequency(): number {
    const { lexer } = this;
    const start = lexer.at;
    const token = lexer.decimal();
    if (!DECIMAL.test(token)) lexer.expected("a positive decimal", start);
    return Number(token);
  }

  private parseBlockReference(): BasicBlock {
    const { lexer, blocks } = this;
    const start = lexer.tokenStart();
    const id = lexer.id("#", BOUNDS.ids - 1 - this.blockIdsBefore);
    const known = blocks.get(id);
    if (known !== undefined) return known;
    if (++this.blockCount > BOUNDS.blocks) lexer.fail(`more than ${BOUNDS.blocks} blocks`, start);
    const block = new BasicBlock(id);
    blocks.set(id, block);
    this.pendingBlocks.push(id, start);
    this.proc.blockIdEnd = Math.max(this.proc.blockIdEnd, id + 1);
    return block;
  }

  private parseValue(block: BasicBlock | null): Value {
    const { lexer } = this;
    const type = this.parseType();
    const value = this.defineValue();
    lexer.expect("=");
    const start = lexer.at;
    const word = lexer.word();
    const opcode = opcodeNamed(word);
    if (opcode === null || opcode === Op.Parameter) {
      return lexer.expected("an opcode", start, opcodeHint(word));
    }
    value.opcode = opcode;
    value.type = type;
    value.block = block;
    lexer.expect("(");
    this.parseArguments(value, block);
    if (!lexer.accept(")")) lexer.expected("')'", lexer.at, shapeOf(opcode));
    if (TAKES_SNAPSHOT[opcode]) value.extra = this.parseSnapshotReference();
    lexer.endLine();
    return value;
  }

  private parseArguments(value: Value, block: BasicBlock | null): void {
    const { lexer } = this;
    const { args } = specOf(value.opcode);
    for (let i = 0; i < args.length; i++) {
      const arg = args[i];
      if (arg === "Snapshot") break;
      if (arg === "Offset") {
        if (lexer.accept(",")) this.parsePlace(value);
      } else if (arg === "Rest") {
        value.rest = [];
        while (lexer.accept(",")) value.rest.push(this.parseReference());
      } else if (arg === "Further") {
        if (lexer.accept(",")) value.b = this.parseReference();
        if (value.b !== null && lexer.accept(",")) value.c = this.parseReference();
      } else {
        if (i > 0) lexer.expect(",");
        else if (isReturn(value.opcode) && lexer.skipBlanks() === CLOSING_PARENTHESIS) break;
        this.parseArgument(value, arg, block);
      }
    }
  }

  private parseArgument(value: Value, arg: OperandSpec, block: BasicBlock | null): void {
    const lexer: Lexer = this.lexer; // typed, so that `fail` narrows
    if (arg === "Const")
      [value.constantLow, value.constantHigh] = parseWords(lexer, RESULT_TYPE[value.opcode]);
    else if (arg === "Slot") value.extra = this.parseStackSlotReference();
    else if (arg === "Phi") value.extra = this.parseReference("^");
    else if (arg === "Callee") this.parseCallee(value);
    else if (arg === "Function") this.parseFunction(value);
    else if (arg === "DeoptHost") parseDeoptHost(lexer, value);
    else if (arg === "Kind") parseKind(lexer, value);
    else if (arg === "Register") parseRegister(lexer, value);
    else if (arg === "Order") parseOrder(lexer, value);
    else if (arg === "Number")
      value.resultIndex = lexer.count(FURTHER_MAX, "the number of a further result");
    else if (arg === "Block" || arg === "Cases") {
      if (block === null) lexer.fail("an exit block cannot contain a reference to a block");
      if (arg === "Cases") this.switches.parse(value, block);
      else block.successors.push(this.parseBlockReference());
    } else if (value.a === null) value.a = this.parseReference();
    else if (value.b === null) value.b = this.parseReference();
    else value.c = this.parseReference();
  }

  /** Reads `offset = n`, `class = n`, or both. */
  private parsePlace(value: Value): void {
    const { lexer } = this;
    if (!lexer.acceptWord("class")) {
      lexer.keyword("offset");
      lexer.expect("=");
      [value.offset] = parseWords(lexer, Int32);
      if (!lexer.accept(",")) return;
      lexer.keyword("class");
    }
    lexer.expect("=");
    value.memoryClass = lexer.count(CLASS_MAX, "a class of memory");
  }

  private parseCallee(value: Value): void {
    const { lexer } = this;
    const at = lexer.tokenStart();
    const name = lexer.name("the name of a host function or procedure");
    value.extra = hostFunctionNamed(name);
    if (value.extra === null) this.pendingCallees.push({ value, name, at });
  }

  private parseFunction(value: Value): void {
    const { lexer } = this;
    const at = lexer.tokenStart();
    this.pendingCallees.push({ value, name: lexer.name("the name of a procedure"), at });
  }

  /** Connects calls to procedures, which may be defined after the call. */
  private connectCallees(): void {
    for (const { value, name, at } of this.pendingCallees) {
      const proc = this.procedures.get(name);
      const kind = value.opcode === Op.CCall ? "host function or procedure" : "procedure";
      value.extra = proc ?? this.lexer.fail(`no ${kind} has the name ${quote(name)}`, at);
    }
  }

  private parseStackSlotReference(): StackSlot {
    const { lexer } = this;
    const start = lexer.tokenStart();
    const slot = this.stackSlots.get(lexer.id("stack", NUMBER_MAX));
    return slot ?? lexer.expected("a declared slot", start);
  }

  private parseSnapshotReference(): Snapshot {
    const { lexer } = this;
    const start = lexer.tokenStart();
    const snapshot = this.snapshots.get(lexer.id("s", NUMBER_MAX));
    return snapshot ?? lexer.expected("a defined snapshot", start);
  }

  /** Reads a use of a value; its definition may follow. */
  private parseReference(prefix = "@"): Value {
    const { lexer } = this;
    const start = lexer.tokenStart();
    const id = lexer.id(prefix, BOUNDS.ids - 1 - this.valueIdsBefore);
    const known = id < this.valueIdEnd ? this.values[id] : undefined;
    if (known !== undefined) return known;
    this.pendingValues.push(id, start);
    return this.makeValue(id, start);
  }

  private defineValue(): Value {
    const { lexer } = this;
    const start = lexer.tokenStart();
    const id = lexer.id("@", BOUNDS.ids - 1 - this.valueIdsBefore);
    const known = id < this.valueIdEnd ? this.values[id] : undefined;
    const value = known ?? this.makeValue(id, start);
    const line = this.valueLines[id];
    if (line !== 0) lexer.fail(`@${id} is already defined, on line ${line}`, start);
    this.valueLines[id] = lexer.line;
    return value;
  }

  private makeValue(id: number, start: number): Value {
    while (this.valueIdEnd <= id) this.values[this.valueIdEnd++] = undefined;
    if (this.valueIdEnd > this.valueLines.length) this.growLines();
    if (++this.valueCount > BOUNDS.values) {
      this.lexer.fail(`more than ${BOUNDS.values} values`, start);
    }
    const value = new Value(id, Op.Nop, Void);
    this.values[id] = value;
    return value;
  }

  private growLines(): void {
    const larger = new Int32Array(2 * this.valueIdEnd);
    larger.set(this.valueLines);
    this.valueLines = larger;
  }

  private finishProcedure(head: number): void {
    const {
      proc,
      valueIdEnd,
      lexer,
      pendingValues: awaitedValues,
      pendingBlocks: awaitedBlocks,
    } = this;
    for (let i = 0; i < awaitedValues.length; i += 2) {
      const id = awaitedValues[i];
      if (this.valueLines[id] === 0) lexer.fail(`@${id} is not defined`, awaitedValues[i + 1]);
    }
    for (let i = 0; i < awaitedBlocks.length; i += 2) {
      const id = awaitedBlocks[i];
      if (!this.blockLines.has(id)) lexer.fail(`#${id} is not defined`, awaitedBlocks[i + 1]);
    }
    this.switches.finishProcedure();
    proc.valueIdEnd = valueIdEnd;
    this.module.procedures.push(proc);
    this.procedures.set(proc.name, proc);
    this.lines.set(proc.name, {
      head,
      values: this.valueLines.slice(0, valueIdEnd),
      blocks: this.blockLines,
      snapshots: this.snapshotLines,
    });
    this.valueIdsBefore += valueIdEnd;
    this.blockIdsBefore += proc.blockIdEnd;
    this.snapshotIdsBefore += proc.snapshotIdEnd;
    this.valueLines.fill(0, 0, valueIdEnd);
    this.valueIdEnd = 0;
    this.blocks = new Map();
    this.blockLines = new Map();
    this.snapshots = new Map();
    this.snapshotLines = new Map();
    this.stackSlots = new Map();
    awaitedValues.length = 0;
    awaitedBlocks.length = 0;
  }
}

const COMPARISONS = "Equal, NotEqual, LessThan, Above, ...";

/** Our opcode for a name that other compilers use, in lower case. */
// biome-ignore format: a table
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ["ashr", "SShr"], ["sar", "SShr"], ["sshr", "SShr"], ["lshr", "ZShr"], ["shr", "ZShr"], ["ushr", "ZShr"],
  ["shl", "Shl"], ["and", "BitAnd"], ["or", "BitOr"], ["xor", "BitXor"], ["not", "BitXor with -1"],
  ["icmp", COMPARISONS], ["fcmp", COMPARISONS], ["cmp", COMPARISONS],
  ["eq", "Equal"], ["ne", "NotEqual"], ["slt", "LessThan"], ["sgt", "GreaterThan"], ["sle", "LessEqual"],
  ["sge", "GreaterEqual"], ["ult", "Below"], ["ugt", "Above"], ["ule", "BelowEqual"], ["uge", "AboveEqual"],
  ["fadd", "Add"], ["fsub", "Sub"], ["fmul", "Mul"], ["fdiv", "Div"], ["sdiv", "Div"], ["srem", "Mod"],
  ["urem", "UMod"], ["rem", "Mod"], ["sext", "SExt32"], ["zext", "ZExt32"], ["trunc", "Trunc"],
  ["br", "Jump or Branch"], ["goto", "Jump"], ["ret", "Return"], ["call", "CCall"], ["alloca", "SlotBase"],
  ["bitcast", "BitwiseCast"], ["sitofp", "IToD"], ["uitofp", "UToD"], ["ctlz", "Clz"], ["cttz", "Ctz"],
  ["popcount", "PopCnt"], ["ctpop", "PopCnt"], ["bswap", "ByteSwap"], ["fma", "FusedMulAdd"],
]);
const NAMES = Object.keys(OPCODES);

/** Returns a suggestion for the unknown opcode `word`; empty if no name is similar. */
function opcodeHint(word: string): string {
  const lower = word.toLowerCase();
  const name =
    NAMES.find((known) => known.toLowerCase() === lower) ??
    FOREIGN.get(lower) ??
    nearestName(word, NAMES);
  return name === null || name === "Parameter" ? "" : `; did you mean ${name}?`;
}

/** Returns the operands of the opcode, as a hint. */
const shapeOf = (opcode: Opcode): string =>
  `; ${nameOfOpcode(opcode)} takes (${specOf(opcode).args.join(", ")})`;
