// Computes the procedures that a procedure reaches, and the order in which procedures are
// optimized. Each comes after the procedures that it names, unless they name each other. Rules may
// turn a procedure's address into a direct call. Inlining then requires that the callee is
// finished, whichever of the two was requested.

import type { Module, Procedure } from "../../../src/ir/procedure.js";

/** Returns the procedures of the module in postorder of the names, without recursion. */
export function calleesFirst({ procedures }: Pick<Module, "procedures">): readonly Procedure[] {
  if (procedures.length === 1) return procedures;
  const order: Procedure[] = [];
  const visited = new Set<Procedure>();
  for (let p = 0; p < procedures.length; p++) {
    if (visited.has(procedures[p])) continue;
    visited.add(procedures[p]);
    const path = [{ proc: procedures[p], callees: namedProcedures(procedures[p]) }];
    while (path.length > 0) {
      const { proc, callees } = path[path.length - 1];
      const callee = callees.pop();
      if (callee === undefined) {
        order.push(proc);
        path.pop();
      } else if (!visited.has(callee)) {
        visited.add(callee);
        path.push({ proc: callee, callees: namedProcedures(callee) });
      }
    }
  }
  return order;
}

/**
 * Returns the root, the procedures that it names in calls and as addresses, and the procedures that
 * those name in turn.
 */
export function reachedFrom(root: Procedure): readonly Procedure[] {
  const reached = [root];
  const visited = new Set(reached);
  for (let r = 0; r < reached.length; r++) {
    for (const procedure of namedProcedures(reached[r])) {
      if (visited.has(procedure)) continue;
      visited.add(procedure);
      reached.push(procedure);
    }
  }
  return reached;
}

function namedProcedures({ blocks }: Procedure): Procedure[] {
  const named: Procedure[] = [];
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) {
      const { procedure } = values[i];
      if (procedure !== null) named.push(procedure);
    }
  }
  return named;
}
