// Labels of structured control, and the SSA values that meet there.
//
// A forward label (the end of a block, an if, the function) collects the edges that lead to it and
// makes a block only where several meet; a Phi only for what differs between them. The head of a
// loop is known before its edges back, so it has a Phi for each parameter and for each local that
// its body sets.

import type { BasicBlock, Value } from "../ir/procedure.js";
import type { Emitter } from "./emitter.js";
import type { FunctionType } from "./wasm-module.js";

/** Where control stands: a block without its end yet, with the values of locals and operands. */
export interface Edge {
  readonly block: BasicBlock;
  readonly locals: readonly Value[];
  readonly operands: readonly Value[];
}

export interface Label {
  readonly kind: "block" | "loop" | "if" | "function";
  readonly type: FunctionType;
  /** Operands below it. */
  readonly below: readonly Value[];
  readonly edges: Edge[];
  readonly loop: LoopHead | null;
  /** Of an `if` without `else` so far. */
  otherwise: Edge | null;
}

interface LoopHead {
  readonly block: BasicBlock;
  readonly parameters: readonly Value[];
  /** By index of the local. */
  readonly locals: ReadonlyMap<number, Value>;
}

/** Makes the head of a loop, and goes there. */
export function enterLoop(
  emitter: Emitter,
  { parameters: types }: FunctionType,
  { block: before, locals, operands }: Edge,
  isSet: ReadonlySet<number>,
): LoopHead {
  const block = emitter.startBlock();
  const parameters = types.map(emitter.phi);
  const phis = new Map<number, Value>();
  for (const index of isSet) phis.set(index, emitter.phi(locals[index].type));
  const head = { block, parameters, locals: phis };
  emitter.block = before;
  goToLoop(emitter, head, { block: before, locals, operands });
  emitter.block = block;
  return head;
}

/** Ends the edge's block by a jump to the head. */
export function goToLoop(
  emitter: Emitter,
  { block, parameters, locals: phis }: LoopHead,
  { block: from, locals, operands }: Edge,
): void {
  emitter.block = from;
  parameters.forEach((phi, i) => {
    emitter.upsilon(operands[i], phi);
  });
  for (const [index, phi] of phis) {
    if (locals[index] !== phi) emitter.upsilon(locals[index], phi);
  }
  emitter.jump(block);
}

/** Where edges meet; null if there are none. The emitter stands there. */
export function meet(emitter: Emitter, edges: readonly Edge[]): Edge | null {
  if (edges.length < 2) {
    const [only = null] = edges;
    if (only !== null) emitter.block = only.block;
    return only;
  }
  const block = emitter.startBlock();
  const merge = (valueOn: (edge: Edge) => Value): Value => {
    const first = valueOn(edges[0]);
    if (edges.every((edge) => valueOn(edge) === first)) return first;
    emitter.block = block;
    const phi = emitter.phi(first.type);
    for (const edge of edges) {
      emitter.block = edge.block;
      emitter.upsilon(valueOn(edge), phi);
    }
    return phi;
  };
  const locals = edges[0].locals.map((_, i) => merge((edge) => edge.locals[i]));
  const operands = edges[0].operands.map((_, i) => merge((edge) => edge.operands[i]));
  for (const edge of edges) {
    emitter.block = edge.block;
    emitter.jump(block);
  }
  emitter.block = block;
  return { block, locals, operands };
}
