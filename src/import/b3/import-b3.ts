// Imports the phases of a procedure that B3 compiled as programs.
//
// Most opcodes of B3 exist in the language under the same name and are copied. The import replaces
// the other values in the same way in all phases (surroundings.ts, memory.ts, by-hand.ts). An
// imported program therefore does not behave as the procedure did in the engine. But two correct
// phases give programs with the same behaviour.

import type { Module } from "../../ir/procedure.js";
import { describeFault, verify } from "../../ir/verify/verify.js";
import { ImportError } from "../import-error.js";
import { type B3Graph, parseGraph } from "./graph.js";
import type { B3Compilation, B3Phase } from "./read-dump.js";
import { type ImportEnvironment, surroundingsOf } from "./surroundings.js";
import { writeModule } from "./write-module.js";

interface ImportedPhase {
  readonly phase: B3Phase;
  /** The phase did not change the procedure, so the program equals that of the previous phase. */
  readonly isSame: boolean;
  /**
   * The imported module; null if the procedure contains something that the import does not support.
   */
  readonly module: Module | null;
  /** The reason why the import does not support it; empty if it does. */
  readonly refusal: string;
  /** The line and the rule of B3 that the text violates; null if it violates none that is checked. */
  readonly violation: string | null;
}

/**
 * Returns the program of each phase. All programs have the same parameters: the heap's address,
 * then the contents of registers.
 * @throws ImportError if the text is malformed
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
  surroundings: ImportEnvironment,
): Pick<ImportedPhase, "module" | "refusal" | "violation"> {
  const violation = earlyUseIn(graph);
  try {
    const module = writeModule(graph, surroundings);
    const [fault] = verify(module);
    if (fault !== undefined) return { module: null, refusal: describeFault(fault), violation };
    return { module, refusal: "", violation };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return { module: null, refusal: error.message, violation };
  }
}

/** Returns the first use of a value before its definition in the same block (B3Validate.cpp); null if there is none. */
function earlyUseIn({ blocks }: B3Graph): string | null {
  for (const { values } of blocks) {
    const later = new Map(values.map(({ id, line }) => [id, line]));
    for (const { id, opcode, children, line } of values) {
      const child = children.find((used) => later.has(used));
      if (child !== undefined)
        return `line ${line}: ${opcode} uses b@${child}, which line ${later.get(child)} defines`;
      later.delete(id);
    }
  }
  return null;
}
