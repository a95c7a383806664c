// Joins control flow at labels of structured control.
//
// A forward label (the end of a block, an if or the function) collects its incoming edges. It
// creates a block only for several edges, and a Phi only for values that differ. The head of a loop
// precedes its back edges, so it has a Phi for each parameter and for each local that the loop
// sets.

import type { BasicBlock, Value } from "../ir/procedure.js";
import type { ProcedureEmitter } from "./emitter.js";
import type { FunctionType } from "./wasm-module.js";

/** An open block, with the current values of locals and operands. */
export interface OpenEdge {
  readonly block: BasicBlock;
  readonly locals: readonly Value[];
  readonly operands: readonly Value[];
}

export interface ControlLabel {
  readonly kind: "block" | "loop" | "if" | "function";
  readonly type: FunctionType;
  /** Operands below the label's own. */
  readonly below: readonly Value[];
  readonly edges: OpenEdge[];
  readonly loop: LoopHead | null;
  /** The edge of an `if` to its missing or pending `else`. */
  otherwise: OpenEdge | null;
}

interface LoopHead {
  readonly block: BasicBlock;
  readonly parameters: readonly Value[];
  /** Phis by index of the local. */
  readonly locals: ReadonlyMap<number, Value>;
}

/** Creates the head of a loop and jumps to it. */
export function enterLoop(
  emitter: ProcedureEmitter,
  { parameters: types }: FunctionType,
  { block: before, locals, operands }: OpenEdge,
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

/** Ends the edge's block with a jump to the head. */
export function goToLoop(
  emitter: ProcedureEmitter,
  { block, parameters, locals: phis }: LoopHead,
  { block: from, locals, operands }: OpenEdge,
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

/** Joins edges and makes the joined block current; null if there are no edges. */
export function joinEdges(emitter: ProcedureEmitter, edges: readonly OpenEdge[]): OpenEdge | null {
  if (edges.length < 2) {
    const [only = null] = edges;
    if (only !== null) emitter.block = only.block;
    return only;
  }
  const block = emitter.startBlock();
  const merge = (valueOn: (edge: OpenEdge) => Value): Value => {
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
