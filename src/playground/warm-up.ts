// Judges programs for nothing but the time of the next one: an engine compiles the functions of the
// worker that run often, and the first programs would wait for it.

import { programOf } from "../campaign/program/seeds.js";
import { Judge } from "../compare/judge-program.js";
import { PAGE_OPTIONS } from "./judge-text.js";

const PROGRAMS = 6;
/** Subjects of one step: those that share the optimized program. */
const SUBJECTS = 3;

/** Judges programs in steps of some milliseconds, so that a request does not wait. */
export function* warmUp(): Generator<void> {
  const { subjects } = PAGE_OPTIONS;
  const judge = new Judge(PAGE_OPTIONS);
  try {
    for (let seed = 1n; seed <= PROGRAMS; seed++) {
      const { module, inputs } = programOf(seed, "usual");
      for (let s = 0; s < subjects.length; s += SUBJECTS) {
        const chosen = new Uint8Array(subjects.length).fill(1, s, s + SUBJECTS);
        judge.judge({ module, inputs, chosen });
        yield;
      }
    }
  } finally {
    judge.close();
  }
}
