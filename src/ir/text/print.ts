// Prints the text form, version 1, which parse.ts reads byte for byte. docs/language.md describes it.
//
// Invalid programs are printed too, as far as possible: programs that the verifier rejects are dumped.

import { FENCES } from "../fences.js";
import { OPCODE_NAMES, type OperandSpec, specOf } from "../opcodes.js";
import {
  type BasicBlock,
  CONSTANT_OPCODES,
  type FrameSlot,
  type Module,
  type Procedure,
  Snapshot,
  type SnapshotFrame,
  StackSlot,
  SwitchCases,
  Value,
} from "../procedure.js";
import { Int32, Int64, TYPE_NAMES, type Type } from "../types.js";
import { printLiteral, printName } from "./literals.js";
import { registerPrefix } from "./parse-patchpoints.js";

export const FORMAT_VERSION = 1;
const DEFAULT_HEAP_SIZE = 4096;

// Wraps frames, so that a snapshot of thousands of slots does not exceed the parser's longest line.
const WRAP_COLUMN = 1000;
const MISSING = "?";
/** Attributes that are printed among the operands as the name of `extra`. */
const NAMED: ReadonlySet<OperandSpec> = new Set<OperandSpec>(["Slot", "Phi", "Callee", "Function"]);

/** Prints a module; `parseModule` reads the same module back. */
export function printModule(module: Module): string {
  const lines = new Lines();
  lines.push(printHead(module));
  module.procedures.forEach((proc, p) => {
    if (p > 0) lines.push("");
    pushProcedure(proc, lines);
  });
  return lines.join();
}

/** Prints the part of a module's text before the procedures. */
export function printHead(module: Module): string {
  const lines = [`touchstone ${FORMAT_VERSION}`];
  if (module.heapSize !== DEFAULT_HEAP_SIZE) lines.push(`heap ${module.heapSize}`);
  for (const [exit, continuations] of module.continuations) {
    const names = continuations.map((proc) => printName(proc.name));
    lines.push(`exit ${exit} resumes ${names.join(", ")}`);
  }
  lines.push("");
  return lines.join("\n");
}

export function printProcedure(proc: Procedure): string {
  const lines = new Lines();
  pushProcedure(proc, lines);
  return lines.join();
}

/**
 * Collects lines. Engines represent a string that is built of pieces as a tree, which takes many times
 * the memory of its characters, so lines are joined often.
 */
class Lines {
  private readonly chunks: string[] = [];
  private pending: string[] = [];

  push(line: string): void {
    if (this.pending.push(line) < LINES_OF_CHUNK) return;
    this.chunks.push(this.pending.join("\n"));
    this.pending = [];
  }

  /** Returns the lines, each with its end. */
  join(): string {
    return [...this.chunks, ...this.pending, ""].join("\n");
  }
}

const LINES_OF_CHUNK = 4096;

function pushProcedure(proc: Procedure, lines: Lines): void {
  const parameters = proc.parameters.map((value) => `${TYPE_NAMES[value.type]} @${value.id}`);
  const results = [proc.result, ...proc.further].map((type) => TYPE_NAMES[type]);
  lines.push(`proc ${printName(proc.name)}(${parameters.join(", ")}) -> ${results.join(", ")}`);
  for (const slot of proc.slots) {
    lines.push(`slot stack${slot.id} = ${slot.isLocked ? "locked" : "anonymous"} ${slot.size}`);
  }
  for (const snapshot of proc.snapshots) pushSnapshot(snapshot, lines);
  for (const block of proc.blocks) {
    const { frequency, values } = block;
    lines.push(frequency === 1 ? `#${block.id}:` : `#${block.id} frequency ${frequency}:`);
    for (let i = 0; i < values.length; i++) lines.push(`  ${printIn(values[i], block)}`);
  }
}

function pushSnapshot(snapshot: Snapshot, lines: Lines): void {
  let text = `snapshot s${snapshot.id} = exit ${snapshot.exit}`;
  if (snapshot.values.length > 0) {
    lines.push(`${text} block {`);
    for (const value of snapshot.values) lines.push(`  ${printIn(value, null)}`);
    text = "}";
  }
  lines.push(`${text} frames [${printFrames(snapshot.frames)}]`);
}

