// Imports a program of LIR: the fragment "main", with the fragments that it calls and those that continue its guards.
//
// A fragment that is called becomes a procedure, together with the fragments that patches attach to its guards: a tree
// of traces. The transfer to an attached fragment is a jump, so linked fragments may loop.

import { Op } from "../../ir/opcodes.js";
import { Module, type Procedure } from "../../ir/procedure.js";
import { Int32, Int64, type Type, Void } from "../../ir/types.js";
import { describeFault, FRAME_SIZE_MAX, HEAP_SIZE_MAX, verify } from "../../ir/verify/verify.js";
import { LirError, quoted, refusal } from "../../lir/lir-error.js";
import type { LirLetter } from "../../lir/names.js";
import type { LirFragment, LirInstruction, LirPatch, LirProgram } from "../../lir/parse.js";
import type { ExitNumbers } from "../emitter.js";
import { MALLOC } from "./calls.js";
import type { LirAllocation, LirContext, LirTree } from "./context.js";
import { LirEmitter } from "./lir-emitter.js";
import { typeOf } from "./operations.js";
import { writeTree } from "./write-tree.js";

const PARAMETERS_MAX = 8;
/** The most instructions of all procedures: fragments that several trees share are translated for each. */
const INSTRUCTIONS_MAX = 100_000;
const HEAP_UNIT = 4096;
/** The bytes that \`malloc\` has. */
const MALLOC_BYTES = 1 << 18;
/** Each allocation in the heap begins at a multiple of this number. */
const ALIGNMENT = 16;

export interface ImportedLir {
  readonly module: Module;
  /** True: the first parameter of the entry is the address of the heap. */
  readonly hasHeap: boolean;
}

/** @throws LirError */
export function importLir(program: LirProgram): ImportedLir {
  const { fragments } = program;
  const order = new Map(fragments.map((fragment, i) => [fragment.name, i]));
  const main = fragments[order.get("main") ?? -1];
  if (main === undefined)
    throw new LirError(1, "expected a fragment named main, with which the program begins");
  const continuations = continuationsOf(program);
  const { allocations, heapEnd } = allocate(fragments);
  const trees = new Map<string, LirTree>();
  const open: LirTree[] = [];
  const exits: ExitNumbers = { next: 0 };
  const callsMalloc = fragments.some(({ instructions }) =>
    instructions.some(({ spec, target }) => spec.form === "call" && target === MALLOC),
  );
  const hasHeap = heapEnd > 0 || callsMalloc;
  let translated = 0;
  const treeOf = (fragment: LirFragment): LirTree => {
    const known = trees.get(fragment.name);
    if (known !== undefined) return known;
    const linked = linkedFrom(fragment, continuations);
    const emitter = new LirEmitter(fragment.name, resultsOf(linked), exits);
    if (hasHeap) emitter.proc.newParameter(Int64);
    for (const type of parametersOf(linked)) emitter.proc.newParameter(type);
    const exitsReturn = emitter.proc.result === Void && fragment !== main;
    const tree = { fragments: linked, emitter, exitsReturn };
    trees.set(fragment.name, tree);
    open.push(tree);
    return tree;
  };
  const context: LirContext = {
    ...{ program, hasHeap, mallocAt: heapEnd, allocations, continuations },
    treeNamed: (name, caller) => {
      const at = order.get(name) ?? fragments.length;
      return at < (order.get(caller.name) ?? 0) ? treeOf(fragments[at]) : null;
    },
    count: (line) => {
      if (++translated > INSTRUCTIONS_MAX)
        throw new LirError(line, `more than ${INSTRUCTIONS_MAX} instructions in all trees`);
    },
  };
  const root = treeOf(main);
  if (callsMalloc) beginMalloc(root.emitter, heapEnd);
  const procedures: Procedure[] = [];
  for (let tree = open.shift(); tree !== undefined; tree = open.shift())
    procedures.push(writeTree(context, tree));
  const module = new Module();
  const heapBytes = callsMalloc ? heapEnd + ALIGNMENT + MALLOC_BYTES : heapEnd;
  module.heapSize = Math.max(1, Math.ceil(heapBytes / HEAP_UNIT)) * HEAP_UNIT;
  module.procedures.push(...procedures);
  const [fault] = verify(module);
  if (fault !== undefined) throw new LirError(main.line, describeFault(fault));
  return { module, hasHeap };
}

/** Writes the address that the first \`malloc\` returns, after the cell that holds it. */
function beginMalloc(e: LirEmitter, at: number): void {
  const [heap] = e.proc.parameters;
  const first = e.emit(Op.Add, Int64, heap, e.long(at + ALIGNMENT));
  e.store(Op.Store, first, heap, at);
}

