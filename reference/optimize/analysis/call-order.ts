// Which procedures a procedure reaches, and the order in which procedures are optimized: each after those
// that it calls, as far as they do not call each other.

import { calledBy, type Module, type Procedure } from "../../../src/ir/procedure.js";

/** The procedures of the module; a walk down the calls from each, without recursion. */
export function calleesFirst({ procedures }: Module): readonly Procedure[] {
  if (procedures.length === 1) return procedures;
  const order: Procedure[] = [];
  const seen = new Set<Procedure>();
  for (let p = 0; p < procedures.length; p++) {
    if (seen.has(procedures[p])) continue;
    seen.add(procedures[p]);
    const path = [{ proc: procedures[p], callees: calleesOf(procedures[p]) }];
    while (path.length > 0) {
      const { proc, callees } = path[path.length - 1];
      const callee = callees.pop();
      if (callee === undefined) {
        order.push(proc);
        path.pop();
      } else if (!seen.has(callee)) {
        seen.add(callee);
        path.push({ proc: callee, callees: calleesOf(callee) });
      }
    }
  }
  return order;
}

/** What a procedure names in its calls and as addresses, and what those name in turn; itself first. */
export function reachedFrom(root: Procedure): readonly Procedure[] {
  const reached = [root];
  const seen = new Set(reached);
  for (let r = 0; r < reached.length; r++) {
    const { blocks } = reached[r];
    for (let b = 0; b < blocks.length; b++) {
      const { values } = blocks[b];
      for (let i = 0; i < values.length; i++) {
        const { procedure } = values[i];
        if (procedure === null || seen.has(procedure)) continue;
        seen.add(procedure);
        reached.push(procedure);
      }
    }
  }
  return reached;
}

function calleesOf({ blocks }: Procedure): Procedure[] {
  const callees: Procedure[] = [];
  for (let b = 0; b < blocks.length; b++) {
    const { values } = blocks[b];
    for (let i = 0; i < values.length; i++) {
      const callee = calledBy(values[i]);
      if (callee !== null) callees.push(callee);
    }
  }
  return callees;
}
