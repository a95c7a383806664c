// Judges the trigger program of one planted bug after the other, in a process of a copy that contains
// all bugs. It prints a line for each bug: its number and the status of the command.

import { writeSync } from "node:fs";
import { runHere } from "../../../fuzz/support/run-here.js";
import { activate } from "./active-mutant.js";
import { NONE } from "./mutant-task.js";
import { parseTriggers, TRIGGER_SECONDS, triggerCommand } from "./triggers.js";
import { ProgramWatchdog } from "./watchdog.js";

const STDOUT = 1;
const watch = new ProgramWatchdog();
for (const { number, id } of parseTriggers(process.argv[2])) {
  watch.next(TRIGGER_SECONDS);
  activate(number);
  const { status } = await runHere(triggerCommand(id));
  activate(NONE);
  // Written at once, because the next bug may end this process.
  writeSync(STDOUT, `${number} ${status}\n`);
}
await watch.end();