/** Returns the continuations of guards, by instruction. */
function continuationsOf({
  fragments,
  patches,
}: LirProgram): ReadonlyMap<LirInstruction, LirFragment> {
  const byName = new Map(fragments.map((fragment) => [fragment.name, fragment]));
  const continuations = new Map<LirInstruction, LirFragment>();
  const fragmentNamed = (name: string, { line }: LirPatch): LirFragment => {
    const fragment = byName.get(name);
    // A patch precedes nothing that it names.
    if (fragment === undefined || fragment.line > line)
      throw new LirError(line, `expected an earlier fragment, found ${quoted(name)}`);
    return fragment;
  };
  for (const patch of patches) {
    const { line, guard } = patch;
    const from = fragmentNamed(patch.fragment, patch).instructions.find(
      ({ result }) => result === guard,
    );
    if (from === undefined || !from.spec.form.startsWith("exit"))
      throw new LirError(line, `expected the name of a guard, found ${quoted(guard)}`);
    if (continuations.has(from))
      throw new LirError(line, `the guard ${quoted(guard)} has a patch already`);
    continuations.set(from, fragmentNamed(patch.to, patch));
  }
  return continuations;
}

/** Returns a fragment and those that continue its guards, directly or indirectly. */
function linkedFrom(
  fragment: LirFragment,
  continuations: ReadonlyMap<LirInstruction, LirFragment>,
): readonly LirFragment[] {
  const linked = new Set([fragment]);
  for (const { instructions } of linked) {
    for (const instruction of instructions) {
      const next = continuations.get(instruction);
      if (next !== undefined) linked.add(next);
    }
  }
  return [...linked];
}

function resultsOf(linked: readonly LirFragment[]): readonly Type[] {
  let letter: LirLetter | null = null;
  for (const { line, spec } of linked.flatMap(({ instructions }) => instructions)) {
    if (spec.form !== "return") continue;
    const [given] = spec.takes;
    if (letter !== null && letter !== given)
      throw refusal(line, spec.name, "results of different types in one fragment");
    letter = given;
  }
  return letter === null ? [] : [typeOf(letter)];
}

function parametersOf([root, ...attached]: readonly LirFragment[]): readonly Type[] {
  for (const { line, spec } of attached.flatMap(({ instructions }) => instructions)) {
    if (spec.form === "parameter")
      throw refusal(line, spec.name, "a parameter of a fragment that continues a guard");
  }
  const types: Type[] = [];
  for (const { line, spec, words } of root.instructions) {
    if (spec.form !== "parameter") continue;
    const [index] = words;
    if (index < 0 || index >= PARAMETERS_MAX)
      throw new LirError(line, `expected a parameter from 0 to ${PARAMETERS_MAX - 1}`);
    const type = typeOf(spec.gives);
    if (types[index] !== undefined && types[index] !== type)
      throw new LirError(line, `the parameter ${index} has two types`);
    types[index] = type;
  }
  return Array.from(types, (type = Int32) => type);
}

function allocate(fragments: readonly LirFragment[]): {
  readonly allocations: ReadonlyMap<LirInstruction, LirAllocation>;
  readonly heapEnd: number;
} {
  const allocations = new Map<LirInstruction, LirAllocation>();
  let heapEnd = 0;
  let slotBytes = 0;
  for (const { instructions } of fragments) {
    const numbers = usedAsNumbers(instructions);
    for (const instruction of instructions) {
      const { line, spec, result, words } = instruction;
      if (spec.form !== "allocate") continue;
      const [size] = words;
      if (size < 1) throw new LirError(line, `${spec.name}: expected a size of at least 1`);
      const inHeap = result !== null && numbers.has(result);
      allocations.set(instruction, { size, heapAt: inHeap ? heapEnd : null });
      if (inHeap) heapEnd += Math.ceil(size / ALIGNMENT) * ALIGNMENT;
      else slotBytes += size;
      if (heapEnd > HEAP_SIZE_MAX || slotBytes > FRAME_SIZE_MAX)
        throw new LirError(line, "the allocations are larger than the stack");
    }
  }
  return { allocations, heapEnd };
}

/** Returns the names that are used other than as the address of a load or store. */
function usedAsNumbers(instructions: readonly LirInstruction[]): ReadonlySet<string> {
  return new Set(
    instructions.flatMap(({ spec, operands }) =>
      spec.form === "load" || spec.form === "store" ? operands.slice(0, -1) : operands,
    ),
  );
}
