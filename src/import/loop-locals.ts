// Finds the locals that a loop sets: each needs a Phi at the loop's head.

import { tooMany } from "./import-error.js";
import type { WasmInstruction } from "./wasm-module.js";

/**
 * Returns the locals that are set within each loop, by the index of the loop's instruction. The
 * sets of inner loops become part of those around them, so the work is proportional to the sizes of
 * the sets.
 * @param sizeMax the limit for all sets together: each of their members is at least one value
 * @throws ImportError with the location of a loop
 */
export function localsOfLoops(
  body: readonly WasmInstruction[],
  sizeMax: number,
): ReadonlyMap<number, ReadonlySet<number>> {
  const found = new Map<number, ReadonlySet<number>>();
  const open: { readonly start: number; readonly locals: Set<number> | null }[] = [];
  const enclosing: Set<number>[] = [];
  let size = 0;
  for (const [i, { name, index }] of body.entries()) {
    if (name === "local.set" || name === "local.tee") enclosing[enclosing.length - 1]?.add(index);
    else if (name === "loop") {
      const locals = new Set<number>();
      open.push({ start: i, locals });
      enclosing.push(locals);
    } else if (name === "block" || name === "if") open.push({ start: i, locals: null });
    else if (name === "end") {
      const { start, locals = null } = open.pop() ?? { start: 0 };
      if (locals === null) continue;
      enclosing.pop();
      size += locals.size;
      if (size > sizeMax) throw tooMany(body[start].at, sizeMax, "values of one function");
      found.set(start, locals);
      const outer = enclosing[enclosing.length - 1];
      if (outer !== undefined) for (const local of locals) outer.add(local);
    }
  }
  return found;
}
