// Imports a trace of LuaJIT, after its optimizations, as a program. Its parameters are the heap, a
// limit of iterations, the base of the frame, and the slots that the trace loads. The heap holds the
// copied memory of the process.

import type { Module } from "../../ir/procedure.js";
import { ParseError } from "../../ir/text/lexer.js";
import { parseModule } from "../../ir/text/parse.js";
import { helpersFor, type MemoryRange, NEW_OBJECTS, NEW_SIZE, translation } from "./helpers.js";
import { INSTRUCTIONS } from "./instructions.js";
import type { RecordedTrace, RecordedTraces } from "./recorded-trace.js";
import { CutError, type ShownSlot, TraceWriter } from "./trace-writer.js";

/** A trace as text; the memory may be added later. */
export interface ImportedTrace {
  readonly trace: RecordedTrace;
  /** The slots of the parameters after the first three. */
  readonly slots: readonly number[];
  /** The slots that each snapshot restores. */
  readonly shown: readonly (readonly ShownSlot[])[];
  /** The first part that is not modelled; the program ends before it. */
  readonly cut: string | null;
  readonly writer: TraceWriter;
}

/** A piece of the copied memory. */
export interface CopiedBytes {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** @throws CutError if the trace is inconsistent: it refers to what does not exist */
export function importTrace(recorded: RecordedTraces, trace: RecordedTrace): ImportedTrace {
  const writer = new TraceWriter(recorded, trace);
  const cut = write(writer, trace);
  const imported = { trace, slots: writer.slots, shown: writer.shown, cut, writer };
  try {
    programOf(imported, []);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new CutError(`operands of other types: ${error.message}`);
  }
  return imported;
}

function write(writer: TraceWriter, { instructions }: RecordedTrace): string | null {
  let loop: number | null = null;
  for (const [i, instruction] of instructions.entries()) {
    const ref = i + 1;
    try {
      if (instruction.opcode === "LOOP") {
        writer.startLoop();
        loop = ref;
        continue;
      }
      const rule = INSTRUCTIONS[instruction.opcode];
      if (rule === undefined) throw new CutError(instruction.opcode);
      writer.set(ref, rule(writer, ref, instruction));
    } catch (error) {
      if (!(error instanceof CutError)) throw error;
      if (!writer.cutBefore(ref)) throw error;
      return error.message;
    }
  }
  if (loop === null) writer.end();
  else writer.repeat(loop);
  return null;
}

/** The bytes of the heap before the copied memory. */
export const HEAD_BYTES = 64;

/** Returns the program with a copy of the memory that it accesses. */
export function programOf(
  { writer, slots }: ImportedTrace,
  memory: readonly CopiedBytes[],
): Module {
  return parseModule(programText({ writer, slots }, memory));
}

function programText(
  { writer, slots }: Pick<ImportedTrace, "writer" | "slots">,
  memory: readonly CopiedBytes[],
): string {
  let offset = HEAD_BYTES;
  const ranges: MemoryRange[] = [];
  const first: string[] = [];
  const value = (type: string, text: string): string => {
    const id = writer.text.newId();
    first.push(`  ${type} ${id} = ${text}`);
    return id;
  };
  value("Void", `Store(${value("Int64", `Const64(${NEW_OBJECTS})`)}, @0)`);
  for (const { start, bytes } of memory) {
    ranges.push({ start, size: bytes.length, offset });
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at < bytes.length; at += 8) {
      const word = view.getBigInt64(at, true);
      if (word !== 0n)
        value("Void", `Store(${value("Int64", `Const64(${word})`)}, @0, offset = ${offset + at})`);
    }
    offset += bytes.length;
  }
  // The size of the heap is a multiple of 4096.
  offset = Math.ceil(offset / 4096) * 4096;
  ranges.push({ start: NEW_OBJECTS, size: NEW_SIZE, offset });
  const words = slots.length + writer.parentValues.length;
  const own = Array.from({ length: words }, (_, w) => `Int64 @${3 + w}`);
  const parameters = ["Int64 @0", "Int32 @1", "Int64 @2", ...own];
  const entry = writer.text.print(`proc trace(${parameters.join(", ")}) -> Void`, first);
  const texts = [entry, ...helpersFor(entry), translation(ranges)];
  return `touchstone 1\nheap ${offset + NEW_SIZE}\n\n${texts.join("\n\n")}\n`;
}
