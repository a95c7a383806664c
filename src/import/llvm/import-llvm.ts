// Imports a function of LLVM IR as a program.
//
// The program takes an address of the heap, a mask of the contents of objects, the function's parameters, and initial
// writes. It makes the objects, runs the function, records the result, and returns. Undefined behavior is an exit
// (rules.ts); poison is a flag beside a value, and a state of a byte.

import { Op } from "../../ir/opcodes.js";
import { Module, type Procedure, type Value } from "../../ir/procedure.js";
import { Double, Float, Int32, Int64, Void } from "../../ir/types.js";
import { describeFault, verify } from "../../ir/verify/verify.js";
import { LlvmError } from "../../llvm/llvm-error.js";
import type { LlvmFunction, LlvmGlobal, LlvmModule } from "../../llvm/module.js";
import { allocSize, storeSize } from "../../llvm/types.js";
import type { ExitNumbers } from "../emitter.js";
import { resultTypes, returnLeaves } from "./calls.js";
import type { FunctionContext, ProgramContext } from "./context.js";
import { LlvmEmitter } from "./emitter.js";
import { type ReturnWriter, writeBody } from "./function-writer.js";
import { writeInitialValue } from "./initial-values.js";
import { writeInstruction } from "./instructions.js";
import { BYTE_STATES, CELLS, CONTENTS, type LlvmLayout } from "./layout.js";
import { type LlvmScalars, registerType, scalarsOf } from "./leaves.js";
import { type RangeProcedures, type RefinementSide, rangeProcedures } from "./memory.js";
import { digestProcedure, host, record } from "./observe.js";
import { constrained } from "./operands.js";
import { type LlvmSubject, parameterTypes } from "./subject.js";

export interface ImportedLlvm {
  readonly module: Module;
  /** Values of the entry whose alternatives a search of inputs tries. */
  readonly decisions: ReadonlySet<Value>;
  /** The procedure that writes the contents of objects. */
  readonly contents: Procedure;
}

/** The bytes of each object whose contents the mask changes. */
const MASKED_BYTES = 1024;
/** The distance between the contents of two objects. */
const CONTENTS_STEP = 520;
/** The name under which the result is recorded. */
export const RESULT_NAME = "result";
/** The state of a digest whose global does not exist in the text. */
export const ABSENT_DIGEST = 2;

/**
 * Imports a function.
 * @throws LlvmError with the line that is malformed or not supported
 */
export function importLlvm(
  llvm: LlvmModule,
  subject: LlvmSubject,
  layout: LlvmLayout,
  side: RefinementSide,
): ImportedLlvm {
  return new LlvmImport(llvm, subject, layout, side).run();
}

class LlvmImport implements ProgramContext {
  readonly llvm: LlvmModule;
  readonly layout: LlvmLayout;
  readonly side: RefinementSide;
  readonly ranges: RangeProcedures;
  private readonly subject: LlvmSubject;
  private readonly digest: Procedure;
  private readonly exits: ExitNumbers = { next: 0 };
  private readonly module = new Module();
  private readonly procedures = new Map<string, Procedure>();
  private readonly pending: { readonly called: LlvmFunction; readonly e: LlvmEmitter }[] = [];
  private readonly globals = new Set<LlvmGlobal>();
  private readonly decisions = new Set<Value>();

  constructor(llvm: LlvmModule, subject: LlvmSubject, layout: LlvmLayout, side: RefinementSide) {
    this.llvm = llvm;
    this.subject = subject;
    this.layout = layout;
    this.side = side;
    this.ranges = rangeProcedures(layout);
    this.digest = digestProcedure(layout);
    this.module.heapSize = layout.heapBytes;
  }

  run(): ImportedLlvm {
    const { llvm, subject, module } = this;
    const called = llvm.functions.get(subject.name);
    if (called === undefined) throw new LlvmError(1, `expected a function @${subject.name}`);
    if (called.outside !== null) throw new LlvmError(called.line, called.outside, true);
    for (const name of subject.visibleGlobals) {
      const global = llvm.globals.get(name);
      if (global !== undefined) this.useGlobal(global);
    }
    const e = new LlvmEmitter("entry", [], this.exits);
    module.procedures.push(e.proc);
    const start = new LlvmEmitter("$globals", [], this.exits);
    const contents = this.contentsProcedure();
    this.writeEntry(e, called, start.proc, contents);
    for (let next = this.pending.pop(); next !== undefined; next = this.pending.pop()) {
      this.writeProcedure(next.called, next.e);
    }
    this.writeGlobals(start);
    const helpers = [start.proc, contents, this.digest, this.ranges.statesIn, this.ranges.unmark];
    module.procedures.push(...helpers);
    const [fault] = verify(module);
    if (fault !== undefined) throw new LlvmError(called.line, describeFault(fault), true);
    return { module, decisions: this.decisions, contents };
  }

