// Stores the state of a campaign in its folder, for `run --resume`.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CampaignState } from "../../src/campaign/run/campaign-state.js";
import {
  type ExpectedCampaign,
  parseState,
  printState,
  STATE_FILE,
} from "../../src/campaign/run/state.js";
import { machineErrorOf } from "../../src/support/machine-error.js";
import { writeWhole } from "../../src/support/whole-file.js";
import { readUserText, usageError } from "../support/output.js";

/** The minimum seconds between writes; a killed process loses the progress since the last write. */
const STATE_SECONDS = 10;

export class StateFile {
  private readonly path: string;
  private readonly expected: ExpectedCampaign;
  private writtenAt = performance.now();

  /** @param campaign the campaign to which the state belongs */
  constructor(folder: string, campaign: ExpectedCampaign) {
    this.path = join(folder, STATE_FILE);
    this.expected = campaign;
  }

  /** Returns null if there is none. */
  read(): CampaignState | null {
    const state = this.parse();
    if (typeof state === "string") throw usageError(`${this.path}: ${state}`);
    return state;
  }

  /**
   * The number of programs of an interrupted campaign, which a restart without --resume judges
   * again; 0 if there are none.
   */
  get interruptedAt(): number {
    const state = this.parse();
    if (state === null || typeof state === "string") return 0;
    return state.committed < this.expected.count ? state.committed : 0;
  }

  private parse(): CampaignState | string | null {
    if (!existsSync(this.path)) return null;
    return parseState(readUserText(this.path), this.expected);
  }

  /** @throws MachineError */
  write(state: CampaignState | null): void {
    if (state === null) return;
    this.writtenAt = performance.now();
    writeWhole(this.path, `${printState(this.expected.name, state)}\n`);
  }

  /**
   * Writes the state if it is due. If the machine refuses, the next write follows after the usual
   * period.
   * @param isNews whether the state contains a finding that is announced next, or a new report
   */
  writeIfDue(
    state: () => CampaignState | null,
    isNews: boolean,
    onRefusal: (line: string) => void,
  ): void {
    if (!isNews && performance.now() - this.writtenAt < STATE_SECONDS * 1000) return;
    try {
      this.write(state());
    } catch (error) {
      const refusal = machineErrorOf(error);
      if (refusal === null) throw error;
      onRefusal(refusal.message);
    }
  }
}
