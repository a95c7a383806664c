// Checks that the trigger program of each planted bug shows it. One process checks all of them; a bug
// that shows nothing there may act while modules are loaded, so a process of its own checks it again.

import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { CopiedTree } from "../../../fuzz/support/copied-tree.js";
import { STATUS } from "../../../fuzz/support/output.js";
import { projectRoot } from "../../../src/support/project-root.js";
import { MUTANT_VARIABLE } from "./mutant-task.js";
import { LOADS_SWITCH } from "./score-mutants.js";

/** A planted bug, and the number that activates it. */
interface Trigger {
  readonly number: number;
  readonly id: string;
}

/** A longer run means that the compiler does not terminate. It must end before memory is exhausted. */
export const TRIGGER_SECONDS = 60;

/** Returns the arguments of the command that judges the trigger program. */
export const triggerCommand = (id: string): readonly string[] => [
  ...["corpus", "run", join("corpus", "planted", id, "trigger.ir"), "--subjects", "*,traced-ir-O0"],
];

/** Parses the argument of the child process. */
export const parseTriggers = (text: string): readonly Trigger[] => JSON.parse(text);

/**
 * Returns the bugs whose trigger program shows nothing, by number, with the reason.
 * @param tree a built copy that contains the bugs
 */
export function triggerFaults(
  tree: CopiedTree,
  triggers: readonly Trigger[],
): ReadonlyMap<number, string> {
  const faults = new Map<number, string>();
  let left = triggers;
  while (left.length > 0) {
    const { stdout } = tree.run(SCRIPT, [JSON.stringify(left)], { flags: LOADS_SWITCH });
    const statuses = new Map(
      [...stdout.matchAll(/^(\d+) (\d+)$/gm)].map(([, number, status]) => [+number, +status]),
    );
    // If the process ends early, the next bug has ended it.
    for (const trigger of left.slice(0, statuses.size + 1)) {
      if (isShown(statuses.get(trigger.number) ?? null)) continue;
      const fault = faultAlone(tree, trigger);
      if (fault !== null) faults.set(trigger.number, fault);
    }
    left = left.slice(statuses.size + 1);
  }
  return faults;
}

// The bug may also turn programs into invalid programs, which is an internal error.
const isShown = (status: number | null): boolean =>
  status === STATUS.found || status === STATUS.internalError;

function faultAlone(tree: CopiedTree, { number, id }: Trigger): string | null {
  const { status } = tree.run(LAUNCHER, triggerCommand(id), {
    ...{ flags: LOADS_SWITCH, env: { [MUTANT_VARIABLE]: String(number) } },
    seconds: TRIGGER_SECONDS,
  });
  if (status === null) return `the trigger program does not end in ${TRIGGER_SECONDS} s`;
  return isShown(status) ? null : `the trigger program ends with status ${status}`;
}

const LAUNCHER = join("fuzz", "launcher.mjs");
const SCRIPT = relative(
  projectRoot(),
  fileURLToPath(new URL("./try-triggers.js", import.meta.url)),
);
