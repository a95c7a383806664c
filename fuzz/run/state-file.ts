// The state of a campaign in its folder: read by `run --resume`, written now and then.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROUND_PROGRAMS } from "../../src/campaign/evolved/evolution.js";
import {
  type CampaignState,
  type Expected,
  parseState,
  printState,
  STATE_FILE,
} from "../../src/campaign/run/state.js";
import { writeWhole } from "../../src/support/whole-file.js";
import { readUserText, usageError } from "../support/output.js";

export class StateFile {
  private readonly path: string;
  private readonly expected: Expected;
  private writtenAt = performance.now();

  /** @param name of the campaign */
  constructor(folder: string, name: string, evolves: boolean) {
    this.path = join(folder, STATE_FILE);
    this.expected = { name, evolves, roundPrograms: ROUND_PROGRAMS };
  }

  /** Null if there is none. */
  read(): CampaignState | null {
    if (!existsSync(this.path)) return null;
    const state = parseState(readUserText(this.path), this.expected);
    if (typeof state === "string") throw usageError(`${this.path}: ${state}`);
    return state;
  }

  /** Does nothing if the last was written less than so many seconds ago. */
  write(state: CampaignState | null, seconds: number): void {
    const now = performance.now();
    if (state === null || now - this.writtenAt < seconds * 1000) return;
    this.writtenAt = now;
    writeWhole(this.path, `${printState(this.expected.name, state)}\n`);
  }
}