  procedureOf(called: LlvmFunction): Procedure {
    const known = this.procedures.get(called.name);
    if (known !== undefined) return known;
    const { line } = called;
    const results =
      called.type.kind === "void"
        ? []
        : scalarsOf(called.type, line).map(({ type }) => registerType(type, line));
    const e = new LlvmEmitter(`$${called.name}`, resultTypes(results), this.exits);
    e.proc.newParameter(Int64);
    for (const { type } of called.parameters) {
      for (const { type: scalar } of scalarsOf(type, line)) {
        e.proc.newParameter(registerType(scalar, line));
        e.proc.newParameter(Int32);
      }
    }
    this.procedures.set(called.name, e.proc);
    this.module.procedures.push(e.proc);
    this.pending.push({ called, e });
    return e.proc;
  }

  expression = writeInstruction;

  useGlobal(global: LlvmGlobal): void {
    this.globals.add(global);
  }

  recordMemory({ e, base }: FunctionContext): void {
    const { subject, layout, llvm } = this;
    const hidden = new Set(
      subject.parameters.flatMap(({ object, isPrivate }) => (isPrivate ? [object] : [])),
    );
    for (const [object, { at, size }] of layout.objects.entries()) {
      if (!hidden.has(object)) this.recordDigest(e, base, at, size);
    }
    for (const name of subject.visibleGlobals) {
      const global = llvm.globals.get(name);
      const place = layout.globals.get(name);
      if (place === undefined) continue;
      const isSame = global !== undefined && sizeOfGlobal(global) === place.size;
      if (isSame) this.recordDigest(e, base, place.at, place.size);
      else this.recordAbsent(e);
    }
  }

  private recordDigest(e: LlvmEmitter, base: Value, at: number, size: number): void {
    const begin = e.offset(base, at);
    const hash = e.call(this.digest, [begin, e.offset(begin, 4 * Math.ceil(size / 4))]);
    const open = e.emit(Op.Extract, Int32, hash);
    open.resultIndex = 1;
    const shown = e.select(open, e.long(0), hash);
    e.call(host("logMixed"), [shown, e.float(Double, 0), open, e.float(Float, 0)]);
  }

  private recordAbsent(e: LlvmEmitter): void {
    const args = [e.long(0), e.float(Double, 0), e.int(ABSENT_DIGEST), e.float(Float, 0)];
    e.call(host("logMixed"), args);
  }

  private contextOf(
    e: LlvmEmitter,
    base: Value,
    called: LlvmFunction,
    decisions: Set<Value>,
  ): FunctionContext {
    const hasVariables = (called.blocks ?? []).some(({ instructions }) =>
      instructions.some(({ opcode }) => opcode === "alloca"),
    );
    const hasCopies = called.parameters.some(({ attributes }) => attributes.names.has("byval"));
    const stackEnd =
      hasVariables || hasCopies ? e.load(Op.Load, Int64, base, CELLS.stackEnd) : null;
    const { layout, side } = this;
    return { e, base, layout, side, program: this, called, frame: new Map(), stackEnd, decisions };
  }

  private writeProcedure(called: LlvmFunction, e: LlvmEmitter): void {
    const [base, ...words] = e.proc.parameters;
    e.line = called.line;
    const c = this.contextOf(e, base, called, new Set());
    let at = 0;
    for (const { name, type, attributes } of called.parameters) {
      if (attributes.names.has("byval"))
        throw new LlvmError(called.line, "a call that copies an argument", true);
      const leaves = scalarsOf(type, called.line).map(() => {
        const leaf = { value: words[at], poison: words[at + 1] };
        at += 2;
        return leaf;
      });
      c.frame.set(name, constrained(c, leaves, type, attributes));
    }
    this.writeChecked(c, returnLeaves);
  }

  private writeChecked(c: FunctionContext, finish: ReturnWriter): void {
    const { called } = c;
    writeBody(c, (of, leaves) => {
      finish(
        of,
        leaves.length === 0
          ? leaves
          : constrained(of, leaves, called.type, called.resultAttributes),
      );
    });
  }

