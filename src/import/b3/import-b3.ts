// What B3 made of a procedure, phase by phase, as programs of ours.
//
// B3's opcodes are ours but for few, so most values are taken as they stand. What a program of ours has no words for is
// replaced, in all phases alike (surroundings.ts, memory.ts, by-hand.ts): so a program that is imported does not do what the
// procedure did in the engine, but two phases that are both right give programs that do the same.

import type { Module } from "../../ir/procedure.js";
import { describeFault, verify } from "../../ir/verify/verify.js";
import { ImportError } from "../import-error.js";
import { type B3Graph, parseGraph } from "./graph.js";
import type { B3Compilation, B3Phase } from "./read-dump.js";
import { type Surroundings, surroundingsOf } from "./surroundings.js";
import { writeModule } from "./write-module.js";

interface ImportedPhase {
  readonly phase: B3Phase;
  /** The phase has left the procedure as it was: the program is that of the one before. */
  readonly isSame: boolean;
  /** Null where the procedure has what cannot be imported. */
  readonly module: Module | null;
  /** Why it cannot; empty where it can. */
  readonly lack: string;
}

/**
 * The programs have the same parameters: the heap's address, then what registers hold.
 * @throws ImportError where the text is malformed
 */
export function importB3({ phases }: B3Compilation): readonly ImportedPhase[] {
  const changed = phases.filter((phase, i) => i === 0 || phase.text !== phases[i - 1].text);
  const graphs = changed.map(parseGraph);
  const surroundings = surroundingsOf(graphs);
  const made = graphs.map((graph) => moduleOf(graph, surroundings));
  let at = -1;
  return phases.map((phase) => {
    const isSame = phase !== changed[at + 1];
    if (!isSame) at++;
    return { phase, isSame, ...made[at] };
  });
}

function moduleOf(
  graph: B3Graph,
  surroundings: Surroundings,
): Pick<ImportedPhase, "module" | "lack"> {
  try {
    const module = writeModule(graph, surroundings);
    const [fault] = verify(module);
    if (fault !== undefined) return { module: null, lack: describeFault(fault) };
    return { module, lack: "" };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return { module: null, lack: error.message };
  }
}
