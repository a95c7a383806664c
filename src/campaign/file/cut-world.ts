// Reduces a finding among worlds to one world. Its program contains dozens; the first that shows
// the same alone is chosen, with one tuple of operands if that suffices.

import { Judge, type JudgeOptions } from "../../compare/judge-program.js";
import type { Program } from "../../generate/generate-program.js";
import { signaturesIn } from "../../reduce/signature.js";
import { InternalError } from "../../support/assert.js";
import { TUPLES } from "../../worlds/world.js";
import { worldAlone, worldOnTuple } from "../../worlds/world-program.js";
import { worldsOf } from "../../worlds/worlds.js";
import type { RawFinding } from "../run/found.js";

/**
 * Reduces a finding to one world.
 * @param options with the subject at fault, if there is one
 * @returns null if no world shows it alone
 */
export function cutToWorld(
  found: RawFinding,
  profile: string,
  options: JudgeOptions,
): Program | null {
  const { seed } = found;
  const test = new CutWorldTest(found, options);
  try {
    for (const world of worldsOf(seed, profile)) {
      const alone = worldAlone(seed, world);
      if (!test.shows(alone)) continue;
      for (let tuple = 0; tuple < TUPLES; tuple++) {
        const once = worldOnTuple(seed, world, tuple);
        if (test.shows(once)) return once;
      }
      return alone;
    }
    return null;
  } finally {
    test.close();
  }
}

class CutWorldTest {
  private readonly found: RawFinding;
  private readonly options: JudgeOptions;
  private open: Judge | null = null;

  constructor(found: RawFinding, options: JudgeOptions) {
    this.found = found;
    this.options = options;
  }

  /** Returns whether the program shows a difference of the same aspect, or the same error. */
  shows({ module, inputs }: Program): boolean {
    const { kind, aspect, what } = this.found;
    this.open ??= new Judge(this.options);
    try {
      const signatures = signaturesIn(this.open.judge({ module, inputs }));
      return signatures.some((seen) => seen.kind === "difference" && seen.aspect === aspect);
    } catch (error) {
      if (!(error instanceof InternalError)) throw error;
      this.close(); // an open judge may be in any state
      return kind === "internal-error" && error.what === what;
    }
  }

  close(): void {
    this.open?.close();
    this.open = null;
  }
}