function printFrames(frames: readonly SnapshotFrame[]): string {
  let text = "";
  let column = 0;
  const push = (separator: string, piece: string): void => {
    const breaks = column > WRAP_COLUMN;
    text += (breaks ? `${separator.trimEnd()}\n  ` : separator) + piece;
    column = breaks ? 0 : column + separator.length + piece.length;
  };
  frames.forEach((frame, f) => {
    push(f > 0 ? " | " : "", `${printName(frame.name)}@${frame.point}:`);
    frame.slots.forEach((slot, s) => {
      push(s > 0 ? ", " : " ", printSlot(slot));
    });
  });
  return text;
}

function printSlot(slot: FrameSlot): string {
  if (slot.kind === "dead") return "dead";
  if (slot.kind === "value") return `@${slot.value.id}`;
  if (slot.kind === "contents") return `contents(stack${slot.slot.id})`;
  if (slot.kind === "fields") {
    const fields = slot.fields.map(({ offset, value }) => `${offset}: @${value.id}`);
    return `fields(${slot.size}) {${fields.join(", ")}}`;
  }
  if (slot.kind === "deadBytes") {
    return `deadBytes(@${slot.address.id}, ${slot.offset}, ${slot.size})`;
  }
  if (slot.kind === "deadHeap") return `deadHeap(${slot.offset}, ${slot.size})`;
  return printConstant(slot.type, slot.lo, slot.hi);
}

/** Prints a constant with its type, in the form of snapshots: `Const32(5)`. */
function printConstant(type: Type, lo: number, hi: number): string {
  return `${OPCODE_NAMES[CONSTANT_OPCODES[type]]}(${printLiteral(type, lo, hi)})`;
}

/** Prints one value, as in its block. */
export const printValue = (value: Value): string => printIn(value, value.block);

function printIn(value: Value, block: BasicBlock | null): string {
  const { args } = specOf(value.opcode);
  let text = "";
  let operand = 0;
  let successor = 0;
  let ending = ")";
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === "Offset") {
      if (value.offset !== 0) text += `, offset = ${value.offset}`;
      if (value.memoryClass !== 0) text += `, class = ${value.memoryClass}`;
    } else if (arg === "Rest") {
      for (const item of value.rest ?? []) text += `, @${item.id}`;
    } else if (arg === "Further") {
      for (const result of [value.b, value.c]) if (result !== null) text += `, @${result.id}`;
    } else if (arg === "Snapshot") {
      ending = `) ${printExtra(value)}`;
    } else {
      let piece: string;
      if (arg === "Const") piece = printLiteral(value.type, value.constantLow, value.constantHigh);
      else if (arg === "Block") piece = `#${block?.successors[successor++]?.id ?? MISSING}`;
      else if (arg === "Cases") piece = printCases(value, block);
      else if (arg === "DeoptHost") piece = value.host?.name ?? MISSING;
      else if (arg === "Kind") piece = value.patchpoint?.name ?? MISSING;
      else if (arg === "Register") piece = `${registerPrefix(value)}${value.argumentIndex}`;
      else if (arg === "Number") piece = String(value.resultIndex);
      else if (arg === "Order") piece = FENCES[value.fenceKind]?.name ?? MISSING;
      else if (NAMED.has(arg)) piece = printExtra(value);
      else piece = printOperand(value, operand++);
      text += i > 0 && text !== "" ? `, ${piece}` : piece;
    }
  }
  return `${TYPE_NAMES[value.type]} @${value.id} = ${OPCODE_NAMES[value.opcode]}(${text}${ending}`;
}

function printCases({ a, extra }: Value, block: BasicBlock | null): string {
  const target = (at: number): string => `#${block?.successors[at]?.id ?? MISSING}`;
  if (!(extra instanceof SwitchCases)) return MISSING;
  const { lo, hi } = extra;
  const cases = lo.map((word, k) => {
    const key = printLiteral(a?.type === Int32 ? Int32 : Int64, word, hi[k]);
    return `${key}: ${target(k)}, `;
  });
  return `${cases.join("")}default: ${target(lo.length)}`;
}

function printOperand(value: Value, index: number): string {
  const operand = index === 0 ? value.a : index === 1 ? value.b : value.c;
  if (operand !== null) return `@${operand.id}`;
  return index === 0 && specOf(value.opcode).effect === "control" ? "" : MISSING;
}

function printExtra(value: Value): string {
  const { extra } = value;
  if (extra === null) return MISSING;
  if (extra instanceof Value) return `^${extra.id}`;
  if (extra instanceof StackSlot) return `stack${extra.id}`;
  if (extra instanceof Snapshot) return `s${extra.id}`;
  if (extra instanceof SwitchCases) return MISSING; // only the row of Switch has it
  return printName(extra.name);
}
