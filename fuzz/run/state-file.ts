// The state of a campaign in its folder: read by `run --resume`, written now and then.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CampaignState } from "../../src/campaign/run/campaign-state.js";
import { type Expected, parseState, printState, STATE_FILE } from "../../src/campaign/run/state.js";
import { machineErrorOf } from "../../src/support/machine-error.js";
import { writeWhole } from "../../src/support/whole-file.js";
import { readUserText, usageError } from "../support/output.js";

/** A state is written no more often: a process that is killed loses what it did since. */
const STATE_SECONDS = 10;

export class StateFile {
  private readonly path: string;
  private readonly expected: Expected;
  private writtenAt = performance.now();

  /** @param campaign whose state it is */
  constructor(folder: string, campaign: Expected) {
    this.path = join(folder, STATE_FILE);
    this.expected = campaign;
  }

  /** Null if there is none. */
  read(): CampaignState | null {
    if (!existsSync(this.path)) return null;
    const state = parseState(readUserText(this.path), this.expected);
    if (typeof state === "string") throw usageError(`${this.path}: ${state}`);
    return state;
  }

  /** @throws MachineError */
  write(state: CampaignState | null): void {
    if (state === null) return;
    this.writtenAt = performance.now();
    writeWhole(this.path, `${printState(this.expected.name, state)}\n`);
  }

  /** Where the machine refuses it, the next one will be written in its time. */
  writeIfDue(state: () => CampaignState | null, onRefusal: (line: string) => void): void {
    if (performance.now() - this.writtenAt < STATE_SECONDS * 1000) return;
    try {
      this.write(state());
    } catch (error) {
      const refusal = machineErrorOf(error);
      if (refusal === null) throw error;
      onRefusal(refusal.message);
    }
  }
}