  private writeEntry(
    e: LlvmEmitter,
    called: LlvmFunction,
    start: Procedure,
    fill: Procedure,
  ): void {
    const { subject, layout } = this;
    const types = parameterTypes(subject);
    const [base, mask, ...words] = types.map((type) => e.proc.newParameter(type));
    e.line = called.line;
    e.emit(
      Op.FillBytes,
      Void,
      e.int(BYTE_STATES.absent),
      e.offset(base, layout.states),
      e.long(layout.states),
    );
    for (const [cell, distance] of [
      [CELLS.stackEnd, layout.stackAt],
      [CELLS.freshEnd, layout.freshAt],
    ])
      e.store(Op.Store, e.offset(base, distance), base, cell);
    e.store(Op.Store, e.long(0), base, CELLS.callCount);
    for (const [object, { at, size }] of layout.objects.entries()) {
      const states = e.offset(base, at + layout.states);
      e.emit(Op.FillBytes, Void, e.int(BYTE_STATES.defined), states, e.long(size));
      e.store(Op.Store, e.offset(base, at), base, CELLS.objects + 8 * object);
    }
    if (layout.objects.length > 0 && !subject.keepsContents) e.call(fill, [base, mask]);
    e.call(start, [base]);
    this.writeFields(e, base);
    this.writeInitialWrites(e, words.slice(subject.parameters.length));
    const c = this.contextOf(e, base, called, this.decisions);
    let at = 0;
    for (const { name, type, attributes } of called.parameters) {
      const leaves: LlvmScalars = scalarsOf(type, called.line).map(() => {
        const parameter = subject.parameters[at];
        if (parameter === undefined)
          throw new LlvmError(called.line, "expected the parameters of the first text");
        const { object, bits } = parameter;
        const word = words[at++];
        const value = object === null ? this.narrow(e, word, bits) : this.pointer(e, base, word);
        return { value, poison: null };
      });
      c.frame.set(name, constrained(c, leaves, type, attributes));
    }
    this.writeChecked(c, (of, leaves) => {
      record(of, RESULT_NAME, leaves);
      of.e.return();
    });
  }

  /** Clears the bits above an integer. */
  private narrow(e: LlvmEmitter, word: Value, bits: number | null): Value {
    const register = word.type === Int64 ? 64 : 32;
    if (bits === null || bits === register) return word;
    return e.and(word, e.integer(word.type, (1n << BigInt(bits)) - 1n));
  }

  /** The high half of the word is the number of an object, the low half an offset; any other number is null. */
  private pointer(e: LlvmEmitter, base: Value, word: Value): Value {
    const object = e.emit(Op.TruncHigh, Int32, word);
    const offset = e.emit(Op.SExt32, Int64, e.emit(Op.Trunc, Int32, word));
    const isKnown = e.compare(Op.Below, object, e.int(this.layout.objects.length));
    const index = e.widened(e.select(isKnown, object, e.int(0)));
    const cell = e.add(base, e.emit(Op.Shl, Int64, index, e.int(3)));
    const address = e.add(e.load(Op.Load, Int64, cell, CELLS.objects), offset);
    return e.select(isKnown, address, e.long(0));
  }

  private writeFields(e: LlvmEmitter, base: Value): void {
    const { subject, layout } = this;
    const at = (object: number): number => layout.objects[object].at;
    // A list ends with the last object.
    for (const { offset, target } of subject.fields)
      if (offset + 8 <= layout.objects[target].size)
        e.store(Op.Store, e.long(0), base, at(target) + offset);
    for (const { object, offset, target } of subject.fields)
      e.store(Op.Store, e.offset(base, at(target)), base, at(object) + offset);
  }

  private writeInitialWrites(e: LlvmEmitter, words: readonly Value[]): void {
    this.subject.writes.forEach(({ bytes }, w) => {
      const [address, value] = [words[2 * w], words[2 * w + 1]];
      const opcode = bytes >= 4 ? Op.Store : bytes === 2 ? Op.Store16 : Op.Store8;
      e.store(opcode, value, address, 0);
    });
  }

  /** Builds a procedure (heap, mask): each word of the objects gets random bits, those of the mask. */
  private contentsProcedure(): Procedure {
    const { layout, subject } = this;
    const e = new LlvmEmitter("$contents", [], this.exits);
    const [base, mask] = [Int64, Int64].map((type) => e.proc.newParameter(type));
    const filled = subject.keepsContents ? [] : layout.objects;
    for (const [object, { at, size }] of filled.entries()) {
      for (let offset = 0; offset < size; offset += 8) {
        const from = (object * CONTENTS_STEP + offset) % CONTENTS.size;
        const word = e.load(Op.Load, Int64, base, CONTENTS.at + from);
        const masked = offset < MASKED_BYTES ? e.and(word, mask) : word;
        e.store(Op.Store, masked, base, at + offset);
      }
    }
    e.return();
    return e.proc;
  }

  private writeGlobals(e: LlvmEmitter): void {
    const base = e.proc.newParameter(Int64);
    const c = this.contextOf(e, base, NO_FUNCTION, new Set());
    // An initial value may name other globals, which are added to the set while it is visited.
    for (const global of this.globals) writeInitialValue(c, global);
    e.return();
  }
}

const sizeOfGlobal = ({ type }: LlvmGlobal): number =>
  Math.max(1, storeSize(type), allocSize(type));

/** The context of a procedure that is no function of the text. */
const NO_FUNCTION: LlvmFunction = {
  ...{ name: "", type: { kind: "void" }, parameters: [], attributes: new Set(), blocks: null },
  ...{ isExternal: false, isVariadic: false, outside: null, line: 0, text: "" },
  resultAttributes: {
    ...{ names: new Set(), dereferenceable: 0, alignment: 1, range: null, pointee: null },
  },
};
