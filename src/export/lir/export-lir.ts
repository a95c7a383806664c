// Exports a program, on one input, as text of Nanojit's assembler, with the names of 2011.
//
// The program prints its observation: a line for each recorded call, a number for the kind of ending, the words of the
// result or of the frames of the exit, and a hash of the heap. `lirLines` computes the same lines from an outcome.
// Continuations of exits are left out.

import { cloneModule } from "../../ir/clone.js";
import {
  HEAP_BASE,
  type HeapImage,
  type Input,
  isBits,
  type ObservedBits,
  type Outcome,
} from "../../ir/outcome.js";
import { isMemoryAccess, type Module, type Procedure, type Value } from "../../ir/procedure.js";
import { isNaNBits } from "../../ir/text/literals.js";
import { isFloating, isWide } from "../../ir/types.js";
import { expand } from "../expand.js";
import { ExportRefusal } from "../refusal.js";
import { addressSlots, NO_SLOT } from "../slots.js";
import { LIR_LACKING } from "./operations.js";
import {
  type ExportedProgram,
  FragmentWriter,
  HASH_FACTOR,
  LEFT,
  RETURNED,
} from "./write-fragment.js";

const HEAP_MAX = 65_536;
const CANONICAL_NAN: readonly number[] = [0x7ff8_0000, 0];

interface LirText {
  readonly text: string;
  /** True: the last line but one is a hash of the heap. */
  readonly printsHeap: boolean;
}

/**
 * Returns the text. The module is not changed.
 * @throws ExportRefusal if Nanojit cannot say it
 */
export function exportLir(given: Module, input: Input): LirText {
  const module = cloneModule(given);
  expand(module, LIR_LACKING);
  const procedures = calleesFirst(module.entry);
  const usesHeap = procedures.some(accessesHeap);
  if (usesHeap && module.heapSize > HEAP_MAX)
    throw new ExportRefusal(`a heap of more than ${HEAP_MAX} bytes`);
  const program: ExportedProgram = {
    ...{ module, input, heapBytes: usesHeap ? module.heapSize : 0, heapBase: HEAP_BASE },
    names: new Map(procedures.map((proc, p) => [proc, proc === module.entry ? "main" : `f${p}`])),
  };
  const fragments = procedures.map((proc) => new FragmentWriter(program, proc).write());
  return { text: fragments.join("\n"), printsHeap: usesHeap };
}

/** Returns the procedures that the entry reaches, each after those that it calls. */
function calleesFirst(entry: Procedure): readonly Procedure[] {
  const finished = new Set<Procedure>();
  const open = new Set<Procedure>();
  const visit = (proc: Procedure): void => {
    if (finished.has(proc)) return;
    if (open.has(proc)) throw new ExportRefusal("recursion");
    open.add(proc);
    proc.forEachValue(({ procedure }) => {
      if (procedure !== null) visit(procedure);
    });
    finished.add(proc);
  };
  visit(entry);
  return [...finished];
}

function accessesHeap(proc: Procedure): boolean {
  const slots = addressSlots(proc);
  let accesses = false;
  proc.forEachValue((value: Value) => {
    if (isMemoryAccess(value) && slots[value.address.id] === NO_SLOT) accesses = true;
  });
  return accesses;
}

/**
 * Returns the lines that the exported program prints for an outcome; null if the execution is not judged, or the
 * language leaves a line open.
 */
export function lirLines(
  { events, ending }: Outcome,
  printsHeap: boolean,
): readonly string[] | null {
  if (ending.kind !== "return" && ending.kind !== "exit") return null;
  if (printsHeap && ending.heap.anyNaN.length + ending.heap.masked.length > 0) return null;
  const heap = printsHeap ? [hashOf(ending.heap)] : [];
  const recorded = events.flatMap(({ args }) => args.flatMap(printedWords));
  if (ending.kind === "return") {
    const words = ending.result === null ? [0] : printedWords(ending.result);
    return linesOf(
      [...recorded, RETURNED, ...words.slice(0, -1), ...heap],
      words[words.length - 1],
    );
  }
  const slots = ending.frames.flatMap((frame) => frame.slots).filter(isBits);
  return linesOf([...recorded, LEFT, ...slots.flatMap(printedWords), ...heap], ending.exit);
}

const linesOf = (printed: readonly number[], returned: number): readonly string[] => [
  ...printed.map((word) => `${word}`),
  `Output is: ${returned}`,
];

/** The words of a value, the high one first; every NaN is printed alike. */
function printedWords({ type, lo, hi }: ObservedBits): readonly number[] {
  if (!isWide(type)) return [lo];
  return isFloating(type) && isNaNBits(type, lo, hi) ? CANONICAL_NAN : [hi, lo];
}

function hashOf({ bytes }: HeapImage): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hash = 0;
  for (let at = 0; at < bytes.length; at += 4)
    hash = Math.imul(hash, HASH_FACTOR) ^ view.getInt32(at, true);
  return hash;
}
