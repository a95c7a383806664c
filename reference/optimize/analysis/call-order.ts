// Which procedures a procedure reaches, and the order in which procedures are optimized: each after those
// that it names, as far as they do not name each other. A procedure that is named as an address is called once a rule
// has found that address; to be copied into its caller it has to be done by then, whoever asks for which of the two.

import type { Module, Procedure } from "../../../src/ir/procedure.js";

/** The procedures of the module; a walk down the names from each, without recursion. */
export function calleesFirst({ procedures }: Pick<Module, "procedures">): readonly Procedure[] {
  if (procedures.length === 1) return procedures;
  const order: Procedure[] = [];
  const seen = new Set<Procedure>();
  for (let p = 0; p < procedures.length; p++) {
    if (seen.has(procedures[p])) continue;
    seen.add(procedures[p]);
    const path = [{ proc: procedures[p], callees: namedBy(procedures[p]) }];
    while (path.length > 0) {
      const { proc, callees } = path[path.length - 1];
      const callee = callees.pop();
      if (callee === undefined) {
        order.push(proc);
        path.pop();
      } else if (!seen.has(callee)) {
        seen.add(callee);
        path.push({ proc: callee, callees: namedBy(callee) });
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
    for (const procedure of namedBy(reached[r])) {
      if (seen.has(procedure)) continue;
      seen.add(procedure);
      reached.push(procedure);
    }
  }
  return reached;
}

function namedBy({ blocks }: Procedure): Procedure[] {
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
